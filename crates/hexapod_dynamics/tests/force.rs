//! Forces on a foot found again from simulated motion and torques, with and without the errors of hobby servos.
#![allow(clippy::unwrap_used)]

mod common;

use common::{FIVE_JOINTS, Random, SHIPPED, leg};
use hexapod_dynamics::{
    BaseMotion, ContactDetector, ContactEvidence, ContactSettings, ForceEstimator, ForceSettings, JointVector,
    LegDynamics, LegForces, LegState, STANDARD_GRAVITY,
};
use hexapod_kinematics::{JointMotion, JointSampler, LegAngles};
use nalgebra::Vector3;

const WEIGHT_N: f64 = 2.0 * STANDARD_GRAVITY;

/// A leg that swings as sines do, known exactly.
struct Swing {
    leg: LegDynamics,
    middle: LegAngles,
    size: f64,
    turn: f64,
}

impl Swing {
    fn of(text: &str) -> Self {
        let leg = leg(text);
        let middle = LegAngles::from_slice(&[0.1, 0.5, -1.3, 0.4, 0.3, 0.0][..leg.joint_count()]).unwrap();
        Self { leg, middle, size: 0.3, turn: 2.0 * std::f64::consts::PI }
    }

    fn still(self) -> Self {
        Self { size: 0.0, ..self }
    }

    fn motion(&self, t: f64) -> JointMotion {
        let phase = |i: usize| self.turn * t * (1.0 + 0.3 * i as f64) + i as f64;
        let of = |f: &dyn Fn(usize) -> f64| LegAngles::from_fn(self.leg.joint_count(), f);
        let rate = |i: usize| self.turn * (1.0 + 0.3 * i as f64);
        JointMotion {
            angles: of(&|i| self.middle[i] + self.size * phase(i).sin()),
            speeds: of(&|i| self.size * rate(i) * phase(i).cos()),
            accelerations: of(&|i| -self.size * rate(i) * rate(i) * phase(i).sin()),
            valid: true,
        }
    }

    /// Torques of the servos with this force on the foot.
    fn torques(&self, t: f64, force: &Vector3<f64>, base: &BaseMotion) -> JointVector {
        let motion = self.motion(t);
        let placed = self.leg.at(&motion.angles);
        let own = placed.inverse_dynamics(&motion.speeds, &motion.accelerations, base);
        own - placed.jacobian().transpose() * force
    }

    fn estimator(&self, step_s: f64) -> ForceEstimator {
        let settings = ForceSettings::for_robot(&self.leg, WEIGHT_N, step_s);
        ForceEstimator::try_new(self.leg.clone(), settings).unwrap()
    }
}

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

/// What servos report: quantised positions, and quantised efforts each 20 ms.
struct Servos {
    random: Random,
    sampler: JointSampler,
    effort: JointVector,
}

impl Servos {
    /// Encoder and load of a STS3215: 4096 counts a turn, a thousandth of 2.9 N m, and one count of noise.
    const COUNT_RAD: f64 = std::f64::consts::TAU / 4096.0;
    const LOAD_NM: f64 = 0.0029;

    fn new(seed: u64, step_s: f64) -> Self {
        let sampler = JointSampler::try_new(3, step_s, 5).unwrap();
        Self { random: Random(seed), sampler, effort: JointVector::zeros() }
    }

    fn motion(&mut self, truth: &JointMotion) -> JointMotion {
        let random = &mut self.random;
        let read = |x: f64, noise: f64| ((x + noise) / Self::COUNT_RAD).round() * Self::COUNT_RAD;
        let angles = LegAngles::from_fn(3, |i| read(truth.angles[i], random.normal(0.5 * Self::COUNT_RAD)));
        self.sampler.add(&angles)
    }

    fn effort(&mut self, truth: &JointVector) -> JointVector {
        let random = &mut self.random;
        self.effort = truth.map(|x| ((x + random.normal(Self::LOAD_NM)) / Self::LOAD_NM).round() * Self::LOAD_NM);
        (3..6).for_each(|i| self.effort[i] = 0.0);
        self.effort
    }
}

fn detector(state: LegState) -> ContactDetector {
    ContactDetector::new(ContactSettings::default(), state)
}

