//! Messages of clients: parsed once, with every value in its bounds.

use super::{MOST_BYTES, MOST_NAME};
use crate::intents::{Motion, Seen, Stop, Want};
use hexapod_ros::bounds;
use serde::Deserialize;
use std::time::Duration;

/// Greatest number that is taken for a speed, a length or an angle: the robot's own limits are far below.
const MOST: f64 = 100.0;
/// Greatest curvature, exclusive.
const MOST_CURVATURE: f64 = 2.0;

/// A message as it is written.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Written {
    Hello { version: u32, name: String },
    Ping { id: u64 },
    Lease { id: u64, want: WrittenWant },
    Stop { kind: StopKind },
    Drive { seen: u64, vx: f64, vy: f64, wz: f64 },
    Arc { seen: u64, velocity: f64, curvature: f64 },
    Pose { seen: u64, x: f64, y: f64, z: f64, roll: f64, pitch: f64, yaw: f64 },
    Gait { id: u64, name: String },
    Motion { id: u64, name: String, seen: Option<u64> },
    Call { id: u64, service: Service, seen: Option<u64> },
    Record { id: u64, on: bool },
    StopAll { id: u64 },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenWant {
    Take,
    TakeOver,
    Release,
}

/// A way to stop, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StopKind {
    /// All servos off at once.
    Emergency,
    /// With all feet planted.
    Halt,
}

/// A service of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Stand up.
    Stand,
    /// Sit down.
    Sit,
    /// Fold the legs.
    Pack,
    /// Servos on.
    Enable,
    /// Servos off.
    Disable,
}

/// An offset of the body from its standing pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseOffset {
    /// x, y, z, m.
    pub position: [f64; 3],
    /// Roll, pitch, yaw, rad.
    pub angles: [f64; 3],
}

/// What a client asks for and gets an answer to.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// The lease.
    Lease(Want),
    /// A gait by its name.
    Gait(String),
    /// A motion by its name; empty: none.
    Motion(String, Seen),
    /// A service.
    Call(Service, Seen),
    /// To start or end a recording.
    Record(bool),
    /// To stop every robot of the network with all feet planted.
    StopAll,
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Who it is, and the protocol's version it speaks.
    Hello {
        /// The version.
        version: u32,
        /// How it is shown to others.
        name: String,
    },
    /// To be answered at once.
    Ping(u64),
    /// A stop.
    Stop(Stop),
    /// A motion, with the newest state seen.
    Move(Motion, u64),
    /// A pose, with the newest state seen.
    Pose(PoseOffset, u64),
    /// Something with an answer, by its number.
    Ask(u64, Ask),
}

/// Why a message is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bad {
    /// It is no message of this protocol: the connection ends.
    Message(String),
    /// A value is out of range: it is refused. What the message was, and its number where it has one.
    Value(&'static str, Option<u64>, String),
}

/// Parses a message of a client whose connection has answered a ping of the time `answered`.
///
/// # Errors
/// It is none, or a value is out of range.
pub fn parse(text: &str, answered: Duration) -> Result<Incoming, Bad> {
    if text.len() > MOST_BYTES {
        return Err(Bad::Message(format!("{} bytes are too many; {MOST_BYTES} are the most", text.len())));
    }
    let written: Written = match serde_json::from_str(text) {
        Ok(written) => written,
        Err(error) => {
            let bad = || Bad::Message(bounds::reason(&error.to_string()).into_owned());
            return flawed_stop(text).map(Incoming::Stop).ok_or_else(bad);
        }
    };
    let known = |seen: Option<u64>| seen.map_or(Seen::Until(answered), Seen::State);
    Ok(match written {
        Written::Hello { version, name } => Incoming::Hello { version, name: shown(&name) },
        Written::Ping { id } => Incoming::Ping(id),
        Written::Stop { kind: StopKind::Emergency } => Incoming::Stop(Stop::Emergency),
        Written::Stop { kind: StopKind::Halt } => Incoming::Stop(Stop::Halt),
        Written::Drive { seen, vx, vy, wz } => {
            within("drive", &[vx, vy, wz], MOST)?;
            Incoming::Move(Motion::Twist { vx, vy, wz }, seen)
        }
        Written::Arc { seen, velocity, curvature } => {
            within("arc", &[velocity], MOST)?;
            if curvature.abs() >= MOST_CURVATURE {
                return Err(Bad::Value("arc", None, format!("curvature is {curvature}; it is within (-2, 2)")));
            }
            Incoming::Move(Motion::Arc { velocity, curvature }, seen)
        }
        Written::Pose { seen, x, y, z, roll, pitch, yaw } => {
            within("pose", &[x, y, z, roll, pitch, yaw], MOST)?;
            Incoming::Pose(PoseOffset { position: [x, y, z], angles: [roll, pitch, yaw] }, seen)
        }
        Written::Lease { id, want } => {
            let want = match want {
                WrittenWant::Take => Want::Take,
                WrittenWant::TakeOver => Want::TakeOver,
                WrittenWant::Release => Want::Release,
            };
            Incoming::Ask(id, Ask::Lease(want))
        }
        Written::Gait { id, name } => Incoming::Ask(id, Ask::Gait(named("gait", id, name)?)),
        Written::Motion { id, name, seen } => Incoming::Ask(id, Ask::Motion(named("motion", id, name)?, known(seen))),
        Written::Call { id, service, seen } => Incoming::Ask(id, Ask::Call(service, known(seen))),
        Written::Record { id, on } => Incoming::Ask(id, Ask::Record(on)),
        Written::StopAll { id } => Incoming::Ask(id, Ask::StopAll),
    })
}

