//! How much higher feet are lifted on rough ground, as it is written in `config/gaits.yaml`, and what may be wrong with that.

use crate::gait::spec::{GaitError, check_range};
use serde::Deserialize;

/// Most levels of roughness.
const MOST_LEVELS: usize = 8;
/// Less than this, m, is no roughness: a foot goes on down at 0.1 m/s until a tick says that it has met the ground, and feet stand
/// so unevenly on flat ground, too.
const RESOLVED_M: f64 = 0.002;

/// What the walk turns to where the ground is so rough.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoughLevel {
    /// Where the ground is rougher than this, m for legs as long as the shipped robot's.
    pub above: f64,
    /// Until it is less rough than this.
    pub below: f64,
    /// How much higher feet are lifted: the part of what is left to the greatest lift for which the stance has room.
    pub lift: f64,
}

/// How rough the ground is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Roughness {
    /// Root mean square of how far feet have met it from a plane, of late, m.
    pub height_m: f64,
    /// The level for which it is rough, from 1; 0 where it is not rough.
    pub level: usize,
}

/// Levels of roughness, the rougher the later. Without any, rough ground changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoughLevels(Box<[RoughLevel]>);

impl RoughLevels {
    /// Levels that hold.
    ///
    /// # Errors
    /// The first of [`Self::faults`].
    pub fn try_new(levels: &[RoughLevel]) -> Result<Self, GaitError> {
        match Self::faults(levels).into_iter().next() {
            Some(fault) => Err(fault),
            None => Ok(Self(levels.into())),
        }
    }

    /// All that does not hold.
    #[must_use]
    pub fn faults(levels: &[RoughLevel]) -> Vec<GaitError> {
        if levels.len() > MOST_LEVELS {
            return vec![GaitError::new("", format!("there are more than {MOST_LEVELS} levels; leave some out"))];
        }
        let before = [None].into_iter().chain(levels.iter().map(Some));
        let in_level =
            |index: usize| move |error: GaitError| GaitError { key: format!("[{index}].{}", error.key), ..error };
        let all = levels.iter().zip(before).enumerate();
        all.flat_map(|(index, (level, before))| level.faults(before).into_iter().map(in_level(index))).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The level of ground that is so rough, coming from that of the ground before: from 1, or 0 where it is not rough.
    pub(crate) fn level_after(&self, before: usize, rough: f64) -> usize {
        let reached = self.0.iter().take_while(|level| rough > level.above).count();
        let held = self.0.iter().take(before).take_while(|level| rough >= level.below).count();
        reached.max(held)
    }

    /// By which part of what is left to the greatest lift feet are lifted higher on a level.
    pub(crate) fn lift(&self, level: usize) -> f64 {
        level.checked_sub(1).and_then(|index| self.0.get(index)).map_or(0.0, |level| level.lift)
    }

    /// The same on the roughest ground.
    pub(crate) fn greatest_lift(&self) -> f64 {
        self.lift(self.0.len())
    }
}

impl RoughLevel {
    fn faults(&self, before: Option<&Self>) -> Vec<GaitError> {
        let ranges = [
            check_range("above", self.above, RESOLVED_M, 0.5),
            check_range("below", self.below, 0.0, 0.5),
            check_range("lift", self.lift, 0.0, 1.0),
        ];
        let mut faults: Vec<GaitError> = ranges.into_iter().filter_map(Result::err).collect();
        if self.below >= self.above {
            faults.push(GaitError::new("below", "give less than `above`, or the lift would change to and fro"));
        }
        let rises = before.map_or([true; 3], |before| {
            [self.above > before.above, self.below >= before.below, self.lift >= before.lift]
        });
        for (key, _) in ["above", "below", "lift"].into_iter().zip(rises).filter(|(_, rises)| !rises) {
            faults.push(GaitError::new(key, "give more than for the level before, of smoother ground"));
        }
        faults
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    const LEVEL: RoughLevel = RoughLevel { above: 0.006, below: 0.004, lift: 0.5 };

    fn keys(levels: &[RoughLevel]) -> Vec<String> {
        RoughLevels::faults(levels).into_iter().map(|fault| fault.key).collect()
    }

    #[test]
    fn when_levels_rise_expect_no_fault_and_else_the_key_that_does_not() {
        let rougher = RoughLevel { above: 0.01, below: 0.008, lift: 1.0 };
        assert_eq!(keys(&[LEVEL, rougher]), Vec::<String>::new());
        assert_eq!(keys(&[rougher, LEVEL]), ["[1].above", "[1].below", "[1].lift"]);
        assert_eq!(keys(&[RoughLevel { below: 0.006, ..LEVEL }]), ["[0].below"]);
    }

    #[test]
    fn when_numbers_are_out_of_range_or_none_expect_their_keys() {
        for nan in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(keys(&[RoughLevel { above: nan, ..LEVEL }]).contains(&"[0].above".into()));
            assert!(keys(&[RoughLevel { below: nan, ..LEVEL }]).contains(&"[0].below".into()));
            assert_eq!(keys(&[RoughLevel { lift: nan, ..LEVEL }]), ["[0].lift"]);
        }
        assert_eq!(keys(&[RoughLevel { above: 0.0015, below: 0.001, ..LEVEL }]), ["[0].above"]);
        let many: Vec<_> = (0..9).map(|n| RoughLevel { above: 0.006 + 1e-3 * f64::from(n), ..LEVEL }).collect();
        assert_eq!(keys(&many), [""]);
    }

    #[test]
    fn when_ground_gets_rougher_and_smoother_again_expect_levels_to_follow_and_to_stay_between_their_bounds() {
        let level = |[above, below]: [f64; 2]| RoughLevel { above, below, lift: 0.0 };
        let levels = [[0.004, 0.003], [0.008, 0.0035], [0.016, 0.01]].map(level);
        let levels = RoughLevels::try_new(&levels).unwrap();
        let (mut passed, mut level) = (vec![], 0);
        let up = (0..200).map(|n| 1e-4 * f64::from(n));
        for height in up.clone().chain(up.rev()) {
            let next = levels.level_after(level, height);
            if next != level {
                passed.push((next, (height * 1e4).round() as i32));
            }
            level = next;
        }
        assert_eq!(passed, [(1, 41), (2, 81), (3, 161), (2, 99), (1, 34), (0, 29)]);
        // However much at once, and from wherever it comes.
        assert_eq!([(0, 1.0), (3, 0.0), (2, 0.0)].map(|(from, height)| levels.level_after(from, height)), [3, 0, 0]);
    }
}
