//! Predicted loads: they make up weight and moment, stay in the friction cones and change smoothly.

use crate::common::{Random, SHIPPED, robot};
use hexapod_dynamics::{BalanceError, BaseMotion, Ground, Load, LoadPredictor, foot_forces};
use hexapod_kinematics::{LegAngles, Robot};
use nalgebra::Vector3;

const STAND: [f64; 3] = [0.0, 0.6, -1.7];

fn stand(robot: &Robot) -> Vec<LegAngles> {
    // Not the same on all legs, so that the centre of mass is not in the middle.
    let turned = |k: usize| LegAngles::from([0.1 * k as f64 - 0.2, STAND[1], STAND[2] + 0.02 * k as f64]);
    (0..robot.legs().len()).map(turned).collect()
}

#[test]
fn when_feet_stand_expect_forces_that_make_up_weight_and_moment_inside_their_cones() {
    let mut random = Random(3);
    let (mut solved, mut unbalanced) = (0, 0);
    for _ in 0..5000 {
        let count = 3 + (random.unit() * 6.0) as usize;
        let feet: Vec<Option<Vector3<f64>>> = (0..count)
            .map(|k| {
                let turn = std::f64::consts::TAU * k as f64 / count as f64 + random.range(0.3);
                let foot = Vector3::new(0.2 * turn.cos(), 0.15 * turn.sin(), -0.1) + random.vector(0.03);
                (k < 3 || random.unit() < 0.7).then_some(foot)
            })
            .collect();
        let normal = (Vector3::z() + random.vector(0.2)).normalize();
        let base = BaseMotion { acceleration: random.vector(1.0), ..BaseMotion::at_rest(-9.81 * normal) };
        let load = Load::of_robot(2.0, &random.vector(0.05), &base);
        match foot_forces(&feet, &Ground { normal, friction: 0.6 }, &load) {
            Err(error) => {
                assert_eq!(error, BalanceError::Unbalanced);
                unbalanced += 1;
            }
            Ok(forces) => {
                solved += 1;
                let sum: Vector3<f64> = forces.iter().sum();
                let moments = forces.iter().zip(&feet).filter_map(|(force, foot)| Some(foot.as_ref()?.cross(force)));
                assert!((sum - load.force).norm() < 1e-6, "{sum} {}", load.force);
                assert!((moments.sum::<Vector3<f64>>() - load.moment).norm() < 1e-6);
                for (k, force) in forces.iter().enumerate() {
                    let up = force.dot(&normal);
                    assert!(up > -1e-8 && (force - up * normal).norm() < 0.6 * up + 1e-8, "{force}");
                    assert!(feet.get(k).is_some_and(Option::is_some) || *force == Vector3::zeros());
                }
            }
        }
    }
    println!("{solved} held, {unbalanced} tip over or slip");
    assert!(solved > 3000 && unbalanced > 10);
}

#[test]
fn when_statics_leaves_forces_open_expect_the_least_and_a_smooth_way_through() {
    // A table of four legs: by statics alone any share of one diagonal may go to the other.
    let corners = [(0.1, 0.1), (0.1, -0.1), (-0.1, -0.1), (-0.1, 0.1)];
    let feet = corners.map(|(x, y)| Some(Vector3::new(x, y, -0.1)));
    let ground = Ground { normal: Vector3::z(), friction: 0.6 };
    let at = |x: f64, y: f64| {
        let load = Load::of_robot(2.0, &Vector3::new(x, y, 0.0), &BaseMotion::level());
        foot_forces(&feet, &ground, &load).unwrap()
    };
    let even = 2.0 * hexapod_dynamics::STANDARD_GRAVITY / 4.0;
    assert!(at(0.0, 0.0).iter().take(4).all(|force| (force - even * Vector3::z()).norm() < 1e-9));
    // The centre of mass goes round near the edges: forces of feet vanish and come back.
    let (mut last, mut greatest, mut lifted) = (at(0.08, 0.0), 0.0f64, false);
    for k in 1..=2000 {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 2000.0).sin_cos();
        let now = at(0.08 * cos, 0.08 * sin);
        greatest = now.iter().zip(&last).map(|(a, b)| (a - b).norm()).fold(greatest, f64::max);
        lifted |= now.iter().take(4).any(|force| force.z < 1e-9);
        last = now;
    }
    println!("greatest change over 0.25 mm: {greatest:.4} N");
    assert!(lifted && greatest < 0.1, "{greatest}");
}

#[test]
fn when_the_centre_of_mass_leaves_the_support_polygon_expect_unbalanced() {
    let feet = [(0.1, 0.1), (0.1, -0.1), (-0.1, 0.0)].map(|(x, y)| Some(Vector3::new(x, y, -0.1)));
    let ground = Ground { normal: Vector3::z(), friction: 0.6 };
    let at =
        |x: f64| foot_forces(&feet, &ground, &Load::of_robot(2.0, &Vector3::new(x, 0.0, 0.0), &BaseMotion::level()));
    assert!(at(0.099).is_ok() && at(-0.099).is_ok());
    assert_eq!(at(0.101), Err(BalanceError::Unbalanced));
    let ice = Ground { friction: 0.0, ..ground };
    let outside = Load::of_robot(2.0, &Vector3::new(0.101, 0.0, 0.0), &BaseMotion::level());
    assert_eq!(foot_forces(&feet, &ice, &outside), Err(BalanceError::Unbalanced), "no foot pulls");
    let tilted = BaseMotion::at_rest(Vector3::new(8.0, 0.0, -8.0));
    let slides = foot_forces(&feet, &ground, &Load::of_robot(2.0, &Vector3::zeros(), &tilted));
    assert_eq!(slides, Err(BalanceError::Unbalanced));
    assert_eq!(
        foot_forces(&[], &ground, &Load::of_robot(2.0, &Vector3::zeros(), &tilted)),
        Err(BalanceError::Unbalanced)
    );
}

