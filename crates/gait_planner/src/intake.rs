//! When each command has its turn.
//!
//! In real time that is the next tick. In simulated time a command that a bag may hold waits for the next whole tenth of a
//! second: the ticks of one message on `/clock` come at once, and which of them a command comes before must not depend on
//! how often the clock speaks. When it was received on the simulated clock is read between the two messages on `/clock`
//! around it, in proportion to real time. Nobody waits who asks for a posture or a stop; what came before goes with it.

use crate::command::{COMMANDS, Command, Received};
use crate::life::Moment;
use rtrb::{Consumer, Producer, RingBuffer};
use std::time::Duration;

/// Commands that have come in, each until its turn.
pub struct Intake {
    queue: Consumer<Received>,
    /// The last message on `/clock`, in simulated time.
    clock: Option<Moment>,
    put: Producer<Waiting>,
    waiting: Consumer<Waiting>,
    /// So many of the waiting have their turn at once.
    at_once: usize,
}

struct Waiting {
    due: Duration,
    received: Received,
}

/// Whole multiples of this are when commands have their turn in simulated time: any `/clock` of 10 Hz or more passes each.
const TURN: Duration = Duration::from_millis(100);

impl Intake {
    /// Takes its commands from `queue`.
    #[must_use]
    pub fn new(queue: Consumer<Received>) -> Self {
        let (put, waiting) = RingBuffer::new(COMMANDS);
        Self { queue, clock: None, put, waiting, at_once: 0 }
    }

    /// Takes down what `/clock` says, before the ticks that it brings: from now on time is simulated.
    pub fn clock(&mut self, now: Moment) {
        let before = self.clock.replace(now).unwrap_or(now);
        if now.at < before.at {
            self.at_once = self.waiting.slots();
        }
        while !self.put.is_full() && self.queue.peek().is_ok_and(|received| received.at.real <= now.real) {
            let Ok(mut received) = self.queue.pop() else { return };
            let due = turn_after(between(&before, &now, received.at.real));
            let hurries = !may_wait(&received.command) || now.at < before.at;
            if !hurries {
                // Its age counts from the turn before: its end must not depend on the clock's messages, either.
                received.at.at = due.saturating_sub(TURN);
            }
            let _ = self.put.push(Waiting { due, received });
            if hurries {
                self.at_once = self.waiting.slots();
            }
        }
    }

    /// Whether more commands wait to be taken in than come between two messages on `/clock`.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.queue.slots() > COMMANDS / 2
    }

    /// Takes in what came while the clock stands, to `real` on the monotonic one. Who asks for a posture or a stop has its
    /// turn all the same; so has everybody where the others grow too many: a stop is to find room behind them.
    pub fn stand(&mut self, real: Duration) {
        let Some(Moment { at, .. }) = self.clock else { return };
        self.clock(Moment { at, real });
        if self.waiting.slots() > COMMANDS / 2 {
            self.at_once = self.waiting.slots();
        }
    }

    /// The least age at which a command may be void: that in which the next one of a stream can have its turn.
    #[must_use]
    pub fn least_timeout(&self) -> Duration {
        if self.clock.is_some() { 2 * TURN } else { Duration::ZERO }
    }

    /// The next command that has its turn in a tick at this time.
    pub fn next(&mut self, tick_at: Duration) -> Option<Received> {
        if self.clock.is_none() {
            return self.queue.pop().ok();
        }
        if self.at_once == 0 && !self.waiting.peek().is_ok_and(|waiting| waiting.due <= tick_at) {
            return None;
        }
        self.at_once = self.at_once.saturating_sub(1);
        self.waiting.pop().ok().map(|waiting| waiting.received)
    }
}

/// Whether a command may wait: what comes by topics that are recorded, and neither stops nor ends anything at once.
fn may_wait(command: &Command) -> bool {
    match command {
        Command::Twist(_)
        | Command::Velocity(_)
        | Command::Curvature(_)
        | Command::Barred(_)
        | Command::BodyOffset(_)
        | Command::Foothold(..)
        | Command::Gait(_)
        | Command::Motion(_)
        | Command::Trajectory(_)
        | Command::Goal(_) => true,
        // A foot that feels the ground is not to wait.
        Command::Contacts(_)
        | Command::Feet(..)
        | Command::Imu(..)
        | Command::Stand
        | Command::Sit
        | Command::Pack
        | Command::Stop
        | Command::EndGoal(..)
        | Command::Retire
        | Command::Freeze(_)
        | Command::StepHeight(_)
        | Command::Limits(_)
        | Command::Timeout(_) => false,
    }
}

