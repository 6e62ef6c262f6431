//! The pulse of one servo that moves only while keys come in.

use std::time::Duration;

/// Without a key for this long the servo goes back to neutral. A key that is held repeats after 0.25 s to 0.66 s on usual
/// terminals.
pub const SILENCE: Duration = Duration::from_millis(1000);
/// The most one key moves a servo, in degrees by the scale of the file.
pub const STEP_DEG: f64 = 2.0;
/// Speed on the way to a place that is known to be free, and back to neutral.
const FREE_DEG_S: f64 = 20.0;

/// How far and how fast one key moves the servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// One count of the board.
    Count,
    /// Half a degree, or a count where that is more: slow enough to stop within 2 degrees of what is seen.
    Slow,
    /// As far and as fast as a key may: for where nothing is near.
    Fast,
}

impl Pace {
    /// Degrees of one key, and degrees a second.
    fn limits(self) -> (f64, f64) {
        match self {
            Self::Count => (0.0, 5.0),
            Self::Slow => (0.5, 5.0),
            Self::Fast => (STEP_DEG, 15.0),
        }
    }
}

/// A servo's pulse, all in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Mover {
    on: bool,
    /// Where it is now, not yet rounded to a count.
    at_us: f64,
    /// Where the last key has it go: never more than a step away.
    wanted_us: f64,
    /// Where held keys have brought it, and a held Space brings it again.
    goal_us: f64,
    rest_us: f64,
    bounds_us: (f64, f64),
    us_per_deg: f64,
    count_us: f64,
    speed_deg_s: f64,
    quiet: Duration,
    /// The farthest it has been from neutral since it was switched on.
    farthest_us: f64,
}

impl Mover {
    /// A servo without pulse. `us_per_deg` and `count_us` are above zero.
    pub fn new(rest_us: f64, us_per_deg: f64, count_us: f64) -> Self {
        Self {
            on: false,
            at_us: rest_us,
            wanted_us: rest_us,
            goal_us: rest_us,
            rest_us,
            bounds_us: (rest_us, rest_us),
            us_per_deg,
            count_us,
            speed_deg_s: FREE_DEG_S,
            quiet: SILENCE,
            farthest_us: 0.0,
        }
    }

    /// Pulses on, at neutral.
    pub fn switch_on(&mut self) {
        (self.on, self.at_us, self.wanted_us) = (true, self.rest_us, self.rest_us);
        (self.quiet, self.farthest_us) = (Duration::ZERO, 0.0);
    }

