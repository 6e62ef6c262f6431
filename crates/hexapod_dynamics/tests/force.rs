//! Forces on a foot found again from simulated motion and torques.

use crate::common::swing::{Swing, WEIGHT_N};
use crate::common::{FIVE_JOINTS, Random, SHIPPED, leg};
use hexapod_dynamics::{BaseMotion, ContactEvidence, ForceEstimator, ForceSettings, Friction, JointVector, LegForces};
use hexapod_kinematics::{JointMotion, LegAngles};
use nalgebra::Vector3;

fn rocking(t: f64) -> BaseMotion {
    let (sin, cos) = (3.0 * t).sin_cos();
    BaseMotion {
        angular_velocity: Vector3::new(0.3 * sin, -0.2 * cos, 0.1),
        angular_acceleration: Vector3::new(0.9 * cos, 0.6 * sin, 0.0),
        acceleration: Vector3::new(0.5 * cos, 0.2, sin),
        gravity: Vector3::new(0.6, -0.3, -9.7),
    }
}

fn sine(t: f64) -> Vector3<f64> {
    Vector3::new((7.0 * t).sin(), 2.0 * (5.0 * t).cos(), 4.0 + 3.0 * (6.0 * t).sin())
}

fn step(t: f64) -> Vector3<f64> {
    if t < 0.5 { Vector3::zeros() } else { Vector3::new(1.0, -0.5, 4.0) }
}

#[test]
fn when_nothing_is_noisy_expect_the_direct_force_to_a_millionth_of_a_newton() {
    for text in [SHIPPED, FIVE_JOINTS] {
        let swing = Swing::of(text);
        for force in [sine, step] {
            let mut estimator = swing.estimator(0.01);
            for k in 0..200 {
                let t = 0.01 * f64::from(k);
                let base = rocking(t);
                let found = estimator.update(&swing.motion(t), &swing.torques(t, &force(t), &base), &base).direct;
                assert!(found.valid && !found.damped, "{found:?}");
                assert!((found.force - force(t)).norm() < 1e-6, "{} {}", found.force, force(t));
            }
        }
    }
}

#[test]
fn when_a_force_steps_on_a_still_leg_expect_the_observer_to_answer_first_order_at_its_gain() {
    let swing = Swing::of(SHIPPED).still();
    let (h, gain) = (0.001, 150.0);
    let mut estimator = swing.estimator(h);
    for k in 0..800 {
        let t = h * f64::from(k);
        let base = BaseMotion::level();
        let found = estimator.update(&swing.motion(t), &swing.torques(t, &step(t), &base), &base).observer;
        if t < 0.5 - 0.5 * h {
            assert!(k == 0 || found.force.norm() < 1e-9);
            continue;
        }
        // Between two samples the force is taken to rise evenly: in the mean, half a sample early.
        let expect = step(t) * (1.0 - (-gain * (t - 0.5 + 0.5 * h)).exp());
        assert!((found.force - expect).norm() < 5e-3 * step(t).norm(), "{t}: {} {expect}", found.force);
    }
}

#[test]
fn when_leg_and_base_move_expect_the_observer_to_be_a_first_order_filter_of_the_torques_of_contact() {
    for text in [SHIPPED, FIVE_JOINTS] {
        let swing = Swing::of(text);
        let (h, gain, fine) = (0.002, 150.0, 40);
        let mut estimator = swing.estimator(h);
        let (mut filtered, mut worst) = (JointVector::zeros(), 0.0f64);
        for k in 0..500 {
            let t = h * f64::from(k);
            let found = estimator.update(&swing.motion(t), &swing.torques(t, &sine(t), &rocking(t)), &rocking(t));
            let placed = swing.leg.at(&swing.motion(t).angles);
            if t > 0.1 {
                let off = placed.jacobian().transpose() * found.observer.force - filtered;
                // A leg of five joints has torques that no force on the foot makes: only the filter of its own is seen.
                let seen = if swing.leg.joint_count() == 3 { off.norm() } else { 0.0 };
                worst = worst.max(seen);
                assert!((found.observer.force - sine(t)).norm() < 1.0, "{t}: {}", found.observer.force);
            }
            for i in 0..fine {
                let at = t + h * (f64::from(i) + 0.5) / f64::from(fine);
                let jacobian = swing.leg.at(&swing.motion(at).angles).jacobian();
                let decay = (-gain * h / f64::from(fine)).exp();
                filtered = filtered * decay + jacobian.transpose() * sine(at) * (1.0 - decay);
            }
        }
        assert!(worst < 1e-3, "{worst} N m");
    }
}

