//! Whether a robot has fallen, which is not whether it leans or is low: it may have been commanded to.

use crate::body::corners;
use crate::engine::World;
use crate::ground::Ground;
use nalgebra::{Isometry3, Point3, Vector3};
use std::fmt;

/// A body that leans this much more than planned, rad, has fallen.
pub const FALLEN_RAD: f64 = std::f64::consts::FRAC_PI_4;
/// A belly that touches the ground lies on it where it was planned this much higher than the ground is rough, m.
const CLEAR_M: f64 = 0.01;
/// Fraction of the weight that a belly bears which touches the ground, and that bears one which lies on it, however
/// rough it is.
const TOUCHES: f64 = 0.02;
const LIES: f64 = 0.5;

/// How a robot has fallen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fall {
    /// It leans so much more than planned, rad.
    Leans(f64),
    /// It lies on its belly, which was planned so high, m.
    Lies(f64),
}

impl fmt::Display for Fall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leans(by_rad) => write!(f, "leans by {:.0} degrees", by_rad.to_degrees()),
            Self::Lies(planned_m) => write!(f, "lies on its belly, which was planned {:.0} mm high", 1e3 * planned_m),
        }
    }
}

/// Knows a robot and its ground, and so whether it has fallen.
#[derive(Clone, Debug)]
pub struct FallWatch {
    /// The corners of the boxes about the base's shapes, in its frame.
    belly: Vec<Point3<f64>>,
    roughness_m: f64,
}

impl FallWatch {
    /// Of the robot and the ground of a world.
    pub fn new(world: &World) -> Self {
        Self::on(world, world.ground())
    }

    /// Of the robot of a world, as on another ground.
    pub fn on(world: &World, ground: &Ground) -> Self {
        let shapes = world.assembly().parts.first().map_or(&[][..], |base| &base.shapes);
        Self { belly: shapes.iter().flat_map(corners).collect(), roughness_m: ground.roughness() }
    }

    /// How the robot has fallen, if it has; `planned` is where its base was to be over level ground.
    pub fn fall(&self, world: &World, planned: &Isometry3<f64>) -> Option<Fall> {
        let leans = lean_beyond(&world.base(), planned);
        if leans > FALLEN_RAD {
            return Some(Fall::Leans(leans));
        }
        let clear = self.belly.iter().map(|corner| (planned * corner).z).fold(f64::INFINITY, f64::min);
        // Rough ground may reach a belly that the feet bear.
        let part = if clear > self.roughness_m + CLEAR_M { TOUCHES } else { LIES };
        let lies = clear > CLEAR_M && bears(world) > part;
        lies.then_some(Fall::Lies(clear))
    }
}

/// Whether the ground bears the body itself.
pub fn on_its_belly(world: &World) -> bool {
    bears(world) > TOUCHES
}

/// Fraction of the weight that the ground bears at the body itself.
fn bears(world: &World) -> f64 {
    world.ground_force(0).norm() / (world.assembly().mass() * world.settings().gravity)
}

/// How much more a body leans than planned, rad.
pub fn lean_beyond(body: &Isometry3<f64>, planned: &Isometry3<f64>) -> f64 {
    let up = |pose: &Isometry3<f64>| pose.rotation.inverse() * Vector3::z();
    let (is, was) = (up(body), up(planned));
    hexapod_kinematics::math::atan2(is.cross(&was).norm(), is.dot(&was))
}
