//! The robot from above, forward up and left to the left, with the ground moving under it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line as Text, Span};
use ratatui::widgets::canvas::{Canvas, Context, Line, Points};

use super::theme::{self, titled};
use crate::format::{abbreviation, fixed};
use crate::{LegView, Snapshot, Truth};

/// Half of what is shown at least, metres.
const MIN_REACH_M: f64 = 0.15;
/// Half of what is shown at most, metres.
const MAX_REACH_M: f64 = 2.0;
/// Distance of the dots on the ground, metres.
const GRID_M: f64 = 0.1;
/// The arrow shows where the twist leads in this time, seconds.
const ARROW_S: f64 = 2.0;
const ARROW_STEPS: u32 = 16;
/// Twists slower than this (m/s, or rad/s at 0.1 m) have no arrow.
const AT_REST: f64 = 1e-3;

pub(super) fn draw(frame: &mut Frame, snapshot: &Snapshot, area: Rect) {
    let block = titled(title(snapshot));
    let inner = block.inner(area);
    if inner.is_empty() {
        return;
    }
    // A cell is about twice as high as wide: one scale for both axes.
    let (columns, rows) = (f64::from(inner.width), f64::from(inner.height) * 2.0);
    let metres = reach(snapshot) / columns.min(rows);
    let half = [metres * columns, metres * rows];
    let canvas = Canvas::default()
        .block(block)
        .marker(Marker::Braille)
        .x_bounds([-half[0], half[0]])
        .y_bounds([-half[1], half[1]])
        .paint(|context| paint(context, snapshot, half));
    frame.render_widget(canvas, area);
}

fn title(snapshot: &Snapshot) -> String {
    let place = |[x, y, yaw]: [f64; 3]| {
        format!("x {}  y {}  yaw {}", fixed(x, 2, ""), fixed(y, 2, " m"), fixed(yaw.to_degrees(), 0, "°"))
    };
    let truth = snapshot
        .truth
        .map(|Truth { place: at, lean }| format!("  true {}  lean {}", place(at), fixed(lean.to_degrees(), 0, "°")));
    format!("odom {}{}", place(snapshot.odom), truth.unwrap_or_default())
}

/// How far the picture reaches from the middle, metres. In steps, so that it does not breathe with the legs.
fn reach(snapshot: &Snapshot) -> f64 {
    let points = snapshot.legs.iter().flat_map(|leg| [leg.foot_xy, leg.knee_xy, leg.hip_xy]);
    let extents =
        points.chain(snapshot.body_outline.iter().copied()).filter(is_finite).map(|[x, y]| x.abs().max(y.abs()));
    let farthest = extents.fold(0.0, f64::max);
    (((farthest + 0.03) / 0.05).ceil() * 0.05).clamp(MIN_REACH_M, MAX_REACH_M)
}

fn paint(context: &mut Context, snapshot: &Snapshot, half: [f64; 2]) {
    let farthest = half[0].max(half[1]);
    grid(context, snapshot.odom, farthest);
    trail(context, snapshot);
    context.layer();
    outline(context, &snapshot.support, theme::QUIET);
    if let Some(truth) = snapshot.truth {
        outline(context, &truly(&snapshot.body_outline, truth, snapshot.odom), theme::WAY);
    }
    outline(context, &snapshot.body_outline, Color::Reset);
    arrow(context, snapshot.twist_walked);
    context.layer();
    for leg in &snapshot.legs {
        limbs(context, leg);
    }
    context.layer();
    for leg in &snapshot.legs {
        foot(context, leg);
    }
    centre_of_mass(context, snapshot);
}

/// Dots fixed to the ground, so that walking is seen.
fn grid(context: &mut Context, odom: [f64; 3], farthest: f64) {
    if !odom.iter().all(|value| value.is_finite()) {
        return;
    }
    let count = (farthest * 1.5 / GRID_M).ceil().min(40.0) as i32;
    let nearest = [odom[0], odom[1]].map(|value| (value / GRID_M).round());
    let range = || -count..=count;
    let dots: Vec<_> = range()
        .flat_map(|i| range().map(move |j| (i, j)))
        .map(|(i, j)| [(nearest[0] + f64::from(i)) * GRID_M, (nearest[1] + f64::from(j)) * GRID_M])
        .map(|dot| screen(in_body(dot, odom)))
        .collect();
    context.draw(&Points { coords: &dots, color: theme::FAINT });
}

fn trail(context: &mut Context, snapshot: &Snapshot) {
    let points: Vec<_> = snapshot.path.iter().map(|point| in_body(*point, snapshot.odom)).collect();
    for pair in points.windows(2) {
        if let [from, to] = pair {
            line(context, *from, *to, theme::QUIET);
        }
    }
}

fn outline(context: &mut Context, corners: &[[f64; 2]], color: Color) {
    let next = corners.iter().cycle().skip(1);
    for (from, to) in corners.iter().zip(next) {
        line(context, *from, *to, color);
    }
}

