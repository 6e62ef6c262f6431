//! A robot that walks: commands in, a tick of the engine out, and where that has taken it.

use hexapod_gait::arc::ArcStep;
use hexapod_gait::motion::Player;
use hexapod_gait::{Balance, BodyOffset, Input, Tick, Twist};
use hexapod_kinematics::MAX_LEGS;
use hexapod_odometry::{Estimate, Odometry};
use hexapod_setup::Walker;
use nalgebra::{UnitQuaternion, Vector3};
use std::time::Duration;

/// How the robot is steered.
#[derive(Clone, Copy, Debug)]
enum Steering {
    Twist(Twist),
    Arc { velocity: f64, curvature: f64 },
}

/// A motion that was asked for: the job's number for it, and its name.
#[derive(Clone, Debug)]
struct MotionRequest {
    number: u64,
    name: String,
}

/// What is to be reported of the motion that is played or waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing<'a> {
    /// Its name.
    pub name: &'a str,
    /// The fraction of it that is over.
    pub part: f64,
}

/// A robot without hardware: the engine, its motions and odometry.
#[derive(Clone, Debug)]
pub struct Hexapod {
    walker: Walker,
    urdf: String,
    player: Player,
    odometry: Odometry,
    balance: Balance,
    steering: Steering,
    input: Input,
    elapsed: Duration,
    gait: String,
    /// The last two: one runs, one waits.
    asked: [Option<MotionRequest>; 2],
    remark: &'static str,
}

impl Hexapod {
    pub(crate) fn new(walker: Walker, urdf: String) -> Self {
        let engine = walker.engine.clone();
        let mut hexapod = Self {
            urdf,
            odometry: Odometry::new(engine.legs().len()),
            balance: Balance::new(engine.robot()),
            steering: Steering::Twist(Twist::ZERO),
            input: Input::default(),
            elapsed: Duration::ZERO,
            gait: walker.gait_name.clone(),
            asked: [None, None],
            remark: "",
            player: Player::new(engine),
            walker,
        };
        hexapod.locate();
        hexapod
    }

    /// Puts the robot back to where it was when it was loaded.
    pub fn reset(&mut self) {
        *self = Self::new(self.walker.clone(), std::mem::take(&mut self.urdf));
    }

    /// What the robot was made from.
    #[must_use]
    pub fn walker(&self) -> &Walker {
        &self.walker
    }

    /// The URDF as it was read.
    #[must_use]
    pub fn urdf(&self) -> &str {
        &self.urdf
    }

    /// The last tick.
    #[must_use]
    pub fn tick(&self) -> &Tick {
        self.player.last()
    }

    /// The engine and what it plays.
    #[must_use]
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Where the robot has walked.
    #[must_use]
    pub fn estimate(&self) -> Option<&Estimate> {
        self.odometry.last()
    }

    /// The masses.
    #[must_use]
    pub fn balance(&self) -> &Balance {
        &self.balance
    }

