//! Contacts estimated from what servos bear, as `state_publisher` estimates them, beside the truth.

use super::course::{Course, Driver};
use super::random::Random;
use super::shipped::robot;
use super::{Rig, STEPS, TICK_S};
use hexapod_dynamics::{
    BaseMotion, ContactDetector, ContactEvidence, ContactSettings, EffortSource, FootEstimator, ForceSettings,
    JointVector, LegDynamics, LegState, STANDARD_GRAVITY,
};
use hexapod_gait::{Input, Twist};
use hexapod_kinematics::LegAngles;
use std::time::Duration;

/// A foot bears something above this part of the weight.
const BEARS: f64 = 0.02;
/// A foot stands for sure above this.
const STANDS: f64 = 0.12;
/// A foot stands, or swings, for as many ticks at least.
const LASTS: usize = 6;
/// Ticks after a foot has left the ground, and before it comes down, in which it may count as standing.
const LEAVES: usize = 10;
const COMES: usize = 2;
/// A touch-down that is found later than this counts as missed, in ticks.
const MISSED: usize = 25;
/// Counts of an encoder in a turn, and of an effort in N m, as of a STS3215.
const COUNTS: f64 = 4096.0;
const EFFORT_NM: f64 = 0.0071;

/// What efforts are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Efforts {
    /// The torque that a servo measures.
    Measured,
    /// How far it is from its goal, times so many N m/rad.
    OfError(f64),
}

impl Efforts {
    /// Of a STS3215 on the supply of 6 V: as stiff as its stall torque for each rad at which its bridge is fully on.
    pub fn of_errors() -> Self {
        Self::OfError(1.912 * 6.0 / 7.4 / 0.107)
    }
}

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

    /// How many touch-downs were found later than this, s.
    pub fn later_than(&self, seconds: f64) -> usize {
        self.late_s.iter().filter(|late| **late > seconds + 1e-6).count()
    }

    pub fn most_s(&self) -> f64 {
        self.late_s.iter().copied().fold(0.0, f64::max)
    }
}

/// A foot whose servos are listened to.
struct Listened {
    estimator: FootEstimator,
    detector: ContactDetector,
    /// Tick by tick: its load in parts of the weight, whether it bears something, whether it is found to, and the plan.
    loads: Vec<f64>,
    bears: Vec<bool>,
    found: Vec<bool>,
    planned: Vec<bool>,
}

/// Drives for some seconds, at random or straight ahead at a speed, m/s, and listens at 100 Hz.
pub fn listen(course: &Course, ahead: Option<f64>, seconds: f64, from: Efforts) -> Found {
    let mut rig = Rig::standing(&course.setting());
    let (mut driver, mut noise) = (Driver::new(course), Random(course.seed ^ 0xC0));
    let (robot, weight) = (robot(), rig.weight());
    assert!((weight / (robot.model().total_mass() * STANDARD_GRAVITY) - 1.0).abs() < 1e-3);
    let listened = |leg| {
        let dynamics = LegDynamics::new(robot.model(), leg);
        let efforts = if from == Efforts::Measured { EffortSource::Torque } else { EffortSource::AngleError };
        let settings = ForceSettings { efforts, ..ForceSettings::for_robot(&dynamics, weight, TICK_S) };
        Listened {
            estimator: FootEstimator::try_new(dynamics, settings).unwrap(),
            detector: ContactDetector::new(ContactSettings::default(), LegState::Swing),
            loads: Vec::new(),
            bears: Vec::new(),
            found: Vec::new(),
            planned: Vec::new(),
        }
    };
    let mut feet: Vec<Listened> = robot.legs().iter().map(listened).collect();
    for _ in 0..(seconds / TICK_S) as usize {
        let input = match ahead {
            Some(speed) => Input { twist: Twist::new(speed, 0.0, 0.0), ..Input::default() },
            None => driver.input(&mut rig.engine),
        };
        rig.plan(&input);
        rig.serve();
        // A load is filtered over the time between samples: servos jerk at each pulse.
        let mut means = vec![0.0; rig.simulator.joints().len()];
        rig.pass_watched(|simulator| {
            let world = simulator.world();
            means.iter_mut().enumerate().for_each(|(hinge, mean)| *mean += world.effort(hinge) / STEPS as f64);
        });
        let (now, contacts) = (rig.now(), rig.contacts());
        for (leg, foot) in feet.iter_mut().enumerate() {
            let (angles, mut efforts) = measured(&rig, leg, &means, &mut noise);
            if let Efforts::OfError(nm_per_rad) = from {
                let goals = &rig.engine.last().angles[leg];
                let errors = goals.iter().zip(angles.iter()).map(|(goal, angle)| goal - angle);
                efforts.iter_mut().zip(errors).for_each(|(effort, error)| *effort = nm_per_rad * error);
            }
            foot.take(now, &angles, &efforts, contacts[leg]);
            let load = rig.simulator.world().foot_force(leg).norm() / weight;
            foot.loads.push(load);
            foot.bears.push(load > BEARS);
        }
    }
    feet.iter().fold(Found::default(), |mut all, foot| {
        all.add(&foot.compare());
        all
    })
}

