//! How fast a robot walks, by walking it.

use crate::setup::Setup;
use hexapod_config::ConfigError;
use hexapod_gait::{Engine, Gait, GaitState, Input, Twist};
use hexapod_kinematics::{Leg, LegJoint};
use hexapod_setup::params::{number, wrong};
use hexapod_setup::planner::gait_name;

/// Seconds of each walk, the part of them at the end that counts, and how long a robot may take to stand up.
const WALK_S: f64 = 10.0;
const COUNTED_S: f64 = 5.0;
const STAND_S: f64 = 60.0;
/// Ticks per second.
const RATE_HZ: f64 = 100.0;
/// More than any robot is let walk: its bounds decide.
const FAST_M_S: f64 = 10.0;
const FAST_RAD_S: f64 = 20.0;
/// Fractions of the greatest speed of a walk that came to a halt at which the robot is asked to walk again.
const SLOWER: [f64; 2] = [0.4, 0.1];
/// Seconds without motion after which a walk has come to a halt.
const HALT_S: f64 = 2.0;
/// Below these a robot hardly moves: m/s, the same in lengths of its shortest leg for a small robot, and rad/s.
const STILL_M_S: f64 = 5e-3;
const STILL_LENGTHS_S: f64 = 0.02;
const STILL_RAD_S: f64 = 0.02;
/// Fraction of the speed in its best direction below which it hardly moves in another.
const STILL_FRACTION: f64 = 0.1;
/// A joint that turns less than this keeps a robot from walking, rad.
const NARROW_RAD: f64 = 0.2;

/// Ways to walk, by name.
pub const WAYS: [&str; 5] = ["ahead", "back", "left", "right", TURN];
const TURN: &str = "turn left";

/// What was walked in each of [`WAYS`] on one gait: m/s, and rad/s for the turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walked {
    /// The speeds.
    pub speeds: [f64; 5],
    /// Ways in which the robot comes to a halt when it is asked for more: the speeds are what it walks for good.
    pub halts: [bool; 5],
    /// Speed below which this robot hardly moves, m/s.
    pub still_m_s: f64,
}

impl Walked {
    /// Walks some seconds each way from standing, asked for more than the robot's bounds allow, and takes the mean of the
    /// last half; not a number where it does not come to stand.
    #[must_use]
    pub fn measure(engine: &Engine, gait: Gait) -> Self {
        let mut standing = engine.clone();
        standing.set_gait(gait);
        let length = engine.robot().legs().iter().map(Leg::length).fold(f64::INFINITY, f64::min);
        let still_m_s = STILL_M_S.min(STILL_LENGTHS_S * length);
        if !stand(&mut standing) {
            return Self { speeds: [f64::NAN; 5], halts: [false; 5], still_m_s };
        }
        let asked = [
            Twist::new(FAST_M_S, 0.0, 0.0),
            Twist::new(-FAST_M_S, 0.0, 0.0),
            Twist::new(0.0, FAST_M_S, 0.0),
            Twist::new(0.0, -FAST_M_S, 0.0),
            Twist::new(0.0, 0.0, FAST_RAD_S),
        ];
        let walks = asked.map(|twist| for_good(&standing, twist));
        Self { speeds: walks.map(|(speed, _)| speed), halts: walks.map(|(_, halts)| halts), still_m_s }
    }

