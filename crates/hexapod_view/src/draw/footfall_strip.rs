//! Which feet were down in the last seconds, a line per leg: a Hildebrand diagram.

use std::time::Duration;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme;
use crate::Snapshot;
use crate::format::abbreviation;

/// Time one column stands for.
pub(super) const SLOT: Duration = Duration::from_millis(100);
/// Columns of the leg's name before the strip and of the foot's sign after it.
const MARGINS: u16 = 6;

/// Seconds that a strip of this width shows.
pub(super) fn seconds(width: u16) -> f64 {
    f64::from(width.saturating_sub(MARGINS)) * SLOT.as_secs_f64()
}

pub(super) fn lines(snapshot: &Snapshot, width: u16) -> Vec<Line<'static>> {
    let count = usize::from(width.saturating_sub(MARGINS));
    let legs = snapshot.legs.iter().enumerate();
    legs.map(|(index, leg)| {
        let mut spans = vec![Span::styled(format!("{:<4}", abbreviation(&leg.name)), theme::quiet())];
        spans.extend(runs(&snapshot.footfalls.strip(index, count, SLOT)));
        spans.push(foot(leg.down));
        Line::from(spans)
    })
    .collect()
}

/// Neighbours that look alike share a span.
fn runs(strip: &[Option<bool>]) -> Vec<Span<'static>> {
    let alike = strip.chunk_by(|one, next| one == next);
    alike.filter_map(|run| Some(piece(*run.first()?, run.len()))).collect()
}

fn piece(down: Option<bool>, length: usize) -> Span<'static> {
    match down {
        Some(true) => Span::styled("━".repeat(length), Style::new().fg(theme::GOOD)),
        Some(false) => Span::styled("·".repeat(length), theme::faint()),
        None => Span::raw(" ".repeat(length)),
    }
}

fn foot(down: bool) -> Span<'static> {
    let (sign, color) = if down { (" ●", theme::GOOD) } else { (" ○", theme::CARE) };
    Span::styled(sign, Style::new().fg(color))
}
