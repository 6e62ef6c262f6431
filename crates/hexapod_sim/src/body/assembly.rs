//! The robot as rigid parts and hinges: data.

use hexapod_kinematics::Shape;
use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

/// A rigid body: a link that a moving joint carries (or the base), with all that is fixed to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Index of the link whose frame is the part's.
    pub link: usize,
    /// Mass, kg; zero where the description gives none.
    pub mass: f64,
    /// Centre of mass in the part's frame, m.
    pub centre: Vector3<f64>,
    /// Inertia about the centre of mass in the part's frame, kg m².
    pub inertia: Matrix3<f64>,
    /// What collides, in the part's frame.
    pub shapes: Vec<Shape>,
}

/// How a hinge moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HingeKind {
    /// It turns.
    Turning,
    /// It slides.
    Sliding,
}

/// A joint between two parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinge {
    /// Index of the joint in the model.
    pub joint: usize,
    /// The part it hangs on.
    pub parent: usize,
    /// The part it carries.
    pub child: usize,
    /// How it moves.
    pub kind: HingeKind,
    /// Pose of the joint's frame at position zero in the parent part's frame.
    pub parent_from_joint: Isometry3<f64>,
    /// Unit axis in the joint's frame.
    pub axis: Unit<Vector3<f64>>,
    /// Mechanical stops, rad or m; none where it turns without end.
    pub stops: Option<[f64; 2]>,
    /// Friction of the bearing, as the description gives it.
    pub friction: hexapod_kinematics::JointFriction,
    /// The hinge it copies: `position = multiplier * other + offset`.
    pub mimic: Option<(usize, f64, f64)>,
}

/// The foot of a leg: a point of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The part that carries it.
    pub part: usize,
    /// Where it is in the part's frame, m.
    pub point: Vector3<f64>,
}

/// The robot as rigid bodies: part 0 is the base, a part comes after the one that carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// The parts.
    pub parts: Vec<Part>,
    /// The hinges, in the order of the parts that they carry: hinge `i` carries part `i + 1`.
    pub hinges: Vec<Hinge>,
    /// The feet, in the order of the robot's legs.
    pub feet: Vec<Foot>,
    /// The hinges of the legs, leg by leg, hip first.
    pub legs: Vec<Vec<usize>>,
    /// The part that each link of the model belongs to, and the link's pose in the part's frame.
    pub links: Vec<Option<(usize, Isometry3<f64>)>>,
    /// What of the description is not simulated, one sentence each.
    pub notes: Vec<String>,
}

/// How many times the weight of its lightest leg a body may have: a robot that lies limp is then moved by less than 2 mm in
/// two seconds; with three times as much it turns by 50 degrees.
const MOST_FOR_LEG: f64 = 500.0;

/// Why a robot cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// No link has a mass.
    #[error("robot \"{robot}\" weighs nothing: give its links an <inertial>, or, in a table, its joints a `body`")]
    Weightless {
        /// Its name.
        robot: String,
    },
    /// Its body is so heavy for its legs that the engine, step by step, would make energy out of nothing.
    #[error(
        "the body of robot \"{robot}\" weighs {body_kg:.0} kg, its lightest leg {leg_kg:.3} kg: a body of more than {MOST_FOR_LEG:.0} \
         times the weight of a leg cannot be simulated; check the <mass> of both (kg)"
    )]
    HeavyForLegs {
        /// Its name.
        robot: String,
        /// What its body weighs, kg.
        body_kg: f64,
        /// What its lightest leg weighs, kg.
        leg_kg: f64,
    },
    /// The engine refused a joint.
    #[error("joint \"{joint}\" closes a loop or carries a link that another joint carries already")]
    Loop {
        /// Its name.
        joint: String,
    },
}

impl Assembly {
    /// Mass of all parts, kg.
    pub fn mass(&self) -> f64 {
        self.parts.iter().map(|part| part.mass).sum()
    }

    /// The weight of its body and of its lightest leg, kg, where that is too light to carry it; legs without any weight are
    /// all rotor.
    pub(super) fn heavy_for_legs(&self) -> Option<(f64, f64)> {
        let body_kg = self.parts.first()?.mass;
        let legs = self.legs.iter().map(|leg| leg.iter().filter_map(|&hinge| self.carried(hinge)).sum::<f64>());
        let leg_kg = legs.filter(|&leg| leg > 0.0).fold(f64::INFINITY, f64::min);
        (body_kg > MOST_FOR_LEG * leg_kg).then_some((body_kg, leg_kg))
    }

    fn carried(&self, hinge: usize) -> Option<f64> {
        Some(self.parts.get(self.hinges.get(hinge)?.child)?.mass)
    }
}
