//! Headings and colours: blue for well, orange for care, vermilion for wrong. They are distinguishable with every
//! common colour vision, stand out on dark and light grounds, and are never the only sign of anything.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders};

use crate::Level;

/// Well; on the ground.
pub(crate) const GOOD: Color = Color::Indexed(39);
/// Worth a look; in the air.
pub(crate) const CARE: Color = Color::Indexed(214);
/// Wrong.
pub(crate) const BAD: Color = Color::Indexed(202);
/// Where to go: the twist wanted, the way ahead.
pub(crate) const WAY: Color = Color::Indexed(141);
/// What stays in the background.
pub(crate) const QUIET: Color = Color::Indexed(244);
/// Farther back still.
pub(crate) const FAINT: Color = Color::Indexed(239);

pub(crate) fn quiet() -> Style {
    Style::new().fg(QUIET)
}

pub(crate) fn faint() -> Style {
    Style::new().fg(FAINT)
}

/// What was so and may be no more: no colour says how it is.
pub(crate) fn past() -> Style {
    Style::new().fg(FAINT).remove_modifier(Modifier::BOLD | Modifier::REVERSED)
}

pub(crate) fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

pub(crate) fn color(level: Level) -> Color {
    match level {
        Level::Ok => GOOD,
        Level::Warn => CARE,
        Level::Error => BAD,
        Level::Stale => QUIET,
    }
}

/// A sign per level, for those who see no colours.
pub(crate) fn sign(level: Level) -> &'static str {
    match level {
        Level::Ok => "●",
        Level::Warn => "▲",
        Level::Error => "■",
        Level::Stale => "○",
    }
}

/// A quiet heading: a thin rule with a title.
pub(crate) fn titled(title: impl Into<String>) -> Block<'static> {
    let title = Line::from(format!("{} ", title.into())).style(quiet());
    Block::new().borders(Borders::TOP).border_style(faint()).title(title)
}
