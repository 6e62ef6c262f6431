//! Second pass: what `urdf-rs` read, checked part by part and turned into this crate's types.

use std::f64::consts::PI;

use nalgebra::{Unit, Vector3};
use urdf_rs::JointType;

use super::body;
use super::lines::{ElementLines, Lines};
use super::origin::pose;
use super::remarks::Remarks;
use super::virtual_root::VirtualRoot;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::loose::{LooseJoint, LooseMimic};
use crate::model::tree::Parts;
use crate::model::{JointFriction, JointKind, JointLimits, LimitChange, LimitsError};

/// How far the length of an axis may be from one without a word.
const AXIS_TOLERANCE: f64 = 0.01;
/// An angle, speed or torque beyond these is how an exporter writes that there is no limit.
const ENDLESS: [f64; 3] = [1e3, 1e6, 1e6];
/// Greatest torque that stands for none given, N m.
const ENDLESS_EFFORT: f64 = 1e3;
/// Speed of a continuous joint whose description gives none, rad/s: one turn a second.
const CONTINUOUS_VELOCITY: f64 = 2.0 * PI;

/// All parts of a robot.
pub(super) fn parts(robot: &urdf_rs::Robot, lines: &Lines, limits: &[LimitChange]) -> Result<Parts, ModelError> {
    let unknown = ElementLines::default();
    let mut parts = Parts { name: robot.name.clone(), links: Vec::new(), joints: Vec::new(), notes: Vec::new() };
    let mass = robot.links.iter().map(|link| link.inertial.mass.value).sum();
    let mut whole = body::Whole { mass, ..body::Whole::default() };
    let has_shape = |index: usize| match lines.shapes.as_ref().and_then(|shapes| shapes.get(index)) {
        Some(shapes) => !shapes.visuals.is_empty() || !shapes.collisions.is_empty(),
        None => robot.links.get(index).is_some_and(|link| !link.visual.is_empty() || !link.collision.is_empty()),
    };
    let above = VirtualRoot::of(robot, has_shape);
    parts.notes.extend(lines.stray.iter().cloned().chain(above.note()));
    for (i, link) in robot.links.iter().enumerate().filter(|(_, link)| !above.links.contains(&link.name)) {
        let shapes = lines.shapes.as_ref().and_then(|shapes| shapes.get(i)).cloned();
        parts.links.push(body::link(link, lines.links.get(i).unwrap_or(&unknown), shapes, &mut whole)?);
    }
    parts.notes.extend(whole.into_notes());
    let mut remarks = Remarks::default();
    for (i, joint) in robot.joints.iter().enumerate().filter(|(_, joint)| !above.joints.contains(&joint.name)) {
        let missing = lines.without_limits.get(i).cloned().flatten();
        let source = Source { joint, lines: lines.joints.get(i).unwrap_or(&unknown), missing, limits };
        parts.joints.push(source.convert(&mut remarks)?);
    }
    parts.notes.extend(remarks.into_notes("joints"));
    Ok(parts)
}

/// One joint of the text.
struct Source<'a> {
    joint: &'a urdf_rs::Joint,
    lines: &'a ElementLines,
    /// What to say of limits that are missing.
    missing: Option<ModelError>,
    /// What is said of limits elsewhere.
    limits: &'a [LimitChange],
}

