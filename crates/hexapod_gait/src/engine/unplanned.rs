//! A pose that the engine did not plan: the one a robot is found in when its planner starts, or is left in when its
//! servos have been let go.
//!
//! It is held as it is. From there the robot sits down with its feet where they are, or stands up: each leg is brought to
//! its place before the body rises on them.

use crate::engine::Engine;
use crate::gait::posture::BodyOffset;
use crate::plan::blocked::stall_timer::StallTimer;
use crate::plan::control::Requests;
use crate::plan::sequence::descent::NEAR_M;
use crate::plane::ramp::Ramp;
use crate::plane::twist::Twist;
use crate::state::contact_correction::ContactCorrection;
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use crate::state::rates::BodyRates;
use crate::state::walk::Walk;
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::Vector2;

impl Engine {
    /// Takes the joint angles the robot is found in, while it sits and nothing has moved it yet; true if taken.
    pub fn adopt(&mut self, angles: &[LegAngles]) -> bool {
        let legs = self.plant.legs();
        let fits = angles.len() == legs.len() && angles.iter().zip(legs).all(|(angles, leg)| leg.within_limits(angles));
        if !fits || self.now.route.start().mode != Mode::Sitting {
            return false;
        }
        let mut found = self.now.route.start().angles;
        found.iter_mut().zip(angles).for_each(|(found, angles)| *found = *angles);
        self.take_pose(&found);
        true
    }

    /// Ends whatever the robot does in the pose of `angles`, because its servos have been let go. Commands count again
    /// once the driver has let go of the stick.
    pub fn freeze(&mut self, angles: &[LegAngles; MAX_LEGS]) {
        if self.now.route.start().mode != Mode::Sitting {
            self.take_pose(angles);
        }
        self.now.control.commands_latched = true;
        self.now.control.requests = Requests::default();
    }

    fn take_pose(&mut self, angles: &[LegAngles; MAX_LEGS]) {
        let (sitting, standing) = (self.plant.stance.own_spec().sit_height, self.plant.stance.own_spec().height);
        let depths = angles.iter().zip(self.plant.legs()).map(|(angles, leg)| -leg.foot_in_body(angles).z);
        let height = depths.fold(sitting, f64::max).min(standing);
        let mode = if height > sitting + NEAR_M { Mode::UnplannedPose } else { Mode::Sitting };
        let missing = self.now.route.start().walk.feet.map(|foot| foot == Foot::Missing);
        let mut walk = Walk::at_rest(self.plant.stance.own_nominal(), self.now.control.gaits.walked.cycle_time());
        let feet = walk.feet.iter_mut().zip(missing);
        feet.filter(|(_, missing)| *missing).for_each(|(foot, _)| *foot = Foot::Missing);
        self.rest_over(mode, walk, height, angles);
        let start = self.now.route.start_mut();
        (start.twist, start.aim) = ([Twist::ZERO; 2], [Twist::ZERO; 2]);
        let control = &mut self.now.control;
        (control.ramp, control.stall_timer) = (Ramp::REST, StallTimer::default());
        (control.leaving, control.then_pack) = (false, false);
        self.report_rest();
    }

    /// Goes on from a body at rest over these feet, straight above them, at these joint angles.
    pub(crate) fn rest_over(&mut self, mode: Mode, walk: Walk, height: f64, angles: &[LegAngles; MAX_LEGS]) {
        self.now.route.turn_back();
        let start = self.now.route.start_mut();
        start.ns += self.now.elapsed_ns;
        self.now.elapsed_ns = 0;
        (start.mode, start.walk, start.angles) = (mode, walk, *angles);
        (start.height, start.offset, start.sway) = (height, BodyOffset::default(), Vector2::zeros());
        (start.correction, start.rates) = (ContactCorrection::NONE, BodyRates::REST);
    }
}
