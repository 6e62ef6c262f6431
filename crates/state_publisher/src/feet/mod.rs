//! What the feet bear: estimated where servos tell their load, sensed where feet have switches, else predicted.

mod gather;
pub(crate) mod publish;

use gather::{Gathered, LegSample};

use crate::contacts::Contacts;
use crate::joints::{JointTable, Reading};
use hexapod_dynamics::{
    Contact, ContactDetector, ContactEvidence, ContactSettings, EffortSource, FootEstimator, ForceEstimate,
    ForceSettings, Friction, ImuReader, JointVector, LegDynamics, LegForces, LegState, LoadPredictor, Prediction,
    STANDARD_GRAVITY, SampleCounts, SettingsError, Source,
};
use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS, MAX_LEGS, Robot};
use hexapod_ros::{SwitchFault, SwitchWatch};
use nalgebra::Vector3;
use std::time::Duration;

#[cfg(test)]
pub(crate) mod tests;

/// A force or a switch reported this long ago no longer counts.
const FRESH: Duration = Duration::from_millis(300);
/// Loads are predicted at least this often, for the warnings.
const PREDICT_EVERY: Duration = Duration::from_millis(100);

/// What the node's parameters say of feet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeetSettings {
    /// Gain of the momentum observer, 1/s.
    pub observer_gain_per_s: f64,
    /// Standard deviation of a joint's torque, N m; 0: learned while the robot walks.
    pub torque_deviation_nm: f64,
    /// Force against gravity above which a foot stands, N; 0: 6 % of the weight.
    pub contact_force_n: f64,
    /// Inertia of a joint's rotor, seen through its gears, kg m², until swings have shown it.
    pub rotor_inertia_kg_m2: f64,
    /// Friction of every joint and its gears until swings have shown it; `None`: as the robot's description says.
    pub joint_friction: Option<Friction>,
    /// Coefficient of friction of the ground that predictions reckon with.
    pub ground_friction: f64,
}

/// Why the feet of a robot cannot be reckoned with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoFeet {
    #[error("the robot's description has no masses: forces on feet are neither estimated nor predicted")]
    Massless,
    #[error("forces on feet are neither estimated nor predicted: {0}")]
    Settings(#[from] SettingsError),
}

/// What was known at a time: on the monotonic clock, in simulated time on that.
#[derive(Clone, Copy, Debug)]
struct Reported<T>(T, Duration);

impl<T: Copy> Reported<T> {
    fn fresh(reported: &Option<Self>, now: Duration) -> Option<T> {
        reported.as_ref().filter(|reported| now.saturating_sub(reported.1) < FRESH).map(|reported| reported.0)
    }
}

/// One foot.
struct Foot {
    estimator: FootEstimator,
    detector: ContactDetector,
    forces: Option<Reported<LegForces>>,
    /// The stamp of a force that has not been published yet.
    news: Option<Duration>,
    switch: Option<Reported<bool>>,
    watch: SwitchWatch,
    contact: Contact,
    detected: Duration,
}

/// So many feet on the ground tell where the body is.
const ENOUGH_FEET: usize = 3;
/// Feet do not pull; by this part of the weight they seem to where the efforts are wrong.
const PULL_FRACTION: f64 = 0.2;

/// All feet of a robot.
pub(crate) struct Feet {
    feet: Vec<Foot>,
    gathered: Gathered,
    predictor: LoadPredictor,
    pub(crate) imu: ImuReader,
    prediction: Option<Reported<Prediction>>,
    predicted_at: Duration,
    /// The last loads that were too much, as reported.
    overloads: Vec<String>,
    pub(crate) weight_n: f64,
}

impl Feet {
    /// The feet of a robot.
    pub(crate) fn try_new(robot: &Robot, settings: &FeetSettings) -> Result<Self, NoFeet> {
        let weight_n = robot.model().total_mass() * STANDARD_GRAVITY;
        if weight_n.is_nan() || weight_n <= 0.0 {
            return Err(NoFeet::Massless);
        }
        let foot = |leg| -> Result<Foot, SettingsError> {
            let dynamics = LegDynamics::new(robot.model(), leg);
            let settings = force_settings(&dynamics, weight_n, settings);
            Ok(Foot {
                estimator: FootEstimator::try_new(dynamics, settings)?,
                detector: ContactDetector::new(ContactSettings::default(), LegState::Swing),
                forces: None,
                news: None,
                switch: None,
                watch: SwitchWatch::default(),
                contact: Contact { state: LegState::Swing, probability: 0.5, source: None },
                detected: Duration::ZERO,
            })
        };
        Ok(Self {
            feet: robot.legs().iter().map(foot).collect::<Result<_, _>>()?,
            gathered: Gathered::new(robot.model().joints().len()),
            predictor: LoadPredictor::new(robot, settings.ground_friction),
            imu: ImuReader::default(),
            prediction: None,
            predicted_at: Duration::ZERO,
            overloads: vec![],
            weight_n,
        })
    }

