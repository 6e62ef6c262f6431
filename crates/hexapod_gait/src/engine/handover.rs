//! What the player, which takes over while the engine stands, asks of it and leaves behind.

use crate::engine::Engine;
use crate::gait::posture::BodyOffset;
use crate::plan::control::{Posture, Requests};
use crate::plane::size::Enlarged;
use crate::plant::settings::StanceSpec;
use crate::state::allowance::WITHIN;
use crate::state::mode::Mode;
use crate::state::pose::{Home, Pose};
use crate::state::tick::GaitState;
use crate::state::walk::Walk;
use hexapod_kinematics::{IterationBudget, LegAngles, MAX_LEGS};
use nalgebra::Vector3;

/// A body this near to its place straight above its feet, m and rad, may go the rest of the way straight, and one this slow,
/// m/s and rad/s, set out anew: a joint's speed changes by less than in a tick of a walk.
const STRAIGHT: f64 = 0.01;
const STILL: f64 = 0.01;
/// The least lift of a foot that is put in its place before a motion, m.
const LEAST_PLACING_LIFT_M: f64 = 0.015;

impl Engine {
    /// The standing pose that motions start from and end in: feet at rest, the body straight above them; in the frame of the
    /// hips.
    #[must_use]
    pub fn home(&self) -> Home {
        self.own_home().enlarged(self.plant.size)
    }

    pub(crate) fn own_home(&self) -> Home {
        let mut pose = Pose::default();
        for (leg, rest) in self.plant.stance.rest().iter().enumerate() {
            (pose.feet[leg], pose.planted[leg]) = (Vector3::new(rest.x, rest.y, 0.0), true);
        }
        let StanceSpec { height, sit_height: lowest, .. } = self.plant.stance.own_spec();
        let present = &self.now.route.start().angles;
        // `Stance::new` has made sure that every foot rests within reach at this height.
        let angles = pose.solve(&self.plant.robot, height, present).unwrap_or(*present);
        let step_height = self.tuning.step_height.max(LEAST_PLACING_LIFT_M);
        Home { pose, angles, height, lowest, step_height }
    }

    /// Whether legs are switched off: motions move all of them.
    #[must_use]
    pub fn lacks_legs(&self) -> bool {
        self.plant.missing != 0
    }

    /// The body's offset from its standing pose.
    pub(crate) fn offset(&self) -> BodyOffset {
        let start = *self.now.route.start();
        let segment = self.now.route.segment();
        let state = segment.map_or(start, |segment| self.present(segment, &mut IterationBudget::new(WITHIN)));
        let mut offset = state.offset;
        offset.translation += Vector3::new(state.sway.x, state.sway.y, 0.0);
        offset
    }

    /// Whether the body is about straight above its feet, and about at rest.
    pub(crate) fn is_straight(&self) -> bool {
        let rates = self.now.route.start().rates;
        let (still, straight) = (BodyOffset::default(), self.offset());
        let rests = rates.offset.is_within(&still, STILL) && rates.height.abs() < STILL;
        rests && rates.sway.norm() < STILL && straight.is_within(&still, STRAIGHT)
    }

    /// Whether the feet rest where they do for a body that walks at another height than that of the stance.
    pub(crate) fn is_at_another_height(&self) -> bool {
        self.now.route.start().walk.nominal.raised != 0.0
    }

    /// Asks the robot to stop, and to put its feet where they rest in the stance.
    pub(crate) fn go_home(&mut self) {
        self.now.control.requests = Requests::stop_for(Posture::GoHome);
    }

    /// What the robot is about to do with the next tick, where [`Self::last`] says what it did.
    pub(crate) fn present_state(&self) -> GaitState {
        let state = match self.now.route.start().mode {
            // It has to stand up before it stands where it plays.
            Mode::UnplannedPose => GaitState::Sitting,
            mode => mode.state(),
        };
        match (self.now.control.requests.posture, state) {
            (Some(Posture::Sit | Posture::GoHome), GaitState::Standing) => GaitState::Stopping,
            (Some(Posture::Stand), GaitState::Sitting) => GaitState::Playing,
            _ => state,
        }
    }

    /// Takes over from a player that has left the standing robot in this pose, all feet planted, at these joint angles.
    pub(crate) fn settle(&mut self, pose: &Pose, angles: &[LegAngles; MAX_LEGS]) {
        let walk =
            Walk::standing(&pose.feet, self.plant.stance.own_nominal(), self.now.control.gaits.walked.cycle_time());
        self.rest_over(Mode::Standing, walk, self.plant.stance.own_spec().height, angles);
        self.now.route.start_mut().offset = pose.offset;
        self.report_rest();
    }
}
