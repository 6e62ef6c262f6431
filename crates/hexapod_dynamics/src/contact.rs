//! SWING or SUPPORT: all that says something about a foot's contact, weighed together, with hysteresis.
//!
//! Each source gives the logarithm of the odds that the foot is on the ground; independent sources add up (Bayes). A
//! source that is missing, or not a number, adds nothing.

use crate::force::LegForces;
use crate::normal::logistic;
use crate::swing::{Plan, Swing};
use hexapod_kinematics::math;

/// Log odds beyond which no source goes, so that none outvotes all others for ever.
const GREATEST: f64 = 6.0;

/// Contact that is more probable than this against the plan is confirmed as soon as one that is planned.
const SURE: f64 = 0.95;

/// What a statement about a foot rests on, from the best to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A sensor under the foot.
    Measured,
    /// Joint torques or positions, through the leg's dynamics.
    Estimated,
    /// The gait's plan and statics alone: nothing that was sensed.
    Predicted,
}

impl Source {
    /// The word for it on topics and in views.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Predicted => "predicted",
        }
    }
}

/// State of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegState {
    /// The foot is in the air.
    Swing,
    /// The foot is on the ground.
    Support,
}

/// What is known about a foot at one moment; every part may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactEvidence {
    /// Probability of contact from the estimated force, 0 to 1.
    pub force_probability: Option<f64>,
    /// Distance of the foot from where it was commanded to be, m.
    pub tracking_error_m: Option<f64>,
    /// A switch under the foot.
    pub switch: Option<bool>,
    /// A force-sensing resistor under the foot, N.
    pub sensed_n: Option<f64>,
    /// Whether the gait has the foot on the ground now.
    pub planned_support: Option<bool>,
}

impl ContactEvidence {
    /// With what the better of the estimated forces says.
    pub fn with_forces(mut self, forces: &LegForces) -> Self {
        self.force_probability = forces.best().map(|estimate| estimate.contact_probability);
        self
    }
}

/// How much each source counts, and when the state changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Probability above which a swinging leg is in support.
    pub support_above: f64,
    /// The same of one that is planned to come down, or to stand.
    pub lands_above: f64,
    /// Probability below which a supporting leg swings.
    pub swing_below: f64,
    /// For how long the probability must be beyond, s.
    pub confirm_s: f64,
    /// Probability that a switch tells the truth.
    pub switch_trust: f64,
    /// Probability that the gait's plan is what happens: where a foot leaves the ground or stands, in the middle of its
    /// swings, and on its way down.
    pub plan_trust: f64,
    /// See `plan_trust`.
    pub airborne_trust: f64,
    /// See `plan_trust`.
    pub descent_trust: f64,
    /// Reading of a force-sensing resistor at which contact is as likely as not, N.
    pub sensed_contact_n: f64,
    /// Tracking error at which contact is as likely as not, m. A small error says little: a foot may stand where it
    /// was commanded to.
    pub tracking_contact_m: f64,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            support_above: 0.85,
            lands_above: 0.65,
            swing_below: 0.15,
            confirm_s: 0.01,
            switch_trust: 0.99,
            plan_trust: 0.9,
            airborne_trust: 0.99,
            descent_trust: 0.7,
            sensed_contact_n: 1.0,
            tracking_contact_m: 0.01,
        }
    }
}

/// Contact of one foot after an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// State of the leg.
    pub state: LegState,
    /// Probability that the foot is on the ground; 0.5 when nothing is known.
    pub probability: f64,
    /// The best of what said something; `None` when nothing did.
    pub source: Option<Source>,
}

/// Keeps the state of one leg.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactDetector {
    settings: ContactSettings,
    state: LegState,
    swing: Swing,
    /// For how long the probability has been beyond the threshold, s.
    beyond_s: f64,
}

impl ContactDetector {
    /// A detector for a leg in this state.
    pub fn new(settings: ContactSettings, state: LegState) -> Self {
        Self { settings, state, swing: Swing::default(), beyond_s: 0.0 }
    }

    /// Takes what is known, `step_s` seconds after the update before. With nothing known the state stays.
    pub fn update(&mut self, evidence: &ContactEvidence, step_s: f64) -> Contact {
        let plan = self.swing.step(evidence.planned_support, step_s);
        let all = self.settings.log_odds(evidence, plan);
        let source = all.iter().flatten().map(|(source, _)| *source).min();
        let probability = logistic(all.iter().flatten().map(|(_, odds)| odds).sum());
        let beyond = match self.state {
            LegState::Swing => source.is_some() && probability > self.settings.threshold(plan),
            LegState::Support => source.is_some() && probability < self.settings.swing_below,
        };
        // In a swing, jolts of the body and joints that turn round look like contact for a moment.
        let jolted = match plan {
            Plan::Airborne => true,
            Plan::Lifted | Plan::Descending => self.state == LegState::Swing && probability < SURE,
            Plan::Support | Plan::Unknown => false,
        };
        let confirm_s = if jolted { 2.0 } else { 1.0 } * self.settings.confirm_s;
        self.count(beyond, confirm_s, step_s);
        Contact { state: self.state, probability, source }
    }

    fn count(&mut self, beyond: bool, confirm_s: f64, step_s: f64) {
        // Half a step less, so that rounding costs no whole step.
        let enough = confirm_s - 0.5 * step_s;
        if beyond && self.beyond_s < enough {
            self.beyond_s += if step_s > 0.0 { step_s } else { 0.0 };
            return;
        }
        if beyond {
            self.state = if self.state == LegState::Swing { LegState::Support } else { LegState::Swing };
        }
        self.beyond_s = 0.0;
    }
}

