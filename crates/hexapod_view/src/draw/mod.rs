mod boxes;
mod figures;
mod footer;
mod footfall_strip;
mod header;
mod theme;
mod top_view;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use crate::{Snapshot, Teleop, status_line};

/// Columns from which on everything is shown.
pub const MIN_WIDTH: u16 = 60;
/// Lines from which on everything is shown.
pub const MIN_HEIGHT: u16 = 20;

/// Draws the whole view. Any size of terminal and any value in the snapshot will do; below [`MIN_WIDTH`] by
/// [`MIN_HEIGHT`] there is only the status line, and the keys still work.
pub fn draw(frame: &mut Frame, snapshot: &Snapshot, teleop: &Teleop) {
    let area = frame.area();
    if area.width < MIN_WIDTH || area.height < MIN_HEIGHT {
        draw_small(frame, snapshot, teleop, area);
        return;
    }
    let footer_height = footer::height(area);
    let screen = area;
    let area = area.inner(Margin::new(1, 0));
    let [head, main, foot] =
        Layout::vertical([Constraint::Length(2), Constraint::Min(0), Constraint::Length(footer_height)]).areas(area);
    let figures_width = (area.width * 11 / 24).clamp(29, 56);
    let [view, _gap, figures] =
        Layout::horizontal([Constraint::Min(0), Constraint::Length(1), Constraint::Length(figures_width)]).areas(main);
    header::draw(frame, snapshot, head);
    top_view::draw(frame, snapshot, view);
    figures::draw(frame, snapshot, teleop, figures);
    if !snapshot.is_live() {
        frame.buffer_mut().set_style(main, theme::past());
    }
    boxes::discovery_hint(frame, main, snapshot, teleop);
    footer::draw(frame, snapshot, foot);
    if teleop.asks_off() {
        boxes::servos_off(frame, screen);
    } else if let Some(menu) = teleop.menu() {
        boxes::motions(frame, screen, &snapshot.motions, menu);
    } else if teleop.shows_help() {
        boxes::help(frame, screen);
    }
}

fn draw_small(frame: &mut Frame, snapshot: &Snapshot, teleop: &Teleop, area: Rect) {
    let room = format!("{}x{} is too small for the view ({MIN_WIDTH}x{MIN_HEIGHT})", area.width, area.height);
    let mut lines = vec![];
    if !snapshot.alarm.is_empty() {
        lines.push(header::alarm(snapshot));
    }
    if teleop.asks_off() {
        lines.push(Line::from(boxes::SERVOS_OFF.join(" ")));
    }
    lines.extend([Line::from(status_line(snapshot)), Line::from("X EMERGENCY STOP  Esc quit"), Line::from(room)]);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), area);
}
