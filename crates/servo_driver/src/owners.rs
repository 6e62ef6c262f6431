//! Who commands which joint. A joint follows one source at a time, from its first command on; another one has it only
//! after the first has been silent for longer than its commands live, and, where sources speak only when something changes,
//! is gone. So two planners never pull a leg to and fro, and a
//! source of some joints has those and no others.

use hexapod_ros::Sender;
use std::time::Duration;

/// Most joints one driver has.
pub const MAX_JOINTS: usize = 64;

/// The owners of all joints.
#[derive(Debug)]
pub(crate) struct Owners {
    timeout: Duration,
    owners: [Option<Owner>; MAX_JOINTS],
}

#[derive(Clone, Copy, Debug)]
struct Owner {
    sender: Sender,
    /// When it last commanded the joint, on the monotonic clock.
    at: Duration,
}

/// Two sources want one joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Index of the joint.
    pub joint: usize,
    /// Who has it.
    pub owner: Sender,
    /// Who was refused.
    pub refused: Sender,
    /// When, on the monotonic clock.
    pub at: Duration,
}

impl Owners {
    /// Nobody owns anything yet. An owner that is silent for longer than `timeout` is one no more.
    pub fn new(timeout: Duration) -> Self {
        Self { timeout, owners: [None; MAX_JOINTS] }
    }

    /// Gives `joints` (a bit for each, as in `kept`) to `sender`, who commands them `at` that time; all of them or none. The
    /// owners of joints that are `kept` are there, however silent.
    pub fn claim(&mut self, sender: Sender, joints: u64, at: Duration, kept: u64) -> Result<(), Conflict> {
        for joint in bits(joints) {
            if let Some(owner) = self.owner(joint, at, kept).filter(|&owner| owner != sender) {
                return Err(Conflict { joint, owner, refused: sender, at });
            }
        }
        bits(joints).for_each(|joint| self.owners[joint] = Some(Owner { sender, at }));
        Ok(())
    }

    /// Who owns the joint at `now`.
    fn owner(&self, joint: usize, now: Duration, kept: u64) -> Option<Sender> {
        let owner = self.owners[joint]?;
        let is_there = kept & (1 << joint) != 0 || now.saturating_sub(owner.at) <= self.timeout;
        is_there.then_some(owner.sender)
    }
}

/// The joints whose bits are set.
pub(crate) fn bits(joints: u64) -> impl Iterator<Item = usize> {
    (0..MAX_JOINTS).filter(move |joint| joints & (1 << joint) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;
    const FIRST: Sender = Sender::Local(1);
    const SECOND: Sender = Sender::Local(2);

    #[test]
    fn when_a_second_source_commands_a_joint_expect_it_refused_until_the_first_is_silent() {
        let mut owners = Owners::new(MS(250));
        assert_eq!(owners.claim(FIRST, 0b11, MS(1000), 0), Ok(()));
        let refused = owners.claim(SECOND, 0b110, MS(1250), 0);
        assert_eq!(refused, Err(Conflict { joint: 1, owner: FIRST, refused: SECOND, at: MS(1250) }));
        assert_eq!(owners.claim(SECOND, 0b110, MS(1251), 0), Ok(()));
        assert_eq!(owners.claim(FIRST, 0b10, MS(1300), 0).map_err(|conflict| conflict.owner), Err(SECOND));
    }

    #[test]
    fn when_sources_command_different_joints_expect_each_to_have_its_own() {
        let mut owners = Owners::new(MS(250));
        for at in 0..100 {
            assert_eq!(owners.claim(FIRST, 0b11, MS(10 * at), 0), Ok(()));
            assert_eq!(owners.claim(SECOND, 0b100, MS(10 * at + 5), 0), Ok(()));
        }
        assert!(owners.claim(SECOND, 0b110, MS(1000), 0).is_err());
        assert_eq!(owners.claim(FIRST, 0b1, MS(1200), 0), Ok(()));
        assert_eq!(owners.claim(SECOND, 0b10, MS(1241), 0), Ok(()), "the first commands it no more");
    }

    #[test]
    fn when_a_message_is_refused_expect_none_of_its_joints_taken() {
        let mut owners = Owners::new(MS(250));
        owners.claim(FIRST, 0b1000, MS(0), 0).unwrap();
        assert!(owners.claim(SECOND, 0b1110, MS(1), 0).is_err());
        assert_eq!(owners.claim(FIRST, 0b110, MS(2), 0), Ok(()));
    }

    #[test]
    fn when_a_silent_source_is_there_expect_it_to_keep_its_joints_until_it_is_gone() {
        let mut owners = Owners::new(MS(250));
        owners.claim(FIRST, 0b11, MS(0), 0).unwrap();
        let refused = owners.claim(SECOND, 0b10, MS(60_000), 0b11);
        assert_eq!(refused.map_err(|conflict| conflict.owner), Err(FIRST));
        assert_eq!(owners.claim(SECOND, 0b10, MS(60_010), 0b01), Ok(()));
    }
}
