//! The time between samples, learnt from their stamps: drivers report at a rate of their own, and not quite evenly.

use std::time::Duration;

/// Intervals that the step is learnt from.
const INTERVALS: usize = 9;
/// The shortest and the longest of them say nothing of the step.
const TRIMMED: usize = 2;
/// Part by which the step must have changed before it is learnt anew.
const CHANGED: f64 = 0.1;
/// An interval of so many steps has lost a sample.
const GAP_STEPS: f64 = 1.6;
/// Steps that a leg's motion can be followed with, s.
const STEPS_S: std::ops::RangeInclusive<f64> = 0.0005..=0.1;
/// A stamp that goes back by more is that of another clock.
const SET_BACK: Duration = Duration::from_secs(1);

/// What a stamp says of its sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beat {
    /// The step is not known yet.
    Unknown,
    /// The step, s, is new: what was known by another one is void.
    New(f64),
    /// One step after the last sample.
    Next,
    /// Samples were lost before this one.
    Gap,
    /// The sample is as old as the last one or older.
    Stale,
}

/// Learns the step of a stream of samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cadence {
    last: Option<Duration>,
    intervals_s: [f64; INTERVALS],
    count: usize,
    step_s: Option<f64>,
}

impl Cadence {
    /// Takes the stamp of a sample.
    pub(super) fn take(&mut self, stamp: Duration) -> Beat {
        let Some(last) = self.last else {
            self.last = Some(stamp);
            return Beat::Unknown;
        };
        if stamp <= last && last - stamp < SET_BACK {
            return Beat::Stale;
        }
        self.last = Some(stamp);
        let Some(interval) = stamp.checked_sub(last) else { return Beat::Gap };
        self.learn(interval.as_secs_f64()).unwrap_or(match self.step_s {
            None => Beat::Unknown,
            Some(step) if interval.as_secs_f64() > GAP_STEPS * step => Beat::Gap,
            Some(_) => Beat::Next,
        })
    }

    /// The step, if it is another one than before.
    fn learn(&mut self, interval_s: f64) -> Option<Beat> {
        self.intervals_s.rotate_right(1);
        self.intervals_s[0] = interval_s;
        self.count = (self.count + 1).min(INTERVALS);
        if self.count < INTERVALS {
            return None;
        }
        let step = self.trimmed_mean();
        let same = self.step_s.is_some_and(|known| (step - known).abs() <= CHANGED * known);
        if same || !STEPS_S.contains(&step) {
            return None;
        }
        self.step_s = Some(step);
        Some(Beat::New(step))
    }

    fn trimmed_mean(&self) -> f64 {
        let mut sorted = self.intervals_s;
        sorted.sort_by(f64::total_cmp);
        let kept = sorted.iter().skip(TRIMMED).take(INTERVALS - 2 * TRIMMED);
        kept.sum::<f64>() / (INTERVALS - 2 * TRIMMED) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beats(cadence: &mut Cadence, stamps_ms: impl IntoIterator<Item = u64>) -> Vec<Beat> {
        stamps_ms.into_iter().map(|ms| cadence.take(Duration::from_millis(ms))).collect()
    }

    fn steady() -> Cadence {
        let mut cadence = Cadence::default();
        let beats = beats(&mut cadence, (0..10).map(|k| 1000 + 20 * k));
        assert!(beats[..9].iter().all(|beat| *beat == Beat::Unknown), "{beats:?}");
        assert!(matches!(beats[9], Beat::New(step) if (step - 0.02).abs() < 1e-9), "{beats:?}");
        cadence
    }

    #[test]
    fn when_samples_are_lost_or_repeated_expect_gaps_and_stale_ones_and_the_step_kept() {
        let mut cadence = steady();
        let found = beats(&mut cadence, [1200, 1240, 1260, 1260, 1250, 1280, 2500, 2520]);
        use Beat::{Gap, Next, Stale};
        assert_eq!(found, [Next, Gap, Next, Stale, Stale, Next, Gap, Next]);
    }

    #[test]
    fn when_intervals_alternate_expect_one_step_and_no_gap() {
        let mut cadence = Cadence::default();
        let stamps = (0..200).map(|k| 20 * k + 5 * (k % 2));
        let found = beats(&mut cadence, stamps);
        assert_eq!(found.iter().filter(|beat| matches!(beat, Beat::New(_))).count(), 1, "{found:?}");
        assert!(!found.contains(&Beat::Gap) && !found.contains(&Beat::Stale));
    }

    #[test]
    fn when_the_rate_changes_expect_the_new_step() {
        let mut cadence = steady();
        let found = beats(&mut cadence, (1..20).map(|k| 1180 + 10 * k));
        let steps: Vec<f64> =
            found.iter().filter_map(|beat| if let Beat::New(s) = beat { Some(*s) } else { None }).collect();
        assert!(steps.last().is_some_and(|step| (step - 0.01).abs() < 0.0015), "{found:?}");
        assert_eq!(found.last(), Some(&Beat::Next));
    }

    #[test]
    fn when_the_clock_is_set_back_expect_to_go_on_from_there() {
        let mut cadence = steady();
        assert_eq!(beats(&mut cadence, [5, 25, 45])[..], [Beat::Gap, Beat::Next, Beat::Next]);
    }

    #[test]
    fn when_samples_are_too_rare_expect_no_step() {
        let mut cadence = Cadence::default();
        assert!(beats(&mut cadence, (0..50).map(|k| 500 * k)).iter().all(|beat| *beat == Beat::Unknown));
    }
}
