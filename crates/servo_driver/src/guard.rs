//! The guard: a process of its own that switches all channels off when the driver is gone. A PCA9685 goes on with its
//! last pulses for ever, so a driver that is killed leaves servos straining.

use crate::bus::{Bus, BusChoice};
use crate::bus_error::BusOpenError;
use crate::lease::{DriverWatch, OnGuard};
use crate::raspberry::{OrphanedOutputs, PinError};
use crate::setup::Setup;
use embedded_hal::i2c::{ErrorKind, I2c};
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{Shutdown, Stage, monotonic_now, systemd};
use hexapod_servo::ServoConfig;
use hexapod_servo::pca9685::{Link, Shadow, Tally, all_call_off};
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
/// After a signal a transfer is given this long to come to its end.
const ENDING: Duration = Duration::from_millis(500);
const RETRIES: u8 = 2;

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
    let BusChoice::I2c { device } = setup.bus else { return Err(GuardError::Simulated) };
    // Opened now, so that what is missing is told at the start and not when it is needed.
    let outputs = setup.pins.output_enable.map(OrphanedOutputs::open).transpose()?;
    let bus = Bus::real(device)?;
    let attempt = Attempt::default();
    let guarding = Guarding { device, servos: setup.servos.clone(), bus, outputs, term, attempt: attempt.clone() };
    tracing::info!("watching over the driver of /dev/i2c-{device}");
    // The thread that this one starts inherits it: they share locks.
    if let Err(reason) = realtime::fifo(priority::GUARD) {
        tracing::info!("on a busy machine the guard may be late: {reason}");
    }
    let theirs = shutdown.clone();
    // Transfers have a thread of their own: one that hangs must not keep the process.
    let thread = std::thread::Builder::new().name("guard-io".into()).spawn(move || guarding.run(&theirs))?;
    systemd::ready();
    let given_up = || term == Term::OneDriver && attempt.hangs(monotonic_now());
    if !shutdown.outwait(&thread, (term.end(), ENDING), given_up) {
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
    device: u8,
    servos: ServoConfig,
    bus: Bus,
    outputs: Option<OrphanedOutputs>,
    term: Term,
    attempt: Attempt,
}

impl Guarding {
    fn run(mut self, shutdown: &Shutdown) -> Result<(), GuardError> {
        let (mut watch, mut driver, mut on_guard) =
            (Watch::default(), DriverWatch::new(self.device), OnGuard::default());
        while !shutdown.wait(self.term.end(), LOOK_EVERY) {
            let now = monotonic_now();
            if let Some(blind) = watch.looks(now) {
                tracing::warn!("the machine kept the guard from looking for {} ms", blind.as_millis());
            }
            on_guard.stand(self.device);
            // Held through the attempt: a driver that starts waits, so that it is not switched off unawares.
            let free = driver.keep_free()?;
            if watch.sees(free.is_some(), now) {
                self.attempt.set(Some(now));
                let outcome = self.cut();
                self.attempt.set(None);
                // A bus that hangs is not the machine's doing.
                watch.looked = Some(monotonic_now());
                watch.tried(outcome);
                if self.term == Term::OneDriver && watch.is_done(outcome, monotonic_now()) {
                    break;
                }
            }
            systemd::alive();
        }
        Ok(())
    }

    /// OE first, which no bus holds up; then the boards.
    fn cut(&mut self) -> Outcome {
        if let Some(Err(error)) = self.outputs.as_ref().map(OrphanedOutputs::cut) {
            tracing::error!("{error}");
        }
        switch_off(&self.servos, &mut self.bus)
    }
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Every board acknowledged being switched off.
    Off,
    /// Some board did not acknowledge; the bus works.
    Missing,
    /// The bus does not work.
    Failing,
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
}

impl Watch {
    /// Notes that it looks now; for how long it was kept from that, where it was too long.
    fn looks(&mut self, now: Duration) -> Option<Duration> {
        let since = now.saturating_sub(self.looked.replace(now)?);
        (since > LATE_AFTER).then_some(since)
    }

    /// Looks whether a driver is there; true if everything is to be switched off now.
    fn sees(&mut self, free: bool, now: Duration) -> bool {
        if !free {
            *self = Self { looked: self.looked, ..Self::default() };
        } else if self.attempts == 0 {
            self.since = now;
        }
        free && !self.off
    }

    fn tried(&mut self, outcome: Outcome) {
        self.off = outcome == Outcome::Off;
        self.attempts = self.attempts.saturating_add(1);
        if self.off {
            tracing::warn!("no driver has the bus: all channels are off");
        } else if self.attempts == LOUD_AFTER {
            tracing::error!(
                "no driver has the bus and not every board acknowledges being switched off; cut the servos' power"
            );
        }
    }

