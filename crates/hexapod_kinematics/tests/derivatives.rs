//! Derivatives against differences, on legs of any geometry, and through the model's 4 x 4 transforms.
#![allow(clippy::unwrap_used)]

use crate::common::{Random, RandomLegs};
use hexapod_kinematics::{Leg, LegAngles, Robot};

const H: f64 = 1e-5;

fn moved(q: &LegAngles, joint: usize, by: f64) -> LegAngles {
    LegAngles::from_fn(q.len(), |k| q[k] + if k == joint { by } else { 0.0 })
}

fn each_leg(mut check: impl FnMut(&Robot, &Leg, &LegAngles, &LegAngles)) {
    let mut random = Random(5);
    for _ in 0..20 {
        let robot = Robot::from_urdf(&crate::common::random_robot(RandomLegs::General, &mut random)).unwrap();
        for leg in robot.legs() {
            let q = LegAngles::from_fn(3, |_| random.range(-3.0, 3.0));
            let v = LegAngles::from_fn(3, |_| random.range(-2.0, 2.0));
            check(&robot, leg, &q, &v);
        }
    }
}

#[test]
fn when_differencing_the_foot_expect_the_jacobian_and_its_derivatives() {
    each_leg(|_, leg, q, _| {
        let jacobian = leg.jacobian(q);
        let second = leg.foot_second_derivatives(q);
        for (i, second) in second.iter().enumerate().take(3) {
            let slope = (leg.foot_in_body(&moved(q, i, H)) - leg.foot_in_body(&moved(q, i, -H))) / (2.0 * H);
            assert!((slope - jacobian.column(i)).norm() < 1e-9);
            let bend = (leg.jacobian(&moved(q, i, H)) - leg.jacobian(&moved(q, i, -H))) / (2.0 * H);
            assert!((bend - second).norm() < 1e-9);
        }
    });
}

#[test]
fn when_moving_expect_the_rate_of_the_geometric_jacobian() {
    each_leg(|_, leg, q, v| {
        let at = |t: f64| LegAngles::from_fn(3, |k| q[k] + t * v[k]);
        let slope = (leg.geometric_jacobian(&at(H)) - leg.geometric_jacobian(&at(-H))) / (2.0 * H);
        assert!((slope - leg.geometric_jacobian_rate(q, v)).norm() < 1e-8);
        let velocity = (leg.foot_in_body(&at(H)) - leg.foot_in_body(&at(-H))) / (2.0 * H);
        assert!((velocity - leg.foot_velocity(q, v)).norm() < 1e-8);
        let zero = LegAngles::zeros(3);
        let change = (leg.foot_velocity(&at(H), v) - leg.foot_velocity(&at(-H), v)) / (2.0 * H);
        assert!((change - leg.foot_acceleration(q, v, &zero)).norm() < 1e-8);
    });
}

#[test]
fn when_going_through_the_models_transforms_expect_the_legs_figures() {
    each_leg(|robot, leg, q, _| {
        let model = robot.model();
        let mut positions = vec![0.0; model.position_count()];
        for (joint, angle) in leg.joints().iter().zip(q.iter()) {
            positions[joint.position_index()] = *angle;
        }
        let foot = model.link_transform(leg.foot_link(), &positions);
        assert!((foot.fixed_view::<3, 1>(0, 3) - leg.foot_in_body(q)).norm() < 1e-14);
        assert!((foot - model.base_from_link(leg.foot_link(), &positions).to_homogeneous()).amax() < 1e-14);
        let (jacobian, second) = (leg.jacobian(q), leg.foot_second_derivatives(q));
        for (i, one) in leg.joints().iter().enumerate() {
            let first = model.link_transform_derivative(leg.foot_link(), &positions, one.position_index());
            assert!((first.fixed_view::<3, 1>(0, 3) - jacobian.column(i)).norm() < 1e-14);
            for (j, two) in leg.joints().iter().enumerate() {
                let (a, b) = (one.position_index(), two.position_index());
                let d2 = model.link_transform_second_derivative(leg.foot_link(), &positions, a, b);
                assert!((d2.fixed_view::<3, 1>(0, 3) - second[i].column(j)).norm() < 1e-14);
            }
        }
    });
}

#[test]
fn when_differencing_a_joints_transform_expect_its_derivatives() {
    each_leg(|robot, leg, q, _| {
        for (joint, angle) in leg.joints().iter().zip(q.iter()) {
            let joint = &robot.model().joints()[joint.joint_index()];
            let at = |by: f64| joint.transform(angle + by);
            let first = (at(H) - at(-H)) / (2.0 * H);
            let second = (at(H) - at(0.0) * 2.0 + at(-H)) / (H * H);
            assert!((first - joint.transform_derivative(*angle)).amax() < 1e-9);
            assert!((second - joint.transform_second_derivative(*angle)).amax() < 1e-4);
        }
    });
}
