//! Which of the ordered faces are seen at all. Faces are painted with their index into a coarse raster; those whose
//! index is nowhere left at the end are hidden, and leaving them out halves a picture's size.

use nalgebra::Point2;

/// Raster cells per pixel along each axis.
const FINENESS: f64 = 2.0;
const NOBODY: u32 = u32::MAX;

/// For convex polygons in pixels, painted in this order on a picture of this size: whether any of each is seen.
pub(crate) fn seen(polygons: &[Vec<Point2<f64>>], width_px: f64, height_px: f64) -> Vec<bool> {
    let columns = (width_px * FINENESS).ceil() as usize;
    let rows = (height_px * FINENESS).ceil() as usize;
    let mut owner = vec![NOBODY; columns * rows];
    for (index, polygon) in polygons.iter().enumerate() {
        let top = polygon.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let bottom = polygon.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        // Negative or huge values saturate in the casts and end inside the raster.
        let first = (top * FINENESS).floor().max(0.0) as usize;
        let last = ((bottom * FINENESS).ceil().max(0.0) as usize).min(rows);
        for row in first..last {
            if let Some((left, right)) = span(polygon, (row as f64 + 0.5) / FINENESS) {
                let from = ((left * FINENESS - 0.5).ceil().max(0.0) as usize).min(columns);
                let to = ((right * FINENESS + 0.5).floor().max(0.0) as usize).clamp(from, columns);
                owner[row * columns + from..row * columns + to].fill(index as u32);
            }
        }
    }
    let mut seen = vec![false; polygons.len()];
    for index in owner.into_iter().filter(|index| *index != NOBODY) {
        seen[index as usize] = true;
    }
    seen
}

/// Where the horizontal line at `y` enters and leaves a convex polygon.
fn span(polygon: &[Point2<f64>], y: f64) -> Option<(f64, f64)> {
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    let crossings =
        edges.filter(|(a, b)| (a.y <= y) != (b.y <= y)).map(|(a, b)| a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
    let (left, right) =
        crossings.fold((f64::INFINITY, f64::NEG_INFINITY), |(left, right), x| (left.min(x), right.max(x)));
    (left <= right).then_some((left, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(from: f64, to: f64) -> Vec<Point2<f64>> {
        vec![Point2::new(from, from), Point2::new(to, from), Point2::new(to, to), Point2::new(from, to)]
    }

    #[test]
    fn when_a_face_is_painted_over_expect_it_unseen() {
        assert_eq!(seen(&[square(2.0, 5.0), square(1.0, 6.0)], 10.0, 10.0), [false, true]);
        assert_eq!(seen(&[square(1.0, 6.0), square(2.0, 5.0)], 10.0, 10.0), [true, true]);
    }

    #[test]
    fn when_a_face_lies_outside_the_picture_expect_it_unseen() {
        assert_eq!(seen(&[square(-9.0, -2.0), square(20.0, 30.0)], 10.0, 10.0), [false, false]);
    }
}
