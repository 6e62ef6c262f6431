//! The last lines: messages, hints, keys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::theme::{self, titled};
use crate::format::plain;
use crate::keys::SHORT_HELP;
use crate::{Level, Snapshot};

/// Columns from which on messages and hints stand side by side.
const SIDE_BY_SIDE: u16 = 100;
/// Lines for the keys.
const KEY_LINES: u16 = 2;

/// Lines the footer takes of a screen.
pub(super) fn height(screen: Rect) -> u16 {
    let notes = match screen.height {
        ..24 => 2,
        24..34 => 4,
        _ => 6,
    };
    notes + 1 + KEY_LINES
}

pub(super) fn draw(frame: &mut Frame, snapshot: &Snapshot, area: Rect) {
    let [notes, keys] = Layout::vertical([Constraint::Min(0), Constraint::Length(KEY_LINES)]).areas(area);
    if notes.width >= SIDE_BY_SIDE && !snapshot.hints.is_empty() {
        let [left, _gap, right] =
            Layout::horizontal([Constraint::Fill(1), Constraint::Length(1), Constraint::Fill(1)]).areas(notes);
        let room = usize::from(notes.height.saturating_sub(1));
        let hints =
            Paragraph::new(hint_lines(snapshot)).wrap(Wrap { trim: false }).block(titled("try in another shell"));
        frame.render_widget(Paragraph::new(message_lines(snapshot, room)).block(titled("messages")), left);
        frame.render_widget(hints, right);
    } else {
        let room = usize::from(notes.height.saturating_sub(1));
        let mut lines = message_lines(snapshot, room);
        lines.extend(hint_lines(snapshot).into_iter().take(room - lines.len().min(room)));
        frame.render_widget(Paragraph::new(lines).block(titled("messages")), notes);
    }
    frame.render_widget(Paragraph::new(key_lines(keys.width)), keys);
}

/// The newest messages that fit, the newest last.
fn message_lines(snapshot: &Snapshot, room: usize) -> Vec<Line<'static>> {
    let skipped = snapshot.messages.len().saturating_sub(room);
    snapshot.messages.iter().skip(skipped).map(|(level, text)| message_line(*level, text)).collect()
}

fn message_line(level: Level, text: &str) -> Line<'static> {
    let style = Style::new().fg(theme::color(level));
    let text_style = if level == Level::Ok { Style::new() } else { style };
    Line::from(vec![Span::styled(format!("{} ", theme::sign(level)), style), Span::styled(plain(text), text_style)])
}

fn hint_lines(snapshot: &Snapshot) -> Vec<Line<'static>> {
    snapshot.hints.iter().map(|hint| Line::styled(format!("$ {}", plain(hint)), theme::quiet())).collect()
}

/// As many keys as fit on the lines there are, the most needed first.
fn key_lines(width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::default(); usize::from(KEY_LINES)];
    let mut keys = SHORT_HELP.iter().peekable();
    for line in &mut lines {
        while let Some((key, does)) = keys.peek() {
            let spans =
                [Span::styled(format!("{key} "), theme::bold()), Span::styled(format!("{does}  "), theme::quiet())];
            if line.width() + spans.iter().map(Span::width).sum::<usize>() > usize::from(width) {
                break;
            }
            line.extend(spans);
            keys.next();
        }
    }
    lines
}