    /// Sets what the efforts of the next message are made of.
    pub(crate) fn set_effort_source(&mut self, efforts: EffortSource) {
        self.feet.iter_mut().for_each(|foot| foot.estimator.set_effort_source(efforts));
    }

    /// Takes what servos tell of stamp `stamp`, received at `now`. Whether some leg is complete, each of its joints with
    /// an effort.
    pub(crate) fn take_efforts(
        &mut self,
        table: &JointTable,
        readings: &[Option<Reading>],
        stamp: Duration,
        now: Duration,
    ) -> bool {
        let base = self.imu.motion(now);
        let mut any = false;
        self.gathered.take(readings, stamp);
        for (leg, foot) in self.feet.iter_mut().enumerate() {
            let Some(LegSample { angles, efforts, stamp }) = self.gathered.leg(table.leg(leg)) else { continue };
            any = true;
            if let Some(forces) = foot.estimator.take(stamp, &angles, &efforts, &base) {
                (foot.forces, foot.news) = (Some(Reported(forces, now)), Some(stamp));
            }
        }
        any
    }

    /// Takes what switches under the feet say.
    pub(crate) fn take_switches(&mut self, switches: &[Option<bool>], now: Duration) {
        for (foot, switch) in self.feet.iter_mut().zip(switches) {
            foot.switch = switch.map(|closed| Reported(closed, now)).or(foot.switch);
        }
    }

    /// Looks at the switches `now`, with the feet that the gait has on the ground.
    pub(crate) fn watch_switches(&mut self, planned: &Contacts, now: Duration) {
        for (foot, planned) in self.feet.iter_mut().zip(planned) {
            foot.watch.take(*planned, Reported::fresh(&foot.switch, now));
        }
    }

    /// What is wrong with the switch of each foot.
    pub(crate) fn switch_faults(&self) -> impl Iterator<Item = Option<SwitchFault>> {
        self.feet.iter().map(|foot| foot.watch.fault())
    }

    /// Weighs all that is known at `now` of each foot's contact.
    pub(crate) fn detect(&mut self, planned: Option<&Contacts>, now: Duration) {
        for (leg, foot) in self.feet.iter_mut().enumerate() {
            let evidence = ContactEvidence {
                switch: Reported::fresh(&foot.switch, now).filter(|_| foot.watch.fault().is_none()),
                planned_support: planned.and_then(|planned| planned.get(leg)).copied(),
                ..ContactEvidence::default()
            };
            foot.estimator.plan(evidence.planned_support);
            let forces = Reported::fresh(&foot.forces, now);
            let evidence = forces.map_or(evidence, |forces| evidence.with_forces(&forces));
            let since = now.saturating_sub(foot.detected).min(FRESH).as_secs_f64();
            foot.contact = foot.detector.update(&evidence, since);
            foot.detected = now;
        }
    }

    /// The same for feet whose sensors have all fallen silent, and which nothing else would make to be weighed.
    pub(crate) fn forget_silent(&mut self, planned: Option<&Contacts>, now: Duration) {
        if self.feet.iter().all(|foot| now.saturating_sub(foot.detected) > FRESH) {
            self.detect(planned, now);
        }
    }

