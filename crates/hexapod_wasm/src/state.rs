//! A robot's state as numbers.

use crate::hexapod::Hexapod;
use crate::layout::Layout;
use hexapod_gait::{Tick, Twist};
use hexapod_kinematics::{Leg, LegAngles, MAX_LEGS};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// The numbers, and where each lies.
#[derive(Clone, Debug)]
pub struct State {
    layout: Layout,
    numbers: Vec<f64>,
}

impl State {
    /// The state of a robot.
    #[must_use]
    pub fn of(hexapod: &Hexapod) -> Self {
        let layout = Layout::of(hexapod.player().engine().legs());
        let mut state = Self { numbers: vec![0.0; layout.length()], layout };
        state.take(hexapod);
        state
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All numbers.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Writes the present state down, where the last one was.
    pub fn take(&mut self, hexapod: &Hexapod) {
        let (tick, engine) = (hexapod.tick(), hexapod.player().engine());
        let legs = engine.legs();
        let place = |found: Option<usize>| found.map_or(-1.0, |index| index as f64);
        let walker = hexapod.walker();
        let playing = hexapod.playing();
        let motion = playing.and_then(|playing| walker.motions.names().position(|(name, _)| name == playing.name));
        self.put("time", [hexapod.time_s()]);
        self.put("state", [tick.state as u8 as f64]);
        self.put("limitedBy", [tick.limited_by as u8 as f64]);
        self.put("gait", [place(walker.gaits.names().position(|name| name == hexapod.gait()))]);
        self.put("motion", [place(motion)]);
        self.put("motionProgress", [playing.map_or(0.0, |playing| playing.part)]);
        self.put("packed", [f64::from(u8::from(engine.is_packed()))]);
        self.put("phase", [tick.phase]);
        self.put("twist", numbers_of(tick.twist));
        self.put("wantedTwist", numbers_of(hexapod.wanted()));
        self.put("joints", legs.iter().zip(&tick.angles).flat_map(joints_of));
        self.put("velocities", legs.iter().zip(&tick.velocities).flat_map(joints_of));
        self.put("contacts", tick.contacts.iter().take(legs.len()).map(|&down| f64::from(u8::from(down))));
        self.put("body", pose_of(&tick.footprint_from_body));
        self.put("legPoints", legs.iter().zip(&tick.angles).flat_map(|(leg, angles)| points_of(leg, angles)));
        self.take_places(hexapod, tick, legs.len());
        self.take_balance(hexapod, tick);
    }

    fn take_places(&mut self, hexapod: &Hexapod, tick: &Tick, legs: usize) {
        let odom_from_body = hexapod.estimate().map_or_else(Isometry3::identity, |estimate| estimate.odom_from_body);
        let odom_from_footprint = odom_from_body * tick.footprint_from_body.inverse();
        let at = odom_from_footprint.translation.vector;
        let ahead = odom_from_footprint.rotation * Vector3::x();
        self.put("odom", pose_of(&odom_from_body));
        self.put("footprint", [at.x, at.y, hexapod_kinematics::math::atan2(ahead.y, ahead.x)]);
        let feet = || tick.feet.iter().take(legs);
        self.put("feet", feet().flat_map(numbers_at));
        self.put("feetInOdom", feet().flat_map(|&foot| numbers_at(&(odom_from_footprint * Point3::from(foot)).coords)));
        let walked = hexapod.estimate().map_or([0.0; 2], |estimate| [estimate.travelled, estimate.turned]);
        self.put("travelled", [walked[0]]);
        self.put("turned", [walked[1]]);
    }

    fn take_balance(&mut self, hexapod: &Hexapod, tick: &Tick) {
        let standing = hexapod.balance().of(tick);
        let corners = standing.support.corners();
        self.put("margin", [standing.margin]);
        self.put("centre", [standing.centre.x, standing.centre.y]);
        self.put("corners", [corners.len() as f64]);
        self.put("support", [0.0; 2 * MAX_LEGS]);
        self.put("support", corners.iter().flat_map(|corner| [corner.x, corner.y]));
    }

    fn put(&mut self, name: &str, numbers: impl IntoIterator<Item = f64>) {
        let part = self.layout.part(name, &mut self.numbers);
        part.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
    }
}

fn joints_of<'a>((leg, angles): (&Leg, &'a LegAngles)) -> impl Iterator<Item = f64> + use<'a> {
    angles.padded().iter().copied().take(leg.joint_count())
}

fn numbers_of(twist: Twist) -> [f64; 3] {
    [twist.vx, twist.vy, twist.wz]
}

fn numbers_at(point: &Vector3<f64>) -> [f64; 3] {
    [point.x, point.y, point.z]
}

fn pose_of(pose: &Isometry3<f64>) -> [f64; 7] {
    let (at, turn) = (pose.translation.vector, pose.rotation.coords);
    [at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]
}

/// The places of a leg's joints, hip first, and its foot, in the body frame.
fn points_of(leg: &Leg, angles: &LegAngles) -> Vec<f64> {
    let mut body_from_link = Isometry3::identity();
    let mut points = Vec::with_capacity(3 * (leg.joint_count() + 1));
    for (joint, &angle) in leg.moving().iter().zip(leg.turns(angles).padded()) {
        body_from_link *= joint.origin() * UnitQuaternion::from_axis_angle(&joint.axis(), angle);
        if joint.mimics().is_some() {
            continue;
        }
        points.extend(numbers_at(&body_from_link.translation.vector));
    }
    points.extend(numbers_at(&leg.foot_in_body(angles)));
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Description;

    fn field<'a>(state: &'a mut State, name: &str) -> &'a [f64] {
        state.layout.part(name, &mut state.numbers)
    }

    #[test]
    fn when_the_robot_has_walked_expect_each_number_where_the_layout_says() {
        let mut hexapod = Description::default().load().unwrap();
        hexapod.set_twist(0.05, 0.0, 0.2).unwrap();
        (0..500).for_each(|_| hexapod.step(0.01));
        let mut state = State::of(&hexapod);
        let (tick, estimate) = (*hexapod.tick(), *hexapod.estimate().unwrap());
        assert_eq!(field(&mut state, "joints")[3..6], tick.angles[1].to_vec());
        assert_eq!(field(&mut state, "wantedTwist"), [0.05, 0.0, 0.2]);
        assert_eq!(field(&mut state, "state"), [2.0]);
        assert_eq!(field(&mut state, "travelled"), [estimate.travelled]);
        let down = tick.contacts.iter().filter(|down| **down).count();
        assert_eq!(field(&mut state, "corners"), [down as f64]);
        assert!(field(&mut state, "margin")[0] > 0.0);
        // A leg's last point is its foot; and the footprint carries the feet to where odometry has them.
        let points: Vec<f64> = field(&mut state, "legPoints").to_vec();
        let foot = Point3::new(points[9], points[10], points[11]);
        let foot = tick.footprint_from_body * foot;
        assert!((foot.coords - tick.feet[0]).norm() < 1e-9);
        let footprint = field(&mut state, "footprint").to_vec();
        let at = Isometry3::new(Vector3::new(footprint[0], footprint[1], 0.0), Vector3::z() * footprint[2])
            * Point3::from(tick.feet[0]);
        let reported = &field(&mut state, "feetInOdom")[..3];
        assert!((at.coords - Vector3::from_column_slice(reported)).norm() < 1e-6);
    }
}
