//! Whether a servo that has just got torque stands where it was commanded.

use std::time::Duration;

use super::series::Series;

/// The first goal is where a servo says that it stands. Should that be wrong, it goes there no faster than this.
pub(super) const SLOW_RAD_S: f64 = 0.5;
/// Positions that differ by no more are those of a servo at rest.
pub(super) const REST_RAD: f64 = 0.0126;
/// It is at rest once so many positions in a row, over so long a time, say so. Where goals come with a time it creeps, and is
/// looked at for longer.
const SEEN: u8 = 3;
const REST: Duration = Duration::from_millis(500);
const CREEPING: Duration = Duration::from_secs(1);

/// Where it rests, if it does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    rest: Option<(f64, Duration)>,
    seen: u8,
    is_over: bool,
}

impl Standing {
    /// Takes in where it is, in steps.
    pub fn see(&mut self, series: &Series, step: f64, now: Duration) {
        let alike = |of: f64| (step - of).abs() * series.rad_per_step <= REST_RAD;
        let Some((_, since)) = self.rest.filter(|(of, _)| alike(*of)) else {
            (self.rest, self.seen) = (Some((step, now)), 1);
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
