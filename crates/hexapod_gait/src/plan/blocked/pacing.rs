//! The answer to a path that is blocked: first more slowly, as fast as the joints can.

use crate::path::{Blocked, Path};
use crate::plane::grid::GRID_NS;
use crate::plane::limits::LimitedBy;
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::body_motion::Rise;
use crate::state::mode::Mode;
use crate::state::rates::BodyRates;
use crate::state::segment::{Advance, Pace, Segment};
use hexapod_kinematics::{IterationBudget, Look, MAX_LEGS};
use nalgebra::Vector2;

/// Paces that are tried.
const ATTEMPTS: usize = 7;
const STANDING_ATTEMPTS: usize = 3;
/// So often the body alone is slowed for a foot that could not go on.
const BODY_ATTEMPTS: usize = 2;
/// Fraction of a cycle in which all feet are to be down in a stop.
const STOP_FRACTION: f64 = 0.9;
/// How much slower the body gets from one point of the grid to the next for feet that would else come down late in a stop.
const STOP_HARDER: f64 = 0.8;
/// After so many attempts it is not a swing that is too fast.
const SWING_ATTEMPTS: usize = 4;
/// Swings are not slowed further than this before the body is.
const LEAST_SWING_PACE: f64 = 0.2;
/// Fractions of its pace below which a segment is not made longer.
const LEAST_STRETCHED: f64 = 1e-6;

/// Takes a segment on as fast as the joints can; else says what bars it. A sway that would take a foot out of its reach
/// is given up.
pub(crate) fn go_as_fast_as_may_be(
    path: &Path,
    start: &State,
    segment: &mut Segment,
    budget: &mut IterationBudget,
    look: &mut Look,
) -> Result<(), Blocked> {
    if rests(start) {
        segment.end.ns += segment.ns;
        return Ok(());
    }
    let attempts = if matches!(start.mode, Mode::Standing) { STANDING_ATTEMPTS } else { ATTEMPTS };
    let mut last = Blocked::Unknown;
    for attempt in 0..attempts {
        if attempt > 0 {
            segment.end = *start;
        }
        let Err(blocked) = path.go(start, segment, budget, look) else {
            if path.plant.batch_ik.is_none() {
                stretch(path, start, segment, budget, look);
            }
            return Ok(());
        };
        last = blocked;
        if !ease(start, segment, blocked, attempt) {
            break;
        }
    }
    Err(last)
}

/// Whether nothing moves: neither feet nor the body over them.
fn rests(start: &State) -> bool {
    let rates = &start.rates;
    let resting = rates.offset.is_zero() && rates.sway == Vector2::zeros();
    resting && matches!(start.mode, Mode::Sitting | Mode::UnplannedPose | Mode::Standing)
}

/// Asks less of a segment that is blocked; false where nobody knows of what.
#[inline(never)]
fn ease(start: &State, segment: &mut Segment, blocked: Blocked, attempt: usize) -> bool {
    let Advance { rates, pace } = &mut segment.advance;
    match blocked {
        Blocked::TooFast(ratio) => {
            segment.by = segment.by.max(LimitedBy::JointVelocity);
            *pace = slow_enough(start, *pace, ratio, attempt);
        }
        Blocked::OutOfReach | Blocked::TooNear if !rates.level.is_zero() => rates.level = Rise::NONE,
        Blocked::OutOfReach | Blocked::TooNear if rates.correction != [0.0; MAX_LEGS] => {
            rates.correction = [0.0; MAX_LEGS]
        }
        Blocked::OutOfReach | Blocked::TooNear if rates.sway != Vector2::zeros() => rates.sway = Vector2::zeros(),
        Blocked::OutOfReach | Blocked::TooNear => {
            segment.by = segment.by.max(blocked.limit());
            *pace = less_far(start, *pace, attempt);
        }
        Blocked::Unknown => return false,
    }
    true
}

/// A segment up to an event that is slowed comes short of it, and the next one again. Where each leg is solved by
/// itself, which takes long, it goes on to the event at its pace, or to the next point of the grid.
#[inline(never)]
fn stretch(path: &Path, start: &State, segment: &mut Segment, budget: &mut IterationBudget, look: &mut Look) {
    let left = GRID_NS - start.ns % GRID_NS;
    let Pace { body, swing, .. } = segment.advance.pace;
    let fraction = body * swing;
    if !start.mode.steps() || segment.ns >= left || fraction <= LEAST_STRETCHED || fraction >= 1.0 {
        return;
    }
    let ns = ((segment.ns as f64 / fraction) as u64).min(left);
    let mut longer = Segment { ns, end: *start, ..*segment };
    if path.go(start, &mut longer, budget, look).is_ok() {
        *segment = longer;
    }
}

/// Makes it the segment in which the robot holds its pose, because there is no time to find out how it could go on.
pub(crate) fn hold(path: &Path, start: &State, segment: &mut Segment) {
    let rates = &mut segment.advance.rates;
    *rates = BodyRates { sway: rates.sway, ..BodyRates::REST };
    stay(path, start, segment);
    segment.by = LimitedBy::Planning;
}

