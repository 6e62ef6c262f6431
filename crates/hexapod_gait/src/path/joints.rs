//! The joints at the ends of a segment, and whether they get from one to the other in time.

use crate::plane::limits::LimitedBy;
use crate::plant::Plant;
use crate::state::State;
use crate::state::allowance::BATCH_IK;
use crate::state::foot::{EVENT_S, Foot};
use crate::state::mode::Mode;
use hexapod_kinematics::{IterationBudget, LegAngles, Look, MAX_LEG_JOINTS, MAX_LEGS};
use nalgebra::{Isometry3, Vector3};

/// Fraction of a joint's greatest velocity that is used.
const VELOCITY_FRACTION: f64 = 0.96;
/// Below this part of the greatest velocity over a whole segment, none of its moments exceeds it, with legs of three joints:
/// those with more may turn to and fro while their foot stays.
const SURE_FRACTION: f64 = 0.75;
/// Over less time, s, joints may turn as far as over this: a foot is put down where it is to be from a few nanoseconds
/// before its swing is over, at whatever speed it comes.
const LEAST_S: f64 = 10.0 * EVENT_S;
/// How near to an end of its range a joint may come between two points of the grid, rad.
const NEAR_END_RAD: f64 = 0.03;

/// A kernel in the widest vectors over the joints of each leg, their number known to the compiler.
macro_rules! over_joints {
    ($plant:expr, $joints:ident => $kernel:expr) => {
        if $plant.most_joints <= 4 {
            const $joints: usize = 4;
            $plant.vectors.run(
                #[inline(always)]
                || $kernel,
            )
        } else {
            const $joints: usize = MAX_LEG_JOINTS;
            $plant.vectors.run(
                #[inline(always)]
                || $kernel,
            )
        }
    };
}

/// Why a segment cannot be gone as planned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Blocked {
    /// A joint would need this many times its greatest velocity.
    TooFast(f64),
    OutOfReach,
    /// A leg would come too near to another, or to the body.
    TooNear,
    /// That has not been found out: the budget is spent.
    Unknown,
}

impl Blocked {
    /// The limit that this is.
    pub(crate) fn limit(self) -> LimitedBy {
        match self {
            Self::TooFast(_) => LimitedBy::JointVelocity,
            Self::OutOfReach => LimitedBy::Kinematics,
            Self::TooNear => LimitedBy::Clearance,
            Self::Unknown => LimitedBy::Planning,
        }
    }
}

/// Whether legs keep apart on the way from one state to another: those of a robot that has placed its feet.
#[inline]
pub(crate) fn keep_apart(plant: &Plant, start: &State, end: &State, look: &mut Look) -> Result<(), Blocked> {
    let looks = end.mode == Mode::Standing || end.mode.steps();
    let clear = !looks || plant.apart.allows(&plant.robot, [&start.angles, &end.angles], look);
    if clear { Ok(()) } else { Err(Blocked::TooNear) }
}

/// What bars a robot whose joints were not solved.
pub(super) fn unsolved(budget: &IterationBudget) -> Blocked {
    if budget.is_spent() { Blocked::Unknown } else { Blocked::OutOfReach }
}

/// Joint angles for the feet as they are, those of `start` being near; none where a foot is out of reach.
#[inline]
pub(crate) fn solve(plant: &Plant, start: &State, state: &mut State, budget: &mut IterationBudget) -> Option<()> {
    let seconds = state.ns.saturating_sub(start.ns) as f64 * 1e-9;
    solve_near(plant, (&start.angles, seconds), state, budget)
}

/// The same at a fraction of the way between the ends of a segment, as near as may be to the line from one to the other.
/// From `start` alone a leg of more than three joints would find another of its postures there, and turn faster than to
/// the end.
#[inline]
pub(super) fn solve_between(
    plant: &Plant,
    ends: [&State; 2],
    fraction: f64,
    state: &mut State,
    budget: &mut IterationBudget,
) -> Option<()> {
    if plant.batch_ik.is_some() {
        return solve_near(plant, (&ends[0].angles, 0.0), state, budget);
    }
    let on_the_line = std::array::from_fn(|leg| between(ends, leg, fraction));
    solve_near(plant, (&on_the_line, 0.0), state, budget)
}

