//! What a person reads and sees.

use crate::degrees::{degrees, degrees_fine};
use crate::dialogue::{Dialogue, Mode, Stage};
use crate::page::{Page, Tone};
use crate::picture::{Drawing, draw_joint};

/// Cells of the picture.
pub(crate) const PICTURE: (usize, usize) = (34, 14);
const MOVE: [(&str, &str); 3] = [("↑ ↓", "to plus, to minus"), ("← →", "finest step"), ("PgUp PgDn", "faster")];
const ALWAYS: [(&str, &str); 4] =
    [("X", "pulses off"), ("Backspace", "one step back"), ("N P", "next, previous joint"), ("Q", "quit, resume later")];

/// Most joints that the list shows at a time.
const LISTED: usize = 7;

impl Dialogue {
    /// What to show now.
    pub fn view(&self) -> Page {
        let (done, of) = self.count();
        let title = match self.mode() {
            Mode::Calibrate => format!("calibrate: {done} of {of} joints done"),
            Mode::Verify => format!("verify: {done} of {of} joints done"),
        };
        if let Some(choice) = self.choice() {
            return self.choosing(title, choice);
        }
        let (number, count) = self.step();
        let mut lines = vec![
            (Tone::Strong, self.plug_words()),
            (Tone::Strong, format!("Step {number} of {count}: {}", self.heading())),
            (Tone::Plain, self.words()),
            (Tone::Plain, String::new()),
            self.pulse_words(),
        ];
        lines.extend(self.said().cloned());
        Page { title, lines, picture: self.picture(), keys: self.keys() }
    }

    fn plug_words(&self) -> String {
        let (name, address, channel) = self.plug();
        format!("{name}   board {address:#04x}, channel {channel}")
    }

    fn heading(&self) -> String {
        match self.stage() {
            Stage::Test => "the right joint, the right way?".into(),
            Stage::Minus => "the stop on the minus side".into(),
            Stage::Plus => "the stop on the plus side".into(),
            Stage::Set(angle_rad) => format!("{} degrees", degrees(angle_rad)),
        }
    }

    fn words(&self) -> String {
        let (lower_rad, upper_rad) = self.urdf_rad();
        let stop = |sign: &str, key: &str, limit_rad: f64| {
            format!(
                "Hold {key} until just before anything touches or the servo hums, or until the thick part stands at {} \
                degrees (dotted, {sign}): whichever comes first. Then Enter. Step back if it touches.",
                degrees(limit_rad)
            )
        };
        match self.stage() {
            Stage::Test if !self.is_on() => format!(
                "Hold the thick part clear of everything. Space switches the pulses on: the servo goes to its neutral, at \
                once and from anywhere. If the joint then stands more than 20 degrees from the picture ({} degrees), press \
                X and mount the horn on the tooth that comes nearest.",
                degrees(self.neutral_rad())
            ),
            Stage::Test => "Hold ↑ until the servo has turned 5 degrees. Did the thick part turn towards the +? Y: yes. \
                R: it turned the other way. O: another joint moved. If nothing moved: is it plugged in, is the supply on?"
                .into(),
            Stage::Minus => stop("-", "↓", lower_rad),
            Stage::Plus => stop("+", "↑", upper_rad),
            Stage::Set(angle_rad) => {
                let angle = degrees(angle_rad);
                let zero = if angle == "0" { "as drawn".into() } else { format!("{angle} degrees from the dotted 0") };
                let verify = match self.mode() {
                    Mode::Verify => "If it does not, set it right with the arrow keys. ",
                    Mode::Calibrate => "",
                };
                format!(
                    "Hold Space: the servo goes there. Set it with the arrow keys until the thick part stands {zero}, by a \
                    set square. {verify}Enter takes the pulse below. C: it cannot get there."
                )
            }
        }
    }

    fn pulse_words(&self) -> (Tone, String) {
        let Some(commanded) = self.commanded() else { return (Tone::Plain, "no pulse".into()) };
        let angle = degrees_fine(self.angle_rad());
        let doing = match (self.is_held(), self.is_still(), self.is_neutral()) {
            (true, true, _) => "held",
            (true, false, _) => "moving",
            (false, _, true) => "at neutral",
            (false, ..) => "no key: going back to neutral",
        };
        (Tone::Good, format!("pulse {:.1} us, about {angle} deg: {doing}", commanded.pulse_us))
    }

    fn choosing(&self, title: String, choice: usize) -> Page {
        let mut lines = vec![
            (Tone::Strong, self.plug_words()),
            (Tone::Strong, "Which joint moved?".into()),
            (Tone::Plain, "Choose it with ↑ and ↓. Enter swaps the two plugs in the file.".into()),
        ];
        let names = self.names();
        let first = choice.saturating_sub(LISTED / 2).min(names.len().saturating_sub(LISTED));
        let more = |arrow: char, count: usize| if count > 0 { format!("{arrow} {count} more") } else { String::new() };
        lines.push((Tone::Plain, more('↑', first)));
        for (index, name) in names.iter().enumerate().skip(first).take(LISTED) {
            let tone = if index == choice { Tone::Strong } else { Tone::Plain };
            lines.push((tone, format!("{} {name}", if index == choice { ">" } else { " " })));
        }
        lines.push((Tone::Plain, more('↓', names.len().saturating_sub(first + LISTED))));
        let keys = vec![("↑ ↓", "choose"), ("Enter", "this one moved"), ("Backspace", "none of these"), ("Q", "leave")];
        Page { title, lines, picture: self.picture(), keys }
    }

    fn keys(&self) -> Vec<(&'static str, &'static str)> {
        let mut keys = vec![if self.is_on() { ("Space", "hold it there") } else { ("Space", "pulses on") }];
        if self.is_on() {
            keys.extend(MOVE);
        }
        match self.stage() {
            Stage::Test if self.is_on() => keys.extend([("Y", "yes"), ("R", "the other way"), ("O", "another joint")]),
            Stage::Set(_) if self.is_on() => keys.extend([("Enter", "that is it"), ("C", "cannot get there")]),
            Stage::Minus | Stage::Plus if self.is_on() => keys.push(("Enter", "here it ends")),
            _ => {}
        }
        keys.extend(ALWAYS);
        keys
    }

    fn picture(&self) -> Vec<String> {
        let (lower_rad, upper_rad) = self.urdf_rad();
        let (pose_rad, limit_rad) = match self.stage() {
            Stage::Test => (self.neutral_rad(), None),
            Stage::Minus => (self.neutral_rad(), Some(lower_rad)),
            Stage::Plus => (self.neutral_rad(), Some(upper_rad)),
            Stage::Set(angle_rad) => (angle_rad, None),
        };
        let (leg, joint) = self.leg();
        draw_joint(leg, joint, &Drawing { pose_rad, limit_rad, size: PICTURE })
    }
}