impl Source<'_> {
    fn place(&self, tag: &str) -> Place {
        Place::named("joint", &self.joint.name, self.lines.line).on_line(self.lines.of(tag)).attribute(tag)
    }

    fn convert(&self, remarks: &mut Remarks) -> Result<LooseJoint, ModelError> {
        let kind = self.kind()?;
        let (limits, fault) = self.limits(kind, remarks);
        let axis = if kind == JointKind::Fixed { Vector3::x_axis() } else { self.axis(remarks)? };
        Ok(LooseJoint {
            name: self.joint.name.clone(),
            kind,
            parent: self.joint.parent.link.clone(),
            child: self.joint.child.link.clone(),
            parent_from_joint: pose(&self.joint.origin),
            axis,
            limits,
            mimic: self.joint.mimic.as_ref().map(|mimic| LooseMimic {
                joint: mimic.joint.clone(),
                multiplier: mimic.multiplier.unwrap_or(1.0),
                offset: mimic.offset.unwrap_or(0.0),
            }),
            friction: self
                .joint
                .dynamics
                .as_ref()
                .map_or(JointFriction::default(), |given| JointFriction::new(given.friction, given.damping)),
            fault: fault.map(Box::new),
            line: self.lines.line,
            ends: [self.lines.of("parent"), self.lines.of("child")],
        })
    }

    fn kind(&self) -> Result<JointKind, ModelError> {
        match self.joint.joint_type {
            JointType::Revolute => Ok(JointKind::Revolute),
            JointType::Continuous => Ok(JointKind::Continuous),
            JointType::Prismatic => Ok(JointKind::Prismatic),
            JointType::Fixed => Ok(JointKind::Fixed),
            JointType::Floating => {
                let hint = "a floating joint may only carry the body, on a root link that carries nothing else";
                Err(ModelError::new(ModelFault::JointKind, self.place("type"), "is floating", hint))
            }
            _ => {
                let hint = "write revolute, continuous, prismatic or fixed";
                Err(ModelError::new(ModelFault::JointKind, self.place("type"), "is not supported", hint))
            }
        }
    }

    fn axis(&self, remarks: &mut Remarks) -> Result<Unit<Vector3<f64>>, ModelError> {
        let axis = Vector3::from(self.joint.axis.xyz.0);
        let length = axis.norm();
        if (length - 1.0).abs() <= AXIS_TOLERANCE {
            return Ok(Unit::new_normalize(axis));
        }
        let place = self.place("axis");
        match Unit::try_new(axis, 1e-12) {
            None => {
                Err(ModelError::new(ModelFault::Axis, place, "has no direction", "write a unit vector, such as 0 0 1"))
            }
            Some(unit) => {
                let (x, y, z) = (unit.x, unit.y, unit.z);
                let name = &self.joint.name;
                remarks.add("axis", || {
                    format!("the axis of joint \"{name}\" has length {length}: {x:.6} {y:.6} {z:.6} is taken")
                });
                Ok(unit)
            }
        }
    }

    /// The limits, and why they cannot be where they cannot.
    fn limits(&self, kind: JointKind, remarks: &mut Remarks) -> (Option<JointLimits>, Option<ModelError>) {
        let given = self.bounded(kind, remarks);
        let limits = match kind {
            JointKind::Fixed => return (None, None),
            JointKind::Revolute | JointKind::Prismatic => given,
            JointKind::Continuous => {
                let velocity = if given.velocity > 0.0 { given.velocity } else { CONTINUOUS_VELOCITY };
                if velocity != given.velocity {
                    remarks.add("velocity", || {
                        let name = &self.joint.name;
                        format!(
                            "joint \"{name}\" is continuous and gives no velocity limit: one turn a second is assumed"
                        )
                    });
                }
                let effort = if given.effort.is_finite() { given.effort } else { 0.0 };
                JointLimits { lower: -PI, upper: PI, velocity, effort, ..given }
            }
        };
        // Published descriptions have joints of no speed or no range; what is said elsewhere may make up for that.
        let changes = self.limits.iter().filter(|change| change.is_for(&self.joint.name));
        let changed = || changes.fold(limits, |limits, change| change.put_into(&limits)).checked();
        match limits.checked().or_else(|error| changed().map_err(|_| error)) {
            Ok(limits) => (Some(limits), None),
            Err(error) => (Some(limits), Some(self.missing.clone().unwrap_or_else(|| self.refused(error)))),
        }
    }

    fn refused(&self, error: LimitsError) -> ModelError {
        let text = error.to_string();
        let (found, hint) = text.split_once("; ").unwrap_or((&text, "correct the limit"));
        let place = self.place("limit").attribute(format!("limit {}", error.limit()));
        ModelError::new(ModelFault::Limits, place, found, hint)
    }

    /// The limits as they are written, but for numbers that stand for no limit.
    fn bounded(&self, kind: JointKind, remarks: &mut Remarks) -> JointLimits {
        let given = self.given_limits();
        let [angle, speed, torque] = ENDLESS;
        let turns = matches!(kind, JointKind::Revolute);
        let end = |value: f64, to: f64, most: f64| if value.abs() > most { to } else { value };
        let bounded = JointLimits {
            lower: if turns { end(given.lower, PI.copysign(given.lower), angle) } else { given.lower },
            upper: if turns { end(given.upper, PI.copysign(given.upper), angle) } else { given.upper },
            velocity: end(given.velocity, CONTINUOUS_VELOCITY.copysign(given.velocity), speed),
            effort: end(given.effort, ENDLESS_EFFORT.copysign(given.effort), torque),
            ..given
        };
        if bounded != given {
            let name = &self.joint.name;
            let JointLimits { lower, upper, velocity, effort, .. } = bounded;
            remarks.add("endless", || {
                format!(
                    "joint \"{name}\" has a limit that no motor has: {lower:.4} to {upper:.4} rad, {velocity:.2} rad/s, \
                     {effort} N m are taken; give the motor's under limits in robot.yaml"
                )
            });
        }
        bounded
    }

    /// The limits as they are written, not checked.
    fn given_limits(&self) -> JointLimits {
        let given = &self.joint.limit;
        JointLimits {
            lower: given.lower,
            upper: given.upper,
            velocity: given.velocity,
            effort: given.effort,
            acceleration: Some(given.acceleration).filter(|a| a.is_finite()),
        }
    }
}
