//! Joint targets on their way from the ROS thread to the I/O thread: whole messages, neither side ever waits.

use crate::command_names::CommandNames;
use crate::owners::{Conflict, MAX_JOINTS, Owners, bits};
use crate::refusal::Refusal;
use crate::silent_sources::SilentSources;
use crate::waker::Waker;
use hexapod_ros::Sender;
use hexapod_servo::JointConfig;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Messages that wait while the I/O thread is in a transaction; past these they are merged before they are queued.
const CAPACITY: usize = 64;
/// Messages that name joints of another robot say so for this long.
const OTHER_ROBOT: Duration = Duration::from_secs(1);

/// Targets of some joints, and when each of them was received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    targets: [Target; MAX_JOINTS],
    named: u64,
}

/// Where a joint shall go.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Target {
    pub angle_rad: f64,
    /// When that was received, on the monotonic clock.
    pub at: Duration,
}

impl Targets {
    fn new() -> Self {
        Self { targets: [Target::default(); MAX_JOINTS], named: 0 }
    }

    fn set(&mut self, joint: usize, target: Target) {
        self.targets[joint] = target;
        self.named |= 1 << joint;
    }

    /// Joints that `later` names take its targets; the others keep theirs.
    fn merge(&mut self, later: &Self) {
        for (joint, target) in later.iter() {
            self.targets[joint] = target;
        }
        self.named |= later.named;
    }

    /// Joints and their targets.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Target)> {
        bits(self.named).map(|joint| (joint, self.targets[joint]))
    }
}

/// What became of messages, for diagnostics.
#[derive(Debug, Default)]
pub struct IntakeCount {
    taken: AtomicU64,
    refused: AtomicU64,
    empty: AtomicU64,
    conflicts: AtomicU64,
    /// When the last message was taken, on the monotonic clock.
    taken_at_ns: AtomicU64,
    last: Mutex<String>,
    last_unknown: Mutex<Option<(Duration, Refusal)>>,
    last_conflict: Mutex<Option<Conflict>>,
}

impl IntakeCount {
    /// Messages that were taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Messages that were refused.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Messages that named no joint.
    #[must_use]
    pub fn empty(&self) -> u64 {
        self.empty.load(Ordering::Relaxed)
    }

    /// Why the last message was refused; empty if none was.
    #[must_use]
    pub fn last_reason(&self) -> String {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Messages that were refused because another source commands one of their joints.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts.load(Ordering::Relaxed)
    }

    /// The last of them.
    #[must_use]
    pub fn last_conflict(&self) -> Option<Conflict> {
        *self.last_conflict.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why nothing is taken at `now`, if all that comes in names joints of another robot.
    #[must_use]
    pub fn other_robot(&self, now: Duration) -> Option<Refusal> {
        let is_recent = |at: Duration| now.saturating_sub(at) <= OTHER_ROBOT;
        let taken_at = Duration::from_nanos(self.taken_at_ns.load(Ordering::Relaxed));
        let unknown = self.last_unknown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (_, refusal) = unknown.filter(|(at, _)| is_recent(*at))?;
        (self.taken() == 0 || !is_recent(taken_at)).then_some(refusal)
    }

    fn note_conflict(&self, conflict: Conflict) {
        self.conflicts.fetch_add(1, Ordering::Relaxed);
        *self.last_conflict.lock().unwrap_or_else(PoisonError::into_inner) = Some(conflict);
    }

    fn note(&self, refusal: &Refusal, at: Duration) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        if matches!(refusal, Refusal::UnknownJoint { .. }) {
            *self.last_unknown.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, refusal.clone()));
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = refusal.to_string();
    }
}

/// The end that messages come in at.
pub struct Intake {
    names: CommandNames,
    /// Whether NaN is no position at all, as of ros2_control: a joint that it stands for is not commanded.
    nan_is_none: bool,
    owners: Owners,
    silent: SilentSources,
    queue: Producer<Targets>,
    /// What did not fit into the queue.
    waiting: Option<Targets>,
    waker: Waker,
    count: Arc<IntakeCount>,
}

