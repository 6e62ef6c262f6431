//! Sources of joint commands that speak only when a command changes, as ros2_control's topic interface does. While such a
//! source is there, its silence is no loss of commands; whether it is, the graph says. Nobody is taken for one unless the
//! parameter `ros2_control` says so: from the outside it looks like a planner that hangs.

use hexapod_ros::nanos;
use hexapod_ros::{Present, Sender};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many are distinguished; of more the latest count.
const MOST: usize = 8;
/// How often it is looked who is there. A source that spoke once is known to be there before its command is stale.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// What was seen counts no longer than this: the thread that looks may hang.
const SEEN: Duration = Duration::from_secs(1);
/// A source that is silent for so long, and whose node is there again in another process, was killed: the middleware takes
/// 20 s to miss it.
const KILLED_AFTER: Duration = Duration::from_millis(300);

/// Those sources, and the joints that are theirs. Cheap to clone; the thread of the bus reads atomics alone.
#[derive(Clone, Debug, Default)]
pub struct SilentSources(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    allowed: AtomicBool,
    sources: Mutex<Vec<Source>>,
    /// Joints of those who were there at the last look, a bit for each, and until when that counts, ns.
    kept: AtomicU64,
    until_ns: AtomicU64,
    next_look_ns: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
struct Source {
    sender: Sender,
    joints: u64,
    /// When it spoke last.
    at: Duration,
}

impl SilentSources {
    /// From now on a source that is there may be silent.
    pub fn allow(&self) {
        self.0.allowed.store(true, Ordering::SeqCst);
    }

    fn is_allowed(&self) -> bool {
        self.0.allowed.load(Ordering::SeqCst)
    }

    /// Takes down that `sender` spoke `at` that time, and which joints are its own since; none if it was refused.
    pub(crate) fn heard(&self, sender: Sender, joints: u64, at: Duration) {
        if !self.is_allowed() {
            return;
        }
        let mut sources = self.sources();
        let before = sources.iter().position(|source| source.sender == sender).map(|index| sources.remove(index));
        sources.iter_mut().for_each(|source| source.joints &= !joints);
        if sources.len() == MOST {
            let spare = sources.iter().position(|source| source.joints == 0).unwrap_or(0);
            sources.remove(spare);
        }
        // They stand in the order in which they spoke last.
        sources.push(Source { sender, joints: joints | before.map_or(0, |source| source.joints), at });
    }

    /// Looks who is there, if it is time: `look_up` returns who of these is present; nothing is locked while it does.
    pub fn look(&self, now: Duration, look_up: impl FnOnce(&[Sender]) -> Present) {
        if !self.is_allowed() || nanos(now) < self.0.next_look_ns.load(Ordering::SeqCst) {
            return;
        }
        self.0.next_look_ns.store(nanos(now + LOOK_EVERY), Ordering::SeqCst);
        let senders: Vec<Sender> = self.sources().iter().map(|source| source.sender).collect();
        let present = look_up(&senders);
        let mut kept = 0;
        for source in self.sources().iter() {
            let silent = now.saturating_sub(source.at) > KILLED_AFTER;
            let later =
                senders.iter().position(|sender| *sender == source.sender).map_or(&[][..], |at| &senders[at + 1..]);
            // Who spoke for the first time meanwhile is looked for the next time.
            if senders.contains(&source.sender) && !present.lacks(source.sender, silent, later) {
                kept |= source.joints;
            }
        }
        self.0.kept.store(kept, Ordering::SeqCst);
        self.0.until_ns.store(nanos(now + SEEN), Ordering::SeqCst);
    }

    /// Joints, a bit for each, whose source is there at `now`.
    #[must_use]
    pub fn kept(&self, now: Duration) -> u64 {
        let counts = nanos(now) < self.0.until_ns.load(Ordering::SeqCst);
        if counts { self.0.kept.load(Ordering::SeqCst) } else { 0 }
    }

    fn sources(&self) -> MutexGuard<'_, Vec<Source>> {
        self.0.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_ros::Gid;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn sender(process: u8) -> Sender {
        Sender::Remote(Gid([process; 16]))
    }

    fn present<const N: usize>(there: [(u8, &str); N]) -> impl FnOnce(&[Sender]) -> Present {
        move |_| Present::of(there.map(|(process, node)| (sender(process), Some(node.to_owned()))))
    }

    fn sources() -> SilentSources {
        let sources = SilentSources::default();
        sources.allow();
        sources
    }

    #[test]
    fn when_silence_is_not_allowed_expect_no_joint_kept() {
        let sources = SilentSources::default();
        sources.heard(sender(1), 0b11, MS(0));
        sources.look(MS(0), present([(1, "/legs")]));
        assert_eq!(sources.kept(MS(0)), 0);
    }

    #[test]
    fn when_a_source_is_silent_expect_its_joints_kept_as_long_as_the_graph_has_it() {
        let sources = sources();
        sources.heard(sender(1), 0b0011, MS(0));
        sources.heard(sender(2), 0b1100, MS(0));
        assert_eq!(sources.kept(MS(1)), 0, "nobody has looked yet");
        for at in (0..600_000).step_by(100) {
            sources.look(MS(at), present([(1, "/left"), (2, "/right")]));
            assert_eq!(sources.kept(MS(at + 99)), 0b1111);
        }
        sources.look(MS(600_000), present([(2, "/right")]));
        assert_eq!(sources.kept(MS(600_001)), 0b1100);
        sources.look(MS(600_100), present([(1, "/left"), (2, "/right")]));
        assert_eq!(sources.kept(MS(600_101)), 0b1111, "it was out of sight for a moment");
        assert_eq!(sources.kept(MS(601_100)), 0, "who looks hangs");
    }

    #[test]
    fn when_another_source_takes_a_joint_over_expect_it_kept_for_that_one_alone() {
        let sources = sources();
        sources.heard(sender(1), 0b11, MS(0));
        sources.heard(sender(2), 0b10, MS(10));
        sources.heard(sender(2), 0, MS(20));
        sources.look(MS(100), present([(1, "/left")]));
        assert_eq!(sources.kept(MS(100)), 0b01);
        sources.look(MS(200), present([(2, "/right")]));
        assert_eq!(sources.kept(MS(200)), 0b10);
    }

    #[test]
    fn when_a_killed_source_is_started_anew_expect_the_joints_of_the_dead_one_let_go() {
        let sources = sources();
        sources.heard(sender(1), 0b11, MS(0));
        sources.heard(sender(2), 0, MS(200));
        let both = || present([(1, "/legs"), (2, "/legs")]);
        sources.look(MS(250), both());
        assert_eq!(sources.kept(MS(250)), 0b11, "a moment of silence is no death");
        sources.look(MS(400), present([(1, "/legs"), (2, "/other")]));
        assert_eq!(sources.kept(MS(400)), 0b11, "another node");
        sources.look(MS(500), both());
        assert_eq!(sources.kept(MS(500)), 0);
    }

    #[test]
    fn when_many_speak_expect_memory_bounded_and_those_with_joints_remembered() {
        let sources = sources();
        sources.heard(sender(0), 0b1, MS(0));
        for process in 1..=200 {
            sources.heard(sender(process), 0, MS(u64::from(process)));
        }
        assert!(sources.sources().len() <= MOST);
        sources.look(MS(200), present([(0, "/legs")]));
        assert_eq!(sources.kept(MS(200)), 0b1);
    }
}
