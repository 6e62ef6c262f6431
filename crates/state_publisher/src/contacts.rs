//! `foot_contacts`: checked, and paired with the joint commands of the same tick.

use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_ros::bounds::{MAX_LABEL, excerpt};
use hexapod_ros::r2r::std_msgs::msg::UInt8MultiArray;
use std::collections::VecDeque;

/// One flag per leg, in the robot's order.
pub(crate) type Contacts = [bool; MAX_LEGS];

/// Why a `foot_contacts` message is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ContactsRefused {
    #[error("foot_contacts has no leg names: write them into layout.dim[0].label, joined by commas")]
    NoNames,
    #[error("foot_contacts names {names} legs and holds {bytes} bytes")]
    Length { names: usize, bytes: usize },
    #[error("foot_contacts names {given:?}; each of the robot's legs ({legs}) is to be named once")]
    Legs { given: String, legs: String },
    #[error("foot_contacts holds {0}; 0 is in the air, 1 is on the ground")]
    Value(u8),
}

/// Reads `foot_contacts` of a robot. Keeps the names it has seen, as they hardly ever change.
pub(crate) struct ContactReader {
    legs: Vec<String>,
    label: String,
    /// Index of the leg that each byte belongs to.
    order: Vec<usize>,
}

impl ContactReader {
    pub(crate) fn new(robot: &Robot) -> Self {
        let legs = robot.legs().iter().map(|leg| leg.name().to_owned()).collect();
        Self { legs, label: String::new(), order: vec![] }
    }

    pub(crate) fn read(&mut self, message: &UInt8MultiArray) -> Result<Contacts, ContactsRefused> {
        let label = message.layout.dim.first().map_or("", |dim| dim.label.as_str());
        if label.trim().is_empty() {
            return Err(ContactsRefused::NoNames);
        }
        if label != self.label {
            self.order = self.order_of(label)?;
            self.label = label.to_owned();
        }
        if self.order.len() != message.data.len() {
            return Err(ContactsRefused::Length { names: self.order.len(), bytes: message.data.len() });
        }
        let mut contacts = [false; MAX_LEGS];
        for (&leg, &byte) in self.order.iter().zip(&message.data) {
            contacts[leg] = match byte {
                0 => false,
                1 => true,
                other => return Err(ContactsRefused::Value(other)),
            };
        }
        Ok(contacts)
    }

    fn order_of(&self, label: &str) -> Result<Vec<usize>, ContactsRefused> {
        let refused = || ContactsRefused::Legs { given: excerpt(label).into(), legs: self.legs.join(", ") };
        // Blanks around names are allowed, but not kept by the megabyte.
        if label.len() > MAX_LABEL {
            return Err(refused());
        }
        let index = |name: &str| self.legs.iter().position(|leg| leg == name.trim());
        let order: Option<Vec<usize>> = label.split(',').map(index).collect();
        let order = order.ok_or_else(refused)?;
        let once = (0..self.legs.len()).all(|leg| order.iter().filter(|&&at| at == leg).count() == 1);
        if once && order.len() == self.legs.len() { Ok(order) } else { Err(refused()) }
    }
}

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
    use hexapod_ros::r2r::std_msgs::msg::MultiArrayDimension;

    const LABEL: &str = "left_front,left_middle,left_rear,right_front,right_middle,right_rear";

    fn reader() -> ContactReader {
        ContactReader::new(&Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).unwrap())
    }

    fn message(label: &str, data: &[u8]) -> UInt8MultiArray {
        let mut message = UInt8MultiArray { data: data.to_vec(), ..Default::default() };
        message.layout.dim.push(MultiArrayDimension { label: label.into(), ..Default::default() });
        message
    }

    #[test]
    fn when_contacts_hold_expect_them_in_the_robots_order() {
        let mut reader = reader();
        let contacts = reader.read(&message(LABEL, &[1, 0, 0, 1, 0, 1])).unwrap();
        assert_eq!(contacts[..6], [true, false, false, true, false, true]);
        let mixed = "right_rear, left_front,left_middle,left_rear,right_front,right_middle";
        let contacts = reader.read(&message(mixed, &[1, 0, 0, 0, 0, 0])).unwrap();
        assert_eq!(contacts[..6], [false, false, false, false, false, true]);
    }

    #[test]
    fn when_contacts_do_not_hold_expect_the_reason() {
        let mut reader = reader();
        for (label, data, word) in [
            (LABEL, vec![1; 5], "6 legs and holds 5 bytes"),
            (LABEL, vec![1; 7], "holds 7 bytes"),
            (LABEL, vec![1, 1, 1, 1, 1, 2], "holds 2;"),
            ("", vec![1; 6], "no leg names"),
            ("left_front", vec![1], "named once"),
            ("left_front,left_front,left_rear,right_front,right_middle,right_rear", vec![1; 6], "named once"),
            ("a,b,c,d,e,f", vec![1; 6], "left_middle"),
            ("left_front,left_middle,left_rear,right_front,right_middle,right_rear,tail", vec![1; 7], "tail"),
        ] {
            let reason = reader.read(&message(label, &data)).unwrap_err().to_string();
            assert!(reason.contains(word), "{reason}");
        }
        let blanks = format!("{LABEL}{}", " ".repeat(5_000_000));
        let reason = reader.read(&message(&blanks, &[1; 6])).unwrap_err().to_string();
        assert!(reason.contains("bytes)") && reason.len() < 300, "{} bytes", reason.len());
        assert_eq!(reader.read(&UInt8MultiArray::default()), Err(ContactsRefused::NoNames));
        assert!(reader.read(&message(LABEL, &[0; 6])).is_ok());
    }

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
