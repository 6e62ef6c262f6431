//! The supply of the robot as its servos measure it, and the hottest of them.

use crate::owners::MAX_JOINTS;
use hexapod_servo::backend::Measured;
use std::fmt;

/// What all servos together say. Nothing where no servo measures it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Supply {
    /// The median of the servos' volts: one servo with a poor converter, or at the end of a thin wire, does not speak for the
    /// battery.
    pub voltage_v: Option<f64>,
    /// The joint with the least volts, and those.
    pub lowest_v: Option<(usize, f64)>,
    /// What all servos draw together, A, if each of them that measures anything measures its current.
    pub current_a: Option<f64>,
    /// The hottest joint, and its degrees Celsius.
    pub hottest_c: Option<(usize, f64)>,
}

impl Supply {
    /// What these servos say, in the order of their joints.
    pub(crate) fn of(servos: impl Iterator<Item = Measured>) -> Self {
        let (mut volts, mut count) = ([0.0; MAX_JOINTS], 0);
        let (mut supply, mut current_a) = (Self::default(), (0.0, false, true));
        for (joint, measured) in servos.enumerate().take(MAX_JOINTS) {
            if let Some(voltage) = measured.voltage_v.map(|voltage| voltage.value) {
                volts[count] = voltage;
                count += 1;
                supply.lowest_v = supply.lowest_v.filter(|(_, least)| *least <= voltage).or(Some((joint, voltage)));
                let (sum, _, all) = current_a;
                current_a = match measured.current_a {
                    Some(current) => (sum + current.value, true, all),
                    None => (sum, true, false),
                };
            }
            if let Some(celsius) = measured.temperature_c.map(|celsius| celsius.value) {
                supply.hottest_c = supply.hottest_c.filter(|(_, most)| *most >= celsius).or(Some((joint, celsius)));
            }
        }
        let volts = &mut volts[..count];
        volts.sort_unstable_by(f64::total_cmp);
        // One measurement of all has none lower.
        supply.lowest_v = supply.lowest_v.filter(|_| count > 1);
        // The lower one of an even number.
        supply.voltage_v = volts.get(count.saturating_sub(1) / 2).copied();
        supply.current_a = matches!(current_a, (_, true, true)).then_some(current_a.0);
        supply
    }
}

/// In what way a battery is low.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LowBattery {
    /// Its alarm says so.
    Alarm,
    /// The servos measure less than they should have.
    Measured { volts: f64, least_v: f64 },
    /// They did, and what the battery has recovered at rest would not last.
    Rested { volts: f64, again_v: f64 },
}

/// A battery recovers as soon as nothing draws from it, and is low again at the next step: once it was low, it is until it has
/// this much more.
const CHARGED: f64 = 1.05;

/// Follows the voltage that servos measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VoltageWatch {
    least_v: f64,
    was_low: bool,
}

impl VoltageWatch {
    pub fn new(least_v: f64) -> Self {
        Self { least_v, was_low: false }
    }

    /// In what way the battery is low at this voltage.
    pub fn low(&self, volts: f64) -> Option<LowBattery> {
        let Self { least_v, was_low } = *self;
        let again_v = least_v * CHARGED;
        let rests = (was_low && volts < again_v).then_some(LowBattery::Rested { volts, again_v });
        (volts < least_v).then_some(LowBattery::Measured { volts, least_v }).or(rests)
    }

    /// Takes a voltage at which the battery has been low for long enough to count, or not.
    pub fn look(&mut self, volts: f64, counts: bool) {
        self.was_low = (self.was_low || counts) && self.low(volts).is_some();
    }
}

impl fmt::Display for LowBattery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alarm => formatter.write_str("it is low"),
            Self::Measured { volts, least_v } => {
                write!(formatter, "the servos measure {volts:.1} V, and `low_voltage` is {least_v:.1} V: charge it")
            }
            Self::Rested { volts, again_v } => {
                write!(
                    formatter,
                    "it was low, and the servos measure {volts:.1} V at rest: charge it to {again_v:.1} V or more"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_servo::backend::Sample;
    use std::time::Duration;

    #[test]
    fn when_a_battery_was_low_expect_it_low_until_it_is_charged_and_none_that_only_sagged() {
        let mut watch = VoltageWatch::new(6.4);
        let mut seen = |volts: f64, counts: bool| {
            watch.look(volts, counts);
            watch.low(volts).is_some()
        };
        assert!(!seen(6.5, false) && seen(6.3, false) && !seen(6.5, false), "it sagged for a moment");
        assert!(seen(6.3, true) && seen(6.5, false) && seen(6.71, false), "it rests");
        assert!(!seen(6.73, false) && !seen(6.5, false), "it was charged");
    }

    fn servo(volts: f64, amperes: Option<f64>, celsius: f64) -> Measured {
        let sample = |value| Sample { value, at: Duration::ZERO };
        Measured {
            voltage_v: Some(sample(volts)),
            current_a: amperes.map(sample),
            temperature_c: Some(sample(celsius)),
            ..Measured::default()
        }
    }

    #[test]
    fn when_one_servo_measures_poorly_expect_the_median_of_the_volts_and_the_worst_by_their_joints() {
        let servos = [servo(7.4, Some(0.5), 30.0), servo(5.1, Some(0.25), 61.0), servo(7.6, Some(0.25), 31.0)];
        let supply = Supply::of(servos.into_iter());
        let expected =
            Supply { voltage_v: Some(7.4), lowest_v: Some((1, 5.1)), current_a: Some(1.0), hottest_c: Some((1, 61.0)) };
        assert_eq!(supply, expected);
        let some = Supply::of(servos.into_iter().chain([servo(7.6, None, 20.0)]));
        assert_eq!((some.current_a, some.voltage_v), (None, Some(7.4)), "a sum that lacks one is none");
    }

    #[test]
    fn when_nothing_is_measured_expect_nothing_said() {
        assert_eq!(Supply::of([Measured::default(); 18].into_iter()), Supply::default());
        assert_eq!(Supply::of([].into_iter()), Supply::default());
    }
}
