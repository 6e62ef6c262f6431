//! The guard: a process of its own that switches all channels off when the driver is gone, or does not do its work
//! (driver_monitor.rs). A PCA9685 goes on with its last pulses for ever, so a driver that is killed leaves servos
//! straining.

use crate::bus_error::BusOpenError;
use crate::device::Device;
use crate::driver_monitor::{Alarm, Watcher};
use crate::guard_link::ToDriver;
use crate::guarded_servos::GuardedServos;
use crate::lease::{DriverWatch, Holder, OnGuard};
use crate::pin_access::{OrphanedOutputs, StopButton};
use crate::pins::PinError;
use crate::setup::Setup;
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{Shutdown, Stage, monotonic_now, systemd};
use hexapod_servo::backend::Off;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often the guard looks after the driver.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Kept from looking for longer, it says so: for so long nobody watched.
const LATE_AFTER: Duration = Duration::from_millis(200);
/// Attempts at switching off, one each [`LOOK_EVERY`], before the guard says that it cannot; it goes on trying.
const LOUD_AFTER: u32 = 25;
/// Attempts of a guard for one driver at boards that do not acknowledge: all others are off by then.
const MISSING_AFTER: u32 = 75;
/// A guard for one driver tries for so long on a bus that fails or hangs.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(30);
/// All off at once ([`off`]): attempts until each board acknowledges, and how long they may take.
const OFF_ATTEMPTS: u32 = 25;
const OFF_WITHIN: Duration = Duration::from_secs(3);
/// After a signal a transfer is given this long to come to its end.
const ENDING: Duration = Duration::from_millis(500);

/// Why the guard cannot guard.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// There are no boards.
    #[error("the bus is simulated: there is nothing to guard; use --bus i2c")]
    Simulated,
    /// The bus cannot be opened.
    #[error(transparent)]
    Bus(#[from] BusOpenError),
    /// OE cannot be set.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// There is no thread to be had, or whether there is a driver cannot be seen.
    #[error("the guard cannot work: {0}")]
    System(#[from] std::io::Error),
    /// The thread ended with a panic.
    #[error("the guard thread panicked")]
    Panicked,
    /// A driver that does its work has the bus.
    #[error("a servo_driver has the bus; end it, or call its service emergency_stop")]
    Driven,
    /// Boards do not acknowledge.
    #[error("not every board acknowledged being switched off; cut the servos' power")]
    NotOff,
    /// A transfer does not come to its end.
    #[error("the bus hangs: not every board was seen to be off; cut the servos' power")]
    Hung,
}

/// How long a guard is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Until a signal, whatever drivers come and go.
    Always,
    /// Until the driver that started it has gone and everything is off, or cannot be switched off. A signal that reaches
    /// all of a unit or of a terminal reaches its driver, too, which takes its time to sit down: only a second one ends it.
    OneDriver,
}

impl Term {
    /// How far the end must have been asked for.
    fn end(self) -> Stage {
        match self {
            Self::Always => Stage::Stopping,
            Self::OneDriver => Stage::Now,
        }
    }
}

