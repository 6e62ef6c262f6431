//! Base parameters, and their identification from simulated logs.

use crate::common::{FIVE_JOINTS, Random, SHIPPED, leg};
use hexapod_dynamics::{
    BaseMotion, BaseParameters, Excitation, Identified, IdentifyError, IdentifyOptions, JointVector, LegDynamics,
    LegSample, identify, smooth_motion,
};
use hexapod_kinematics::LegAngles;

const PLAIN: IdentifyOptions = IdentifyOptions { friction: false, average: 10 };
const FRICTION: IdentifyOptions = IdentifyOptions { friction: true, average: 1 };

fn level() -> Excitation {
    Excitation::StillBase(BaseMotion::level().gravity)
}

#[test]
fn when_parameters_are_grouped_expect_the_same_torques_from_the_base_parameters() {
    let mut random = Random(2);
    for (text, still, moving) in [(SHIPPED, 15, 21), (FIVE_JOINTS, 0, 0)] {
        let leg = leg(text);
        let n = leg.joint_count();
        for (excitation, expect) in [(level(), still), (Excitation::MovingBase, moving)] {
            let base_parameters = BaseParameters::of(&leg, &excitation);
            println!("{} base parameters of {}: {:#?}", base_parameters.count(), 10 * n, base_parameters.grouping());
            assert!(expect == 0 || base_parameters.count() == expect, "{}", base_parameters.count());
            let values = base_parameters.values(&leg.parameters());
            let bare = leg.with_parameters(&base_parameters.parameters(&values));
            for _ in 0..100 {
                let (q, v, a) = (random.angles(n, 3.0), random.angles(n, 5.0), random.angles(n, 40.0));
                let base = match excitation {
                    Excitation::StillBase(gravity) => BaseMotion::at_rest(gravity),
                    Excitation::MovingBase => BaseMotion {
                        angular_velocity: random.vector(2.0),
                        angular_acceleration: random.vector(9.0),
                        acceleration: random.vector(5.0),
                        gravity: random.vector(9.8),
                    },
                };
                let torques = leg.inverse_dynamics(&q, &v, &a, &base);
                let regressor = base_parameters.regressor(&leg, &q, &v, &a, &base);
                let by_regressor = &regressor * nalgebra::DVector::from_vec(values.clone());
                assert_eq!(regressor.shape(), (n, base_parameters.count()));
                let by_bare = bare.inverse_dynamics(&q, &v, &a, &base);
                for joint in 0..n {
                    assert!((torques[joint] - by_regressor[joint]).abs() < 1e-9 * torques.norm().max(1.0));
                    assert!((torques[joint] - by_bare[joint]).abs() < 1e-9 * torques.norm().max(1.0));
                }
            }
        }
    }
}

/// A log of a leg of the shipped robot that is moved by sums of sines: positions read at 200 Hz through the noise of
/// an encoder and the steps of a servo's load, `noise` times those of a STS3215.
fn log(leg: &LegDynamics, seed: u64, seconds: f64, noise: f64, friction: [f64; 2]) -> Vec<LegSample> {
    let (step, n, mut random) = (0.005, 3, Random(seed));
    let (count_rad, load_nm) = (noise * std::f64::consts::TAU / 4096.0, noise * 0.0029);
    let terms: Vec<[f64; 3]> = (0..15)
        .map(|k| [[0.13, 0.2, 0.2][k / 5], 6.0 + 14.0 * random.unit(), std::f64::consts::TAU * random.unit()])
        .collect();
    let of = |t: f64, order: i32| {
        LegAngles::from_fn(n, |i| {
            let sum: f64 = (0..5)
                .map(|k| {
                    let [size, rate, phase] = terms[5 * i + k];
                    let angle = rate * t + phase + f64::from(order) * std::f64::consts::FRAC_PI_2;
                    size * rate.powi(order) * angle.sin()
                })
                .sum();
            sum + if order == 0 { [0.0, 0.2, -1.0][i] } else { 0.0 }
        })
    };
    let base = BaseMotion::level();
    let steps = (seconds / step) as usize;
    let mut read =
        |x: f64, unit: f64| if unit > 0.0 { ((x + random.normal(0.5 * unit)) / unit).round() * unit } else { x };
    let (mut angles, mut torques) = (Vec::new(), Vec::new());
    for k in 0..steps {
        let t = step * k as f64;
        let (q, v, a) = (of(t, 0), of(t, 1), of(t, 2));
        let own = leg.inverse_dynamics(&q, &v, &a, &base);
        angles.push(LegAngles::from_fn(n, |i| read(q[i], count_rad)));
        let with_friction = |i: usize| own[i] + friction[0] * v[i].signum() + friction[1] * v[i];
        torques.push(JointVector::from_fn(|i, _| if i < n { read(with_friction(i), load_nm) } else { 0.0 }));
    }
    let motion = smooth_motion(&angles, step, if noise > 0.0 { 11 } else { 3 }).unwrap();
    let valid = motion.iter().zip(torques).filter(|(motion, _)| motion.valid);
    valid
        .map(|(motion, torques)| LegSample {
            angles: motion.angles,
            speeds: motion.speeds,
            accelerations: motion.accelerations,
            torques,
            base,
        })
        .collect()
}

