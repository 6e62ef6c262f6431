//! Messages to clients.

use crate::intents::ClientId;
use serde::Serialize;
use std::collections::BTreeMap;

/// A message as text. Everything sent serialises; what did not would be an empty text.
#[must_use]
pub fn text(message: &impl Serialize) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

/// Answers `hello`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "welcome")]
pub(crate) struct Welcome<'a> {
    pub version: u32,
    pub id: ClientId,
    pub name: &'a str,
    pub namespace: &'a str,
    pub dead_man: f64,
    pub full_stick: FullStick,
    pub state_rate: f64,
    pub max_clients: usize,
}

/// What a fully deflected stick asks for.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct FullStick {
    pub linear: f64,
    pub angular: f64,
}

/// What the numbers of a state belong to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "type", rename = "robot")]
pub struct RobotNames {
    /// Goes up with each change.
    pub revision: u64,
    /// Names of the joints.
    pub joints: Vec<String>,
    /// Names of the legs.
    pub legs: Vec<String>,
    /// Gaits that can be asked for.
    pub gaits: Vec<String>,
    /// Motions that can be asked for.
    pub motions: Vec<String>,
    /// Tag of the description; `None` while there is none.
    pub description: Option<String>,
}

/// The robot now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "type", rename = "state")]
pub struct State {
    /// Its number.
    pub n: u64,
    /// When it was made, s.
    pub t: Rounded,
    /// Which names go with it.
    pub revision: u64,
    /// Angles, rad.
    pub joints: Option<Vec<Rounded>>,
    /// Position and orientation x y z w.
    pub odom: Option<[Rounded; 7]>,
    /// Which feet are down.
    pub contacts: Option<Vec<u8>>,
    /// What is walked: vx, vy, wz.
    pub twist: Option<[Rounded; 3]>,
    /// Footholds chosen on ground that is seen, in the odometry's frame; left out while there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub footholds: Vec<[Rounded; 3]>,
    /// What the robot does.
    pub gait_state: String,
    /// Seconds since each was heard.
    pub age: Ages,
}

/// Seconds since something was heard; `None`: never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ages {
    /// Joint states.
    pub joints: Option<Rounded>,
    /// Odometry.
    pub odom: Option<Rounded>,
    /// Anything of the planner.
    pub planner: Option<Rounded>,
    /// The driver's status.
    pub driver: Option<Rounded>,
}

/// A number that is written with at most four digits behind the point: a tenth of a millimetre, or of a milliradian.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rounded(pub f64);

impl Serialize for Rounded {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rounded = (self.0 * 1e4).round() / 1e4;
        // Not "-0.0", and whole numbers without ".0": shorter, and the same number.
        if rounded == rounded.trunc() && rounded.abs() < 1e15 {
            serializer.serialize_i64(rounded as i64)
        } else {
            serializer.serialize_f64(rounded)
        }
    }
}

/// What the robot's nodes say of themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "type", rename = "health")]
pub struct Health {
    /// When it was made, s.
    pub t: Rounded,
    /// The worst level.
    pub level: u8,
    /// The nodes.
    pub nodes: Vec<NodeStatus>,
    /// The battery, if one tells of itself.
    pub battery: Option<Battery>,
    /// The newest motion that was asked for.
    pub motion: Option<MotionStatus>,
    /// Whether there is a picture.
    pub camera: bool,
    /// Whether there is a map of the ground.
    pub elevation: bool,
}

/// The robots of other namespaces on the network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "type", rename = "fleet")]
pub struct Fleet {
    /// Each.
    pub robots: Vec<FleetRobot>,
}

/// A robot of another namespace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetRobot {
    /// Its namespace.
    pub name: String,
    /// Whether it has confirmed the last stop of all; `None` where that has not reached it yet, or there was none.
    pub is_stopped: Option<bool>,
    /// What it did, or why it is not known to have stopped.
    pub message: String,
}

/// What a node says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NodeStatus {
    /// Its name, without the namespace.
    pub name: String,
    /// 0 ok, 1 warning, 2 error, 3 stale.
    pub level: u8,
    /// In words.
    pub message: String,
    /// How old that is, s.
    pub age: Rounded,
    /// In detail.
    pub values: BTreeMap<String, String>,
}

/// A battery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Battery {
    /// V.
    pub voltage: Option<Rounded>,
    /// From 0 to 1.
    pub percentage: Option<Rounded>,
}

/// What came of a motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MotionStatus {
    /// Its name.
    pub name: String,
    /// As of a node.
    pub level: u8,
    /// In words.
    pub message: String,
}

/// A client as others see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Client {
    /// Its number.
    pub id: ClientId,
    /// How it calls itself.
    pub name: String,
}

/// Who drives, and who is there.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename = "lease")]
pub struct Lease {
    /// The driver.
    pub driver: Option<ClientId>,
    /// Everybody.
    pub clients: Vec<Client>,
    /// What has changed.
    pub change: &'static str,
    /// By whom.
    pub by: Option<ClientId>,
    /// Who drove before.
    pub from: Option<ClientId>,
}

/// What came of the last stop.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "stop")]
pub struct StopReport {
    /// `none`, `emergency` or `halt`.
    pub kind: &'static str,
    /// `asked`, `confirmed`, `failed` or `unanswered`.
    pub phase: &'static str,
    /// By whom.
    pub by: Option<ClientId>,
    /// What that client calls itself.
    pub name: String,
    /// The robot's answer.
    pub message: String,
    /// What releases it.
    pub holds: &'static str,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When, s.
    pub t: Rounded,
    /// As of a node.
    pub level: u8,
    /// Which node.
    pub source: String,
    /// What it says.
    pub text: String,
}

/// Lines of the log.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "event")]
pub(crate) struct Events<'a> {
    pub events: &'a [Event],
}

/// Answers what has a number.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "answer")]
pub(crate) struct Answer<'a> {
    pub id: u64,
    pub ok: bool,
    pub reason: &'static str,
    pub message: &'a str,
}

/// Tells that something without a number was not done.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "refused")]
pub(crate) struct Refused<'a> {
    pub of: &'static str,
    pub reason: &'static str,
    pub message: &'a str,
}

/// Answers a ping.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "pong")]
pub(crate) struct Pong {
    pub id: u64,
    pub t: Rounded,
}

/// How far the recording is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "type", rename = "recording")]
pub struct Recording {
    /// It goes on.
    pub on: bool,
    /// Its size.
    pub bytes: u64,
    /// The largest size.
    pub limit: u64,
    /// Its length.
    pub seconds: Rounded,
    /// It can be fetched.
    pub ready: bool,
    /// Why it ended, where nobody asked.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_numbers_are_written_expect_four_digits_and_no_more_than_is_needed() {
        for (number, expect) in
            [(0.0, "0"), (-0.00001, "0"), (0.123_456, "0.1235"), (-2.5, "-2.5"), (3.0, "3"), (f64::NAN, "null")]
        {
            assert_eq!(text(&Rounded(number)), expect);
        }
    }

    #[test]
    fn when_a_state_is_written_expect_the_documents_fields() {
        let state = State {
            joints: Some(vec![Rounded(0.5)]),
            footholds: vec![[Rounded(0.0); 3]],
            odom: Some([Rounded(0.0); 7]),
            ..State::default()
        };
        let json: serde_json::Value = serde_json::from_str(&text(&state)).unwrap_or_default();
        let document = include_str!("../../../../docs/web_protocol.md");
        let fields = json.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        assert_eq!(fields.len(), 11);
        for field in fields {
            assert!(document.contains(&format!("\"{field}\":")), "{field} is not in the document");
        }
    }
}