#[test]
fn when_the_leg_is_stretched_expect_a_damped_force_that_says_so() {
    let mut swing = Swing::of(SHIPPED).still();
    swing.middle = LegAngles::from([0.0, 0.0, 0.0]);
    let base = BaseMotion::level();
    let force = Vector3::new(3.0, 0.0, 4.0);
    let found = swing.estimator(0.01).update(&swing.motion(0.0), &swing.torques(0.0, &force, &base), &base).direct;
    assert!(found.valid && found.damped && found.singular_value_m < 1e-3, "{found:?}");
    assert!((found.force.z - 4.0).abs() < 0.1 && found.force.norm() < WEIGHT_N, "{}", found.force);
    let deviations: Vec<f64> = found.covariance.symmetric_eigenvalues().iter().map(|v| v.sqrt()).collect();
    assert!(deviations.iter().any(|d| (d - WEIGHT_N).abs() < 0.1 * WEIGHT_N), "{deviations:?}");
}

fn check(forces: &LegForces) {
    for estimate in [&forces.direct, &forces.observer] {
        assert!(estimate.force.iter().chain(estimate.covariance.iter()).all(|x| x.is_finite()), "{estimate:?}");
        assert!((0.0..=1.0).contains(&estimate.contact_probability), "{estimate:?}");
    }
}

#[test]
fn when_samples_are_any_numbers_expect_finite_forces_and_recovery_after_them() {
    let swing = Swing::of(SHIPPED);
    let (mut estimator, mut random) = (swing.estimator(0.01), Random(17));
    let base = BaseMotion::level();
    for round in 0..20_000 {
        let mut any = || LegAngles::from_fn(3, |_| if random.unit() < 0.3 { random.any() } else { 0.3 });
        let motion = JointMotion { angles: any(), speeds: any(), accelerations: any(), valid: true };
        let torques = JointVector::from(*any().padded());
        let spin = Vector3::from_column_slice(&any());
        check(&estimator.update(&motion, &torques, &BaseMotion { angular_velocity: spin, gravity: spin, ..base }));
        if round % 100 == 0 {
            (0..40).for_each(|k| {
                let t = 0.01 * f64::from(k);
                let forces = estimator.update(&swing.motion(t), &swing.torques(t, &sine(t), &base), &base);
                assert!(k < 2 || forces.direct.valid && forces.observer.valid, "round {round}: {forces:?}");
                assert!(k < 39 || (forces.observer.force - sine(t)).norm() < 1.0, "{forces:?}");
            });
        }
    }
}

#[test]
fn when_motion_is_not_valid_or_of_another_leg_expect_no_valid_force() {
    let (swing, base) = (Swing::of(SHIPPED), BaseMotion::level());
    let mut estimator = swing.estimator(0.01);
    let mut valid = |motion: JointMotion, torques: JointVector| {
        let forces = estimator.update(&motion, &torques, &base);
        [forces.direct.valid, forces.observer.valid]
    };
    let (good, torques) = (swing.motion(0.0), swing.torques(0.0, &Vector3::zeros(), &base));
    assert_eq!([valid(good, torques), valid(good, torques)], [[true, false], [true, true]]);
    assert_eq!(valid(JointMotion { valid: false, ..good }, torques), [false; 2]);
    assert_eq!(valid(good, torques), [true, false], "the observer begins anew");
    assert_eq!(valid(JointMotion { angles: LegAngles::zeros(4), ..good }, torques), [false; 2]);
    assert_eq!(valid(JointMotion { angles: LegAngles::from([f64::NAN; 3]), ..good }, torques), [false; 2]);
    assert_eq!(valid(good, JointVector::repeat(f64::NAN)), [false; 2]);
    let mut with_rest = torques;
    with_rest[4] = f64::NAN;
    assert_eq!([valid(good, with_rest), valid(good, with_rest)], [[true, false], [true, true]]);
}

