//! What is known of the robot: filled by the spinning thread, read by the publishing one.

use crate::contacts::{ContactQueue, ContactReader};
use crate::joints::{JointReader, JointTable, Reading};
use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_odometry::{Estimate, Odometry};
use hexapod_ros::bounds;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::std_msgs::msg::UInt8MultiArray;
use nalgebra::Vector3;
use std::sync::Arc;
use std::time::Duration;

/// What a servo was told this long ago no longer counts.
const SERVO_FRESH: Duration = Duration::from_millis(300);

/// What came in on one topic.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    /// Messages taken since diagnostics last looked.
    pub taken: u64,
    /// Messages refused since the start.
    pub refused: u64,
    /// Why the last one was refused, until diagnostics have looked.
    pub reason: Option<String>,
    /// When the last good one was received, on the monotonic clock.
    pub received: Option<Duration>,
}

impl Input {
    fn take(&mut self, now: Duration) {
        self.taken += 1;
        self.received = Some(now);
    }

    fn refuse(&mut self, reason: impl ToString) {
        self.refused += 1;
        self.reason = Some(bounds::reason(&reason.to_string()).into_owned());
    }
}

/// What has become of odometry since diagnostics last looked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fitness {
    pub worst_residual: f64,
    pub restarts: u64,
}

/// Where the joints' positions come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources {
    pub servos: usize,
    pub commands: usize,
}

pub(crate) struct State {
    pub commands: Input,
    pub servos: Input,
    pub contacts: Input,
    pub fitness: Fitness,
    robot: Arc<Robot>,
    table: JointTable,
    command_reader: JointReader,
    servo_reader: JointReader,
    contact_reader: ContactReader,
    contact_queue: ContactQueue,
    commanded: Vec<Reading>,
    commanded_at: Option<Duration>,
    told: Vec<Option<(Reading, Duration)>>,
    told_at: Duration,
    odometry: Odometry,
}

impl State {
    pub(crate) fn new(robot: Arc<Robot>) -> Self {
        let table = JointTable::new(&robot);
        Self {
            commands: Input::default(),
            servos: Input::default(),
            contacts: Input::default(),
            fitness: Fitness::default(),
            command_reader: JointReader::new("joint_commands", true),
            servo_reader: JointReader::new("servo_states", false),
            contact_reader: ContactReader::new(&robot),
            contact_queue: ContactQueue::default(),
            commanded: (0..table.len())
                .map(|i| Reading { position: table.resting(i).unwrap_or(0.0), velocity: None })
                .collect(),
            commanded_at: None,
            told: vec![None; table.len()],
            told_at: Duration::ZERO,
            odometry: Odometry::new(robot.legs().len()),
            table,
            robot,
        }
    }

    pub(crate) fn table(&self) -> &JointTable {
        &self.table
    }

    /// The last estimate of where the robot is.
    pub(crate) fn estimate(&self) -> Option<&Estimate> {
        self.odometry.last()
    }

    /// A `foot_contacts` message, received at `now`.
    pub(crate) fn take_contacts(&mut self, message: &UInt8MultiArray, now: Duration) {
        match self.contact_reader.read(message) {
            Ok(contacts) => {
                self.contact_queue.push(contacts);
                self.contacts.take(now);
            }
            Err(refused) => self.contacts.refuse(refused),
        }
    }

    /// A `joint_commands` message of `stamp`, received at `now`.
    pub(crate) fn take_commands(&mut self, message: &JointState, stamp: Duration, now: Duration) {
        match self.command_reader.read(&self.table, message) {
            Ok(readings) => readings.for_each(|(joint, reading)| self.commanded[joint] = reading),
            Err(refused) => return self.commands.refuse(refused),
        }
        self.commands.take(now);
        self.commanded_at = Some(stamp);
        self.walk(stamp);
    }

    /// A `servo_states` message of `stamp`, received at `now`.
    pub(crate) fn take_servos(&mut self, message: &JointState, stamp: Duration, now: Duration) {
        match self.servo_reader.read(&self.table, message) {
            Ok(readings) => readings.for_each(|(joint, reading)| self.told[joint] = Some((reading, now))),
            Err(refused) => return self.servos.refuse(refused),
        }
        self.servos.take(now);
        self.told_at = stamp;
    }

    /// Moves odometry on to the joints as commanded.
    fn walk(&mut self, stamp: Duration) {
        let mut feet = [Vector3::zeros(); MAX_LEGS];
        let legs = self.table.leg_count();
        for (index, leg) in self.robot.legs().iter().enumerate() {
            feet[index] = leg.foot_in_body(&self.table.leg_angles(index, &self.commanded));
        }
        let contacts = self.contact_queue.take();
        let contacts = contacts.as_ref().map(|contacts| &contacts[..legs]);
        match self.odometry.update(stamp, &feet[..legs], contacts) {
            Ok(estimate) => {
                self.fitness.worst_residual = self.fitness.worst_residual.max(estimate.worst_residual);
                self.fitness.restarts += u64::from(estimate.restarted);
            }
            Err(refused) => self.commands.refuse(refused),
        }
    }

