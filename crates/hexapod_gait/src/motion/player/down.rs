//! The short way from anywhere in a motion to sitting: feet in the air come down, and the engine has the robot, which
//! sits down on the feet where they are.

use super::state::{Phase, Player};
use crate::gait::posture::BodyOffset;
use crate::motion::check::{ground, stands};
use crate::motion::transition::{Solved, Stage};
use crate::state::pose::{Pose, Target};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;
use std::sync::Arc;

/// Higher than a foot that carries is above the ground, m: joints that are played leave it there by rounding. The engine
/// takes such a foot for one on the ground, where its joints then have to have it.
const ON_THE_GROUND_M: f64 = 5e-9;

impl Player {
    /// Takes the next step on the short way to sitting; false where there is none, and the robot has to go home first.
    pub(super) fn come_down(&mut self) -> bool {
        let Some(now) = self.stands_as() else { return false };
        if now.planted.iter().take(self.legs()).all(|&planted| planted) {
            self.engine.settle(&now, &self.angles);
            self.rest();
            return true;
        }
        let robot = Arc::clone(&self.engine.plant.robot);
        for put in [home_feet, feet_below] {
            let to = landed(&now, &self.home.pose, self.legs(), put);
            let Ok(angles) = to.solve(&robot, self.home.height, &self.angles) else { continue };
            if stands(&self.engine.plant.masses, &self.home, &to, &angles) {
                let from = Solved { pose: now, angles: &self.angles };
                let stage = Stage::of_feet(&robot, &self.home, from, Solved { pose: to, angles: &angles });
                self.now = Target::Feet(now);
                self.phase = Phase::Leaving(Some(stage));
                return true;
            }
        }
        false
    }

    /// Gives the robot back to the engine, which sits where that was asked for.
    pub(super) fn rest(&mut self) {
        (self.phase, self.cancelled) = (Phase::Idle, false);
        if std::mem::take(&mut self.sit_when_home) {
            self.engine.sit();
            if std::mem::take(&mut self.pack_when_home) {
                self.engine.pack();
            }
        }
    }

    fn legs(&self) -> usize {
        self.engine.legs().len()
    }

    /// Body and feet over the ground, if all legs are bent as walking bends them.
    fn stands_as(&mut self) -> Option<Pose> {
        let mut legs = self.angles.iter().take(self.legs()).enumerate();
        if !legs.all(|(leg, angles)| self.engine.stance().uses(leg, angles)) {
            return None;
        }
        if let Target::Feet(pose) = self.now {
            return Some(pose);
        }
        let robot = Arc::clone(&self.engine.plant.robot);
        let found = ground(&robot, &self.engine.plant.masses, &self.angles)?;
        let offset = BodyOffset::of_pose(&found.footprint_from_body, self.home.height);
        let mut pose = Pose { offset, feet: found.feet, planted: [false; MAX_LEGS] };
        for (planted, foot) in pose.planted.iter_mut().zip(&mut pose.feet).take(robot.legs().len()) {
            *planted = foot.z < ON_THE_GROUND_M;
            foot.z = if *planted { 0.0 } else { foot.z };
        }
        Some(pose)
    }
}

fn home_feet(_: Vector3<f64>, home: Vector3<f64>) -> Vector3<f64> {
    home
}

fn feet_below(foot: Vector3<f64>, _: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(foot.x, foot.y, 0.0)
}

/// The pose with all feet on the ground: those in the air are `put` there.
fn landed(now: &Pose, home: &Pose, legs: usize, put: fn(Vector3<f64>, Vector3<f64>) -> Vector3<f64>) -> Pose {
    let mut to = *now;
    let feet = to.feet.iter_mut().zip(&mut to.planted).zip(&home.feet).take(legs);
    for ((foot, planted), home) in feet.filter(|((_, planted), _)| !**planted) {
        (*foot, *planted) = (put(*foot, *home), true);
    }
    to
}
