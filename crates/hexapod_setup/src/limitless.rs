//! What to write in `robot.yaml` for joints to which a description gives no limits that can be.

use hexapod_kinematics::{LegOptions, LimitChange, ModelError, ModelFault, Robot};

/// Limits to begin with, rad and rad/s, for the owner to correct.
const RANGE_RAD: f64 = 1.0;
const VELOCITY_RAD_S: f64 = 5.0;
/// A robot's joints are fewer than this, each of which is asked for its range and for its speed.
const MOST_FAULTS: usize = 256;

/// The entry of `robot.yaml` with which the description is read, and how many joints it is for. `read` reads it with such
/// options.
pub(crate) fn entry(
    options: &LegOptions,
    error: &ModelError,
    mut read: impl FnMut(&LegOptions) -> Result<Robot, ModelError>,
) -> Option<(String, usize)> {
    let mut changes: Vec<LimitChange> = Vec::new();
    let mut fault = Some(error.clone());
    let mut joints = None;
    for _ in 0..MOST_FAULTS {
        let Some(limit) = fault.as_ref().and_then(faulty) else { break };
        note(&mut changes, limit);
        let mut options = options.clone();
        options.limits.extend(changes.iter().cloned());
        let robot = read(&options);
        joints = robot.as_ref().ok().map(Robot::joint_count);
        fault = robot.err();
    }
    let first = changes.first()?;
    let alike = changes.iter().all(|change| LimitChange { joint: first.joint.clone(), ..change.clone() } == *first);
    let entries: Vec<String> = if alike && changes.len() > 1 && joints == Some(changes.len()) {
        vec![format!("all: {}", keys(first))]
    } else {
        changes.iter().map(|change| format!("{}: {}", change.joint, keys(change))).collect()
    };
    Some((format!("limits: {{{}}}", entries.join(", ")), changes.len()))
}

/// The joint whose limits are at fault, and whether it is its speed alone.
fn faulty(error: &ModelError) -> Option<(&str, bool)> {
    let attribute = error.attribute().filter(|attribute| attribute.starts_with("limit"))?;
    let is_limit = matches!(error.fault(), ModelFault::Limits | ModelFault::Missing);
    let joint = error.element().split('"').nth(1).filter(|_| is_limit)?;
    Some((joint, attribute == "limit velocity"))
}

fn note(changes: &mut Vec<LimitChange>, (joint, is_speed): (&str, bool)) {
    let index = changes.iter().position(|change| change.joint == joint).unwrap_or_else(|| {
        changes.push(LimitChange { joint: joint.into(), ..LimitChange::default() });
        changes.len() - 1
    });
    let Some(change) = changes.get_mut(index) else { return };
    // Where its range alone does not mend it, the description's own fault is reported again.
    if is_speed || change.lower.is_some() {
        change.velocity = Some(VELOCITY_RAD_S);
    } else {
        (change.lower, change.upper) = (Some(-RANGE_RAD), Some(RANGE_RAD));
    }
}

fn keys(change: &LimitChange) -> String {
    let keys = [("lower", change.lower), ("upper", change.upper), ("velocity", change.velocity)];
    let given = keys.into_iter().filter_map(|(key, value)| Some(format!("{key}: {:.1}", value?)));
    format!("{{{}}}", given.collect::<Vec<_>>().join(", "))
}
