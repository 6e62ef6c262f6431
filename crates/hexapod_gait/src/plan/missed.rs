//! How much of the latest time the swings have missed, because the path was paced.

use crate::plane::grid::{GRID_NS, GRID_S};

/// Steps of the grid that are remembered: the present one, and those of the longest time that is asked about.
const STEPS: usize = 22;

/// What swings have missed in the last steps of the grid, s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missed {
    steps: [f64; STEPS],
    /// The present step.
    at: usize,
}

impl Missed {
    pub(crate) const NOTHING: Self = Self { steps: [0.0; STEPS], at: 0 };

    /// Counts a segment of `ns` up to `end_ns` in which swings went on at this part of their pace.
    pub(crate) fn count(&mut self, ns: u64, end_ns: u64, pace: f64) {
        self.steps[self.at % STEPS] += ns as f64 * 1e-9 * (1.0 - pace);
        if end_ns.is_multiple_of(GRID_NS) {
            self.at = (self.at + 1) % STEPS;
            self.steps[self.at % STEPS] = 0.0;
        }
    }

    /// For how long swings have gone on in the last `seconds` before `now_ns`.
    pub(crate) fn gone_on(&self, now_ns: u64, seconds: f64) -> f64 {
        let (mut left, mut step, mut missed) = (seconds, (now_ns % GRID_NS) as f64 * 1e-9, 0.0);
        for back in 0..STEPS {
            let in_step = self.steps[(self.at + STEPS - back) % STEPS];
            if left < step {
                missed += in_step * left / step;
                break;
            }
            (left, step, missed) = (left - step, GRID_S, missed + in_step);
        }
        (seconds - missed).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_path_was_paced_expect_swings_to_have_gone_on_for_so_much_less() {
        let mut missed = Missed::NOTHING;
        assert_eq!(missed.gone_on(0, 0.13), 0.13);
        // Two steps at full pace after one at half of it, whose second part stood still; then a part of a step.
        let mut now = 0;
        for (ns, pace) in [(4_000_000, 0.5), (6_000_000, 0.0), (10_000_000, 1.0), (10_000_000, 1.0), (3_000_000, 0.4)] {
            now += ns;
            missed.count(ns, now, pace);
        }
        for (seconds, expected) in [(0.001, 0.0004), (0.003, 0.0012), (0.023, 0.0212), (0.028, 0.0222), (0.033, 0.0232)]
        {
            let gone_on = missed.gone_on(now, seconds);
            assert!((gone_on - expected).abs() < 1e-12, "{gone_on} s of the last {seconds} s");
        }
        // What is longer ago is forgotten.
        (0..21).for_each(|_| {
            now = (now / GRID_NS + 1) * GRID_NS;
            missed.count(GRID_NS, now, 1.0);
        });
        assert_eq!(missed.gone_on(now, 0.2), 0.2);
    }
}
