//! What the state machine asks of servos, whatever wire they are on.
//!
//! A backend owns its wire. Angles go in, and what was commanded can be asked for; its registers, frames and retries are its own.
//! *Parts* are what fails together: a board with its channels, or a servo with an ID of its own.

mod checks;
mod feet;
mod measured;
mod tally;
mod trouble;

pub use checks::{ArmCheck, ArmReport};
pub use feet::Feet;
pub use measured::{Measured, Sample};
pub use tally::Tally;
pub use trouble::Trouble;

use std::time::Duration;
use thiserror::Error;

/// Servos behind a wire. Joints are numbered as in the configuration; angles are in radians, within the joint's limits.
/// Nothing here allocates but [`prepare`](Self::prepare) and [`describe`](Self::describe).
pub trait Backend {
    /// The part that a joint's servo belongs to, from 0 on.
    fn part(&self, joint: usize) -> usize;

    /// What the servo of a joint does at present.
    fn service(&self, joint: usize) -> Service;

    /// The angle that was last commanded with success; `None` if the servo is off or that is not known.
    fn commanded(&self, joint: usize) -> Option<f64>;

    /// What the servo measured last; nothing where servos measure nothing.
    fn measured(&self, _joint: usize) -> Measured {
        Measured::default()
    }

    /// What switches under feet said last, where they are wired to the servos' board.
    fn feet(&self) -> Option<Feet> {
        None
    }

    /// What was commanded in the units of the wire, and where, for people.
    fn describe(&self, joint: usize) -> Option<String>;

    /// Checks and prepares every part for [`exchange`](Self::exchange), and reports what was found. Servos that hold from
    /// before go on holding; no other servo moves.
    fn prepare(&mut self, now: Duration, tally: &mut Tally, report: &mut ArmReport);

    /// Time to leave between [`prepare`](Self::prepare) and the first target.
    fn settle(&self) -> Duration;

    /// Arming was refused: what was prepared and does not hold anything is off again.
    fn stay_off(&mut self);

    /// Where the servo of a joint shall go with the next exchange; `None`: it shall let go.
    fn set(&mut self, joint: usize, target_rad: Option<f64>);

    /// The traffic of one tick: targets out to parts in service, off to all others until they acknowledge it, and what is
    /// due to be read. Returns how many parts could not be reached.
    fn exchange(&mut self, now: Duration, tally: &mut Tally) -> u64;

    /// A part that was found lost or altered in the last exchange, and what is wrong with it; each once.
    fn take_lost(&mut self) -> Option<(usize, Trouble)>;

    /// Lets go of a part, or of all: exchanges command it off until it acknowledges.
    fn let_go(&mut self, part: Option<usize>);

    /// Everything off at once, by the shortest frame there is.
    ///
    /// # Errors
    /// Nobody acknowledged it. It may have been heard all the same.
    fn cut(&mut self, tally: &mut Tally) -> Result<(), Unacknowledged>;

    /// [`cut`](Self::cut), then every part by itself. For the end of a process, and for guards.
    fn all_off(&mut self, tally: &mut Tally) -> Off;
}

/// What a servo does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// It is off, or commanded off until it acknowledges.
    Off,
    /// Its part is prepared and holds nothing.
    Ready,
    /// Its part may hold.
    Holding,
    /// Its part may hold, and comes to rest where it holds first: targets do not reach it yet.
    Settling,
    /// Its part may hold, but traffic with its part fails: targets do not reach it.
    Failing,
}

/// What came of switching everything off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    /// Every part acknowledged it.
    All,
    /// Some part did not acknowledge; the wire works.
    Missing,
    /// The wire does not work.
    Failing,
}

/// Nobody acknowledged being switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("nobody acknowledged being switched off")]
pub struct Unacknowledged;

/// What a transfer does to servos; the driver's stops go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It switches everything off.
    Stop,
    /// It may move a servo, or let one hold.
    Motion,
    /// All else: it reads, prepares or takes away.
    Other,
}

impl<S: Backend + ?Sized> Backend for Box<S> {
    fn part(&self, joint: usize) -> usize {
        (**self).part(joint)
    }

    fn service(&self, joint: usize) -> Service {
        (**self).service(joint)
    }

    fn commanded(&self, joint: usize) -> Option<f64> {
        (**self).commanded(joint)
    }

    fn measured(&self, joint: usize) -> Measured {
        (**self).measured(joint)
    }

    fn feet(&self) -> Option<Feet> {
        (**self).feet()
    }

    fn describe(&self, joint: usize) -> Option<String> {
        (**self).describe(joint)
    }

    fn prepare(&mut self, now: Duration, tally: &mut Tally, report: &mut ArmReport) {
        (**self).prepare(now, tally, report);
    }

    fn settle(&self) -> Duration {
        (**self).settle()
    }

    fn stay_off(&mut self) {
        (**self).stay_off();
    }

    fn set(&mut self, joint: usize, target_rad: Option<f64>) {
        (**self).set(joint, target_rad);
    }

    fn exchange(&mut self, now: Duration, tally: &mut Tally) -> u64 {
        (**self).exchange(now, tally)
    }

    fn take_lost(&mut self) -> Option<(usize, Trouble)> {
        (**self).take_lost()
    }

    fn let_go(&mut self, part: Option<usize>) {
        (**self).let_go(part);
    }

    fn cut(&mut self, tally: &mut Tally) -> Result<(), Unacknowledged> {
        (**self).cut(tally)
    }

    fn all_off(&mut self, tally: &mut Tally) -> Off {
        (**self).all_off(tally)
    }
}
