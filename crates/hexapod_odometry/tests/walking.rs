//! The shipped robot, walked by the real engine: odometry finds the way the engine says it walks.

#![allow(clippy::unwrap_used)]

use hexapod_gait::{BodyOffset, Displacement, Engine, Gait, GaitSpec, Input, SwingProfile, Tick, Twist, leg_places};
use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_odometry::{Estimate, Fit, Odometry};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[path = "../../hexapod_gait/tests/common/robots.rs"]
mod robots;

fn robot() -> Arc<Robot> {
    static ROBOT: OnceLock<Arc<Robot>> = OnceLock::new();
    ROBOT.get_or_init(|| Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap())).clone()
}

fn engine(duty_factor: f64, cycle_time: f64) -> Engine {
    let spec = GaitSpec {
        duty_factor,
        cycle_time,
        lag: 0.5,
        side_lag: 0.5,
        swing: SwingProfile::Smooth,
        ..GaitSpec::default()
    };
    let gait = Gait::try_new(&spec, &leg_places(&robot())).unwrap();
    Engine::new(robot(), gait, robots::settings()).unwrap()
}

/// How the planner's contacts come in, against the joints of the same tick.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Contacts {
    InTime,
    Late,
    None,
}

/// The engine's own account of the way, beside the odometry's.
struct Walk {
    engine: Engine,
    odometry: Odometry,
    contacts: Contacts,
    dt: f64,
    ticks: u32,
    odom_from_footprint: Displacement,
    heard: [bool; MAX_LEGS],
    planted: [Option<Vector3<f64>>; MAX_LEGS],
    worst_slip: f64,
    worst_place: f64,
    worst_yaw: f64,
    worst_tilt: f64,
}

impl Walk {
    fn new(engine: Engine, rate: f64, contacts: Contacts) -> Self {
        let legs = engine.legs().len();
        Self {
            heard: engine.last().contacts,
            engine,
            odometry: Odometry::new(legs),
            contacts,
            dt: 1.0 / rate,
            ticks: 0,
            odom_from_footprint: Displacement::identity(),
            planted: [None; MAX_LEGS],
            worst_slip: 0.0,
            worst_place: 0.0,
            worst_yaw: 0.0,
            worst_tilt: 0.0,
        }
    }

    fn go(&mut self, twist: Twist, body_offset: BodyOffset, seconds: f64) -> Estimate {
        let mut estimate = None;
        for _ in 0..(seconds / self.dt).round() as usize {
            let tick = *self.engine.step(&Input { twist, body_offset, ..Input::default() }, self.dt);
            estimate = Some(self.take(&tick));
        }
        estimate.unwrap()
    }

    fn take(&mut self, tick: &Tick) -> Estimate {
        let legs = self.engine.legs();
        let feet: Vec<_> = legs.iter().zip(&tick.angles).map(|(leg, angles)| leg.foot_in_body(angles)).collect();
        let heard = if self.contacts == Contacts::Late { self.heard } else { tick.contacts };
        self.heard = tick.contacts;
        let contacts = (self.contacts != Contacts::None).then_some(&heard[..legs.len()]);
        self.odom_from_footprint = self.odom_from_footprint.then(&tick.twist.motion(self.dt));
        self.ticks += 1;
        let time = Duration::from_secs_f64(self.dt * f64::from(self.ticks));
        let estimate = *self.odometry.update(time, &feet, contacts).unwrap();
        self.compare(tick, &estimate);
        for (i, foot) in feet.iter().enumerate() {
            let place = estimate.odom_from_body.transform_point(&(*foot).into()).coords;
            let planted = self.planted[i].filter(|_| tick.contacts[i]);
            self.worst_slip = self.worst_slip.max(planted.map_or(0.0, |planted| (place - planted).norm()));
            self.planted[i] = tick.contacts[i].then(|| planted.unwrap_or(place));
        }
        estimate
    }