    /// Seconds stepped.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.elapsed.as_secs_f64()
    }

    /// Name of the gait that was asked for last.
    #[must_use]
    pub fn gait(&self) -> &str {
        &self.gait
    }

    /// The motion that is played, or else waits.
    #[must_use]
    pub fn playing(&self) -> Option<Playing<'_>> {
        let job = self.player.job();
        let asked = || self.asked.iter().flatten();
        let running = asked().find(|asked| job.runs(asked.number));
        let found = running.or_else(|| asked().find(|asked| job.holds(asked.number)));
        found.map(|asked| Playing { name: &asked.name, part: job.fraction() })
    }

    /// Why a motion was dropped; until the next command.
    #[must_use]
    pub fn remark(&self) -> &'static str {
        self.remark
    }

    /// The twist that is asked for.
    #[must_use]
    pub fn wanted(&self) -> Twist {
        match self.steering {
            Steering::Twist(twist) => twist,
            Steering::Arc { velocity, curvature } => {
                let engine = self.player.engine();
                let stance_time = engine.gait().stance_time();
                ArcStep::new(velocity * stance_time, curvature, engine.rest_feet()).twist(stance_time)
            }
        }
    }

    /// Moves on by `dt` seconds, at most 0.1.
    pub fn step(&mut self, dt: f64) {
        let dt = if dt.is_finite() { dt.clamp(0.0, 0.1) } else { 0.0 };
        self.input.twist = self.wanted();
        self.player.step(&self.input, dt);
        if let Some(dropped) = self.player.take_dropped() {
            self.remark = dropped.reason();
        }
        self.elapsed += Duration::from_secs_f64(dt);
        self.locate();
    }

    fn locate(&mut self) {
        let tick = self.player.last();
        let mut feet = [Vector3::zeros(); MAX_LEGS];
        let legs = self.player.engine().legs();
        for ((foot, leg), angles) in feet.iter_mut().zip(legs).zip(&tick.angles) {
            *foot = leg.foot_in_body(angles);
        }
        let count = legs.len().min(MAX_LEGS);
        // Feet of finite angles are where odometry takes them.
        let _ = self.odometry.update(self.elapsed, &feet[..count], Some(&tick.contacts[..count]));
    }

    /// Steers by a twist, m/s and rad/s.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn set_twist(&mut self, vx: f64, vy: f64, wz: f64) -> Result<(), String> {
        finite(&[("vx", vx), ("vy", vy), ("wz", wz)])?;
        self.steer(Steering::Twist(Twist::new(vx, vy, wz)));
        Ok(())
    }

    /// Steers along an arc: the speed of the outermost foot, m/s, and the curvature.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn set_arc(&mut self, velocity: f64, curvature: f64) -> Result<(), String> {
        finite(&[("velocity", velocity), ("curvature", curvature)])?;
        self.steer(Steering::Arc { velocity, curvature });
        Ok(())
    }

    fn steer(&mut self, steering: Steering) {
        self.steering = steering;
        self.remark = "";
        let wanted = self.wanted();
        self.player.engine_mut().notice(wanted);
    }

    /// Moves the body over its feet, m and rad against standing.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn set_body_pose(&mut self, [x, y, z]: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Result<(), String> {
        finite(&[("x", x), ("y", y), ("z", z), ("roll", roll), ("pitch", pitch), ("yaw", yaw)])?;
        let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw).scaled_axis();
        self.input.body_offset = BodyOffset { translation: Vector3::new(x, y, z), rotation };
        Ok(())
    }

    /// Walks with another gait.
    ///
    /// # Errors
    /// No gait of this robot has this name.
    pub fn set_gait(&mut self, name: &str) -> Result<(), String> {
        let gait = self.walker.gaits.get(name)?;
        self.player.engine_mut().set_gait(gait);
        name.clone_into(&mut self.gait);
        Ok(())
    }

    /// Lifts feet by this much, m, with gaits that do not say.
    ///
    /// # Errors
    /// It is no height, or more than the stance leaves room for.
    pub fn set_step_height(&mut self, height: f64) -> Result<(), String> {
        let greatest = self.walker.engine.stance().spec().step_height;
        if !(0.0..=greatest).contains(&height) {
            return Err(format!("a step height of {height} m is not within 0 to {greatest} m"));
        }
        self.player.engine_mut().set_step_height(height);
        Ok(())
    }

    /// What a leg's foot feels; a leg that is not there feels nothing.
    pub fn set_contact(&mut self, leg: usize, felt: Option<bool>) {
        if let Some(contact) = self.input.contacts.get_mut(leg) {
            *contact = felt;
        }
    }

    /// Plays a motion.
    ///
    /// # Errors
    /// No motion has this name, or this robot cannot play it.
    pub fn play(&mut self, name: &str) -> Result<(), String> {
        let motion = self.walker.motions.get(name)?;
        self.release_motion();
        self.player.play(Some(motion));
        let asked = MotionRequest { number: self.player.job().count(), name: name.to_owned() };
        self.asked = [self.asked[1].take(), Some(asked)];
        Ok(())
    }

    /// Ends the motion that is played with its cycle.
    pub fn finish_motion(&mut self) {
        self.player.play(None);
    }

    /// Stands up, or stops and stands.
    pub fn stand(&mut self) {
        self.remark = "";
        self.player.stand();
        self.notice();
    }

    /// Sits down.
    pub fn sit(&mut self) {
        self.remark = "";
        self.player.sit();
        self.notice();
    }

    /// Sits down and folds the legs.
    ///
    /// # Errors
    /// The robot has no pose for that.
    pub fn pack(&mut self) -> Result<(), String> {
        self.remark = "";
        if !self.player.pack() {
            return Err("the robot has no packed pose".into());
        }
        self.notice();
        Ok(())
    }

    /// Stops with all feet planted.
    pub fn stop(&mut self) {
        self.remark = "";
        self.player.stop();
        self.notice();
    }

    /// Stays as it is, as after an emergency stop.
    pub fn freeze(&mut self) {
        self.remark = "";
        self.player.freeze();
    }

    /// What was driven before a motion does not end it.
    fn release_motion(&mut self) {
        self.steering = Steering::Twist(Twist::ZERO);
        self.remark = "";
    }

    /// Whether a stop found the stick at rest.
    fn notice(&mut self) {
        let wanted = self.wanted();
        self.player.engine_mut().notice(wanted);
    }
}

