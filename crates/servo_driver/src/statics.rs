//! Which boards a robot stands without.

use crate::bus::ServoMap;
use hexapod_gait::SupportPolygon;
use hexapod_kinematics::{Leg, Robot};

use nalgebra::Vector2;

/// The body's centre must lie so far inside the polygon of the feet that are left, as a part of the distance from there
/// to the farthest foot: a robot that sits down sways.
const LEAST_MARGIN: f64 = 0.1;

/// One bit for each part (a board, or a servo with an ID of its own) whose legs the robot stands without: the feet of all
/// others, in the legs' natural posture, hold the body's centre.
pub(crate) fn spare_parts(map: &ServoMap, robot: &Robot) -> u64 {
    let (joints, parts) = (map.joints(), map.parts());
    let drives = |part: usize, joint: &str| joints.index(joint).is_some_and(|index| parts.get(index) == Some(&part));
    let is_driven = |part: usize, leg: &Leg| leg.joints().iter().any(|joint| drives(part, joint.name()));
    let is_spare = |part: &usize| is_paused(robot, |leg| !is_driven(*part, leg));
    let count = parts.iter().max().map_or(0, |last| last + 1);
    (0..count.min(64)).filter(is_spare).fold(0, |spare, part| spare | 1 << part)
}

fn is_paused(robot: &Robot, has_power: impl Fn(&Leg) -> bool) -> bool {
    let foot = |leg: &Leg| leg.foot_in_body(&leg.posture()).xy();
    let count = robot.legs().len().max(1) as f64;
    let centre = robot.legs().iter().map(|leg| leg.hip_in_body().xy()).sum::<Vector2<f64>>() / count;
    let polygon = SupportPolygon::new(robot.legs().iter().filter(|leg| has_power(leg)).map(foot));
    let farthest = robot.legs().iter().map(|leg| (foot(leg) - centre).norm()).fold(0.0, f64::max);
    polygon.margin(centre) > LEAST_MARGIN * farthest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i2c_bus::BoardBus;
    use hexapod_servo::{RawServoConfig, ServoConfig};

    /// The shipped robot, with board 0 driving the legs that `first` picks and board 1 the others.
    fn spare(first: impl Fn(&str) -> bool) -> u64 {
        let params = crate::params::specs().into_iter().map(|spec| (spec.name, spec.default)).collect();
        let setup = crate::Setup::load(&params).unwrap();
        let files = hexapod_setup::Files::shipped_alone().unwrap();
        let robot = hexapod_setup::Description::read(&files).unwrap().robot;
        let mut yaml = String::from("boards: [{ address: 0x40 }, { address: 0x41 }]\nservos:\n");
        let mut channels = [0; 2];
        for servo in setup.servos().unwrap().servos() {
            let board = usize::from(!first(servo.joint()));
            let channel = channels[board];
            channels[board] += 1;
            yaml += &format!(
                "  {}: {{ board: {board}, channel: {channel}, min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, \
                 points: [{{ angle_rad: -1, pulse_us: 1000 }}, {{ angle_rad: 1, pulse_us: 2000 }}] }}\n",
                servo.joint()
            );
        }
        let raw: RawServoConfig = serde_yaml::from_str(&yaml).unwrap();
        let servos = ServoConfig::try_from(raw).unwrap();
        spare_parts(&ServoMap::Boards { bus: BoardBus::Simulated, servos }, &robot)
    }

    #[test]
    fn when_boards_drive_sides_or_tripods_expect_the_robot_to_stand_without_a_tripod_only() {
        assert_eq!(spare(|joint| joint.starts_with("left")), 0b00);
        let tripod = |joint: &str| ["left_front", "left_rear", "right_middle"].iter().any(|leg| joint.starts_with(leg));
        assert_eq!(spare(tripod), 0b11);
        assert_eq!(spare(|joint| joint.starts_with("left_middle")), 0b01, "five legs stand, one does not");
        let half = |joint: &str| tripod(joint) || joint == "left_middle_coxa";
        assert_eq!(spare(half), 0b10, "a leg that one of its servos leaves is no leg");
    }
}
