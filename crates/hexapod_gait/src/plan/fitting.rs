//! Gaits as this robot can walk them: on the legs that are left, no quicker than its joints allow.

use crate::gait::Gait;
use crate::plan::control::Tuning;
use crate::plane::limits::TwistLimits;
use crate::plant::Plant;
use crate::plant::joints::JointBound;
use hexapod_kinematics::MAX_LEGS;

/// What a gait is fitted to.
#[derive(Clone, Copy)]
pub(crate) struct Fit<'a> {
    pub plant: &'a Plant,
    pub tuning: &'a Tuning,
}

impl Fit<'_> {
    /// A gait with all worked out that taking it up on this robot needs.
    pub(crate) fn ready(&self, gait: Gait) -> Gait {
        let gait = gait.with_needs(None);
        gait.with_needs(self.measured(self.shaped(gait)).needs())
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

    /// How far feet are lifted with a gait, m: as far as it says, or else the settings, at most as the stance allows.
    pub(crate) fn lift_with(&self, gait: &Gait) -> f64 {
        gait.step_height().unwrap_or(self.tuning.step_height).min(self.plant.stance.spec().step_height)
    }

    /// The gait with the shortest cycle that the joints' accelerations allow this robot.
    pub(crate) fn timed(&self, gait: Gait) -> Gait {
        let Some(joints) = &self.plant.joints else { return gait };
        let gait = self.measured(gait);
        let Some(needs) = gait.needs() else { return gait };
        let foot_m_s2 = self.foot_acceleration(&self.limits_for(&gait));
        gait.no_quicker_than(joints.shortest_cycle(&gait, needs.lifted(self.lift_with(&gait)), foot_m_s2))
    }

    /// The gait with what it needs of the joints, where that is bounded; measured here unless it is known.
    pub(crate) fn measured(&self, gait: Gait) -> Gait {
        if self.plant.joints.is_none() || gait.needs().is_some() {
            return gait;
        }
        let stride = gait.stride() * self.plant.stance.reach().axes().max();
        gait.with_needs(Some(JointBound::measured((&self.plant.robot, &self.plant.stance), &gait, stride)))
    }

    /// The configured limits of the twist, its acceleration no more than leaves the joints enough for the swing.
    pub(crate) fn limits_for(&self, gait: &Gait) -> TwistLimits {
        let limits = self.tuning.limits;
        let Some(joints) = &self.plant.joints else { return limits };
        limits.gentler(joints.part_of_acceleration(gait, self.foot_acceleration(&limits)))
    }

    /// How much a foot far from the body's centre is accelerated at most when the twist changes, m/s^2.
    fn foot_acceleration(&self, limits: &TwistLimits) -> f64 {
        limits.linear_acceleration + limits.angular_acceleration * self.plant.farthest_rest()
    }
}
