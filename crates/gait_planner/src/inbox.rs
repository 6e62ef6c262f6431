//! What comes in from ROS: checked here, once, and handed to the control loop.

use crate::command::{Command, Received};
use crate::life::Moment;
use crate::paused::{ClockWatch, Paused};
use hexapod_gait::motion::Motion;
use hexapod_gait::{BodyOffset, Twist};
use hexapod_ros::bounds::{self, RateLimited};
use hexapod_ros::r2r::geometry_msgs::msg::{Pose, Twist as TwistMsg};
use hexapod_ros::{Received as From, Sender, Shutdown, Stage, monotonic_now};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rtrb::Producer;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The clock commands are dated by: monotonic, or simulated when the loop ticks by `/clock`.
pub type Now = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The sending end for commands, shared by all handlers of the node's one spinning thread.
#[derive(Clone)]
pub struct Inbox {
    shared: Arc<Mutex<Shared>>,
    now: Now,
    clock: ClockWatch,
    shutdown: Shutdown,
}

/// How long the robot stays down after notice that its servos are about to be switched off, and where it is after it
/// was told that they carry out no commands; as long as that lasts, the notice is repeated at least each second.
const HELD_BACK: Duration = Duration::from_millis(1500);

/// Why nothing is taken that would move the robot up or on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// The servos are about to be switched off.
    Retired,
    /// The servos carry out no commands: an emergency stop, a fault, or they were switched off.
    Frozen,
}

impl Barrier {
    /// The reason, and the way out.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Retired => {
                "the robot is sitting down because its servos are about to be switched off; see the servo driver's /diagnostics"
            }
            Self::Frozen => {
                "the servos carry out no commands (emergency stop, fault, or switched off): the robot does not move until they are \
                 enabled again (service enable)"
            }
        }
    }
}

struct Shared {
    queue: Producer<Received>,
    rejected: BTreeMap<&'static str, Rejected>,
    /// What holds the robot back, and until when on the monotonic clock.
    barrier: Option<(Barrier, Duration)>,
    /// Messages and calls taken since the last look.
    taken: BTreeMap<&'static str, u64>,
    /// Second handles to motions made for one use, so that they are freed here and not in the control loop.
    kept: Vec<Arc<Motion>>,
    /// Since when time stood still that was warned of last.
    reported_standing: Option<Duration>,
}

/// Room in the queue that only stops and postures take: they come through behind any flood.
const RESERVED: usize = 32;

impl Shared {
    /// Whether there is room for a command, which it has then.
    fn push(&mut self, received: Received) -> bool {
        let (is_urgent, room) = (received.command.is_urgent(), self.queue.slots());
        (is_urgent || room > RESERVED) && self.queue.push(received).is_ok()
    }
}

/// How often messages of a topic were refused, and why the last one was.
#[derive(Clone, Debug, Default)]
pub struct Rejected {
    /// Messages refused.
    pub count: u64,
    /// Why the last one was, shortened.
    pub reason: String,
    lines: RateLimited,
}

impl Inbox {
    /// An inbox that fills `queue`.
    #[must_use]
    pub fn new(queue: Producer<Received>, now: Now, shutdown: Shutdown) -> Self {
        let (rejected, taken) = (BTreeMap::new(), BTreeMap::new());
        let shared = Shared { queue, rejected, barrier: None, taken, kept: Vec::new(), reported_standing: None };
        Self { shared: Arc::new(Mutex::new(shared)), now, clock: ClockWatch::default(), shutdown }
    }

    /// The same for a loop that ticks by a clock which may stand.
    #[must_use]
    pub fn with_clock(self, clock: ClockWatch) -> Self {
        Self { clock, ..self }
    }

    /// Hands a command to the control loop.
    ///
    /// # Errors
    /// Why it is refused, which is counted: the loop takes no more, or the robot sits down because the process ends.
    pub fn send(&self, topic: &'static str, command: Command) -> Result<(), String> {
        self.hand_over(topic, self.received(command, None, monotonic_now()))
    }

    fn received(&self, command: Command, sender: Option<Sender>, real: Duration) -> Received {
        Received { command, sender, at: Moment { at: (self.now)(), real } }
    }