/// Watches over the driver on the bus of `setup` until `shutdown`. With the bus hanging it ends `ENDING` after the
/// first signal, and at once with the second.
///
/// # Errors
/// The bus or the lease cannot be used, or a transfer hangs at the end.
pub fn guard(setup: &Setup, term: Term, shutdown: &Shutdown) -> Result<(), GuardError> {
    let device = setup.map.device().ok_or(GuardError::Simulated)?;
    // Opened now, so that what is missing is reported at the start and not when it is needed.
    let outputs = OrphanedOutputs::open(&setup.pins)?.map(Arc::new);
    let button = StopButton::open(&setup.pins)?;
    let bus = setup.map.open()?.ok_or(GuardError::Simulated)?;
    let (attempt, alarm) = (Attempt::default(), Alarm::default());
    let watcher =
        Watcher { driver: ToDriver::new(device.clone()), outputs: outputs.clone(), button, alarm: alarm.clone() };
    let guarding = Guarding {
        servos: GuardedServos::new(bus, outputs),
        device: device.clone(),
        term,
        attempt: attempt.clone(),
        alarm: alarm.clone(),
    };
    tracing::info!("watching over the driver of {device}");
    // The thread that this one starts inherits it: they share locks.
    if let Err(reason) = realtime::fifo(priority::GUARD) {
        tracing::info!("on a busy machine the guard may be late: {reason}");
    }
    let theirs = shutdown.clone();
    // Transfers have a thread of their own: one that hangs must not keep the process.
    let thread = std::thread::Builder::new().name("guard-io".into()).spawn(move || guarding.run(&theirs))?;
    // It waits for nothing, and has nothing to lose: it need not be joined.
    std::thread::Builder::new().name("guard-monitor".into()).spawn(move || watcher.run())?;
    systemd::ready();
    let given_up = || term == Term::OneDriver && attempt.hangs(monotonic_now());
    let ended = shutdown.outwait(&thread, (term.end(), ENDING), given_up);
    alarm.end();
    if !ended {
        return Err(GuardError::Hung);
    }
    thread.join().map_err(|_| GuardError::Panicked)?
}

