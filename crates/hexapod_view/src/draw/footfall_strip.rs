//! Which feet were down in the last seconds, a line per leg: a Hildebrand diagram; and what each bears, where it is known.

use std::time::Duration;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme;
use crate::format::{abbreviation, fixed};
use crate::{FootLoad, LoadSource, Snapshot};

/// Time one column stands for.
pub(super) const SLOT: Duration = Duration::from_millis(100);
/// Columns of the leg's name before the strip and of the foot's sign after it.
const MARGINS: u16 = 6;

/// Columns of a foot's force: a bar, its number and the first letter of what it rests on.
const BAR: usize = 5;
const FORCE: u16 = BAR as u16 + 10;

/// Seconds that a strip of this width shows.
pub(super) fn seconds(snapshot: &Snapshot, width: u16) -> f64 {
    f64::from(columns(snapshot, width)) * SLOT.as_secs_f64()
}

/// Columns of the strip.
fn columns(snapshot: &Snapshot, width: u16) -> u16 {
    let force = if snapshot.load_source().is_some() { FORCE } else { 0 };
    width.saturating_sub(MARGINS + force)
}

pub(super) fn lines(snapshot: &Snapshot, width: u16) -> Vec<Line<'static>> {
    let count = usize::from(columns(snapshot, width));
    let loads = || snapshot.legs.iter().filter_map(|leg| leg.load);
    // A bar is full with half of what all bear.
    let full_n = 0.5 * loads().map(|load| load.up_n).filter(|up_n| up_n.is_finite()).sum::<f64>();
    let is_loaded = loads().next().is_some();
    let legs = snapshot.legs.iter().enumerate();
    legs.map(|(index, leg)| {
        let mut spans = vec![Span::styled(format!("{:<4}", abbreviation(&leg.name)), theme::quiet())];
        spans.extend(runs(&snapshot.footfalls.strip(index, count, SLOT)));
        spans.push(foot(leg.down));
        if is_loaded {
            spans.extend(force(leg.load, full_n));
        }
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

fn force(load: Option<FootLoad>, full_n: f64) -> [Span<'static>; 3] {
    let up_n = load.map_or(f64::NAN, |load| load.up_n);
    let fraction = up_n / full_n;
    let filled = if fraction.is_finite() { (fraction.clamp(0.0, 1.0) * BAR as f64).round() as usize } else { 0 };
    let sensed = load.is_some_and(|load| load.source < LoadSource::Predicted);
    // Also where there is no room for the title, which has the whole word.
    let letter = load.map_or(" ", |load| load.source.as_str().get(..1).unwrap_or_default());
    let style = if sensed { Style::new().fg(theme::GOOD) } else { theme::quiet() };
    [
        Span::styled(format!(" {}", "━".repeat(filled)), style),
        Span::styled("─".repeat(BAR - filled), theme::faint()),
        Span::styled(format!("{:>7} {letter}", fixed(up_n, 1, " N")), style),
    ]
}

fn foot(down: bool) -> Span<'static> {
    let (sign, color) = if down { (" ●", theme::GOOD) } else { (" ○", theme::CARE) };
    Span::styled(sign, Style::new().fg(color))
}
