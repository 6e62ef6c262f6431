//! Series over a common axis.

use crate::svg::{Anchor, Paint, Svg};
use crate::theme::Theme;

/// Named points joined by a line. A point that is not finite interrupts the line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Points (x, y) in the units of the axes.
    pub points: Vec<[f64; 2]>,
    /// Draw it in dashes, as one does for a target beside what was reached.
    pub dashed: bool,
}

/// Where something happened: a line across the chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mark {
    /// In the unit of the horizontal axis.
    pub at: f64,
    /// Beside the line.
    pub name: String,
}

/// What to plot and how.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// Above the chart.
    pub title: String,
    /// Below the horizontal axis, with its unit.
    pub x_label: String,
    /// Beside the vertical axis, with its unit.
    pub y_label: String,
    /// The series, drawn in this order.
    pub series: Vec<Series>,
    /// What happened along the horizontal axis; beyond its ends nothing is drawn.
    pub marks: Vec<Mark>,
    /// One unit is as long on both axes: for paths and workspaces.
    pub equal_axes: bool,
    /// Size of the picture (px).
    pub width_px: f64,
    /// Size of the picture (px).
    pub height_px: f64,
    /// The background.
    pub theme: Theme,
}

impl Default for LineChart {
    fn default() -> Self {
        Self {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            series: Vec::new(),
            marks: Vec::new(),
            equal_axes: false,
            width_px: 800.0,
            height_px: 440.0,
            theme: Theme::Light,
        }
    }
}

/// About as many ticks as this on each axis.
const TICKS: f64 = 6.0;
const LEFT_PX: f64 = 76.0;
const RIGHT_PX: f64 = 24.0;
const TOP_PX: f64 = 48.0;
const BOTTOM_PX: f64 = 58.0;
const LEGEND_ROW_PX: f64 = 22.0;
const LETTER_PX: f64 = 7.4;

/// The chart as SVG.
#[must_use]
pub fn line_plot(chart: &LineChart) -> String {
    let mut svg = Svg::new(chart.width_px, chart.height_px, &chart.title, chart.theme.background());
    svg.text([LEFT_PX, 30.0], 17.0, chart.theme.ink(), &chart.title);
    let field = Field::of(chart);
    svg.rect(
        [field.x.start, field.y.end],
        [field.x.length(), -field.y.length()],
        4.0,
        &Paint::fill(chart.theme.panel()),
    );
    draw_ticks(&mut svg, &field, chart);
    draw_marks(&mut svg, &field, chart);
    for (index, series) in chart.series.iter().enumerate() {
        let paint = Paint { dashed: series.dashed, ..Paint::stroke(chart.theme.series(index), 2.0) };
        svg.open_group(&[("stroke-linejoin", "round"), ("stroke-linecap", "round")]);
        svg.path(&field.pieces(&series.points), false, &paint);
        svg.close_group();
    }
    draw_legend(&mut svg, chart);
    svg.finish()
}

/// A scale from values to pixels; `start` and `end` are where `low` and `high` are drawn.
#[derive(Debug, Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    fn length(&self) -> f64 {
        self.end - self.start
    }

    fn pixel(&self, value: f64) -> f64 {
        self.start + (value - self.low) / (self.high - self.low) * self.length()
    }

    /// Values per pixel.
    fn coarseness(&self) -> f64 {
        (self.high - self.low) / self.length().abs()
    }

    fn widened_to(self, coarseness: f64) -> Self {
        let (middle, half) = ((self.low + self.high) / 2.0, coarseness * self.length().abs() / 2.0);
        Self { low: middle - half, high: middle + half, ..self }
    }
}

struct Field {
    x: Scale,
    y: Scale,
}

impl Field {
    fn of(chart: &LineChart) -> Self {
        let right = (chart.width_px - RIGHT_PX).max(LEFT_PX + 1.0);
        let top = TOP_PX + LEGEND_ROW_PX * legend_rows(chart).len() as f64;
        let bottom = (chart.height_px - BOTTOM_PX).max(top + 1.0);
        let scale = |axis: usize, start: f64, end: f64| {
            let values = chart.series.iter().flat_map(|series| &series.points).map(|point| point[axis]);
            let (low, high) = range(values);
            Scale { low, high, start, end }
        };
        let (x, y) = (scale(0, LEFT_PX, right), scale(1, bottom, top));
        if !chart.equal_axes {
            return Self { x, y };
        }
        let coarsest = x.coarseness().max(y.coarseness());
        Self { x: x.widened_to(coarsest), y: y.widened_to(coarsest) }
    }

    fn pieces(&self, points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
        let finite = |point: &[f64; 2]| point.iter().all(|value| value.is_finite());
        let runs = points.split(|point| !finite(point));
        runs.map(|run| run.iter().map(|[x, y]| [self.x.pixel(*x), self.y.pixel(*y)]).collect()).collect()
    }
}