/// What the simulated clock said at a moment of real time, later than `before` and not later than `now`.
fn between(before: &Moment, now: &Moment, real: Duration) -> Duration {
    let (way, went) = (now.at.saturating_sub(before.at), now.real.saturating_sub(before.real));
    let fraction = real.saturating_sub(before.real).as_secs_f64() / went.as_secs_f64().max(1e-9);
    let at = before.at.saturating_add(Duration::from_secs_f64(way.as_secs_f64() * fraction.min(1.0)));
    at.clamp(before.at, now.at.max(before.at)).max(before.at.saturating_add(Duration::from_nanos(1)))
}

/// The first turn at this time or later.
fn turn_after(at: Duration) -> Duration {
    let turns = at.as_nanos().div_ceil(TURN.as_nanos());
    Duration::from_nanos(u64::try_from(turns * TURN.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::queues;
    use hexapod_gait::Twist;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn moment(at: u64, real: u64) -> Moment {
        Moment { at: ms(at), real: ms(real) }
    }

    fn twist(real: u64) -> Received {
        Received { command: Command::Twist(Twist::new(0.05, 0.0, 0.0)), sender: None, at: moment(0, real) }
    }

    #[test]
    fn when_time_is_real_expect_the_next_tick() {
        let (mut commands, _, incoming) = queues();
        let mut intake = Intake::new(incoming.commands);
        commands.push(twist(7)).unwrap();
        assert!(intake.next(Duration::ZERO).is_some() && intake.next(ms(1000)).is_none());
    }

    #[test]
    fn when_the_clock_speaks_at_any_rate_expect_a_command_at_the_same_tenth() {
        // Received at 5.237 s; the clock has another phase, too.
        for (step, phase) in [(100, 0), (40, 0), (25, 3), (25, 0), (10, 7), (4, 0), (1, 0)] {
            let (mut commands, _, incoming) = queues();
            let mut intake = Intake::new(incoming.commands);
            let (mut at, mut taken) = (5000 + phase, None);
            while taken.is_none() {
                intake.clock(moment(at, 9000 + at));
                taken = (at / 10 * 10..=at).step_by(10).find(|&tick| intake.next(ms(tick)).is_some());
                if at <= 5237 && 5237 < at + step {
                    commands.push(twist(9000 + 5237)).unwrap();
                }
                at += step;
            }
            assert!(taken.is_some_and(|tick| tick / 100 == 53), "clock each {step} ms from {phase} on: {taken:?}");
        }
    }

    #[test]
    fn when_a_stop_comes_expect_it_at_once_and_what_came_before_ahead_of_it() {
        let (mut commands, _, incoming) = queues();
        let mut intake = Intake::new(incoming.commands);
        intake.clock(moment(5000, 5000));
        commands.push(twist(5003)).unwrap();
        intake.clock(moment(5010, 5010));
        assert!(intake.next(ms(5010)).is_none(), "it has time");
        commands.push(twist(5012)).unwrap();
        commands.push(Received { command: Command::Stop, sender: None, at: moment(0, 5013) }).unwrap();
        commands.push(twist(5014)).unwrap();
        intake.clock(moment(5020, 5020));
        let taken: Vec<_> = std::iter::from_fn(|| intake.next(ms(5020))).map(|received| received.command).collect();
        assert!(matches!(taken[..], [Command::Twist(_), Command::Twist(_), Command::Stop]), "{taken:?}");
        assert!(intake.next(ms(5100)).is_some(), "and what came afterwards at its turn");
    }

    #[test]
    fn when_a_command_is_seen_before_the_clock_that_came_before_it_expect_it_after_that() {
        let (mut commands, _, incoming) = queues();
        let mut intake = Intake::new(incoming.commands);
        intake.clock(moment(5000, 5000));
        commands.push(twist(5101)).unwrap();
        intake.clock(moment(5100, 5100));
        assert!(intake.next(ms(5100)).is_none());
        intake.clock(moment(5200, 5200));
        assert!(intake.next(ms(5200)).is_some());
    }

    #[test]
    fn when_the_clock_goes_back_jumps_or_stands_expect_nothing_kept_for_ever() {
        let (mut commands, _, incoming) = queues();
        let mut intake = Intake::new(incoming.commands);
        for (at, tick) in [(5000, 5000), (5000, 5000), (3000, 3000), (9_000_000, 9_000_000), (0, 0)] {
            commands.push(twist(at)).unwrap();
            intake.clock(moment(at, 10_000_000 + at));
            while intake.next(ms(tick)).is_some() {}
        }
        for at in [100, 200] {
            intake.clock(moment(at, 20_000_000 + at));
            while intake.next(ms(at)).is_some() {}
        }
        assert_eq!((intake.waiting.slots(), intake.queue.slots()), (0, 0));
    }
}
