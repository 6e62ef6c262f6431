//! Robots from Denavit-Hartenberg parameters (S4).
//!
//! The structs are as they stand in YAML; [`Robot::from_dh`] checks them and builds the same types as a URDF does.
//! Standard (distal, Denavit & Hartenberg 1955): `Rz(theta) Tz(d) Tx(a) Rx(alpha)`. Modified (proximal, Craig 1986):
//! `Rx(alpha) Tx(a) Rz(theta) Tz(d)`. The joint's angle is added to `theta`.
//!
//! ```yaml
//! name: robot
//! convention: standard
//! legs:
//!   - name: left_front
//!     base: { xyz: [0.1, 0.06, 0.0], rpy: [0.0, 0.0, 0.785] }
//!     joints:
//!       - { name: left_front_coxa, a: 0.052, alpha: 1.5707963267948966, d: 0.0, theta: 0.0,
//!           lower: -0.9, upper: 0.9, velocity: 5.0, effort: 1.5 }
//! ```

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::error::{ModelError, ModelFault, Place};
use crate::legs::{LegOptions, LegSpec, Robot};
use crate::model::loose::LooseJoint;
use crate::model::tree::{self, Parts};
use crate::model::{Inertial, JointFriction, JointKind, JointLimits, Link, Model};
use crate::urdf::{MOST_TURNS_RAD, degrees_hint};

/// The largest length (m) or angle (rad) that is taken, so that sums and squares stay finite.
const LARGEST: f64 = 1e6;

/// Which of the two orders of a joint's four steps the table means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DhConvention {
    /// `Rz(theta) Tz(d) Tx(a) Rx(alpha)`.
    Standard,
    /// `Rx(alpha) Tx(a) Rz(theta) Tz(d)`.
    Modified,
}

/// A robot in Denavit-Hartenberg parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DhRobot {
    /// Its name.
    pub name: String,
    /// Name of the base link.
    #[serde(default = "base_link")]
    pub base_link: String,
    /// What the table means.
    pub convention: DhConvention,
    /// Its legs.
    pub legs: Vec<DhLeg>,
}

/// One leg.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a leg such as {name: left_front, joints: [...]}")]
pub struct DhLeg {
    /// Its name.
    pub name: String,
    /// Where frame 0 is in the body.
    #[serde(default)]
    pub base: DhPose,
    /// Joints, hip first.
    pub joints: Vec<DhJoint>,
    /// Where the foot is in the frame after the last joint.
    #[serde(default)]
    pub foot: DhPose,
}

/// A pose: m, and rad as in a URDF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, expecting = "a pose such as {xyz: [0.1, 0.0, 0.0], rpy: [0.0, 0.0, 0.0]}")]
pub struct DhPose {
    /// Translation, m.
    pub xyz: [f64; 3],
    /// Roll, pitch, yaw about the fixed axes, rad.
    pub rpy: [f64; 3],
}

/// One joint and the link it carries.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a joint such as {name: hip, a: 0.05, alpha: 1.5708, lower: -0.8, upper: 0.8, velocity: 5.0, effort: 1.5}"
)]
pub struct DhJoint {
    /// Name of the joint.
    pub name: String,
    /// Length along x, m.
    pub a: f64,
    /// Twist about x, rad.
    pub alpha: f64,
    /// Offset along z, m.
    #[serde(default)]
    pub d: f64,
    /// Angle about z at position zero, rad.
    #[serde(default)]
    pub theta: f64,
    /// Least angle, rad.
    pub lower: f64,
    /// Greatest angle, rad.
    pub upper: f64,
    /// Greatest speed, rad/s.
    pub velocity: f64,
    /// Greatest torque, N m.
    pub effort: f64,
    /// Greatest acceleration, rad/s².
    #[serde(default)]
    pub acceleration: Option<f64>,
    /// Mass properties of the link it carries, in the joint's frame (z along the joint, x at position zero of theta).
    #[serde(default)]
    pub body: Option<DhBody>,
}

/// Mass properties.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DhBody {
    /// kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: [f64; 3],
    /// `[ixx, ixy, ixz, iyy, iyz, izz]` about the centre of mass, kg m².
    pub inertia: [f64; 6],
}

fn base_link() -> String {
    "base_link".to_owned()
}

impl DhRobot {
    /// The legs by the links that [`Robot::from_dh`] gives them, in the order of the table.
    #[must_use]
    pub fn leg_specs(&self) -> Vec<LegSpec> {
        self.legs.iter().map(|leg| LegSpec { name: leg.name.clone(), foot_link: foot_link(leg) }).collect()
    }

    /// The links and joints of the table; each joint carries the link `<joint>_link`, each foot is the link `<leg>_foot`.
    ///
    /// # Errors
    /// As [`Robot::from_dh`], of all but the legs.
    pub fn model(&self) -> Result<Model, ModelError> {
        let mut parts =
            Parts { name: self.name.clone(), links: vec![bare(&self.base_link)], joints: vec![], notes: vec![] };
        for leg in &self.legs {
            add_leg(self, leg, &mut parts)?;
        }
        if self.legs.is_empty() {
            let place = Place::element("legs", None);
            return Err(ModelError::new(ModelFault::Legs, place, "is empty", "give 3 to 8 legs"));
        }
        tree::assemble(parts)
    }
}

impl Robot {
    /// Builds a robot from Denavit-Hartenberg parameters; legs keep the order of the table.
    ///
    /// # Errors
    /// [`ModelError`] naming leg, joint and parameter for numbers that are not finite, limits without a range, names
    /// used twice, bodies that cannot be; and for fewer than 3 or more than 8 legs.
    pub fn from_dh(table: &DhRobot) -> Result<Self, ModelError> {
        let options = LegOptions { legs: table.leg_specs(), ..LegOptions::default() };
        Self::from_model(table.model()?, &options)
    }
}

