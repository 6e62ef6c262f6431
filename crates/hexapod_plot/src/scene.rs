//! From a URDF and joint positions to primitives placed in the root link's frame.

use crate::error::PlotError;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use std::collections::BTreeMap;
use urdf_rs::{Geometry, Joint, JointType, Pose, Robot, Visual};

/// A solid, centred on its own frame. Lengths in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Edge lengths along x, y, z.
    Box {
        /// Edge lengths (m).
        size: Vector3<f64>,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length along z (m).
        length: f64,
    },
    /// A ball.
    Sphere {
        /// Radius (m).
        radius: f64,
    },
}

/// A solid with its place in the root link's frame and its colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// The solid.
    pub shape: Shape,
    /// From the solid's frame to the root link's.
    pub pose: Isometry3<f64>,
    /// sRGB and opacity, each 0..=1. Opacity 0 is not drawn; anything else is drawn solid.
    pub rgba: [f64; 4],
}

const NO_MATERIAL: [f64; 4] = [0.7, 0.7, 0.7, 1.0];

/// Every visual of the robot that is a box, a cylinder, a capsule (drawn as a cylinder) or a sphere. Meshes are left out.
///
/// # Errors
/// See [`link_poses`].
pub fn place_visuals(robot: &Robot, positions: &[(&str, f64)]) -> Result<Vec<Placed>, PlotError> {
    let poses = link_poses(robot, positions)?;
    let placed = robot.links.iter().flat_map(|link| {
        let link_pose = poses.get(link.name.as_str()).copied();
        link.visual.iter().filter_map(move |visual| {
            Some(Placed {
                shape: shape_of(&visual.geometry)?,
                pose: link_pose? * isometry(&visual.origin),
                rgba: colour_of(robot, visual),
            })
        })
    });
    Ok(placed.collect())
}

/// The pose of every link in the root link's frame. Joints not named are at zero.
///
/// # Errors
/// A position for an unknown joint, a position that is not finite, a movable joint without an axis, or a link that does
/// not hang on the root.
pub fn link_poses<'r>(
    robot: &'r Robot,
    positions: &[(&str, f64)],
) -> Result<BTreeMap<&'r str, Isometry3<f64>>, PlotError> {
    check_positions(robot, positions)?;
    let positions: BTreeMap<&str, f64> = positions.iter().copied().collect();
    let mut poses: BTreeMap<&str, Isometry3<f64>> = BTreeMap::new();
    let is_child = |name: &str| robot.joints.iter().any(|joint| joint.child.link == name);
    if let Some(root) = robot.links.iter().find(|link| !is_child(&link.name)) {
        poses.insert(&root.name, Isometry3::identity());
    }
    // Each pass places the children of the links placed so far; a tree of n links needs at most n passes.
    loop {
        let before = poses.len();
        for joint in &robot.joints {
            if let (Some(parent), false) =
                (poses.get(joint.parent.link.as_str()), poses.contains_key(&*joint.child.link))
            {
                let position = positions.get(joint.name.as_str()).copied().unwrap_or(0.0);
                let child = parent * isometry(&joint.origin) * motion(joint, position)?;
                poses.insert(&joint.child.link, child);
            }
        }
        if poses.len() == before {
            break;
        }
    }
    match robot.links.iter().find(|link| !poses.contains_key(link.name.as_str())) {
        Some(link) => Err(PlotError::Unconnected { link: link.name.clone() }),
        None => Ok(poses),
    }
}

fn check_positions(robot: &Robot, positions: &[(&str, f64)]) -> Result<(), PlotError> {
    for &(name, position) in positions {
        if !robot.joints.iter().any(|joint| joint.name == name) {
            let movable = robot.joints.iter().filter(|joint| joint.joint_type != JointType::Fixed);
            let known = movable.map(|joint| joint.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(PlotError::UnknownJoint { joint: name.to_owned(), known });
        }
        if !position.is_finite() {
            return Err(PlotError::NotFinite { joint: name.to_owned(), position });
        }
    }
    Ok(())
}

fn motion(joint: &Joint, position: f64) -> Result<Isometry3<f64>, PlotError> {
    let turns = matches!(joint.joint_type, JointType::Revolute | JointType::Continuous);
    if !turns && joint.joint_type != JointType::Prismatic {
        return Ok(Isometry3::identity());
    }
    let axis = Unit::try_new(Vector3::from_row_slice(&*joint.axis.xyz), 1e-9)
        .filter(|axis| axis.iter().all(|value| value.is_finite()))
        .ok_or_else(|| PlotError::NoAxis { joint: joint.name.clone() })?;
    Ok(if turns {
        Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&axis, position))
    } else {
        Isometry3::from_parts((axis.into_inner() * position).into(), UnitQuaternion::identity())
    })
}

fn isometry(pose: &Pose) -> Isometry3<f64> {
    let [roll, pitch, yaw] = *pose.rpy;
    let [x, y, z] = *pose.xyz;
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}

fn shape_of(geometry: &Geometry) -> Option<Shape> {
    match geometry {
        Geometry::Box { size } => Some(Shape::Box { size: Vector3::from_row_slice(&**size) }),
        Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
            Some(Shape::Cylinder { radius: *radius, length: *length })
        }
        Geometry::Sphere { radius } => Some(Shape::Sphere { radius: *radius }),
        Geometry::Mesh { .. } => None,
    }
}

/// A visual's own colour, else the colour of the robot's material of that name.
fn colour_of(robot: &Robot, visual: &Visual) -> [f64; 4] {
    let Some(material) = &visual.material else { return NO_MATERIAL };
    let named = || robot.materials.iter().find(|known| known.name == material.name)?.color.as_ref();
    material.color.as_ref().or_else(named).map_or(NO_MATERIAL, |colour| *colour.rgba)
}
