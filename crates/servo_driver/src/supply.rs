//! The supply of the robot as its servos measure it, and the hottest of them.

use crate::owners::MAX_JOINTS;
use hexapod_servo::ServoDriver;
use hexapod_servo::backend::{Backend, Measured};
use std::time::Duration;

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

/// What the robot is to sit down for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SupplyAlarm {
    /// The battery's alarm says that it is low.
    Battery,
    /// The servos measure less than they should have.
    Low { volts: f64, least_v: f64 },
    /// They did, and what the battery has recovered at rest would not last.
    Rested { volts: f64, again_v: f64 },
    /// A servo is too hot.
    Hot { joint: usize, celsius: f64, most_c: f64 },
    /// It was, and would be again soon.
    Cooling { joint: usize, celsius: f64, again_c: f64 },
}

impl SupplyLimits {
    /// Why these servos are to have no torque, if one of them is too hot.
    #[must_use]
    pub fn too_hot(self, driver: &ServoDriver<impl Backend>, now: Duration) -> Option<String> {
        let watch = SupplyWatch::new(Self { least_v: None, ..self });
        let measured = (0..driver.joints().len()).map(|joint| driver.measured(joint, now));
        let alarm = watch.alarm(&Supply::of(measured))?;
        Some(alarm.refusal(|joint| driver.joints()[joint].name.clone()))
    }
}

/// A battery recovers as soon as nothing draws from it, and is low again at the next step: once it was low, it is until it has
/// this much more.
const CHARGED: f64 = 1.05;
/// So much cooler than its limit a servo is to be once it was too hot, degrees.
const COOLED: f64 = 10.0;

/// What servos may measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SupplyLimits {
    /// Least supply, V.
    pub least_v: Option<f64>,
    /// Greatest temperature, degrees Celsius.
    pub most_c: Option<f64>,
}

/// Follows what the servos measure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SupplyWatch {
    limits: SupplyLimits,
    was_low: bool,
    was_hot: bool,
}

impl SupplyWatch {
    pub fn new(limits: SupplyLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Whether what the servos measure matters.
    pub fn looks(&self) -> bool {
        self.limits != SupplyLimits::default()
    }

    /// What is wrong with the supply.
    pub fn alarm(&self, supply: &Supply) -> Option<SupplyAlarm> {
        self.low(supply).or_else(|| self.hot(supply))
    }

    fn low(&self, supply: &Supply) -> Option<SupplyAlarm> {
        let (volts, least_v) = supply.voltage_v.zip(self.limits.least_v)?;
        let again_v = least_v * CHARGED;
        if volts < least_v {
            return Some(SupplyAlarm::Low { volts, least_v });
        }
        (self.was_low && volts < again_v).then_some(SupplyAlarm::Rested { volts, again_v })
    }

    fn hot(&self, supply: &Supply) -> Option<SupplyAlarm> {
        let ((joint, celsius), most_c) = supply.hottest_c.zip(self.limits.most_c)?;
        let again_c = most_c - COOLED;
        if celsius >= most_c {
            return Some(SupplyAlarm::Hot { joint, celsius, most_c });
        }
        (self.was_hot && celsius >= again_c).then_some(SupplyAlarm::Cooling { joint, celsius, again_c })
    }

    /// Takes what the servos measure when an alarm has lasted for long enough to count, or not.
    pub fn look(&mut self, supply: &Supply, counts: bool) {
        self.was_low = (self.was_low || counts) && self.low(supply).is_some();
        self.was_hot = (self.was_hot || counts) && self.hot(supply).is_some();
    }
}

impl SupplyAlarm {
    /// Why the robot sits down.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Battery | Self::Low { .. } | Self::Rested { .. } => "the battery is low",
            Self::Hot { .. } | Self::Cooling { .. } => "a servo is too hot",
        }
    }

    /// Why the servos are not switched on.
    pub fn refusal(&self, name: impl Fn(usize) -> String) -> String {
        match self {
            Self::Battery => "FAILED battery: it is low".into(),
            Self::Low { volts, least_v } => {
                format!(
                    "FAILED battery: the servos measure {volts:.1} V, and `low_voltage` is {least_v:.1} V: charge it"
                )
            }
            Self::Rested { volts, again_v } => format!(
                "FAILED battery: it was low, and the servos measure {volts:.1} V at rest: charge it to {again_v:.1} V or more"
            ),
            Self::Hot { joint, celsius, most_c } => format!(
                "FAILED servos: {} is at {celsius:.0} C, and `high_temperature` is {most_c:.0} C: let it cool",
                name(*joint)
            ),
            Self::Cooling { joint, celsius, again_c } => {
                format!("FAILED servos: {} was too hot and is at {celsius:.0} C: wait for {again_c:.0} C", name(*joint))
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
        let mut watch = SupplyWatch::new(SupplyLimits { least_v: Some(6.4), most_c: None });
        let mut seen = |volts: f64, counts: bool| {
            let supply = Supply { voltage_v: Some(volts), ..Supply::default() };
            watch.look(&supply, counts);
            watch.alarm(&supply).is_some()
        };
        assert!(!seen(6.5, false) && seen(6.3, false) && !seen(6.5, false), "it sagged for a moment");
        assert!(seen(6.3, true) && seen(6.5, false) && seen(6.71, false), "it rests");
        assert!(!seen(6.73, false) && !seen(6.5, false), "it was charged");
    }

    #[test]
    fn when_a_servo_was_too_hot_expect_it_refused_by_its_name_until_it_has_cooled() {
        let mut watch = SupplyWatch::new(SupplyLimits { least_v: None, most_c: Some(65.0) });
        let mut seen = |celsius: f64, counts: bool| {
            let supply = Supply { hottest_c: Some((1, celsius)), ..Supply::default() };
            watch.look(&supply, counts);
            watch.alarm(&supply).map(|alarm| alarm.refusal(|joint| format!("joint {joint}")))
        };
        assert_eq!(seen(64.0, false), None);
        assert!(seen(65.0, true).is_some_and(|refusal| refusal.contains("joint 1 is at 65 C")));
        assert!(seen(56.0, false).is_some_and(|refusal| refusal.contains("wait for 55 C")));
        assert_eq!([seen(54.0, false), seen(60.0, false)], [None, None], "it has cooled");
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