    fn compare(&mut self, tick: &Tick, estimate: &Estimate) {
        let shift = self.odom_from_footprint.shift();
        let yaw = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.odom_from_footprint.angle());
        let truth = Isometry3::from_parts(Vector3::new(shift.x, shift.y, 0.0).into(), yaw) * tick.footprint_from_body;
        let error = truth.inverse() * estimate.odom_from_body;
        self.worst_place = self.worst_place.max(error.translation.vector.norm());
        let turn = error.rotation.scaled_axis();
        self.worst_tilt = self.worst_tilt.max(turn.xy().norm());
        self.worst_yaw = self.worst_yaw.max(turn.z.abs());
    }

    fn report(&self) -> String {
        format!(
            "slip {:.1} um, place {:.1} um, yaw {:.1} urad, tilt {:.2} urad after {:.2} m, {:.2} rad",
            self.worst_slip * 1e6,
            self.worst_place * 1e6,
            self.worst_yaw * 1e6,
            self.worst_tilt * 1e6,
            self.odometry.last().unwrap().travelled,
            self.odometry.last().unwrap().turned,
        )
    }

    /// Fails when feet slip by 0.1 mm or the way is off by more than `part` of it.
    fn check(&self, part: f64) {
        let last = self.odometry.last().unwrap();
        assert!(self.worst_slip < 1e-4, "{}", self.report());
        // Turning on the spot moves the feet as far as walking does: they are about 0.25 m out.
        let way = last.travelled + 0.25 * last.turned;
        assert!(self.worst_place < 2e-5 + part * way, "{}", self.report());
        assert!(self.worst_yaw < 1e-4 + 4.0 * part * way, "{}", self.report());
        assert!(self.worst_tilt < 2e-4, "{}", self.report());
    }
}

const TWISTS: [(f64, f64, f64); 6] =
    [(0.06, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, 0.0, 0.4), (0.05, 0.02, -0.3), (-0.08, 0.0, 0.1), (0.14, 0.0, 0.0)];

#[test]
fn when_every_kind_of_twist_is_walked_expect_the_way_within_a_ten_thousandth() {
    for (vx, vy, wz) in TWISTS {
        let mut walk = Walk::new(engine(0.5, 0.8), 100.0, Contacts::InTime);
        let estimate = walk.go(Twist::new(vx, vy, wz), BodyOffset::default(), 33.0);
        walk.check(1e-4);
        let reached = walk.engine.last().twist;
        assert!((estimate.linear - Vector3::new(reached.vx, reached.vy, 0.0)).norm() < 1e-3, "{}", estimate.linear);
        assert!((estimate.angular - Vector3::new(0.0, 0.0, reached.wz)).norm() < 3e-3, "{}", estimate.angular);
        assert_eq!((estimate.fit, estimate.feet_down, estimate.restarted), (Fit::Rigid, 3, false));
    }
}

#[test]
fn when_legs_change_between_samples_expect_the_way_all_the_same() {
    for (cycle_time, rate, contacts, part) in [
        (0.8, 50.0, Contacts::InTime, 3e-4),
        (0.77, 100.0, Contacts::InTime, 1e-4),
        (0.713, 50.0, Contacts::InTime, 1e-3),
        (0.8, 100.0, Contacts::Late, 1e-3),
        (0.77, 100.0, Contacts::Late, 1e-3),
        (0.8, 333.0, Contacts::InTime, 1e-4),
    ] {
        for (vx, vy, wz) in TWISTS {
            let mut walk = Walk::new(engine(0.5, cycle_time), rate, contacts);
            walk.go(Twist::new(vx, vy, wz), BodyOffset::default(), 23.0);
            walk.check(part);
        }
    }
}

#[test]
fn when_contacts_are_guessed_expect_the_way_within_two_hundredths() {
    for (vx, vy, wz) in TWISTS {
        let mut walk = Walk::new(engine(0.5, 0.8), 100.0, Contacts::None);
        walk.go(Twist::new(vx, vy, wz), BodyOffset::default(), 23.0);
        let last = walk.odometry.last().unwrap();
        assert!(walk.worst_place < 0.02 * (last.travelled + 0.25 * last.turned), "{}", walk.report());
    }
}

