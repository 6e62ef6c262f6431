//! Shapes of links, read from the text's tree that `lint` has checked: they are most of a description, and `urdf-rs`
//! takes longer for them than all the rest of a start.

use std::ops::Range;
use std::str::FromStr;

use nalgebra::{Isometry3, Vector3};
use roxmltree::Node;

use super::origin::isometry;
use crate::model::{Geometry, Shape};

/// What a link looks like, and as what it collides.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LinkShapes {
    pub(super) visuals: Vec<Shape>,
    pub(super) collisions: Vec<Shape>,
}

/// The shapes of all links in document order, and where they stand in the text, in bytes. `None` where something is
/// unusual about them, as a version of the format, which has rules of its own.
pub(super) fn of_links(robot: Node<'_, '_>) -> Option<(Vec<LinkShapes>, Vec<Range<usize>>)> {
    if robot.has_attribute("version") {
        return None;
    }
    let mut links = Vec::new();
    let mut ranges = Vec::new();
    for link in robot.children().filter(|n| n.has_tag_name("link")) {
        let mut shapes = LinkShapes::default();
        for node in link.children() {
            let into = match node.tag_name().name() {
                "visual" => &mut shapes.visuals,
                "collision" => &mut shapes.collisions,
                _ => continue,
            };
            into.push(shape(node)?);
            ranges.push(node.range());
        }
        links.push(shapes);
    }
    Some((links, ranges))
}

fn shape(node: Node<'_, '_>) -> Option<Shape> {
    let origin = node.children().find(|n| n.has_tag_name("origin"));
    let numbers = |name: &str| match origin.and_then(|origin| origin.attribute(name)) {
        Some(text) => vector(text),
        None => Some(Vector3::zeros()),
    };
    let link_from_shape: Isometry3<f64> = isometry(numbers("xyz")?.into(), numbers("rpy")?.into());
    let mut geometries = node.children().find(|n| n.has_tag_name("geometry"))?.children().filter(Node::is_element);
    let geometry = geometry(geometries.next()?)?;
    geometries.next().is_none().then_some(Shape { link_from_shape, geometry })
}

/// Elements of a URDF inside a link or a joint; what simulators add beside them has rules of its own.
const ELEMENTS: [&str; 27] = [
    "inertial",
    "mass",
    "inertia",
    "origin",
    "visual",
    "collision",
    "geometry",
    "box",
    "cylinder",
    "capsule",
    "sphere",
    "mesh",
    "material",
    "color",
    "texture",
    "parent",
    "child",
    "axis",
    "limit",
    "mimic",
    "dynamics",
    "calibration",
    "safety_controller",
    "verbose",
    "joint",
    "link",
    "loop_joint",
];

/// Whether this is an element of a URDF.
pub(super) fn is_element(node: Node<'_, '_>) -> bool {
    ELEMENTS.contains(&node.tag_name().name())
}

fn geometry(node: Node<'_, '_>) -> Option<Geometry> {
    let number = |name: &str| node.attribute(name).and_then(|text| f64::from_str(text.trim()).ok());
    match node.tag_name().name() {
        "box" => Some(Geometry::Box { size: vector(node.attribute("size")?)? }),
        "cylinder" => Some(Geometry::Cylinder { radius: number("radius")?, length: number("length")? }),
        "capsule" => Some(Geometry::Capsule { radius: number("radius")?, length: number("length")? }),
        "sphere" => Some(Geometry::Sphere { radius: number("radius")? }),
        "mesh" => {
            let scale = node.attribute("scale").map_or(Some(Vector3::repeat(1.0)), vector)?;
            Some(Geometry::Mesh { filename: node.attribute("filename")?.to_owned(), scale, bulk: None })
        }
        _ => None,
    }
}

fn vector(text: &str) -> Option<Vector3<f64>> {
    let mut numbers = text.split_whitespace().map(f64::from_str);
    let vector = Vector3::new(numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
    numbers.next().is_none().then_some(vector)
}

#[cfg(test)]
mod tests {
    use super::super::{body, lint};

    #[test]
    fn when_shapes_are_read_here_expect_what_urdf_rs_reads() {
        let shipped = include_str!("../../../../urdf/hexapod.urdf");
        let other = include_str!("../../tests/data/tripod.urdf");
        let odd = r#"<robot name="odd"><material name="m"/><link name="a">
            <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
            <collision><geometry><mesh filename="a&amp;b.stl" scale=" 1 2
              3 "/></geometry></collision><!-- no text -->
            <visual name="v"><origin rpy="0.1 -0.2 3" /><geometry><capsule radius=" 0.1" length="1e-1"/></geometry>
              <material name="x"/><material name="y"/></visual>
            <visual><origin xyz="1 2 3"/><geometry><mesh filename="c.stl"/></geometry></visual></link></robot>"#;
        for (text, count) in [(shipped, 19), (other, 1), (odd, 1)] {
            let lines = lint::lint(text).unwrap();
            let read = lines.shapes.as_ref().unwrap();
            let without_two_materials = text.replace(r#"<material name="y"/>"#, "");
            let robot = urdf_rs::read_from_string(&without_two_materials).unwrap();
            let expected: Vec<_> = robot.links.iter().map(body::shapes_of).collect();
            assert!(read == &expected && read.len() >= count, "{read:?}\n{expected:?}");
            assert!(lines.without_skipped(text).len() < text.len());
        }
    }

    #[test]
    fn when_a_description_is_of_a_later_version_expect_its_shapes_left_to_urdf_rs() {
        let with = |version: &str, stray: &str| {
            format!(
                r#"<robot name="r"{version}><link name="a"><visual>{stray}<geometry><sphere radius="1"/></geometry>
                   </visual></link></robot>"#
            )
        };
        for (text, left) in [(with("", ""), false), (with(r#" version="1.1""#, ""), true), (with("", "hm"), false)] {
            assert_eq!(lint::lint(&text).unwrap().shapes.is_none(), left, "{text}");
        }
    }
}