    fn hand_over(&self, topic: &'static str, received: Received) -> Result<(), String> {
        let real = received.at.real;
        match received.command {
            Command::Retire => self.bar(Barrier::Retired, real),
            Command::Freeze(_) => self.bar(Barrier::Frozen, real),
            _ => {}
        }
        let moves = received.command.keeps_up() || received.command.drives();
        // A robot that has to sit down may be asked to; one whose servos are off may not.
        let is_held =
            |barrier: &Barrier| moves || (*barrier == Barrier::Frozen && matches!(received.command, Command::Sit));
        let refusal = if self.shutdown.stage() != Stage::Running && received.command.keeps_up() {
            "the robot is sitting down because its process is ending"
        } else if let Some(barrier) = self.barrier(real).filter(is_held) {
            if received.command.drives() {
                let pushed = self.received(Command::Barred(topic), received.sender, real);
                self.locked(|shared| shared.push(pushed));
            }
            barrier.reason()
        } else if !self.locked(|shared| shared.push(received)) {
            self.paused(real).unwrap_or(
                "the control loop accepts no commands; see /diagnostics, and restart the planner if it hangs",
            )
        } else {
            self.locked(|shared| *shared.taken.entry(topic).or_default() += 1);
            if moves {
                self.warn_paused(topic, real);
            }
            return Ok(());
        };
        self.reject(topic, refusal);
        Err(refusal.into())
    }

    /// Holds the robot back from `now` on (monotonic clock), for a while.
    pub fn bar(&self, barrier: Barrier, now: Duration) {
        self.locked(|shared| shared.barrier = Some((barrier, now + HELD_BACK)));
    }

    /// Lets the robot go on.
    pub fn unbar(&self) {
        self.locked(|shared| shared.barrier = None);
    }

    /// What holds the robot back at `now`.
    #[must_use]
    pub fn barrier(&self, now: Duration) -> Option<Barrier> {
        let barrier = self.locked(|shared| shared.barrier);
        barrier.filter(|(_, until)| now < *until).map(|(barrier, _)| barrier)
    }

