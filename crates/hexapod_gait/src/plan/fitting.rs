//! Gaits as this robot can walk them: on the legs that are left, no quicker than its joints allow.

use crate::gait::Gait;
use crate::plan::control::{Gaits, Tuning};
use crate::plane::limits::TwistLimits;
use crate::plane::ramp::Ramp;
use crate::plant::Plant;
use crate::plant::joints::JointBound;
use hexapod_kinematics::MAX_LEGS;

/// What a gait is fitted to.
#[derive(Clone, Copy)]
pub(crate) struct Fit<'a> {
    pub plant: &'a Plant,
    pub tuning: &'a Tuning,
    /// By which part of what is left to the greatest lift feet are lifted higher, as the ground is rough.
    pub lift: f64,
}

impl<'a> Fit<'a> {
    /// On ground of this level of roughness.
    pub(crate) fn on(plant: &'a Plant, tuning: &'a Tuning, level: usize) -> Self {
        Self { plant, tuning, lift: plant.rough.lift(level) }
    }

    /// The same on the roughest ground that there is.
    pub(crate) fn on_roughest_ground(self) -> Self {
        Self { lift: self.plant.rough.greatest_lift(), ..self }
    }

    /// Works gaits out anew that have been worked out, after a change of what they depend on.
    pub(crate) fn time(&self, gaits: &mut Gaits) {
        gaits.walked = self.retimed(gaits.walked);
        gaits.next = gaits.next.map(|gait| self.retimed(gait));
    }

    /// A gait with all worked out that taking it up on this robot needs.
    pub(crate) fn ready(&self, gait: Gait) -> Gait {
        let gait = gait.with_needs(None);
        gait.with_needs(self.measured(self.shaped(gait)).needs())
    }

    /// Whether `walked` is what this robot walks of a gait.
    pub(crate) fn is_suited(&self, gait: Gait, walked: Gait) -> bool {
        self.shaped(gait).with_needs(None) == walked.with_needs(None).no_quicker_than(0.0)
    }

    /// A gait as this robot can walk it.
    pub(crate) fn suited(&self, gait: Gait) -> Gait {
        self.timed(self.shaped(gait))
    }

