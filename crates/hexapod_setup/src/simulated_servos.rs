//! Servos made up for a robot on a simulated bus.

use hexapod_gait::Demand;
use hexapod_kinematics::{JointLimits, Leg, LegJoint, Robot};
use hexapod_servo::calibration::{RawBoard, RawPoint, RawServo, RawServoConfig, RawTiming, ServoMap};
use std::fmt::Write as _;

/// Joint angles servos can be set up for, rad: a turn either way.
const TURN: f64 = std::f64::consts::TAU;
/// Half the least range a simulated servo turns, rad.
const NARROWEST: f64 = 0.1;
/// Pulses of a simulated servo at the ends of its joint's range, us, and the limits a little beyond them.
const ENDS_US: [f64; 2] = [500.0, 2500.0];
const LIMITS_US: [f64; 2] = [490.0, 2510.0];
/// Frequency of simulated boards, Hz: their pulses are finer the higher it is, and fit in one period.
const FREQUENCY_HZ: f64 = 333.0;
const CHANNELS: usize = 16;
const FIRST_ADDRESS: i64 = 0x40;

/// A range that a servo is set up for whole, rad: a count of a board at 50 Hz is less than half a degree then.
const FINE: f64 = 3.2;
/// What a servo is set up for beside what is asked of its joint, where the joint's range is wider than that, rad.
const BESIDE: f64 = 0.35;

/// A travel that most hobby servos have, rad, and the pulses at its ends, us.
const TRAVEL: f64 = std::f64::consts::PI;
/// Pulses are kept to what a joint needs, and so much more, us.
const SLACK_US: f64 = 10.0;

/// A file of simulated servos for a robot, as it may be written for its owner to go on with: each at the middle of what the
/// legs need of its joint, with the scale of most hobby servos. Kinds called `simulated` are refused on a real bus.
#[must_use]
pub fn servos_text(robot: &Robot, demand: Option<&Demand>) -> String {
    let servos = made_up_for(robot, RawTiming::default(), demand).servos.0;
    let boards = FIRST_ADDRESS..FIRST_ADDRESS + i64::try_from(servos.len().div_ceil(CHANNELS)).unwrap_or(0);
    let span = |servo: &RawServo| servo.points[1].angle_rad - servo.points[0].angle_rad;
    let far = servos.iter().map(|(_, servo)| span(servo)).fold(0.0, f64::max);
    let speed = servos.iter().map(|(_, servo)| servo.speed_limit_rad_s).fold(0.0, f64::max);
    let [from, to] = ENDS_US;
    let kind = |name: &str, angle: f64| {
        format!(
            "  {name}: {{travel: {{angle_rad: {angle:.4}, from_us: {from:.1}, to_us: {to:.1}}}, speed_limit_rad_s: {speed:.3}}}\n"
        )
    };
    let mut out = String::from("boards:\n");
    for address in boards {
        // What every servo bears.
        let _ = writeln!(out, "  - {{address: {address:#04x}, pwm_frequency_hz: 50.0, oscillator_hz: 25000000.0}}");
    }
    out += "kinds:\n";
    out += &kind("simulated", TRAVEL);
    if far > TRAVEL {
        out += "  # These joints are asked to turn farther than a servo of 180 degrees.\n";
        out += &kind("simulated_far", far);
    }
    out += "defaults:\n  all: {kind: simulated}\nservos:\n";
    for (joint, servo) in servos {
        let (span, at) = (span(&servo), 0.5 * (servo.points[0].angle_rad + servo.points[1].angle_rad));
        let (kind, travel) = if span > TRAVEL { ("kind: simulated_far, ", far) } else { ("", TRAVEL) };
        let half_us = 0.5 * (to - from) * span / travel + SLACK_US;
        let (joint, group) = (joint.replace('\'', "''"), servo.group.unwrap_or_default().replace('\'', "''"));
        let _ = writeln!(
            out,
            "  '{joint}': {{board: {}, channel: {}, {kind}mounted_at_rad: {at:.4}, min_pulse_us: {:.1}, max_pulse_us: {:.1}, \
             group: '{group}'}}",
            servo.board,
            servo.channel,
            1500.0 - half_us,
            1500.0 + half_us,
        );
    }
    out
}

