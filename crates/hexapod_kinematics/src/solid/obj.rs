//! Wavefront OBJ meshes.

use nalgebra::Vector3;

/// The vertices of an OBJ file's faces, three for each triangle; `None` where a line of it cannot be one.
///
/// Format: Wavefront, Advanced Visualizer manual, appendix B1.
pub(super) fn obj_vertices(text: &str) -> Option<Vec<Vector3<f64>>> {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next()?.parse::<f64>().ok();
                points.push(Vector3::new(next()?, next()?, next()?));
            }
            Some("f") => {
                let corners: Vec<Vector3<f64>> = words.map(|word| corner(word, &points)).collect::<Option<_>>()?;
                triangles.extend(fan(&corners));
            }
            _ => {}
        }
    }
    Some(triangles)
}

/// The point that a corner such as `7/1/3` or `-1` names: from 1, or back from the last one.
fn corner(word: &str, points: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let index: i64 = word.split('/').next()?.parse().ok()?;
    let count = i64::try_from(points.len()).ok()?;
    let place = if index < 0 { count + index } else { index - 1 };
    points.get(usize::try_from(place).ok()?).copied()
}

/// A face of any number of corners as triangles.
pub(super) fn fan(corners: &[Vector3<f64>]) -> impl Iterator<Item = Vector3<f64>> + '_ {
    let rest = corners.get(1..).unwrap_or_default();
    let triangle = |pair: &[Vector3<f64>]| corners.first().into_iter().chain(pair).copied().collect::<Vec<_>>();
    rest.windows(2).flat_map(triangle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_reading_faces_of_any_kind_expect_their_triangles() {
        let text =
            "# cube\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -4 -3/2/1 -1\n";
        let [a, b, c, d] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vector3::new(x, y, 0.0));
        assert_eq!(obj_vertices(text).unwrap(), [a, b, c, a, c, d, a, b, d]);
        assert_eq!(obj_vertices("v 0 0 0\nf 1 2 3\n"), None);
    }
}
