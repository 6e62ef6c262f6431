//! Whether the servos are strong enough for the robot, as far as its description tells.

use hexapod_dynamics::{BaseMotion, LoadPredictor, Overload};
use hexapod_gait::{Engine, Gait, LegPhase};
use hexapod_kinematics::{Leg, LegAngles};

/// Friction of the ground that is reckoned with.
pub(crate) const FRICTION: f64 = 0.6;
/// Looks at who stands in one cycle of a gait.
const LOOKS: u32 = 48;

/// What to tell where the robot's weight is predicted to ask more of a joint than its description gives it, standing on
/// all feet or on those that a gait leaves on the ground.
pub(crate) fn note(engine: &Engine) -> Option<String> {
    if engine.lacks_legs() {
        return None;
    }
    let mut torque_check = TorqueCheck::of(engine);
    let all = vec![true; engine.legs().len()];
    let (doing, worst) = match torque_check.worst([all]) {
        Some(worst) => ("standing on all feet".to_owned(), worst),
        None => ("walking".to_owned(), torque_check.worst(standing(engine.gait(), engine.legs().len()))?),
    };
    let joint = engine.legs().get(worst.load.leg)?.joints().get(worst.load.joint)?.name();
    let (torque, limit, mass) = (worst.load.torque_nm.abs(), worst.load.limit_nm, engine.robot().model().total_mass());
    let of = if worst.count > 1 { format!(" (the worst of {} joints)", worst.count) } else { String::new() };
    Some(format!(
        "{doing}, joint {joint} is predicted to bear {torque:.2} N m, and its effort limit is {limit:.2} N m{of}: the robot of \
         {mass:.2} kg would sag or fall; use stronger servos or less weight, or correct <mass>, or <limit effort>, as in \
         `limits: {{all: {{effort: {:.1}}}}}` in robot.yaml, if they are wrong",
        torque * 1.5
    ))
}

/// The feet on the ground, each time that changes.
fn standing(gait: &Gait, legs: usize) -> Vec<Vec<bool>> {
    let at = |look| {
        let phase = (f64::from(look) + 0.5) / f64::from(LOOKS);
        (0..legs).map(|leg| matches!(gait.leg_phase(leg, phase), LegPhase::Stance(_))).collect()
    };
    let mut all: Vec<Vec<bool>> = (0..LOOKS).map(at).collect();
    all.sort();
    all.dedup();
    all
}

/// The joint that lacks most, and how many lack something.
struct Worst {
    load: Overload,
    count: usize,
}

struct TorqueCheck {
    predictor: LoadPredictor,
    angles: Vec<LegAngles>,
}

impl TorqueCheck {
    fn of(engine: &Engine) -> Self {
        let height = engine.stance().spec().height;
        let feet = engine.legs().iter().zip(engine.rest_feet());
        let standing = |(leg, rest): (&Leg, &nalgebra::Vector2<f64>)| {
            leg.inverse(&rest.push(-height), &leg.posture()).unwrap_or_else(|_| leg.posture())
        };
        Self { predictor: LoadPredictor::new(engine.robot(), FRICTION), angles: feet.map(standing).collect() }
    }

    fn worst(&mut self, stances: impl IntoIterator<Item = Vec<bool>>) -> Option<Worst> {
        let mut all: Vec<Overload> = Vec::new();
        for on_ground in stances {
            // Feet that do not hold the body at all are reported elsewhere.
            let Ok(load) = self.predictor.predict(&self.angles, &on_ground, &BaseMotion::level()) else { continue };
            for over in self.predictor.overloads(&load, 1.0) {
                match all.iter_mut().find(|known| (known.leg, known.joint) == (over.leg, over.joint)) {
                    Some(known) if lack(known) >= lack(&over) => {}
                    Some(known) => *known = over,
                    None => all.push(over),
                }
            }
        }
        let count = all.len();
        all.into_iter().max_by(|a, b| lack(a).total_cmp(&lack(b))).map(|load| Worst { load, count })
    }
}

/// How many times what it can give a joint would have to.
fn lack(over: &Overload) -> f64 {
    over.torque_nm.abs() / over.limit_nm
}

#[cfg(test)]
mod tests {
    use super::*;
    use gait_planner::{Setup, specs};
    use hexapod_config::ros_params::{ParamValue, Params};
    use hexapod_gait::LegClearance;
    use hexapod_kinematics::{LegOptions, LimitChange, Robot};
    use hexapod_setup::planner;
    use std::sync::Arc;

    const ROOT: &str = env!("CARGO_MANIFEST_DIR");

    /// The note on the shipped robot with joints of this effort.
    fn with_effort(effort: f64) -> Option<String> {
        let mut params: Params = specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.insert("config", ParamValue::String(format!("{ROOT}/config")));
        let gait = *Setup::load(&params).unwrap().engine.gait();
        let urdf = std::fs::read_to_string(format!("{ROOT}/urdf/hexapod.urdf")).unwrap();
        let limits = vec![LimitChange { effort: Some(effort), ..LimitChange::default() }];
        let robot = Robot::from_urdf_with(&urdf, &LegOptions { limits, ..LegOptions::default() }).unwrap();
        let (settings, stance) = planner::settings(&params, &robot, LegClearance::default()).unwrap();
        note(&Engine::with_stance(Arc::new(robot), gait, settings, stance))
    }

    #[test]
    fn when_servos_are_too_weak_to_stand_expect_the_worst_joint_with_numbers() {
        let note = with_effort(0.2).unwrap();
        assert!(
            note.starts_with("standing on all feet, joint ") && note.contains("limit is 0.20 N m (the worst of"),
            "{note}"
        );
    }

    #[test]
    fn when_servos_stand_but_do_not_walk_expect_that_said_and_of_strong_ones_nothing() {
        let effort = (2..30).map(|tenths| f64::from(tenths) * 0.1);
        let mut notes =
            effort.map(with_effort).skip_while(|note| note.as_ref().is_some_and(|note| note.starts_with("standing")));
        let first = notes.next().unwrap().unwrap_or_default();
        assert!(first.starts_with("walking, joint "), "{first}");
        assert_eq!(with_effort(5.0), None);
        assert_eq!(with_effort(0.0), None, "not known");
    }
}