fn finite(numbers: &[(&str, f64)]) -> Result<(), String> {
    match numbers.iter().find(|(_, number)| !number.is_finite()) {
        Some((name, number)) => Err(format!("{name} is {number}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Description;
    use hexapod_gait::GaitState;

    fn shipped() -> Hexapod {
        Description::default().load().unwrap()
    }

    fn steps(hexapod: &mut Hexapod, seconds: f64) {
        (0..(100.0 * seconds) as usize).for_each(|_| hexapod.step(0.01));
    }

    #[test]
    fn when_driven_ahead_expect_odometry_to_go_as_far() {
        let mut hexapod = shipped();
        hexapod.set_twist(0.05, 0.0, 0.0).unwrap();
        steps(&mut hexapod, 5.0);
        let start = hexapod.estimate().unwrap().travelled;
        steps(&mut hexapod, 4.0);
        assert_eq!(hexapod.tick().state, GaitState::Walking);
        assert!((hexapod.estimate().unwrap().travelled - start - 0.2).abs() < 0.002);
        assert!((hexapod.time_s() - 9.0).abs() < 1e-6);
    }

    #[test]
    fn when_steered_along_an_arc_expect_a_turn_to_that_side() {
        let mut hexapod = shipped();
        hexapod.set_arc(0.05, 1.0).unwrap();
        steps(&mut hexapod, 5.0);
        assert!(hexapod.wanted().wz > 0.05 && hexapod.tick().twist.wz > 0.05);
    }

    #[test]
    fn when_a_motion_is_played_expect_its_name_until_it_is_over() {
        let mut hexapod = shipped();
        assert!(hexapod.play("wave").is_ok() && hexapod.play("nothing").is_err());
        steps(&mut hexapod, 3.0);
        assert_eq!(hexapod.playing().unwrap().name, "wave");
        steps(&mut hexapod, 12.0);
        assert_eq!((hexapod.playing(), hexapod.tick().state), (None, GaitState::Standing));
    }

    #[test]
    fn when_stopped_expect_no_walk_before_the_stick_was_let_go() {
        let mut hexapod = shipped();
        hexapod.set_twist(0.05, 0.0, 0.0).unwrap();
        steps(&mut hexapod, 4.0);
        hexapod.stop();
        steps(&mut hexapod, 3.0);
        assert_eq!(hexapod.tick().state, GaitState::Standing);
        hexapod.set_twist(0.0, 0.0, 0.0).unwrap();
        hexapod.set_twist(0.05, 0.0, 0.0).unwrap();
        steps(&mut hexapod, 1.0);
        assert_eq!(hexapod.tick().state, GaitState::Walking);
    }

    #[test]
    fn when_reset_expect_the_robot_as_it_was_loaded() {
        let mut hexapod = shipped();
        hexapod.set_twist(0.05, 0.0, 0.3).unwrap();
        hexapod.set_gait("ripple").unwrap();
        steps(&mut hexapod, 4.0);
        hexapod.reset();
        assert_eq!((hexapod.time_s(), hexapod.gait(), hexapod.wanted()), (0.0, "tripod", Twist::ZERO));
        assert_eq!(hexapod.tick().angles, shipped().tick().angles);
        assert_eq!(hexapod.estimate(), shipped().estimate());
        assert!(!hexapod.urdf().is_empty());
    }

    #[test]
    fn when_a_number_is_not_finite_or_out_of_range_expect_it_refused_by_name() {
        let mut hexapod = shipped();
        assert_eq!(hexapod.set_twist(0.0, f64::NAN, 0.0), Err("vy is NaN".into()));
        assert_eq!(hexapod.set_arc(f64::INFINITY, 0.0), Err("velocity is inf".into()));
        assert_eq!(hexapod.set_body_pose([0.0; 3], [0.0, f64::NAN, 0.0]), Err("pitch is NaN".into()));
        assert!(hexapod.set_step_height(0.5).is_err() && hexapod.set_step_height(f64::NAN).is_err());
        assert!(hexapod.set_gait("gallop").unwrap_err().contains("tripod"));
        hexapod.set_contact(99, Some(true));
        hexapod.step(f64::NAN);
        assert_eq!(hexapod.time_s(), 0.0);
    }
}
