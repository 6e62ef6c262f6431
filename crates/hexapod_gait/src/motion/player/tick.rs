//! One tick of what is played: no joint too fast, the path kept.

use super::state::{Dropped, Phase, Player};
use crate::motion::check::ground;
use crate::motion::job::Step;
use crate::motion::kinds::Motion;
use crate::motion::transition::Stage;
use crate::plane::limits::LimitedBy;
use crate::plane::size::Enlarged;
use crate::plane::twist::Twist;
use crate::state::pose::Target;
use crate::state::tick::GaitState;
use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS};

/// Seconds in which a motion's time comes to its full speed, and to a halt.
const RAMP_S: f64 = 0.2;
/// The least part of its speed at which a motion nears its end.
const LEAST_PACE: f64 = 0.05;
/// Fraction of a joint's greatest velocity that is used.
const VELOCITY_FRACTION: f64 = 0.98;
const ATTEMPTS: usize = 8;
/// A motion of joints that has to be gone back to its start before the robot can sit is gone back in this time, where its
/// joints are fast enough, s.
pub const LONGEST_REWIND_S: f64 = 4.0;

impl Player {
    /// Moves on along the way; where a joint would be too fast, less far. Finds another way home if there is no way on.
    pub(super) fn play_on(&mut self, dt: f64) {
        self.change_pace(dt);
        let mut fraction = 1.0;
        for _ in 0..ATTEMPTS {
            let (phase, target, step) = self.ahead(dt * self.pace * fraction);
            let Ok(angles) = self.solve(&target) else { break };
            let worst = self.worst(&angles, step, dt);
            if worst <= 1.0 {
                self.phase = phase;
                let advanced = step.map_or(0.0, |step| step.advanced);
                self.report(&target, &angles, dt, advanced, fraction < 1.0);
                if let Some(step) = step {
                    self.job.take(step);
                    if step.ended {
                        self.phase = Phase::Leaving(None);
                    }
                }
                self.choose();
                return;
            }
            fraction *= 0.95 / worst;
        }
        self.drop_motions(Dropped::NoWayOn);
        let (now, angles) = (self.now, self.angles);
        self.report(&now, &angles, dt, 0.0, true);
        self.turn_from_blocked_way();
    }

    /// Nowhere to go on that way. Feet that stand, the engine leads the body back over; else home through joint space, which
    /// every joint can do from everywhere.
    fn turn_from_blocked_way(&mut self) {
        let legs = self.engine.legs().len();
        if matches!(self.now, Target::Feet(pose) if pose.planted.iter().take(legs).all(|&planted| planted)) {
            self.give_back();
            return;
        }
        let angles = self.angles;
        self.now = Target::Joints(angles);
        self.phase = Phase::Leaving(Some(Stage::of_joints(&self.engine.plant.robot, &self.angles, &self.home.angles)));
    }

    /// Comes to full speed, or to a halt where the motion is broken off or near its end.
    fn change_pace(&mut self, dt: f64) {
        if !matches!(self.phase, Phase::Running | Phase::Entering(_)) {
            self.pace = match self.phase {
                Phase::Rewinding { time } if self.sit_when_home => self.pace.max(time / LONGEST_REWIND_S),
                _ => 1.0,
            };
            return;
        }
        let change = dt / RAMP_S;
        if self.cancelled {
            self.pace -= change;
            if self.pace <= 0.0 {
                self.turn_home();
            }
            return;
        }
        self.pace = (self.pace + change).min(1.0);
        if matches!(self.phase, Phase::Running) {
            let braking = (2.0 * self.job.remaining() / RAMP_S).sqrt();
            self.pace = self.pace.min(braking.max(LEAST_PACE));
        }
    }

