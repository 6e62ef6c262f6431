//! A guard's watch over a driver that is there: whether it does its work, and whether the stop button is pressed while
//! it does not. A thread of its own, which no bus holds up; it sets OE high by itself and has the guard's other thread
//! tell the boards.

use crate::guard_link::{Cut, Heard, ToDriver};
use crate::pin_access::{OrphanedOutputs, StopButton};
use crate::pins::Steady;
use crate::stop_monitor::{BOUNCE, LOOK_EVERY};
use hexapod_ros::monotonic_now;
use hexapod_ros::realtime::{self, priority};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A driver that is silent for so long, while the guard listens, stands still.
const SILENT: Duration = Duration::from_millis(200);
/// One that is silent for so long does not act on the button.
const HESITATES: Duration = Duration::from_millis(12);
/// A look counts for so long at most: what the machine keeps from the guard it may keep from the driver, too.
const LONGEST_LOOK: Duration = Duration::from_millis(20);
/// Every so many looks the guard says that it is there.
const SAY_EVERY: u32 = 5;

/// What the guard's two threads tell each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alarm(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    raised: AtomicBool,
    free: AtomicBool,
    /// A driver lets itself be watched.
    linked: AtomicBool,
    /// The last driver ended in order.
    in_order: AtomicBool,
    over: AtomicBool,
}

impl Alarm {
    /// Whether the boards are to be switched off, though a driver is there.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// Notes whether the bus has no driver.
    pub fn note_free(&self, free: bool) {
        self.0.free.store(free, Ordering::SeqCst);
    }

    /// Whether a driver lets itself be watched.
    pub fn is_linked(&self) -> bool {
        self.0.linked.load(Ordering::SeqCst)
    }

    /// Whether the last driver said that it ends.
    pub fn ended_in_order(&self) -> bool {
        self.0.in_order.load(Ordering::SeqCst)
    }

    /// Ends the watch.
    pub fn end(&self) {
        self.0.over.store(true, Ordering::SeqCst);
    }
}

/// What a guard has.
pub(crate) struct Watcher {
    pub driver: ToDriver,
    pub outputs: Option<Arc<OrphanedOutputs>>,
    pub button: Option<StopButton>,
    pub alarm: Alarm,
}

