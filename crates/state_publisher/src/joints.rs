//! The robot's joints by name, and messages about them.

use hexapod_kinematics::{LegAngles, Robot};
use hexapod_ros::bounds::{self, MAX_JOINTS, excerpt};
use hexapod_ros::r2r::sensor_msgs::msg::JointState;

/// No joint turns or slides so far, rad or m, and no servo bears so much, N m or N.
const MOST: f64 = 1000.0;

/// Why a message about joints is refused, all of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum JointsRefused {
    #[error("{topic} names joint {joint:?}, which the robot does not have")]
    Unknown { topic: &'static str, joint: String },
    #[error("{topic} names joint {joint:?} twice")]
    Twice { topic: &'static str, joint: String },
    #[error("{topic} lacks joint {joint:?}: all joints of the legs are needed")]
    Missing { topic: &'static str, joint: String },
    #[error("{topic} holds {names} names and {numbers} values of {field}")]
    Length { topic: &'static str, field: &'static str, names: usize, numbers: usize },
    #[error("{topic}: {reason}")]
    TooMany { topic: &'static str, reason: String },
    #[error("{topic}: {field} of joint {joint:?} is {value}")]
    Impossible { topic: &'static str, field: &'static str, joint: String, value: f64 },
}

/// Position, velocity and effort of one joint, rad, rad/s and N m (m, m/s and N where it slides).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub position: f64,
    pub velocity: Option<f64>,
    /// `None` where nothing measures it.
    pub effort: Option<f64>,
}

#[derive(Clone, Debug)]
struct Copied {
    from: usize,
    multiplier: f64,
    offset: f64,
}

/// Every joint that moves, in the order of the URDF.
#[derive(Clone, Debug)]
pub(crate) struct JointTable {
    names: Vec<String>,
    /// Where each joint is before anybody speaks of it; none for a leg's joint, which must be spoken of.
    resting: Vec<Option<f64>>,
    copied: Vec<Option<Copied>>,
    /// Indices of the joints of each leg.
    legs: Vec<Vec<usize>>,
}

impl JointTable {
    pub(crate) fn new(robot: &Robot) -> Self {
        let joints = robot.model().joints();
        let moving: Vec<usize> = (0..joints.len()).filter(|&joint| !joints[joint].is_fixed()).collect();
        let index = |joint: usize| moving.iter().position(|&at| at == joint).unwrap_or_default();
        let legs: Vec<Vec<usize>> = robot
            .legs()
            .iter()
            .map(|leg| leg.joints().iter().map(|joint| index(joint.joint_index())).collect())
            .collect();
        let at_rest = |slot: usize, joint: usize| {
            let needed = legs.iter().flatten().any(|&at| at == slot);
            (!needed).then(|| joints[joint].limits().map_or(0.0, |limits| limits.clamp(0.0)))
        };
        let copied = |joint: usize| {
            let mimic = joints[joint].mimic()?;
            Some(Copied { from: index(mimic.joint), multiplier: mimic.multiplier, offset: mimic.offset })
        };
        Self {
            names: moving.iter().map(|&joint| joints[joint].name().to_owned()).collect(),
            resting: moving.iter().enumerate().map(|(slot, &joint)| at_rest(slot, joint)).collect(),
            copied: moving.iter().map(|&joint| copied(joint)).collect(),
            legs,
        }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Where a joint is before anybody speaks of it.
    pub(crate) fn resting(&self, joint: usize) -> Option<f64> {
        self.resting[joint]
    }

    /// Indices of the joints of a leg, hip first.
    pub(crate) fn leg(&self, leg: usize) -> &[usize] {
        self.legs.get(leg).map_or(&[], Vec::as_slice)
    }

    /// Angles of a leg out of all joints'.
    pub(crate) fn leg_angles(&self, leg: usize, readings: &[Reading]) -> LegAngles {
        LegAngles::from_fn(self.legs[leg].len(), |i| readings[self.legs[leg][i]].position)
    }

    pub(crate) fn leg_count(&self) -> usize {
        self.legs.len()
    }

    /// Sets the joints that copy others.
    pub(crate) fn apply_mimics(&self, positions: &mut [f64], velocities: &mut [f64]) {
        for (joint, copied) in self.copied.iter().enumerate() {
            if let Some(Copied { from, multiplier, offset }) = copied {
                positions[joint] = multiplier * positions[*from] + offset;
                velocities[joint] = multiplier * velocities[*from];
            }
        }
    }
}

/// Reads messages of one topic. Keeps the names it has seen, as they hardly ever change.
#[derive(Debug)]
pub(crate) struct JointReader {
    topic: &'static str,
    /// Whether every joint of every leg must be named.
    whole: bool,
    names: Vec<String>,
    slots: Vec<usize>,
}

impl JointReader {
    /// A reader of `topic`; `whole`: every joint of every leg must be named.
    pub(crate) fn new(topic: &'static str, whole: bool) -> Self {
        Self { topic, whole, names: vec![], slots: vec![] }
    }

    /// The joints that a message speaks of, with their readings. Nothing is handed out of a message that is refused.
    pub(crate) fn read<'a>(
        &'a mut self,
        table: &JointTable,
        message: &'a JointState,
    ) -> Result<impl Iterator<Item = (usize, Reading)>, JointsRefused> {
        if message.name != self.names || (self.whole && message.name.is_empty()) {
            self.slots = self.slots_of(table, &message.name)?;
            self.names.clone_from(&message.name);
        }
        self.check_numbers("position", &message.name, &message.position, |number| number.abs() < MOST)?;
        if !message.velocity.is_empty() {
            // NaN is how a driver says that it does not measure this one.
            let holds = |number: f64| !number.is_infinite();
            self.check_numbers("velocity", &message.name, &message.velocity, holds)?;
        }
        if !message.effort.is_empty() && message.effort.len() != message.name.len() {
            let (topic, names, numbers) = (self.topic, message.name.len(), message.effort.len());
            return Err(JointsRefused::Length { topic, field: "effort", names, numbers });
        }
        let reading = |at: usize| Reading {
            position: message.position[at],
            velocity: message.velocity.get(at).copied().filter(|velocity| velocity.is_finite()),
            effort: message.effort.get(at).copied().filter(|effort| effort.abs() < MOST),
        };
        Ok(self.slots.iter().enumerate().map(move |(at, &slot)| (slot, reading(at))))
    }

    fn slots_of(&self, table: &JointTable, names: &[String]) -> Result<Vec<usize>, JointsRefused> {
        let topic = self.topic;
        bounds::count("names", names.len(), MAX_JOINTS.max(table.len()))
            .map_err(|reason| JointsRefused::TooMany { topic, reason })?;
        let mut slots = Vec::with_capacity(names.len());
        for joint in names {
            let known = table.names.iter().position(|name| name == joint);
            let slot = known.ok_or_else(|| JointsRefused::Unknown { topic, joint: excerpt(joint).into() })?;
            if slots.contains(&slot) {
                return Err(JointsRefused::Twice { topic, joint: joint.clone() });
            }
            slots.push(slot);
        }
        let needed = |slot: &&usize| self.whole && !slots.contains(slot);
        match table.legs.iter().flatten().find(needed) {
            Some(&slot) => Err(JointsRefused::Missing { topic, joint: table.names[slot].clone() }),
            None => Ok(slots),
        }
    }

    fn check_numbers(
        &self,
        field: &'static str,
        names: &[String],
        numbers: &[f64],
        holds: impl Fn(f64) -> bool,
    ) -> Result<(), JointsRefused> {
        let topic = self.topic;
        if numbers.len() != names.len() {
            return Err(JointsRefused::Length { topic, field, names: names.len(), numbers: numbers.len() });
        }
        match names.iter().zip(numbers).find(|(_, number)| !holds(**number)) {
            Some((joint, &value)) => Err(JointsRefused::Impossible { topic, field, joint: joint.clone(), value }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> JointTable {
        JointTable::new(&Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap())
    }

    fn full(table: &JointTable) -> JointState {
        JointState {
            name: table.names().to_vec(),
            position: (0..table.len()).map(|i| 0.01 * i as f64).collect(),
            velocity: vec![0.5; table.len()],
            ..Default::default()
        }
    }

    #[test]
    fn when_a_message_does_not_hold_expect_the_reason_and_the_next_good_one_read() {
        let table = table();
        let mut reader = JointReader::new("joint_commands", true);
        type Spoil = fn(&mut JointState);
        let cases: [(Spoil, &str); 14] = [
            (|m| m.effort.push(0.1), "18 names and 1 values of effort"),
            (|m| m.name[3] = "j".repeat(5_000_000), "(5000000 bytes)"),
            (|m| m.name = vec!["left_front_coxa".into(); 100_000], "100000 names are too many; give at most 64"),
            (|m| m.name[3] = "tail".into(), "\"tail\", which the robot does not have"),
            (|m| m.name[3] = m.name[4].clone(), "twice"),
            (|m| (m.name.pop(), m.position.pop(), m.velocity.pop(), ()).3, "lacks joint \"right_rear_tibia\""),
            (|m| m.position.truncate(17), "18 names and 17 values of position"),
            (|m| m.position.push(0.0), "19 values of position"),
            (|m| m.velocity.truncate(1), "1 values of velocity"),
            (|m| m.position[5] = f64::NAN, "position of joint \"left_middle_tibia\" is NaN"),
            (|m| m.position[0] = f64::NEG_INFINITY, "is -inf"),
            (|m| m.position[0] = -4000.0, "is -4000"),
            (|m| m.velocity[17] = f64::INFINITY, "velocity of joint \"right_rear_tibia\" is inf"),
            (|m| *m = JointState::default(), "lacks joint"),
        ];
        for (spoil, word) in cases {
            let mut message = full(&table);
            spoil(&mut message);
            let reason = reader.read(&table, &message).err().map(|refused| refused.to_string()).unwrap_or_default();
            assert!(reason.contains(word), "{reason:?} lacks {word:?}");
            assert!(reason.len() < 300, "{} bytes", reason.len());
            assert_eq!(reader.read(&table, &full(&table)).unwrap().count(), 18);
        }
    }

    #[test]
    fn when_joints_come_in_another_order_expect_each_in_its_place() {
        let table = table();
        let mut message = full(&table);
        message.name.reverse();
        message.velocity.clear();
        let mut reader = JointReader::new("joint_commands", true);
        let readings: Vec<_> = reader.read(&table, &message).unwrap().collect();
        assert_eq!(readings[0], (17, Reading::default()));
        assert_eq!(readings[17].0, 0);
    }

    #[test]
    fn when_some_velocities_are_not_measured_expect_the_others() {
        let table = table();
        let mut message = full(&table);
        message.velocity[2] = f64::NAN;
        let mut reader = JointReader::new("servo_states", false);
        let read: Vec<_> = reader.read(&table, &message).unwrap().map(|(_, reading)| reading.velocity).collect();
        assert_eq!(read[..4], [Some(0.5), Some(0.5), None, Some(0.5)]);
    }

    #[test]
    fn when_some_efforts_are_not_measured_expect_the_others() {
        let table = table();
        let mut message = full(&table);
        message.effort = vec![0.5; table.len()];
        (message.effort[2], message.effort[3]) = (f64::NAN, f64::INFINITY);
        let mut reader = JointReader::new("servo_states", false);
        let efforts: Vec<_> = reader.read(&table, &message).unwrap().map(|(_, reading)| reading.effort).collect();
        assert_eq!(efforts[..5], [Some(0.5), Some(0.5), None, None, Some(0.5)]);
    }

    #[test]
    fn when_servos_speak_of_some_joints_or_none_expect_just_those() {
        let table = table();
        let mut reader = JointReader::new("servo_states", false);
        assert_eq!(reader.read(&table, &JointState::default()).unwrap().count(), 0);
        let some = JointState { name: vec!["left_rear_coxa".into()], position: vec![0.2], ..Default::default() };
        let readings: Vec<_> = reader.read(&table, &some).unwrap().collect();
        assert_eq!(readings, [(6, Reading { position: 0.2, ..Reading::default() })]);
        assert_eq!(reader.read(&table, &JointState::default()).unwrap().count(), 0);
    }
}
