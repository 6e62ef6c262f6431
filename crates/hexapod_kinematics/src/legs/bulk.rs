//! The room that collision meshes take up.

use super::options::MeshReader;
use crate::model::{Geometry, Model};
use crate::solid::{Bulk, mesh_vertices};
use nalgebra::Vector3;
use std::collections::HashMap;

/// A mesh that extends farther than this is in another unit, m.
const FAR_M: f64 = 10.0;

/// Takes down how much room the collision meshes take up that can be read; each file is read once.
pub(super) fn measure(model: &mut Model, read: MeshReader<'_>) {
    let mut files: HashMap<String, Option<Vec<Vector3<f64>>>> = HashMap::new();
    for shape in model.links.iter_mut().flat_map(|link| &mut link.collisions) {
        if let Geometry::Mesh { filename, scale, bulk } = &mut shape.geometry {
            let vertices = files.entry(filename.clone()).or_insert_with_key(|name| mesh_vertices(&read(name)?));
            *bulk = vertices.as_deref().and_then(|vertices| scaled(vertices, scale));
        }
    }
}

fn scaled(vertices: &[Vector3<f64>], scale: &Vector3<f64>) -> Option<Bulk> {
    let scaled: Vec<Vector3<f64>> = vertices.iter().map(|vertex| vertex.component_mul(scale)).collect();
    let is_near = scaled.iter().flatten().all(|x| x.abs() <= FAR_M);
    if is_near { Bulk::of(&scaled) } else { None }
}