/// A stop that is not written as one should be. Whoever wrote it wants the robot to stop: at once unless he says otherwise.
fn flawed_stop(text: &str) -> Option<Stop> {
    let written: serde_json::Value = serde_json::from_str(text).ok()?;
    let word =
        |key: &str| written.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().trim().to_lowercase();
    let kind = if word("kind") == "halt" { Stop::Halt } else { Stop::Emergency };
    (word("type") == "stop").then_some(kind)
}

/// Refuses numbers that no robot is asked for.
fn within(what: &'static str, numbers: &[f64], most: f64) -> Result<(), Bad> {
    match numbers.iter().find(|number| !(-most..=most).contains(*number)) {
        Some(number) => Err(Bad::Value(what, None, format!("{number:e} is out of range"))),
        None => Ok(()),
    }
}

fn named(what: &'static str, id: u64, name: String) -> Result<String, Bad> {
    match bounds::name(what, &name) {
        Ok(_) => Ok(name),
        Err(reason) => Err(Bad::Value(what, Some(id), reason)),
    }
}

/// A client's name as it may be shown.
fn shown(name: &str) -> String {
    bounds::shorten(name.trim(), MOST_NAME).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Incoming, Bad> {
        super::parse(text, Duration::ZERO)
    }

    #[test]
    fn when_the_examples_of_the_document_are_parsed_expect_each_a_message() {
        let document = include_str!("../../../../docs/web_protocol.md");
        let section = document.split("## From the client").nth(1).unwrap().split("## From the server").next().unwrap();
        let examples: Vec<&str> = section.split('`').filter(|words| words.starts_with("{\"type\"")).collect();
        assert_eq!(examples.len(), 12, "{examples:?}");
        for example in examples {
            assert!(parse(example).is_ok(), "{example}: {:?}", parse(example));
        }
    }

    #[test]
    fn when_a_message_is_none_of_the_protocol_expect_the_connection_to_end() {
        let deep = "[".repeat(2000);
        let long = format!(r#"{{"type":"ping","id":1{}}}"#, " ".repeat(MOST_BYTES));
        for text in [
            "",
            "{}",
            "null",
            "7",
            r#"{"type":"fly"}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"ping","id":-1}"#,
            r#"{"type":"ping","id":1,"more":2}"#,
            r#"{"type":"drive","seen":1,"vx":1e999,"vy":0,"wz":0}"#,
            r#"{"type":"drive","seen":1,"vx":NaN,"vy":0,"wz":0}"#,
            r#"{"type":"drive","seen":1,"vx":null,"vy":0,"wz":0}"#,
            r#"{"type":"ping","id":1}{"type":"ping","id":1}"#,
            &deep,
            &long,
        ] {
            assert!(matches!(parse(text), Err(Bad::Message(_))), "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn when_a_stop_is_not_written_as_it_should_be_expect_it_to_stop_all_the_same() {
        for (text, stop) in [
            (r#"{"type":"stop","kind":"emergency","id":5}"#, Stop::Emergency),
            (r#"{"type":"stop"}"#, Stop::Emergency),
            (r#"{"type":"STOP","kind":7}"#, Stop::Emergency),
            (r#"{"type":"stop","kind":"softly"}"#, Stop::Emergency),
            (r#"{"type":"stop","kind":"Halt ","more":[]}"#, Stop::Halt),
        ] {
            assert_eq!(parse(text), Ok(Incoming::Stop(stop)), "{text}");
        }
        assert!(parse(r#"{"type":"stopped","kind":"emergency"}"#).is_err());
        assert!(parse(r#"["stop"]"#).is_err());
    }

    #[test]
    fn when_a_value_is_out_of_range_expect_it_refused_by_name() {
        for (text, expect) in [
            (r#"{"type":"drive","seen":1,"vx":101,"vy":0,"wz":0}"#, ("drive", None)),
            (r#"{"type":"arc","seen":1,"velocity":0.1,"curvature":2}"#, ("arc", None)),
            (r#"{"type":"pose","seen":1,"x":0,"y":0,"z":1e9,"roll":0,"pitch":0,"yaw":0}"#, ("pose", None)),
            (&format!(r#"{{"type":"gait","id":4,"name":"{}"}}"#, "g".repeat(81)), ("gait", Some(4))),
            (r#"{"type":"gait","id":4,"name":"a\u0000b"}"#, ("gait", Some(4))),
            (r#"{"type":"motion","id":5,"name":"a\nb"}"#, ("motion", Some(5))),
        ] {
            match parse(text) {
                Err(Bad::Value(what, id, _)) => assert_eq!((what, id), expect),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn when_a_client_has_a_long_name_or_one_of_several_lines_expect_it_short_and_on_one() {
        let hello = |name: &str| parse(&serde_json::json!({"type": "hello", "version": 1, "name": name}).to_string());
        let Ok(Incoming::Hello { name, .. }) = hello(&"x\n".repeat(99)) else { panic!() };
        assert!(name.chars().count() <= MOST_NAME && !name.contains('\n'), "{name}");
    }
}
