//! How a walk changes on rough ground, as it is written in `config/gaits.yaml`, and what may be wrong with that.

use crate::gait::spec::{GaitError, check_range};
use serde::Deserialize;

/// Most levels of roughness.
const MOST_LEVELS: usize = 8;

/// What the walk turns to, level by level, as the ground gets rougher.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoughSpec {
    /// The rougher, the later.
    pub levels: Vec<RoughLevel>,
    /// For how many cycles of the gait ground counts that has been walked over.
    #[serde(default = "one")]
    pub memory: f64,
}

/// What the walk turns to where the ground is rough.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoughLevel {
    /// Where the ground is rougher than this, m for legs as long as the shipped robot's.
    pub above: f64,
    /// Until it is no rougher than this.
    pub below: f64,
    /// How much higher feet are lifted: the part of what is left to the greatest lift for which the stance has room.
    #[serde(default)]
    pub lift: f64,
    /// The part of the commanded speed.
    #[serde(default = "one")]
    pub speed: f64,
    /// By how many of the robot's gaits with more feet on the ground it goes on.
    #[serde(default)]
    pub calmer: usize,
}

fn one() -> f64 {
    1.0
}

impl RoughSpec {
    /// Whether feet may be lifted higher than the driver has chosen.
    #[must_use]
    pub fn lifts_higher(&self) -> bool {
        self.levels.iter().any(|level| level.lift > 0.0)
    }

    /// All that does not hold.
    #[must_use]
    pub fn faults(&self) -> Vec<GaitError> {
        let mut faults: Vec<GaitError> = check_range("memory", self.memory, 0.1, 20.0).err().into_iter().collect();
        if self.levels.len() > MOST_LEVELS {
            faults.push(GaitError::new("levels", format!("there are more than {MOST_LEVELS}; leave some out")));
        }
        let before = [None].into_iter().chain(self.levels.iter().map(Some));
        for (index, (level, before)) in self.levels.iter().zip(before).enumerate() {
            let in_level = |error: GaitError| GaitError { key: format!("levels[{index}].{}", error.key), ..error };
            faults.extend(level.faults(before).into_iter().map(in_level));
        }
        faults
    }
}

impl RoughLevel {
    fn faults(&self, before: Option<&Self>) -> Vec<GaitError> {
        let ranges = [
            check_range("above", self.above, 1e-4, 0.5),
            check_range("below", self.below, 0.0, 0.5),
            check_range("lift", self.lift, 0.0, 1.0),
            check_range("speed", self.speed, 0.1, 1.0),
        ];
        let mut faults: Vec<GaitError> = ranges.into_iter().filter_map(Result::err).collect();
        if self.below >= self.above {
            let message = "give less than `above`, or the walk would change to and fro";
            faults.push(GaitError::new("below", message));
        }
        let Some(before) = before else { return faults };
        for (key, rises, order) in [
            ("above", self.above > before.above, "more"),
            ("below", self.below >= before.below, "no less"),
            ("lift", self.lift >= before.lift, "no less"),
            ("speed", self.speed <= before.speed, "no more"),
            ("calmer", self.calmer >= before.calmer, "no less"),
        ] {
            if !rises {
                faults.push(GaitError::new(key, format!("give {order} than for the level before, of smoother ground")));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: RoughLevel = RoughLevel { above: 0.006, below: 0.004, lift: 1.0, speed: 1.0, calmer: 0 };

    fn keys(levels: Vec<RoughLevel>, memory: f64) -> Vec<String> {
        RoughSpec { levels, memory }.faults().into_iter().map(|fault| fault.key).collect()
    }

    #[test]
    fn when_levels_rise_expect_no_fault_and_else_the_key_that_does_not() {
        let rougher = RoughLevel { above: 0.01, below: 0.008, speed: 0.9, calmer: 1, ..LEVEL };
        assert_eq!(keys(vec![LEVEL, rougher], 1.0), Vec::<String>::new());
        assert_eq!(
            keys(vec![rougher, LEVEL], 1.0),
            ["levels[1].above", "levels[1].below", "levels[1].speed", "levels[1].calmer"]
        );
        assert_eq!(keys(vec![RoughLevel { below: 0.006, ..LEVEL }], 1.0), ["levels[0].below"]);
    }

    #[test]
    fn when_numbers_are_out_of_range_or_none_expect_their_keys() {
        for nan in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(keys(vec![RoughLevel { above: nan, ..LEVEL }], 1.0).contains(&"levels[0].above".into()));
            assert!(keys(vec![RoughLevel { below: nan, ..LEVEL }], 1.0).contains(&"levels[0].below".into()));
            assert_eq!(keys(vec![RoughLevel { lift: nan, ..LEVEL }], 1.0), ["levels[0].lift"]);
            assert_eq!(keys(vec![RoughLevel { speed: nan, ..LEVEL }], 1.0), ["levels[0].speed"]);
            assert_eq!(keys(vec![LEVEL], nan), ["memory"]);
        }
        let many = (0..9).map(|n| RoughLevel { above: 0.006 + 1e-3 * f64::from(n), ..LEVEL }).collect();
        assert_eq!(keys(many, 1.0), ["levels"]);
    }
}