    /// Whether every joint of every leg is known at `now`.
    pub(crate) fn is_complete(&self, now: Duration) -> bool {
        self.commanded_at.is_some()
            || (0..self.table.len())
                .all(|joint| self.table.resting(joint).is_some() || self.fresh(joint, now).is_some())
    }

    /// What the servo of a joint was told, unless that is too long ago.
    fn fresh(&self, joint: usize, now: Duration) -> Option<&Reading> {
        let (reading, received) = self.told[joint].as_ref()?;
        (now.saturating_sub(*received) < SERVO_FRESH).then_some(reading)
    }

    /// Where the joints' positions come from at `now`.
    pub(crate) fn sources(&self, now: Duration) -> Sources {
        let servos = (0..self.table.len()).filter(|&joint| self.fresh(joint, now).is_some()).count();
        let commands = if self.commanded_at.is_some() { self.table.len() - servos } else { 0 };
        Sources { servos, commands }
    }

    /// Writes positions and velocities of all joints as known at `now`, in the order of the table, and returns the
    /// stamp of the message they came from; `None`, and nothing written, before every joint is known.
    pub(crate) fn write_joints(
        &self,
        now: Duration,
        positions: &mut [f64],
        velocities: &mut [f64],
    ) -> Option<Duration> {
        if !self.is_complete(now) {
            return None;
        }
        let mut from_servos = false;
        for joint in 0..self.table.len() {
            let told = self.fresh(joint, now);
            from_servos |= told.is_some();
            let commanded = &self.commanded[joint];
            positions[joint] = told.unwrap_or(commanded).position;
            velocities[joint] = told.and_then(|told| told.velocity).or(commanded.velocity).unwrap_or(0.0);
        }
        self.table.apply_mimics(positions, velocities);
        if from_servos { Some(self.told_at) } else { self.commanded_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn state() -> State {
        State::new(Arc::new(Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap()))
    }

    fn commands(state: &State, position: f64) -> JointState {
        let count = state.table.len();
        let name = state.table.names().to_vec();
        JointState { name, position: vec![position; count], velocity: vec![0.1; count], ..Default::default() }
    }

    fn written(state: &State, now: Duration) -> Option<(Vec<f64>, Vec<f64>, Duration)> {
        let (mut positions, mut velocities) = (vec![0.0; state.table.len()], vec![0.0; state.table.len()]);
        let stamp = state.write_joints(now, &mut positions, &mut velocities)?;
        Some((positions, velocities, stamp))
    }

    #[test]
    fn when_servos_fall_silent_expect_commands_instead() {
        let mut state = state();
        assert_eq!(written(&state, ms(0)), None);
        state.take_commands(&commands(&state, 0.3), ms(5000), ms(10));
        let servo = JointState { name: vec!["left_front_femur".into()], position: vec![0.25], ..Default::default() };
        state.take_servos(&servo, ms(5010), ms(20));
        let (positions, velocities, stamp) = written(&state, ms(100)).unwrap();
        assert_eq!((positions[0], positions[1], velocities[1], stamp), (0.3, 0.25, 0.1, ms(5010)));
        assert_eq!(state.sources(ms(100)), Sources { servos: 1, commands: 17 });
        let (positions, _, stamp) = written(&state, ms(320)).unwrap();
        assert_eq!((positions[1], stamp), (0.3, ms(5000)));
    }

    #[test]
    fn when_servos_tell_of_all_joints_expect_states_without_any_command() {
        let mut state = state();
        let mut servos = commands(&state, 0.2);
        servos.velocity.clear();
        let last = (servos.name.pop().unwrap(), servos.position.pop().unwrap());
        state.take_servos(&servos, ms(1), ms(1));
        assert_eq!(written(&state, ms(2)), None, "one joint is not known");
        servos.name.push(last.0);
        servos.position.push(last.1);
        state.take_servos(&servos, ms(2), ms(2));
        assert_eq!(written(&state, ms(3)), Some((vec![0.2; 18], vec![0.0; 18], ms(2))));
        assert!(state.estimate().is_none());
        assert_eq!(written(&state, ms(400)), None, "old and never commanded");
    }

    #[test]
    fn when_messages_are_refused_expect_nothing_changed_but_the_count() {
        let mut state = state();
        state.take_commands(&commands(&state, 0.1), ms(10), ms(10));
        let before = *state.estimate().unwrap();
        let mut bad = commands(&state, 0.4);
        bad.position[17] = f64::NAN;
        state.take_commands(&bad, ms(20), ms(20));
        state.take_servos(&bad, ms(20), ms(20));
        state.take_contacts(&UInt8MultiArray::default(), ms(20));
        assert_eq!(state.estimate(), Some(&before));
        assert_eq!((state.commands.refused, state.servos.refused, state.contacts.refused), (1, 1, 1));
        assert!(state.commands.reason.as_ref().is_some_and(|reason| reason.contains("right_rear_tibia")));
        assert_eq!(written(&state, ms(21)).unwrap().0, vec![0.1; 18]);
    }
}
