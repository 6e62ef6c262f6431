//! Touch inputs under feet: which leg has which, and when it is pressed.

use serde::Deserialize;

use crate::ordered;

/// Touch inputs of a Servo2040.
pub const TOUCH_INPUTS: usize = 6;
/// Inputs measure no more, V.
const SUPPLY_V: f64 = 3.3;

/// Touch inputs as they are written.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "touch inputs, as in {inputs: {left_front: 0, left_middle: 1}, threshold_v: 1.65, pressed: high}"
)]
pub struct RawTouch {
    /// Legs and the numbers of their inputs.
    #[serde(deserialize_with = "ordered::deserialize")]
    pub inputs: Vec<(String, i64)>,
    #[serde(default = "half")]
    threshold_v: f64,
    #[serde(default)]
    pressed: Level,
}

/// What an input has while its switch is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    #[default]
    High,
    Low,
}

fn half() -> f64 {
    SUPPLY_V / 2.0
}

impl RawTouch {
    /// Whether an input can have the voltage between that of a pressed switch and that of an open one.
    pub fn has_threshold(&self) -> bool {
        self.threshold_v > 0.0 && self.threshold_v < SUPPLY_V
    }

    /// The inputs of legs in the order of `legs`; those that do not exist are left out.
    pub fn of_legs(&self, legs: &[&str]) -> Touch {
        let input = |leg: &&&str| self.inputs.iter().find(|(name, _)| name == **leg);
        let feet = legs.iter().filter_map(|leg| {
            let (name, input) = input(&leg)?;
            Some((name.clone(), usize::try_from(*input).ok().filter(|input| *input < TOUCH_INPUTS)?))
        });
        Touch { feet: feet.collect(), threshold_v: self.threshold_v, is_pressed_high: self.pressed == Level::High }
    }
}

/// Touch inputs under feet, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    feet: Vec<(String, usize)>,
    threshold_v: f64,
    is_pressed_high: bool,
}

impl Touch {
    /// The legs that have one, in the order of their bits.
    pub fn legs(&self) -> impl Iterator<Item = &str> {
        self.feet.iter().map(|(leg, _)| leg.as_str())
    }

    /// A bit for each leg that is pressed, the first leg's lowest, where inputs are closed or open.
    pub fn of_closed(&self, is_closed: impl Fn(usize) -> bool) -> u32 {
        self.feet.iter().enumerate().fold(0, |bits, (bit, (_, input))| bits | u32::from(is_closed(*input)) << bit)
    }

    /// The same where the voltages of inputs are measured.
    pub fn of_volts(&self, volts: impl Fn(usize) -> f64) -> u32 {
        self.of_closed(|input| (volts(input) > self.threshold_v) == self.is_pressed_high)
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test fails so")]
mod tests {
    use super::*;

    #[test]
    fn when_voltages_are_on_either_side_of_the_threshold_expect_feet_pressed_the_way_their_switches_close() {
        let read = |text: &str| serde_yaml::from_str::<RawTouch>(text).expect("holds").of_legs(&["a", "b", "c"]);
        let volts = |input: usize| [3.2, 0.1, 1.7, 1.6, 0.0, 0.0][input];
        let high = read("inputs: {c: 2, a: 0, b: 1}");
        assert_eq!(high.legs().collect::<Vec<_>>(), ["a", "b", "c"], "in the order of the legs");
        assert_eq!(high.of_volts(volts), 0b101);
        assert_eq!(read("{inputs: {c: 2, a: 0, b: 1}, pressed: low}").of_volts(volts), 0b010);
        assert_eq!(read("{inputs: {a: 3, c: 2}, threshold_v: 1.0}").of_volts(volts), 0b11);
        assert_eq!(high.of_closed(|input| input == 1), 0b010, "as the board says, whatever the voltage");
        let bounds = ["0.0", "3.3", ".nan", "1.0"].map(|volts| {
            let raw: RawTouch =
                serde_yaml::from_str(&format!("{{inputs: {{}}, threshold_v: {volts}}}")).expect("holds");
            raw.has_threshold()
        });
        assert_eq!(bounds, [false, false, false, true]);
    }
}
