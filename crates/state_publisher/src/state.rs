//! What is known of the robot: filled by the spinning thread, read by the publishing one.

use crate::contacts::{ContactQueue, Contacts};
use crate::feet::Feet;
use crate::joints::{JointReader, JointTable, Reading};
use crate::known::KnownJoints;
use hexapod_dynamics::{EffortSource, ImuSample, Source};
use hexapod_kinematics::{Leg, LegAngles, MAX_LEGS, Robot};
use hexapod_odometry::{Estimate, Odometry};
use hexapod_ros::r2r::sensor_msgs::msg::{Imu, JointState};
use hexapod_ros::r2r::std_msgs::msg::UInt8MultiArray;
use hexapod_ros::{ContactReader, bounds, imu_parts};
use nalgebra::Vector3;
use std::sync::Arc;
use std::time::Duration;

/// What came in on one topic.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    /// Messages taken since diagnostics last looked.
    pub taken: u64,
    /// Messages refused since the start.
    pub refused: u64,
    /// Why the last one was refused, until diagnostics have looked.
    pub reason: Option<String>,
    /// When the last good one was received, on the monotonic clock, in simulated time on that.
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

pub(crate) struct State {
    pub commands: Input,
    pub servos: Input,
    pub contacts: Input,
    pub switches: Input,
    pub imu: Input,
    /// `servo_states` that name no joint, since the start: nothing is held, or a driver is misconfigured.
    pub empty: u64,
    /// What the feet bear; `None` where the robot's description does not let that be known.
    pub feet: Option<Feet>,
    pub fitness: Fitness,
    robot: Arc<Robot>,
    table: JointTable,
    command_reader: JointReader,
    servo_reader: JointReader,
    contact_reader: ContactReader,
    contact_queue: ContactQueue,
    switch_reader: ContactReader,
    /// Contacts as planned with the last commands.
    planned: Option<Contacts>,
    pub known: KnownJoints,
    /// What the last message of the servos says.
    sample: Vec<Option<Reading>>,
    odometry: Odometry,
    /// How far the longest leg reaches, m: a body that its servos do not carry may be anywhere within.
    reach_m: f64,
}

impl State {
    pub(crate) fn new(robot: Arc<Robot>, feet: Option<Feet>) -> Self {
        let table = JointTable::new(&robot);
        let legs: Vec<String> = robot.legs().iter().map(|leg| leg.name().to_owned()).collect();
        Self {
            commands: Input::default(),
            servos: Input::default(),
            contacts: Input::default(),
            switches: Input::default(),
            imu: Input::default(),
            empty: 0,
            feet,
            fitness: Fitness::default(),
            command_reader: JointReader::new("joint_commands", true),
            servo_reader: JointReader::new("servo_states", false),
            contact_reader: ContactReader::of_all("foot_contacts", legs.clone()),
            contact_queue: ContactQueue::default(),
            switch_reader: ContactReader::of_some("foot_switches", legs),
            planned: None,
            known: KnownJoints::new(&table),
            sample: vec![None; table.len()],
            odometry: Odometry::new(robot.legs().len()),
            reach_m: robot.legs().iter().map(Leg::length).fold(0.0, f64::max),
            table,
            robot,
        }
    }

    pub(crate) fn table(&self) -> &JointTable {
        &self.table
    }

    /// The planner's word for the robot's condition.
    pub(crate) fn take_condition(&mut self, word: &str) {
        self.odometry.mishaps().carry(matches!(word, "lifted" | "fallen"));
        if word == "blocked" {
            self.odometry.mishaps().block();
        }
    }

    /// The last estimate of where the robot is.
    pub(crate) fn estimate(&self) -> Option<&Estimate> {
        self.odometry.last()
    }

    /// A `foot_contacts` message, received at `now`.
    pub(crate) fn take_contacts(&mut self, message: &UInt8MultiArray, now: Duration) {
        match self.contact_reader.read(message) {
            Ok(read) => {
                let mut contacts = [false; MAX_LEGS];
                contacts.iter_mut().zip(read).for_each(|(contact, read)| *contact = *read == Some(true));
                self.contact_queue.push(contacts);
                self.contacts.take(now);
            }
            Err(refused) => self.contacts.refuse(refused),
        }
    }

    /// A `foot_switches` message, received at `now`; whether it applies to the feet.
    pub(crate) fn take_switches(&mut self, message: &UInt8MultiArray, now: Duration) -> bool {
        match (self.switch_reader.read(message), &mut self.feet) {
            (Ok(switches), Some(feet)) => {
                feet.take_switches(switches, now);
                feet.detect(self.planned.as_ref(), now);
                self.switches.take(now);
                true
            }
            (Ok(_), None) => false,
            (Err(refused), _) => {
                self.switches.refuse(refused);
                false
            }
        }
    }

    /// An `imu/data` message, received at `now`.
    pub(crate) fn take_imu(&mut self, message: &Imu, now: Duration) {
        let Some(feet) = &mut self.feet else { return };
        match feet.imu.take(self.robot.model(), &ImuSample::of(imu_parts(message)), now) {
            Ok(()) => self.imu.take(now),
            Err(refused) => return self.imu.refuse(refused),
        }
        self.odometry.sense_imu(&mut feet.imu, now);
    }

    /// A `joint_commands` message of `stamp`, received at `now`.
    pub(crate) fn take_commands(&mut self, message: &JointState, stamp: Duration, now: Duration) {
        match self.command_reader.read(&self.table, message) {
            Ok(readings) => self.known.command(readings, stamp),
            Err(refused) => return self.commands.refuse(refused),
        }
        self.commands.take(now);
        self.walk(stamp, now);
    }

