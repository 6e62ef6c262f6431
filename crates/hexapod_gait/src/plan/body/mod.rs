//! Where the body goes over its feet: to the pose that is asked for, as far as the feet have room, and to where it is
//! balanced.

pub(crate) mod balance;
pub(crate) mod correction_decay;
pub(crate) mod height;
pub(crate) mod levelling;
pub(crate) mod reachable;
pub(crate) mod shift;
pub(crate) mod stopping;
pub(crate) mod stretched;
pub(crate) mod sway;
pub(crate) mod workspace;

use crate::gait::posture::BodyOffset;
use crate::plan::body::height::{NominalTarget, SAME};
use crate::plan::body::reachable::is_within_workspace;
use crate::plan::body::shift::AutoMove;
use crate::plan::body::workspace::{FeasiblePose, PoseQuery, WorkspaceSearch, feasible_pose};
use crate::plan::context::Context;
use crate::plane::grid::GRID_NS;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use crate::state::mode::{Mode, Stopping, Then};
use hexapod_kinematics::IterationBudget;

/// Points of the grid from one look at all the feet's room to the next.
const LOOK_STEPS: u64 = 8;
/// How near its place (m, rad) a body is that the path takes there in its stride.
const CLOSE: f64 = 2e-4;
/// A height that the feet are so far from having made room for makes steps shorter, m, and to which part of their reach.
const BEHIND_M: f64 = 0.004;
const BEHIND_REACH: f64 = 0.5;
/// Beyond how much of such a height the rest of a pose waits for it, and over how much more all of it does, m.
const FAR_BEHIND_M: [f64; 2] = [0.001, 0.006];
/// How far the body goes up or down before its feet are drawn in or go out, m in all the reach that they do without.
const AHEAD_M: f64 = 0.03;

/// How long a body that is to go home stays at its height until it is straight above its feet, ns; then it goes up or down
/// as it comes there.
const MOST_WAIT_NS: u64 = 2_000_000_000;

/// Where the body's offset goes, and the nominal stance with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyTarget {
    pub offset: BodyOffset,
    pub nominal: Option<NominalTarget>,
    /// How far the stance has yet to go up or down without the offset, m.
    pub height_left: f64,
    /// What the body does by itself beside that, if anything.
    pub auto_pose: Option<AutoMove>,
}

impl From<BodyOffset> for BodyTarget {
    fn from(offset: BodyOffset) -> Self {
        Self { offset, nominal: None, height_left: 0.0, auto_pose: None }
    }
}

/// What is asked of the body at a point of the grid.
#[derive(Clone, Copy)]
pub(crate) struct PoseRequest {
    /// The robot is to walk.
    pub walks: bool,
    pub offset: BodyOffset,
}

/// Where the body's offset goes: where it is wanted while the robot stands; as far as the feet keep their room while it
/// walks; to nothing when it is about to walk without that room, and for any other posture.
#[inline]
pub(crate) fn body_target(
    cx: &Context,
    workspace: &mut WorkspaceSearch,
    start: &State,
    wanted: PoseRequest,
    budget: &mut IterationBudget,
) -> BodyTarget {
    match start.mode {
        Mode::Standing if !wanted.walks => wanted.offset.into(),
        Mode::Standing => level(start.walk.nominal.raised).into(),
        Mode::Walking | Mode::Stopping(Stopping { then: Then::Stand, .. }) => {
            let offset = workspace.kept_up(cx.plant, wanted.offset);
            let asked = PoseQuery { offset, raised: 0.0 };
            walking_target(cx, start, &feasible_pose(cx, workspace, start, asked, budget))
        }
        Mode::Stopping(stop) => {
            // Feet that are where they rest at another height are put back before the body leaves that.
            let is_new = start.ns - stop.since_ns < MOST_WAIT_NS && stop.centring == 0;
            let waits = stop.then == Then::GoHome && is_new && !start.offset.is_zero();
            let NominalStance { raised, reach_fraction, .. } = start.walk.nominal;
            let nominal = if waits { NominalTarget { raised, reach_fraction } } else { NominalTarget::OWN };
            BodyTarget { nominal: Some(nominal), ..BodyOffset::default().into() }
        }
        _ => BodyOffset::default().into(),
    }
}

/// The same of a robot that walks: as far as the feet keep their room. What of it is height, the stance takes up.
#[inline]
fn walking_target(cx: &Context, start: &State, granted: &FeasiblePose) -> BodyTarget {
    let present = &start.walk.nominal;
    let auto_pose = if matches!(start.mode, Mode::Walking) { AutoMove::of(cx, &start.walk) } else { None };
    // Steps are short enough before the body goes where there is no room for longer ones.
    if present.reach_fraction > granted.reach_fraction + SAME {
        let offset = auto_pose.map_or(start.offset, |auto_pose| start.offset.moved(&auto_pose.now, -1.0));
        let nominal = NominalTarget { raised: present.raised, reach_fraction: granted.reach_fraction };
        return BodyTarget { offset, nominal: Some(nominal), height_left: 0.0, auto_pose };
    }
    // They grow again once the body rests: one that is moved to and fro would else wait for them each time.
    let rests = start.rates.offset.is_zero() && start.rates.height == 0.0;
    let mut reach_fraction = if rests { granted.reach_fraction } else { present.reach_fraction };
    let raised = cx.plant.raised_with(granted.offset.translation.z);
    // Feet that are still to be drawn in or to go out leave the body room to go up or down before them.
    let behind = raised - (start.height - cx.plant.stance.own_spec().height);
    if behind.abs() > BEHIND_M {
        reach_fraction = reach_fraction.min(BEHIND_REACH);
    }
    let ahead = (1.0 - present.reach_fraction) * AHEAD_M;
    // The feet have room for the rest of a pose at its own height.
    let with_height = (1.0 - (behind.abs() - FAR_BEHIND_M[0]) / FAR_BEHIND_M[1]).clamp(0.0, 1.0);
    let by_offset = behind.max(-ahead).min(ahead);
    let z = granted.offset.translation.z - raised + by_offset;
    BodyTarget {
        offset: granted.offset.scaled(with_height).at_height(z),
        nominal: Some(NominalTarget { raised, reach_fraction }),
        height_left: behind - by_offset,
        auto_pose,
    }
}

