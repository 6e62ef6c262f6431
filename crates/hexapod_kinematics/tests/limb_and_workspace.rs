//! Limb motion against differences, margins and strides against the inverse.
#![allow(clippy::unwrap_used)]

use crate::common::{Random, RandomLegs};
use hexapod_kinematics::{FrameMotion, JointSampler, LegAngles, Robot, Slice, StrokeTable};
use nalgebra::{Isometry3, Rotation3, Vector3};

#[test]
fn when_a_limb_moves_expect_the_motion_that_differences_give() {
    let mut random = Random(21);
    for _ in 0..20 {
        let robot = Robot::from_urdf(&crate::common::random_robot(RandomLegs::General, &mut random)).unwrap();
        let leg = &robot.legs()[0];
        let [q, v, a] = [0; 3].map(|_: i32| LegAngles::from_fn(3, |_| random.range(-1.5, 1.5)));
        let at = |t: f64| LegAngles::from_fn(3, |i| q[i] + v[i] * t + 0.5 * a[i] * t * t);
        // A body that turns about a skew axis with a growing rate while it slides.
        let axis = nalgebra::Unit::new_normalize(Vector3::new(0.2, -0.4, 0.9));
        let slide = Vector3::new(0.3, -0.1, 0.2);
        let body = |t: f64| {
            Isometry3::from_parts(
                (slide * (t + t * t)).into(),
                Rotation3::from_axis_angle(&axis, 0.4 + 0.7 * t + 0.3 * t * t).into(),
            )
        };
        let frame = FrameMotion {
            outer_from_inner: body(0.0) * leg.body_from_limb(),
            velocity: slide + (axis.into_inner() * 0.7).cross(&(body(0.0).rotation * leg.hip_in_body())),
            acceleration: {
                let (w, dw, arm) =
                    (axis.into_inner() * 0.7, axis.into_inner() * 0.6, body(0.0).rotation * leg.hip_in_body());
                slide * 2.0 + dw.cross(&arm) + w.cross(&w.cross(&arm))
            },
            angular_velocity: axis.into_inner() * 0.7,
            angular_acceleration: axis.into_inner() * 0.6,
        };
        let motion = leg.limb_motion(&q, &v, &a);
        let outside = motion.seen_from_outer(&frame);
        let h = 1e-4;
        for k in 0..4 {
            let in_world = |t: f64| body(t) * nalgebra::Point3::from(leg.points_in_body(&at(t))[k]);
            let velocity = (in_world(h) - in_world(-h)) / (2.0 * h);
            let acceleration = ((in_world(h) - in_world(0.0)) - (in_world(0.0) - in_world(-h))) / (h * h);
            let point = outside.point(k).unwrap();
            assert!((point.position - in_world(0.0).coords).norm() < 1e-12);
            assert!((point.velocity - velocity).norm() < 1e-6, "{k}");
            assert!((point.acceleration - acceleration).norm() < 1e-5, "{k}");
        }
        assert!(
            (motion.foot().velocity - leg.body_from_limb().rotation.inverse() * leg.foot_velocity(&q, &v)).norm()
                < 1e-12
        );
        let error = motion.point(4).unwrap_err();
        assert_eq!((error.index, error.count), (4, 4));
        let last = robot.model().base_from_link(leg.foot_link(), &{
            let mut positions = vec![0.0; robot.model().position_count()];
            leg.joints().iter().zip(q.iter()).for_each(|(j, a)| positions[j.position_index()] = *a);
            positions
        });
        let ours = leg.body_from_limb().rotation.to_rotation_matrix() * motion.limb_from_last_link();
        let through_tip = ours * leg.tip().rotation.to_rotation_matrix();
        assert!((through_tip.matrix() - last.rotation.to_rotation_matrix().matrix()).amax() < 1e-12);
    }
}

