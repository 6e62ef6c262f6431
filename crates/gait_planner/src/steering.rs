//! What drives the robot while it is repeated: a twist or an arc of whoever moves it.

use crate::life::{Life, Moment};
use crate::sources::{DrivingSources, Heard, Ignored, Sources, Word};
use hexapod_gait::arc::ArcStep;
use hexapod_gait::{Engine, Twist};
use hexapod_ros::Sender;
use hexapod_ros::bounds::MAX_CURVATURES;

/// The topics that move the robot while they are published.
const CMD_VEL: &str = "cmd_vel";
const VELOCITY: &str = "velocity";

/// What one of the topics asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DriveCommand {
    Twist(Twist),
    Arc { velocity: f64 },
}

impl DriveCommand {
    /// The topic it comes from.
    pub fn topic(self) -> &'static str {
        match self {
            Self::Twist(_) => CMD_VEL,
            Self::Arc { .. } => VELOCITY,
        }
    }

    /// Whether it asks for nothing.
    pub fn is_rest(self) -> bool {
        match self {
            Self::Twist(twist) => twist.is_zero(),
            Self::Arc { velocity } => velocity == 0.0,
        }
    }
}

/// A command that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IgnoredCommand {
    pub why: Ignored,
    /// Its sender has not been informed yet.
    pub is_new: bool,
}

/// The last command that counts, and who may give the next one.
#[derive(Debug)]
pub(crate) struct Steering {
    sources: Sources,
    wanted: DriveCommand,
    counts: bool,
    curvatures: Curvatures,
}

impl Steering {
    pub fn new() -> Self {
        let (sources, curvatures) = (Sources::new(), Curvatures::default());
        Self { sources, wanted: DriveCommand::Twist(Twist::ZERO), counts: false, curvatures }
    }

    /// Takes a command of `sender`, received at that time, as long as commands live so long.
    ///
    /// # Errors
    /// It does not count.
    pub fn take(&mut self, wanted: DriveCommand, sender: Sender, at: Moment, life: Life) -> Result<(), IgnoredCommand> {
        let word = Word { sender, topic: wanted.topic(), at, pushes: !wanted.is_rest() };
        match self.sources.hear(word, life) {
            Heard::Moves | Heard::Rests => (self.wanted, self.counts) = (wanted, true),
            Heard::Idles => {}
            Heard::Ignored { why, is_new } => return Err(IgnoredCommand { why, is_new }),
        }
        Ok(())
    }

    /// Takes down that `sender` pushes while nothing may move the robot: it has to let go before that counts.
    pub fn take_barred(&mut self, topic: &'static str, sender: Sender, at: Moment) {
        self.sources.hear_barred(Word { sender, topic, at, pushes: true });
    }

    /// Takes the curvature of the arcs of `sender` to come, and of the present one.
    pub fn bend(&mut self, curvature: f64, sender: Sender) {
        self.curvatures.put(sender, curvature);
    }

    /// The last command counts no more; whoever gave it may give the next one.
    pub fn forget(&mut self) {
        self.counts = false;
    }

    /// Whoever moved the robot moves it no more, as if it had fallen silent.
    pub fn lose(&mut self) {
        self.sources.lose();
        self.forget();
    }

    /// Ends what a source wanted that has been silent for longer than its commands live.
    pub fn settle(&mut self, now: Moment, life: Life) {
        if !self.sources.is_held(now, life) {
            if self.sources.seat().is_some() {
                self.sources.lose();
            }
            self.forget();
        }
    }

    /// The robot was stopped.
    pub fn stop(&mut self, at: Moment, life: Life) {
        self.sources.stop(at, life);
        self.forget();
    }

    /// The planner starts under servos that are on.
    pub fn start(&mut self, at: Moment, life: Life) {
        self.sources.start(at, life);
    }

    /// Nothing may move the robot: nothing counts until its source has been at rest.
    pub fn hold(&mut self, at: Moment) {
        self.sources.hold(at);
        self.forget();
    }

    /// Who moves the robot, and who would.
    pub fn driving(&self, now: Moment) -> DrivingSources {
        self.sources.driving(now)
    }

    /// The topic that drove last.
    pub fn topic(&self) -> &'static str {
        self.wanted.topic()
    }

    /// What is wanted now: nothing when the last command counts no more.
    pub fn twist(&self, engine: &Engine) -> Twist {
        match self.wanted {
            _ if !self.counts => Twist::ZERO,
            DriveCommand::Twist(twist) => twist,
            DriveCommand::Arc { velocity } => {
                let stance_time = engine.gait().stance_time();
                ArcStep::new(velocity * stance_time, self.curvature(), engine.rest_feet()).twist(stance_time)
            }
        }
    }

    /// That of whoever moves the robot. Topics have endpoints of their own, so it is known by its process. A process that
    /// drives no arcs sets the curvature for all who say none.
    fn curvature(&self) -> f64 {
        let Some(driver) = self.sources.seat() else { return 0.0 };
        let own = self.curvatures.find(|sender| sender.is_kin(driver));
        own.or_else(|| self.curvatures.find(|sender| !self.sources.has_kin(sender, VELOCITY))).unwrap_or(0.0)
    }
}

/// The last curvatures, the newest first, and who has said them.
#[derive(Debug, Default)]
struct Curvatures([Option<(Sender, f64)>; MAX_CURVATURES]);

impl Curvatures {
    fn put(&mut self, sender: Sender, curvature: f64) {
        let is_free = |said: &Option<(Sender, f64)>| said.is_none_or(|(other, _)| other == sender);
        let place = self.0.iter().position(is_free).unwrap_or(MAX_CURVATURES - 1);
        self.0[place] = Some((sender, curvature));
        self.0[..=place].rotate_right(1);
    }

    fn find(&self, suits: impl Fn(Sender) -> bool) -> Option<f64> {
        self.0.iter().flatten().find(|(sender, _)| suits(*sender)).map(|(_, curvature)| *curvature)
    }
}

#[cfg(test)]
mod tests;