    /// The contact of each foot as last weighed.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = &Contact> + Clone {
        self.feet.iter().map(|foot| &foot.contact)
    }

    /// Whether any foot's contact was sensed, and not merely planned.
    pub(crate) fn senses(&self) -> bool {
        self.contacts().any(is_sensed)
    }

    /// The estimated force on each foot, where there is one.
    pub(crate) fn forces(&self, now: Duration) -> impl Iterator<Item = Option<ForceEstimate>> {
        self.feet.iter().map(move |foot| Reported::fresh(&foot.forces, now)?.best().copied())
    }

    /// With what all feet together pull at the ground, N, where that is far from what feet can.
    pub(crate) fn pull_n(&self, now: Duration) -> Option<f64> {
        let up_n: Option<f64> = self.forces(now).map(|force| Some(force?.force.z)).sum();
        up_n.filter(|up_n| *up_n < -PULL_FRACTION * self.weight_n).map(|up_n| -up_n)
    }

    /// The same for forces that have come since this was asked last, with their stamps.
    pub(crate) fn take_news(&mut self) -> impl Iterator<Item = Option<(ForceEstimate, Duration)>> {
        self.feet.iter_mut().map(|foot| foot.forces.as_ref()?.0.best().copied().zip(foot.news.take()))
    }

    /// The feet that carry the odometry, and how certain each is to stand: those that the gait has on the ground, without
    /// those that are sensed in the air. One that touches but is commanded to rise or to come down is not where it is
    /// commanded to be, which is all that odometry knows of it: servos that sag let feet touch on while their legs
    /// rise. It counts only where fewer than three others do, as while legs change and those that come down are not
    /// sensed yet.
    pub(crate) fn stance(&self, planned: &Contacts) -> (Contacts, [f64; MAX_LEGS]) {
        let (down, certainty) = self.support(planned);
        let as_reported: Contacts = std::array::from_fn(|leg| down[leg] && planned[leg]);
        let enough = as_reported.iter().filter(|&&stands| stands).count() >= ENOUGH_FEET;
        (if enough { as_reported } else { down }, certainty)
    }

    /// Contacts and their certainties: what was sensed, and what was planned where nothing was.
    pub(crate) fn support(&self, planned: &Contacts) -> (Contacts, [f64; MAX_LEGS]) {
        let (mut down, mut certainty) = (*planned, [1.0; MAX_LEGS]);
        for ((down, certainty), contact) in down.iter_mut().zip(&mut certainty).zip(self.contacts()) {
            if is_sensed(contact) {
                *down = contact.state == LegState::Support;
                *certainty = contact.probability;
            }
        }
        (down, certainty)
    }

    /// Predicts loads anew where they are wanted `now`, or the last prediction is old.
    pub(crate) fn predict(&mut self, angles: &[LegAngles], planned: Option<&Contacts>, wanted: bool, now: Duration) {
        if !wanted && now < self.predicted_at + PREDICT_EVERY {
            return;
        }
        self.predicted_at = now;
        let Some(planned) = planned else { return };
        let (down, _) = self.support(planned);
        let predicted = self.predictor.predict(angles, &down, &self.imu.motion(now));
        self.prediction = predicted.ok().map(|prediction| Reported(prediction, now));
    }

    /// What was predicted lately.
    pub(crate) fn prediction(&self, now: Duration) -> Option<Prediction> {
        Reported::fresh(&self.prediction, now)
    }

    /// The predicted force on each foot, where there is one.
    pub(crate) fn predicted_forces(&self, now: Duration) -> Option<[Vector3<f64>; MAX_LEGS]> {
        self.prediction(now).map(|prediction| prediction.forces)
    }

    /// Joints whose effort limit the predicted load exceeds, in words; news of them goes into the log.
    pub(crate) fn overloads(&mut self, robot: &Robot, now: Duration) -> &[String] {
        let Some(prediction) = self.prediction(now) else {
            self.overloads.clear();
            return &self.overloads;
        };
        let words = self.predictor.overloads(&prediction, 1.0).filter_map(|load| {
            let joint = robot.legs().get(load.leg)?.joints().get(load.joint)?.name();
            let (torque, limit) = (load.torque_nm.abs(), load.limit_nm);
            Some((joint, format!("{joint} is predicted to bear {torque:.2} N m and gives {limit:.2} N m")))
        });
        let known: Vec<&str> = self.overloads.iter().filter_map(|words| words.split(' ').next()).collect();
        let mut all = vec![];
        for (joint, words) in words {
            if !known.contains(&joint) {
                tracing::warn!("{words}");
            }
            all.push(words);
        }
        self.overloads = all;
        &self.overloads
    }

    /// What became of the samples of all feet.
    pub(crate) fn counts(&self) -> SampleCounts {
        let counts = self.feet.iter().map(|foot| foot.estimator.counts());
        counts.fold(SampleCounts::default(), |sum, foot| SampleCounts {
            used: sum.used + foot.used,
            unusable: sum.unusable + foot.unusable,
            outliers: sum.outliers + foot.outliers,
            gaps: sum.gaps + foot.gaps,
            stale: sum.stale + foot.stale,
        })
    }
}

/// Whether somebody sensed it, and not merely planned.
pub(crate) fn is_sensed(contact: &Contact) -> bool {
    contact.source.is_some_and(|source| source < Source::Predicted)
}

fn force_settings(dynamics: &LegDynamics, weight_n: f64, given: &FeetSettings) -> ForceSettings {
    let default = ForceSettings::for_robot(dynamics, weight_n, 0.01);
    let or = |given: f64, default: f64| if given > 0.0 { given } else { default };
    ForceSettings {
        gains_per_s: JointVector::repeat(given.observer_gain_per_s),
        torque_deviations_nm: default.torque_deviations_nm.map(|default| or(given.torque_deviation_nm, default)),
        rotor_inertias: JointVector::repeat(given.rotor_inertia_kg_m2),
        friction: given.joint_friction.map_or(default.friction, |friction| [friction; MAX_LEG_JOINTS]),
        contact_n: or(given.contact_force_n, default.contact_n),
        ..default
    }
}