/// Switches all channels off once, where no driver is there to do so: after one that was killed together with its guard.
///
/// # Errors
/// There is a driver, the bus cannot be used, or a board does not acknowledge that it is off.
pub fn off(setup: &Setup) -> Result<(), GuardError> {
    let device = setup.map.device().ok_or(GuardError::Simulated)?;
    // The boards are switched off over the bus, whatever becomes of the pins.
    let outputs = OrphanedOutputs::open(&setup.pins.output_enable_only()).unwrap_or_else(|error| {
        tracing::error!("OE is not cut: {error}");
        None
    });
    let outputs = outputs.map(Arc::new);
    let bus = setup.map.open()?.ok_or(GuardError::Simulated)?;
    let mut servos = GuardedServos::new(bus, outputs);
    let work = move || {
        let mut driver = DriverWatch::new(&device);
        let mut was_free = false;
        for _ in 0..OFF_ATTEMPTS {
            // A driver that has just been killed may not have gone yet, or another guard be at it.
            let free = driver.keep_free()?;
            was_free |= free.is_ok();
            if free.is_ok() && servos.cut() == Off::All {
                return Ok(());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Err(if was_free { GuardError::NotOff } else { GuardError::Driven })
    };
    let thread = std::thread::Builder::new().name("guard-io".into()).spawn(work)?;
    let since = monotonic_now();
    if !Shutdown::default().outwait(&thread, (Stage::Now, ENDING), || monotonic_now() > since + OFF_WITHIN) {
        return Err(GuardError::Hung);
    }
    thread.join().map_err(|_| GuardError::Panicked)?
}

/// When the attempt under way began, seen from the thread that may have to leave it behind.
#[derive(Clone, Debug, Default)]
struct Attempt(Arc<Mutex<Option<Duration>>>);

impl Attempt {
    fn set(&self, begun: Option<Duration>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = begun;
    }

    /// True if it has been under way for longer than makes sense.
    fn hangs(&self, now: Duration) -> bool {
        let begun = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.is_some_and(|begun| now > begun + GIVEN_UP_AFTER)
    }
}

/// What the guard's thread has.
struct Guarding {
    servos: GuardedServos,
    device: Device,
    term: Term,
    attempt: Attempt,
    alarm: Alarm,
}

impl Guarding {
    fn run(mut self, shutdown: &Shutdown) -> Result<(), GuardError> {
        let (mut watch, mut driver, mut on_guard) =
            (Watch::default(), DriverWatch::new(&self.device), OnGuard::default());
        while !shutdown.wait(self.term.end(), LOOK_EVERY) {
            let now = monotonic_now();
            if let Some(blind) = watch.looks(now) {
                tracing::warn!("guard not scheduled for {} ms", blind.as_millis());
            }
            on_guard.stand(&self.device);
            // Held through the attempt: a driver that starts waits, so that it is not switched off unawares.
            let free = driver.keep_free()?;
            if matches!(free, Err(Holder::Guard)) {
                systemd::alive();
                continue;
            }
            self.alarm.note_free(free.is_ok());
            if self.alarm.is_raised() && free.is_err() {
                self.cut_driver();
                watch.looked = Some(monotonic_now());
            }
            if self.term == Term::OneDriver && watch.is_followed(free.is_ok(), self.alarm.is_linked()) {
                tracing::info!("another driver has the bus, and switches off what it finds: this guard ends");
                break;
            }
            if watch.sees(free.is_ok(), now) {
                self.attempt.set(Some(now));
                let outcome = self.servos.cut();
                self.servos.give_back();
                self.attempt.set(None);
                // A bus that hangs is not the machine's doing.
                watch.looked = Some(monotonic_now());
                watch.tried(outcome, self.alarm.ended_in_order());
                if self.term == Term::OneDriver && watch.is_done(outcome, monotonic_now()) {
                    if outcome != Off::All {
                        tracing::error!(
                            "the guard gives up: once the bus is back, `hexapod guard --off` switches all off"
                        );
                    }
                    break;
                }
            }
            systemd::alive();
        }
        Ok(())
    }

    /// The driver that is there does not do its work. It may go on at any time: what it was held up in then is undone again.
    fn cut_driver(&mut self) {
        self.attempt.set(Some(monotonic_now()));
        self.servos.cut();
        self.attempt.set(None);
    }
}

/// What the guard has seen and done.
#[derive(Debug, Default)]
struct Watch {
    /// Everything was switched off since the last driver was seen.
    off: bool,
    attempts: u32,
    /// When the first attempt began.
    since: Duration,
    /// When it looked last, or had done with an attempt.
    looked: Option<Duration>,
    /// A driver has gone, or there was none.
    was_free: bool,
}

impl Watch {
    /// Notes that it looks now; for how long it was kept from that, where it was too long.
    fn looks(&mut self, now: Duration) -> Option<Duration> {
        let since = now.saturating_sub(self.looked.replace(now)?);
        (since > LATE_AFTER).then_some(since)
    }

    /// Looks whether a driver is there; true if everything is to be switched off now.
    fn sees(&mut self, free: bool, now: Duration) -> bool {
        self.was_free |= free;
        if !free {
            *self = Self { looked: self.looked, was_free: self.was_free, ..Self::default() };
        } else if self.attempts == 0 {
            self.since = now;
        }
        free && !self.off
    }

    /// Whether the driver that has gone is followed by another, which switches off what it finds and has guards linked to it.
    fn is_followed(&self, free: bool, is_linked: bool) -> bool {
        self.was_free && !free && is_linked
    }

    fn tried(&mut self, outcome: Off, in_order: bool) {
        self.off = outcome == Off::All;
        self.attempts = self.attempts.saturating_add(1);
        if self.off && in_order {
            tracing::info!("the driver has ended: all channels are off");
        } else if self.off {
            tracing::warn!("no driver has the bus: all channels are off");
        } else if self.attempts == LOUD_AFTER && in_order {
            // It has said itself what it could not switch off.
            tracing::info!("the driver has ended; not every board answers");
        } else if self.attempts == LOUD_AFTER {
            tracing::error!(
                "no driver has the bus and not every board acknowledges being switched off; cut the servos' power"
            );
        }
    }

    /// Whether a guard for one driver has done all it can.
    fn is_done(&self, outcome: Off, now: Duration) -> bool {
        match outcome {
            Off::All => true,
            Off::Missing => self.attempts >= MISSING_AFTER,
            Off::Failing => now >= self.since + GIVEN_UP_AFTER,
        }
    }
}

#[cfg(test)]
mod tests;