/// The range of the finite values with a little room, never empty.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    // Beyond this the arithmetic of a scale would overflow.
    const HUGE: f64 = 1e300;
    let finite = values.filter(|value| value.abs() < HUGE);
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    let room =
        if high - low > 1e-12 * high.abs().max(1e-12) { 0.04 * (high - low) } else { 0.5 * high.abs().max(1e-3) };
    (low - room, high + room)
}

/// Round values (1, 2 or 5 times a power of ten apart) within a range, and how many decimals they need.
fn ticks(low: f64, high: f64) -> (Vec<f64>, usize) {
    let rough = (high - low) / TICKS;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(power);
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    let first = (low / step).ceil();
    let values = (0..=20).map(|index| (first + f64::from(index)) * step).take_while(|value| *value <= high);
    (values.collect(), decimals)
}

fn draw_ticks(svg: &mut Svg, field: &Field, chart: &LineChart) {
    let theme = chart.theme;
    let (grid, muted) = (Paint::stroke(theme.grid(), 1.0), theme.muted());
    let (values, decimals) = ticks(field.x.low, field.x.high);
    for value in values {
        let x = field.x.pixel(value);
        svg.line([x, field.y.start], [x, field.y.end], &grid);
        svg.anchored([x, field.y.start + 19.0], 12.0, muted, Anchor::Middle, &tick_text(value, decimals));
    }
    let (values, decimals) = ticks(field.y.low, field.y.high);
    for value in values {
        let y = field.y.pixel(value);
        svg.line([field.x.start, y], [field.x.end, y], &grid);
        svg.anchored([field.x.start - 8.0, y + 4.0], 12.0, muted, Anchor::End, &tick_text(value, decimals));
    }
    let middle = |scale: &Scale| (scale.start + scale.end) / 2.0;
    svg.anchored([middle(&field.x), chart.height_px - 16.0], 13.0, theme.ink(), Anchor::Middle, &chart.x_label);
    svg.upward([20.0, middle(&field.y)], 13.0, theme.ink(), &chart.y_label);
}

fn draw_marks(svg: &mut Svg, field: &Field, chart: &LineChart) {
    let (theme, middle) = (chart.theme, (field.y.start + field.y.end) / 2.0);
    let paint = Paint { dashed: true, ..Paint::stroke(theme.muted(), 1.0) };
    for Mark { at, name } in chart.marks.iter().filter(|mark| (field.x.low..=field.x.high).contains(&mark.at)) {
        let x = field.x.pixel(*at);
        svg.line([x, field.y.start], [x, field.y.end], &paint);
        svg.upward([x - 4.0, middle], 11.0, theme.muted(), name);
    }
}

fn tick_text(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e6 {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.decimals$}");
    // "-0.0" says nothing that "0.0" does not.
    if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) {
        text.trim_start_matches('-').to_owned()
    } else {
        text.replace('-', "\u{2212}")
    }
}

/// Which series stand in which row of the legend, each with its left edge (px). One series needs no legend.
fn legend_rows(chart: &LineChart) -> Vec<Vec<(usize, f64)>> {
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    if chart.series.len() < 2 {
        return rows;
    }
    let mut left = f64::INFINITY;
    for (index, series) in chart.series.iter().enumerate() {
        let width = 48.0 + LETTER_PX * series.name.chars().count() as f64;
        if left + width > chart.width_px - RIGHT_PX {
            rows.push(Vec::new());
            left = LEFT_PX;
        }
        if let Some(row) = rows.last_mut() {
            row.push((index, left));
        }
        left += width;
    }
    rows
}

fn draw_legend(svg: &mut Svg, chart: &LineChart) {
    for (row, entries) in legend_rows(chart).iter().enumerate() {
        let y = TOP_PX + LEGEND_ROW_PX * row as f64 + 4.0;
        for (index, left) in entries {
            let Some(series) = chart.series.get(*index) else { continue };
            let paint = Paint { dashed: series.dashed, ..Paint::stroke(chart.theme.series(*index), 3.0) };
            svg.line([*left, y], [left + 24.0, y], &paint);
            svg.text([left + 31.0, y + 4.5], 13.0, chart.theme.ink(), &series.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_range_is_ticked_expect_round_values_inside_it() {
        let (values, decimals) = ticks(-0.13, 1.07);
        let texts: Vec<String> = values.iter().map(|value| tick_text(*value, decimals)).collect();
        assert_eq!(texts, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn when_all_values_are_equal_or_missing_expect_a_range_that_is_not_empty() {
        for values in [vec![], vec![0.0], vec![3.0, 3.0], vec![f64::NAN], vec![1e12, 1e12]] {
            let (low, high) = range(values.iter().copied());
            assert!(low < high, "{values:?}");
        }
    }
}
