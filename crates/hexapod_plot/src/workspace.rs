//! Where feet can go: a map of the ground seen from above, and a table.

use crate::svg::{Anchor, Paint, Svg};
use crate::theme::Theme;
use std::collections::BTreeMap;

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 28.0;
const MAP_HEIGHT: f64 = 560.0;
const ROW_HEIGHT: f64 = 20.0;
const ELLIPSE_POINTS: u32 = 72;
/// Sine of the turn at a corner from which it is one.
const STRAIGHT: f64 = 1e-6;

/// One foot's part of the map. Lengths in m in the body's x-y plane (x forward, y left).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkspaceLeg {
    /// Name of the leg.
    pub name: String,
    /// Pieces of the border of what the foot reaches, sides of the cells of a square grid, the reachable side on their
    /// left.
    pub border: Vec<[[f64; 2]; 2]>,
    /// First joint.
    pub hip: [f64; 2],
    /// Where the foot rests.
    pub rest: [f64; 2],
    /// How far the foot can go from there, in evenly spaced directions from x towards y.
    pub travel: Vec<f64>,
    /// Cells of the table.
    pub cells: Vec<String>,
}

/// A map of what all feet reach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkspaceChart {
    /// Above the map.
    pub title: String,
    /// Below the title.
    pub subtitle: String,
    /// The background.
    pub theme: Theme,
    /// The legs.
    pub legs: Vec<WorkspaceLeg>,
    /// Half axes, along x and y, of the ellipse about each rest point that the planner uses, m.
    pub reach: [f64; 2],
    /// Heads of the table's columns after the leg's name.
    pub columns: Vec<String>,
}

/// Draws the map: what each foot reaches, how far it can go in each direction from its rest, and the planner's ellipse.
#[must_use]
pub fn workspace_map(chart: &WorkspaceChart) -> String {
    let table_top = MARGIN + 62.0 + MAP_HEIGHT + 28.0;
    let height = table_top + ROW_HEIGHT * (chart.legs.len() as f64 + 1.0) + MARGIN;
    let theme = chart.theme;
    let mut svg = Svg::new(WIDTH, height, &chart.title, theme.background());
    svg.text([MARGIN, MARGIN + 14.0], 18.0, theme.ink(), &chart.title);
    svg.text([MARGIN, MARGIN + 36.0], 12.5, theme.muted(), &chart.subtitle);
    let view = View::of(chart);
    svg.rect([MARGIN, MARGIN + 50.0], [WIDTH - 2.0 * MARGIN, MAP_HEIGHT], 8.0, &Paint::fill(theme.panel()));
    grid(&mut svg, &view, theme);
    for (index, leg) in chart.legs.iter().enumerate() {
        area(&mut svg, &view, leg, index, theme);
    }
    for (index, leg) in chart.legs.iter().enumerate() {
        strokes(&mut svg, &view, leg, chart.reach, index, theme);
    }
    table(&mut svg, chart, table_top);
    svg.finish()
}

/// From the ground to the picture: x forward is up, y left is left.
struct View {
    scale: f64,
    middle: [f64; 2],
}

impl View {
    fn of(chart: &WorkspaceChart) -> Self {
        let points = chart.legs.iter().flat_map(|leg| leg.border.iter().flatten().chain([&leg.hip, &leg.rest]));
        let (mut low, mut high) = ([-0.05, -0.05], [0.05, 0.05]);
        for point in points.filter(|point| point.iter().all(|v| v.is_finite())) {
            for k in 0..2 {
                low[k] = f64::min(low[k], point[k]);
                high[k] = f64::max(high[k], point[k]);
            }
        }
        let room = [MAP_HEIGHT - 30.0, WIDTH - 2.0 * MARGIN - 30.0];
        let scale = (room[0] / (high[0] - low[0])).min(room[1] / (high[1] - low[1]));
        Self { scale, middle: [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])] }
    }

    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let centre = [WIDTH / 2.0, MARGIN + 50.0 + MAP_HEIGHT / 2.0];
        [centre[0] - (y - self.middle[1]) * self.scale, centre[1] - (x - self.middle[0]) * self.scale]
    }
}

/// Lines every 10 cm (or 1 m), and the body's axes.
fn grid(svg: &mut Svg, view: &View, theme: Theme) {
    let spacing = if view.scale > 60.0 { 0.1 } else { 1.0 };
    let half = [0.5 * MAP_HEIGHT / view.scale, 0.5 * (WIDTH - 2.0 * MARGIN) / view.scale];
    let steps = |k: usize| {
        let (low, high) = (view.middle[k] - half[k], view.middle[k] + half[k]);
        (0..400).map(move |n| ((low / spacing).ceil() + f64::from(n)) * spacing).take_while(move |at| *at <= high)
    };
    let (low, high) = ([0, 1].map(|k| view.middle[k] - half[k]), [0, 1].map(|k| view.middle[k] + half[k]));
    let mut lines: Vec<Vec<[f64; 2]>> = Vec::new();
    lines.extend(steps(0).map(|x| vec![view.at([x, low[1]]), view.at([x, high[1]])]));
    lines.extend(steps(1).map(|y| vec![view.at([low[0], y]), view.at([high[0], y])]));
    svg.path(&lines, false, &Paint::stroke(theme.grid(), 0.7));
    let label = if spacing < 1.0 { "grid 100 mm" } else { "grid 1 m" };
    svg.anchored([WIDTH - MARGIN - 8.0, MARGIN + 44.0 + MAP_HEIGHT], 11.0, theme.muted(), Anchor::End, label);
    let ahead = view.at([0.05, 0.0]);
    svg.line(view.at([0.0, 0.0]), ahead, &Paint::stroke(theme.ink(), 1.6));
    svg.circle(view.at([0.0, 0.0]), 2.5, &Paint::fill(theme.ink()));
    svg.anchored([ahead[0], ahead[1] - 5.0], 11.0, theme.muted(), Anchor::Middle, "x");
}

