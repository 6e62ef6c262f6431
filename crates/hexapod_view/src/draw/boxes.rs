//! Boxes over the picture: keys, motions, and where a robot that is not heard is looked for.

use ratatui::Frame;
use ratatui::layout::{Constraint, Flex, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Padding, Paragraph, Wrap};

use super::theme;
use crate::format::plain;
use crate::keys::HELP;
use crate::menu::Menu;
use crate::{Snapshot, Teleop};

/// Columns of the box that says where robots are looked for, at most.
const LOOKOUT_WIDTH: u16 = 92;

/// All keys.
pub(super) fn help(frame: &mut Frame, screen: Rect) {
    let lines = HELP.iter().map(|(keys, does)| {
        Line::from(vec![Span::styled(format!("{keys:<9}"), theme::bold()), Span::raw(format!("  {does}"))])
    });
    over(frame, screen, " keys ", lines.collect(), 56);
}

/// The question before the servos are switched off.
pub(super) const SERVOS_OFF: [&str; 2] =
    ["A standing robot falls to the ground.", "J sits it down first, Y switches off, any other key does not."];

/// Asks it.
pub(super) fn servos_off(frame: &mut Frame, screen: Rect) {
    over(frame, screen, " switch the servos off? ", SERVOS_OFF.map(Line::from).to_vec(), 56);
}

/// The list of motions, around its cursor where there is no room for all.
pub(super) fn motions(frame: &mut Frame, screen: Rect, motions: &[String], menu: Menu) {
    if motions.is_empty() {
        over(frame, screen, " motions ", vec![Line::from("the robot has not listed any; M closes this")], 56);
        return;
    }
    let room = usize::from(screen.height.saturating_sub(6)).max(1);
    let cursor = menu.cursor.min(motions.len() - 1);
    let first = cursor.saturating_sub(room / 2).min(motions.len().saturating_sub(room));
    let shown = motions.iter().enumerate().skip(first).take(room);
    let mut lines: Vec<_> = shown.map(|(index, name)| motion(index, name, index == cursor)).collect();
    lines.push(Line::styled("a number or Enter plays, 0 ends it, M closes", theme::quiet()));
    over(frame, screen, " motions ", lines, 56);
}

fn motion(index: usize, name: &str, is_chosen: bool) -> Line<'static> {
    let number = if index < 9 { (index + 1).to_string() } else { " ".into() };
    let style = if is_chosen { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    Line::from(vec![
        Span::styled(format!("{} {number} ", if is_chosen { ">" } else { " " }), theme::bold()),
        Span::styled(format!(" {} ", plain(name)), style),
    ])
}

/// Where robots are looked for.
pub(super) fn discovery_hint(frame: &mut Frame, area: Rect, snapshot: &Snapshot, teleop: &Teleop) {
    let is_covered = teleop.shows_help() || teleop.menu().is_some() || teleop.asks_off();
    if snapshot.is_live() || snapshot.discovery_hint.is_empty() || is_covered {
        return;
    }
    let lines: Vec<_> = snapshot.discovery_hint.iter().map(|line| Line::from(plain(line))).collect();
    let title = if snapshot.silence.is_some() { " the robot is not heard any more " } else { " no robot is heard " };
    over(frame, area, title, lines, LOOKOUT_WIDTH);
}

/// A box in the middle of `screen`, as high as its lines need.
fn over(frame: &mut Frame, screen: Rect, title: &'static str, lines: Vec<Line<'static>>, width: u16) {
    let width = width.min(screen.width);
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme::quiet())
        .title(title)
        .padding(Padding::horizontal(2));
    let inside = usize::from(width.saturating_sub(6)).max(1);
    // Lines are broken between words, which may take a row more.
    let rows = lines.iter().map(|line| line.width() / inside + usize::from(line.width() > inside) + 1).sum::<usize>();
    let height = u16::try_from(rows + 2).unwrap_or(screen.height).min(screen.height);
    let [area] = Layout::horizontal([Constraint::Length(width)]).flex(Flex::Center).areas(screen);
    let [area] = Layout::vertical([Constraint::Length(height)]).flex(Flex::Center).areas(area);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}
