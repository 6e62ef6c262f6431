//! The path that the commands of one joint describe, and how far along it the joint is.

use std::time::Duration;

/// Joints move with each new command, and without one this long after they last moved: so a steady stream costs its
/// changes once, wherever between the commands a tick falls. It is also the longest time one step makes up for. Joints
/// that make up for lost time move with each tick.
pub(super) const FRAME: Duration = Duration::from_millis(20);
/// Commands kept for a joint that is behind. When there are more, every other one is dropped: the path stays as long.
const KEPT: usize = 32;

/// Commands and the times of their receipt, from the one that the joint was last commanded to the newest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path {
    points: [Point; KEPT],
    count: usize,
    /// How far along the path the joint was commanded to be.
    reached: Duration,
    /// Time from the command before the newest to the newest, and between the two before that.
    intervals: [Duration; 2],
    /// True while the joint makes up for time in which it got no command.
    behind: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Point {
    at: Duration,
    angle_rad: f64,
}

impl Path {
    /// Takes a command received at `at`.
    pub fn extend(&mut self, at: Duration, angle_rad: f64) {
        let point = Point { at, angle_rad };
        if let Some(newest) = self.points[..self.count].last_mut() {
            let passed = at.saturating_sub(newest.at);
            if passed.is_zero() {
                newest.angle_rad = angle_rad;
                return;
            }
            self.intervals = [passed, self.intervals[0]];
        }
        self.forget_passed();
        if self.count == KEPT {
            (1..KEPT / 2).for_each(|n| self.points[n] = self.points[2 * n]);
            self.count = KEPT / 2;
        }
        self.points[self.count] = point;
        self.count += 1;
    }

    /// True if the joint got no command for so long that its next step would make up for more than two commands, as
    /// they came before the newest. What commands and ticks are off by does not count.
    pub fn is_late(&self) -> bool {
        let usual = FRAME.max(2 * self.intervals[1]);
        self.newest().saturating_sub(self.reached) > usual + FRAME / 4
    }

    /// True while the joint makes up for lost time.
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    /// Has the joint go along the path from where it is, a little faster than commands come, until it has caught up.
    pub fn fall_behind(&mut self) {
        self.behind = true;
    }

    /// Takes the newest command for reached.
    pub fn skip(&mut self) {
        self.behind = false;
        self.reached = self.newest();
    }

    /// Moves on by `elapsed`, and returns the angle in radians reached then: the newest command, or one on the way to it.
    pub fn advance(&mut self, elapsed: Duration) -> f64 {
        let newest = self.newest();
        self.reached = if self.behind { newest.min(self.reached + elapsed + elapsed / 4) } else { newest };
        self.behind = self.reached < newest;
        self.angle_at(self.reached)
    }

    fn newest(&self) -> Duration {
        self.points[..self.count].last().map_or(Duration::ZERO, |point| point.at)
    }

    fn angle_at(&self, at: Duration) -> f64 {
        let points = &self.points[..self.count];
        let ahead = points.iter().position(|point| point.at > at).unwrap_or(points.len());
        match (points.get(ahead.wrapping_sub(1)), points.get(ahead)) {
            (Some(from), Some(to)) => {
                let fraction = (at - from.at).as_secs_f64() / (to.at - from.at).as_secs_f64();
                from.angle_rad + fraction * (to.angle_rad - from.angle_rad)
            }
            (Some(point), None) | (None, Some(point)) => point.angle_rad,
            (None, None) => 0.0,
        }
    }

    /// Drops what lies behind the joint.
    fn forget_passed(&mut self) {
        let points = &self.points[..self.count];
        let passed = points.iter().rposition(|point| point.at <= self.reached).unwrap_or(0);
        self.points.copy_within(passed..self.count, 0);
        self.count -= passed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Commanded every 10 ms from 0 up to and with `last_ms`, by its square.
    fn commanded(last_ms: u64) -> Path {
        let mut path = Path::default();
        for at_ms in (0..=last_ms).step_by(10) {
            path.extend(ms(at_ms), square(ms(at_ms)));
        }
        path
    }

    fn square(at: Duration) -> f64 {
        at.as_secs_f64() * at.as_secs_f64()
    }

    #[test]
    fn when_nothing_is_late_expect_the_newest_command() {
        let mut path = commanded(0);
        for n in 1..100_u32 {
            path.extend(ms(10) * n, f64::from(n));
            assert!(!path.is_late());
            assert_eq!(path.advance(ms(10)), f64::from(n));
        }
        assert_eq!(path.count, 2, "the way that lies behind is not kept");
    }

    #[test]
    fn when_behind_expect_the_way_that_was_commanded_a_quarter_faster_and_no_more_once_it_has_caught_up() {
        let mut path = commanded(10);
        path.skip();
        for at_ms in (20..=110).step_by(10) {
            path.extend(ms(at_ms), square(ms(at_ms)));
        }
        assert!(path.is_late());
        path.fall_behind();
        for n in 1..=40 {
            let at = ms(110) + ms(10) * n;
            path.extend(at, square(at));
            let reached = ms(10) + ms(10) * n * 5 / 4;
            // Between two commands the way is straight.
            assert!((path.advance(ms(10)) - square(reached)).abs() < 0.000_03, "{n}");
            assert!(path.is_behind() == (n < 40) && path.reached == reached, "{n}: {:?}", path.reached);
        }
        path.extend(ms(520), 7.0);
        assert_eq!(path.advance(ms(10)), 7.0);
    }

    #[test]
    fn when_more_commands_come_than_are_kept_expect_the_same_way_in_longer_parts() {
        let mut path = commanded(0);
        path.skip();
        path.fall_behind();
        for at_ms in (10..=500).step_by(10) {
            path.extend(ms(at_ms), square(ms(at_ms)));
            assert!(path.count <= KEPT);
        }
        for at_ms in 0..=500 {
            assert!((path.angle_at(ms(at_ms)) - square(ms(at_ms))).abs() < 0.001, "{at_ms}");
        }
    }

    #[test]
    fn when_a_source_is_slow_expect_it_late_only_by_its_own_measure() {
        for interval in [10, 20, 50, 100, 240].map(ms) {
            for missing in 0..5 {
                let mut path = Path::default();
                for n in 0..50 {
                    path.extend(interval * n, 0.0);
                    path.skip();
                }
                path.extend(interval * (50 + missing), 0.0);
                assert_eq!(path.is_late(), missing >= 2, "{missing} are missing at {interval:?}");
            }
        }
    }
}
