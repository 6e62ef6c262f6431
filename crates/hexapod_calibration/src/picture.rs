//! A drawing of a leg that shows one joint: where its 0 is, which way is plus, which part turns. From the kinematics.

use crate::braille::{Canvas, Stroke};
use crate::degrees::degrees;
use hexapod_kinematics::{Leg, LegJoint};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing {
    /// Angle at which the joint is drawn, in radians.
    pub pose_rad: f64,
    /// A limit to show besides, in radians.
    pub limit_rad: Option<f64>,
    /// Characters across and lines.
    pub size: (usize, usize),
}

/// How far the arrow of the plus direction reaches, in radians, and where along the part.
const ARROW_RAD: f64 = 0.6;
const ARROW_AT: f64 = 0.75;
const ARROW_DOTS: usize = 12;

/// The leg with the part that the joint turns drawn thick, the rest thin, seen along the joint's axis; the other joints
/// stand at 0 or as near to it as they get. The last line says from where it is seen.
pub fn draw_joint(leg: &Leg, joint: usize, drawing: &Drawing) -> Vec<String> {
    let (width, height) = drawing.size;
    let at = |angle_rad: f64| points(leg, joint, angle_rad);
    let View { right, up, words } = view(&axis(leg, joint));
    let flat = |point: &Vector3<f64>| [point.dot(&right), -point.dot(&up)];
    let pose: Vec<_> = at(drawing.pose_rad).iter().map(flat).collect();
    let hand = hand(&pose, joint);
    let arm = |angle_rad: f64| at(angle_rad).get(hand).map_or([0.0; 2], flat);
    let pivot = pose.get(joint + 1).copied().unwrap_or_default();
    let along = |angle_rad: f64, part: f64| {
        let end = arm(angle_rad);
        [pivot[0] + part * (end[0] - pivot[0]), pivot[1] + part * (end[1] - pivot[1])]
    };
    // From the joint before this one on, or from the body.
    let mut shown = pose.iter().skip(joint).copied().collect::<Vec<_>>();
    shown.extend([0.0, drawing.pose_rad].into_iter().chain(drawing.limit_rad).map(|rad| along(rad, 1.15)));
    shown.push(along(drawing.pose_rad + ARROW_RAD, ARROW_AT));
    let frame = Frame::around(&shown, width, height.saturating_sub(1));
    let place = |point: [f64; 2]| frame.place(point);
    let mut canvas = Canvas::new(width, height.saturating_sub(1));
    for (index, pair) in pose.windows(2).enumerate().skip(joint) {
        canvas.line(place(pair[0]), place(pair[1]), if index > joint { Stroke::Thick } else { Stroke::Thin });
    }
    for angle_rad in [0.0].into_iter().chain(drawing.limit_rad) {
        canvas.line(place(pivot), place(along(angle_rad, 1.0)), Stroke::Dotted);
    }
    let arrow = |step: usize| {
        let angle_rad = drawing.pose_rad + ARROW_RAD * step as f64 / ARROW_DOTS as f64;
        place(along(angle_rad, ARROW_AT))
    };
    (2..ARROW_DOTS).for_each(|step| canvas.line(arrow(step), arrow(step + 1), Stroke::Thin));
    canvas.letter(place(pivot), 'o');
    for (index, letter) in degrees(drawing.limit_rad.unwrap_or(0.0)).chars().enumerate() {
        let [x, y] = place(along(drawing.limit_rad.unwrap_or(0.0), 1.15));
        canvas.letter([x + 2.0 * index as f64, y], letter);
    }
    canvas.letter(place(along(0.0, 1.15)), '0');
    canvas.letter(arrow(ARROW_DOTS), '+');
    let mut lines = canvas.lines();
    lines.push(format!("{words:^width$}"));
    lines
}