fn foot_link(leg: &DhLeg) -> String {
    format!("{}_foot", leg.name)
}

fn bare(name: &str) -> Link {
    Link { name: name.to_owned(), inertial: None, visuals: vec![], collisions: vec![], line: None }
}

fn add_leg(table: &DhRobot, leg: &DhLeg, parts: &mut Parts) -> Result<(), ModelError> {
    let mut parent = table.base_link.clone();
    let mut pending = pose(&leg.base, &leg.name, "base")?;
    for joint in &leg.joints {
        check_finite(leg, joint)?;
        let (before, after) = steps(table.convention, joint);
        let child = format!("{}_link", joint.name);
        parts.links.push(Link { inertial: body(leg, joint)?, ..bare(&child) });
        parts.joints.push(LooseJoint {
            name: joint.name.clone(),
            kind: JointKind::Revolute,
            parent: parent.clone(),
            child: child.clone(),
            parent_from_joint: pending * before,
            axis: Vector3::z_axis(),
            limits: Some(limits(leg, joint)?),
            mimic: None,
            friction: JointFriction::default(),
            fault: None,
            line: None,
            ends: [None; 2],
        });
        pending = after;
        parent = child;
    }
    let foot = foot_link(leg);
    parts.links.push(bare(&foot));
    parts.joints.push(LooseJoint {
        name: format!("{foot}_joint"),
        kind: JointKind::Fixed,
        parent,
        child: foot,
        parent_from_joint: pending * pose(&leg.foot, &leg.name, "foot")?,
        axis: Vector3::z_axis(),
        limits: None,
        mimic: None,
        friction: JointFriction::default(),
        fault: None,
        line: None,
        ends: [None; 2],
    });
    Ok(())
}

/// What comes before and after the joint's turn about its z; `theta` is turned before.
fn steps(convention: DhConvention, joint: &DhJoint) -> (Isometry3<f64>, Isometry3<f64>) {
    let theta = Isometry3::rotation(Vector3::z() * joint.theta);
    let along_x = Isometry3::from_parts(
        Translation3::new(joint.a, 0.0, 0.0),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), joint.alpha),
    );
    let along_z = Isometry3::translation(0.0, 0.0, joint.d);
    match convention {
        DhConvention::Standard => (theta, along_z * along_x),
        DhConvention::Modified => (along_x * theta, along_z),
    }
}

fn place(leg: &DhLeg, joint: &DhJoint, what: &str) -> Place {
    Place::element(format!("leg \"{}\" joint \"{}\"", leg.name, joint.name), None).attribute(what)
}

fn check_finite(leg: &DhLeg, joint: &DhJoint) -> Result<(), ModelError> {
    let parameters = [("a", joint.a), ("alpha", joint.alpha), ("d", joint.d), ("theta", joint.theta)];
    let refuse = |what: &str, value: f64, hint: String| {
        Err(ModelError::new(ModelFault::NotFinite, place(leg, joint, what), format!("is {value}"), hint))
    };
    for (what, value) in parameters {
        if !value.is_finite() || value.abs() > LARGEST {
            return refuse(what, value, "write a finite number".to_owned());
        }
        if matches!(what, "alpha" | "theta") && value.abs() > MOST_TURNS_RAD {
            return refuse(what, value, degrees_hint(value));
        }
    }
    Ok(())
}

fn limits(leg: &DhLeg, joint: &DhJoint) -> Result<JointLimits, ModelError> {
    JointLimits::try_new(joint.lower, joint.upper, joint.velocity, joint.effort, joint.acceleration).map_err(|error| {
        let text = error.to_string();
        let (found, hint) = text.split_once("; ").unwrap_or((&text, "correct the limit"));
        ModelError::new(ModelFault::Limits, place(leg, joint, error.limit()), found, hint)
    })
}

fn pose(given: &DhPose, leg: &str, what: &str) -> Result<Isometry3<f64>, ModelError> {
    if !given.xyz.iter().chain(&given.rpy).all(|x| x.is_finite() && x.abs() <= LARGEST) {
        let place = Place::element(format!("leg \"{leg}\""), None).attribute(what);
        return Err(ModelError::new(
            ModelFault::NotFinite,
            place,
            "is not finite or too large",
            "write finite numbers",
        ));
    }
    if let Some(angle) = given.rpy.iter().find(|angle| angle.abs() > MOST_TURNS_RAD) {
        let place = Place::element(format!("leg \"{leg}\""), None).attribute(what);
        return Err(ModelError::new(
            ModelFault::NotFinite,
            place,
            format!("is turned by {angle}"),
            degrees_hint(*angle),
        ));
    }
    let ([x, y, z], [roll, pitch, yaw]) = (given.xyz, given.rpy);
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw)))
}

fn body(leg: &DhLeg, joint: &DhJoint) -> Result<Option<Inertial>, ModelError> {
    let Some(body) = &joint.body else { return Ok(None) };
    let [ixx, ixy, ixz, iyy, iyz, izz] = body.inertia;
    let inertia = Matrix3::new(ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz);
    let finite = body.centre.iter().chain(&body.inertia).all(|x| x.is_finite()) && body.mass.is_finite();
    if !finite || body.mass <= 0.0 || inertia.symmetric_eigenvalues().min() < -1e-3 * inertia.amax() {
        let hint = "write a mass above zero and an inertia with positive principal moments";
        let found = "is not that of a body";
        return Err(ModelError::new(ModelFault::Inertia, place(leg, joint, "body"), found, hint));
    }
    let [x, y, z] = body.centre;
    Ok(Some(Inertial { link_from_inertial: Isometry3::translation(x, y, z), mass: body.mass, inertia }))
}