    /// The gait for the legs that are not switched off.
    fn shaped(&self, gait: Gait) -> Gait {
        if self.plant.missing == 0 {
            return gait;
        }
        let mut order = [0; MAX_LEGS];
        let mut count = 0;
        for leg in (0..self.plant.legs().len()).filter(|leg| self.plant.missing & (1 << leg) == 0) {
            order[count] = leg;
            count += 1;
        }
        // From the rear of each side to its front: so a rear foot is lifted while the one ahead of it is far back.
        let rest = self.plant.stance.rest();
        let place = |leg: usize| (rest[leg].y > 0.0, rest[leg].x);
        order[..count].sort_by(|&a, &b| {
            let (a, b) = (place(a), place(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        gait.one_by_one(&order[..count])
    }

    /// How far feet are lifted with a gait, m: as far as it says, or else the settings, and higher on rough ground; at most as
    /// the stance allows.
    pub(crate) fn lift_with(&self, gait: &Gait) -> f64 {
        let own = gait.step_height().map(|height| height / self.plant.size);
        let (chosen, most) = (self.tuning.step_height, self.plant.stance.own_spec().step_height);
        own.unwrap_or_else(|| chosen + self.lift * (most - chosen).max(0.0)).min(most)
    }

    /// The gait with the shortest cycle that the joints' accelerations allow this robot.
    pub(crate) fn timed(&self, gait: Gait) -> Gait {
        self.retimed(self.measured(gait))
    }

    /// The same of a gait whose needs are known: nothing is measured in a tick.
    fn retimed(&self, gait: Gait) -> Gait {
        let Some((joints, needs)) = self.plant.joints.as_ref().zip(gait.needs()) else { return gait };
        let foot_m_s2 = self.foot_acceleration(&self.limits_for(&gait));
        gait.no_quicker_than(joints.shortest_cycle(&gait, needs.lifted(self.lift_with(&gait)), foot_m_s2))
    }

    /// The gait with what it needs of the joints, where that is bounded; measured here unless it is known.
    pub(crate) fn measured(&self, gait: Gait) -> Gait {
        if self.plant.joints.is_none() || gait.needs().is_some() {
            return gait;
        }
        let stroke = gait.stroke() * self.plant.stance.reach().axes().max();
        gait.with_needs(Some(JointBound::measured(&self.plant.robot, &self.plant.stance, &gait, stroke)))
    }

    /// The configured limits of the twist, its acceleration no more than its jerk allows and leaves the joints enough for the
    /// swing.
    pub(crate) fn limits_for(&self, gait: &Gait) -> TwistLimits {
        let limits = Ramp::smooth(self.tuning.limits);
        let Some(joints) = &self.plant.joints else { return limits };
        limits.gentler(joints.fraction_of_acceleration(gait, self.foot_acceleration(&limits)))
    }

    /// How much a foot far from the body's centre is accelerated at most when the twist changes, m/s^2.
    fn foot_acceleration(&self, limits: &TwistLimits) -> f64 {
        limits.linear_acceleration + limits.angular_acceleration * self.plant.farthest_rest
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::gait::GaitSpec;
    use crate::gait::sides::leg_places;
    use crate::plane::limits::tests::LIMITS;
    use crate::plant::settings::Settings;
    use crate::plant::settings::StanceSpec;
    use crate::plant::stance::Stance;
    use hexapod_kinematics::{LegOptions, LimitChange, Robot};
    use std::sync::Arc;

    /// The shipped robot with joints that accelerate by no more than this, rad/s^2, and its tripod.
    fn limited(acceleration: Option<f64>) -> (Plant, Gait) {
        let change = LimitChange { acceleration, ..LimitChange::default() };
        let options = LegOptions { limits: vec![change], ..LegOptions::default() };
        let urdf = include_str!("../../../../urdf/hexapod.urdf");
        let robot = Arc::new(Robot::from_urdf_with(urdf, &options).unwrap());
        let spec = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
        let settings = Settings {
            stance: spec,
            step_height: 0.03,
            limits: LIMITS,
            stand_time: 1.5,
            sit_time: 0.8,
            leg_clearance: crate::plant::settings::LegClearance::default(),
        };
        let gait = Gait::try_new(&GaitSpec::default(), &leg_places(&robot)).unwrap();
        let stance = Stance::new(&robot, spec).unwrap();
        (Plant::new(robot, &settings, stance), gait)
    }

    #[test]
    fn when_a_gait_is_ready_expect_its_needs_known_and_not_measured_again() {
        let ((plant, gait), tuning) = (limited(Some(60.0)), Tuning { step_height: 0.03, limits: LIMITS });
        let fit = Fit::on(&plant, &tuning, 0);
        let ready = fit.ready(gait);
        assert!(gait.needs().is_none() && ready.needs().is_some());
        assert_eq!(fit.suited(ready), fit.suited(gait));
        assert!(fit.is_suited(gait, fit.suited(ready)) && fit.is_suited(ready, fit.suited(gait)));
        assert!(!fit.is_suited(gait.feeling(), fit.suited(gait)));
        // What is known is taken, here of a robot with weaker joints: it would be measured otherwise.
        let weaker = limited(Some(20.0));
        let known = Fit::on(&weaker.0, &tuning, 0).ready(gait).needs();
        assert_eq!(fit.suited(gait.with_needs(known)).needs(), known);
        assert!(fit.suited(gait.with_needs(known)).cycle_times()[0] > fit.suited(gait).cycle_times()[0]);
    }

    #[test]
    fn when_accelerations_are_not_limited_expect_gaits_as_they_are() {
        let ((plant, gait), tuning) = (limited(None), Tuning { step_height: 0.03, limits: LIMITS });
        let fit = Fit::on(&plant, &tuning, 0);
        assert_eq!((fit.suited(gait), fit.ready(gait).needs()), (gait, None));
        assert_eq!(fit.limits_for(&gait), LIMITS);
    }
}
