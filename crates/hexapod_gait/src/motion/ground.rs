//! What carries the robot: the ground under any pose of its joints, and the centre of mass over it.

use crate::plane::support::SupportPolygon;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// The ground a robot stands on at a pose of its joints, found from the feet alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundPlane {
    /// The body over the ground; its heading and place are the footprint's.
    pub footprint_from_body: Isometry3<f64>,
    /// Feet over the ground, m.
    pub feet: [Vector3<f64>; MAX_LEGS],
    /// Which of them carry.
    pub planted: [bool; MAX_LEGS],
    /// Distance of the centre of mass from the edge of the support polygon, m.
    pub margin: f64,
}

/// A foot this near to the ground (m) carries: less than feet and floors give way.
const TOUCHES_M: f64 = 1e-3;

impl GroundPlane {
    /// The plane through three feet that has all other feet above it and the centre of mass over its support; of
    /// several the one with the greatest margin. `None` if the robot would tip over, wherever it is put.
    pub(crate) fn under(feet_in_body: &[Vector3<f64>], centre_in_body: &Vector3<f64>) -> Option<Self> {
        let feet = || feet_in_body.iter().enumerate();
        let mut best: Option<Self> = None;
        for (i, a) in feet() {
            for (j, b) in feet().skip(i + 1) {
                for (_, c) in feet().skip(j + 1) {
                    let through = [*a, *b, *c];
                    if let Some(ground) = Self::through(through, feet_in_body, centre_in_body)
                        && best.is_none_or(|best| ground.margin > best.margin + 1e-12)
                    {
                        best = Some(ground);
                    }
                }
            }
        }
        best
    }

    fn through([a, b, c]: [Vector3<f64>; 3], feet: &[Vector3<f64>], centre: &Vector3<f64>) -> Option<Self> {
        let normal = (b - a).cross(&(c - a)).try_normalize(1e-9)?;
        let up = if normal.z < 0.0 { -normal } else { normal };
        // The body hangs above the ground, upright: a robot on its back has no ground here.
        if up.z < 0.5 || up.dot(&(centre - a)) <= 0.0 || feet.iter().any(|foot| up.dot(&(foot - a)) < -1e-7) {
            return None;
        }
        let level = UnitQuaternion::rotation_between(&up, &Vector3::z())?;
        let lift = Translation3::new(0.0, 0.0, -up.dot(&a));
        let footprint_from_body = Isometry3::from_parts(lift, level);
        let mut ground =
            Self { footprint_from_body, feet: [Vector3::zeros(); MAX_LEGS], planted: [false; MAX_LEGS], margin: 0.0 };
        for (foot, (at, planted)) in feet.iter().zip(ground.feet.iter_mut().zip(&mut ground.planted)) {
            *at = footprint_from_body.transform_point(&Point3::from(*foot)).coords;
            *planted = at.z < TOUCHES_M;
        }
        let over = footprint_from_body.transform_point(&Point3::from(*centre)).coords.xy();
        let carrying = ground.feet.iter().zip(&ground.planted).filter(|(_, planted)| **planted);
        let carrying = carrying.map(|(foot, _)| foot.xy());
        ground.margin = SupportPolygon::new(carrying).margin(over);
        (ground.margin > 0.0).then_some(ground)
    }

    /// How far the body leans, rad.
    pub(crate) fn tilt(&self) -> f64 {
        self.footprint_from_body.rotation.angle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feet(lifted: usize, by: f64) -> [Vector3<f64>; 6] {
        let mut feet = [(0.2, 0.2), (0.0, 0.25), (-0.2, 0.2), (0.2, -0.2), (0.0, -0.25), (-0.2, -0.2)]
            .map(|(x, y)| Vector3::new(x, y, -0.09));
        feet[lifted].z += by;
        feet
    }

    #[test]
    fn when_one_foot_is_lifted_expect_the_ground_under_the_others() {
        let ground = GroundPlane::under(&feet(3, 0.05), &Vector3::zeros()).unwrap();
        assert_eq!(ground.planted[..6], [true, true, true, false, true, true]);
        assert!((ground.footprint_from_body.translation.z - 0.09).abs() < 1e-12 && ground.tilt() < 1e-9);
        assert!((ground.feet[3].z - 0.05).abs() < 1e-12);
    }

    #[test]
    fn when_one_foot_reaches_lower_expect_the_body_to_lean_on_it() {
        let ground = GroundPlane::under(&feet(0, -0.03), &Vector3::zeros()).unwrap();
        assert!(ground.planted[0] && ground.tilt() > 0.05);
        assert!((0..6).all(|leg| ground.feet[leg].z > -1e-6));
    }

    #[test]
    fn when_the_centre_of_mass_is_beyond_the_feet_expect_no_ground() {
        assert!(GroundPlane::under(&feet(0, 0.0), &Vector3::new(0.3, 0.0, 0.0)).is_none());
        assert!(GroundPlane::under(&feet(0, 0.0)[..2], &Vector3::zeros()).is_none());
    }
}
