//! One servo at a time on boards without a driver, for calibrating. On a thread of its own, so that a bus that hangs stops
//! neither keys nor picture, and a terminal that hangs leaves no servo where it was held.

use crate::bus::{Bus, on_boards};
use crate::hardware::{Hardware, HardwareError};
use crate::i2c_bus::I2cBus;
use crate::plugs::{PERIOD, Serving};
pub use crate::plugs::{Pulse, PulseRequest, Readout};
use crate::setup::Setup;
use crate::stop_switch::StopSwitch;
use hexapod_ros::monotonic_now;
use hexapod_servo::SimulatedBus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A pulse that nobody has asked for again within this time goes back to neutral.
const STALE: Duration = Duration::from_millis(1200);
/// How long a bus that hangs is waited for at the end.
const JOIN_TIMEOUT: Duration = Duration::from_millis(500);

/// The boards, and a thread that serves them. Everything goes off when it is dropped.
pub struct SingleServo {
    shared: Arc<Shared>,
    simulated: Option<SimulatedBus>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// And when it was last asked for.
    wanted: Mutex<(PulseRequest, Duration)>,
    /// Why nothing is put out, whatever is wanted.
    stopped: Mutex<Option<&'static str>>,
    readout: Mutex<Readout>,
    end: AtomicBool,
}

impl SingleServo {
    /// Opens the bus, with all channels off. No driver may have it.
    ///
    /// # Errors
    /// The bus or a pin cannot be opened.
    pub fn open(setup: &Setup) -> Result<Self, HardwareError> {
        let Hardware { bus, pins, lease, own_guard, .. } = Hardware::open(setup)?;
        let Bus::Boards { bus, servos } = bus else { return Err(HardwareError::NoPulses) };
        let simulated = if let I2cBus::Simulated { bus, .. } = &bus { Some(bus.clone()) } else { None };
        let stop = StopSwitch::new(setup, pins, own_guard)?;
        let shared = Arc::new(Shared::default());
        let mut serving = Serving::new(&servos, |servos| on_boards(servos, bus)(stop.gate()));
        let theirs = Arc::clone(&shared);
        let work = move || {
            while !theirs.end.load(Ordering::SeqCst) {
                serve(&mut serving, &stop, &theirs);
                stop.keep_guard();
                std::thread::sleep(PERIOD);
            }
            stop.enable_outputs(false);
            serving.all_off();
            drop(stop);
            drop(lease);
        };
        let thread = std::thread::Builder::new().name("calibrate-io".into()).spawn(work).ok();
        Ok(Self { shared, simulated, thread })
    }

    /// What the boards shall put out. To be said again and again: a pulse that is not goes back to neutral. After a stop there
    /// is none until none was wanted.
    pub fn want(&self, wanted: PulseRequest) {
        if wanted.is_none() {
            *lock(&self.shared.stopped) = None;
        }
        *lock(&self.shared.wanted) = (wanted, monotonic_now());
    }

    /// The boards in memory, if they are.
    #[must_use]
    pub fn simulated(&self) -> Option<&SimulatedBus> {
        self.simulated.as_ref()
    }

    /// What is written to them.
    #[must_use]
    pub fn readout(&self) -> Readout {
        lock(&self.shared.readout).clone()
    }
}

impl Drop for SingleServo {
    fn drop(&mut self) {
        self.shared.end.store(true, Ordering::SeqCst);
        let Some(thread) = self.thread.take() else { return };
        let deadline = monotonic_now() + JOIN_TIMEOUT;
        while !thread.is_finished() && monotonic_now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            let _ = thread.join();
        } else {
            tracing::error!("the bus hangs and the channels could not be switched off; cut the servos' power");
        }
    }
}

/// What is wanted, or neutral if that was long ago.
fn fresh((wanted, at): (PulseRequest, Duration)) -> PulseRequest {
    let stale = monotonic_now().saturating_sub(at) > STALE;
    wanted.map(|pulse| if stale { Pulse { pulse_us: pulse.rest_us, ..pulse } } else { pulse })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts out what is wanted, unless there was a stop.
fn serve(serving: &mut Serving, stop: &StopSwitch, shared: &Shared) {
    let now_stopped = stop.stopped();
    let mut stopped = lock(&shared.stopped);
    *stopped = now_stopped.or(*stopped);
    let why = *stopped;
    drop(stopped);
    if why.is_none() {
        stop.permit();
    }
    let wanted = fresh(*lock(&shared.wanted)).filter(|_| why.is_none());
    stop.enable_outputs(wanted.is_some());
    serving.tick(wanted, monotonic_now());
    if now_stopped.is_some() {
        stop.settle();
    }
    let mut readout = serving.readout();
    readout.trouble = why.map(Into::into).or(readout.trouble);
    *lock(&shared.readout) = readout;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_nobody_asks_again_expect_neutral() {
        let now = monotonic_now();
        assert_eq!(fresh((pulse(1700.0), now)), pulse(1700.0));
        assert_eq!(fresh((pulse(1700.0), now.saturating_sub(2 * STALE))), pulse(1500.0));
        assert_eq!(fresh((None, Duration::ZERO)), None);
    }

    fn pulse(pulse_us: f64) -> PulseRequest {
        Some(Pulse { board: 0, channel: 2, pulse_us, rest_us: 1500.0 })
    }
}
