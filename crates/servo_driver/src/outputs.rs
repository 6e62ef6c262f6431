//! Whether the boards' outputs are let through, which any thread may end at any time without waiting for another.
//!
//! Cuts are counted. A release names the count at which it was granted, so a cut that nobody has seen yet outlasts it.
//! A pin is written through a handle of which there is one: whoever finds it in use leaves the write to its user, who
//! looks once more when done. Nobody waits, and whatever was asked for last is what the pin shows in the end.

use super::sync::{AtomicBool, AtomicU64, Mutex, Ordering, TryLockError};

/// Output enable (OE) of all boards.
pub trait OutputEnable: Send {
    /// Lets the boards' outputs through, or not: OE low, or high. It does not wait.
    fn let_through(&mut self, on: bool);
}

/// The pin, and who may open it.
pub struct Outputs<P> {
    cuts: AtomicU64,
    /// The count of cuts at which the outputs were released. At any other they are cut.
    released: AtomicU64,
    /// Whether the thread of the bus lets them through.
    wanted: AtomicBool,
    /// Changes so far of any of these.
    changes: AtomicU64,
    /// Never waited for but by those who connect and disconnect it.
    pin: Mutex<Option<P>>,
}

impl<P> Default for Outputs<P> {
    fn default() -> Self {
        let [cuts, released, changes] = [(); 3].map(|()| AtomicU64::new(0));
        Self { cuts, released, wanted: AtomicBool::new(false), changes, pin: Mutex::new(None) }
    }
}

impl<P: OutputEnable> Outputs<P> {
    /// This pin from now on.
    pub fn connect(&self, pin: P) {
        *self.pin.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(pin);
    }

    /// Cuts the outputs, until they are released.
    pub fn cut(&self) {
        self.cuts.fetch_add(1, Ordering::SeqCst);
        self.apply();
    }

    /// Cuts the outputs, and gives the pin back.
    pub fn disconnect(&self) {
        self.cut();
        let pin = self.pin.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        // Whoever had it may not have come to look again.
        if let Some(mut pin) = pin {
            pin.let_through(false);
        }
    }

    /// Lets [`enable`](Self::enable) let them through again, if `allowed` says so; by the thread that calls that. Whoever
    /// forbids it in that moment and cuts afterwards has the last word.
    pub fn release_if<E>(&self, allowed: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let seen = self.cuts.load(Ordering::SeqCst);
        allowed()?;
        self.wanted.store(false, Ordering::SeqCst);
        self.released.store(seen, Ordering::SeqCst);
        Ok(())
    }

    /// Lets the outputs through, unless they are cut; or not.
    pub fn enable(&self, on: bool) {
        self.wanted.store(on, Ordering::SeqCst);
        self.apply();
    }

    /// Whether a cut has not been released.
    pub fn is_cut(&self) -> bool {
        self.released.load(Ordering::SeqCst) != self.cuts.load(Ordering::SeqCst)
    }

    fn apply(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        loop {
            let seen = self.changes.load(Ordering::SeqCst);
            let mut pin = match self.pin.try_lock() {
                Ok(pin) => pin,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                // Who has it sees below that something has changed.
                Err(TryLockError::WouldBlock) => return,
            };
            if let Some(pin) = &mut *pin {
                // Released first: what was cut in between is cut.
                let on = self.wanted.load(Ordering::SeqCst) && !self.is_cut();
                pin.let_through(on);
            }
            drop(pin);
            if self.changes.load(Ordering::SeqCst) == seen {
                return;
            }
        }
    }
}
