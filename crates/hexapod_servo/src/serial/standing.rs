//! Whether a servo that has just got torque stands where it was commanded.

use std::time::Duration;

use super::series::Series;

/// The first goal is where a servo says that it stands. Should that be wrong, it goes there no faster than this.
pub(super) const SLOW_RAD_S: f64 = 0.5;
/// Positions that differ by no more are those of a servo at rest; by more with each second for one that trembles, but never by
/// what a servo passes through on its way.
pub(super) const REST_RAD: f64 = 0.0126;
const TREMBLES_RAD_S: f64 = 0.0126;
const TREMBLES_RAD: f64 = 0.025;
/// It turns, whatever it says of where it is, where it has turned by more by what it says of its speed.
const TURNS_RAD: f64 = 0.1;
/// It is at rest once so many positions in a row, over so long a time, say so. Where goals come with a time it creeps, and is
/// looked at for longer.
const SEEN: u8 = 3;
const REST: Duration = Duration::from_millis(500);
const CREEPING: Duration = Duration::from_secs(1);

/// Where it rests, if it does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    rest: Option<(f64, Duration)>,
    /// How far it has turned since then by what it says of its speed, rad, and when it said so last.
    turned_rad: f64,
    looked_at: Duration,
    /// When it was first looked at.
    began: Option<Duration>,
    seen: u8,
    is_over: bool,
}

impl Standing {
    /// Takes in where it is, in steps, and how fast it says that it turns.
    pub fn see(&mut self, series: &Series, step: f64, speed_rad_s: f64, now: Duration) {
        let waited = now.saturating_sub(*self.began.get_or_insert(now)).as_secs_f64();
        let tolerance_rad = (REST_RAD + TREMBLES_RAD_S * waited).min(TREMBLES_RAD);
        let alike = |of: f64| (step - of).abs() * series.rad_per_step <= tolerance_rad;
        self.turned_rad += speed_rad_s * now.saturating_sub(self.looked_at).as_secs_f64();
        self.looked_at = now;
        let stays = self.turned_rad.abs() <= TURNS_RAD;
        let Some((_, since)) = self.rest.filter(|(of, _)| stays && alike(*of)) else {
            (self.rest, self.seen, self.turned_rad) = (Some((step, now)), 1, 0.0);
            return;
        };
        self.seen = self.seen.saturating_add(1);
        let long = if series.move_time.is_some() { CREEPING } else { REST };
        self.is_over |= self.seen >= SEEN && now.saturating_sub(since) >= long;
    }

    /// Whether it has come to rest since it got torque.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feetech::STS;

    /// After how many seconds a servo that is seen there counts as at rest, within 30 s.
    fn rests_after(at_rad: impl Fn(f64) -> f64) -> Option<f64> {
        let mut standing = Standing::default();
        (0..3000).map(|tick| f64::from(tick) * 0.01).find(|&time_s| {
            standing.see(&STS, at_rad(time_s) / STS.rad_per_step, 0.0, Duration::from_secs_f64(time_s));
            standing.is_over()
        })
    }

    #[test]
    fn when_a_servo_trembles_expect_it_at_rest_in_the_end_and_never_one_that_is_on_its_way() {
        assert!(rests_after(|_| 1.0).is_some_and(|after_s| after_s < 0.6));
        for amplitude_rad in [0.005, 0.008, 0.012] {
            let trembling = rests_after(|time_s| 1.0 + amplitude_rad * (time_s * 40.0).sin());
            assert!(trembling.is_some_and(|after_s| after_s < 4.0), "{amplitude_rad}: {trembling:?}");
        }
        let mut stuck = Standing::default();
        for tick in 0..1000 {
            stuck.see(&STS, 1500.0, SLOW_RAD_S, Duration::from_millis(10 * tick));
        }
        assert!(!stuck.is_over(), "a servo that misreads where it stands");
        for speed_rad_s in [0.06, 0.3, SLOW_RAD_S] {
            assert_eq!(rests_after(|time_s| speed_rad_s * time_s), None, "{speed_rad_s}");
        }
    }
}
