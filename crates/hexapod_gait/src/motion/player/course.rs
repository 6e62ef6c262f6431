//! What comes next where a phase or a stage is over.

use super::state::{Dropped, Phase, Player};
use crate::motion::check::{holds, stands};
use crate::motion::kinds::Motion;
use crate::motion::transition::{self, NoLegToSpare, Solved, Stage};
use crate::state::pose::Target;
use std::sync::Arc;

impl Player {
    /// Leaves the motion where it is.
    pub(super) fn turn_home(&mut self) {
        (self.pace, self.cancelled) = (1.0, false);
        if self.sit_when_home && self.come_down() {
            self.job.cancel();
            return;
        }
        let entering = matches!(self.phase, Phase::Entering(_));
        if self.job.running().is_some_and(Motion::is_joint_motion) && !entering && !self.is_straight_home_safe() {
            self.phase = Phase::Rewinding { time: self.job.time() };
            return;
        }
        self.job.finish();
        self.phase = Phase::Leaving(None);
        self.choose();
    }

    /// Whether the robot stands on its feet all along the straight way home through joint space.
    fn is_straight_home_safe(&mut self) -> bool {
        let robot = Arc::clone(&self.engine.plant.robot);
        let way = Stage::of_joints(&robot, &self.angles, &self.home.angles);
        holds(&robot, &self.engine.plant.masses, &self.home, &way)
    }

    /// Chooses what comes next where a phase or a stage is over.
    pub(super) fn choose(&mut self) {
        let between = match self.phase {
            Phase::Settling(stage) | Phase::Leaving(stage) => done(stage),
            _ => false,
        };
        if self.sit_when_home && between && self.come_down() {
            return;
        }
        let home = Target::Feet(self.home.pose);
        match self.phase {
            Phase::Settling(stage) if done(stage) => match self.next_stage(&home) {
                Ok(Some(stage)) => self.phase = Phase::Settling(Some(stage)),
                Ok(None) => self.arrive(),
                Err(NoLegToSpare) => self.give_up(),
            },
            Phase::Entering(stage) if done(stage) => {
                let start = self.job.running().map_or(self.now, |motion| self.target(motion, 0.0));
                match self.next_stage(&start) {
                    Ok(Some(stage)) => self.phase = Phase::Entering(Some(stage)),
                    // `check` has gone this way and found legs to spare.
                    Ok(None) | Err(NoLegToSpare) => (self.phase, self.pace) = (Phase::Running, 0.0),
                }
            }
            Phase::Rewinding { time } if time <= 0.0 => {
                self.job.finish();
                self.phase = Phase::Leaving(None);
                self.choose();
            }
            Phase::Leaving(stage) if done(stage) => match self.next_stage(&home) {
                Ok(Some(stage)) => self.phase = Phase::Leaving(Some(stage)),
                Ok(None) => self.arrive(),
                Err(NoLegToSpare) => self.give_up(),
            },
            _ => {}
        }
    }

    /// Drops what is played by a robot that would tip over whichever leg it lifted.
    fn give_up(&mut self) {
        self.drop_motions(Dropped::NoLegToSpare);
        self.give_back();
    }

    /// Gives a robot that cannot put its feet in place, all of which are on the ground, back to the engine as it is.
    pub(super) fn give_back(&mut self) {
        if let Target::Feet(pose) = self.now {
            self.engine.settle(&pose, &self.angles);
        }
        self.rest();
    }

    /// At home: the next motion, or back to the engine.
    fn arrive(&mut self) {
        self.now = Target::Feet(self.home.pose);
        self.engine.settle(&self.home.pose, &self.home.angles);
        if self.job.is_busy() {
            (self.phase, self.pace) = (Phase::Entering(None), 1.0);
            self.choose();
            return;
        }
        self.rest();
    }

    /// The next stage on the way from where the robot is to `goal`, if it is not there.
    fn next_stage(&mut self, goal: &Target) -> Result<Option<Stage>, NoLegToSpare> {
        let robot = Arc::clone(&self.engine.plant.robot);
        let (Target::Feet(now), Target::Feet(goal)) = (self.now, *goal) else {
            let to = if let Target::Joints(angles) = goal { *angles } else { self.home.angles };
            let far = self.angles.iter().zip(&to).any(|(from, to)| from.distance_squared(to) > 1e-18);
            return Ok(far.then(|| Stage::of_joints(&robot, &self.angles, &to)));
        };
        let to = transition::next(&now, &goal, self.home.step_height, |pose| {
            let angles = pose.solve(&robot, self.home.height, &self.angles);
            angles.is_ok_and(|angles| stands(&self.engine.plant.masses, &self.home, pose, &angles))
        })?;
        Ok(to.map(|to| match to.solve(&robot, self.home.height, &self.angles) {
            Ok(angles) => Stage::of_feet(
                &robot,
                &self.home,
                Solved { pose: now, angles: &self.angles },
                Solved { pose: to, angles: &angles },
            ),
            Err(_) => Stage::of_joints(&robot, &self.angles, &self.home.angles),
        }))
    }
}

fn done(stage: Option<Stage>) -> bool {
    stage.is_none_or(|stage| stage.is_done())
}
