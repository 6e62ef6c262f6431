//! Joint targets on their way from the ROS thread to the I/O thread: whole messages, neither side ever waits.

use crate::owners::{Conflict, MAX_JOINTS, Owners};
use crate::waker::Waker;
use hexapod_ros::Sender;
use hexapod_servo::JointConfig;
use rtrb::{Consumer, Producer, RingBuffer};
use std::collections::HashMap;
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

    fn names(&self, joint: usize) -> bool {
        self.named & (1 << joint) != 0
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
        (0..MAX_JOINTS).filter(|&joint| self.names(joint)).map(|joint| (joint, self.targets[joint]))
    }
}

/// Why a message was refused as a whole.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// As many names as positions are needed.
    #[error("{names} names but {positions} positions")]
    Lengths {
        /// Number of names.
        names: usize,
        /// Number of positions.
        positions: usize,
    },
    /// No servo drives a joint of this name: most likely the sender was started with another robot.
    #[error("{robot} has no joint {joint:?}; start the sender and servo_driver with the same `urdf`")]
    UnknownJoint {
        /// The name.
        joint: String,
        /// The robot whose joints are driven.
        robot: Arc<str>,
    },
    /// A joint is named twice.
    #[error("joint `{0}` is named twice")]
    Twice(String),
    /// Another source commands a joint.
    #[error("joint `{joint}` is already commanded by another source; stop one of the two")]
    Owned {
        /// The joint.
        joint: String,
    },
    /// A position is NaN or infinite.
    #[error("the position of joint `{joint}` is {angle_rad}, not a finite angle")]
    NotFinite {
        /// The joint.
        joint: String,
        /// The position.
        angle_rad: f64,
    },
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
    joints: HashMap<String, usize>,
    /// What the robot is called in refusals.
    robot: Arc<str>,
    /// The names of the last message that held, and their joints: they hardly ever change.
    known: (Vec<String>, Vec<usize>),
    owners: Owners,
    queue: Producer<Targets>,
    /// What did not fit into the queue.
    waiting: Option<Targets>,
    waker: Waker,
    count: Arc<IntakeCount>,
}

/// The end the I/O thread takes targets from.
pub(crate) struct Outlet(Consumer<Targets>);

/// Both ends.
pub(crate) fn handover(config: &JointConfig, waker: Waker) -> (Intake, Outlet) {
    let (producer, consumer) = RingBuffer::new(CAPACITY);
    let joints = config.joints.iter().take(MAX_JOINTS).enumerate();
    let joints = joints.map(|(index, joint)| (joint.name.clone(), index)).collect();
    let (known, owners) = (<_>::default(), Owners::new(config.timing.command_timeout));
    let (robot, count) = ("the robot".into(), Arc::default());
    (Intake { joints, robot, known, owners, queue: producer, waiting: None, waker, count }, Outlet(consumer))
}

impl Intake {
    /// Calls the robot so in refusals.
    #[must_use]
    pub fn of_robot(self, robot: &str) -> Self {
        Self { robot: robot.into(), ..self }
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
            self.claim(sender, at)?;
            Ok(targets)
        });
        let targets = targets.inspect_err(|refusal| self.count.note(refusal, at))?;
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
        if names.len() != positions_rad.len() {
            return Err(Refusal::Lengths { names: names.len(), positions: positions_rad.len() });
        }
        if self.known.0 != names {
            let joints = self.joints_of(names)?;
            self.known = (names.to_vec(), joints);
        }
        let mut targets = Targets::new();
        for ((name, &joint), &angle_rad) in names.iter().zip(&self.known.1).zip(positions_rad) {
            if !angle_rad.is_finite() {
                return Err(Refusal::NotFinite { joint: name.clone(), angle_rad });
            }
            targets.set(joint, Target { angle_rad, at });
        }
        Ok(targets)
    }

    /// The joints of the last message that held, for `sender`.
    fn claim(&mut self, sender: Sender, at: Duration) -> Result<(), Refusal> {
        let (names, joints) = &self.known;
        self.owners.claim(sender, joints, at).map_err(|conflict| {
            self.count.note_conflict(conflict);
            let named = joints.iter().zip(names).find(|(joint, _)| **joint == conflict.joint);
            Refusal::Owned { joint: named.map_or_else(String::new, |(_, name)| name.clone()) }
        })
    }

    /// The joints of these names, each named once.
    fn joints_of(&self, names: &[String]) -> Result<Vec<usize>, Refusal> {
        let mut seen = 0_u64;
        let mut joint = |name: &String| {
            let joint = *self.joints.get(name).ok_or_else(|| Refusal::UnknownJoint {
                joint: name.chars().take(64).collect(),
                robot: Arc::clone(&self.robot),
            })?;
            if seen & (1 << joint) != 0 {
                return Err(Refusal::Twice(name.clone()));
            }
            seen |= 1 << joint;
            Ok(joint)
        };
        names.iter().map(&mut joint).collect()
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
