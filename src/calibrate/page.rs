//! What a calibration shows, and what its keys mean.

use super::Work;
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::{Key, RawServo, Step};
use hexapod_view::{Page, PageKey, Tone};
use servo_driver::Setup;
use servo_driver::bench::{Bench, Readout};

const KEYS: [(&str, &str); 9] = [
    ("Space", "pulses on, off"),
    ("↑ ↓", "5 us"),
    ("← →", "1 us"),
    ("PgUp PgDn", "25 us"),
    ("Enter", "that is it"),
    ("Backspace", "one step back"),
    ("N P", "next, previous joint"),
    ("D", "mounted the other way round"),
    ("Q Esc", "leave, go on another day"),
];

/// What a key means.
pub(super) fn meaning(key: PageKey) -> Option<Key> {
    Some(match key {
        PageKey::Up => Key::Nudge(5.0),
        PageKey::Down => Key::Nudge(-5.0),
        PageKey::Right => Key::Nudge(1.0),
        PageKey::Left => Key::Nudge(-1.0),
        PageKey::PageUp => Key::Nudge(25.0),
        PageKey::PageDown => Key::Nudge(-25.0),
        PageKey::Enter => Key::Accept,
        PageKey::Backspace => Key::Back,
        PageKey::Char(' ') => Key::Power,
        PageKey::Char('n') => Key::Joint(1),
        PageKey::Char('p') => Key::Joint(-1),
        PageKey::Char('d') => Key::Flip,
        _ => return None,
    })
}

impl Work {
    pub(super) fn page(&self, bench: &Bench, setup: &Setup) -> Page {
        let (name, servo) = self.session.servo();
        let (done, of) = self.session.count();
        let (step, number, count) = self.session.step();
        let known = &setup.servos().servos()[self.session.joint()];
        let address = setup.servos().boards()[known.board()].address();
        let readout = bench.readout();
        let mut lines = vec![
            (Tone::Strong, format!("{name}   board {address:#04x}, channel {}", known.channel())),
            (Tone::Plain, String::new()),
            (Tone::Strong, format!("Step {number} of {count}: {}", asked(step, servo))),
            (Tone::Plain, String::new()),
            self.pulse(&readout),
            (Tone::Plain, self.angle(&readout)),
            (Tone::Plain, String::new()),
            (Tone::Plain, found(servo)),
        ];
        if let Some(trouble) = readout.trouble {
            lines.push((Tone::Bad, trouble));
        }
        if let Some((good, said)) = &self.said {
            lines.push((if *good { Tone::Good } else { Tone::Bad }, said.clone()));
        }
        Page { title: format!("calibrate: {done} of {of} joints done"), lines, keys: KEYS.to_vec() }
    }

    fn pulse(&self, readout: &Readout) -> (Tone, String) {
        match readout.told {
            Some((_, pulse_us, counts)) => (Tone::Good, format!("pulse {pulse_us:.1} us = {counts} counts")),
            None if self.session.pulse_us().is_some() => (Tone::Bad, "pulse wanted, none told".into()),
            None => (Tone::Plain, format!("no pulse (Space: {:.1} us; the servo may jump)", self.session.wanted_us())),
        }
    }

    /// The angle that the pulse means by what is known so far.
    fn angle(&self, readout: &Readout) -> String {
        let config = ServoConfig::try_from(self.session.config().clone()).ok();
        match (readout.told, config) {
            (Some((joint, pulse_us, _)), Some(config)) => {
                let degrees = config.servos()[joint].angle_rad(pulse_us).to_degrees();
                format!("so far that means {degrees:.1} degrees")
            }
            _ => String::new(),
        }
    }
}

fn asked(step: Step, servo: &RawServo) -> String {
    match step {
        Step::Neutral => "neutral. Take the horn off, switch on, and mount it where the joint stands straight.".into(),
        Step::Point(point) => {
            let angle_rad = servo.points[point].angle_rad;
            let joint_rad = servo.direction as f64 * angle_rad - servo.trim_rad;
            format!("turn the joint to {:.1} degrees, by a set square.", joint_rad.to_degrees())
        }
        Step::Shortest => "the shortest pulse: go on until just before anything touches or the servo hums.".into(),
        Step::Longest => "the longest pulse: the same at the other end.".into(),
    }
}

fn found(servo: &RawServo) -> String {
    let points: Vec<_> = servo
        .points
        .iter()
        .map(|point| format!("{:.1} us at {:.1} deg", point.pulse_us, point.angle_rad.to_degrees()))
        .collect();
    let neutral = servo.neutral_us.map_or("none".into(), |neutral_us| format!("{neutral_us:.1}"));
    format!(
        "servo: {}; limits {:.1} to {:.1} us; neutral {neutral}; direction {}",
        points.join(", "),
        servo.min_pulse_us,
        servo.max_pulse_us,
        servo.direction
    )
}