#[test]
fn when_the_robot_stands_expect_torques_that_do_the_work_of_its_weight() {
    let robot = robot(SHIPPED);
    let mut predictor = LoadPredictor::new(&robot, 0.7);
    let (angles, base) = (stand(&robot), BaseMotion::level());
    let tripod = [true, false, true, false, true, false];
    for on_ground in [[true; 6], tripod] {
        let prediction = predictor.predict(&angles, &on_ground, &base).unwrap();
        let sum: Vector3<f64> = prediction.forces.iter().sum();
        assert!((sum.z - 2.0 * hexapod_dynamics::STANDARD_GRAVITY).abs() < 1e-6 && sum.xy().norm() < 1e-6, "{sum}");
        let mut positions = vec![0.0; robot.model().position_count()];
        for (leg, angles) in robot.legs().iter().zip(&angles) {
            leg.joints()
                .iter()
                .zip(angles.iter())
                .for_each(|(joint, angle)| positions[joint.position_index()] = *angle);
        }
        let feet = robot.legs().iter().zip(&angles).map(|(leg, angles)| leg.foot_in_body(angles));
        let moment: Vector3<f64> = feet.zip(&prediction.forces).map(|(foot, force)| foot.cross(force)).sum();
        assert!((moment - robot.model().centre_of_mass(&positions).cross(&sum)).norm() < 1e-6, "{moment}");
        // Virtual work: torques times small turns are the rise of the leg's mass less the work of the ground.
        for (k, leg) in robot.legs().iter().enumerate() {
            let turn = 1e-6;
            for joint in 0..3 {
                let moved = LegAngles::from_fn(3, |i| angles[k][i] + if i == joint { turn } else { 0.0 });
                let dynamics = hexapod_dynamics::LegDynamics::new(robot.model(), leg);
                let still = LegAngles::zeros(3);
                let height = |a: &LegAngles| dynamics.at(a).energy(&still, &base.gravity);
                let foot = leg.foot_in_body(&moved) - leg.foot_in_body(&angles[k]);
                let work = height(&moved) - height(&angles[k]) - prediction.forces[k].dot(&foot);
                assert!((prediction.torques[k][joint] - work / turn).abs() < 1e-4, "{prediction:?}");
            }
        }
        assert_eq!(predictor.overloads(&prediction, 1.0).count(), 0, "the shipped robot can stand");
        let hanging = predictor.hanging(&angles, &base);
        assert!((hanging.torques[1] - prediction.torques[1]).norm() < 1e-12 || on_ground[1], "in the air");
        assert!(hanging.torques[0].norm() < 0.5 * prediction.torques[0].norm());
    }
}

#[test]
fn when_a_torque_is_above_what_a_joint_gives_expect_the_joint_named() {
    let weak = robot(&SHIPPED.replace("effort=\"1.8\"", "effort=\"0.1\""));
    let mut predictor = LoadPredictor::new(&weak, 0.7);
    let prediction =
        predictor.predict(&stand(&weak), &[true, false, true, false, true, false], &BaseMotion::level()).unwrap();
    let overloads: Vec<_> = predictor.overloads(&prediction, 1.0).collect();
    assert!(overloads.iter().any(|o| o.leg == 0 && o.joint == 1), "{overloads:?}");
    assert!(overloads.iter().all(|o| o.torque_nm.abs() > 0.1 && o.limit_nm == 0.1));
    let unknown = LoadPredictor::new(&robot(&SHIPPED.replace("effort=\"1.8\"", "effort=\"0\"")), 0.7);
    assert_eq!(unknown.overloads(&prediction, 1.0).count(), 0, "no limit is given");
    assert!(!overloads.iter().any(|o| o.leg == 1), "a leg in the air carries only itself: {overloads:?}");
}

#[test]
fn when_numbers_are_any_expect_an_error_or_finite_forces() {
    let mut random = Random(12);
    let robot = robot(SHIPPED);
    let mut predictor = LoadPredictor::new(&robot, 0.7);
    for _ in 0..5000 {
        let mut number = || if random.unit() < 0.2 { random.any() } else { random.range(0.2) };
        let feet: Vec<_> = (0..6).map(|_| Some(Vector3::from_fn(|_, _| number()))).collect();
        let load = Load { force: Vector3::new(number(), number(), 20.0), moment: Vector3::from_fn(|_, _| number()) };
        let ground = Ground { normal: Vector3::new(number(), number(), 1.0), friction: number() };
        if let Ok(forces) = foot_forces(&feet, &ground, &load) {
            assert!(forces.iter().all(|force| force.iter().all(|x| x.is_finite())));
        }
        let angles: Vec<_> = (0..5).map(|_| LegAngles::from_fn(4, |_| number())).collect();
        let base = BaseMotion { angular_velocity: Vector3::from_fn(|_, _| number()), ..BaseMotion::level() };
        if let Ok(prediction) = predictor.predict(&angles, &[true; 9], &base) {
            assert!(prediction.torques.iter().all(|torques| torques.iter().all(|x| x.is_finite())));
        }
    }
    assert_eq!(
        foot_forces(
            &[None; 9],
            &Ground { normal: Vector3::z(), friction: 0.5 },
            &Load { force: Vector3::z(), moment: Vector3::zeros() }
        ),
        Err(BalanceError::Feet(9))
    );
}
