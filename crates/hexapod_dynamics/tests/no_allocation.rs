//! A tick of all feet allocates nothing. (`allocation-counter` is the global allocator of this test.)

use crate::common::{FIVE_JOINTS, Random, SHIPPED, robot};
use hexapod_dynamics::{
    BaseMotion, ContactDetector, ContactEvidence, ContactSettings, FootEstimator, ForceEstimator, ForceSettings,
    JointVector, LegDynamics, LegState, LoadPredictor,
};
use hexapod_kinematics::{JointSampler, LegAngles};
use std::time::Duration;

#[test]
fn when_forces_of_all_feet_are_estimated_and_predicted_expect_no_allocation() {
    for text in [SHIPPED, FIVE_JOINTS] {
        let robot = robot(text);
        let mut estimators: Vec<_> = robot
            .legs()
            .iter()
            .map(|leg| {
                let dynamics = LegDynamics::new(robot.model(), leg);
                let settings = ForceSettings::for_robot(&dynamics, 20.0, 0.01);
                let sampler = JointSampler::try_new(leg.joint_count(), 0.01, 5).unwrap();
                let contact = ContactDetector::new(ContactSettings::default(), LegState::Swing);
                (ForceEstimator::try_new(dynamics, settings).unwrap(), sampler, contact)
            })
            .collect();
        let mut predictor = LoadPredictor::new(&robot, 0.6);
        let (mut random, base) = (Random(1), BaseMotion::level());
        let (mut valid, mut held) = (0, 0);
        let info = allocation_counter::measure(|| {
            for tick in 0..500 {
                let mut angles = [LegAngles::zeros(0); 6];
                for ((estimator, sampler, contact), angles) in estimators.iter_mut().zip(&mut angles) {
                    let count = estimator.dynamics().joint_count();
                    *angles = LegAngles::from_fn(count, |i| 0.3 * ((0.05 * f64::from(tick)).sin() + i as f64));
                    let broken = if tick % 50 == 0 { f64::NAN } else { random.range(0.5) };
                    let torques = JointVector::repeat(broken);
                    let forces = estimator.update(&sampler.add(angles), &torques, &base);
                    contact.update(&ContactEvidence::default().with_forces(&forces), 0.01);
                    valid += usize::from(forces.observer.valid);
                }
                held += usize::from(predictor.predict(&angles, &[true; 6], &base).is_ok());
            }
        });
        assert!(valid > 2000 && held > 400, "{valid} {held}");
        assert_eq!(info.count_total, 0);
    }
}

#[test]
fn when_samples_come_at_any_times_expect_no_allocation() {
    let robot = robot(SHIPPED);
    let dynamics = LegDynamics::new(robot.model(), &robot.legs()[0]);
    let settings = ForceSettings::for_robot(&dynamics, 20.0, 0.01);
    let mut estimator = FootEstimator::try_new(dynamics, settings).unwrap();
    let (mut random, mut at, base) = (Random(2), Duration::from_secs(1), BaseMotion::level());
    let info = allocation_counter::measure(|| {
        for _ in 0..1000 {
            at += Duration::from_secs_f64(0.02 + random.range(0.019) + if random.unit() < 0.02 { 0.2 } else { 0.0 });
            let angles = LegAngles::from([0.1, 0.5, -1.3]);
            estimator.take(at, &angles, &JointVector::repeat(random.range(3.5)), &base);
        }
    });
    let counts = estimator.counts();
    assert!(counts.used > 300 && counts.gaps > 5 && counts.outliers > 5, "{counts:?}");
    assert_eq!(info.count_total, 0);
}

#[test]
fn when_memory_is_taken_expect_the_counter_to_see_it() {
    assert_ne!(allocation_counter::measure(|| drop(std::hint::black_box(vec![0u8; 64]))).count_total, 0);
}