#[test]
fn when_angles_are_sampled_expect_the_foot_acceleration() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let leg = &robot.legs()[0];
    let mut sampler = JointSampler::try_new(3, 0.002, 5).unwrap();
    let at = |t: f64| LegAngles::from([0.4 * (3.0 * t).sin(), 0.5 + 0.2 * (2.0 * t).cos(), -1.5 + 0.1 * t]);
    let motion = (0..50).map(|k| sampler.add(&at(0.002 * f64::from(k)))).last().unwrap();
    let t = 0.002 * 49.0;
    let h = 1e-4;
    let foot = |t: f64| leg.foot_in_body(&at(t));
    let true_velocity = (foot(t + h) - foot(t - h)) / (2.0 * h);
    assert!(motion.valid);
    assert!((leg.foot_velocity(&motion.angles, &motion.speeds) - true_velocity).norm() < 1e-4);
}

#[test]
fn when_a_stroke_is_given_expect_its_ends_reachable_and_nothing_beyond() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let pose = LegAngles::from([0.0, 0.5, -1.6]);
    let rest: Vec<Vector3<f64>> = robot.legs().iter().map(|l| l.foot_in_body(&pose)).collect();
    for (leg, rest) in robot.legs().iter().zip(&rest) {
        for k in 0..24 {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 24.0).sin_cos();
            let unit = Vector3::new(cos, sin, 0.0);
            let stroke = leg.stroke(rest, &unit, &pose);
            assert!(stroke.ahead > 0.01 && stroke.centred() <= stroke.whole());
            assert!(leg.inverse(&(rest + unit * (stroke.ahead - 1e-5)), &pose).is_ok());
            assert!(leg.inverse(&(rest + unit * (stroke.ahead + 1e-4)), &pose).is_err());
        }
        assert_eq!(leg.stroke(rest, &Vector3::zeros(), &pose).whole(), 0.0);
        assert_eq!(leg.stroke(&Vector3::new(5.0, 0.0, 0.0), &Vector3::x(), &pose).whole(), 0.0);
    }
    let table = StrokeTable::new(&robot, &rest, 36);
    let all = table.centred_of_all(0.3);
    for (i, leg) in robot.legs().iter().enumerate() {
        let exact = leg.stroke(&rest[i], &Vector3::new(0.3f64.cos(), 0.3f64.sin(), 0.0), &pose).centred();
        assert!((table.centred(i, 0.3) - exact).abs() < 0.02, "{exact} {}", table.centred(i, 0.3));
        assert!(all <= table.centred(i, 0.3));
    }
    assert_eq!(table.centred(0, f64::NAN), 0.0);
}

#[test]
fn when_a_slice_is_taken_expect_what_the_inverse_says() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let leg = &robot.legs()[1];
    let slice = Slice::new(leg, -0.09, 0.005);
    assert!(slice.points().all(|p| leg.inverse(&p, &leg.home()).is_ok()));
    let closed_form = slice.area();
    assert!(closed_form > 0.005 && closed_form < 0.2, "{closed_form}");
    assert!(!slice.border().is_empty());
    assert!(Slice::new(leg, 3.0, f64::NAN).area() == 0.0);
}

#[test]
fn when_a_leg_is_stretched_expect_no_margin_to_singularity() {
    let robot = Robot::from_urdf(&crate::common::shipped()).unwrap();
    let leg = &robot.legs()[0];
    let bent = leg.margins(&LegAngles::from([0.0, 0.4, -1.5]));
    assert!(bent.singularity_m > 0.02 && (bent.limit_rad - 0.9).abs() < 1e-12 && bent.joint == 0);
    let straight = leg.margins(&LegAngles::from([0.0, 0.4, 0.0]));
    assert!(straight.singularity_m < 1e-6 && straight.manipulability < 1e-8);
    let along = straight.weakest_direction;
    assert!(leg.greatest_foot_speed(&LegAngles::from([0.0, 0.4, 0.0]), &along) < 1e-3);
    let q = LegAngles::from([0.1, 0.4, -1.5]);
    let speed = leg.greatest_foot_speed(&q, &Vector3::x());
    let j = leg.jacobian(&q).fixed_columns::<3>(0).into_owned();
    let rates = j.try_inverse().unwrap() * Vector3::x() * speed;
    assert!((rates.amax() - 5.0).abs() < 1e-9, "{rates:?}");
}
