//! Forces from samples as drivers report them: unevenly, with gaps and nonsense.

use std::time::Duration;

use crate::common::swing::{Swing, WEIGHT_N};
use crate::common::{Random, SHIPPED};
use hexapod_dynamics::{BaseMotion, FootEstimator, JointVector, LegForces};
use hexapod_kinematics::LegAngles;
use nalgebra::Vector3;

fn estimator(swing: &Swing) -> FootEstimator {
    FootEstimator::try_new(swing.leg.clone(), swing.settings(1.0)).unwrap()
}

/// A sample of the swinging leg under this force, `stamp` seconds after the start.
fn sample(estimator: &mut FootEstimator, swing: &Swing, stamp: f64, force: &Vector3<f64>) -> Option<LegForces> {
    let base = BaseMotion::level();
    let torques = swing.torques(stamp, force, &base);
    estimator.take(Duration::from_secs_f64(1000.0 + stamp), &swing.motion(stamp).angles, &torques, &base)
}

#[test]
fn when_a_driver_reports_at_any_rate_and_not_evenly_expect_the_force() {
    let force = Vector3::new(0.5, -1.0, 5.0);
    for (rate_hz, jitter, tolerance_n) in [
        (50.0, 0.0, 0.3),
        (100.0, 0.0, 0.1),
        (200.0, 0.0, 0.05),
        (50.0, 0.1, 0.35),
        (50.0, 0.4, 0.5),
        (1000.0, 0.2, 0.05),
    ] {
        let (swing, mut random) = (Swing::of(SHIPPED), Random(3));
        let (mut estimator, mut found) = (estimator(&swing), 0);
        for k in 0..200 {
            let stamp = (f64::from(k) + random.range(jitter)) / rate_hz;
            if let Some(forces) = sample(&mut estimator, &swing, stamp, &force) {
                assert!((forces.direct.force - force).norm() < tolerance_n, "{rate_hz} Hz: {}", forces.direct.force);
                found += 1;
            }
        }
        let counts = estimator.counts();
        assert!(found > 180 && counts.used == found && counts.gaps == 0, "{rate_hz} Hz: {found} {counts:?}");
    }
}

#[test]
fn when_messages_are_lost_expect_the_force_all_the_same_and_less_sure() {
    let (swing, force) = (Swing::of(SHIPPED), Vector3::new(0.5, -1.0, 5.0));
    type Lost = fn(u32, f64) -> bool;
    let losses: [(Lost, f64); 3] = [(|_, _| false, 0.05), (|k, _| k % 3 == 2, 0.05), (|_, chance| chance < 0.2, 0.05)];
    let mut sureness = vec![];
    for (is_lost, tolerance_n) in losses {
        let (mut estimator, mut random) = (estimator(&swing), Random(5));
        let (mut square, mut count, mut deviation) = (0.0, 0.0, 0.0);
        for k in (0..2000).filter(|k| !is_lost(*k, random.unit())) {
            if let Some(forces) = sample(&mut estimator, &swing, 0.02 * f64::from(k), &force) {
                let best = forces.best().unwrap();
                square += (best.force - force).norm_squared();
                deviation += best.covariance[(2, 2)].sqrt();
                count += 1.0;
            }
        }
        let rms: f64 = f64::sqrt(square / count);
        println!("RMS error {rms:.3} N of {count} samples");
        assert!(rms < tolerance_n && count > 1200.0, "{rms} N of {count} samples, {:?}", estimator.counts());
        sureness.push(deviation / count);
    }
    assert!(sureness[1] > 1.2 * sureness[0] && sureness[2] > 1.05 * sureness[0], "{sureness:?}");
}

#[test]
fn when_the_estimator_has_just_begun_expect_no_force_that_is_too_low() {
    let (swing, force) = (Swing::of(SHIPPED).still(), Vector3::z() * 5.0);
    for rate_hz in [50.0, 100.0, 200.0, 1000.0] {
        let mut estimator = estimator(&swing);
        // A pause in between, as after a restart.
        for k in (0..60).chain(1000..1060) {
            if let Some(forces) = sample(&mut estimator, &swing, f64::from(k) / rate_hz, &force) {
                let best = forces.best().unwrap();
                assert!((best.force - force).norm() < 0.06 * force.norm(), "{k} at {rate_hz} Hz: {}", best.force);
            }
        }
        assert_eq!(estimator.counts().gaps, 1);
    }
}

#[test]
fn when_one_sample_is_wrong_expect_it_left_out_and_counted() {
    let (swing, force) = (Swing::of(SHIPPED), Vector3::z() * 4.0);
    let mut estimator = estimator(&swing);
    let base = BaseMotion::level();
    for k in 0..400 {
        let t = 0.02 * f64::from(k);
        let (mut angles, mut torques) = (swing.motion(t).angles, swing.torques(t, &force, &base));
        match k % 20 {
            7 => angles[1] += 0.6,
            14 => torques[2] = -32.0,
            _ => {}
        }
        let found = estimator.take(Duration::from_secs_f64(1000.0 + t), &angles, &torques, &base);
        assert!(found.is_none() || k % 20 != 7 && k % 20 != 14, "{k}");
        if let Some(best) = found.as_ref().and_then(LegForces::best) {
            assert!((best.force - force).norm() < 0.05 * WEIGHT_N, "{k}: {}", best.force);
        }
    }
    let counts = estimator.counts();
    assert_eq!((counts.outliers, counts.gaps), (40, 0), "{counts:?}");
    assert!(counts.used > 350, "{counts:?}");
    // Where the leg really is elsewhere, that is believed soon.
    let mut turned = Swing::of(SHIPPED);
    turned.middle[0] += 1.0;
    let found = (0..20).filter(|k| sample(&mut estimator, &turned, 8.0 + 0.02 * f64::from(*k), &force).is_some());
    assert!(found.count() >= 10);
}

#[test]
fn when_samples_are_lost_repeated_or_nonsense_expect_them_counted_and_the_force_back() {
    let (swing, force) = (Swing::of(SHIPPED), Vector3::new(0.0, 0.0, 4.0));
    let mut estimator = estimator(&swing);
    let mut take = |k: u32| sample(&mut estimator, &swing, 0.02 * f64::from(k), &force).is_some();
    assert!((0..30).map(&mut take).filter(|found| *found).count() >= 27);
    assert!(!take(29), "again");
    assert!(take(33), "three are lost");
    assert!(!take(43) && !take(44) && take(45), "nine are lost");
    let base = BaseMotion::level();
    let mut bad = |k: u32, angle: f64, torque: f64| {
        let stamp = Duration::from_secs_f64(1000.0 + 0.02 * f64::from(k));
        estimator.take(stamp, &LegAngles::from([angle; 3]), &JointVector::repeat(torque), &base)
    };
    assert!(bad(46, 0.3, f64::NAN).is_none() && bad(47, f64::INFINITY, 0.1).is_none() && bad(48, 0.3, 1e9).is_none());
    let counts = estimator.counts();
    assert_eq!((counts.gaps, counts.stale, counts.outliers), (1, 1, 1), "{counts:?}");
    let last = (49..70).map(|k| sample(&mut estimator, &swing, 0.02 * f64::from(k), &force)).last().unwrap();
    assert!((last.unwrap().direct.force - force).norm() < 0.3, "{last:?}");
    // Another clock.
    assert!(
        (0..10).filter(|k| sample(&mut estimator, &swing, 0.02 * f64::from(*k) - 900.0, &force).is_some()).count() > 6
    );
}
