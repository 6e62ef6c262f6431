//! The topic `battery`, where servos measure their supply.

use crate::supply::Supply;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::BatteryState;
use hexapod_ros::{Publisher, RosError, RosNode, warn_if_lost};
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);
/// `POWER_SUPPLY_STATUS_UNKNOWN`: servos draw, and whether a charger gives more nobody knows.
const UNKNOWN: u8 = 0;

/// What measures the battery.
pub(crate) struct Battery {
    publisher: Publisher<BatteryState>,
    message: BatteryState,
    next: Duration,
}

impl Battery {
    pub fn open(node: &mut RosNode, now: Duration) -> Result<Self, RosError> {
        let nan = f32::NAN;
        let message = BatteryState {
            current: nan,
            temperature: nan,
            charge: nan,
            capacity: nan,
            design_capacity: nan,
            percentage: nan,
            power_supply_status: UNKNOWN,
            present: true,
            ..BatteryState::default()
        };
        Ok(Self { publisher: node.publisher("battery", QosProfile::default())?, message, next: now })
    }

    /// Tells it, once a second, where volts are known.
    pub fn tell(&mut self, supply: &Supply, now: Duration, stamp: hexapod_ros::r2r::builtin_interfaces::msg::Time) {
        let Some(voltage_v) = supply.voltage_v.filter(|_| now >= self.next) else { return };
        self.next = now + EVERY;
        self.message.header.stamp = stamp;
        self.message.voltage = voltage_v as f32;
        // What a battery gives is negative (sensor_msgs/BatteryState).
        self.message.current = supply.current_a.map_or(f32::NAN, |current_a| -current_a as f32);
        warn_if_lost(self.publisher.publish(&self.message));
    }
}
