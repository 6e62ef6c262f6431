//! Distances of a segment from a segment and from a box.

use nalgebra::Vector3;

/// Squared length below which a segment is a point, m².
const POINT: f64 = 1e-18;

/// Distance between two segments (Ericson, *Real-Time Collision Detection*, 5.1.9), m.
pub(crate) fn of_segments([p1, q1]: &[Vector3<f64>; 2], [p2, q2]: &[Vector3<f64>; 2]) -> f64 {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let (b, c) = (d1.dot(&d2), d1.dot(&r));
    let within = |x: f64| x.clamp(0.0, 1.0);
    let on_first = |t: f64| if a > POINT { within((b * t - c) / a) } else { 0.0 };
    let on_second = |s: f64| if e > POINT { (b * s + f) / e } else { 0.0 };
    let denominator = a * e - b * b;
    // Parallel segments are as near at any place of their overlap, and the clamping below finds one.
    let s = if denominator > POINT * (a + e) { within((b * f - c * e) / denominator) } else { on_first(0.0) };
    let t = within(on_second(s));
    (r + d1 * on_first(t) - d2 * t).norm()
}

/// Distance of a segment from a box about the origin, m; zero where it is inside.
pub(crate) fn from_box([p, q]: &[Vector3<f64>; 2], half: &Vector3<f64>) -> f64 {
    let d = q - p;
    let outside = |t: f64| {
        let at = p + d * t;
        at - at.zip_map(half, |x, half| x.max(-half).min(half))
    };
    // Half the derivative of the squared distance: it rises in straight pieces from one face's plane to the next.
    let slope = |t: f64| d.dot(&outside(t));
    let (mut low, mut high) = (0.0, 1.0);
    for axis in 0..3 {
        for face in [-half[axis], half[axis]] {
            let t = (face - p[axis]) / d[axis];
            if t > low && t < high {
                if slope(t) < 0.0 { low = t } else { high = t }
            }
        }
    }
    let [at_low, at_high] = [slope(low), slope(high)];
    let t = match (at_low < 0.0, at_high > 0.0) {
        (true, true) => low + at_low / (at_low - at_high) * (high - low),
        (true, false) => high,
        _ => low,
    };
    outside(t).norm()
}