/// Greatest error of a base parameter, as a part of it; of one that is zero, as a part of the greatest of its unit.
fn worst_error(leg: &LegDynamics, parameters: &BaseParameters, found: &Identified) -> f64 {
    let truth = parameters.values(&leg.parameters());
    let grouping = parameters.grouping();
    let of_unit = |name: &str| {
        let same = grouping.iter().zip(&truth).filter(|(other, _)| other.starts_with('I') == name.starts_with('I'));
        same.map(|(_, value)| value.abs()).fold(0.0, f64::max)
    };
    let mut worst = 0.0f64;
    for (((name, truth), value), deviation) in grouping.iter().zip(&truth).zip(&found.values).zip(&found.deviations) {
        let against = if truth.abs() > 1e-12 { truth.abs() } else { of_unit(name) };
        let error = (value - truth).abs() / against;
        println!("{value:+.6e} +- {deviation:.1e}, error {:6.3} %: {name}", 100.0 * error);
        worst = worst.max(error);
    }
    println!("condition {:.1}, residuals {:?} N m, {} samples", found.condition, found.residuals_nm, found.used);
    worst
}

#[test]
fn when_a_log_of_the_shipped_leg_is_noisy_expect_its_base_parameters_within_one_per_cent() {
    let leg = leg(SHIPPED);
    let parameters = BaseParameters::of(&leg, &level());
    for seed in 1..=4 {
        let samples = log(&leg, seed, 300.0, 1.0, [0.0; 2]);
        let fastest =
            samples.iter().flat_map(|sample| sample.speeds.to_vec()).fold(0.0, |most: f64, v| most.max(v.abs()));
        let found = identify(&leg, &parameters, PLAIN, samples).unwrap();
        let worst = worst_error(&leg, &parameters, &found);
        println!("log {seed}: at most {fastest:.1} rad/s, greatest error {:.2} %", 100.0 * worst);
        assert!(worst < 0.01 && found.condition < 30.0, "{worst} {}", found.condition);
    }
}

#[test]
fn when_joints_rub_expect_friction_found_and_distinguished_from_the_parameters() {
    let leg = leg(SHIPPED);
    let parameters = BaseParameters::of(&leg, &level());
    let samples = log(&leg, 1, 60.0, 0.0, [0.04, 0.01]);
    let found = identify(&leg, &parameters, FRICTION, samples.clone()).unwrap();
    for friction in &found.friction {
        assert!(
            (friction.coulomb_nm - 0.04).abs() < 1e-3 && (friction.viscous_nm_s - 0.01).abs() < 1e-3,
            "{friction:?}"
        );
    }
    assert!(worst_error(&leg, &parameters, &found) < 0.01);
    assert!(worst_error(&leg, &parameters, &identify(&leg, &parameters, PLAIN, samples).unwrap()) > 0.05);
}

