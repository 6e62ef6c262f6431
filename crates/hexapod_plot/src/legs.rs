//! A robot's legs as they stand, from above and from the side: which is which, where each foot is and where it can go.

use crate::svg::{Anchor, Paint, Svg};
use crate::theme::Theme;
use crate::workspace::loops;

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 28.0;
const HEAD: f64 = 50.0;
const TOP_HEIGHT: f64 = 520.0;
const SIDE_HEIGHT: f64 = 260.0;
const GAP: f64 = 34.0;

/// One leg as it stands, in the body's frame (x forward, y left, z up), m.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StandingLeg {
    /// Name of the leg, and what else is to stand beside its foot.
    pub name: String,
    /// Its joints from the hip outwards, and the foot.
    pub points: Vec<[f64; 3]>,
    /// Pieces of the border of what the foot reaches on the ground, as in a [`WorkspaceLeg`](crate::WorkspaceLeg).
    pub border: Vec<[[f64; 2]; 2]>,
}

/// What is drawn of a robot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LegsChart {
    /// Above the picture.
    pub title: String,
    /// Below the title.
    pub subtitle: String,
    /// The background.
    pub theme: Theme,
    /// The legs.
    pub legs: Vec<StandingLeg>,
}

/// Draws the legs from above, the way ahead upwards, and from the right, the way ahead to the right.
#[must_use]
pub fn legs_picture(chart: &LegsChart) -> String {
    let height = 2.0 * MARGIN + HEAD + TOP_HEIGHT + GAP + SIDE_HEIGHT;
    let theme = chart.theme;
    let mut svg = Svg::new(WIDTH, height, &chart.title, theme.background());
    svg.text([MARGIN, MARGIN + 14.0], 18.0, theme.ink(), &chart.title);
    svg.text([MARGIN, MARGIN + 36.0], 12.5, theme.muted(), &chart.subtitle);
    let borders = chart.legs.iter().flat_map(|leg| leg.border.iter().flatten()).map(|[x, y]| [-y, *x]);
    let points = || chart.legs.iter().flat_map(|leg| leg.points.iter());
    let above = |[x, y, _]: [f64; 3]| [-y, x];
    let beside = |[x, _, z]: [f64; 3]| [x, z];
    let top = View::of(borders.chain(points().map(|p| above(*p))), MARGIN + HEAD, TOP_HEIGHT);
    let side = View::of(points().map(|p| beside(*p)), MARGIN + HEAD + TOP_HEIGHT + GAP, SIDE_HEIGHT);
    top.field(&mut svg, theme, "from above");
    areas(&mut svg, &top, chart);
    arrow(&mut svg, &top, theme, [0.0, 1.0]);
    legs(&mut svg, &top, chart, above, true);
    side.field(&mut svg, theme, "from the right");
    let ground =
        chart.legs.iter().filter_map(|leg| leg.points.last()).map(|foot| foot[2]).fold(f64::INFINITY, f64::min);
    svg.line(
        side.at([side.middle[0] - 9.0, ground]),
        side.at([side.middle[0] + 9.0, ground]),
        &Paint::stroke(theme.grid(), 1.2),
    );
    arrow(&mut svg, &side, theme, [1.0, 0.0]);
    legs(&mut svg, &side, chart, beside, false);
    svg.finish()
}

/// From lengths to pixels in one field of the picture.
struct View {
    scale: f64,
    middle: [f64; 2],
    top: f64,
    height: f64,
}

impl View {
    fn of(points: impl Iterator<Item = [f64; 2]>, top: f64, height: f64) -> Self {
        let (mut low, mut high) = ([-0.05, -0.05], [0.05, 0.05]);
        for point in points.filter(|point| point.iter().all(|value| value.is_finite())) {
            for k in 0..2 {
                low[k] = f64::min(low[k], point[k]);
                high[k] = f64::max(high[k], point[k]);
            }
        }
        let room = [WIDTH - 2.0 * MARGIN - 120.0, height - 70.0];
        let scale = (room[0] / (high[0] - low[0])).min(room[1] / (high[1] - low[1]));
        Self { scale, middle: [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])], top, height }
    }

    fn at(&self, [right, up]: [f64; 2]) -> [f64; 2] {
        let x = WIDTH / 2.0 + (right - self.middle[0]) * self.scale;
        let y = self.top + self.height / 2.0 - (up - self.middle[1]) * self.scale;
        [x.clamp(MARGIN, WIDTH - MARGIN), y]
    }

    fn field(&self, svg: &mut Svg, theme: Theme, what: &str) {
        svg.rect([MARGIN, self.top], [WIDTH - 2.0 * MARGIN, self.height], 8.0, &Paint::fill(theme.panel()));
        svg.text([MARGIN + 10.0, self.top + 20.0], 12.0, theme.muted(), what);
        let bar = if self.scale > 600.0 {
            0.05
        } else if self.scale > 200.0 {
            0.1
        } else {
            0.5
        };
        let (end, y) = (WIDTH - MARGIN - 12.0, self.top + self.height - 12.0);
        svg.line([end - bar * self.scale, y], [end, y], &Paint::stroke(theme.muted(), 2.0));
        svg.anchored([end, y - 6.0], 11.0, theme.muted(), Anchor::End, &format!("{:.0} mm", bar * 1e3));
    }
}

