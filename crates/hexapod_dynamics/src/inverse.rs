//! Inverse dynamics: the recursive Newton-Euler algorithm (Luh, Walker & Paul 1980), with all vectors in the body frame.

use hexapod_kinematics::LegAngles;
use nalgebra::{SVector, Vector3};

use crate::base::BaseMotion;
use crate::leg::{JointVector, LegDynamics, PlacedBody, PlacedLeg};

/// Angular velocity and acceleration of a body, and the acceleration of its joint's point less gravity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyMotion {
    pub(crate) spin: Vector3<f64>,
    pub(crate) spin_rate: Vector3<f64>,
    pub(crate) acceleration: Vector3<f64>,
}

impl BodyMotion {
    #[inline]
    pub(crate) fn of_base(base: &BaseMotion) -> Self {
        Self { spin: base.angular_velocity, spin_rate: base.angular_acceleration, acceleration: base.specific_force() }
    }

    /// Motion of the next body out.
    #[inline]
    pub(crate) fn next(&self, body: &PlacedBody, speed: f64, acceleration: f64) -> Self {
        let Self { spin, spin_rate, acceleration: at } = self;
        Self {
            acceleration: at + spin_rate.cross(&body.arm) + spin.cross(&spin.cross(&body.arm)),
            spin_rate: spin_rate + spin.cross(&body.axis) * speed + body.axis * acceleration,
            spin: spin + body.axis * speed,
        }
    }
}

impl PlacedLeg {
    /// Joint torques, N m, that move the leg like this with nothing at its foot.
    #[inline]
    pub fn inverse_dynamics(&self, speeds: &LegAngles, accelerations: &LegAngles, base: &BaseMotion) -> JointVector {
        self.torques(&SVector::from(*speeds.padded()), &SVector::from(*accelerations.padded()), base)
    }

    #[inline]
    pub(crate) fn torques(&self, speeds: &JointVector, accelerations: &JointVector, base: &BaseMotion) -> JointVector {
        let mut wrenches = [(Vector3::zeros(), Vector3::zeros()); hexapod_kinematics::MAX_LEG_JOINTS];
        let mut motion = BodyMotion::of_base(base);
        let (speeds, accelerations) = (self.of_bodies(speeds), self.of_bodies(accelerations));
        let rates = speeds.iter().zip(&accelerations);
        for ((body, (speed, acceleration)), wrench) in self.bodies().zip(rates).zip(&mut wrenches) {
            motion = motion.next(body, *speed, *acceleration);
            *wrench = wrench_of(body, &motion);
        }
        let mut torques = JointVector::zeros();
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        let outwards = self.bodies().zip(&wrenches).zip(torques.iter_mut());
        for ((body, (own_force, own_moment)), torque) in outwards.rev() {
            force += own_force;
            moment += own_moment;
            *torque = body.axis.dot(&moment);
            moment += body.arm.cross(&force);
        }
        self.of_motors(torques)
    }
}

/// Force and moment about its joint's point that move a body like this.
#[inline]
fn wrench_of(body: &PlacedBody, motion: &BodyMotion) -> (Vector3<f64>, Vector3<f64>) {
    let BodyMotion { spin, spin_rate, acceleration } = motion;
    let inertia = &body.inertia;
    let force = acceleration * inertia.mass
        + spin_rate.cross(&inertia.first_moment)
        + spin.cross(&spin.cross(&inertia.first_moment));
    let moment =
        inertia.tensor * spin_rate + spin.cross(&(inertia.tensor * spin)) + inertia.first_moment.cross(acceleration);
    (force, moment)
}

impl LegDynamics {
    /// Joint torques, N m, that move the leg like this (rad, rad/s, rad/s²) with nothing at its foot. A force of the
    /// ground on the foot takes `J' force` off them.
    pub fn inverse_dynamics(
        &self,
        angles: &LegAngles,
        speeds: &LegAngles,
        accelerations: &LegAngles,
        base: &BaseMotion,
    ) -> JointVector {
        self.at(angles).inverse_dynamics(speeds, accelerations, base)
    }

    /// Joint torques, N m, that hold the leg still against gravity.
    pub fn gravity_torques(&self, angles: &LegAngles, base: &BaseMotion) -> JointVector {
        let still = JointVector::zeros();
        self.at(angles).torques(&still, &still, &BaseMotion::at_rest(base.gravity))
    }
}
