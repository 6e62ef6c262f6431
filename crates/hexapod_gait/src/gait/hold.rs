//! A swing that stops on its way for a while, and evenly goes on.

/// In how much time a swing comes to a stop, or is under way again, s.
const RAMP_S: f64 = 0.04;

/// How long a swing is held, s, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Hold {
    seconds: f64,
    since: f64,
}

impl Hold {
    pub(crate) fn new(seconds: f64) -> Self {
        Self { seconds, since: 0.0 }
    }

    /// By how much the swing is yet delayed, s.
    #[inline]
    pub(crate) fn left(&self) -> f64 {
        if self.seconds == 0.0 {
            return 0.0;
        }
        let ramp = RAMP_S.min(self.seconds);
        let (since, until) = (self.since, self.seconds + ramp - self.since);
        if until <= 0.0 {
            0.0
        } else if since < ramp {
            self.seconds - since * since / (2.0 * ramp)
        } else if until < ramp {
            until * until / (2.0 * ramp)
        } else {
            until - 0.5 * ramp
        }
    }

    /// Whether it has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.since > 0.0
    }

    /// The same after this time, s.
    pub(crate) fn after(&self, time: f64) -> Self {
        Self { since: self.since + time, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_swing_is_held_expect_it_slowed_down_evenly_and_delayed_by_just_that_time() {
        for seconds in [0.0, 0.01, 0.04, 0.2] {
            let (mut hold, mut rate, mut progress) = (Hold::new(seconds), 1.0, 0.0);
            assert_eq!((hold.left(), hold.has_begun()), (seconds, false));
            for _ in 0..300 {
                let next = hold.after(0.001);
                let passed = 0.001 - (hold.left() - next.left());
                let change = (passed / 0.001 - rate).abs();
                assert!((-1e-9..=0.001 + 1e-9).contains(&passed) && change <= 0.11, "{change} at {hold:?}");
                (hold, rate, progress) = (next, passed / 0.001, progress + passed);
            }
            assert!(hold.left() == 0.0 && (progress + seconds - 0.3).abs() < 1e-9, "{progress} after {seconds}");
        }
    }
}
