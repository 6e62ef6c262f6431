//! The topic `foot_switches`, where switches under feet are wired to the servos' board.

use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::std_msgs::msg::{MultiArrayDimension, UInt8MultiArray};
use hexapod_ros::{Publisher, RosError, RosNode, warn_if_lost};
use hexapod_servo::backend::Feet;
use std::time::Duration;

/// What publishes switches.
pub(crate) struct FootSwitches {
    publisher: Publisher<UInt8MultiArray>,
    message: UInt8MultiArray,
    /// When those were read that were published last.
    published: Option<Duration>,
}

impl FootSwitches {
    /// Those of these legs.
    pub fn open(node: &mut RosNode, legs: &[String]) -> Result<Self, RosError> {
        let publisher = node.publisher("foot_switches", QosProfile::default())?;
        Ok(Self { publisher, message: blank(legs), published: None })
    }

    /// Publishes what was read since: a reply that is missing costs one message, and no old one stands in for it.
    pub fn publish_new(&mut self, feet: Option<Feet>) {
        let Some(feet) = feet.filter(|feet| self.published != Some(feet.at)) else { return };
        self.published = Some(feet.at);
        fill(&mut self.message, feet.pressed);
        warn_if_lost(self.publisher.publish(&self.message));
    }
}

fn blank(legs: &[String]) -> UInt8MultiArray {
    let size = u32::try_from(legs.len()).unwrap_or_default();
    let mut message = UInt8MultiArray { data: vec![0; legs.len()], ..UInt8MultiArray::default() };
    message.layout.dim = vec![MultiArrayDimension { label: legs.join(","), size, stride: size }];
    message
}

fn fill(message: &mut UInt8MultiArray, pressed: u32) {
    message.data.iter_mut().enumerate().for_each(|(bit, foot)| *foot = u8::from(pressed >> bit & 1 != 0));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_ros::ContactReader;

    #[test]
    fn when_switches_of_some_legs_are_published_expect_their_readers_to_find_them_and_nothing_said_of_the_others() {
        let legs = ["left_front", "left_rear", "right_rear"].map(String::from);
        let mut message = blank(&[legs[2].clone(), legs[0].clone()]);
        let mut reader = ContactReader::of_some("foot_switches", legs.to_vec());
        for (pressed, expected) in [(0b01, [Some(false), None, Some(true)]), (0b10, [Some(true), None, Some(false)])] {
            fill(&mut message, pressed);
            assert_eq!(reader.read(&message).unwrap(), expected);
        }
    }
}
