//! The convex hull of points in the plane.

use nalgebra::Point2;

/// Andrew's monotone chain, anticlockwise.
pub(crate) fn convex_hull(mut points: Vec<Point2<f64>>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let half = |points: &mut dyn Iterator<Item = &Point2<f64>>| {
        let mut chain: Vec<Point2<f64>> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if (b - a).perp(&(point - b)) > 1e-9 {
                    break;
                }
                chain.pop();
            }
            chain.push(*point);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter());
    hull.extend(half(&mut points.iter().rev()));
    hull.into_iter().map(Into::into).collect()
}