    /// A `servo_states` message of `stamp`, received at `now`; whether it tells how much some leg bears.
    pub(crate) fn take_servos(&mut self, message: &JointState, stamp: Duration, now: Duration) -> bool {
        self.sample.fill(None);
        match self.servo_reader.read(&self.table, message) {
            Ok(readings) => readings.for_each(|(joint, reading)| self.sample[joint] = Some(reading)),
            Err(refused) => {
                self.servos.refuse(refused);
                return false;
            }
        }
        self.known.tell(&self.table, &self.sample, stamp, now);
        self.servos.take(now);
        self.empty += u64::from(message.name.is_empty());
        let Some(feet) = &mut self.feet else { return false };
        if message.effort.is_empty() {
            return false;
        }
        feet.set_effort_source(EffortSource::from_frame_id(&message.header.frame_id));
        let bears = feet.take_efforts(&self.table, &self.sample, stamp, now);
        if bears {
            feet.detect(self.planned.as_ref(), now);
        }
        bears
    }

    /// Predicts what the feet bear with all joints at these positions, if `wanted` or if it was long ago; forgets
    /// sensors that have fallen silent.
    pub(crate) fn predict(&mut self, positions: &[f64], wanted: bool, now: Duration) {
        let Some(feet) = &mut self.feet else { return };
        feet.forget_silent(self.planned.as_ref(), now);
        let mut angles = [LegAngles::zeros(0); MAX_LEGS];
        for (leg, angles) in angles.iter_mut().enumerate().take(self.table.leg_count()) {
            let joints = self.table.leg(leg);
            *angles = LegAngles::from_fn(joints.len(), |i| positions.get(joints[i]).copied().unwrap_or_default());
        }
        feet.predict(&angles[..self.table.leg_count()], self.planned.as_ref(), wanted, now);
    }

    /// Writes the efforts of all joints as known at `now`: what was measured, else what was predicted, and zero outside the
    /// legs. What the worst of them rests on; `None`, and nothing written, where a leg's joint is not known.
    pub(crate) fn write_efforts(&self, now: Duration, efforts: &mut Vec<f64>) -> Option<Source> {
        efforts.clear();
        efforts.resize(self.table.len(), 0.0);
        let prediction = self.feet.as_ref().and_then(|feet| feet.prediction(now));
        let mut source = Source::Measured;
        for leg in 0..self.table.leg_count() {
            for (place, &joint) in self.table.leg(leg).iter().enumerate() {
                let measured = self.known.fresh(joint, now).and_then(|reading| reading.effort);
                let predicted = || prediction.as_ref().and_then(|all| all.torques.get(leg)?.get(place).copied());
                let Some(effort) = measured.or_else(predicted) else {
                    efforts.clear();
                    return None;
                };
                efforts[joint] = effort;
                source = if measured.is_some() { source } else { Source::Predicted };
            }
        }
        Some(source)
    }

    /// Places of the feet in the body with all joints at these positions, m.
    pub(crate) fn feet_in_body(&self, positions: &[f64]) -> Vec<Vector3<f64>> {
        let angles = |leg: usize| {
            let joints = self.table.leg(leg);
            LegAngles::from_fn(joints.len(), |i| positions.get(joints[i]).copied().unwrap_or_default())
        };
        self.robot.legs().iter().enumerate().map(|(index, leg)| leg.foot_in_body(&angles(index))).collect()
    }

    /// The robot.
    pub(crate) fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// Moves odometry on to the joints as commanded.
    fn walk(&mut self, stamp: Duration, now: Duration) {
        let (mut feet, mut above_ground) = ([Vector3::zeros(); MAX_LEGS], [0.0; MAX_LEGS]);
        let (legs, up_in_body) = (self.table.leg_count(), self.odometry.up_in_body());
        for (index, leg) in self.robot.legs().iter().enumerate() {
            let angles = self.table.leg_angles(index, self.known.commanded());
            feet[index] = leg.foot_in_body(&angles);
            above_ground[index] = leg.foot_above_ground(&angles, &up_in_body);
        }
        self.planned = self.contact_queue.take();
        if let (Some(planned), Some(feet)) = (&self.planned, &mut self.feet) {
            feet.watch_switches(planned, now);
        }
        let support = self.planned.as_ref().map(|planned| match &self.feet {
            Some(feet) => feet.stance(planned),
            None => (*planned, [1.0; MAX_LEGS]),
        });
        let contacts = support.as_ref().map(|(down, _)| &down[..legs]);
        self.odometry.set_foot_heights(above_ground);
        self.odometry.set_body_uncertainty(if self.known.are_limp() { self.reach_m } else { 0.0 });
        self.odometry.set_foot_confidence(support.iter().flat_map(|(_, certainty)| *certainty));
        match self.odometry.update(stamp, &feet[..legs], contacts) {
            Ok(estimate) => {
                self.fitness.worst_residual = self.fitness.worst_residual.max(estimate.worst_residual);
                self.fitness.restarts += u64::from(estimate.restarted);
            }
            Err(refused) => self.commands.refuse(refused),
        }
    }

    /// Writes positions and velocities of all joints as known at `now`, in the order of the table, and returns the
    /// stamp of the message they came from; `None`, and nothing written, before every joint is known.
    pub(crate) fn write_joints(
        &self,
        now: Duration,
        positions: &mut [f64],
        velocities: &mut [f64],
    ) -> Option<Duration> {
        self.known.write(&self.table, now, positions, velocities)
    }

    /// Whether every joint of every leg is known at `now`.
    pub(crate) fn is_complete(&self, now: Duration) -> bool {
        self.known.is_complete(&self.table, now)
    }
}

#[cfg(test)]
mod tests;
