//! Forces and contact through the errors of hobby servos, simulated.

use crate::common::swing::{Swing, WEIGHT_N};
use crate::common::{Random, SHIPPED};
use hexapod_dynamics::{BaseMotion, ContactDetector, ContactEvidence, ContactSettings, JointVector, LegState};
use hexapod_kinematics::{JointMotion, JointSampler, LegAngles};
use nalgebra::Vector3;

/// What servos report: quantised positions, and quantised efforts each 20 ms.
struct Servos {
    random: Random,
    sampler: JointSampler,
    effort: JointVector,
}

impl Servos {
    /// Encoder and current of a STS3215: 4096 counts a turn, 6.5 mA of the 2.7 A that make 2.9 N m, and one count of noise.
    const COUNT_RAD: f64 = std::f64::consts::TAU / 4096.0;
    const LOAD_NM: f64 = 0.0071;

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
    for (step_s, each, target) in [(0.005, 1, 0.030), (0.01, 1, 0.020), (0.01, 2, 0.030), (0.02, 1, 0.030)] {
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
    for (step_s, each) in [(0.005, 1), (0.01, 2), (0.02, 1)] {
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
            greatest = greatest.max(contact.probability);
        }
        println!("ten minutes of free swing at {:.0} Hz: greatest probability of contact {greatest:.3}", 1.0 / step_s);
    }
}