impl Watcher {
    /// Looks until the alarm's end.
    pub fn run(mut self) {
        // Where it is not granted the guard has said so.
        let _ = realtime::fifo(priority::STOP);
        let (mut driver_monitor, mut button, mut looks) = (DriverMonitor::default(), Steady::new(BOUNCE), 0_u32);
        while !self.alarm.0.over.load(Ordering::SeqCst) {
            let now = monotonic_now();
            let heard = self.driver.listen();
            self.alarm.0.linked.store(heard.is_linked, Ordering::SeqCst);
            if heard.is_linked {
                self.alarm.0.in_order.store(false, Ordering::SeqCst);
            }
            self.take_lines();
            let is_pressed = self.button.as_ref().is_some_and(StopButton::is_pressed);
            let before = driver_monitor.cut;
            let cut =
                driver_monitor.look(heard, button.sees(is_pressed, now), self.alarm.0.free.load(Ordering::SeqCst), now);
            if cut.is_some() {
                self.outputs.iter().for_each(|outputs| outputs.cut());
            }
            self.alarm.0.raised.store(cut.is_some(), Ordering::SeqCst);
            if before != cut {
                self.tell(cut);
            }
            if looks.is_multiple_of(SAY_EVERY) {
                self.driver.say_alive();
                // Again: it may have come only now.
                cut.into_iter().for_each(|cut| self.driver.say_cut(cut));
            }
            looks = looks.wrapping_add(1);
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Takes the lines that the driver hands over, and lets go of them when it ends: the next driver cannot have them else.
    fn take_lines(&mut self) {
        let handed = self.driver.take_handed();
        self.alarm.0.in_order.fetch_or(handed.is_over, Ordering::SeqCst);
        if let Some((outputs, line)) = self.outputs.as_ref().zip(handed.output_enable) {
            outputs.hold(line);
        }
        if let Some((button, line)) = self.button.as_mut().zip(handed.stop) {
            button.hold(Some(line));
        }
        let holds = self.outputs.as_ref().is_some_and(|outputs| outputs.holds()) || self.button.is_some();
        if handed.is_over || (holds && self.driver.is_gone()) {
            self.outputs.iter().for_each(|outputs| outputs.give_back());
            self.button.iter_mut().for_each(|button| button.hold(None));
        }
    }

    fn tell(&self, cut: Option<Cut>) {
        match cut {
            Some(Cut::Silent) => tracing::error!("the driver stands still: all channels are off until it knows"),
            Some(Cut::Button) => {
                tracing::error!("the stop button is pressed and the driver does nothing: all channels are off");
            }
            None => tracing::info!("the driver knows, or has gone"),
        }
        cut.into_iter().for_each(|cut| self.driver.say_cut(cut));
    }
}

/// What the guard knows of a driver.
#[derive(Debug, Default)]
struct DriverMonitor {
    /// A driver has let itself be watched, and its bus has not been free since.
    is_watching: bool,
    /// For how long it was silent, as far as the guard listened.
    silent: Duration,
    looked: Option<Duration>,
    /// Why everything is off, until the driver knows.
    cut: Option<Cut>,
}

impl DriverMonitor {
    /// Looks; why everything is to be off now, if it is.
    fn look(&mut self, heard: Heard, is_pressed: bool, is_free: bool, now: Duration) -> Option<Cut> {
        let since = self.looked.replace(now).map_or(Duration::ZERO, |looked| now.saturating_sub(looked));
        if is_free && !heard.is_linked {
            // Whoever has no driver is switched off as such.
            *self = Self { looked: self.looked, ..Self::default() };
            return None;
        }
        self.is_watching |= heard.is_linked;
        let is_silent = self.is_watching && !heard.is_alive;
        self.silent = if is_silent { self.silent + since.min(LONGEST_LOOK) } else { Duration::ZERO };
        if heard.knows {
            (self.cut, self.silent) = (None, Duration::ZERO);
        }
        if self.is_watching && self.cut.is_none() {
            let silent = (self.silent >= SILENT).then_some(Cut::Silent);
            self.cut = silent.or((is_pressed && self.silent >= HESITATES).then_some(Cut::Button));
        }
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKED: Heard = Heard { is_linked: true, is_alive: false, knows: false };
    const ALIVE: Heard = Heard { is_alive: true, ..LINKED };
    const KNOWS: Heard = Heard { knows: true, ..ALIVE };
    const NOBODY: Heard = Heard { is_linked: false, ..LINKED };

    /// What comes of looks every 4 ms: how many, what is heard, the button, whether the bus is free.
    fn looks(driver_monitor: &mut DriverMonitor, each: &[(u64, Heard, bool, bool)]) -> Vec<Option<Cut>> {
        let mut now = driver_monitor.looked.unwrap_or(Duration::from_secs(1));
        let mut last = None;
        let one = |&(count, heard, pressed, free): &(u64, Heard, bool, bool)| {
            for _ in 0..count {
                now += LOOK_EVERY;
                last = driver_monitor.look(heard, pressed, free, now);
            }
            last
        };
        each.iter().map(one).collect()
    }

    #[test]
    fn when_a_driver_is_silent_expect_all_off_until_it_knows_and_not_for_beats_alone() {
        let mut driver_monitor = DriverMonitor::default();
        let seen = looks(
            &mut driver_monitor,
            &[
                (100, NOBODY, false, false),
                (100, ALIVE, false, false),
                (49, LINKED, false, false),
                (2, LINKED, false, false),
                (10, ALIVE, false, false),
                (1, KNOWS, false, false),
                (40, LINKED, false, false),
            ],
        );
        let silent = Some(Cut::Silent);
        assert_eq!(seen, [None, None, None, silent, silent, None, None]);
    }

    #[test]
    fn when_the_button_is_pressed_expect_the_guard_to_act_only_where_the_driver_does_not() {
        let mut driver_monitor = DriverMonitor::default();
        let button = Some(Cut::Button);
        let steps = [(50, ALIVE, true, false), (2, LINKED, true, false), (1, LINKED, true, false)];
        assert_eq!(looks(&mut driver_monitor, &steps), [None, None, button]);
        // Held down, known, and alive again: it is the driver's.
        let steps = [(1, KNOWS, true, false), (9, ALIVE, true, false)];
        assert_eq!(looks(&mut driver_monitor, &steps), [None, None]);
    }

    #[test]
    fn when_a_driver_goes_expect_it_left_to_who_sees_the_bus_free_and_the_next_watched_anew() {
        let mut driver_monitor = DriverMonitor::default();
        let steps = [
            (9, ALIVE, false, false),
            (9, NOBODY, false, false),
            (9, NOBODY, true, true),
            (99, NOBODY, true, false),
            (9, ALIVE, false, false),
            (60, NOBODY, false, false),
            (1, NOBODY, false, true),
        ];
        let expected = [None, None, None, None, None, Some(Cut::Silent), None];
        assert_eq!(
            looks(&mut driver_monitor, &steps),
            expected,
            "a thread that is gone in a driver that is not is silent, too"
        );
    }

    #[test]
    fn when_the_machine_keeps_the_guard_from_looking_expect_that_not_held_against_the_driver() {
        let mut driver_monitor = DriverMonitor::default();
        looks(&mut driver_monitor, &[(9, ALIVE, false, false)]);
        let later = driver_monitor.looked.unwrap() + 10 * SILENT;
        assert_eq!(driver_monitor.look(LINKED, false, false, later), None);
    }
}
