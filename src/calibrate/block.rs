//! A servo written into a file of the owner's.

use hexapod_config::{ConfigError, Document, Edit, Source};
use hexapod_servo::calibration::RawServo;
use std::fmt::Write;

const HEAD: &str = "# The servos of this robot, over the shipped servos.yaml: what `hexapod calibrate` has found, and whatever else you\n\
                    # write here. A servo that is written out in full takes nothing from the shipped file.\n";
/// The keys that make a servo complete, but for its points.
const COMPLETE: [&str; 5] = ["board", "channel", "min_pulse_us", "max_pulse_us", "speed_limit_rad_s"];

/// The text with a servo as it was found. One that is written out in full is edited in place, so that its comments stay;
/// any other is replaced or put in, written out in full: a later version of the shipped file is not to change it.
pub(super) fn with_servo(
    name: &str,
    text: &str,
    joint: &str,
    old: &RawServo,
    new: &RawServo,
) -> Result<String, ConfigError> {
    let Some(document) = Document::parse_layer(Source::new(name, text))? else {
        let head = if text.trim().is_empty() { HEAD } else { text };
        return Ok(format!("{}servos:\n{}", ended(head), block(joint, new, 2)));
    };
    if is_complete(&document, joint, old.points.len()) {
        return document.edited(&edits(joint, old, new));
    }
    if document.layer("servos").is_none() {
        return Ok(format!("{}\nservos:\n{}", ended(text), block(joint, new, 2)));
    }
    document.with_entry("servos", joint, |indent| block(joint, new, indent))
}

/// With the end of its last line.
fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.into() } else { format!("{text}\n") }
}

fn is_complete(document: &Document, joint: &str, points: usize) -> bool {
    let has = |key: &str| document.location(&format!("servos.{joint}.{key}")).is_some();
    let last = points.saturating_sub(1);
    COMPLETE.into_iter().all(has) && has(&format!("points[{last}]")) && !has(&format!("points[{points}]"))
}

/// A servo with every key.
fn block(joint: &str, servo: &RawServo, indent: usize) -> String {
    let (outer, inner) = (" ".repeat(indent), " ".repeat(indent + 2));
    let mut text = format!("{outer}{joint}:\n{inner}board: {}\n{inner}channel: {}\n", servo.board, servo.channel);
    let _ = writeln!(text, "{inner}points:");
    for point in &servo.points {
        let _ = writeln!(text, "{inner}  - {{angle_rad: {:.4}, pulse_us: {:.2}}}", point.angle_rad, point.pulse_us);
    }
    let _ = writeln!(text, "{inner}direction: {}\n{inner}trim_rad: {:.4}", servo.direction, servo.trim_rad);
    let _ = writeln!(
        text,
        "{inner}min_pulse_us: {:.2}\n{inner}max_pulse_us: {:.2}",
        servo.min_pulse_us, servo.max_pulse_us
    );
    if let Some(neutral_us) = servo.neutral_us {
        let _ = writeln!(text, "{inner}neutral_us: {neutral_us:.2}");
    }
    let _ = writeln!(text, "{inner}speed_limit_rad_s: {:?}", servo.speed_limit_rad_s);
    if let Some(group) = &servo.group {
        let _ = writeln!(text, "{inner}group: {group:?}");
    }
    text
}

/// What differs between two versions of a servo, as far as a calibration can change it.
fn edits(joint: &str, old: &RawServo, new: &RawServo) -> Vec<Edit> {
    let edit = |key: &str, value: String| Edit {
        path: format!("servos.{joint}.{key}"),
        value,
        after: format!("servos.{joint}.max_pulse_us"),
    };
    let mut edits = vec![];
    for (index, (old, new)) in old.points.iter().zip(&new.points).enumerate() {
        if old.angle_rad != new.angle_rad {
            edits.push(edit(&format!("points[{index}].angle_rad"), format!("{:.4}", new.angle_rad)));
        }
        if old.pulse_us != new.pulse_us {
            edits.push(edit(&format!("points[{index}].pulse_us"), format!("{:.2}", new.pulse_us)));
        }
    }
    for (key, digits, old, new) in [
        ("min_pulse_us", 2, Some(old.min_pulse_us), Some(new.min_pulse_us)),
        ("max_pulse_us", 2, Some(old.max_pulse_us), Some(new.max_pulse_us)),
        ("neutral_us", 2, old.neutral_us, new.neutral_us),
        ("trim_rad", 4, Some(old.trim_rad), Some(new.trim_rad)),
    ] {
        if let Some(value) = new.filter(|_| old != new) {
            edits.push(edit(key, format!("{value:.digits$}")));
        }
    }
    for (key, old, new) in [
        ("board", old.board, new.board),
        ("channel", old.channel, new.channel),
        ("direction", old.direction, new.direction),
    ] {
        if old != new {
            edits.push(edit(key, new.to_string()));
        }
    }
    edits
}
