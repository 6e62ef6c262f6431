//! COLLADA meshes (`.dae`).

use super::obj::fan;
use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use roxmltree::{Document, Node};
use std::collections::HashMap;

/// Deepest nesting of nodes that is read.
const MAX_DEPTH: usize = 64;
/// Most vertices and nodes that are read.
const MOST: usize = 4_000_000;
const MOST_NODES: usize = 10_000;

/// The vertices of a COLLADA file, three for each triangle, placed as in its scene, m; `None` where it is none. As RViz and
/// Gazebo do, the axis that the file calls up is passed over.
///
/// Format: Khronos, COLLADA 1.4.1 and 1.5.
pub(super) fn collada_vertices(text: &str) -> Option<Vec<Vector3<f64>>> {
    let document = Document::parse(text).ok()?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return None;
    }
    let unit = root.descendants().find(|node| named(node, "unit"));
    let metre = unit.and_then(|unit| unit.attribute("meter")?.trim().parse::<f64>().ok()).unwrap_or(1.0);
    let by_id: HashMap<&str, Node<'_, '_>> =
        root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let scenes = root.descendants().filter(|node| named(node, "visual_scene"));
    let mut reader = Reader { by_id, vertices: Vec::new(), nodes: 0 };
    scenes.for_each(|scene| reader.nodes(scene, &Matrix4::new_scaling(metre), 0));
    if reader.vertices.is_empty() {
        let meshes = root.descendants().filter(|node| named(node, "geometry"));
        meshes.for_each(|mesh| reader.mesh(mesh, &Matrix4::new_scaling(metre)));
    }
    Some(reader.vertices)
}

