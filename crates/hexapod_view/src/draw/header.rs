//! The first lines: who, in what state, with which gait; and the alarm.

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::theme;
use crate::format::{fixed, no_word, or_dash, plain};
use crate::{Level, Snapshot};

pub(super) fn draw(frame: &mut Frame, snapshot: &Snapshot, area: Rect) {
    if area.height > 1 && !snapshot.alarm.is_empty() {
        frame.render_widget(Paragraph::new(alarm(snapshot)), Rect { y: area.y + 1, height: 1, ..area });
    }
    let area = Rect { height: area.height.min(1), ..area };
    frame.render_widget(Paragraph::new(left(snapshot)), area);
    let right = Line::from(format!("height {}", fixed(snapshot.height_m * 1e3, 0, " mm"))).style(theme::quiet());
    let room = usize::from(area.width).saturating_sub(left(snapshot).width() + 1);
    if snapshot.is_live() && right.width() <= room {
        frame.render_widget(Paragraph::new(right).alignment(Alignment::Right), area);
    }
}

/// The alarm, as loud as a terminal can be.
pub(super) fn alarm(snapshot: &Snapshot) -> Line<'static> {
    let style = Style::new().fg(theme::BAD).add_modifier(Modifier::BOLD | Modifier::REVERSED);
    Line::styled(format!("{} {} ", theme::sign(Level::Error), plain(&snapshot.alarm)), style)
}

fn left(snapshot: &Snapshot) -> Line<'static> {
    let level = snapshot.level();
    let mut style = Style::new().fg(theme::color(level)).add_modifier(Modifier::BOLD);
    if level == Level::Error || snapshot.silence.is_some() {
        style = style.add_modifier(Modifier::REVERSED);
    }
    let state = if snapshot.gait_state.is_empty() { "waiting" } else { &snapshot.gait_state };
    let shown = snapshot.silence.map_or_else(|| state.into(), no_word);
    let mut spans = vec![
        Span::styled("hexapod  ", theme::bold()),
        Span::styled(format!(" {} {} ", theme::sign(level), plain(&shown)), style),
    ];
    let past = snapshot.silence.map(|_| ("last", state));
    let rest = [("gait", snapshot.gait.as_str()), ("servos", snapshot.servo_state.as_str())];
    for (name, value) in past.into_iter().chain(rest) {
        spans.push(Span::styled(format!("  {name} "), theme::quiet()));
        let style = if past.is_some() { theme::quiet() } else { Style::new() };
        spans.push(Span::styled(plain(or_dash(value)), style));
    }
    if level == Level::Error && !snapshot.servo_state.starts_with("lost") {
        spans.push(Span::styled("  R: servos on again", Style::new().fg(theme::BAD)));
    }
    Line::from(spans)
}