fn area(svg: &mut Svg, view: &View, leg: &WorkspaceLeg, index: usize, theme: Theme) {
    let loops: Vec<Vec<[f64; 2]>> =
        loops(&leg.border).into_iter().map(|points| points.into_iter().map(|p| view.at(p)).collect()).collect();
    let colour = theme.series(index);
    svg.path(&loops, true, &Paint::fill(colour).with_opacity(0.16));
    svg.path(&loops, true, &Paint::stroke(colour, 1.0).with_opacity(0.7));
}

fn strokes(svg: &mut Svg, view: &View, leg: &WorkspaceLeg, reach: [f64; 2], index: usize, theme: Theme) {
    let colour = theme.series(index);
    let count = leg.travel.len() as f64;
    let star = leg.travel.iter().enumerate().map(|(k, travel)| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / count).sin_cos();
        view.at([leg.rest[0] + travel * cos, leg.rest[1] + travel * sin])
    });
    svg.path(&[star.collect()], true, &Paint { dashed: true, ..Paint::stroke(colour, 1.4) });
    let ellipse = (0..ELLIPSE_POINTS).map(|k| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(ELLIPSE_POINTS)).sin_cos();
        view.at([leg.rest[0] + reach[0] * cos, leg.rest[1] + reach[1] * sin])
    });
    svg.path(&[ellipse.collect()], true, &Paint::stroke(theme.ink(), 1.3));
    svg.line(view.at(leg.hip), view.at(leg.rest), &Paint::stroke(theme.muted(), 1.2));
    svg.circle(view.at(leg.hip), 3.0, &Paint::fill(theme.muted()));
    svg.circle(view.at(leg.rest), 3.0, &Paint::fill(colour));
}

fn table(svg: &mut Svg, chart: &WorkspaceChart, top: f64) {
    let theme = chart.theme;
    let first = 150.0;
    let width = (WIDTH - 2.0 * MARGIN - first) / (chart.columns.len().max(1) as f64);
    let right = |k: usize| MARGIN + first + width * (k as f64 + 1.0);
    svg.text([MARGIN + 16.0, top], 11.5, theme.muted(), "leg");
    for (k, head) in chart.columns.iter().enumerate() {
        svg.anchored([right(k), top], 11.5, theme.muted(), Anchor::End, head);
    }
    for (index, leg) in chart.legs.iter().enumerate() {
        let y = top + ROW_HEIGHT * (index as f64 + 1.0);
        svg.rect([MARGIN, y - 10.0], [10.0, 10.0], 2.0, &Paint::fill(theme.series(index)));
        svg.text([MARGIN + 16.0, y], 12.5, theme.ink(), &leg.name);
        for (k, cell) in leg.cells.iter().enumerate() {
            svg.anchored([right(k), y], 12.5, theme.ink(), Anchor::End, cell);
        }
    }
}

/// Border pieces put together to closed lines, corners on straight stretches left out.
pub(crate) fn loops(border: &[[[f64; 2]; 2]]) -> Vec<Vec<[f64; 2]>> {
    let Some([origin, end]) = border.first() else { return Vec::new() };
    // All pieces are as long as the first and lie on one grid, up to rounding.
    let side = (end[0] - origin[0]).hypot(end[1] - origin[1]);
    let key = |p: [f64; 2]| [0, 1].map(|k| ((p[k] - origin[k]) / side).round() as i64);
    let mut from: BTreeMap<[i64; 2], Vec<usize>> = BTreeMap::new();
    for (index, [start, _]) in border.iter().enumerate() {
        from.entry(key(*start)).or_default().push(index);
    }
    let mut used = vec![false; border.len()];
    let mut found = Vec::new();
    for first in 0..border.len() {
        let mut points: Vec<[f64; 2]> = Vec::new();
        let mut at = first;
        while !used[at] {
            used[at] = true;
            points.push(border[at][0]);
            let next = from.get(&key(border[at][1])).and_then(|all| all.iter().find(|&&index| !used[index]));
            match next {
                Some(&index) => at = index,
                None => break,
            }
        }
        if points.len() > 2 {
            found.push(without_straight(&points));
        }
    }
    found
}

fn without_straight(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let count = points.len();
    let turns = |k: &usize| {
        let ([a, b], [c, d], [e, f]) = (points[(k + count - 1) % count], points[*k], points[(k + 1) % count]);
        let ([ux, uy], [vx, vy]) = ([c - a, d - b], [e - c, f - d]);
        (ux * vy - uy * vx).abs() > STRAIGHT * ux.hypot(uy) * vx.hypot(vy)
    };
    (0..count).filter(turns).map(|k| points[k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_border_is_two_squares_expect_two_loops_of_four_corners() {
        let square = |x: f64| {
            let corners = [[x, 0.0], [x + 2.0, 0.0], [x + 2.0, 2.0], [x, 2.0]];
            (0..4).flat_map(move |k| {
                let (a, b) = (corners[k], corners[(k + 1) % 4]);
                let middle = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
                [[a, middle], [middle, b]]
            })
        };
        let border: Vec<_> = square(0.0).chain(square(5.0)).collect();
        let found = loops(&border);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|points| points.len() == 4), "{found:?}");
    }

    #[test]
    fn when_nothing_is_reachable_expect_a_picture_all_the_same() {
        let legs = vec![WorkspaceLeg { name: "a".into(), ..WorkspaceLeg::default() }];
        let svg = workspace_map(&WorkspaceChart { title: "none".into(), legs, ..WorkspaceChart::default() });
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
