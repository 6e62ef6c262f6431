//! Messages of clients mangled at random: parsed, or refused with a reason; never a panic, and nothing out of bounds.
//!
//! Runs for `FUZZ_SECONDS` (three; `cargo xtask test` gives it a minute) from `FUZZ_SEED`.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::time::{Duration, Instant};
use web_teleop::gate::Gate;
use web_teleop::intents::Motion;
use web_teleop::protocol::{Bad, Incoming, MOST_BYTES, MOST_NAME, parse};
use web_teleop::visit::Visit;

const CORPUS: [&str; 11] = [
    r#"{"type":"hello","version":1,"name":"Pixel 8"}"#,
    r#"{"type":"ping","id":7}"#,
    r#"{"type":"lease","id":8,"want":"take"}"#,
    r#"{"type":"stop","kind":"emergency"}"#,
    r#"{"type":"drive","seen":1201,"vx":0.1,"vy":0,"wz":-0.2}"#,
    r#"{"type":"arc","seen":1201,"velocity":0.1,"curvature":0.8}"#,
    r#"{"type":"pose","seen":1,"x":0,"y":0,"z":0.01,"roll":0,"pitch":0.1,"yaw":0}"#,
    r#"{"type":"gait","id":9,"name":"ripple"}"#,
    r#"{"type":"motion","id":10,"name":"wave"}"#,
    r#"{"type":"call","id":11,"service":"stand"}"#,
    r#"{"type":"record","id":12,"on":true}"#,
];

const SPICE: [&str; 24] = [
    "null",
    "NaN",
    "1e999",
    "-1",
    "-0",
    "1e-999",
    "9007199254740993",
    "18446744073709551616",
    "\"",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"type\":\"stop\"",
    "\"type\"",
    "true",
    "\u{202e}",
    "\u{0}",
    "/*",
    "1.7976931348623157e308",
];

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

fn mangled(random: &mut Random) -> String {
    let mut text: Vec<char> = CORPUS[random.below(CORPUS.len())].chars().collect();
    for _ in 0..random.below(5) {
        let (at, until) = (random.below(text.len() + 1), random.below(text.len() + 1));
        match random.below(4) {
            0 => drop(text.splice(at..at, SPICE[random.below(SPICE.len())].chars())),
            1 => drop(text.drain(at.min(until)..until.max(at).min(at.min(until) + 8))),
            2 => {
                let part: Vec<char> = text[at.min(until)..until.max(at)].to_vec();
                let times = 1 + random.below(200);
                drop(text.splice(at..at, part.repeat(times).into_iter().take(3 * MOST_BYTES)));
            }
            _ if at < text.len() => text[at] = char::from_u32(random.below(0x1_1000) as u32).unwrap_or('x'),
            _ => {}
        }
    }
    text.into_iter().collect()
}

fn check(text: &str) {
    match parse(text, Duration::ZERO) {
        Ok(Incoming::Move(Motion::Twist { vx, vy, wz }, _)) => {
            assert!([vx, vy, wz].iter().all(|v| v.abs() <= 100.0), "{text}")
        }
        Ok(Incoming::Move(Motion::Arc { velocity, curvature }, _)) => {
            assert!(velocity.abs() <= 100.0 && curvature.abs() < 2.0, "{text}");
        }
        Ok(Incoming::Pose(pose, _)) => {
            assert!(pose.position.iter().chain(&pose.angles).all(|v| v.abs() <= 100.0), "{text}");
        }
        Ok(Incoming::Hello { name, .. }) => {
            assert!(name.chars().count() <= MOST_NAME && !name.contains(char::is_control), "{text}");
        }
        Ok(_) => assert!(text.len() <= MOST_BYTES),
        Err(Bad::Message(reason) | Bad::Value(_, _, reason)) => {
            assert!(!reason.is_empty() && reason.len() < 4000, "{text}")
        }
    }
}

#[test]
fn when_messages_are_mangled_expect_each_taken_within_its_bounds_or_refused() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(3));
    let mut random = Random(number("FUZZ_SEED").unwrap_or(1));
    let gate = Gate::new("pi", vec!["https://robot.example".into()], Some("0123456789abcdef".into()));
    let from = std::net::Ipv4Addr::LOCALHOST.into();
    let mut count = 0_u64;
    while Instant::now() < end {
        let text = mangled(&mut random);
        check(&text);
        // The same as a host, an origin and a token.
        let (host, origin) = text.split_at(text.char_indices().nth(random.below(40)).map_or(0, |(at, _)| at));
        let _ = gate.pass(Some(host), Some(origin), true);
        let visit = Visit { from, host: Some(host), origin: Some(origin), is_forwarded: false };
        assert!(gate.show(Some(&text), visit).is_err());
        count += 1;
    }
    assert!(count > 1000, "only {count}");
}
