//! What is known of the joints: as the servo driver reports them, else as commanded.

use crate::joints::{JointTable, Reading};
use std::time::Duration;

/// What the driver reported of a servo this long ago no longer counts.
const SERVO_FRESH: Duration = Duration::from_millis(300);
/// A joint whose command changes by no more rests, rad.
const AT_REST_RAD: f64 = 1e-6;

/// Where the joints' positions come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources {
    pub servos: usize,
    pub commands: usize,
}

/// All joints, by their place in the table.
pub(crate) struct KnownJoints {
    commanded: Vec<Reading>,
    commanded_at: Option<Duration>,
    /// A joint was commanded to move since diagnostics last looked.
    pub moved: bool,
    reported: Vec<Option<(Reading, Duration)>>,
    reported_at: Duration,
    /// Whether the servos have said that they hold nothing, or not every leg.
    limp: bool,
}

impl KnownJoints {
    pub(crate) fn new(table: &JointTable) -> Self {
        let at_rest = |joint| Reading { position: table.resting(joint).unwrap_or(0.0), ..Reading::default() };
        Self {
            commanded: (0..table.len()).map(at_rest).collect(),
            commanded_at: None,
            moved: false,
            reported: vec![None; table.len()],
            reported_at: Duration::ZERO,
            limp: false,
        }
    }

    /// Takes commands of `stamp`: joints and their readings.
    pub(crate) fn command(&mut self, readings: impl Iterator<Item = (usize, Reading)>, stamp: Duration) {
        for (joint, reading) in readings {
            let before = std::mem::replace(&mut self.commanded[joint], reading).position;
            self.moved |= (reading.position - before).abs() > AT_REST_RAD;
        }
        self.commanded_at = Some(stamp);
    }

    /// Takes the reported positions of some joints, of `stamp`, received at `now`.
    pub(crate) fn tell(&mut self, table: &JointTable, sample: &[Option<Reading>], stamp: Duration, now: Duration) {
        for (reported, reading) in self.reported.iter_mut().zip(sample) {
            *reported = reading.map(|reading| (reading, now)).or(*reported);
        }
        self.reported_at = stamp;
        // A joint or a leg per message will do, so those are held that were reported a moment ago.
        let held = |leg: usize| table.leg(leg).iter().all(|&joint| self.fresh(joint, now).is_some());
        self.limp = sample.iter().all(Option::is_none) || !(0..table.leg_count()).all(held);
    }

    /// Whether the servos of some leg have no pulse, as they last said. Where none has ever said anything they are taken to
    /// follow their commands.
    pub(crate) fn are_limp(&self) -> bool {
        self.limp
    }

    /// All joints as commanded.
    pub(crate) fn commanded(&self) -> &[Reading] {
        &self.commanded
    }

    /// Whether every joint of every leg is known at `now`.
    pub(crate) fn is_complete(&self, table: &JointTable, now: Duration) -> bool {
        self.commanded_at.is_some()
            || (0..table.len()).all(|joint| table.resting(joint).is_some() || self.fresh(joint, now).is_some())
    }

    /// The reported position of a joint, unless that is too long ago.
    pub(crate) fn fresh(&self, joint: usize, now: Duration) -> Option<&Reading> {
        let (reading, received) = self.reported[joint].as_ref()?;
        (now.saturating_sub(*received) < SERVO_FRESH).then_some(reading)
    }

    /// Where the joints' positions come from at `now`.
    pub(crate) fn sources(&self, now: Duration) -> Sources {
        let servos = (0..self.reported.len()).filter(|&joint| self.fresh(joint, now).is_some()).count();
        let commands = if self.commanded_at.is_some() { self.reported.len() - servos } else { 0 };
        Sources { servos, commands }
    }

    /// Writes positions and velocities of all joints as known at `now`, in the order of the table, and returns the
    /// stamp of the message they came from; `None`, and nothing written, before every joint is known.
    pub(crate) fn write(
        &self,
        table: &JointTable,
        now: Duration,
        positions: &mut [f64],
        velocities: &mut [f64],
    ) -> Option<Duration> {
        if !self.is_complete(table, now) {
            return None;
        }
        let mut from_servos = false;
        for joint in 0..table.len() {
            let reported = self.fresh(joint, now);
            from_servos |= reported.is_some();
            let commanded = &self.commanded[joint];
            positions[joint] = reported.unwrap_or(commanded).position;
            velocities[joint] = reported.and_then(|reported| reported.velocity).or(commanded.velocity).unwrap_or(0.0);
        }
        table.apply_mimics(positions, velocities);
        if from_servos { Some(self.reported_at) } else { self.commanded_at }
    }
}
