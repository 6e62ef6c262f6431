//! One leg: a chain of revolute joints from the body to the foot.

mod ball;
mod coupling;
mod derivatives;
mod shape;

use nalgebra::{Isometry3, SMatrix, Vector3};

pub use ball::Ball;
pub use coupling::CouplingMatrix;
pub use derivatives::Matrix6xN;

use crate::angles::{LegAngles, MAX_LEG_JOINTS};
use crate::chain::{Chain, LegJoint, Matrix3xN, Screw};
use crate::closed_form::{Range, Solver};
use crate::model::JointLimits;
use coupling::Coupling;

/// A leg: joints from the hip outwards, and a foot, which is a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    pub(crate) name: String,
    pub(crate) joints: Vec<LegJoint>,
    /// What mimics them, if anything does.
    pub(crate) coupling: Option<Box<Coupling>>,
    pub(crate) foot_link: usize,
    pub(crate) tip: Isometry3<f64>,
    pub(crate) foot_reason: String,
    pub(crate) ball: Option<Ball>,
    pub(crate) chain: Chain,
    /// Limits of the joints, side by side for the inverse; unused ones are not used.
    pub(crate) ranges: [Range; MAX_LEG_JOINTS],
    pub(crate) home: LegAngles,
    pub(crate) posture: LegAngles,
    pub(crate) solver: Solver,
}

impl Leg {
    /// A leg of these moving joints, hip first, with the foot at the origin of `tip`, a pose in the last joint's frame.
    pub(crate) fn new(name: String, moving: Vec<LegJoint>, foot_link: usize, tip: Isometry3<f64>) -> Self {
        let chain = Chain::new(&moving, &tip);
        let (joints, coupling) = Coupling::split(moving);
        let home = LegAngles::from_fn(joints.len(), |i| joints.get(i).map_or(0.0, |j| j.limits.clamp(0.0)));
        let posture = LegAngles::from_fn(joints.len(), |i| joints.get(i).map_or(0.0, |j| j.limits.middle()));
        let ranges = std::array::from_fn(|i| joints.get(i).map_or(Range::default(), |j| Range::new(&j.limits)));
        let solver = if coupling.is_none() { Solver::new(&chain) } else { Solver::Iteration };
        let ranges = if let Solver::Parallel(parallel) = &solver { parallel.ranges(ranges) } else { ranges };
        let (foot_reason, ball) = (String::new(), None);
        Self { name, joints, coupling, foot_link, tip, foot_reason, ball, chain, ranges, home, posture, solver }
    }

    /// The same leg in another body frame, `body_from_frame` being its pose in the present one.
    pub(crate) fn in_frame(&self, body_from_frame: &Isometry3<f64>) -> Self {
        if *body_from_frame == Isometry3::identity() {
            return self.clone();
        }
        let mut moving = self.moving().to_vec();
        if let Some(first) = moving.first_mut() {
            first.origin = body_from_frame.inv_mul(&first.origin);
        }
        let leg = Self::new(self.name.clone(), moving, self.foot_link, self.tip);
        Self { posture: self.posture, foot_reason: self.foot_reason.clone(), ball: self.ball, ..leg }
    }

    /// The same leg with other limits of its joints.
    pub(crate) fn with_limits(&self, limits: impl Fn(&LegJoint) -> JointLimits) -> Self {
        let changed = |joint: &LegJoint| if joint.mimics.is_none() { limits(joint) } else { joint.limits };
        let moving = self.moving().iter().map(|joint| LegJoint { limits: changed(joint), ..joint.clone() });
        let mut leg = Self::new(self.name.clone(), moving.collect(), self.foot_link, self.tip);
        leg.set_posture(&self.posture);
        Self { foot_reason: self.foot_reason.clone(), ball: self.ball, ..leg }
    }

    /// Name, unique among the legs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Joints that have motors, hip first.
    pub fn joints(&self) -> &[LegJoint] {
        &self.joints
    }

    /// How many joints with motors it has, 3 to [`MAX_LEG_JOINTS`].
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// All joints that move, hip first: those that mimic others, too.
    pub fn moving(&self) -> &[LegJoint] {
        self.coupling.as_ref().map_or(&self.joints, |coupling| &coupling.moving)
    }

    /// How the moving joints turn with those that have motors; none where all have.
    pub fn coupling(&self) -> Option<&CouplingMatrix> {
        self.coupling.as_ref().map(|coupling| &coupling.matrix)
    }

    /// By how much each of the [moving joints](Self::moving) is turned at these angles of the leg's joints, offsets aside,
    /// which are in their origins.
    pub fn turns(&self, angles: &LegAngles) -> LegAngles {
        self.coupling.as_ref().map_or(*angles, |coupling| coupling.turned(angles))
    }