    /// Ways in which the robot hardly moves: below a least speed, or far below that in its best direction.
    pub fn stuck(&self) -> impl Iterator<Item = &'static str> {
        let [ahead, back, left, right, _] = self.speeds;
        let best = [ahead, back, left, right].into_iter().fold(0.0, f64::max);
        let floor = self.still_m_s.max(STILL_FRACTION * best);
        let least = [floor, floor, floor, floor, STILL_RAD_S];
        let slow = self.speeds.into_iter().zip(least).map(|(speed, least)| speed.is_nan() || speed < least);
        WAYS.into_iter().zip(slow).filter(|(_, slow)| *slow).map(|(way, _)| way)
    }

    /// Ways in which it walks, but comes to a halt when it is asked for more.
    pub fn halting(&self) -> impl Iterator<Item = &'static str> {
        let stuck: Vec<&str> = self.stuck().collect();
        let halts = WAYS.into_iter().zip(self.halts).filter(|(_, halts)| *halts).map(|(way, _)| way);
        halts.filter(move |way| !stuck.contains(way))
    }

    /// Whether the robot gets nowhere in any direction, though it may turn where it stands.
    #[must_use]
    pub fn gets_nowhere(&self) -> bool {
        self.stuck().filter(|way| *way != TURN).count() == WAYS.len() - 1
    }

    /// Whether it turns where it stands.
    fn turns(&self) -> bool {
        !self.stuck().any(|way| way == TURN)
    }

    /// Whether it does not even come to stand.
    #[must_use]
    pub fn does_not_stand(&self) -> bool {
        self.speeds[0].is_nan()
    }
}

/// What to tell of a robot that gets nowhere on the gait it starts with: at the gait's line where that is written. `other`
/// is a gait on which it walks.
#[must_use]
pub fn nowhere(setup: &Setup, walked: &Walked, other: Option<&str>) -> ConfigError {
    let gait = &setup.gait_name;
    let spec = setup.engine.stance().spec();
    let message = if walked.does_not_stand() {
        format!("the robot does not come to stand on its feet, {:.3} m below its root link", spec.height)
    } else {
        let turns = if walked.turns() { ", it only turns" } else { "" };
        format!(
            "the robot does not walk: on gait {gait:?}, with which it starts, it gets nowhere in any direction{turns}"
        )
    };
    let greatest_m_s = number(&setup.params, "max_linear_velocity");
    if !walked.does_not_stand() && greatest_m_s < walked.still_m_s {
        let message = format!("the robot hardly moves: it may walk at {greatest_m_s} m/s at most");
        return wrong(
            crate::NAME,
            &setup.params,
            "max_linear_velocity",
            message,
            "raise it; it is in m/s, 0.15 by default",
        );
    }
    let other = other.map(|other| format!("it walks with `gait: {other}`; or ")).unwrap_or_default();
    let joints = || setup.engine.robot().legs().iter().flat_map(Leg::joints);
    let range = |joint: &LegJoint| joint.limits().upper - joint.limits().lower;
    let narrow = joints().filter(|joint| range(joint) < NARROW_RAD).min_by(|a, b| range(a).total_cmp(&range(b)));
    let narrow =
        narrow.map(|joint| format!("joint {} turns by {:.1} degrees only: ", joint.name(), range(joint).to_degrees()));
    let asked = gait_name(&setup.params);
    let noted =
        if asked == *gait { String::new() } else { format!("a note says why it does not start with {asked:?}; ") };
    let help = format!(
        "{noted}{}{other}look at its feet and the limits of its joints (`hexapod check` shows them), and try another body_height, \
         step_height or max_stride",
        narrow.unwrap_or_default()
    );
    wrong(crate::NAME, &setup.params, "gait", message, &help)
}

fn stand(engine: &mut Engine) -> bool {
    engine.stand();
    let mut ticks = 0..(STAND_S * RATE_HZ) as u32;
    ticks.any(|_| engine.step(&Input::default(), 1.0 / RATE_HZ).state == GaitState::Standing)
}

/// The speed that is walked for good, and whether asking for all there is ends in a halt.
fn for_good(standing: &Engine, asked: Twist) -> (f64, bool) {
    let first = walk(standing.clone(), asked);
    if !first.halted || first.greatest == 0.0 {
        return (first.mean, first.halted);
    }
    let slower = SLOWER.map(|fraction| asked.scaled(fraction * first.greatest / along(asked, asked)));
    let walks = slower.into_iter().map(|twist| walk(standing.clone(), twist));
    let good = walks.filter(|walk| !walk.halted).map(|walk| walk.mean).next();
    (good.unwrap_or(first.mean), true)
}

/// One walk: its mean speed, its greatest, and whether it came to a halt.
struct Walk {
    mean: f64,
    greatest: f64,
    halted: bool,
}