    /// Where `dt` seconds of the present phase lead.
    fn ahead(&self, dt: f64) -> (Phase, Target, Option<Step>) {
        let along = |stage: Option<Stage>, wrap: fn(Option<Stage>) -> Phase| {
            let stage = stage.map(|stage| stage.after(dt));
            (wrap(stage), stage.map_or(self.now, |stage| stage.target()), None)
        };
        match self.phase {
            Phase::Idle => (Phase::Idle, self.now, None),
            Phase::Settling(stage) => along(stage, Phase::Settling),
            Phase::Entering(stage) => along(stage, Phase::Entering),
            Phase::Leaving(stage) => along(stage, Phase::Leaving),
            Phase::Running => {
                let step = self.job.ahead(dt);
                (
                    Phase::Running,
                    self.job.running().map_or(self.now, |motion| self.target(motion, step.time)),
                    Some(step),
                )
            }
            Phase::Rewinding { time } => {
                let time = (time - dt).max(0.0);
                let target = self.job.running().map_or(self.now, |motion| self.target(motion, time));
                (Phase::Rewinding { time }, target, None)
            }
        }
    }

    fn solve(&self, target: &Target) -> Result<[LegAngles; MAX_LEGS], usize> {
        match target {
            Target::Joints(angles) => Ok(*angles),
            Target::Feet(pose) => pose.solve(&self.engine.plant.robot, self.home.height, &self.angles),
        }
    }

    /// The greatest part of its velocity limit that any joint would need, turns on the way included.
    fn worst(&self, angles: &[LegAngles; MAX_LEGS], step: Option<Step>, dt: f64) -> f64 {
        let mut ways = [[0.0; MAX_LEG_JOINTS]; MAX_LEGS];
        let mut from = self.angles;
        if let (Some(step), Some(motion)) = (step, self.job.running()) {
            let time = self.job.time();
            let end = if step.time < time { motion.cycle_time() } else { step.time };
            let wrapped = if step.time < time { motion.turns_between(0.0, step.time) } else { &[] };
            for &turn in motion.turns_between(time, end).iter().chain(wrapped) {
                if let Ok(angles) = self.solve(&self.target(motion, turn)) {
                    add_ways(&mut ways, &from, &angles);
                    from = angles;
                }
            }
        }
        add_ways(&mut ways, &from, angles);
        let legs = self.engine.legs().iter().zip(&ways);
        let joints = legs.flat_map(|(leg, ways)| leg.joints().iter().zip(ways));
        joints.map(|(joint, way)| way / (joint.limits().velocity * VELOCITY_FRACTION * dt + 1e-12)).fold(0.0, f64::max)
    }

    /// Takes down a tick in which the motion's own time has advanced by `advanced` seconds.
    fn report(&mut self, target: &Target, angles: &[LegAngles; MAX_LEGS], dt: f64, advanced: f64, slowed: bool) {
        let tick = &mut self.tick;
        for ((velocities, now), then) in tick.velocities.iter_mut().zip(angles).zip(&self.angles) {
            *velocities = now.rate_from(then, if dt > 0.0 { 1.0 / dt } else { 0.0 });
        }
        tick.angles = *angles;
        tick.taken_s = dt;
        tick.state = GaitState::Playing;
        tick.limited_by = if slowed { LimitedBy::JointVelocity } else { LimitedBy::Nothing };
        let twist = self.job.running().map_or(Twist::ZERO, Motion::twist).enlarged(1.0 / self.engine.plant.size);
        tick.twist = if advanced > 0.0 { twist.scaled(advanced / dt) } else { Twist::ZERO };
        match target {
            Target::Feet(pose) => {
                (tick.feet, tick.contacts) = (pose.feet, pose.planted);
                tick.footprint_from_body = pose.footprint_from_body(self.home.height);
            }
            Target::Joints(angles) => {
                // A pose that would not stand keeps the ground it had: it is on its way to one that does.
                if let Some(ground) = ground(&self.engine.plant.robot, &self.engine.plant.masses, angles) {
                    (tick.feet, tick.contacts) = (ground.feet, ground.planted);
                    tick.footprint_from_body = ground.footprint_from_body;
                }
            }
        }
        (self.now, self.angles) = (*target, *angles);
        if let Some(base) = self.engine.base() {
            self.shown = base.tick(&self.tick);
        }
    }
}

fn add_ways(ways: &mut [[f64; MAX_LEG_JOINTS]; MAX_LEGS], from: &[LegAngles; MAX_LEGS], to: &[LegAngles; MAX_LEGS]) {
    for (ways, (from, to)) in ways.iter_mut().zip(from.iter().zip(to)) {
        ways.iter_mut().zip(from.iter().zip(to.iter())).for_each(|(way, (from, to))| *way += (to - from).abs());
    }
}
