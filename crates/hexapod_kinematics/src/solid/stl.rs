//! Vertices of STL meshes: a foot may be shown by one alone, and a link's thickness.

use nalgebra::Vector3;

/// Length of a binary STL's header and count.
const HEADER: usize = 84;
/// Length of one triangle: normal, three vertices, attribute.
const TRIANGLE: usize = 50;

/// Vertices of an STL file, binary or text, in its own unit; `None` when the bytes are not one.
///
/// Format: 3D Systems, StereoLithography Interface Specification, 1989.
pub(crate) fn stl_vertices(bytes: &[u8]) -> Option<Vec<Vector3<f64>>> {
    let vertices = binary(bytes).or_else(|| text(bytes))?;
    (!vertices.is_empty() && vertices.iter().all(|v| v.iter().all(|x| x.is_finite()))).then_some(vertices)
}

fn binary(bytes: &[u8]) -> Option<Vec<Vector3<f64>>> {
    let count = u32::from_le_bytes(bytes.get(80..HEADER)?.try_into().ok()?);
    let triangles = bytes.get(HEADER..)?;
    if triangles.len() < usize::try_from(count).ok()?.checked_mul(TRIANGLE)? {
        return None;
    }
    let triangles = triangles.chunks_exact(TRIANGLE).take(usize::try_from(count).ok()?);
    Some(triangles.flat_map(|t| t.get(12..48).unwrap_or(&[]).chunks_exact(12)).filter_map(vertex).collect())
}

fn vertex(bytes: &[u8]) -> Option<Vector3<f64>> {
    let at = |k: usize| {
        let part: [u8; 4] = bytes.get(4 * k..4 * k + 4)?.try_into().ok()?;
        Some(f64::from(f32::from_le_bytes(part)))
    };
    Some(Vector3::new(at(0)?, at(1)?, at(2)?))
}

fn text(bytes: &[u8]) -> Option<Vec<Vector3<f64>>> {
    let text = std::str::from_utf8(bytes).ok().filter(|t| t.trim_start().starts_with("solid"))?;
    let vertices = text.lines().filter_map(|line| line.trim().strip_prefix("vertex"));
    vertices
        .map(|line| {
            let numbers: Vec<f64> = line.split_whitespace().map(|w| w.parse().ok()).collect::<Option<_>>()?;
            let [x, y, z] = numbers.try_into().ok()?;
            Some(Vector3::new(x, y, z))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_reading_binary_and_text_expect_the_vertices() {
        let mut bytes = vec![0u8; 80];
        bytes.extend(1u32.to_le_bytes());
        bytes.extend([0u8; 12]);
        for x in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -2.0, 0.5] {
            bytes.extend(x.to_le_bytes());
        }
        bytes.extend([0u8; 2]);
        let points = stl_vertices(&bytes).unwrap();
        assert_eq!(points[2], Vector3::new(0.0, -2.0, 0.5));
        let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 -2 0.5\nendloop";
        assert_eq!(stl_vertices(text.as_bytes()).unwrap(), points);
    }

    #[test]
    fn when_the_bytes_are_not_a_mesh_expect_none() {
        assert_eq!(stl_vertices(b""), None);
        assert_eq!(stl_vertices(&[255u8; 100]), None);
        assert_eq!(stl_vertices(b"solid x\nvertex 1 2 nan"), None);
    }
}
