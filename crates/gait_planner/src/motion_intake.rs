//! Motions and trajectories on their way in, by topics and by the action: one way, with the same checks.

use crate::command::{Command, MotionRequest};
use crate::inbox::Inbox;
use crate::requests::Requests;
use crate::setup::Setup;
use crate::status::SharedState;
use crate::trajectory;
use hexapod_gait::GaitState;
use hexapod_gait::motion::{Home, Motion};
use hexapod_kinematics::{Robot, SelfCollision};
use hexapod_ros::r2r::trajectory_msgs::msg::JointTrajectory;
use hexapod_ros::{Headers, Received};
use std::sync::Arc;

/// Where what comes in goes.
pub struct Ends<'a> {
    /// Commands.
    pub inbox: &'a Inbox,
    /// What services answer by.
    pub shared: &'a Arc<SharedState>,
    /// Where headers are looked at.
    pub headers: &'a Headers,
    /// Requests for motions and trajectories.
    pub requests: &'a Requests,
}

/// What motions go through on their way in.
#[derive(Clone)]
pub struct MotionIntake {
    inbox: Inbox,
    shared: Arc<SharedState>,
    requests: Requests,
}

impl MotionIntake {
    /// An intake with these ends.
    #[must_use]
    pub fn of(ends: &Ends<'_>) -> Self {
        let Ends { inbox, shared, requests, .. } = *ends;
        Self { inbox: inbox.clone(), shared: Arc::clone(shared), requests: requests.clone() }
    }

    /// Hands over the motion that is asked for on `topic`, and notes what comes of the request; its number, if it was taken.
    pub fn take(
        &self,
        topic: &'static str,
        name: &str,
        motion: Result<Arc<Motion>, String>,
        command: fn(MotionRequest) -> Command,
        from: &Received,
    ) -> Option<u64> {
        let request = self.requests.open(topic, name, from.sender);
        let command = motion.map(|motion| command(MotionRequest { motion, request }));
        match self.inbox.try_take(topic, command, from) {
            Ok(()) => self.shared.set_motion(name),
            Err(reason) => {
                self.requests.reject(request, &reason);
                return None;
            }
        }
        Some(request)
    }

    /// Asks for the end of what is played, with its cycle.
    pub fn finish(&self, topic: &'static str, from: &Received) {
        if self.inbox.take(topic, Ok(Command::Motion(None)), from) {
            self.shared.set_motion("");
        }
    }
}

/// What trajectories go through on their way in.
#[derive(Clone)]
pub struct TrajectoryIntake {
    intake: MotionIntake,
    headers: Headers,
    robot: Arc<Robot>,
    home: Home,
    collision: Arc<SelfCollision>,
    /// No leg is switched off.
    is_whole: bool,
}

impl TrajectoryIntake {
    /// An intake for this robot, with these ends.
    #[must_use]
    pub fn of(setup: &Setup, ends: &Ends<'_>) -> Self {
        let engine = &setup.engine;
        Self {
            intake: MotionIntake::of(ends),
            headers: ends.headers.clone(),
            robot: Arc::clone(engine.robot()),
            home: engine.home(),
            collision: Arc::clone(engine.self_collision()),
            is_whole: !engine.lacks_legs(),
        }
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Whether a trajectory can be played now.
    ///
    /// # Errors
    /// Why not.
    pub fn may_play(&self) -> Result<(), String> {
        let now = self.intake.shared.get();
        if !self.is_whole {
            Err("a trajectory moves all legs, and some are switched off".into())
        } else if now == GaitState::Standing {
            Ok(())
        } else {
            Err(format!("the robot is {}; trajectories are played while it stands", now.as_str()))
        }
    }

    /// The same for a goal of the action, which takes the place of another goal.
    ///
    /// # Errors
    /// Why not.
    pub fn may_follow(&self) -> Result<(), String> {
        if let Some(fault) = self.intake.shared.fault() {
            return Err(fault.reason().into());
        }
        let gives_way = self.intake.shared.get() == GaitState::Playing && self.intake.requests.plays_goal();
        self.may_play().or_else(|reason| if self.is_whole && gives_way { Ok(()) } else { Err(reason) })
    }

    /// A trajectory that came in on `topic`, as a motion from standing.
    ///
    /// # Errors
    /// What does not hold, or why the robot could not play it.
    pub fn motion(&self, topic: &'static str, message: &JointTrajectory) -> Result<Motion, String> {
        self.headers.look(topic, &message.header);
        trajectory::motion(&self.robot, &self.home, &self.collision, message)
    }

    /// Hands over what came in on `topic`, and notes what comes of the request; its number, if it was taken.
    pub fn take(
        &self,
        topic: &'static str,
        motion: Result<Motion, String>,
        command: fn(MotionRequest) -> Command,
        from: &Received,
    ) -> Option<u64> {
        let motion = motion.map(|motion| self.intake.inbox.keep(motion));
        self.intake.take(topic, topic, motion, command, from)
    }

    /// Ends the goal of a request.
    pub fn end_goal(&self, topic: &'static str, request: u64, why: &'static str) {
        // Refused only by a loop that takes nothing any more, which is a fault: that ends it, too.
        let _ = self.intake.inbox.send(topic, Command::EndGoal(request, why));
    }
}
