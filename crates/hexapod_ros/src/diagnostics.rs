//! `/diagnostics`: one status per node, once a second.

use crate::clock::{RosClock, to_stamp};
use crate::error::RosError;
use crate::node::RosNode;
use crate::pacer::Lateness;
use crate::publisher::Publisher;
use r2r::QosProfile;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};

/// How bad a status is, as diagnostic_msgs counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All is well.
    #[default]
    Ok = 0,
    /// Somebody should look.
    Warn = 1,
    /// The node does not do what it is for.
    Error = 2,
}

/// One node's status, put together once a second.
#[derive(Clone, Debug, Default)]
pub struct Status {
    level: Level,
    message: String,
    values: Vec<KeyValue>,
}

impl Status {
    /// Raises the level; the message of the worst level is the one that is shown.
    pub fn report(&mut self, level: Level, message: impl Into<String>) {
        if self.message.is_empty() || level > self.level {
            self.message = message.into();
        }
        self.level = self.level.max(level);
    }

    /// Adds a key and its value.
    pub fn value(&mut self, key: &str, value: impl ToString) {
        self.values.push(KeyValue { key: key.into(), value: value.to_string() });
    }

    /// Adds how well a loop keeps its rate over the last `seconds`, and warns of skipped deadlines.
    pub fn lateness(&mut self, lateness: &Lateness, seconds: f64) {
        self.value("loop rate (Hz)", format!("{:.1}", lateness.cycles as f64 / seconds));
        self.value("lateness p99 (us)", lateness.quantile(0.99).as_micros());
        self.value("lateness worst (us)", lateness.worst().as_micros());
        self.value("overruns", lateness.overruns);
        if lateness.overruns > 0 {
            self.report(Level::Warn, format!("{} deadlines of the loop were missed in a second", lateness.overruns));
        }
    }
}

/// The publisher of a node's status.
pub struct Diagnostics {
    publisher: Publisher<DiagnosticArray>,
    name: String,
    hardware_id: String,
    clock: RosClock,
}

impl Diagnostics {
    /// A status named after the node, about the hardware `hardware_id`.
    ///
    /// # Errors
    /// The topic cannot be opened.
    pub fn new(node: &mut RosNode, hardware_id: &str, clock: RosClock) -> Result<Self, RosError> {
        let publisher = node.publisher("/diagnostics", QosProfile::default())?;
        let name = node.full_name()?.trim_start_matches('/').to_owned();
        Ok(Self { publisher, name, hardware_id: hardware_id.into(), clock })
    }

    /// Publishes the status.
    pub fn publish(&self, mut status: Status) {
        if status.message.is_empty() {
            status.message = "ok".into();
        }
        let mut array = DiagnosticArray::default();
        array.header.stamp = to_stamp(self.clock.now());
        array.status.push(DiagnosticStatus {
            level: status.level as u8,
            name: self.name.clone(),
            message: status.message,
            hardware_id: self.hardware_id.clone(),
            values: status.values,
        });
        if let Err(error) = self.publisher.publish(&array) {
            tracing::warn!("{error}");
        }
    }
}