/// The angles of a leg at a fraction of the way from one state to another.
fn between([from, to]: [&State; 2], leg: usize, fraction: f64) -> LegAngles {
    let mut angles = from.angles_of(leg);
    angles.iter_mut().zip(to.angles_of(leg).iter()).for_each(|(angle, to)| *angle += (to - *angle) * fraction);
    angles
}

#[inline]
fn solve_near(
    plant: &Plant,
    near: (&[LegAngles; MAX_LEGS], f64),
    state: &mut State,
    budget: &mut IterationBudget,
) -> Option<()> {
    if !state.mode.joints_follow_feet() {
        return Some(());
    }
    let body_from_footprint = state.footprint_from_body().inverse();
    let State { walk, correction, angles, .. } = state;
    let held =
        |(leg, foot): (usize, &Foot)| (!matches!(foot, Foot::Missing)).then(|| correction.over(leg, foot.position()));
    let feet = walk.feet().iter().enumerate().map(held);
    solve_feet(plant, &body_from_footprint, feet, near, angles, budget)
}

/// Joint angles for feet there over the ground, but for legs that have none, near others `seconds` before; none where a
/// foot is out of reach.
#[inline]
pub(crate) fn solve_feet(
    plant: &Plant,
    body_from_footprint: &Isometry3<f64>,
    feet: impl Iterator<Item = Option<Vector3<f64>>>,
    (near, seconds): (&[LegAngles; MAX_LEGS], f64),
    angles: &mut [LegAngles; MAX_LEGS],
    budget: &mut IterationBudget,
) -> Option<()> {
    if let Some(batch) = &plant.batch_ik {
        if !budget.take(BATCH_IK) {
            return None;
        }
        return batch.solve(body_from_footprint, feet, angles).then_some(());
    }
    for (leg, ((angles, near), at)) in angles.iter_mut().zip(near).zip(feet).enumerate() {
        let Some(at) = at else { continue };
        let in_body = body_from_footprint.transform_point(&at.into()).coords;
        *angles = plant.inverse_within(leg, &in_body, near, seconds, budget)?;
    }
    Some(())
}

/// Joint angles for the feet as they are, between two ends that walking reaches: beyond the range that it uses where
/// need be, but within the joints' limits; or else part of the way from one end to the other. A leg that has the same
/// angles at both keeps them: where nothing can move, its foot need not be where its joints have it.
#[inline(never)]
pub(super) fn bridge(plant: &Plant, ends: [&State; 2], fraction: f64, state: &mut State, budget: &mut IterationBudget) {
    let body_from_footprint = state.footprint_from_body().inverse();
    for (index, leg) in plant.legs().iter().enumerate().filter(|(leg, _)| *state.walk.foot(*leg) != Foot::Missing) {
        let in_body = body_from_footprint.transform_point(&state.foot_position(index).into()).coords;
        let from = ends[0].angles_of(index);
        let solved = if from == ends[1].angles_of(index) {
            Some(from)
        } else {
            leg.inverse_tracking(&in_body, &from, 0.0, budget).ok()
        };
        if let Some(angles) = state.angles.get_mut(index) {
            *angles = solved.unwrap_or_else(|| between(ends, index, fraction));
        }
    }
}

/// Whether the mean velocity of a whole segment hides what one moment of it needs: near the greatest, or at the edge of
/// their reach, to which only an offset takes them, where feet may go out of it and in again.
#[inline]
pub(super) fn hides_a_moment(plant: &Plant, end: &State, ratio: f64) -> bool {
    plant.most_joints > 3 || ratio > SURE_FRACTION || is_near_end(plant, end)
}

/// Whether no joint leaves the range that walking uses, and comes back, between three poses that are as far apart in time.
pub(crate) fn stays_usable(plant: &Plant, [from, middle, to]: [&[LegAngles; MAX_LEGS]; 3]) -> bool {
    let mut ways = from.iter().zip(middle).zip(to).zip(plant.stance.usable());
    ways.all(|(((from, middle), to), usable)| usable.contains_way([from, middle, to]))
}