/// The end the I/O thread takes targets from.
pub(crate) struct Outlet(Consumer<Targets>);

/// Both ends.
pub(crate) fn handover(config: &JointConfig, waker: Waker, silent: SilentSources) -> (Intake, Outlet) {
    let (queue, consumer) = RingBuffer::new(CAPACITY);
    let (names, owners) = (CommandNames::new(config), Owners::new(config.timing.command_timeout));
    let (nan_is_none, waiting, count) = (false, None, Arc::default());
    (Intake { names, nan_is_none, owners, silent, queue, waiting, waker, count }, Outlet(consumer))
}

impl Intake {
    /// Calls the robot so in refusals.
    #[must_use]
    pub fn of_robot(mut self, robot: &str) -> Self {
        self.names.robot = robot.into();
        self
    }

    /// Takes what ros2_control's topic interface sends: it names all joints of its system, those without a servo, too
    /// (`joints` of the robot), with a position only for each that it commands, and NaN for one that nobody commands yet.
    #[must_use]
    pub fn of_ros2_control(mut self, joints: impl IntoIterator<Item = String>) -> Self {
        self.names.also(joints);
        self.nan_is_none = true;
        self
    }

    /// Takes a message of `sender` received at `at` (monotonic clock): any subset of the joints that nobody else
    /// commands. A message without any joint is counted and ignored.
    ///
    /// # Errors
    /// The message does not hold. It is counted, and none of it is taken.
    pub fn take(
        &mut self,
        sender: Sender,
        names: &[String],
        positions_rad: &[f64],
        at: Duration,
    ) -> Result<(), Refusal> {
        if names.is_empty() && positions_rad.is_empty() {
            self.count.empty.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let targets = self.check(names, positions_rad, at).and_then(|targets| {
            self.claim(sender, targets.named, at)?;
            Ok(targets)
        });
        self.silent.heard(sender, targets.as_ref().map_or(0, |targets| targets.named), at);
        let targets = targets.inspect_err(|refusal| self.count.note(refusal, at))?;
        if targets.named == 0 {
            self.count.empty.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        self.hand_over(&targets);
        self.count.taken_at_ns.store(u64::try_from(at.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.count.taken.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// What becomes of messages.
    #[must_use]
    pub fn count(&self) -> Arc<IntakeCount> {
        Arc::clone(&self.count)
    }

    fn check(&mut self, names: &[String], positions_rad: &[f64], at: Duration) -> Result<Targets, Refusal> {
        let mut targets = Targets::new();
        let joints = self.names.assign(names, positions_rad.len())?;
        for ((joint, name), &angle_rad) in joints.zip(positions_rad) {
            if angle_rad.is_nan() && self.nan_is_none {
                continue;
            }
            if !angle_rad.is_finite() {
                return Err(Refusal::NotFinite { joint: name.clone(), angle_rad });
            }
            targets.set(joint, Target { angle_rad, at });
        }
        Ok(targets)
    }

    /// These joints, for `sender`.
    fn claim(&mut self, sender: Sender, joints: u64, at: Duration) -> Result<(), Refusal> {
        self.owners.claim(sender, joints, at, self.silent.kept(at)).map_err(|conflict| {
            self.count.note_conflict(conflict);
            Refusal::Owned { joint: self.names.name(conflict.joint).to_owned() }
        })
    }

    fn hand_over(&mut self, targets: &Targets) {
        let mut merged = self.waiting.take().unwrap_or_else(Targets::new);
        merged.merge(targets);
        if self.queue.push(merged).is_err() {
            self.waiting = Some(merged);
        }
        self.waker.wake();
    }
}

impl Outlet {
    /// All that came in since the last call, in that order: joints that have missed some go the way they describe.
    pub fn drain(&mut self) -> impl Iterator<Item = Targets> {
        // Bounded, so that a sender that never stops cannot keep the thread from its tick.
        std::iter::from_fn(|| self.0.pop().ok()).take(CAPACITY + 1)
    }
}
