//! Hildebrand's footfall diagram: when each foot is on the ground, over one cycle.
//!
//! M. Hildebrand, "Symmetrical gaits of horses", Science 150 (1965).

use crate::svg::{Anchor, Paint, Svg};
use crate::theme::Theme;

/// When one foot stands, in parts of the cycle.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GaitRow {
    /// The leg's name.
    pub leg: String,
    /// Stances as (phase of touch-down, length), both in cycles; a stance may run over the cycle's end.
    pub stances: Vec<(f64, f64)>,
}

impl GaitRow {
    /// A foot that stands once a cycle, from `touch_down` for `duty` of it.
    pub fn new(leg: impl Into<String>, touch_down: f64, duty: f64) -> Self {
        Self { leg: leg.into(), stances: vec![(touch_down, duty)] }
    }

    /// The bars within one cycle: (begin, end), both in 0..=1.
    fn bars(&self) -> Vec<(f64, f64)> {
        let mut bars = Vec::new();
        for &(touch_down, length) in &self.stances {
            let (begin, length) = (touch_down.rem_euclid(1.0), length.clamp(0.0, 1.0));
            if begin.is_finite() && length > 0.0 {
                bars.push((begin, (begin + length).min(1.0)));
                if begin + length > 1.0 + 1e-9 {
                    bars.push((0.0, begin + length - 1.0));
                }
            }
        }
        bars
    }

    /// Fraction of the cycle on the ground.
    fn duty(&self) -> f64 {
        self.bars().iter().map(|(begin, end)| end - begin).sum::<f64>().min(1.0)
    }
}

/// What to draw and how.
#[derive(Debug, Clone, PartialEq)]
pub struct GaitChart {
    /// Above the diagram.
    pub title: String,
    /// One row per leg, from the top.
    pub rows: Vec<GaitRow>,
    /// The duration of a cycle (s), to label the axis with time as well.
    pub cycle_s: Option<f64>,
    /// A phase to mark with a line: where the robot is now.
    pub now: Option<f64>,
    /// Width of the picture (px); its height follows from the rows.
    pub width_px: f64,
    /// The background.
    pub theme: Theme,
}

impl Default for GaitChart {
    fn default() -> Self {
        Self { title: String::new(), rows: Vec::new(), cycle_s: None, now: None, width_px: 720.0, theme: Theme::Light }
    }
}

const TOP_PX: f64 = 50.0;
const ROW_PX: f64 = 34.0;
const BAR_PX: f64 = 20.0;
const RIGHT_PX: f64 = 64.0;
const BOTTOM_PX: f64 = 58.0;
const LETTER_PX: f64 = 8.0;

/// The diagram as SVG.
#[must_use]
pub fn gait_diagram(chart: &GaitChart) -> String {
    let theme = chart.theme;
    let bottom = TOP_PX + ROW_PX * chart.rows.len() as f64;
    let letters = chart.rows.iter().map(|row| row.leg.chars().count()).max().unwrap_or(0);
    let left = 32.0 + LETTER_PX * letters as f64;
    let width = (chart.width_px - RIGHT_PX - left).max(1.0);
    let x = |phase: f64| left + width * phase;

    let mut svg = Svg::new(chart.width_px, bottom + BOTTOM_PX, &chart.title, theme.background());
    svg.text([20.0, 30.0], 17.0, theme.ink(), &chart.title);
    svg.anchored([chart.width_px - 16.0, 36.0], 12.0, theme.muted(), Anchor::End, "duty");
    svg.rect([left, TOP_PX], [width, bottom - TOP_PX], 4.0, &Paint::fill(theme.panel()));
    for quarter in 0..=4 {
        let phase = f64::from(quarter) / 4.0;
        svg.line([x(phase), TOP_PX], [x(phase), bottom], &Paint::stroke(theme.grid(), 1.0));
        svg.anchored([x(phase), bottom + 18.0], 12.0, theme.muted(), Anchor::Middle, &phase_text(phase, chart.cycle_s));
    }
    for (index, row) in chart.rows.iter().enumerate() {
        let middle = TOP_PX + ROW_PX * (index as f64 + 0.5);
        svg.anchored([left - 12.0, middle + 4.5], 13.0, theme.ink(), Anchor::End, &row.leg);
        for (begin, end) in row.bars() {
            let size = [(end - begin) * width, BAR_PX];
            svg.rect(
                [x(begin), middle - BAR_PX / 2.0],
                size,
                3.0,
                &Paint::fill(theme.series(usize::from(is_right(&row.leg)))),
            );
        }
        let duty = format!("{:.2}", row.duty());
        svg.anchored([chart.width_px - 16.0, middle + 4.5], 12.0, theme.muted(), Anchor::End, &duty);
    }
    if let Some(now) = chart.now.filter(|now| now.is_finite()) {
        let at = x(now.rem_euclid(1.0));
        svg.line([at, TOP_PX - 4.0], [at, bottom + 4.0], &Paint::stroke(theme.ink(), 1.5));
    }
    let label = "phase of the cycle; a bar is a foot on the ground";
    svg.anchored([left + width / 2.0, bottom + 42.0], 13.0, theme.ink(), Anchor::Middle, label);
    svg.finish()
}

/// Left and right legs have colours of their own.
fn is_right(leg: &str) -> bool {
    leg.starts_with("right") || leg.starts_with("r_")
}

fn phase_text(phase: f64, cycle_s: Option<f64>) -> String {
    match cycle_s.filter(|cycle| cycle.is_finite()) {
        Some(cycle) => format!("{phase} ({:.2} s)", phase * cycle),
        None => phase.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_stance_runs_over_the_end_expect_two_bars() {
        let bars = GaitRow::new("leg", 0.75, 0.5).bars();
        assert_eq!(bars, [(0.75, 1.0), (0.0, 0.25)]);
    }

    #[test]
    fn when_a_phase_is_negative_or_not_finite_expect_it_wrapped_or_dropped() {
        assert_eq!(GaitRow::new("leg", -0.25, 0.25).bars(), [(0.75, 1.0)]);
        assert!(GaitRow::new("leg", f64::NAN, 0.5).bars().is_empty());
    }
}
