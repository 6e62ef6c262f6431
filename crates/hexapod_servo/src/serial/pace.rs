//! How much goes over a line in one tick.

use std::fmt;
use std::time::Duration;

use super::port::on_the_wire;
use super::series::Series;

/// A tick, of which this much may be spent on the line.
pub(super) const TICK: Duration = Duration::from_millis(10);
const BUDGET: Duration = Duration::from_micros(8500);
/// What an adapter on USB adds to a reply.
const ADAPTER: Duration = Duration::from_millis(1);
/// No servo waits longer for its goal, in ticks, where that leaves time to ask one servo.
const GOAL_WITHIN: usize = 5;
/// Where goals go out in one frame, and servos are asked one by one, so many in a tick.
const AT_ONCE: usize = 4;
/// And no other is asked after this time.
const ASKING: Duration = Duration::from_millis(4);

/// How many servos get their goals in a tick, and how many are asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Servos that get goals.
    pub goals: usize,
    /// Servos that are asked.
    pub reads: usize,
    /// How long others are asked at most.
    pub(super) asking: Duration,
    /// How often each gets a goal, and reports where it is, at 100 ticks a second.
    pub goal_hz: f64,
    /// As above.
    pub position_hz: f64,
    /// Every servo is to get a goal and to be read in each tick, and the line has no time for that.
    is_short: bool,
}

impl Pace {
    /// That of so many servos on a line of `baud` bits a second.
    pub fn of(series: &Series, baud: u32, servos: usize) -> Self {
        let overhead = series.protocol.overhead();
        let longest = series.state.iter().map(|block| usize::from(block.count)).max().unwrap_or_default();
        let read = on_the_wire(baud, 2 * overhead + longest) + ADAPTER;
        let goal = on_the_wire(baud, overhead + usize::from(series.goal_block().count));
        let fitting = |time: Duration, each: Duration| (time.as_nanos() / each.as_nanos().max(1)) as usize;
        let (goals, reads, asking) = match (series.sync_write, series.sync_read) {
            (true, true) => (servos, servos, ASKING),
            (true, false) => (servos, AT_ONCE, ASKING),
            (false, _) => {
                let most = fitting(BUDGET.saturating_sub(read), goal).max(1);
                let goals = servos.div_ceil(GOAL_WITHIN).clamp(1, most);
                let left = BUDGET.saturating_sub(goal * goals as u32);
                (goals, fitting(left, read).max(1), BUDGET)
            }
        };
        let reads = reads.min(servos.max(1));
        let positions = series.state.iter().filter(|block| Some(*block) == series.state.first()).count();
        let part = positions as f64 / series.state.len().max(1) as f64;
        let bytes = 4 * overhead
            + longest
            + servos * (2 + overhead + usize::from(series.goal_block().count + series.present.count));
        let wire = if series.sync_write && series.sync_read { on_the_wire(baud, bytes) } else { Duration::ZERO };
        let hz = 1.0 / TICK.max(wire).as_secs_f64();
        let position_hz = if series.sync_read { hz } else { part * hz * reads as f64 / servos.max(1) as f64 };
        let goal_hz = hz / servos.div_ceil(goals.max(1)).max(1) as f64;
        Self { goals, reads, asking, goal_hz, position_hz, is_short: wire > TICK }
    }

    /// How many ticks a second the line has time for, if those are fewer than there are to be.
    #[must_use]
    pub fn short_hz(&self) -> Option<f64> {
        self.is_short.then_some(self.goal_hz)
    }

    /// How long it is from one position of a servo to the next.
    pub(super) fn position_every(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.position_hz)
    }

    /// How long a servo waits for its next goal.
    pub(super) fn goal_every(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.goal_hz)
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "each gets goals {:.0} times a second and is read {:.1} times",
            self.goal_hz, self.position_hz
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{feetech, lx16a};

    #[test]
    fn when_a_line_is_slow_expect_goals_and_reads_to_fit_into_a_tick() {
        let pace = |baud, servos| Pace::of(&lx16a::LX16A, baud, servos);
        let eighteen = pace(115_200, 18);
        assert_eq!((eighteen.goals, eighteen.reads), (4, 2));
        assert_eq!(eighteen.to_string(), "each gets goals 20 times a second and is read 5.6 times");
        assert!(pace(115_200, 6).position_hz > 15.0);
        for servos in 1..=64 {
            let pace = pace(115_200, servos);
            let wire_ms = 0.868 * pace.goals as f64 + 2.389 * pace.reads as f64;
            assert!(pace.goals > 0 && pace.reads > 0 && wire_ms < 8.51, "{servos}: {pace:?}");
        }
        let fast = Pace::of(&feetech::STS, 1_000_000, 18);
        assert_eq!((fast.goal_hz, fast.position_hz, fast.short_hz()), (100.0, 100.0, None));
        // Tried on a pseudo terminal at that rate: 44 Hz.
        let slow = Pace::of(&feetech::STS, 115_200, 18).short_hz();
        assert!(slow.is_some_and(|hz| (30.0..50.0).contains(&hz)), "{slow:?}");
        assert_eq!(Pace::of(&feetech::STS, 500_000, 18).short_hz(), None);
    }
}
