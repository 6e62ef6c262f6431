//! How a robot lies on its feet.

use nalgebra::{UnitQuaternion, Vector3};

/// Least area between three feet that bear a robot, m².
const LEAST_M2: f64 = 1e-4;
/// A foot may be so far below the plane through the others, m.
const SAME_M: f64 = 1e-6;

/// The turn that brings a body onto its feet on level ground: three of them down, none of the others below, the centre of
/// mass between the three. None where it cannot lie so.
pub(crate) fn onto_feet(feet: &[Vector3<f64>], centre: &Vector3<f64>) -> Option<UnitQuaternion<f64>> {
    let planes = (0..feet.len()).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| [a, b, c])));
    let ups = planes.filter_map(|three| {
        let [a, b, c] = three.map(|foot| feet.get(foot).copied().unwrap_or_default());
        let across = (b - a).cross(&(c - a));
        let up = across * across.z.signum();
        if up.norm() < 2.0 * LEAST_M2 {
            return None;
        }
        let up = up.normalize();
        let bears = feet.iter().all(|foot| up.dot(&(foot - a)) > -SAME_M);
        (bears && is_between(centre, &[a, b, c], &up)).then_some(up)
    });
    // Of feet in one plane any three will do.
    ups.max_by(|a, b| a.z.total_cmp(&b.z)).and_then(|up| UnitQuaternion::rotation_between(&up, &Vector3::z()))
}

/// Whether a point is above the triangle of three others.
fn is_between(point: &Vector3<f64>, corners: &[Vector3<f64>; 3], up: &Vector3<f64>) -> bool {
    let [a, b, c] = corners;
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| (to - from).cross(&(point - from)).dot(up));
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_feet_are_turned_expect_them_turned_back_and_lifted_ones_to_count_for_nothing() {
        let places = [[0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, -0.1], [0.0, 0.15], [0.0, -0.15]];
        for (axis, angle) in [(Vector3::y(), 0.34), (Vector3::x(), -0.2), (Vector3::y(), 0.0)] {
            let turn = UnitQuaternion::from_scaled_axis(axis * angle);
            let foot = |(leg, at): (usize, &[f64; 2])| {
                turn.inverse() * Vector3::new(at[0], at[1], if leg == 1 { -0.05 } else { -0.1 })
            };
            let feet: Vec<_> = places.iter().enumerate().map(foot).collect();
            let found = onto_feet(&feet, &Vector3::zeros()).unwrap();
            assert!(found.angle_to(&turn) < 1e-6, "{found} for {turn}");
        }
        assert_eq!(onto_feet(&[Vector3::x(), Vector3::y()], &Vector3::zeros()), None);
        let aside = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(2.0, 1.0, 0.0), Vector3::new(2.0, -1.0, 0.0)];
        assert_eq!(onto_feet(&aside, &Vector3::zeros()), None, "it would tip over");
    }
}
