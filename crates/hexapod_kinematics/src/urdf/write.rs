//! A model as URDF text: what robots that were described otherwise are published as.

use std::fmt::Write;

use nalgebra::Isometry3;

use crate::model::{Geometry, Inertial, Joint, JointFriction, JointKind, Link, Model, Shape};

impl Model {
    /// The same robot as a URDF. What is read back differs by rounding only.
    #[must_use]
    pub fn to_urdf(&self) -> String {
        let mut out = format!("<robot name=\"{}\">\n", escaped(&self.name));
        self.links.iter().for_each(|link| write_link(&mut out, link));
        self.joints.iter().for_each(|joint| self.write_joint(&mut out, joint));
        out.push_str("</robot>\n");
        out
    }

    fn write_joint(&self, out: &mut String, joint: &Joint) {
        let kind = match joint.kind {
            JointKind::Revolute => "revolute",
            JointKind::Continuous => "continuous",
            JointKind::Prismatic => "prismatic",
            JointKind::Fixed => "fixed",
        };
        let link = |index: usize| escaped(self.links.get(index).map_or("", Link::name));
        let (parent, child, axis) = (link(joint.parent), link(joint.child), joint.axis);
        let _ = writeln!(out, "  <joint name=\"{}\" type=\"{kind}\">", escaped(&joint.name));
        let _ = writeln!(out, "    <parent link=\"{parent}\"/>\n    <child link=\"{child}\"/>");
        let _ = writeln!(out, "    {}", origin(&joint.parent_from_joint));
        let _ = writeln!(out, "    <axis xyz=\"{} {} {}\"/>", axis.x, axis.y, axis.z);
        if let Some(limits) = &joint.limits {
            let acceleration = limits.acceleration.map_or(String::new(), |value| format!(" acceleration=\"{value}\""));
            let (lower, upper, velocity, effort) = (limits.lower, limits.upper, limits.velocity, limits.effort);
            let _ = writeln!(
                out,
                "    <limit lower=\"{lower}\" upper=\"{upper}\" velocity=\"{velocity}\" effort=\"{effort}\"{acceleration}/>"
            );
        }
        let JointFriction { coulomb, viscous } = joint.friction;
        if joint.friction != JointFriction::default() {
            let _ = writeln!(out, "    <dynamics damping=\"{viscous}\" friction=\"{coulomb}\"/>");
        }
        if let Some(mimic) = &joint.mimic {
            let of = escaped(self.joints.get(mimic.joint).map_or("", Joint::name));
            let (multiplier, offset) = (mimic.multiplier, mimic.offset);
            let _ = writeln!(out, "    <mimic joint=\"{of}\" multiplier=\"{multiplier}\" offset=\"{offset}\"/>");
        }
        out.push_str("  </joint>\n");
    }
}

fn write_link(out: &mut String, link: &Link) {
    let _ = writeln!(out, "  <link name=\"{}\">", escaped(&link.name));
    if let Some(Inertial { link_from_inertial, mass, inertia }) = &link.inertial {
        let _ = writeln!(out, "    <inertial>{}<mass value=\"{mass}\"/>", origin(link_from_inertial));
        let [ixx, ixy, ixz] = [inertia[(0, 0)], inertia[(0, 1)], inertia[(0, 2)]];
        let [iyy, iyz, izz] = [inertia[(1, 1)], inertia[(1, 2)], inertia[(2, 2)]];
        let _ = writeln!(
            out,
            "      <inertia ixx=\"{ixx}\" ixy=\"{ixy}\" ixz=\"{ixz}\" iyy=\"{iyy}\" iyz=\"{iyz}\" izz=\"{izz}\"/></inertial>"
        );
    }
    for (tag, shapes) in [("visual", &link.visuals), ("collision", &link.collisions)] {
        for Shape { link_from_shape, geometry } in shapes {
            let (origin, geometry) = (origin(link_from_shape), geometry_text(geometry));
            let _ = writeln!(out, "    <{tag}>{origin}<geometry>{geometry}</geometry></{tag}>");
        }
    }
    out.push_str("  </link>\n");
}

fn geometry_text(geometry: &Geometry) -> String {
    match geometry {
        Geometry::Box { size } => format!("<box size=\"{} {} {}\"/>", size.x, size.y, size.z),
        Geometry::Cylinder { radius, length } => format!("<cylinder radius=\"{radius}\" length=\"{length}\"/>"),
        Geometry::Capsule { radius, length } => format!("<capsule radius=\"{radius}\" length=\"{length}\"/>"),
        Geometry::Sphere { radius } => format!("<sphere radius=\"{radius}\"/>"),
        Geometry::Mesh { filename, scale, .. } => {
            format!("<mesh filename=\"{}\" scale=\"{} {} {}\"/>", escaped(filename), scale.x, scale.y, scale.z)
        }
    }
}

fn origin(pose: &Isometry3<f64>) -> String {
    let (at, (roll, pitch, yaw)) = (pose.translation.vector, pose.rotation.euler_angles());
    format!("<origin xyz=\"{} {} {}\" rpy=\"{roll} {pitch} {yaw}\"/>", at.x, at.y, at.z)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
