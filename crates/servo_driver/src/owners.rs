//! Who commands which joint. A joint follows one source at a time, from its first command on; another one has it only
//! after the first has been silent for longer than its commands live. So two planners never pull a leg to and fro, and a
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

    /// Gives `joints` to `sender`, who commands them `at` that time; all of them or none.
    pub fn claim(&mut self, sender: Sender, joints: &[usize], at: Duration) -> Result<(), Conflict> {
        for &joint in joints {
            if let Some(owner) = self.owner(joint, at).filter(|&owner| owner != sender) {
                return Err(Conflict { joint, owner, refused: sender, at });
            }
        }
        for &joint in joints {
            if let Some(owner) = self.owners.get_mut(joint) {
                *owner = Some(Owner { sender, at });
            }
        }
        Ok(())
    }

    /// Who owns the joint at `now`.
    fn owner(&self, joint: usize, now: Duration) -> Option<Sender> {
        let owner = (*self.owners.get(joint)?)?;
        (now.saturating_sub(owner.at) <= self.timeout).then_some(owner.sender)
    }
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
        assert_eq!(owners.claim(FIRST, &[0, 1], MS(1000)), Ok(()));
        let refused = owners.claim(SECOND, &[1, 2], MS(1250));
        assert_eq!(refused, Err(Conflict { joint: 1, owner: FIRST, refused: SECOND, at: MS(1250) }));
        assert_eq!(owners.claim(SECOND, &[1, 2], MS(1251)), Ok(()));
        assert_eq!(owners.claim(FIRST, &[1], MS(1300)).map_err(|conflict| conflict.owner), Err(SECOND));
    }

    #[test]
    fn when_sources_command_different_joints_expect_each_to_have_its_own() {
        let mut owners = Owners::new(MS(250));
        for at in 0..100 {
            assert_eq!(owners.claim(FIRST, &[0, 1], MS(10 * at)), Ok(()));
            assert_eq!(owners.claim(SECOND, &[2], MS(10 * at + 5)), Ok(()));
        }
        assert!(owners.claim(SECOND, &[2, 1], MS(1000)).is_err());
        assert_eq!(owners.claim(FIRST, &[0], MS(1200)), Ok(()));
        assert_eq!(owners.claim(SECOND, &[1], MS(1241)), Ok(()), "the first commands it no more");
    }

    #[test]
    fn when_a_message_is_refused_expect_none_of_its_joints_taken() {
        let mut owners = Owners::new(MS(250));
        owners.claim(FIRST, &[3], MS(0)).unwrap();
        assert!(owners.claim(SECOND, &[1, 2, 3], MS(1)).is_err());
        assert_eq!(owners.claim(FIRST, &[1, 2], MS(2)), Ok(()));
    }
}
