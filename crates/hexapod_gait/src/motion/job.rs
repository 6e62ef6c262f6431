//! The motion job: at most one motion that runs and one that waits.

use super::kinds::Motion;
use std::sync::Arc;

/// Runs one motion and keeps at most one for later.
///
/// A motion handed over here is dropped here when it is over; whoever must not free memory keeps a second handle
/// elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Job {
    running: Option<Running>,
    next: Option<Numbered>,
    count: u64,
}

/// A motion and its sequence number.
#[derive(Clone, Debug)]
struct Numbered {
    number: u64,
    motion: Arc<Motion>,
}

#[derive(Clone, Debug)]
struct Running {
    number: u64,
    motion: Arc<Motion>,
    elapsed: f64,
    stopping: bool,
}

/// Where a job's time would be after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    elapsed: f64,
    /// Time that passes on the way there, s.
    pub advanced: f64,
    /// Time inside the cycle, s.
    pub time: f64,
    /// Whether the motion has ended there.
    pub ended: bool,
}

impl Job {
    /// Starts `motion` when idle. When busy, asks the running motion to stop at the end of its cycle and puts `motion`,
    /// or nothing, in the place of whatever waited.
    pub fn execute(&mut self, motion: Option<Arc<Motion>>) {
        self.count = self.count.wrapping_add(u64::from(motion.is_some()));
        let handed = motion.map(|motion| Numbered { number: self.count, motion });
        match &mut self.running {
            Some(running) => {
                running.stopping = true;
                self.next = handed;
            }
            None => self.start(handed),
        }
    }

    /// The number of the motion that was handed over last: they count up from 1.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether the motion of this number runs, or waits.
    #[must_use]
    pub fn holds(&self, number: u64) -> bool {
        self.runs(number) || self.next.as_ref().is_some_and(|next| next.number == number)
    }

    /// Whether the motion of this number runs.
    #[must_use]
    pub fn runs(&self, number: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.number == number)
    }

    /// Whether the running motion will end with its cycle, before its own end, because it was asked to.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        self.running.as_ref().is_some_and(|Running { motion, elapsed, stopping, .. }| {
            let own_end = end(motion, *elapsed, false);
            *stopping && own_end.is_finite() && end(motion, *elapsed, true) < own_end
        })
    }

    /// The fraction of the running motion that is over, 0 to 1; 0 for one that goes on until it is asked to stop.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        self.running
            .as_ref()
            .map_or(0.0, |running| running.elapsed / end(&running.motion, running.elapsed, running.stopping))
    }

    /// Drops both motions at once.
    pub fn cancel(&mut self) {
        self.running = None;
        self.next = None;
    }

    /// Whether a motion runs.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// The motion that runs.
    #[must_use]
    pub fn running(&self) -> Option<&Motion> {
        self.running.as_ref().map(|running| &*running.motion)
    }

    /// The motion that waits.
    #[must_use]
    pub fn waiting(&self) -> Option<&Motion> {
        self.next.as_ref().map(|next| &*next.motion)
    }

    /// Time inside the running motion's cycle, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.running.as_ref().map_or(0.0, |running| time_in_cycle(&running.motion, running.elapsed))
    }

    /// Where `dt` more seconds of the running motion lead; it ends at the end of a cycle only.
    #[must_use]
    pub fn ahead(&self, dt: f64) -> Step {
        let Some(Running { motion, elapsed, stopping, .. }) = &self.running else {
            return Step { elapsed: 0.0, advanced: 0.0, time: 0.0, ended: true };
        };
        let later = elapsed + dt.max(0.0);
        let last = end(motion, *elapsed, *stopping);
        if later >= last {
            return Step { elapsed: last, advanced: last - elapsed, time: motion.cycle_time(), ended: true };
        }
        Step { elapsed: later, advanced: later - elapsed, time: time_in_cycle(motion, later), ended: false }
    }

    /// Seconds the running motion has left; infinite for one that goes on until it is asked to stop.
    #[must_use]
    pub fn remaining(&self) -> f64 {
        self.running.as_ref().map_or(0.0, |r| end(&r.motion, r.elapsed, r.stopping) - r.elapsed)
    }

    /// Takes a step. At the end of a motion the one that waits starts.
    pub fn take(&mut self, step: Step) {
        if step.ended {
            self.finish();
        } else if let Some(running) = &mut self.running {
            running.elapsed = step.elapsed;
        }
    }

    /// Ends the running motion where it is. The one that waits starts.
    pub fn finish(&mut self) {
        let next = self.next.take();
        self.start(next);
    }

    fn start(&mut self, next: Option<Numbered>) {
        self.running =
            next.map(|Numbered { number, motion }| Running { number, motion, elapsed: 0.0, stopping: false });
    }
}

/// When a motion ends of which `elapsed` seconds are over.
fn end(motion: &Motion, elapsed: f64, stopping: bool) -> f64 {
    let cycle = motion.cycle_time();
    match motion.total_time() {
        None => cycle,
        _ if stopping => cycle_end(elapsed, cycle),
        Some(total) if total < 0.0 => f64::INFINITY,
        Some(total) => cycle_end(total.max(elapsed), cycle),
    }
}

/// A time this near to the end of a cycle (in cycles) is at its end: sums of ticks are not exact.
const AT_END: f64 = 1e-9;

/// The end of the cycle that `time` falls in; at the very end of one, that end.
fn cycle_end(time: f64, cycle: f64) -> f64 {
    (time / cycle - AT_END).ceil().max(1.0) * cycle
}

fn time_in_cycle(motion: &Motion, elapsed: f64) -> f64 {
    if motion.total_time().is_some() { elapsed.rem_euclid(motion.cycle_time()) } else { elapsed }
}
