//! What drives the robot while it is repeated: a twist or an arc, and whether the driver's stick counts.

use crate::life::Moment;
use hexapod_gait::arc::ArcStep;
use hexapod_gait::{Engine, Twist};

/// What is said of a stick that does not count.
pub const IGNORED_STICK: &str = "servos released: release the stick (send a zero command) to walk again";

/// What one of the topics asks for; those count that spoke last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wanted {
    Twist(Twist),
    Arc { velocity: f64 },
}

impl Wanted {
    /// The topic it comes from.
    pub fn topic(self) -> &'static str {
        match self {
            Self::Twist(_) => "cmd_vel",
            Self::Arc { .. } => "velocity",
        }
    }

    fn is_rest(self) -> bool {
        match self {
            Self::Twist(twist) => twist.is_zero(),
            Self::Arc { velocity } => velocity == 0.0,
        }
    }
}

/// Whether the driver's stick counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stick {
    Counts,
    /// The servos were let go: what comes next has to be a command of zero. Silence is none, for a stick that is still
    /// pushed may be heard again later.
    Barred,
    /// The same, and the driver has been told.
    BarredTold,
}

/// A command that does not count, because its stick was pushed when the servos were let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ignored {
    /// The driver has not been told yet.
    pub is_new: bool,
}

/// The last command that counts, and when it came.
#[derive(Debug)]
pub(crate) struct Steering {
    wanted: Wanted,
    at: Option<Moment>,
    stick: Stick,
    curvature: f64,
}

impl Steering {
    pub fn new() -> Self {
        Self { wanted: Wanted::Twist(Twist::ZERO), at: None, stick: Stick::Counts, curvature: 0.0 }
    }

    /// Takes a command.
    ///
    /// # Errors
    /// It does not count, for its stick has not been at rest since the servos were let go.
    pub fn take(&mut self, wanted: Wanted, at: Moment) -> Result<(), Ignored> {
        if wanted.is_rest() {
            self.stick = Stick::Counts;
        } else if self.stick != Stick::Counts {
            let is_new = std::mem::replace(&mut self.stick, Stick::BarredTold) == Stick::Barred;
            return Err(Ignored { is_new });
        }
        (self.wanted, self.at) = (wanted, Some(at));
        Ok(())
    }

    /// Takes the curvature of the arcs to come, and of the present one.
    pub fn bend(&mut self, curvature: f64) {
        self.curvature = curvature;
    }

    /// The last command counts no more.
    pub fn forget(&mut self) {
        self.at = None;
    }

    /// Nothing counts until the stick has been at rest.
    pub fn bar(&mut self) {
        self.stick = Stick::Barred;
        self.forget();
    }

    /// Whether the stick is pushed and does not count, and the driver knows.
    pub fn ignores_stick(&self) -> bool {
        self.stick == Stick::BarredTold
    }

    /// When the last command that counts came.
    pub fn at(&self) -> Option<Moment> {
        self.at
    }

    /// The topic that drove last.
    pub fn topic(&self) -> &'static str {
        self.wanted.topic()
    }

    /// What is wanted now: nothing when the last command counts no more.
    pub fn twist(&self, engine: &Engine) -> Twist {
        match self.wanted {
            _ if self.at.is_none() => Twist::ZERO,
            Wanted::Twist(twist) => twist,
            Wanted::Arc { velocity } => {
                let stance_time = engine.gait().stance_time();
                ArcStep::new(velocity * stance_time, self.curvature, engine.rest_feet()).twist(stance_time)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_servos_were_let_go_expect_no_push_to_count_before_a_rest_on_either_topic_and_one_word_of_it() {
        let (push, now) = (Wanted::Arc { velocity: 0.1 }, Moment::default());
        for rest in [Wanted::Twist(Twist::ZERO), Wanted::Arc { velocity: 0.0 }] {
            let mut steering = Steering::new();
            assert_eq!(steering.take(push, now), Ok(()));
            steering.bar();
            assert!(steering.at().is_none() && !steering.ignores_stick(), "nobody has pushed it since");
            assert_eq!(
                [(); 3].map(|()| steering.take(push, now)),
                [true, false, false].map(|is_new| Err(Ignored { is_new }))
            );
            assert!(steering.at().is_none() && steering.ignores_stick());
            assert_eq!(steering.take(rest, now), Ok(()));
            assert!(!steering.ignores_stick());
            assert_eq!((steering.take(push, now), steering.topic()), (Ok(()), "velocity"));
        }
    }
}
