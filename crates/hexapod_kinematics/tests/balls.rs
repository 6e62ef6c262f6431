//! What touches the ground at a foot.
#![allow(clippy::unwrap_used)]

use hexapod_kinematics::{LegAngles, Robot};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// A robot of the shipped shape with this in the link of each foot.
fn with_foot(collision: &str) -> Robot {
    let (text, empty) = (crate::common::shipped(), "_foot\"/>\n  <joint");
    assert_eq!(text.matches(empty).count(), 6);
    Robot::from_urdf(&text.replace(empty, &format!("_foot\">{collision}</link>\n  <joint"))).unwrap()
}

fn shape(xyz: [f64; 3], rpy: &str, geometry: &str) -> String {
    let [x, y, z] = xyz;
    format!(r#"<collision><origin xyz="{x} {y} {z}" rpy="{rpy}"/><geometry>{geometry}</geometry></collision>"#)
}

fn sphere(xyz: [f64; 3], radius: f64) -> String {
    shape(xyz, "0 0 0", &format!(r#"<sphere radius="{radius}"/>"#))
}

proptest! {
    #[test]
    fn when_a_foot_is_in_a_ball_expect_its_height_above_the_balls_lowest_point_however_leg_and_body_are_turned(
        angles in prop::array::uniform3(-1.5..1.5f64), tilt in prop::array::uniform2(-0.6..0.6f64),
        toward in prop::array::uniform3(-1.0..1.0f64), radius in 0.002..0.05f64, leg in 0usize..6,
    ) {
        let off = 0.57 * radius * Vector3::from(toward);
        let robot = with_foot(&sphere(off.into(), radius));
        let leg = &robot.legs()[leg];
        let world_from_body = UnitQuaternion::from_euler_angles(tilt[0], tilt[1], 0.0);
        let up = world_from_body.inverse() * Vector3::z();

        let mut positions = vec![0.0; robot.model().position_count()];
        for (joint, angle) in leg.joints().iter().zip(angles) {
            positions[joint.position_index()] = angle;
        }
        let body_from_foot = robot.model().base_from_link(leg.foot_link(), &positions);
        let centre = world_from_body * (body_from_foot * Point3::from(off));
        let foot = world_from_body * leg.foot_in_body(&LegAngles::from(angles));
        let height = leg.foot_above_ground(&LegAngles::from(angles), &up);
        prop_assert!((height - (foot.z - (centre.z - radius))).abs() < 1e-12, "{height}");
    }
}

#[test]
fn when_the_foot_is_the_middle_of_a_ball_expect_its_radius_at_any_angle() {
    let robot = with_foot(&sphere([0.0; 3], 0.007));
    for leg in robot.legs() {
        assert_eq!(leg.ball().unwrap().radius, 0.007);
        for tibia in [-2.0, -1.0, 0.0] {
            let height = leg.foot_above_ground(&LegAngles::from([0.2, 0.4, tibia]), &Vector3::z());
            assert!((height - 0.007).abs() < 1e-15, "{height}");
        }
    }
}

#[test]
fn when_a_capsule_ends_at_the_foot_expect_the_ball_of_that_end() {
    let capsule = shape([-0.03, 0.0, 0.0], "0 1.5707963267948966 0", r#"<capsule radius="0.01" length="0.04"/>"#);
    let robot = with_foot(&capsule);
    let leg = &robot.legs()[0];
    let ball = leg.ball().unwrap();
    assert!((ball.centre - (leg.tip().translation.vector - Vector3::new(0.01, 0.0, 0.0))).norm() < 1e-12);
    assert_eq!(ball.radius, 0.01);
}

#[test]
fn when_no_ball_is_at_the_foot_expect_the_point_itself_on_the_ground() {
    let away = sphere([-0.05, 0.0, 0.0], 0.02);
    let cube = shape([0.0; 3], "0 0 0", r#"<box size="0.02 0.02 0.02"/>"#);
    for collision in [away.as_str(), cube.as_str(), ""] {
        let robot = with_foot(collision);
        let leg = &robot.legs()[0];
        assert_eq!(leg.ball(), None, "{collision}");
        assert_eq!(leg.foot_above_ground(&LegAngles::from([0.1, 0.5, -1.0]), &Vector3::z()), 0.0);
    }
}