/// The body, the joints and the foot in the body's frame, with one joint at an angle.
fn points(leg: &Leg, joint: usize, angle_rad: f64) -> Vec<Vector3<f64>> {
    let mut pose = Isometry3::identity();
    let mut points = vec![Vector3::zeros()];
    let mut angles = leg.home();
    angles.get_mut(joint).into_iter().for_each(|angle| *angle = angle_rad);
    for (part, &angle_rad) in leg.moving().iter().zip(leg.turns(&angles).iter()) {
        pose *= part.origin();
        points.push(pose.translation.vector);
        pose *= turned(&part.axis(), angle_rad);
    }
    points.push((pose * leg.tip()).translation.vector);
    points
}

/// The axis of a joint in the body's frame.
fn axis(leg: &Leg, joint: usize) -> Vector3<f64> {
    let mut pose = Isometry3::identity();
    let turning = leg.joints().get(joint).map(LegJoint::name);
    for (part, &angle_rad) in leg.moving().iter().zip(leg.turns(&leg.home()).iter()) {
        pose *= part.origin();
        if turning == Some(part.name()) {
            return pose * part.axis().into_inner();
        }
        pose *= turned(&part.axis(), angle_rad);
    }
    Vector3::z()
}

fn turned(axis: &nalgebra::Unit<Vector3<f64>>, angle_rad: f64) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(axis, angle_rad))
}

/// The end of the part that turns: the next point which is not on the axis as it is seen.
fn hand(pose: &[[f64; 2]], joint: usize) -> usize {
    let pivot = pose.get(joint + 1).copied().unwrap_or_default();
    let far = |point: &[f64; 2]| (point[0] - pivot[0]).hypot(point[1] - pivot[1]);
    let longest = pose.iter().skip(joint + 2).map(far).fold(0.0, f64::max);
    let next = pose.iter().skip(joint + 2).position(|point| far(point) >= 0.5 * longest);
    next.map_or(pose.len().saturating_sub(1), |index| index + joint + 2)
}

/// From where it is looked at.
struct View {
    right: Vector3<f64>,
    up: Vector3<f64>,
    words: String,
}

/// Along the axis: from above where it is upright, else with up upwards, from the front where that is known.
fn view(axis: &Vector3<f64>) -> View {
    if axis.z.abs() > 0.7 {
        return View { right: -Vector3::y(), up: Vector3::x(), words: "seen from above, the front on top".into() };
    }
    let side = Vector3::new(axis.x, axis.y, 0.0);
    let ahead = if side.x.abs() > 0.1 * side.norm() { side.x } else { side.y };
    let to_viewer = (if ahead < 0.0 { -side } else { side }).normalize();
    let up = Vector3::z();
    let mut from = Vec::new();
    if to_viewer.x > 0.3 {
        from.push("front");
    }
    if to_viewer.y.abs() > 0.3 {
        from.push(if to_viewer.y > 0.0 { "left" } else { "right" });
    }
    View { right: up.cross(&to_viewer), up, words: format!("seen from the {}", from.join(" ")) }
}

/// Places what is drawn in the middle, as large as it goes.
struct Frame {
    scale: f64,
    shift: [f64; 2],
}

impl Frame {
    fn around(points: &[[f64; 2]], width: usize, height: usize) -> Self {
        let size = [2.0 * width as f64, 4.0 * height as f64];
        let range = |axis: usize| {
            let values = points.iter().map(|point| point[axis]).filter(|value| value.is_finite());
            values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
        };
        let ranges = [range(0), range(1)];
        // Room for a label of four letters beside the outermost point.
        let fit = |axis: usize| (size[axis] - 10.0) / (ranges[axis].1 - ranges[axis].0).max(1e-6);
        let scale = fit(0).min(fit(1));
        let middle = |axis: usize| 0.5 * (size[axis] - 1.0) - scale * 0.5 * (ranges[axis].0 + ranges[axis].1);
        Self { scale, shift: [middle(0), middle(1)] }
    }

    fn place(&self, point: [f64; 2]) -> [f64; 2] {
        [self.shift[0] + self.scale * point[0], self.shift[1] + self.scale * point[1]]
    }
}