#[test]
fn when_one_joint_is_much_noisier_expect_it_to_weigh_less() {
    let leg = leg(SHIPPED);
    let parameters = BaseParameters::of(&leg, &level());
    let mut random = Random(5);
    let mut noisy = log(&leg, 1, 60.0, 0.0, [0.0; 2]);
    noisy.iter_mut().for_each(|sample| sample.torques[0] += random.normal(0.5));
    let found = identify(&leg, &parameters, IdentifyOptions { friction: false, average: 1 }, noisy.clone()).unwrap();
    let worst = worst_error(&leg, &parameters, &found);
    assert!((found.residuals_nm[0] - 0.5).abs() < 0.02 && found.residuals_nm[2] < 0.01, "{:?}", found.residuals_nm);
    let averaged = identify(&leg, &parameters, IdentifyOptions { friction: false, average: 4 }, noisy).unwrap();
    assert!((averaged.residuals_nm[0] - 0.25).abs() < 0.02, "{:?}", averaged.residuals_nm);
    // The last link's gravity shows at the quiet joints alone.
    let mx3 = parameters.grouping().iter().position(|name| name == "mx3").unwrap();
    let truth = parameters.values(&leg.parameters())[mx3];
    assert!((found.values[mx3] / truth - 1.0).abs() < 2e-3 && found.deviations[mx3] < 0.01 * truth, "{worst}");
}

#[test]
fn when_a_joint_never_moves_expect_a_report_of_what_cannot_be_found() {
    let leg = leg(SHIPPED);
    let parameters = BaseParameters::of(&leg, &level());
    let still = log(&leg, 1, 10.0, 1.0, [0.0; 2]).into_iter().map(|sample| LegSample {
        speeds: LegAngles::zeros(3),
        accelerations: LegAngles::zeros(3),
        ..sample
    });
    assert!(matches!(identify(&leg, &parameters, PLAIN, still), Err(IdentifyError::NotExcited { .. })));
    let none = BaseParameters::of(&leg, &Excitation::StillBase(nalgebra::Vector3::repeat(f64::NAN)));
    assert!(
        identify(&leg, &none, FRICTION, log(&leg, 1, 1.0, 1.0, [0.0; 2]))
            .is_ok_and(|found| found.values.len() == none.count())
    );
}

#[test]
fn when_samples_are_few_or_not_numbers_expect_them_counted() {
    let leg = leg(SHIPPED);
    let parameters = BaseParameters::of(&leg, &level());
    let mut samples = log(&leg, 1, 20.0, 0.1, [0.0; 2]);
    let few = identify(&leg, &parameters, PLAIN, samples[..30].to_vec());
    assert!(matches!(few, Err(IdentifyError::TooFew { used: 30, left_out: 0, .. })), "{few:?}");
    let clean = identify(&leg, &parameters, PLAIN, samples.clone()).unwrap();
    let huge = LegSample { torques: JointVector::repeat(1e200), speeds: LegAngles::from([1e160; 3]), ..samples[0] };
    let overflown = identify(&leg, &parameters, FRICTION, samples.iter().copied().chain([huge]));
    assert!(overflown.as_ref().map_or(true, |found| found.values.iter().all(|x| x.is_finite())), "{overflown:?}");
    let bad = LegSample { torques: JointVector::repeat(f64::NAN), ..samples[0] };
    samples.extend([bad, LegSample { angles: LegAngles::zeros(2), ..samples[0] }]);
    let found = identify(&leg, &parameters, PLAIN, samples).unwrap();
    assert_eq!((found.left_out, found.used, found.values), (2, clean.used, clean.values));
}

#[test]
fn when_logged_angles_are_smoothed_expect_rates_without_lag_and_gaps_not_valid() {
    let mut samples: Vec<LegAngles> =
        (0..100).map(|k| LegAngles::from([(0.05 * f64::from(k)).sin(), 0.01 * f64::from(k * k), 1.0])).collect();
    let motion = smooth_motion(&samples, 0.01, 5).unwrap();
    assert!(!motion[4].valid && motion[5].valid && motion[94].valid && !motion[95].valid);
    assert!((motion[50].speeds[0] - 5.0 * 2.5f64.cos()).abs() < 1e-3, "{:?}", motion[50]);
    assert!((motion[50].accelerations[0] + 25.0 * 2.5f64.sin()).abs() < 0.05, "{:?}", motion[50]);
    assert!((motion[50].accelerations[1] - 200.0).abs() < 1e-6);
    samples[50][1] = f64::NAN;
    let motion = smooth_motion(&samples, 0.01, 5).unwrap();
    assert!((45..=55).all(|k| !motion[k].valid) && motion[44].valid && motion[56].valid);
    assert!(smooth_motion(&samples, 0.0, 5).is_err() && smooth_motion(&samples, 0.01, 2).is_err());
}