#[test]
fn when_both_forces_are_there_expect_the_observer_to_speak_for_contact() {
    let (swing, base) = (Swing::of(SHIPPED), BaseMotion::level());
    let mut estimator = swing.estimator(0.005);
    let torques = swing.torques(0.0, &(Vector3::z() * 2.2), &base);
    let mut evidence = || {
        let forces = estimator.update(&swing.motion(0.0), &torques, &base);
        (ContactEvidence::default().with_forces(&forces).force_probability, forces)
    };
    let (first, forces) = evidence();
    assert_eq!(first, Some(forces.direct.contact_probability), "the observer has nothing to say yet");
    let (second, forces) = evidence();
    assert_eq!(second, Some(forces.direct.contact_probability), "it has not settled");
    let (settled, forces) = (0..5).map(|_| evidence()).last().unwrap();
    assert_eq!(settled, Some(forces.observer.contact_probability));
    assert_ne!(settled, Some(forces.direct.contact_probability));
    let mut rare = swing.estimator(0.01);
    let forces = (0..2).map(|_| rare.update(&swing.motion(0.0), &torques, &base)).last().unwrap();
    assert!(forces.observer.valid && forces.best() == Some(&forces.direct), "the observer would only lag");
    let invalid = estimator.update(&swing.motion(0.0), &JointVector::repeat(f64::NAN), &base);
    assert_eq!(ContactEvidence::default().with_forces(&invalid).force_probability, None);
}

#[test]
fn when_motors_turn_rotors_and_rub_expect_the_force_without_either() {
    let swing = Swing::of(SHIPPED);
    let described = ForceSettings::for_robot(&swing.leg, WEIGHT_N, 0.01);
    assert_eq!(
        (described.friction[0].coulomb_nm, described.friction[2].viscous_nm_s),
        (0.03, 0.01),
        "as the URDF says"
    );
    let settings = ForceSettings { rotor_inertias: JointVector::repeat(0.003), ..described };
    let error = |settings: ForceSettings| {
        let mut estimator = ForceEstimator::try_new(swing.leg.clone(), settings).unwrap();
        let off = |k: u32| {
            let (t, base) = (0.01 * f64::from(k), BaseMotion::level());
            let motion = swing.motion(t);
            let motors = JointVector::from_fn(|i, _| match (motion.speeds.get(i), motion.accelerations.get(i)) {
                (Some(speed), Some(acceleration)) => 0.003 * acceleration + 0.03 * speed.signum() + 0.01 * speed,
                _ => 0.0,
            });
            let found = estimator.update(&motion, &(swing.torques(t, &sine(t), &base) + motors), &base);
            // Where a joint turns back, nobody knows which way it rubs.
            let turns = motion.speeds.iter().any(|speed| speed.abs() < 0.2);
            let off = [found.direct.force, found.observer.force].map(|force| (force - sine(t)).norm());
            if k < 20 || turns { [0.0; 2] } else { off }
        };
        (0..300).map(off).fold([0.0f64; 2], |worst, off| [worst[0].max(off[0]), worst[1].max(off[1])])
    };
    let [direct, observer] = error(settings);
    assert!(direct < 0.05 && observer < 1.0, "{direct} {observer}");
    let [without, _] = error(swing.settings(0.01));
    assert!(without > 1.0, "{without}");
}

#[test]
fn when_a_setting_makes_no_sense_expect_its_name() {
    let leg = leg(SHIPPED);
    let good = ForceSettings::for_robot(&leg, WEIGHT_N, 0.01);
    let refused = |settings| ForceEstimator::try_new(leg.clone(), settings).unwrap_err().setting;
    assert_eq!(refused(ForceSettings { step_s: 0.0, ..good }), "step_s");
    assert_eq!(refused(ForceSettings { prior_n: f64::NAN, ..good }), "prior_n");
    assert_eq!(refused(ForceSettings { singular_m: -1.0, ..good }), "singular_m");
    assert_eq!(refused(ForceSettings { gains_per_s: JointVector::zeros(), ..good }), "gains_per_s");
    assert_eq!(refused(ForceSettings::for_robot(&leg, 0.0, 0.01)), "prior_n");
    assert_eq!(refused(ForceSettings { rotor_inertias: JointVector::repeat(-1.0), ..good }), "rotor_inertias");
    let friction = [Friction { coulomb_nm: f64::NAN, viscous_nm_s: 0.0 }; 6];
    assert_eq!(refused(ForceSettings { friction, ..good }), "friction");
}