/// Whether joints that need so many times their greatest velocity are fast enough.
#[inline]
pub(super) fn fast_enough(ratio: f64) -> Result<(), Blocked> {
    if ratio > VELOCITY_FRACTION { Err(Blocked::TooFast(ratio / VELOCITY_FRACTION)) } else { Ok(()) }
}

/// Whether an offset has taken a joint near an end of the range that walking uses.
pub(super) fn is_near_end(plant: &Plant, state: &State) -> bool {
    let margin = || over_joints!(plant, J => least_from_ends::<J>(plant, &state.angles));
    !state.offset.is_zero() && margin() < NEAR_END_RAD
}

/// How far the joint that is nearest to an end of its range is from there, rad, of the first `J` joints of each leg.
#[inline(always)]
fn least_from_ends<const J: usize>(plant: &Plant, angles: &[LegAngles; MAX_LEGS]) -> f64 {
    let mut least = [f64::INFINITY; J];
    for (usable, angles) in plant.stance.usable().iter().zip(angles).take(plant.legs().len()) {
        for (least, from_end) in least.iter_mut().zip(usable.gaps_to_ends::<J>(angles)) {
            *least = lesser(*least, from_end);
        }
    }
    least.into_iter().fold(f64::INFINITY, lesser)
}

/// The greatest part of a joint's greatest velocity that is needed from one pose to another.
#[inline]
pub(super) fn velocity_ratio(plant: &Plant, from: &State, to: &State, seconds: f64) -> f64 {
    let seconds = seconds.max(LEAST_S);
    over_joints!(plant, J => worst::<J>(plant, &plant.greatest_rad_s, |leg, greatest| {
        let (from, to) = (from.angles[leg].padded(), to.angles[leg].padded());
        std::array::from_fn(|k| (to[k] - from[k]).abs() / (greatest[k] * seconds + 1e-9))
    }))
}

/// The greatest part of a joint's greatest velocity that is needed at a moment of a stretch of time, from the poses at
/// its start, middle and end: velocities that change evenly are greatest at one of the ends.
pub(super) fn moment_ratio(plant: &Plant, [start, middle, end]: [&State; 3], seconds: f64) -> f64 {
    let seconds = seconds.max(LEAST_S);
    over_joints!(plant, J => worst::<J>(plant, &plant.greatest_rad_s, |leg, greatest| {
        let (start, middle, end) = (start.angles[leg].padded(), middle.angles[leg].padded(), end.angles[leg].padded());
        std::array::from_fn(|k| {
            let (first, second) = (2.0 * (middle[k] - start[k]), 2.0 * (end[k] - middle[k]));
            let most = greater((1.5 * first - 0.5 * second).abs(), (1.5 * second - 0.5 * first).abs());
            most / (greatest[k] * seconds + 1e-9)
        })
    }))
}

/// The greatest turn of a joint from one pose to another, in parts of its greatest acceleration and of how far its leg's
/// foot has gone, m; legs whose feet have stayed do not count.
#[inline]
pub(crate) fn greatest_turn(
    plant: &Plant,
    from: &[LegAngles; MAX_LEGS],
    to: &[LegAngles; MAX_LEGS],
    ways: &[f64; MAX_LEGS],
) -> f64 {
    over_joints!(plant, J => worst::<J>(plant, &plant.greatest_rad_s2, |leg, greatest| {
        let (from, to, way) = (from[leg].padded(), to[leg].padded(), ways[leg]);
        if way > 0.0 { std::array::from_fn(|k| (to[k] - from[k]).abs() / (way * greatest[k])) } else { [0.0; J] }
    }))
}

/// The greatest of what the first `J` joints of each leg need of what they can; joints that a leg does not have need
/// nothing.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an index below the greatest number of legs is checked once for all arrays"
)]
fn worst<const J: usize>(
    plant: &Plant,
    greatest: &[LegAngles; MAX_LEGS],
    needed: impl Fn(usize, &[f64; MAX_LEG_JOINTS]) -> [f64; J],
) -> f64 {
    let mut worst = [0.0; J];
    for leg in 0..plant.legs().len().min(MAX_LEGS) {
        let needed = needed(leg, greatest[leg].padded());
        for (worst, needed) in worst.iter_mut().zip(needed) {
            *worst = greater(*worst, needed);
        }
    }
    worst.into_iter().fold(0.0, greater)
}

#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}
