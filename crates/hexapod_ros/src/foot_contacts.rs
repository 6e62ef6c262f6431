//! Messages with a flag per foot: `foot_contacts`, `foot_switches` and `sensed_contacts`.

use crate::bounds::{MAX_LABEL, excerpt};
use r2r::std_msgs::msg::UInt8MultiArray;

/// Why such a message is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContactsRefused {
    /// Nothing says whose flags they are.
    #[error("{topic} has no leg names: write them into layout.dim[0].label, joined by commas")]
    NoNames {
        /// The topic.
        topic: &'static str,
    },
    /// Not a byte per name.
    #[error("{topic} names {names} legs and holds {bytes} bytes")]
    Length {
        /// The topic.
        topic: &'static str,
        /// How many legs are named.
        names: usize,
        /// How many bytes there are.
        bytes: usize,
    },
    /// Names that are not those of the robot's legs, or twice the same, or too few.
    #[error("{topic} names {given:?}; {what} of the robot's legs ({legs}) {is} to be named once")]
    Legs {
        /// The topic.
        topic: &'static str,
        /// What it names.
        given: String,
        /// The robot's legs.
        legs: String,
        /// How many of them are needed.
        what: &'static str,
        /// `is`, or `are`.
        is: &'static str,
    },
    /// A byte that is no flag.
    #[error("{topic} holds {value}; 0 is in the air, 1 is on the ground")]
    Value {
        /// The topic.
        topic: &'static str,
        /// The byte.
        value: u8,
    },
}

/// The word for contacts that nobody sensed, in the second label of `sensed_contacts`.
pub const PREDICTED: &str = "predicted";

/// Reads such messages. Keeps the labels it has seen, as they hardly ever change.
#[derive(Clone, Debug)]
pub struct ContactReader {
    topic: &'static str,
    legs: Vec<String>,
    /// Whether every leg must be named.
    whole: bool,
    labels: [String; 2],
    /// Index of the leg that each byte belongs to; `None` where the byte is a prediction.
    order: Vec<Option<usize>>,
    contacts: Vec<Option<bool>>,
}

impl ContactReader {
    /// A reader of `topic`, whose messages name all of these legs.
    #[must_use]
    pub fn of_all(topic: &'static str, legs: Vec<String>) -> Self {
        let contacts = vec![None; legs.len()];
        Self { topic, legs, whole: true, labels: <_>::default(), order: vec![], contacts }
    }

    /// A reader of `topic`, whose messages name any of these legs, such as those that have a switch.
    #[must_use]
    pub fn of_some(topic: &'static str, legs: Vec<String>) -> Self {
        Self { whole: false, ..Self::of_all(topic, legs) }
    }

    /// Whether each of the robot's feet is on the ground, in the order of its legs; `None` where the message does not
    /// say, or says in a second label that it was not sensed.
    ///
    /// # Errors
    /// Why all of the message is refused.
    pub fn read(&mut self, message: &UInt8MultiArray) -> Result<&[Option<bool>], ContactsRefused> {
        let topic = self.topic;
        let label = |at: usize| message.layout.dim.get(at).map_or("", |dim| dim.label.as_str());
        if label(0).trim().is_empty() {
            return Err(ContactsRefused::NoNames { topic });
        }
        if label(0) != self.labels[0] || label(1) != self.labels[1] {
            self.order = self.order_of(label(0), label(1))?;
            self.labels = [label(0).to_owned(), label(1).to_owned()];
        }
        if self.order.len() != message.data.len() {
            return Err(ContactsRefused::Length { topic, names: self.order.len(), bytes: message.data.len() });
        }
        if let Some(&value) = message.data.iter().find(|&&byte| byte > 1) {
            return Err(ContactsRefused::Value { topic, value });
        }
        self.contacts.fill(None);
        for (leg, &byte) in self.order.iter().zip(&message.data) {
            if let Some(contact) = leg.and_then(|leg| self.contacts.get_mut(leg)) {
                *contact = Some(byte == 1);
            }
        }
        Ok(&self.contacts)
    }