#[test]
fn when_walking_in_waves_expect_exact_places() {
    for duty in [0.6, 0.75, 5.0 / 6.0] {
        let mut walk = Walk::new(engine(duty, 1.13), 100.0, Contacts::InTime);
        walk.go(Twist::new(0.05, -0.02, 0.2), BodyOffset::default(), 20.0);
        walk.check(1e-4);
    }
}

#[test]
fn when_the_body_leans_and_walks_and_sits_down_expect_its_pose() {
    let lean = BodyOffset { translation: Vector3::new(0.01, -0.005, 0.01), rotation: Vector3::new(0.08, -0.06, 0.1) };
    let mut walk = Walk::new(engine(0.5, 0.8), 100.0, Contacts::InTime);
    walk.engine.stand();
    walk.go(Twist::ZERO, lean, 5.0);
    walk.check(1e-4);
    walk.go(Twist::new(0.04, 0.02, -0.1), lean, 10.0);
    walk.check(1e-4);
    walk.engine.sit();
    let end = walk.go(Twist::ZERO, BodyOffset::default(), 8.0);
    walk.check(1e-4);
    assert!((end.odom_from_body.translation.z - 0.03).abs() < 1e-4 && end.linear.norm() < 1e-6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // As a joint trajectory does to the standing robot: the feet it moves are on the ground all the time.
    #[test]
    fn when_legs_are_dragged_expect_the_body_where_it_is_and_no_slip_when_it_walks_off(
        swept in prop::collection::vec((0usize..6, -0.6..0.6f64, 0.1..2.0f64), 1..3), back: bool,
    ) {
        let mut walk = Walk::new(engine(0.5, 0.8), 100.0, Contacts::InTime);
        walk.engine.stand();
        let stood = walk.go(Twist::ZERO, BodyOffset::default(), 3.0);
        let stand = *walk.engine.last();
        let mut dragged = stand;
        for (leg, angle, seconds) in swept {
            let ticks = (seconds * 100.0) as usize;
            let from = dragged.angles[leg][0];
            for tick in (1..=ticks).chain((0..ticks).rev().filter(|_| back)) {
                dragged.angles[leg][0] = from + angle * tick as f64 / ticks as f64;
                walk.planted[leg] = None;
                let now = walk.take(&dragged);
                let moved = stood.odom_from_body.inverse() * now.odom_from_body;
                prop_assert!(moved.translation.vector.norm() < 5e-5 && !now.restarted, "{moved}");
            }
        }
        walk.planted = [None; MAX_LEGS];
        walk.take(&stand);
        walk.planted = [None; MAX_LEGS];
        walk.go(Twist::new(0.05, 0.02, 0.2), BodyOffset::default(), 3.0);
        prop_assert!(walk.worst_slip < 1e-4, "{}", walk.report());
    }

    #[test]
    fn when_driven_at_random_expect_no_slip_and_little_drift(
        acts in prop::collection::vec(((-0.2..0.2f64, -0.2..0.2f64, -1.0..1.0f64), prop::array::uniform6(-0.05..0.05f64), 0.3..2.0f64), 1..16),
        rate in prop_oneof![Just(50.0), Just(100.0)],
        late: bool,
    ) {
        let contacts = if late { Contacts::Late } else { Contacts::InTime };
        let mut walk = Walk::new(engine(0.5, 0.8), rate, contacts);
        for ((vx, vy, wz), pose, seconds) in acts {
            let offset = BodyOffset {
                translation: Vector3::new(pose[0], pose[1], pose[2]),
                rotation: 3.0 * Vector3::new(pose[3], pose[4], pose[5]),
            };
            walk.go(Twist::new(vx, vy, wz), offset, seconds);
        }
        // Contacts that are 20 ms late find the feet up already: they slip, and take the body along. A twentieth of a swing is
        // over then, with 1e-3 of a stride of 0.2 m and 8e-3 of a lift of 40 mm.
        let slip = if late && rate < 100.0 { 5e-4 } else { 1e-4 };
        prop_assert!(walk.worst_slip < slip, "{}", walk.report());
        let last = walk.odometry.last().unwrap();
        let way = last.travelled + 0.25 * last.turned;
        prop_assert!(walk.worst_place < slip + 2e-3 * way, "{}", walk.report());
    }
}