    /// Whether a guard for one driver has done all it can.
    fn is_done(&self, outcome: Outcome, now: Duration) -> bool {
        match outcome {
            Outcome::Off => true,
            Outcome::Missing => self.attempts >= MISSING_AFTER,
            Outcome::Failing => now >= self.since + GIVEN_UP_AFTER,
        }
    }
}

/// One frame to all boards, then each by itself.
fn switch_off<B: I2c>(servos: &ServoConfig, bus: &mut B) -> Outcome {
    let mut tally = Tally::default();
    let _ = all_call_off(&mut Link::new(bus, &mut tally, RETRIES));
    servos.boards().iter().fold(Outcome::Off, |outcome, board| {
        let mut link = Link::new(bus, &mut tally, RETRIES);
        match Shadow::new(board.address()).all_off(&mut link).map_err(|error| error.kind) {
            Ok(()) => outcome,
            Err(ErrorKind::NoAcknowledge(_)) if outcome != Outcome::Failing => Outcome::Missing,
            Err(_) => Outcome::Failing,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_servo::SimulatedBus;
    use hexapod_servo::simulated::BusFault;

    const NOW: Duration = Duration::from_secs(100);

    #[test]
    fn when_the_driver_goes_expect_one_switching_off_that_is_seen_to_work() {
        let mut watch = Watch::default();
        assert!(watch.sees(true, NOW), "no driver at the start");
        watch.tried(Outcome::Missing);
        assert!(watch.sees(true, NOW), "a board did not answer");
        watch.tried(Outcome::Off);
        assert!(!watch.sees(true, NOW), "all are off");
        assert!(!watch.sees(false, NOW), "a driver has come");
        assert!(watch.sees(true, NOW), "it has gone");
    }

    #[test]
    fn when_the_machine_keeps_it_from_looking_expect_the_guard_to_know_for_how_long() {
        let mut watch = Watch::default();
        assert_eq!(watch.looks(NOW), None, "it begins to watch");
        assert_eq!(watch.looks(NOW + LOOK_EVERY), None);
        watch.sees(false, NOW + LOOK_EVERY);
        assert_eq!(watch.looks(NOW + LOOK_EVERY + 2 * LATE_AFTER), Some(2 * LATE_AFTER));
    }

    #[test]
    fn when_a_guard_for_one_driver_can_do_no_more_expect_its_end() {
        let mut watch = Watch::default();
        watch.sees(true, NOW);
        for _ in 1..MISSING_AFTER {
            watch.tried(Outcome::Missing);
            watch.sees(true, NOW + LOOK_EVERY);
        }
        assert!(!watch.is_done(Outcome::Missing, NOW + LOOK_EVERY));
        watch.tried(Outcome::Missing);
        assert!(watch.is_done(Outcome::Missing, NOW + LOOK_EVERY));
        assert!(!watch.is_done(Outcome::Failing, NOW + LOOK_EVERY), "a bus that fails may come back");
        assert!(watch.is_done(Outcome::Failing, NOW + GIVEN_UP_AFTER));
        assert!(Watch::default().is_done(Outcome::Off, NOW));
        let attempt = Attempt::default();
        assert!(!attempt.hangs(NOW));
        attempt.set(Some(NOW));
        assert!(!attempt.hangs(NOW + LOOK_EVERY));
        assert!(attempt.hangs(NOW + GIVEN_UP_AFTER + LOOK_EVERY));
    }

    #[test]
    fn when_boards_are_missing_or_the_bus_fails_expect_them_told_apart() {
        let yaml = "boards: [{ address: 0x40 }, { address: 0x41 }]\nservos:\n  a: { board: 0, channel: 2, \
            min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, \
            { angle_rad: 1, pulse_us: 2000 }] }\n";
        let raw: hexapod_servo::RawServoConfig = serde_yaml::from_str(yaml).unwrap();
        let servos = ServoConfig::try_from(raw).unwrap();
        let mut bus = SimulatedBus::for_config(&servos);
        assert_eq!(switch_off(&servos, &mut bus), Outcome::Off);
        bus.inject(BusFault::Dead { address: 0x41 });
        assert_eq!(switch_off(&servos, &mut bus), Outcome::Missing);
        let mut failing = bus.clone().with_hang_hook({
            let bus = bus.clone();
            move |time| bus.inject(BusFault::Hang { time })
        });
        failing.inject(BusFault::Hang { time: LOOK_EVERY });
        assert_eq!(switch_off(&servos, &mut failing), Outcome::Failing);
    }
}