impl ContactSettings {
    /// Log odds of contact from each source that says something.
    fn log_odds(&self, evidence: &ContactEvidence, plan: Plan) -> [Option<(Source, f64)>; 5] {
        let from_flag = |yes: bool, trust: f64| if yes { log_odds_of(trust) } else { -log_odds_of(trust) };
        // Certain at twice the value at which it is as likely as not.
        let from_size = |size: f64, even: f64| GREATEST * (size / even - 1.0);
        let tracking = evidence.tracking_error_m.filter(|error| !error.is_nan());
        let all = [
            (Source::Estimated, evidence.force_probability.map(log_odds_of)),
            (Source::Estimated, tracking.map(|error| from_size(error.abs(), self.tracking_contact_m).max(-0.5))),
            (Source::Measured, evidence.switch.map(|closed| from_flag(closed, self.switch_trust))),
            (Source::Measured, evidence.sensed_n.map(|force| from_size(force, self.sensed_contact_n))),
            (Source::Predicted, self.plan_odds(plan)),
        ];
        all.map(|(source, odds)| Some((source, odds.filter(|x| !x.is_nan())?.clamp(-GREATEST, GREATEST))))
    }

    fn threshold(&self, plan: Plan) -> f64 {
        if matches!(plan, Plan::Descending | Plan::Support) { self.lands_above } else { self.support_above }
    }

    /// Log odds of contact from the plan.
    fn plan_odds(&self, plan: Plan) -> Option<f64> {
        match plan {
            Plan::Unknown => None,
            Plan::Support => Some(log_odds_of(self.plan_trust)),
            Plan::Lifted => Some(-log_odds_of(self.plan_trust)),
            Plan::Airborne => Some(-log_odds_of(self.airborne_trust)),
            Plan::Descending => Some(-log_odds_of(self.descent_trust)),
        }
    }
}

/// Log odds of what has this probability.
fn log_odds_of(probability: f64) -> f64 {
    math::ln(probability / (1.0 - probability))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detector() -> ContactDetector {
        ContactDetector::new(ContactSettings::default(), LegState::Swing)
    }

    fn after(evidence: ContactEvidence, from: LegState, ticks: usize) -> Contact {
        let mut detector = ContactDetector::new(ContactSettings::default(), from);
        (0..ticks).map(|_| detector.update(&evidence, 0.01)).last().unwrap()
    }

    #[test]
    fn when_any_one_source_is_sure_expect_it_to_decide_by_itself() {
        let none = ContactEvidence::default();
        for (sure, state, source) in [
            (ContactEvidence { force_probability: Some(0.99), ..none }, LegState::Support, Source::Estimated),
            (ContactEvidence { force_probability: Some(0.0), ..none }, LegState::Swing, Source::Estimated),
            (ContactEvidence { tracking_error_m: Some(0.03), ..none }, LegState::Support, Source::Estimated),
            (ContactEvidence { switch: Some(true), ..none }, LegState::Support, Source::Measured),
            (ContactEvidence { switch: Some(false), ..none }, LegState::Swing, Source::Measured),
            (ContactEvidence { sensed_n: Some(5.0), ..none }, LegState::Support, Source::Measured),
            (ContactEvidence { sensed_n: Some(0.0), ..none }, LegState::Swing, Source::Measured),
            (ContactEvidence { planned_support: Some(true), ..none }, LegState::Support, Source::Predicted),
            (ContactEvidence { planned_support: Some(false), ..none }, LegState::Swing, Source::Predicted),
        ] {
            for from in [LegState::Swing, LegState::Support] {
                let contact = after(sure, from, 3);
                assert_eq!((contact.state, contact.source), (state, Some(source)), "{sure:?} from {from:?}");
            }
        }
    }

    #[test]
    fn when_nothing_or_no_number_is_known_expect_the_state_kept() {
        let odd = ContactEvidence {
            force_probability: Some(f64::NAN),
            tracking_error_m: Some(f64::NAN),
            sensed_n: Some(f64::NAN),
            ..ContactEvidence::default()
        };
        for evidence in [ContactEvidence::default(), odd] {
            for from in [LegState::Swing, LegState::Support] {
                let contact = after(evidence, from, 100);
                assert_eq!(contact, Contact { state: from, probability: 0.5, source: None });
            }
        }
    }

    #[test]
    fn when_the_force_is_sure_against_plan_expect_the_force_to_win() {
        let early = ContactEvidence {
            force_probability: Some(1.0),
            planned_support: Some(false),
            ..ContactEvidence::default()
        };
        let contact = after(early, LegState::Swing, 2);
        assert_eq!((contact.state, contact.source), (LegState::Support, Some(Source::Estimated)), "the best counts");
    }

    #[test]
    fn when_a_switch_speaks_against_the_plan_expect_the_switch_to_win_both_ways() {
        for (closed, state) in [(true, LegState::Support), (false, LegState::Swing)] {
            let planned_support = Some(!closed);
            let evidence = ContactEvidence { switch: Some(closed), planned_support, ..ContactEvidence::default() };
            for from in [LegState::Swing, LegState::Support] {
                assert_eq!(after(evidence, from, 3).state, state, "{evidence:?} from {from:?}");
            }
        }
    }

    #[test]
    fn when_a_probability_lies_between_expect_hysteresis_and_one_step_of_confirmation() {
        let mut detector = detector();
        let mut at = |p: f64| {
            let evidence = ContactEvidence { force_probability: Some(p), ..ContactEvidence::default() };
            detector.update(&evidence, 0.01).state
        };
        assert_eq!([0.9, 0.5, 0.9, 0.9].map(&mut at)[3], LegState::Support);
        assert_eq!([0.5, 0.16, 0.3, 0.1].map(&mut at), [LegState::Support; 4]);
        assert_eq!(at(0.1), LegState::Swing);
        assert_eq!(at(0.84), LegState::Swing);
    }
}