fn limbs(context: &mut Context, leg: &LegView) {
    let color = foot_color(leg);
    line(context, leg.hip_xy, leg.knee_xy, color);
    line(context, leg.knee_xy, leg.foot_xy, color);
}

fn foot_color(leg: &LegView) -> Color {
    if leg.down { theme::GOOD } else { theme::CARE }
}

fn foot(context: &mut Context, leg: &LegView) {
    let sign = if leg.down { "●" } else { "○" };
    print(context, leg.foot_xy, Span::styled(sign, Style::new().fg(foot_color(leg))));
    let inward = leg.hip_xy.map(|value| value * 0.55);
    print(context, inward, Span::styled(abbreviation(&leg.name), theme::quiet()));
}

fn centre_of_mass(context: &mut Context, snapshot: &Snapshot) {
    if let Some(point) = snapshot.centre_of_mass_xy {
        let holds = snapshot.margin_m.is_none_or(|margin| margin > 0.0);
        let color = if holds { Color::Reset } else { theme::BAD };
        print(context, point, Span::styled("✚", Style::new().fg(color)));
    }
}

/// Where the twist leads: an arc about the instantaneous centre of rotation, with a head.
fn arrow(context: &mut Context, [vx, vy, wz]: [f64; 3]) {
    if !(vx.hypot(vy) > AT_REST || wz.abs() > AT_REST * 10.0) {
        return;
    }
    let is_turn_on_the_spot = vx.hypot(vy) <= AT_REST;
    let start = if is_turn_on_the_spot { [0.06, 0.0] } else { [0.0, 0.0] };
    let points: Vec<_> = (0..=ARROW_STEPS)
        .map(|step| {
            let time = ARROW_S * f64::from(step) / f64::from(ARROW_STEPS);
            walked(start, [vx, vy, wz], time)
        })
        .collect();
    for pair in points.windows(2) {
        if let [from, to] = pair {
            line(context, *from, *to, theme::WAY);
        }
    }
    if let [.., before, tip] = points.as_slice() {
        head(context, *before, *tip);
    }
}

/// Where a point of the body comes to lie after `time` with a constant twist: the exponential of the twist.
fn walked(point: [f64; 2], [vx, vy, wz]: [f64; 3], time: f64) -> [f64; 2] {
    let angle = wz * time;
    let (sin, cos) = angle.sin_cos();
    let (along, across) = if angle.abs() < 1e-6 { (time, angle * time / 2.0) } else { (sin / wz, (1.0 - cos) / wz) };
    let moved = [vx * along - vy * across, vx * across + vy * along];
    [moved[0] + cos * point[0] - sin * point[1], moved[1] + sin * point[0] + cos * point[1]]
}

fn head(context: &mut Context, before: [f64; 2], tip: [f64; 2]) {
    let angle = (tip[1] - before[1]).atan2(tip[0] - before[0]);
    for side in [2.6, -2.6] {
        let (sin, cos) = (angle + side).sin_cos();
        line(context, tip, [tip[0] + 0.025 * cos, tip[1] + 0.025 * sin], theme::WAY);
    }
}

/// The body's corners where they truly are, seen from where odometry has the body.
fn truly(corners: &[[f64; 2]], Truth { place: [x, y, yaw], .. }: Truth, odom: [f64; 3]) -> Vec<[f64; 2]> {
    let (sin, cos) = yaw.sin_cos();
    let in_world =
        corners.iter().map(|[along, across]| [x + cos * along - sin * across, y + sin * along + cos * across]);
    in_world.map(|corner| in_body(corner, odom)).collect()
}

/// A point of the odometry frame in the body frame.
fn in_body([x, y]: [f64; 2], odom: [f64; 3]) -> [f64; 2] {
    let (sin, cos) = odom[2].sin_cos();
    let (dx, dy) = (x - odom[0], y - odom[1]);
    [cos * dx + sin * dy, cos * dy - sin * dx]
}

/// Body frame to picture: forward up, left to the left.
fn screen([x, y]: [f64; 2]) -> (f64, f64) {
    (-y, x)
}

fn is_finite(point: &[f64; 2]) -> bool {
    point.iter().all(|value| value.is_finite())
}

fn line(context: &mut Context, from: [f64; 2], to: [f64; 2], color: Color) {
    let is_near = |point: &[f64; 2]| is_finite(point) && point.iter().all(|value| value.abs() < 1e4);
    if is_near(&from) && is_near(&to) {
        let ((x1, y1), (x2, y2)) = (screen(from), screen(to));
        context.draw(&Line { x1, y1, x2, y2, color });
    }
}

fn print(context: &mut Context, at: [f64; 2], text: Span<'static>) {
    if is_finite(&at) {
        let (x, y) = screen(at);
        context.print(x, y, Text::from(text));
    }
}