    /// The chain at these angles.
    pub(crate) fn placed(&self, angles: &LegAngles) -> Chain {
        match &self.coupling {
            None => self.chain.placed(angles.padded()),
            Some(coupling) => self.chain.placed(&coupling.turns(angles.padded())),
        }
    }

    /// The screws of the joints with motors, of a chain of this leg.
    pub(crate) fn motors<'a>(&'a self, placed: &'a Chain) -> impl Iterator<Item = &'a Screw> {
        let has_motor = |place: usize| self.coupling.as_ref().is_none_or(|coupling| coupling.motors.contains(&place));
        placed.screws().iter().enumerate().filter(move |(place, _)| has_motor(*place)).map(|(_, screw)| screw)
    }

    /// Columns of joints with motors, from columns of all that move.
    pub(crate) fn folded<const R: usize>(
        &self,
        all: SMatrix<f64, R, MAX_LEG_JOINTS>,
    ) -> SMatrix<f64, R, MAX_LEG_JOINTS> {
        match &self.coupling {
            None => all,
            Some(coupling) => all * coupling.matrix,
        }
    }

    /// Index of the link in [`Model::links`](crate::Model::links) that carries the foot.
    pub fn foot_link(&self) -> usize {
        self.foot_link
    }

    /// Why the foot is taken to be where it is, in words.
    pub fn foot_reason(&self) -> &str {
        &self.foot_reason
    }

    /// Pose of the foot's frame in the frame of the last joint.
    pub fn tip(&self) -> &Isometry3<f64> {
        &self.tip
    }

    /// Zero angles, moved into the limits.
    pub fn home(&self) -> LegAngles {
        self.home
    }

    /// A natural posture, and the one that a redundant leg prefers: the middle of the limits, or a bent pose where the
    /// leg is stretched out there; unless it is set.
    pub fn posture(&self) -> LegAngles {
        self.posture
    }

    /// Sets the posture, moved into the limits. The inverse of a leg of three joints does not depend on it.
    pub fn set_posture(&mut self, posture: &LegAngles) {
        self.posture = self.clamp(posture);
    }

    /// The foot in the body frame, m. Angles that are missing count as zero; angles that are not finite give a
    /// result that is not finite.
    pub fn foot_in_body(&self, angles: &LegAngles) -> Vector3<f64> {
        match &self.coupling {
            None => self.chain.foot(angles.padded()),
            Some(coupling) => self.chain.foot(&coupling.turns(angles.padded())),
        }
    }

    /// The origins of the joints that move, hip first, and last the foot, m in the body frame: the lines of the leg's links.
    pub fn bends(&self, angles: &LegAngles) -> impl Iterator<Item = Vector3<f64>> {
        let foot = self.foot_in_body(angles);
        let placed = self.placed(angles);
        let origins =
            (0..self.moving().len()).filter_map(move |joint| placed.screws().get(joint).map(|screw| screw.point));
        origins.chain(std::iter::once(foot))
    }

    /// The ball that the foot stands on, if the description's collision shapes have one there.
    pub fn ball(&self) -> Option<&Ball> {
        self.ball.as_ref()
    }

    /// How high the foot's point is above the level ground that its ball stands on, m, with `up` as a unit vector in the
    /// body frame: the ball's radius, where the point is its centre. Zero without a ball.
    pub fn foot_above_ground(&self, angles: &LegAngles, up: &Vector3<f64>) -> f64 {
        let of = |ball: &Ball| ball.below(&self.tip.translation.vector, self.moving(), self.turns(angles).padded(), up);
        self.ball.as_ref().map_or(0.0, of)
    }

    /// Jacobian of the foot in the body frame.
    pub fn jacobian(&self, angles: &LegAngles) -> Matrix3xN {
        self.folded(self.placed(angles).placed_jacobian())
    }

    /// Origin of the first moving joint in the body frame, m.
    pub fn hip_in_body(&self) -> Vector3<f64> {
        self.moving().first().map_or_else(Vector3::zeros, |j| j.origin.translation.vector)
    }

    /// Greatest distance from the hip that the joints could reach, m: the sum of the link lengths.
    pub fn length(&self) -> f64 {
        let between: f64 = self.moving().iter().skip(1).map(|j| j.origin().translation.vector.norm()).sum();
        (between + self.tip().translation.vector.norm()).max(1e-3)
    }

    /// `angles` moved into the limits; a NaN becomes the position of the range nearest to zero.
    pub fn clamp(&self, angles: &LegAngles) -> LegAngles {
        LegAngles::from_fn(self.joints.len(), |i| {
            let angle = angles.get(i).copied().unwrap_or(0.0);
            self.joints.get(i).map_or(angle, |j| j.limits.clamp(angle))
        })
    }

    /// True when every joint has an angle inside its limits.
    pub fn within_limits(&self, angles: &LegAngles) -> bool {
        angles.len() == self.joints.len() && self.joints.iter().zip(angles.iter()).all(|(j, a)| j.limits.contains(*a))
    }
}
