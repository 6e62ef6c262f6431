//! Contacts estimated from what servos bear, as `state_publisher` estimates them, beside the truth.

use super::course::{Course, Driver};
use super::random::Random;
use super::shipped::robot;
use super::{Rig, TICK_S};
use hexapod_dynamics::{
    BaseMotion, ContactDetector, ContactEvidence, ContactSettings, FootEstimator, ForceSettings, JointVector,
    LegDynamics, LegState, STANDARD_GRAVITY,
};
use hexapod_kinematics::LegAngles;
use std::time::Duration;

/// A foot bears something above this part of the weight.
const BEARS: f64 = 0.02;
/// A foot stands, or swings, for as many ticks at least.
const LASTS: usize = 6;
/// Ticks after a foot has left the ground, and before it comes down, in which it may count as standing.
const LEAVES: usize = 4;
const COMES: usize = 2;
/// A touch-down that is found later than this counts as missed, in ticks.
const MISSED: usize = 25;
/// Counts of an encoder in a turn, and of an effort in N m, as of a STS3215.
const COUNTS: f64 = 4096.0;
const EFFORT_NM: f64 = 0.0071;

/// What was found of touch-downs and swings.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// How late each touch-down was found, s.
    pub late_s: Vec<f64>,
    /// Swings, and those in which the foot was called standing.
    pub swings: usize,
    pub false_stances: usize,
    /// Stances, and those in which the foot was called swinging.
    pub stances: usize,
    pub false_swings: usize,
}

impl Found {
    pub fn add(&mut self, other: &Self) {
        self.late_s.extend(&other.late_s);
        self.swings += other.swings;
        self.false_stances += other.false_stances;
        self.stances += other.stances;
        self.false_swings += other.false_swings;
    }

    pub fn mean_s(&self) -> f64 {
        self.late_s.iter().sum::<f64>() / self.late_s.len() as f64
    }

    pub fn most_s(&self) -> f64 {
        self.late_s.iter().copied().fold(0.0, f64::max)
    }
}

/// A foot whose servos are listened to.
struct Listened {
    estimator: FootEstimator,
    detector: ContactDetector,
    /// Whether it bears something, and whether it is found to, tick by tick.
    bears: Vec<bool>,
    found: Vec<bool>,
}

/// Drives for some seconds and listens at 100 Hz.
pub fn listen(course: &Course, seconds: f64) -> Found {
    let mut rig = Rig::standing(&course.setting());
    let (mut driver, mut noise) = (Driver::new(course), Random(course.seed ^ 0xC0));
    let (robot, weight) = (robot(), rig.weight());
    assert!((weight / (robot.model().total_mass() * STANDARD_GRAVITY) - 1.0).abs() < 1e-3);
    let listened = |leg| {
        let dynamics = LegDynamics::new(robot.model(), leg);
        let settings = ForceSettings::for_robot(&dynamics, weight, TICK_S);
        Listened {
            estimator: FootEstimator::try_new(dynamics, settings).unwrap(),
            detector: ContactDetector::new(ContactSettings::default(), LegState::Swing),
            bears: Vec::new(),
            found: Vec::new(),
        }
    };
    let mut feet: Vec<Listened> = robot.legs().iter().map(listened).collect();
    for _ in 0..(seconds / TICK_S) as usize {
        let input = driver.input(&mut rig.engine);
        rig.tick(&input);
        let (now, contacts) = (rig.now(), rig.contacts());
        for (leg, foot) in feet.iter_mut().enumerate() {
            let (angles, efforts) = measured(&rig, leg, &mut noise);
            foot.take(now, &angles, &efforts, contacts[leg]);
            foot.bears.push(rig.simulator.world().foot_force(leg).z > BEARS * weight);
        }
    }
    feet.iter().fold(Found::default(), |mut all, foot| {
        all.add(&foot.compare());
        all
    })
}

/// What the servos of a leg report.
fn measured(rig: &Rig, leg: usize, noise: &mut Random) -> (LegAngles, JointVector) {
    let world = rig.simulator.world();
    let hinges = &world.assembly().legs[leg];
    let mut rounded = |value: f64, count: f64| ((value / count + noise.within(-0.5, 0.5)).round()) * count;
    let angle = std::f64::consts::TAU / COUNTS;
    let angles = LegAngles::from_fn(hinges.len(), |joint| rounded(world.position(hinges[joint]), angle));
    let mut efforts = JointVector::zeros();
    for (effort, &hinge) in efforts.iter_mut().zip(hinges) {
        *effort = rounded(world.effort(hinge), EFFORT_NM);
    }
    (angles, efforts)
}

impl Listened {
    fn take(&mut self, now: Duration, angles: &LegAngles, efforts: &JointVector, planned: bool) {
        let forces = self.estimator.take(now, angles, efforts, &BaseMotion::level());
        let evidence = ContactEvidence { planned_support: Some(planned), ..ContactEvidence::default() };
        let evidence = forces.map_or(evidence, |forces| evidence.with_forces(&forces));
        let contact = self.detector.update(&evidence, TICK_S);
        self.found.push(contact.state == LegState::Support);
    }

    fn compare(&self) -> Found {
        let mut all = Found::default();
        let mut from = 0;
        let mut before = 0;
        for run in self.bears.chunk_by(|a, b| a == b) {
            let (to, down) = (from + run.len(), run[0]);
            let found = &self.found[from..to];
            if run.len() >= LASTS && from > 0 {
                if down && before >= LASTS {
                    let late = self.found[from..].iter().take(MISSED).position(|found| *found).unwrap_or(MISSED);
                    all.late_s.push(late as f64 * TICK_S);
                }
                if down {
                    all.stances += 1;
                    all.false_swings += usize::from(found.iter().skip(MISSED).any(|found| !found));
                } else {
                    let inner = found.iter().skip(LEAVES).take(run.len().saturating_sub(LEAVES + COMES));
                    all.swings += 1;
                    all.false_stances += usize::from(inner.copied().any(|found| found));
                }
            }
            (before, from) = (run.len(), to);
        }
        all
    }
}