    /// Why simulated time stands still at `now`, and what lets it go on.
    #[must_use]
    pub fn paused(&self, now: Duration) -> Option<&'static str> {
        self.clock.paused(now).map(|standing| standing.reason)
    }

    /// Warns once of each time that stands still that what moves the robot waits for it.
    fn warn_paused(&self, topic: &'static str, now: Duration) {
        let Some(Paused { since, reason }) = self.clock.paused(now) else { return };
        if self.locked(|shared| shared.reported_standing.replace(since)) != Some(since) {
            tracing::warn!("{topic}: {reason}");
        }
    }

    /// How many messages and calls of each topic and service were taken since the last look.
    #[must_use]
    pub fn take_counts(&self) -> BTreeMap<&'static str, u64> {
        self.locked(|shared| std::mem::take(&mut shared.taken))
    }

    /// The clock commands are dated by.
    #[must_use]
    pub fn now(&self) -> Duration {
        (self.now)()
    }

    /// Hands over what a message holds, or counts why it is refused; whether it was taken.
    pub fn take(&self, topic: &'static str, command: Result<Command, String>, from: &From) -> bool {
        self.try_take(topic, command, from).is_ok()
    }

    /// Keeps a second handle to a motion made for one use.
    #[must_use]
    pub fn keep(&self, motion: Motion) -> Arc<Motion> {
        let motion = Arc::new(motion);
        self.locked(|shared| {
            shared.kept.retain(|kept| Arc::strong_count(kept) > 1);
            shared.kept.push(Arc::clone(&motion));
        });
        motion
    }

    /// As [`Self::take`].
    ///
    /// # Errors
    /// Why it is refused.
    pub fn try_take(&self, topic: &'static str, command: Result<Command, String>, from: &From) -> Result<(), String> {
        match command {
            Ok(command) => self.hand_over(topic, self.received(command, Some(from.sender), from.at)),
            Err(reason) => {
                self.reject(topic, reason.as_str());
                Err(reason)
            }
        }
    }

    /// Counts a message that is refused. The log tells of a topic's new reasons, one a second.
    pub fn reject(&self, topic: &'static str, reason: impl Into<String>) {
        let reason = bounds::reason(&reason.into()).into_owned();
        let line = self.locked(|shared| {
            let entry = shared.rejected.entry(topic).or_default();
            entry.count += 1;
            let is_new = entry.reason != reason;
            entry.reason.clone_from(&reason);
            if is_new { entry.lines.admit(&reason, monotonic_now()) } else { None }
        });
        if let Some(line) = line {
            tracing::warn!("{topic}: {line}");
        }
    }

    /// What has been refused so far, by topic.
    #[must_use]
    pub fn rejected(&self) -> BTreeMap<&'static str, Rejected> {
        self.locked(|shared| shared.rejected.clone())
    }

    fn locked<R>(&self, work: impl FnOnce(&mut Shared) -> R) -> R {
        work(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The planar part of a twist; all six numbers must be finite, though three are not used.
///
/// # Errors
/// Names the field that is not finite.
pub fn planar(message: &TwistMsg) -> Result<Command, String> {
    let TwistMsg { linear, angular } = message;
    let fields = [
        ("linear.x", linear.x),
        ("linear.y", linear.y),
        ("linear.z", linear.z),
        ("angular.x", angular.x),
        ("angular.y", angular.y),
        ("angular.z", angular.z),
    ];
    all_finite(&fields)?;
    Ok(Command::Twist(Twist::new(linear.x, linear.y, angular.z)))
}

/// A single number.
///
/// # Errors
/// It is not finite.
pub fn finite(value: f64) -> Result<f64, String> {
    all_finite(&[("data", value)]).map(|()| value)
}

/// A pose of the body against its standing pose. A quaternion of zeros, as in a message left blank, turns nothing.
///
/// # Errors
/// A number is not finite, or the quaternion is none.
pub fn body_offset(message: &Pose) -> Result<BodyOffset, String> {
    let (p, q) = (&message.position, &message.orientation);
    all_finite(&[("position.x", p.x), ("position.y", p.y), ("position.z", p.z)])?;
    all_finite(&[("orientation.x", q.x), ("orientation.y", q.y), ("orientation.z", q.z), ("orientation.w", q.w)])?;
    let quaternion = Quaternion::new(q.w, q.x, q.y, q.z);
    let norm = quaternion.norm();
    let rotation = if norm == 0.0 {
        Vector3::zeros()
    } else if (norm - 1.0).abs() > 0.1 {
        return Err(format!("orientation has the norm {norm:.3}; a rotation has 1"));
    } else {
        UnitQuaternion::from_quaternion(quaternion).scaled_axis()
    };
    Ok(BodyOffset { translation: Vector3::new(p.x, p.y, p.z), rotation })
}

fn all_finite(fields: &[(&str, f64)]) -> Result<(), String> {
    match fields.iter().find(|(_, value)| !value.is_finite()) {
        Some((field, value)) => Err(format!("{field} is {value}; the message was dropped")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_any_field_of_a_twist_is_not_finite_expect_it_dropped_by_name() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for field in 0..6 {
                let mut message = TwistMsg::default();
                let fields = [
                    &mut message.linear.x,
                    &mut message.linear.y,
                    &mut message.linear.z,
                    &mut message.angular.x,
                    &mut message.angular.y,
                    &mut message.angular.z,
                ];
                *fields.into_iter().nth(field).unwrap() = bad;
                let reason = planar(&message).unwrap_err();
                assert!(reason.contains(["linear.", "angular."][field / 3]), "{reason}");
            }
        }
    }

    #[test]
    fn when_reasons_are_huge_and_many_expect_little_kept_and_each_counted() {
        let (queue, _, _incoming) = crate::command::queues();
        let inbox = Inbox::new(queue, Arc::new(|| Duration::ZERO), Shutdown::default());
        for number in 0..1000 {
            inbox.reject("gait", format!("{number} {}", "g".repeat(100_000)));
        }
        let rejected = inbox.rejected();
        assert_eq!((rejected.len(), rejected["gait"].count), (1, 1000));
        assert!(rejected["gait"].reason.starts_with("999 g") && rejected["gait"].reason.len() <= bounds::MAX_REASON);
    }

    #[test]
    fn when_a_pose_is_blank_expect_no_offset_and_when_its_quaternion_is_none_a_refusal() {
        let blank = Pose::default();
        assert_eq!(body_offset(&blank), Ok(BodyOffset::default()));
        let mut bad = Pose::default();
        bad.orientation.w = 3.0;
        assert!(body_offset(&bad).unwrap_err().contains("norm"));
    }
}