fn named(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn child<'a, 'b>(node: Node<'a, 'b>, name: &str) -> Option<Node<'a, 'b>> {
    node.children().find(|child| named(child, name))
}

fn numbers<T: std::str::FromStr>(node: Node<'_, '_>) -> Vec<T> {
    let words = node.text().unwrap_or_default().split_whitespace();
    words.map_while(|word| word.parse().ok()).collect()
}

struct Reader<'a, 'b> {
    by_id: HashMap<&'a str, Node<'a, 'b>>,
    vertices: Vec<Vector3<f64>>,
    /// How many nodes have been gone through: they may name each other.
    nodes: usize,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn named_by(&self, address: &str) -> Option<Node<'a, 'b>> {
        self.by_id.get(address.strip_prefix('#')?).copied()
    }

    /// What the nodes below one show, the pose of which in the file's frame is known.
    fn nodes(&mut self, of: Node<'a, 'b>, file_from_of: &Matrix4<f64>, depth: usize) {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MOST_NODES {
            return;
        }
        for node in of.children() {
            let url = || node.attribute("url").or_else(|| node.attribute("target"));
            match node.tag_name().name() {
                "node" => self.nodes(node, &(file_from_of * placed(node)), depth + 1),
                "instance_geometry" => {
                    if let Some(mesh) = url().and_then(|url| self.named_by(url)) {
                        self.mesh(mesh, file_from_of);
                    }
                }
                "instance_node" => {
                    if let Some(other) = url().and_then(|url| self.named_by(url)) {
                        self.nodes(other, &(file_from_of * placed(other)), depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    fn mesh(&mut self, geometry: Node<'a, 'b>, file_from_mesh: &Matrix4<f64>) {
        let Some(mesh) = child(geometry, "mesh") else { return };
        let kinds = ["triangles", "polylist", "polygons", "trifans", "tristrips"];
        for faces in mesh.children().filter(|node| kinds.contains(&node.tag_name().name())) {
            let Some(corners) = self.corners(faces) else { continue };
            let at = |point: &Vector3<f64>| file_from_mesh.transform_point(&Point3::from(*point)).coords;
            if self.vertices.len() + 3 * corners.len() < MOST {
                self.vertices.extend(corners.iter().map(at));
            }
        }
    }

    /// The corners of all triangles of a group of faces, in the frame of the mesh.
    fn corners(&self, faces: Node<'a, 'b>) -> Option<Vec<Vector3<f64>>> {
        let inputs = || faces.children().filter(|node| named(node, "input"));
        let offset = |input: &Node<'a, 'b>| input.attribute("offset").and_then(|at| at.trim().parse::<usize>().ok());
        let stride = inputs().filter_map(|input| offset(&input)).max().unwrap_or(0) + 1;
        let vertex = inputs().find(|input| input.attribute("semantic") == Some("VERTEX"))?;
        let points = self.positions(self.named_by(vertex.attribute("source")?)?)?;
        let first = offset(&vertex).unwrap_or(0);
        let counts: Vec<usize> = child(faces, "vcount").map(numbers).unwrap_or_default();
        let mut triangles = Vec::new();
        for list in faces.children().filter(|node| named(node, "p")) {
            let indices: Vec<usize> = numbers(list);
            let all = indices.chunks_exact(stride).filter_map(|each| points.get(*each.get(first)?).copied());
            let all: Vec<Vector3<f64>> = all.collect();
            match faces.tag_name().name() {
                "triangles" => triangles.extend(all.chunks_exact(3).flatten()),
                "polylist" => {
                    let mut rest = all.as_slice();
                    for &count in &counts {
                        let (face, others) = rest.split_at_checked(count)?;
                        triangles.extend(fan(face));
                        rest = others;
                    }
                }
                "tristrips" => triangles.extend(all.windows(3).flatten()),
                _ => triangles.extend(fan(&all)),
            }
        }
        Some(triangles)
    }

    /// The points of a `<vertices>` element.
    fn positions(&self, vertices: Node<'a, 'b>) -> Option<Vec<Vector3<f64>>> {
        let position = |node: &Node<'a, 'b>| named(node, "input") && node.attribute("semantic") == Some("POSITION");
        let source = self.named_by(vertices.children().find(position)?.attribute("source")?)?;
        let values: Vec<f64> = numbers(child(source, "float_array")?);
        let accessor = source.descendants().find(|node| named(node, "accessor"));
        let stride = accessor.and_then(|accessor| accessor.attribute("stride")?.trim().parse().ok()).unwrap_or(3);
        let point = |values: &[f64]| Some(Vector3::new(*values.first()?, *values.get(1)?, *values.get(2)?));
        values.chunks_exact(std::cmp::max(stride, 3)).map(point).collect()
    }
}

/// A node's pose in the one above it.
fn placed(node: Node<'_, '_>) -> Matrix4<f64> {
    let mut pose = Matrix4::identity();
    for step in node.children() {
        let values: Vec<f64> = numbers(step);
        pose *= match (step.tag_name().name(), values.as_slice()) {
            ("matrix", values) if values.len() == 16 => Matrix4::from_row_slice(values),
            ("translate", &[x, y, z]) => Matrix4::new_translation(&Vector3::new(x, y, z)),
            ("scale", &[x, y, z]) => Matrix4::new_nonuniform_scaling(&Vector3::new(x, y, z)),
            ("rotate", &[x, y, z, degrees]) => Unit::try_new(Vector3::new(x, y, z), f64::EPSILON)
                .map_or(Matrix4::identity(), |axis| {
                    Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous()
                }),
            _ => continue,
        };
    }
    pose
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESH: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
      <asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
      <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">
        0 0 0 100 0 0 100 100 0 0 100 0</float_array><technique_common><accessor source="#a" count="4" stride="3"/>
        </technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>FACES</mesh>
      </geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>
        <translate>0 0 50</translate><rotate>0 0 1 90</rotate><node><scale>2 1 1</scale><instance_geometry url="#g"/></node>
      </node></visual_scene></library_visual_scenes></COLLADA>"##;

    #[test]
    fn when_faces_are_triangles_or_a_polygon_expect_them_in_metres_where_the_scene_has_them() {
        let input =
            r##"<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>"##;
        for faces in [
            format!("<triangles count=\"2\">{input}<p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>"),
            format!("<polylist count=\"1\">{input}<vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>"),
            format!("<polygons count=\"1\">{input}<p>0 0 1 0 2 0 3 0</p></polygons>"),
        ] {
            let found = collada_vertices(&MESH.replace("FACES", &faces)).unwrap();
            let [a, b, c, d] =
                [[0.0, 0.0], [0.0, 0.2], [-0.1, 0.2], [-0.1, 0.0]].map(|[x, y]| Vector3::new(x, y, 0.05));
            let wanted = [a, b, c, a, c, d];
            assert_eq!(found.len(), wanted.len());
            assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).norm() < 1e-12), "{found:?}");
        }
    }
}