/// Where the body's origin is, and which way is ahead.
fn arrow(svg: &mut Svg, view: &View, theme: Theme, ahead: [f64; 2]) {
    let (from, paint) = (view.at([0.0, 0.0]), Paint::stroke(theme.ink(), 1.8));
    let [dx, dy] = [ahead[0] * 34.0, -ahead[1] * 34.0];
    let to = [from[0] + dx, from[1] + dy];
    svg.line(from, to, &paint);
    for turn in [0.4, -0.4] {
        let back = [-0.28 * dx - turn * 0.5 * dy, -0.28 * dy + turn * 0.5 * dx];
        svg.line(to, [to[0] + back[0], to[1] + back[1]], &paint);
    }
    svg.circle(from, 3.0, &Paint::fill(theme.ink()));
    svg.text([to[0] + 6.0, to[1] - 4.0], 11.0, theme.muted(), "ahead (x)");
}

fn areas(svg: &mut Svg, view: &View, chart: &LegsChart) {
    for (index, leg) in chart.legs.iter().enumerate() {
        let pieces = loops(&leg.border);
        let pieces: Vec<Vec<[f64; 2]>> =
            pieces.into_iter().map(|piece| piece.into_iter().map(|[x, y]| view.at([-y, x])).collect()).collect();
        svg.path(&pieces, true, &Paint::fill(chart.theme.series(index)).with_opacity(0.13));
    }
}

fn legs(svg: &mut Svg, view: &View, chart: &LegsChart, flat: impl Fn([f64; 3]) -> [f64; 2], named: bool) {
    for (index, leg) in chart.legs.iter().enumerate() {
        let colour = chart.theme.series(index);
        let points: Vec<[f64; 2]> = leg.points.iter().map(|point| view.at(flat(*point))).collect();
        svg.path(std::slice::from_ref(&points), false, &Paint::stroke(colour, 3.0));
        points.iter().for_each(|point| svg.circle(*point, 3.0, &Paint::fill(chart.theme.muted())));
        let Some(foot) = points.last() else { continue };
        svg.circle(*foot, 6.0, &Paint::fill(colour));
        let beyond = if foot[0] < WIDTH / 2.0 { (-10.0, Anchor::End) } else { (10.0, Anchor::Start) };
        if named {
            svg.anchored([foot[0] + beyond.0, foot[1] + 4.0], 12.0, chart.theme.ink(), beyond.1, &leg.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(name: &str, y: f64) -> StandingLeg {
        let points = vec![[0.0, 0.1 * y, 0.0], [0.0, 0.15 * y, 0.02], [0.0, 0.2 * y, -0.1]];
        StandingLeg { name: name.into(), points, ..StandingLeg::default() }
    }

    #[test]
    fn when_a_leg_is_on_the_left_expect_its_foot_and_name_left_of_the_middle() {
        let chart = LegsChart { legs: vec![leg("here", 1.0), leg("there", -1.0)], ..LegsChart::default() };
        let svg = legs_picture(&chart);
        let x_of = |name: &str| {
            let line = svg.lines().find(|line| line.contains(&format!(">{name}<"))).unwrap();
            line.split('"').nth(1).unwrap().parse::<f64>().unwrap()
        };
        assert!(x_of("here") < WIDTH / 2.0 && x_of("there") > WIDTH / 2.0, "{svg}");
    }

    #[test]
    fn when_numbers_are_not_finite_or_there_is_no_leg_expect_a_picture_all_the_same() {
        let bad = StandingLeg { points: vec![[f64::NAN; 3], [0.1; 3]], ..leg("a", 1.0) };
        for legs in [vec![], vec![bad]] {
            let svg = legs_picture(&LegsChart { legs, ..LegsChart::default() });
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        }
    }
}
