//! Forces from samples as drivers report them: unevenly, with gaps and nonsense.

use std::time::Duration;

use crate::common::swing::Swing;
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
fn when_a_driver_reports_at_any_rate_and_not_quite_evenly_expect_the_force() {
    let force = Vector3::new(0.5, -1.0, 5.0);
    for (rate_hz, jitter, tolerance_n) in [(50.0, 0.0, 0.3), (100.0, 0.0, 0.1), (200.0, 0.0, 0.05), (50.0, 0.1, 1.0)] {
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
fn when_samples_are_lost_repeated_or_nonsense_expect_them_counted_and_the_force_back() {
    let (swing, force) = (Swing::of(SHIPPED), Vector3::new(0.0, 0.0, 4.0));
    let mut estimator = estimator(&swing);
    let mut take = |k: u32| sample(&mut estimator, &swing, 0.02 * f64::from(k), &force).is_some();
    assert!((0..30).map(&mut take).filter(|found| *found).count() >= 15);
    assert!(!take(29), "again");
    assert!(!take(33), "three are lost");
    assert!(!take(34) && take(35), "a window later");
    let base = BaseMotion::level();
    let mut bad = |k: u32, angle: f64, torque: f64| {
        let stamp = Duration::from_secs_f64(1000.0 + 0.02 * f64::from(k));
        estimator.take(stamp, &LegAngles::from([angle; 3]), &JointVector::repeat(torque), &base)
    };
    assert!(bad(36, 0.3, f64::NAN).is_none() && bad(37, f64::INFINITY, 0.1).is_none() && bad(38, 0.3, 1e9).is_none());
    let counts = estimator.counts();
    assert_eq!((counts.gaps, counts.stale), (1, 1), "{counts:?}");
    let last = (39..60).map(|k| sample(&mut estimator, &swing, 0.02 * f64::from(k), &force)).last().unwrap();
    assert!((last.unwrap().direct.force - force).norm() < 0.3, "{last:?}");
}
