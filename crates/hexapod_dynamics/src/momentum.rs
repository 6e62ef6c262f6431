//! Generalised momentum of a leg, and its rate but for joint torques and foot force.
//!
//! Seen from a frame that moves with the body's origin and does not turn, joint `i` has the momentum `p_i = S_i . h_i`:
//! `h_i` is the momentum of all that the joint carries, `S_i` its axis. In that frame
//! `p_i' = torque_i + (J' force)_i + S_i . G_i + (v_i x S_i) . h_i`, with `G_i` the weight of what it carries (under
//! gravity less the origin's acceleration) and `v_i` the motion of its link. The last term is `C' q'` of a body at rest
//! (De Luca & Mattone 2003) and needs neither `C` nor any derivative.

use hexapod_kinematics::LegAngles;
use nalgebra::Vector3;

use crate::base::BaseMotion;
use crate::leg::{JointVector, PlacedLeg};

/// Momentum of the joints, and its rate with no torques and no force at the foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// N m s.
    pub momentum: JointVector,
    /// N m.
    pub free_rate: JointVector,
}

/// Velocity of a body at its joint's point, and its momentum about that point.
#[derive(Clone, Copy)]
struct Moving {
    spin: Vector3<f64>,
    velocity: Vector3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl PlacedLeg {
    /// The momentum at these joint speeds, rad/s. It needs no acceleration but that of the body's origin.
    #[inline]
    pub fn momentum(&self, speeds: &LegAngles, base: &BaseMotion) -> Momentum {
        let moving = self.moving(speeds, &base.angular_velocity);
        let mut out = Momentum { momentum: JointVector::zeros(), free_rate: JointVector::zeros() };
        let weight = -base.specific_force();
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        let (mut mass, mut first_moment) = (0.0, Vector3::zeros());
        let bodies = self.bodies().zip(&moving);
        let results = out.momentum.iter_mut().zip(out.free_rate.iter_mut());
        for ((body, own), (momentum, free_rate)) in bodies.zip(results).rev() {
            linear += own.linear;
            angular += own.angular;
            mass += body.inertia.mass;
            first_moment += body.inertia.first_moment;
            *momentum = body.axis.dot(&angular);
            *free_rate = body.axis.dot(&first_moment.cross(&weight))
                + own.spin.cross(&body.axis).dot(&angular)
                + own.velocity.cross(&body.axis).dot(&linear);
            angular += body.arm.cross(&linear);
            first_moment += body.arm * mass;
        }
        Momentum { momentum: self.of_motors(out.momentum), free_rate: self.of_motors(out.free_rate) }
    }

    #[inline]
    fn moving(&self, speeds: &LegAngles, base_spin: &Vector3<f64>) -> [Moving; hexapod_kinematics::MAX_LEG_JOINTS] {
        let zero = Vector3::zeros();
        let still = Moving { spin: zero, velocity: zero, linear: zero, angular: zero };
        let mut moving = [still; hexapod_kinematics::MAX_LEG_JOINTS];
        let (mut spin, mut velocity) = (*base_spin, zero);
        let speeds = self.of_bodies(&JointVector::from(*speeds.padded()));
        for ((body, speed), out) in self.bodies().zip(&speeds).zip(&mut moving) {
            velocity += spin.cross(&body.arm);
            spin += body.axis * *speed;
            let inertia = &body.inertia;
            *out = Moving {
                spin,
                velocity,
                linear: velocity * inertia.mass + spin.cross(&inertia.first_moment),
                angular: inertia.tensor * spin + inertia.first_moment.cross(&velocity),
            };
        }
        moving
    }
}
