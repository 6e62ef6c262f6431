//! The first line: who, in what state, with which gait.

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::theme;
use crate::format::{fixed, or_dash, plain};
use crate::{Level, Snapshot};

pub(super) fn draw(frame: &mut Frame, snapshot: &Snapshot, area: Rect) {
    let area = Rect { height: area.height.min(1), ..area };
    frame.render_widget(Paragraph::new(left(snapshot)), area);
    let right = Line::from(format!("height {}", fixed(snapshot.height_m * 1e3, 0, " mm"))).style(theme::quiet());
    let room = usize::from(area.width).saturating_sub(left(snapshot).width() + 1);
    if right.width() <= room {
        frame.render_widget(Paragraph::new(right).alignment(Alignment::Right), area);
    }
}

fn left(snapshot: &Snapshot) -> Line<'static> {
    let level = snapshot.level();
    let mut style = Style::new().fg(theme::color(level)).add_modifier(Modifier::BOLD);
    if level == Level::Error {
        style = style.add_modifier(Modifier::REVERSED);
    }
    let state = if snapshot.gait_state.is_empty() { "waiting" } else { &snapshot.gait_state };
    let mut spans = vec![
        Span::styled("hexapod  ", theme::bold()),
        Span::styled(format!(" {} {} ", theme::sign(level), plain(state)), style),
    ];
    for (name, value) in [("gait", &snapshot.gait), ("servos", &snapshot.servo_state)] {
        spans.push(Span::styled(format!("  {name} "), theme::quiet()));
        spans.push(Span::raw(plain(or_dash(value))));
    }
    if level == Level::Error {
        spans.push(Span::styled("  R: servos on again", Style::new().fg(theme::BAD)));
    }
    Line::from(spans)
}
