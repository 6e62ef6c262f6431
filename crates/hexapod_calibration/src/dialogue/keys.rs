//! What comes in: keys and time.

use super::state::Dialogue;
use super::terms::{Key, Outcome, Pace};
use crate::page::Tone;
use std::time::Duration;

/// A servo that nobody has touched a key for, for so long, is let go: it may stand against a stop, and burn.
const UNATTENDED: Duration = Duration::from_secs(300);

impl Dialogue {
    /// Time passes.
    pub fn tick(&mut self, dt: Duration) {
        self.mover.tick(dt);
        self.untouched += dt;
        if self.mover.is_on() && self.untouched >= UNATTENDED {
            self.mover.switch_off();
            self.say(Tone::Bad, "the servo was switched off: no key for five minutes".into());
        }
    }

    /// The boards do not obey, or the stop button is pressed: no pulse until somebody switches on again.
    pub fn cut(&mut self) {
        self.mover.switch_off();
    }

    /// Takes a key. `shown_us` is the pulse that the boards put out and the page shows.
    pub fn key(&mut self, key: Key, shown_us: Option<f64>) -> Outcome {
        (self.said, self.untouched) = (None, Duration::ZERO);
        if let Some(choice) = self.choosing {
            return self.choose(choice, key);
        }
        match key {
            Key::Hold if !self.mover.is_on() => self.switch_on(),
            Key::Hold => self.mover.hold(),
            Key::Push(sign, pace) => self.push(sign.signum() * self.nominal().us_per_rad.signum(), pace),
            Key::Off => self.mover.switch_off(),
            Key::Joint(by) => self.step_joint(by),
            Key::Back => return self.back(),
            Key::Accept => return self.accept(shown_us),
            Key::Yes | Key::Wrong | Key::Other => return self.answer(key),
            Key::Cannot => self.ask_nearer(),
        }
        Outcome::Same
    }

    fn push(&mut self, sign: f64, pace: Pace) {
        if let Some(end_us) = self.mover.push(sign, pace) {
            let end = if sign > 0.0 { "longest" } else { "shortest" };
            self.say(Tone::Bad, format!("{end_us:.0} us is the {end} pulse allowed here"));
        }
    }

    fn switch_on(&mut self) {
        self.mover.switch_on();
    }
}