/// Makes it the segment in which nothing moves, because there is no way on.
pub(crate) fn stay(path: &Path, start: &State, segment: &mut Segment) {
    (segment.advance.pace, segment.by) = (Pace::FULL.slower(0.0), segment.by.max(LimitedBy::Kinematics));
    segment.end = path.at(start, segment.ns, &segment.advance);
}

/// The pace to try next where a joint would need `ratio` times its greatest velocity.
fn slow_enough(start: &State, pace: Pace, ratio: f64, attempt: usize) -> Pace {
    let swing = (pace.swing * 0.98 / ratio).max(LEAST_SWING_PACE);
    // A leg that is brought to its place goes at the pace of the body.
    let swings = start.mode.steps() && !start.walk.all_planted();
    if swings && attempt == 0 && is_behind(start, pace.body * swing) {
        pace.body_slower(STOP_HARDER)
    } else if swings && pace.swing > LEAST_SWING_PACE && attempt < SWING_ATTEMPTS {
        Pace { swing, ..pace }
    } else {
        pace.slower(0.95 / ratio)
    }
}

/// The pace to try next where a foot would get out of reach.
fn less_far(start: &State, pace: Pace, attempt: usize) -> Pace {
    if matches!(start.mode, Mode::Standing) {
        pace.slower(0.25)
    } else if attempt < BODY_ATTEMPTS && !start.walk.all_planted() {
        // A foot that has just been lifted still goes back with the ground: its swing takes it in again.
        pace.body_slower(0.25)
    } else if attempt == BODY_ATTEMPTS {
        Pace::FULL.slower(0.25)
    } else {
        pace.slower(0.5)
    }
}

/// Whether a robot that stops would have feet in the air for longer than a cycle because its body still moves, with
/// swings that are at this pace now. They get faster later: it is the quickest part of a swing that is slowed.
fn is_behind(start: &State, pace: f64) -> bool {
    let Mode::Stopping(stop) = start.mode else { return false };
    let since = (start.ns - stop.since_ns) as f64 * 1e-9;
    start.twist[0] != Twist::ZERO
        && since + start.walk.time_in_the_air() / (0.5 + 0.5 * pace) > STOP_FRACTION * start.walk.cycle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::twist::Twist;
    use crate::state::foot::Foot;
    use crate::state::tests::{on_its_feet, shipped};

    fn paced(start: &State) -> (Result<(), Blocked>, Segment) {
        let robot = shipped();
        let mut segment = Segment::from(start, GRID_NS);
        let path = Path { plant: &robot.0, gait: &robot.1 };
        (
            go_as_fast_as_may_be(&path, start, &mut segment, &mut IterationBudget::new(1000), &mut Look::default()),
            segment,
        )
    }

    #[test]
    fn when_nothing_moves_expect_nothing_but_time_to_pass() {
        let start = on_its_feet(&shipped(), Mode::Standing);
        let (went, segment) = paced(&start);
        assert!(went.is_ok() && segment.end.ns == GRID_NS && segment.end.angles == start.angles);
    }

    #[test]
    fn when_a_joint_would_be_too_fast_expect_a_slower_pace_on_the_same_path() {
        let mut start = on_its_feet(&shipped(), Mode::Walking);
        start.twist = [Twist::new(1.5, 0.0, 0.0); 2];
        let (went, segment) = paced(&start);
        let pace = segment.advance.pace.body;
        assert!(went.is_ok() && segment.by == LimitedBy::JointVelocity && pace < 0.9);
        let moved = start.walk.foot(0).position() - segment.end.walk.foot(0).position();
        assert!((moved.x - 1.5 * 0.01 * pace).abs() < 1e-12 && moved.yz().norm() < 1e-12, "{moved} of {pace}");
    }

    #[test]
    fn when_a_foot_cannot_get_where_the_path_goes_expect_the_sway_given_up_before_the_pace() {
        let mut start = on_its_feet(&shipped(), Mode::Walking);
        let reachable = start.walk.foot(0).position();
        start.walk.feet[0] = Foot::Planted { at: reachable * 3.0 };
        start.rates.sway = Vector2::new(0.1, 0.0);
        let (went, segment) = paced(&start);
        assert!(matches!(went, Err(Blocked::OutOfReach)) && segment.advance.rates.sway == Vector2::zeros());
        // A sway alone takes the feet out of their reach: without it the segment goes at its full pace.
        start.walk.feet[0] = Foot::Planted { at: reachable };
        start.rates.sway = Vector2::new(20.0, 0.0);
        let (went, segment) = paced(&start);
        assert!(went.is_ok() && segment.advance.rates.sway == Vector2::zeros());
        assert_eq!((segment.advance.pace.body, segment.by), (1.0, LimitedBy::Nothing));
        assert_eq!(segment.end.rates, segment.advance.rates, "from there it is no longer planned with");
    }
}