fn walk(mut engine: Engine, twist: Twist) -> Walk {
    let input = Input { twist, ..Input::default() };
    let (ticks, counted) = ((WALK_S * RATE_HZ) as u32, (COUNTED_S * RATE_HZ) as u32);
    let (mut sum, mut greatest, mut still) = (0.0, 0.0f64, 0);
    for tick in 0..ticks {
        let speed = along(engine.step(&input, 1.0 / RATE_HZ).twist, twist);
        greatest = greatest.max(speed);
        still = if speed == 0.0 { still + 1 } else { 0 };
        if f64::from(still) > HALT_S * RATE_HZ {
            return Walk { mean: 0.0, greatest, halted: true };
        }
        sum += if tick >= ticks - counted { speed } else { 0.0 };
    }
    Walk { mean: sum / f64::from(counted), greatest, halted: false }
}

/// The fraction of a twist that is along another, which goes one way or turns.
fn along(walked: Twist, way: Twist) -> f64 {
    let length = way.speed().hypot(way.wz);
    (walked.vx * way.vx + walked.vy * way.vy + walked.wz * way.wz) / length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Setup, specs};
    use hexapod_config::ros_params::{ParamValue, Params};

    fn shipped(max_linear_velocity: f64) -> Setup {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut params: Params = specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.insert("config", ParamValue::String(format!("{root}/config")));
        params.insert("max_linear_velocity", ParamValue::Double(max_linear_velocity));
        Setup::load(&params).unwrap()
    }

    #[test]
    fn when_the_shipped_robot_is_walked_expect_its_bounds_ahead_and_as_much_either_way() {
        let setup = shipped(0.1);
        let walked = Walked::measure(&setup.engine, *setup.engine.gait());
        let [ahead, back, left, right, turn] = walked.speeds;
        assert!((ahead - 0.1).abs() < 1e-9 && (ahead - back).abs() < 1e-3 && (left - right).abs() < 1e-3, "{walked:?}");
        assert!(turn > 0.5 && turn <= 0.8 + 1e-9 && walked.stuck().count() == 0, "{walked:?}");
        assert_eq!(walked.halts, [false; 5]);
    }

    #[test]
    fn when_no_speed_is_allowed_expect_the_bound_named_and_not_the_feet() {
        let setup = shipped(0.0);
        let walked = Walked::measure(&setup.engine, *setup.engine.gait());
        assert!(!walked.does_not_stand() && walked.turns(), "{walked:?}");
        let reported = nowhere(&setup, &walked, None).to_string();
        assert!(reported.contains("may walk at 0 m/s at most"), "{reported}");
    }

    #[test]
    fn when_a_robot_may_not_move_expect_every_way_reported_as_stuck() {
        let setup = shipped(0.001);
        let stuck: Vec<_> = Walked::measure(&setup.engine, *setup.engine.gait()).stuck().collect();
        assert_eq!(stuck, ["ahead", "back", "left", "right"]);
        let turns = Walked { speeds: [0.0, 0.0, 0.0, 0.0, 0.5], halts: [true; 5], still_m_s: STILL_M_S };
        let nowhere = Walked { speeds: [0.0, f64::NAN, 0.001, 0.0, 0.0], ..turns };
        let walks = Walked { speeds: [0.1, 0.0, 0.0, 0.0, 0.0], ..turns };
        assert_eq!([turns, nowhere, walks].map(|walked| walked.gets_nowhere()), [true, true, false]);
        assert_eq!([turns, nowhere].map(|walked| walked.turns()), [true, false]);
        assert_eq!(turns.halting().collect::<Vec<_>>(), ["turn left"], "the other ways are reported as stuck");
    }

    #[test]
    fn when_one_direction_is_far_slower_than_the_best_expect_it_reported_as_stuck() {
        let lame = Walked { speeds: [0.1, 0.009, 0.1, 0.1, 0.5], halts: [false; 5], still_m_s: STILL_M_S };
        assert_eq!(lame.stuck().collect::<Vec<_>>(), ["back"]);
        let small = Walked { speeds: [0.004; 5], still_m_s: 1e-3, ..lame };
        assert_eq!(small.stuck().collect::<Vec<_>>(), ["turn left"], "a small robot is slow");
    }
}