/// What the servos of a leg report.
fn measured(rig: &Rig, leg: usize, means: &[f64], noise: &mut Random) -> (LegAngles, JointVector) {
    let world = rig.simulator.world();
    let hinges = &world.assembly().legs[leg];
    let mut rounded = |value: f64, count: f64| ((value / count + noise.within(-0.5, 0.5)).round()) * count;
    let angle = std::f64::consts::TAU / COUNTS;
    let angles = LegAngles::from_fn(hinges.len(), |joint| rounded(world.position(hinges[joint]), angle));
    let mut efforts = JointVector::zeros();
    for (effort, &hinge) in efforts.iter_mut().zip(hinges) {
        *effort = rounded(means[hinge], EFFORT_NM);
    }
    (angles, efforts)
}

impl Listened {
    fn take(&mut self, now: Duration, angles: &LegAngles, efforts: &JointVector, planned: bool) {
        self.estimator.plan(Some(planned));
        let forces = self.estimator.take(now, angles, efforts, &BaseMotion::level());
        let evidence = ContactEvidence { planned_support: Some(planned), ..ContactEvidence::default() };
        let evidence = forces.map_or(evidence, |forces| evidence.with_forces(&forces));
        let contact = self.detector.update(&evidence, TICK_S);
        self.planned.push(planned);
        self.found.push(contact.state == LegState::Support);
    }

    fn compare(&self) -> Found {
        let mut all = Found::default();
        let swings = |ticks: &std::ops::Range<usize>| self.planned[ticks.clone()].iter().filter(|down| !**down).count();
        let (mut before, mut from) = (0..0, 0);
        for run in self.bears.chunk_by(|a, b| a == b) {
            let ticks = from..from + run.len();
            from = ticks.end;
            if run[0] && run.len() >= LASTS && before.len() >= LASTS && swings(&before) >= LASTS {
                let late = self.found[ticks.start..].iter().take(MISSED).position(|found| *found).unwrap_or(MISSED);
                all.late_s.push(late as f64 * TICK_S);
                all.stances += 1;
                let (loads, found) = (&self.loads[ticks.clone()], &self.found[ticks.clone()]);
                let stands = |at: usize| (at..at + MISSED).all(|at| loads.get(at).is_some_and(|load| *load > STANDS));
                let lost = |at: usize| stands(at) && found[at..at + MISSED].iter().all(|found| !found);
                all.false_swings += usize::from((0..run.len()).any(lost));
            }
            if !run[0] && swings(&ticks) >= LASTS {
                let mut inner = ticks.clone().skip(LEAVES).take(run.len().saturating_sub(LEAVES + COMES));
                all.swings += 1;
                all.false_stances += usize::from(
                    inner.any(|at| self.found[at] && self.planned[at - LEAVES..=at].iter().all(|down| !down)),
                );
            }
            before = ticks;
        }
        all
    }
}