    fn order_of(&self, names: &str, sources: &str) -> Result<Vec<Option<usize>>, ContactsRefused> {
        let (what, is) = if self.whole { ("each", "is") } else { ("any", "are") };
        let refused = || ContactsRefused::Legs {
            topic: self.topic,
            given: excerpt(names).into(),
            legs: self.legs.join(", "),
            what,
            is,
        };
        // Blanks around names are allowed, but not kept by the megabyte.
        if names.len().max(sources.len()) > MAX_LABEL {
            return Err(refused());
        }
        let index = |name: &str| self.legs.iter().position(|leg| leg == name.trim());
        let order: Option<Vec<usize>> = names.split(',').map(index).collect();
        let order = order.ok_or_else(refused)?;
        let times = |leg: usize| order.iter().filter(|&&at| at == leg).count();
        if !(0..self.legs.len()).all(|leg| if self.whole { times(leg) == 1 } else { times(leg) <= 1 }) {
            return Err(refused());
        }
        let sensed = sources.split(',').map(|source| source.trim() != PREDICTED).chain(std::iter::repeat(true));
        Ok(order.into_iter().zip(sensed).map(|(leg, sensed)| sensed.then_some(leg)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use r2r::std_msgs::msg::MultiArrayDimension;

    const LABEL: &str = "left_front,left_middle,left_rear,right_front,right_middle,right_rear";

    fn legs() -> Vec<String> {
        LABEL.split(',').map(String::from).collect()
    }

    fn message(label: &str, data: &[u8]) -> UInt8MultiArray {
        let mut message = UInt8MultiArray { data: data.to_vec(), ..Default::default() };
        message.layout.dim.push(MultiArrayDimension { label: label.into(), ..Default::default() });
        message
    }

    #[test]
    fn when_contacts_hold_expect_them_in_the_robots_order() {
        let mut reader = ContactReader::of_all("foot_contacts", legs());
        let contacts = reader.read(&message(LABEL, &[1, 0, 0, 1, 0, 1])).unwrap();
        assert_eq!(contacts, [true, false, false, true, false, true].map(Some));
        let mixed = "right_rear, left_front,left_middle,left_rear,right_front,right_middle";
        let contacts = reader.read(&message(mixed, &[1, 0, 0, 0, 0, 0])).unwrap();
        assert_eq!(contacts, [false, false, false, false, false, true].map(Some));
    }

    #[test]
    fn when_some_legs_have_switches_expect_nothing_said_of_the_others() {
        let mut reader = ContactReader::of_some("foot_switches", legs());
        let contacts = reader.read(&message("right_rear,left_front", &[1, 0])).unwrap();
        assert_eq!(contacts, [Some(false), None, None, None, None, Some(true)]);
        for (label, data) in [("right_rear,right_rear", vec![1, 1]), ("tail", vec![1]), ("", vec![1; 6])] {
            assert!(reader.read(&message(label, &data)).is_err(), "{label:?}");
        }
        assert!(reader.read(&message("left_front", &[1, 1])).is_err());
    }

    #[test]
    fn when_a_contact_was_predicted_expect_it_not_taken_for_sensed() {
        let mut reader = ContactReader::of_some("sensed_contacts", legs());
        let mut message = message("left_front,left_middle,left_rear", &[1, 1, 0]);
        let label = "measured,predicted,estimated".into();
        message.layout.dim.push(MultiArrayDimension { label, ..Default::default() });
        assert_eq!(reader.read(&message).unwrap(), [Some(true), None, Some(false), None, None, None]);
        message.layout.dim[1].label = "predicted".into();
        assert_eq!(reader.read(&message).unwrap(), [None, Some(true), Some(false), None, None, None]);
    }

    #[test]
    fn when_contacts_do_not_hold_expect_the_reason() {
        let mut reader = ContactReader::of_all("foot_contacts", legs());
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
        let mut long = message(LABEL, &[1; 6]);
        long.layout.dim.push(MultiArrayDimension { label: ",".repeat(5_000_000), ..Default::default() });
        assert!(reader.read(&long).is_err());
        assert!(matches!(reader.read(&UInt8MultiArray::default()), Err(ContactsRefused::NoNames { .. })));
        assert!(reader.read(&message(LABEL, &[0; 6])).is_ok());
    }
}
