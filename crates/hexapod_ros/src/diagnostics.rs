//! `/diagnostics`: one status per node, once a second.

use crate::bounds::{self, MAX_DIAGNOSTICS};
use crate::clock::{RosClock, to_stamp};
use crate::error::RosError;
use crate::node::RosNode;
use crate::pacer::Lateness;
use crate::publisher::{Publisher, warn_if_lost};
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

/// One node's status, put together once a second. Whatever is put in, it fits into one message of [`MAX_DIAGNOSTICS`].
#[derive(Clone, Debug, Default)]
pub struct Status {
    level: Level,
    message: String,
    values: Vec<KeyValue>,
    /// What the values take at most when they are serialized, bytes.
    size: usize,
    left_out: u64,
}

/// What a text takes at most when it is serialized, beside its bytes: its length, its end and padding (CDR).
const TEXT_SIZE: usize = 4 + 1 + 3;
/// What is set aside for all that is not a value: stamp, level, lengths, and name, hardware and message at their longest.
const REST_SIZE: usize = 64 + 2 * (4 * bounds::MAX_EXCERPT + TEXT_SIZE) + 4 * bounds::MAX_REASON + TEXT_SIZE;
/// The key under which values that found no room are counted, and what that takes.
const LEFT_OUT: &str = "values left out";
const LEFT_OUT_SIZE: usize = LEFT_OUT.len() + 20 + 2 * TEXT_SIZE;

impl Status {
    /// Raises the level; the message of the worst level is the one that is shown.
    pub fn report(&mut self, level: Level, message: impl Into<String>) {
        if self.message.is_empty() || level > self.level {
            self.message = bounds::reason(&message.into()).into_owned();
        }
        self.level = self.level.max(level);
    }

    /// Adds a key and its value, shortened where they are long; where there is no more room it is counted only.
    pub fn value(&mut self, key: &str, value: impl ToString) {
        let value = value.to_string();
        let (key, value) = (bounds::excerpt(key), bounds::reason(&value));
        let size = key.len() + value.len() + 2 * TEXT_SIZE;
        if self.size + size + REST_SIZE + LEFT_OUT_SIZE > MAX_DIAGNOSTICS {
            self.left_out += 1;
            return;
        }
        self.size += size;
        self.values.push(KeyValue { key: key.into_owned(), value: value.into_owned() });
    }

    /// Adds how well a loop keeps its rate over the last `seconds`, and warns of skipped deadlines.
    pub fn lateness(&mut self, lateness: &Lateness, seconds: f64) {
        self.value("loop rate (Hz)", format!("{:.1}", lateness.cycles as f64 / seconds));
        self.value("lateness p99 (us)", lateness.quantile(0.99).as_micros());
        self.value("lateness worst (us)", lateness.worst().as_micros());
        self.value("overruns", lateness.overruns);
        if lateness.overruns > 0 {
            let missed = lateness.overruns;
            let deadlines = if missed == 1 { "deadline" } else { "deadlines" };
            self.report(Level::Warn, format!("{missed} control-loop {deadlines} missed in the last second"));
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
    pub fn publish(&self, status: Status) {
        let mut array = DiagnosticArray::default();
        array.header.stamp = to_stamp(self.clock.now());
        array.status.push(message(status, &self.name, &self.hardware_id));
        warn_if_lost(self.publisher.publish(&array));
    }
}

fn message(mut status: Status, name: &str, hardware_id: &str) -> DiagnosticStatus {
    if status.message.is_empty() {
        status.message = "ok".into();
    }
    if status.left_out > 0 {
        status.values.push(KeyValue { key: LEFT_OUT.into(), value: status.left_out.to_string() });
    }
    DiagnosticStatus {
        level: status.level as u8,
        name: bounds::excerpt(name).into_owned(),
        message: status.message,
        hardware_id: bounds::excerpt(hardware_id).into_owned(),
        values: status.values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use r2r::WrappedTypesupport;

    fn serialized(status: Status, name: &str) -> usize {
        let mut array = DiagnosticArray::default();
        array.status.push(message(status, name, name));
        array.to_serialized_bytes().unwrap().len()
    }

    #[test]
    fn when_a_value_is_huge_expect_its_beginning_and_the_others_whole() {
        let mut status = Status::default();
        status.value("last reason on gait", "g".repeat(5_000_000));
        status.value("state", "standing");
        assert!(status.values[0].value.ends_with("(5000000 bytes)"));
        assert_eq!(status.values[1].value, "standing");
        assert!(serialized(status, "gait_planner") < 1024);
    }

    #[test]
    fn when_there_are_too_many_values_expect_the_first_and_the_others_counted() {
        let mut status = Status::default();
        (0..100_000).for_each(|number| status.value(&format!("key {number}"), number));
        let kept = status.values.len();
        let message = message(status, "node", "robot");
        assert_eq!(message.values[0].key, "key 0");
        assert_eq!(message.values[kept].key, LEFT_OUT);
        assert_eq!(message.values[kept].value, (100_000 - kept).to_string());
    }

    proptest! {
        #[test]
        fn when_anything_is_put_in_expect_a_message_within_the_bound(
            texts in prop::collection::vec(("\\PC{0,200}", ".{0,900}", 1_usize..20), 0..40), name in ".{0,300}",
        ) {
            let mut status = Status::default();
            for (key, value, times) in &texts {
                status.value(key, value.repeat(*times));
                status.report(Level::Error, value.as_str());
            }
            let size = serialized(status, &name);
            prop_assert!(size <= MAX_DIAGNOSTICS, "{} bytes", size);
        }
    }
}
