//! The I/O thread: the only one that touches the bus. It waits for nobody but the bus itself.

use crate::bus::Servos;
use crate::failsafe::{Cause, Reaction, Situation};
use crate::io::{Io, Shared};
use crate::looping::Looping;
use crate::stoppable::Gate;
use hexapod_ros::monotonic_now;
use hexapod_ros::realtime::{self, priority};
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

/// The running thread. Dropping it lets it end, with all channels off.
pub struct IoThread {
    thread: Option<JoinHandle<bool>>,
    shared: Shared,
}

/// How the thread ended, if not in order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IoEnd {
    /// It panicked; its channels were switched off.
    #[error("the servo I/O thread panicked: {0}; all channels were commanded off")]
    Panicked(String),
    /// Boards did not acknowledge being switched off.
    #[error("not every board acknowledged being switched off; cut the servos' power")]
    NotOff,
    /// It hangs in a transaction.
    #[error("the bus hangs and the channels could not be switched off; cut the servos' power")]
    Hung,
}

impl Io {
    /// Starts the thread `servo-io`, which ticks at `rate_hz` and at new commands. `open` puts the servos behind the gate
    /// of this driver's stops. The calling thread is unparked whenever the driver's state changes.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn spawn(self, open: impl FnOnce(&Gate) -> Servos, rate_hz: f64) -> std::io::Result<IoThread> {
        let shared = self.shared.clone();
        shared.listener.register();
        let looping = Looping::new(self, open, rate_hz);
        let theirs = shared.clone();
        let thread = std::thread::Builder::new().name("servo-io".into()).spawn(move || {
            theirs.waker.register();
            let _ = theirs.granted.set(realtime::join_loops(priority::SERVO_IO));
            looping.run()
        })?;
        Ok(IoThread { thread: Some(thread), shared })
    }
}

impl IoThread {
    /// Whether the thread has ended by itself, which it only does in a panic.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// What asks for a stop when the thread is `silent`, in a transaction that hangs: the outputs are cut here, if there
    /// is a pin for that. A heartbeat that is lost, or boards that should have been switched off by now.
    pub(crate) fn cut_if_hung(&self, silent: Duration, limit: Duration, now: Duration) {
        let cuts = |cause: Cause| cause.reaction(Situation::Frozen) == Reaction::Cut;
        if silent > limit || self.shared.heartbeats.cause(now).is_some_and(|cause| cuts(cause.into())) {
            self.shared.line.pins().cut();
        }
    }

    /// Whether the guard has been silent for too long.
    pub(crate) fn misses_guard(&self, now: Duration) -> bool {
        self.shared.line.liveness().misses_guard(now)
    }

    /// Whether real-time scheduling was granted; `None` until the thread has asked.
    #[must_use]
    pub fn granted(&self) -> Option<&realtime::SchedulingResult> {
        self.shared.granted.get()
    }

    /// Switches all channels off and ends the thread; waits at most `timeout`. Cuts the outputs if that fails.
    ///
    /// # Errors
    /// The thread panicked, hangs, or a board was not seen to be off.
    pub fn end(&mut self, timeout: Duration) -> Result<(), IoEnd> {
        self.end_within(timeout).inspect_err(|_| self.shared.line.pins().cut())
    }

    fn end_within(&mut self, timeout: Duration) -> Result<(), IoEnd> {
        self.ask_to_end();
        let deadline = monotonic_now() + timeout;
        while !self.is_finished() {
            if monotonic_now() > deadline {
                return Err(IoEnd::Hung);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        match self.thread.take().map(JoinHandle::join) {
            None | Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err(IoEnd::NotOff),
            Some(Err(panic)) => Err(IoEnd::Panicked(words(&*panic))),
        }
    }

    fn ask_to_end(&self) {
        self.shared.halt.store(true, Ordering::SeqCst);
        self.shared.waker.wake();
    }
}

impl Drop for IoThread {
    fn drop(&mut self) {
        self.ask_to_end();
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".into())
}