/// A servo for each joint of the legs, on as many boards as it takes.
pub(crate) fn made_up(robot: &Robot, timing: RawTiming) -> RawServoConfig {
    made_up_for(robot, timing, None)
}

fn made_up_for(robot: &Robot, timing: RawTiming, demand: Option<&Demand>) -> RawServoConfig {
    let is_by_side = is_by_side(robot);
    let mut servos = Vec::new();
    for leg in robot.legs() {
        for (place, joint) in leg.joints().iter().enumerate() {
            let board = if is_by_side { usize::from(!is_left(leg)) } else { servos.len() / CHANNELS };
            let board = i64::try_from(board).unwrap_or(0);
            let on_it = servos.iter().filter(|(_, servo): &&(String, RawServo)| servo.board == board).count();
            let channel = i64::try_from(on_it).unwrap_or(0);
            let asked = demand.and_then(|demand| asked_of_alike(robot, demand, joint, place));
            let limits = asked.map_or(*joint.limits(), |asked| needed(joint.limits(), asked));
            servos.push((joint.name().to_owned(), servo(board, channel, leg.name(), &limits)));
        }
    }
    let boards = 0..i64::try_from(servos.len().div_ceil(CHANNELS)).unwrap_or(0);
    let board = |n: i64| RawBoard {
        address: FIRST_ADDRESS + n,
        pwm_frequency_hz: FREQUENCY_HZ,
        oscillator_hz: 25e6,
        channels: CHANNELS,
    };
    RawServoConfig { boards: boards.map(board).collect(), servos: ServoMap(servos), timing }
}

fn is_left(leg: &Leg) -> bool {
    leg.hip_in_body().y > 0.0
}

/// Whether the left legs go on one board and the right ones on another: where one board does not do, and two do.
fn is_by_side(robot: &Robot) -> bool {
    let joints = |left: bool| {
        robot.legs().iter().filter(|leg| is_left(leg) == left).map(|leg| leg.joints().len()).sum::<usize>()
    };
    let sides = [joints(true), joints(false)];
    sides.iter().sum::<usize>() > CHANNELS && sides.iter().all(|side| *side <= CHANNELS)
}

/// What is asked of joints like this one, from its least angle to its greatest: those at its place in other legs that turn as
/// far. Their servos are mounted alike.
fn asked_of_alike(robot: &Robot, demand: &Demand, joint: &LegJoint, place: usize) -> Option<[f64; 2]> {
    let range = |joint: &LegJoint| [joint.limits().lower, joint.limits().upper];
    let is_alike = |leg: &Leg| leg.joints().get(place).is_some_and(|other| range(other) == range(joint));
    let alike = robot.legs().iter().enumerate().filter(|(_, leg)| is_alike(leg));
    let asked = alike.filter_map(|(leg, _)| demand.of_joint(leg, place)).map(|asked| [asked.lower.0, asked.upper.0]);
    asked.reduce(|all, one| [all[0].min(one[0]), all[1].max(one[1])])
}

/// The part of a joint's range that is asked for, and a little more, where it is wide.
fn needed(limits: &JointLimits, asked: [f64; 2]) -> JointLimits {
    if limits.upper - limits.lower <= FINE {
        return *limits;
    }
    let [lower, upper] = [asked[0] - BESIDE, asked[1] + BESIDE];
    JointLimits { lower: lower.max(limits.lower), upper: upper.min(limits.upper), ..*limits }
}

fn servo(board: i64, channel: i64, leg: &str, limits: &JointLimits) -> RawServo {
    // A range next to nothing would need more pulse for an angle than a servo map takes.
    let half = (0.5 * (limits.upper - limits.lower)).max(NARROWEST);
    let angles = [(limits.middle() - half).max(-TURN), (limits.middle() + half).min(TURN)];
    let points = angles.iter().zip(ENDS_US).map(|(&angle_rad, pulse_us)| RawPoint { angle_rad, pulse_us }).collect();
    RawServo {
        board,
        channel,
        points,
        direction: 1,
        trim_rad: 0.0,
        min_pulse_us: LIMITS_US[0],
        max_pulse_us: LIMITS_US[1],
        neutral_us: None,
        speed_limit_rad_s: limits.velocity.clamp(1e-3, 100.0),
        group: Some(leg.to_owned()),
    }
}