/// The nominal stance with which a robot that stands may start to walk, if its body is where the feet have room for that.
pub(crate) fn nominal_to_start(
    cx: &Context,
    start: &State,
    granted: &FeasiblePose,
    budget: &mut IterationBudget,
) -> Option<NominalStance> {
    let nominal = start.walk.nominal;
    if granted.offset.is_within(&start.offset, CLOSE) {
        return Some(cx.plant.stance.nominal(nominal.raised, granted.reach_fraction.min(nominal.reach_fraction)));
    }
    let looks = (start.ns / GRID_NS).is_multiple_of(LOOK_STEPS);
    let may = start.offset.is_within(&level(nominal.raised), CLOSE)
        || (looks && is_within_workspace(cx, start, start.offset, budget));
    may.then_some(nominal)
}

/// Grants part of a pose to a robot that is to walk from where it stands, at the height of its nominal stance.
pub(crate) fn grant_on_the_spot(
    cx: &Context,
    workspace: &mut WorkspaceSearch,
    start: &State,
    asked: BodyOffset,
    budget: &mut IterationBudget,
) -> FeasiblePose {
    let raised = start.walk.nominal.raised;
    feasible_pose(cx, workspace, start, PoseQuery { offset: asked.at_height(raised), raised }, budget)
}

/// Nothing but this height.
#[inline]
fn level(raised: f64) -> BodyOffset {
    BodyOffset::default().at_height(raised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    const BUDGET: u32 = 1000;

    fn low() -> BodyOffset {
        BodyOffset { translation: Vector3::new(0.01, 0.0, -0.01), rotation: Vector3::zeros() }
    }

    #[test]
    fn when_standing_expect_the_pose_that_is_asked_for_and_none_of_it_on_the_way_to_walk_or_to_sit() {
        let robot = shipped();
        let wanted = |walks| PoseRequest { walks, offset: low() };
        let aimed = |mode, walks| {
            let (state, mut workspace) = (on_its_feet(&robot, mode), WorkspaceSearch::new());
            body_target(&context(&robot), &mut workspace, &state, wanted(walks), &mut IterationBudget::new(BUDGET))
        };
        assert_eq!(aimed(Mode::Standing, false).offset, low());
        assert_eq!(aimed(Mode::Standing, true).offset, BodyOffset::default());
        let to_sit = aimed(Mode::Stopping(Stopping { then: Then::Sit, ..Stopping::now(0) }), false);
        assert_eq!(
            (to_sit.offset, to_sit.nominal),
            (BodyOffset::default(), Some(NominalTarget { raised: 0.0, reach_fraction: 1.0 }))
        );
    }

    #[test]
    fn when_walking_expect_height_taken_up_by_the_nominal_stance_and_short_steps_until_it_is() {
        let robot = shipped();
        let granted = FeasiblePose { offset: low(), ..FeasiblePose::default() };
        let aim = walking_target(&context(&robot), &on_its_feet(&robot, Mode::Walking), &granted);
        assert_eq!(aim.nominal, Some(NominalTarget { raised: -0.01, reach_fraction: BEHIND_REACH }));
        // The way ahead waits for it.
        assert_eq!(aim.offset.translation, Vector3::zeros());
    }

    #[test]
    fn when_feet_are_still_to_come_in_for_a_height_expect_the_rest_of_the_pose_to_wait_for_it() {
        let robot = shipped();
        let along = |z: f64| {
            let granted = FeasiblePose { offset: low().at_height(z), ..FeasiblePose::default() };
            walking_target(&context(&robot), &on_its_feet(&robot, Mode::Walking), &granted).offset.translation.x
        };
        assert_eq!([along(0.001), along(-0.001), along(0.03)], [0.01, 0.01, 0.0]);
        assert!(along(0.004) > 0.004 && along(0.004) < 0.006);
    }

    #[test]
    fn when_there_is_less_room_expect_shorter_steps_before_the_body_moves() {
        let robot = shipped();
        let granted = FeasiblePose { offset: low(), reach_fraction: 0.5 };
        let aim = walking_target(&context(&robot), &on_its_feet(&robot, Mode::Walking), &granted);
        assert_eq!(
            (aim.offset, aim.nominal),
            (BodyOffset::default(), Some(NominalTarget { raised: 0.0, reach_fraction: 0.5 }))
        );
    }
}
