//! `foot_contacts`, paired with the joint commands of the same tick.

use hexapod_kinematics::MAX_LEGS;
use std::collections::VecDeque;

/// One flag per leg, in the robot's order.
pub(crate) type Contacts = [bool; MAX_LEGS];

/// Contacts in the order they came in. The planner sends each just before the joint commands of the same tick, but the
/// two topics are received apart: contacts may be early by a tick. One is taken per joint command.
#[derive(Debug, Default)]
pub(crate) struct ContactQueue {
    waiting: VecDeque<Contacts>,
    latest: Option<Contacts>,
    /// How many joint commands in a row have left contacts waiting.
    behind: u32,
}

/// When contacts are left over this many times in a row, a joint command has been lost and not merely delayed.
const LOST_AFTER: u32 = 10;
const CAPACITY: usize = 16;

impl ContactQueue {
    pub(crate) fn push(&mut self, contacts: Contacts) {
        if self.waiting.len() >= CAPACITY {
            self.waiting.clear();
        }
        self.waiting.push_back(contacts);
    }

    /// The contacts of the joint commands that have just come in; `None` before the first.
    pub(crate) fn take(&mut self) -> Option<Contacts> {
        self.latest = self.waiting.pop_front().or(self.latest);
        self.behind = if self.waiting.is_empty() { 0 } else { self.behind + 1 };
        if self.behind >= LOST_AFTER {
            self.latest = self.waiting.drain(..).next_back().or(self.latest);
            self.behind = 0;
        }
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn numbered(number: usize) -> Contacts {
        std::array::from_fn(|leg| number & (1 << leg) != 0)
    }

    #[test]
    fn when_contacts_are_early_or_missing_expect_those_of_the_tick() {
        let mut queue = ContactQueue::default();
        assert_eq!(queue.take(), None);
        queue.push(numbered(1));
        queue.push(numbered(2));
        assert_eq!(
            (queue.take(), queue.take(), queue.take()),
            (Some(numbered(1)), Some(numbered(2)), Some(numbered(2)))
        );
    }

    #[test]
    fn when_a_joint_command_is_lost_expect_the_queue_to_catch_up() {
        let mut queue = ContactQueue::default();
        queue.push(numbered(0));
        for tick in 1..=10 {
            queue.push(numbered(tick));
            let expected = if tick < 10 { tick - 1 } else { tick };
            assert_eq!(queue.take(), Some(numbered(expected)));
        }
        queue.push(numbered(11));
        assert_eq!(queue.take(), Some(numbered(11)));
    }
}
