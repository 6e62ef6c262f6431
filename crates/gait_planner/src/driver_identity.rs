//! Whose `servo_states` count: those of the driver that holds the servos. Anybody may publish the topic, as a bag does that
//! is played beside a robot that walks; what it says of other servos is not to freeze this robot.
//!
//! A driver says all the time what its servos hold, nothing at all while they are released. The first sender to hold
//! anything counts until it lets go or falls silent; while nobody holds anything, the first that is there. Senders of the
//! same process come before others.

use crate::command::Held;
use hexapod_ros::Sender;
use hexapod_ros::bounds::MAX_SERVO_DRIVERS;
use std::time::Duration;

/// A driver that has said nothing for so long is gone: it speaks at least once a second.
const SILENT: Duration = Duration::from_millis(1500);

/// What is said of those who do not count.
pub const NOT_THE_DRIVER: &str = "ignored: another sender is the driver that holds the servos; stop one of the two";

/// Who says what the servos hold, the first to come first, but those of this process before others.
#[derive(Debug, Default)]
pub(crate) struct DriverIdentity(Vec<Candidate>);

#[derive(Clone, Copy, Debug)]
struct Candidate {
    sender: Sender,
    at: Duration,
    holds: bool,
}

impl DriverIdentity {
    /// Whether what `sender` says at that time (monotonic clock) counts.
    pub fn counts(&mut self, sender: Sender, held: &Held, at: Duration) -> bool {
        self.0.retain(|candidate| candidate.sender == sender || at.saturating_sub(candidate.at) < SILENT);
        let before = self.leader();
        let holds = !matches!(held, Held::Nothing);
        let said = Candidate { sender, at, holds };
        match self.0.iter().position(|candidate| candidate.sender == sender) {
            Some(place) => self.0[place] = said,
            None if self.0.len() == MAX_SERVO_DRIVERS => return false,
            None => {
                let is_local = |sender: Sender| matches!(sender, Sender::Local(_));
                let later = |candidate: &Candidate| is_local(sender) && !is_local(candidate.sender);
                let place = self.0.iter().position(later).unwrap_or(self.0.len());
                self.0.insert(place, said);
            }
        }
        // Whoever counted until now says that it lets go, even if another one holds something.
        before == Some(sender) || self.leader() == Some(sender)
    }

    fn leader(&self) -> Option<Sender> {
        let mut holding = self.0.iter().filter(|candidate| candidate.holds);
        holding.next().or(self.0.first()).map(|candidate| candidate.sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_ros::Gid;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const DRIVER: Sender = Sender::Remote(Gid([1; 16]));
    const BAG: Sender = Sender::Remote(Gid([2; 16]));
    const HERE: Sender = Sender::Local(1);
    const LIMP: Held = Held::Nothing;
    const HOLDS: Held = Held::Part;

    /// Whether each of these counts, one every 20 ms.
    fn counts(said: &[(Sender, Held)]) -> Vec<bool> {
        let mut driver_identity = DriverIdentity::default();
        (1..).zip(said).map(|(step, (sender, held))| driver_identity.counts(*sender, held, MS(20 * step))).collect()
    }

    #[test]
    fn when_a_bag_says_that_nothing_is_held_expect_it_ignored_and_the_driver_believed_at_once() {
        for driver in [DRIVER, HERE] {
            let said = [(driver, LIMP), (driver, HOLDS), (BAG, LIMP), (BAG, HOLDS), (BAG, LIMP), (driver, HOLDS)];
            assert_eq!(counts(&said), [true, true, false, false, false, true]);
            assert_eq!(counts(&[(driver, HOLDS), (BAG, HOLDS), (driver, LIMP)]), [true, false, true]);
        }
    }

    #[test]
    fn when_a_bag_was_there_first_expect_the_driver_of_this_process_to_count_before_it() {
        assert_eq!(counts(&[(BAG, HOLDS), (HERE, HOLDS), (BAG, LIMP), (HERE, LIMP)]), [true, true, false, true]);
        assert_eq!(counts(&[(BAG, LIMP), (DRIVER, HOLDS), (BAG, LIMP), (DRIVER, LIMP)]), [true, true, false, true]);
    }

    #[test]
    fn when_a_driver_is_gone_expect_the_next_one_to_count_a_moment_later() {
        let mut driver_identity = DriverIdentity::default();
        assert!(driver_identity.counts(DRIVER, &HOLDS, MS(1000)));
        assert!(!driver_identity.counts(BAG, &LIMP, MS(2000)));
        assert!(driver_identity.counts(BAG, &LIMP, MS(2500)));
    }

    #[test]
    fn when_many_speak_expect_few_kept_and_the_driver_still_believed() {
        let mut driver_identity = DriverIdentity::default();
        assert!(driver_identity.counts(DRIVER, &HOLDS, MS(0)));
        for number in 0..1000 {
            assert!(!driver_identity.counts(Sender::Remote(Gid([3; 16])), &LIMP, MS(0)) || number > 1000);
            let mut gid = [9; 16];
            gid[..8].copy_from_slice(&u64::to_le_bytes(number));
            assert!(!driver_identity.counts(Sender::Remote(Gid(gid)), &LIMP, MS(0)));
        }
        assert_eq!(driver_identity.0.len(), MAX_SERVO_DRIVERS);
        assert!(driver_identity.counts(DRIVER, &LIMP, MS(1)));
    }
}