#[test]
fn when_servos_are_noisy_expect_forces_within_five_per_cent_of_the_weight() {
    for (step_s, each) in [(0.01, 2), (0.02, 1)] {
        let (swing, mut servos) = (Swing::of(SHIPPED), Servos::new(1, step_s));
        let mut estimator = swing.estimator(step_s);
        let (mut direct, mut observer, mut count) = (0.0, 0.0, 0.0);
        for k in 0..3000 {
            let t = step_s * f64::from(k);
            let base = BaseMotion::level();
            let force = Vector3::new(0.5, 0.0, 4.0);
            let torques = swing.torques(t, &force, &base);
            let effort = if k % each == 0 { servos.effort(&torques) } else { servos.effort };
            let found = estimator.update(&servos.motion(&swing.motion(t)), &effort, &base);
            if t > 0.2 {
                direct += (found.direct.force - force).norm_squared();
                observer += (found.observer.force - force).norm_squared();
                count += 1.0;
            }
        }
        let [direct, observer] = [direct, observer].map(|sum: f64| (sum / count).sqrt());
        println!(
            "positions at {:.0} Hz, efforts at 50 Hz: RMS error direct {direct:.3} N, observer {observer:.3} N",
            1.0 / step_s
        );
        assert!(direct < 0.05 * WEIGHT_N && observer < 0.05 * WEIGHT_N, "{direct} {observer}");
    }
}

/// Time from a step of a fifth of the weight to SUPPORT, s.
fn delay(seed: u64, step_s: f64, each: u32) -> f64 {
    let (swing, mut servos) = (Swing::of(SHIPPED), Servos::new(seed, step_s));
    let (mut estimator, mut detector) = (swing.estimator(step_s), detector(LegState::Swing));
    // The ground comes at any time between two samples.
    let touch = 0.3 + 0.7 * servos.random.unit();
    for k in 0.. {
        let t = step_s * f64::from(k);
        let base = BaseMotion::level();
        let force = if t < touch { Vector3::zeros() } else { Vector3::z() * 0.2 * WEIGHT_N };
        let torques = swing.torques(t, &force, &base);
        let effort = if k % each == 0 { servos.effort(&torques) } else { servos.effort };
        let forces = estimator.update(&servos.motion(&swing.motion(t)), &effort, &base);
        let contact = detector.update(&ContactEvidence::default().with_forces(&forces), step_s);
        if contact.state == LegState::Support {
            return t - touch;
        }
        assert!(t < 2.0, "never");
    }
    f64::INFINITY
}

#[test]
fn when_a_fifth_of_the_weight_comes_down_expect_contact_within_30_ms() {
    for (step_s, each, target) in [(0.005, 1, 0.030), (0.01, 1, 0.030), (0.01, 2, 0.040), (0.02, 1, 0.060)] {
        let delays: Vec<f64> = (0..300).map(|seed| delay(seed, step_s, each)).collect();
        let worst = delays.iter().copied().fold(0.0, f64::max);
        let mean = delays.iter().sum::<f64>() / 300.0;
        let rates = (1.0 / step_s, 1.0 / step_s / f64::from(each));
        println!(
            "positions at {:.0} Hz, efforts at {:.0} Hz: contact after {mean:.4} s, at most {worst:.4} s",
            rates.0, rates.1
        );
        assert!(delays.iter().all(|d| *d >= 0.0), "contact before touch");
        assert!(worst <= target, "{worst}");
    }
}

#[test]
fn when_a_leg_swings_for_ten_minutes_expect_no_false_contact() {
    for (step_s, each) in [(0.01, 2), (0.02, 1)] {
        let (swing, mut servos) = (Swing::of(SHIPPED), Servos::new(99, step_s));
        let (mut estimator, mut detector) = (swing.estimator(step_s), detector(LegState::Swing));
        let mut greatest = 0.0f64;
        for k in 0..(600.0 / step_s) as u32 {
            let t = step_s * f64::from(k);
            let base = BaseMotion::level();
            let torques = swing.torques(t, &Vector3::zeros(), &base);
            let effort = if k % each == 0 { servos.effort(&torques) } else { servos.effort };
            let forces = estimator.update(&servos.motion(&swing.motion(t)), &effort, &base);
            let contact = detector.update(&ContactEvidence::default().with_forces(&forces), step_s);
            assert_eq!(contact.state, LegState::Swing, "{t} s: {forces:?}");
            greatest = greatest.max(forces.observer.contact_probability);
        }
        println!("ten minutes of free swing at {:.0} Hz: greatest probability of contact {greatest:.3}", 1.0 / step_s);
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
    let mut estimator = swing.estimator(0.01);
    let torques = swing.torques(0.0, &(Vector3::z() * 2.2), &base);
    let mut evidence = || {
        let forces = estimator.update(&swing.motion(0.0), &torques, &base);
        (ContactEvidence::default().with_forces(&forces).force_probability, forces)
    };
    let (first, forces) = evidence();
    assert_eq!(first, Some(forces.direct.contact_probability), "the observer has nothing to say yet");
    let (second, forces) = evidence();
    assert_eq!(second, Some(forces.observer.contact_probability));
    assert_ne!(second, Some(forces.direct.contact_probability));
    let invalid = estimator.update(&swing.motion(0.0), &JointVector::repeat(f64::NAN), &base);
    assert_eq!(ContactEvidence::default().with_forces(&invalid).force_probability, None);
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
}
