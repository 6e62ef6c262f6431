//! Position, velocity and acceleration of the points of a limb.
//!
//! The limb frame is the first joint's frame at angle zero: it is fixed to the body. The points are the joints' points
//! (A, B, C of a three-joint limb) and the foot.

use nalgebra::{Isometry3, Rotation3, Vector3};

use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::chain::turn;
use crate::leg::Leg;

/// Most points of a limb: its joints and its foot.
pub const MAX_LIMB_POINTS: usize = MAX_LEG_JOINTS + 1;

/// Motion of a point seen from one frame: m, m/s, m/s².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointMotion {
    /// Position.
    pub position: Vector3<f64>,
    /// Velocity.
    pub velocity: Vector3<f64>,
    /// Acceleration.
    pub acceleration: Vector3<f64>,
}

/// Motion of an inner frame seen from an outer one, all vectors in the outer frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameMotion {
    /// Pose of the inner frame.
    pub outer_from_inner: Isometry3<f64>,
    /// Velocity of its origin, m/s.
    pub velocity: Vector3<f64>,
    /// Acceleration of its origin, m/s².
    pub acceleration: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Angular acceleration, rad/s².
    pub angular_acceleration: Vector3<f64>,
}

impl FrameMotion {
    /// A frame at rest.
    pub fn at_rest(outer_from_inner: Isometry3<f64>) -> Self {
        let zero = Vector3::zeros();
        Self {
            outer_from_inner,
            velocity: zero,
            acceleration: zero,
            angular_velocity: zero,
            angular_acceleration: zero,
        }
    }
}

impl PointMotion {
    /// The same point seen from the outer frame: carried along, plus Coriolis and centripetal acceleration.
    pub fn seen_from_outer(&self, frame: &FrameMotion) -> Self {
        let turned = frame.outer_from_inner.rotation;
        let (arm, velocity) = (turned * self.position, turned * self.velocity);
        let (w, dw) = (&frame.angular_velocity, &frame.angular_acceleration);
        Self {
            position: arm + frame.outer_from_inner.translation.vector,
            velocity: frame.velocity + w.cross(&arm) + velocity,
            acceleration: frame.acceleration
                + dw.cross(&arm)
                + w.cross(&w.cross(&arm))
                + 2.0 * w.cross(&velocity)
                + turned * self.acceleration,
        }
    }
}

/// A point that a limb does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limb has points 0..{count}, and {index} was asked for")]
pub struct LimbError {
    /// The index asked for.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

/// Motion of all points of a limb in its frame, and the attitude of its last link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbMotion {
    points: [PointMotion; MAX_LIMB_POINTS],
    len: usize,
    limb_from_last_link: Rotation3<f64>,
}

impl LimbMotion {
    /// Motion of a point: joint `index`, or the foot at the index after the last joint.
    ///
    /// # Errors
    /// [`LimbError`] when there is no such point.
    pub fn point(&self, index: usize) -> Result<PointMotion, LimbError> {
        let error = LimbError { index, count: self.len };
        self.points.get(index).filter(|_| index < self.len).copied().ok_or(error)
    }

    /// Motion of the foot.
    pub fn foot(&self) -> PointMotion {
        self.points.get(self.len.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// All points seen from the frame that the limb frame moves in.
    pub fn seen_from_outer(&self, limb: &FrameMotion) -> Self {
        let mut seen = *self;
        seen.points.iter_mut().take(self.len).for_each(|p| *p = p.seen_from_outer(limb));
        seen.limb_from_last_link = limb.outer_from_inner.rotation.to_rotation_matrix() * self.limb_from_last_link;
        seen
    }

    /// Rotation from the last link's frame to the limb frame (to the outer frame after
    /// [`LimbMotion::seen_from_outer`]).
    pub fn limb_from_last_link(&self) -> Rotation3<f64> {
        self.limb_from_last_link
    }
}

impl Leg {
    /// Pose of the limb frame in the body frame.
    pub fn body_from_limb(&self) -> Isometry3<f64> {
        self.moving().first().map_or_else(Isometry3::identity, |j| *j.origin())
    }

    /// Motion of the leg's points in its limb frame at these joint angles (rad), speeds (rad/s) and accelerations
    /// (rad/s²).
    pub fn limb_motion(&self, angles: &LegAngles, speeds: &LegAngles, accelerations: &LegAngles) -> LimbMotion {
        let mut motion = LimbMotion {
            points: [PointMotion::default(); MAX_LIMB_POINTS],
            len: self.moving().len() + 1,
            limb_from_last_link: Rotation3::identity(),
        };
        let [angles, speeds, accelerations] = [angles, speeds, accelerations].map(|of| self.turns(of));
        let rates = angles.padded().iter().zip(speeds.padded()).zip(accelerations.padded());
        let (mut spin, mut spin_rate) = (Vector3::zeros(), Vector3::zeros());
        let (mut at, mut origin) = (Rotation3::identity(), PointMotion::default());
        for (i, (joint, ((angle, speed), acceleration))) in self.moving().iter().zip(rates).enumerate() {
            if i > 0 {
                origin = carried(&origin, &(at * joint.origin().translation.vector), &spin, &spin_rate);
                at *= joint.origin().rotation.to_rotation_matrix();
            }
            let axis = at * joint.axis().into_inner();
            spin_rate += axis * *acceleration + spin.cross(&axis) * *speed;
            spin += axis * *speed;
            at *= Rotation3::from_axis_angle(&joint.axis(), *angle);
            if let Some(point) = motion.points.get_mut(i) {
                *point = origin;
            }
        }
        if let Some(foot) = motion.points.get_mut(self.moving().len()) {
            *foot = carried(&origin, &(at * self.tip().translation.vector), &spin, &spin_rate);
        }
        motion.limb_from_last_link = at;
        motion
    }

    /// Points of the joints and the foot in the body frame, hip first, m; entries past the foot are the foot.
    pub fn points_in_body(&self, angles: &LegAngles) -> [Vector3<f64>; MAX_LIMB_POINTS] {
        let mut points = [self.foot_in_body(angles); MAX_LIMB_POINTS];
        let (screws, turns) = (self.chain.screws(), self.turns(angles));
        for (i, point) in points.iter_mut().enumerate().take(screws.len()) {
            let Some(screw) = screws.get(i) else { continue };
            let before = screws.iter().zip(turns.padded()).take(i).rev();
            *point = before.fold(screw.point, |p, (s, angle)| s.point + turn(&s.axis, *angle, &(p - s.point)));
        }
        points
    }
}

/// Motion of a point fixed to a body that turns: `arm` away from a point whose motion is known.
fn carried(from: &PointMotion, arm: &Vector3<f64>, spin: &Vector3<f64>, spin_rate: &Vector3<f64>) -> PointMotion {
    PointMotion {
        position: from.position + arm,
        velocity: from.velocity + spin.cross(arm),
        acceleration: from.acceleration + spin_rate.cross(arm) + spin.cross(&spin.cross(arm)),
    }
}
