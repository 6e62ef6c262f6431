//! Triangles of meshes, whatever kind of file they are in.

use super::collada::collada_vertices;
use super::obj::obj_vertices;
use super::stl::stl_vertices;
use nalgebra::Vector3;

/// Vertices of a mesh, three for each triangle, in m for COLLADA and else in the file's own unit; `None` when the bytes are
/// none that is read: STL, Wavefront OBJ, COLLADA.
pub(crate) fn mesh_vertices(bytes: &[u8]) -> Option<Vec<Vector3<f64>>> {
    let found = stl_vertices(bytes).or_else(|| {
        let text = std::str::from_utf8(bytes).ok()?;
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            collada_vertices(text)
        } else {
            obj_vertices(text)
        }
    });
    found.filter(|vertices| !vertices.is_empty() && vertices.iter().flatten().all(|x| x.is_finite()))
}