    /// Pulses off.
    pub fn switch_off(&mut self) {
        self.on = false;
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    /// No pulse outside these from now on; neutral is within them.
    pub fn set_bounds(&mut self, lower_us: f64, upper_us: f64) {
        self.bounds_us = (lower_us.min(self.rest_us), upper_us.max(self.rest_us));
        self.goal_us = self.bounded(self.goal_us);
    }

    /// Where a held Space brings it.
    pub fn set_goal(&mut self, goal_us: f64) {
        self.goal_us = self.bounded(goal_us);
    }

    /// The pulse as the board puts it out: whole counts.
    pub fn commanded_us(&self) -> f64 {
        (self.at_us / self.count_us).round() * self.count_us
    }

    /// A key towards longer pulses (`sign` 1) or shorter ones (-1). The end of the range, where it is there already and
    /// stays.
    pub fn push(&mut self, sign: f64, pace: Pace) -> Option<f64> {
        if !self.on {
            return None;
        }
        let end_us = if sign > 0.0 { self.bounds_us.1 } else { self.bounds_us.0 };
        let (step_deg, speed_deg_s) = pace.limits();
        let step_us = (step_deg * self.us_per_deg).max(self.count_us);
        let is_at_end = (self.commanded_us() - end_us).abs() < self.count_us;
        self.go(self.commanded_us() + sign * step_us, speed_deg_s);
        self.goal_us = self.wanted_us;
        is_at_end.then_some(end_us)
    }

    /// The held Space: a step towards the goal, or stay there.
    pub fn hold(&mut self) {
        if self.on {
            let step_us = STEP_DEG * self.us_per_deg;
            self.go(self.at_us + (self.goal_us - self.at_us).clamp(-step_us, step_us), FREE_DEG_S);
        }
    }

    /// Stop here and now.
    pub fn stop(&mut self) {
        self.wanted_us = self.commanded_us();
        self.at_us = self.wanted_us;
    }

    /// Time passes.
    pub fn tick(&mut self, dt: Duration) {
        if !self.on {
            return;
        }
        self.quiet = self.quiet.saturating_add(dt);
        if !self.is_held() {
            (self.wanted_us, self.speed_deg_s) = (self.rest_us, FREE_DEG_S);
        }
        let most_us = self.speed_deg_s * self.us_per_deg * dt.as_secs_f64();
        self.at_us += (self.bounded(self.wanted_us) - self.at_us).clamp(-most_us, most_us);
        self.farthest_us = self.farthest_us.max((self.at_us - self.rest_us).abs());
    }

    /// True while keys come in.
    pub fn is_held(&self) -> bool {
        self.on && self.quiet < SILENCE
    }

    /// True when it stands where the last key has it.
    pub fn is_still(&self) -> bool {
        (self.at_us - self.wanted_us).abs() < 1e-6
    }

    /// How far it is from neutral now, and how far it has been since it was switched on or [`Self::forget`].
    pub fn excursion_deg(&self) -> (f64, f64) {
        ((self.commanded_us() - self.rest_us).abs() / self.us_per_deg, self.farthest_us / self.us_per_deg)
    }

    /// Begins to look anew at how far it goes.
    pub fn forget(&mut self) {
        self.farthest_us = 0.0;
    }

    fn go(&mut self, to_us: f64, speed_deg_s: f64) {
        (self.wanted_us, self.speed_deg_s, self.quiet) = (self.bounded(to_us), speed_deg_s, Duration::ZERO);
    }

    fn bounded(&self, pulse_us: f64) -> f64 {
        pulse_us.clamp(self.bounds_us.0, self.bounds_us.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TICK: Duration = Duration::from_millis(20);

    fn mover() -> Mover {
        let mut mover = Mover::new(1500.0, 10.0, 5.0);
        mover.set_bounds(1000.0, 2000.0);
        mover.switch_on();
        mover
    }

    #[test]
    fn when_keys_stop_expect_it_still_within_a_step_and_neutral_after_the_silence() {
        let mut mover = mover();
        for _ in 0..50 {
            mover.push(1.0, Pace::Fast);
            mover.tick(TICK);
        }
        let left_us = mover.commanded_us();
        assert!(left_us > 1600.0);
        for _ in 0..20 {
            mover.tick(TICK);
        }
        assert!(mover.commanded_us() - left_us <= STEP_DEG * 10.0 && mover.is_still() && mover.is_held());
        for _ in 0..200 {
            mover.tick(TICK);
        }
        assert_eq!(mover.commanded_us(), 1500.0);
        assert!(mover.goal_us >= left_us);
        mover.hold();
        (0..10).for_each(|_| mover.tick(TICK));
        assert_eq!(mover.commanded_us(), 1520.0, "a single Space is a step, not the whole way");
    }

    #[test]
    fn when_a_key_pushes_beyond_the_range_expect_its_end_reported() {
        let mut mover = mover();
        assert_eq!(mover.push(1.0, Pace::Fast), None, "it is on its way");
        for _ in 0..100 {
            mover.push(1.0, Pace::Fast);
            (0..10).for_each(|_| mover.tick(TICK));
        }
        assert_eq!(mover.push(1.0, Pace::Slow), Some(2000.0));
        assert_eq!(mover.push(-1.0, Pace::Slow), None, "back is free");
    }

    proptest! {
        /// Whatever keys come whenever: within bounds, at most a step from one key, never faster than the fastest.
        #[test]
        fn when_any_keys_come_expect_steps_and_speed_bounded(keys in proptest::collection::vec((0..8_u8, 0..90_u64), 1..300)) {
            let mut mover = mover();
            for (key, wait) in keys {
                let before_us = mover.commanded_us();
                match key {
                    0 => {
                        mover.push(1.0, Pace::Fast);
                    }
                    1 => {
                        mover.push(-1.0, Pace::Fast);
                    }
                    2 => {
                        mover.push(1.0, Pace::Slow);
                    }
                    3 => {
                        mover.push(-1.0, Pace::Count);
                    }
                    4 => mover.set_goal(2500.0),
                    _ => mover.hold(),
                }
                prop_assert_eq!(mover.commanded_us(), before_us, "a key alone moves nothing: time does");
                let dt = Duration::from_millis(wait);
                mover.tick(dt);
                let moved_us = (mover.commanded_us() - before_us).abs();
                prop_assert!(moved_us <= STEP_DEG * 10.0 + 5.0, "{moved_us}");
                prop_assert!(moved_us <= FREE_DEG_S * 10.0 * dt.as_secs_f64() + 5.0);
                prop_assert!((1000.0..=2000.0).contains(&mover.commanded_us()));
            }
        }
    }
}
