//! How much of a pose of the body leaves the feet the room to walk.

use crate::gait::posture::BodyOffset;
use crate::plan::body::height::SAME;
use crate::plan::body::reachable::{DIRECTIONS, PLACES, View};
use crate::plan::context::Context;
use crate::plane::grid::GRID_NS;
use crate::plane::limits::LimitedBy;
use crate::plant::Plant;
use crate::plant::nominal::NominalStance;
use crate::state::State;
use hexapod_kinematics::IterationBudget;

/// A pose of the body against its stance that is asked for, and the height that is kept of it in any part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PoseQuery {
    pub offset: BodyOffset,
    pub raised: f64,
}

impl PoseQuery {
    fn at_fraction(&self, fraction: f64) -> BodyOffset {
        let mut offset = self.offset.scaled(fraction);
        offset.translation.z += (1.0 - fraction) * self.raised;
        offset
    }
}

/// A pose with which the feet have room to walk, and how much of their reach that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeasiblePose {
    pub offset: BodyOffset,
    pub reach_fraction: f64,
}

impl Default for FeasiblePose {
    /// The body straight above its feet, which have all their room.
    fn default() -> Self {
        Self { offset: BodyOffset::default(), reach_fraction: 1.0 }
    }
}

/// The pose that was looked at last and the part of it with which the feet keep their room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkspaceSearch {
    asked: PoseQuery,
    fraction: f64,
    granted: FeasiblePose,
    /// What kept the body from more of it.
    by: LimitedBy,
    search: Option<Search>,
    /// A lower one is asked for than a body may have that walks.
    is_kept_up: bool,
    /// The place that was last found out of reach: likely the next one, too.
    first: usize,
}

/// A pose that is being looked at, one place after another.
#[derive(Clone, Copy, Debug)]
struct Search {
    asked: PoseQuery,
    choice: usize,
    places: usize,
    /// What there was no room for with the choice before.
    by: LimitedBy,
}

/// Fractions of a pose and of the feet's reach in the order of their worth: a body that is held as it is asked to may
/// walk with shorter steps.
const CHOICES: [(f64, f64); 18] = [
    (1.0, 1.0),
    (1.0, 0.75),
    (1.0, 0.5),
    (0.8, 1.0),
    (0.8, 0.75),
    (0.8, 0.5),
    (0.6, 1.0),
    (0.6, 0.75),
    (0.6, 0.5),
    (0.4, 1.0),
    (0.4, 0.75),
    (0.4, 0.5),
    (0.4, 0.25),
    (0.2, 1.0),
    (0.2, 0.5),
    (0.2, 0.25),
    (0.1, 0.5),
    (0.1, 0.25),
];
/// Places that are looked at at once: all around each foot's rest, or one where the inverse is an iteration.
const LOOKS: usize = DIRECTIONS;
/// How far from the pose that was looked at last, in seconds of the body's way, another is taken for as good as it.
const AHEAD_S: f64 = 0.15;
/// Where a body that is on its way is looked at: where it will be when that is over, s.
const LOOK_S: f64 = 0.3;
/// Points of the grid from one look to the next while other poses are asked for.
const STREAM_STEPS: u64 = 4;

impl WorkspaceSearch {
    pub(crate) fn new() -> Self {
        let (asked, granted) = (PoseQuery::default(), FeasiblePose::default());
        Self { asked, fraction: 1.0, granted, by: LimitedBy::Nothing, search: None, is_kept_up: false, first: 0 }
    }

    /// What keeps the body from all of the pose that was looked at last.
    pub(crate) fn held_by(&self) -> LimitedBy {
        if self.is_kept_up { self.by.max(LimitedBy::Reach) } else { self.by }
    }

    /// The pose no lower than a body may be that walks.
    #[inline]
    pub(crate) fn kept_up(&mut self, plant: &Plant, offset: BodyOffset) -> BodyOffset {
        let lowest = plant.lowest_walking();
        self.is_kept_up = offset.translation.z < lowest - SAME;
        if self.is_kept_up { offset.at_height(lowest) } else { offset }
    }

    /// What is likely to be granted of a pose while others are looked at: what lies between none of it and the last one
    /// that has room, which has room, too, and not far from there. A body that follows a stick gets there no sooner than
    /// it has been found out.
    #[inline]
    fn likely(&self, cx: &Context, asked: PoseQuery) -> FeasiblePose {
        // Where accelerations are limited, a body that is on its way may not be held up.
        if self.asked == asked || cx.plant.joints.is_some() {
            return self.granted;
        }
        let known = PoseQuery { offset: self.granted.offset, raised: asked.raised };
        let inner = known.at_fraction(known.offset.fraction_along(&asked.offset).clamp(0.0, 1.0));
        FeasiblePose { offset: inner.towards(asked.offset, self.ahead_s()), ..self.granted }
    }

    /// How far beyond what is known a pose is taken for as good as it, in seconds of the body's way: not where there is no
    /// room for all of the last one, or of the one that is being looked at.
    fn ahead_s(&self) -> f64 {
        let is_doubted = self.fraction < 1.0 || self.search.is_some_and(|search| search.choice > 0);
        if is_doubted { 0.0 } else { AHEAD_S }
    }
}

/// What is looked at for a pose on a stick's way: where it is likely to be when it has been looked at.
fn on_the_way(start: &State, asked: PoseQuery) -> PoseQuery {
    if !start.mode.steps() {
        return asked;
    }
    let rate = start.rates.offset.raised(start.rates.height);
    PoseQuery { offset: asked.offset.moved(&rate, LOOK_S).clipped(), ..asked }
}

/// Grants the greatest part of a pose with which every foot keeps its room, as far as is known by now. A search takes some
/// points of the grid; it is brought to an end before a pose that is asked for meanwhile gets its turn.
#[inline]
pub(crate) fn feasible_pose(
    cx: &Context,
    workspace: &mut WorkspaceSearch,
    start: &State,
    asked: PoseQuery,
    budget: &mut IterationBudget,
) -> FeasiblePose {
    if workspace.search.is_none() && workspace.asked == asked {
        return workspace.granted;
    }
    if asked == PoseQuery::default() {
        let nothing = WorkspaceSearch::new();
        *workspace = WorkspaceSearch {
            fraction: workspace.fraction,
            first: workspace.first,
            is_kept_up: workspace.is_kept_up,
            ..nothing
        };
    } else if workspace.search.is_none() && workspace.asked != asked {
        workspace.search =
            Some(Search { asked: on_the_way(start, asked), choice: 0, places: 0, by: LimitedBy::Nothing });
    }
    // A pose that is asked for is looked at at once; of those on a stick's way, one now and then.
    let turn = (start.ns / GRID_NS).is_multiple_of(STREAM_STEPS);
    if let Some(search) = workspace.search.filter(|search| turn || search.asked == asked) {
        search_on(cx, workspace, search, start, budget);
    }
    workspace.likely(cx, asked)
}

fn search_on(
    cx: &Context,
    workspace: &mut WorkspaceSearch,
    mut search: Search,
    start: &State,
    budget: &mut IterationBudget,
) {
    let Some(&(fraction, reach)) = CHOICES.get(search.choice) else {
        let stays = search.asked.raised != 0.0;
        let granted = FeasiblePose {
            offset: search.asked.at_fraction(0.0),
            reach_fraction: if stays { start.walk.nominal.reach_fraction } else { 1.0 },
        };
        let (asked, by) = (search.asked, search.by);
        *workspace = WorkspaceSearch { asked, fraction: 0.0, granted, by, search: None, ..*workspace };
        return;
    };
    let offset = search.asked.at_fraction(fraction);
    let nominal = cx.plant.stance.nominal(cx.plant.raised_with(offset.translation.z), reach);
    let mut fits = search.places > 0 || (may_have(cx, &nominal) && cx.plant.stance.keeps_apart(&nominal));
    let view = View::of(cx, start, &nominal, &offset);
    let (looks, all) = (if cx.plant.batch_ik.is_some() { LOOKS } else { 1 }, PLACES + cx.plant.apart.places());
    for _ in 0..looks {
        let place = (workspace.first + search.places) % PLACES;
        let faces = search.places.checked_sub(PLACES);
        fits = fits
            && match faces {
                None => view.reaches(cx, place, budget),
                Some(at) => view.is_clear(cx, at, budget),
            };
        if !fits {
            workspace.first = if faces.is_some() { workspace.first } else { place };
            search.by = if faces.is_some() { LimitedBy::Clearance } else { LimitedBy::Reach };
            (search.choice, search.places) = (search.choice + 1, 0);
            break;
        }
        search.places += 1;
        if search.places == all {
            *workspace = WorkspaceSearch {
                asked: search.asked,
                fraction,
                granted: FeasiblePose { offset, reach_fraction: reach },
                by: if fraction < 1.0 { search.by } else { LimitedBy::Nothing },
                search: None,
                ..*workspace
            };
            return;
        }
        // Each of these takes as long as all around a foot's rest.
        if search.places >= PLACES {
            break;
        }
    }
    workspace.search = Some(search);
}

fn may_have(cx: &Context, nominal: &NominalStance) -> bool {
    cx.plant.draws_in() || nominal.reach_fraction == 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::body::reachable::is_within_workspace;
    use crate::plan::context::tests::context;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    /// What is granted once the search is over, and how many points of the grid that takes.
    fn searched(offset: BodyOffset) -> (FeasiblePose, u64) {
        let robot = shipped();
        let (mut state, mut workspace) = (on_its_feet(&robot, Mode::Walking), WorkspaceSearch::new());
        let asked = PoseQuery { offset, raised: 0.0 };
        loop {
            let budget = &mut IterationBudget::new(1000);
            let found = feasible_pose(&context(&robot), &mut workspace, &state, asked, budget);
            if workspace.search.is_none() {
                return (found, state.ns / GRID_NS);
            }
            state.ns += GRID_NS;
        }
    }

    fn ahead(x: f64) -> BodyOffset {
        BodyOffset { translation: Vector3::new(x, 0.0, 0.0), rotation: Vector3::zeros() }
    }

    #[test]
    fn when_nothing_is_asked_expect_it_granted_at_once() {
        let (found, steps) = searched(BodyOffset::default());
        assert_eq!((found.offset, found.reach_fraction, steps), (BodyOffset::default(), 1.0, 0));
    }

    #[test]
    fn when_a_body_that_walks_is_to_go_lower_than_legs_that_give_leave_its_belly_room_expect_it_kept_up_and_reported() {
        let ((plant, _), mut workspace) = (shipped(), WorkspaceSearch::new());
        let low = |z: f64| ahead(0.01).at_height(z);
        assert_eq!((workspace.kept_up(&plant, low(-0.04)), workspace.held_by()), (low(-0.04), LimitedBy::Nothing));
        let kept = workspace.kept_up(&plant, low(-0.05));
        assert!((kept.translation - Vector3::new(0.01, 0.0, -0.04)).norm() < 1e-12, "{kept:?}");
        assert_eq!(workspace.held_by(), LimitedBy::Reach);
    }

    #[test]
    fn when_more_is_asked_than_the_feet_have_room_for_expect_a_part_of_it_in_the_same_direction() {
        let (little, _) = searched(ahead(0.001));
        assert_eq!(little.offset, ahead(0.001));
        let (found, steps) = searched(ahead(0.06));
        assert!(found.offset.translation.x < 0.06 && found.offset.translation.yz() == Vector3::zeros().yz());
        assert!(found.reach_fraction >= 0.5 && steps < 100, "{found:?} after {steps}");
    }

    #[test]
    fn when_poses_stream_in_expect_none_far_from_those_with_room_and_any_between_them_and_none() {
        let robot = shipped();
        let (known, asked) = (FeasiblePose { offset: ahead(0.02), ..FeasiblePose::default() }, |x| PoseQuery {
            offset: ahead(x),
            raised: 0.0,
        });
        let looked = WorkspaceSearch { granted: known, asked: asked(0.02), ..WorkspaceSearch::new() };
        let likely = |search: &WorkspaceSearch, x: f64| search.likely(&context(&robot), asked(x)).offset.translation.x;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(likely(&looked, 0.01), 0.01) && near(likely(&looked, 0.025), 0.025));
        assert!(near(likely(&looked, 0.06), 0.032) && near(likely(&looked, -0.06), -0.012));
        let doubted = Search { asked: asked(0.05), choice: 1, places: 0, by: LimitedBy::Reach };
        assert!(near(likely(&WorkspaceSearch { search: Some(doubted), ..looked }, 0.06), 0.02));
        assert!(near(likely(&WorkspaceSearch { fraction: 0.8, ..looked }, 0.06), 0.02));
    }

    #[test]
    fn when_the_body_is_on_its_way_expect_it_looked_at_where_it_is_going_and_else_where_it_is_asked_to_be() {
        let robot = shipped();
        let asked = PoseQuery { offset: ahead(0.02), raised: 0.0 };
        let looked = |mode, rate| {
            let mut state = on_its_feet(&robot, mode);
            state.rates.offset = ahead(rate);
            on_the_way(&state, asked).offset.translation.x
        };
        assert!((looked(Mode::Walking, 0.05) - 0.035).abs() < 1e-12);
        assert_eq!([looked(Mode::Walking, 0.0), looked(Mode::Standing, 0.05)], [0.02; 2]);
    }

    #[test]
    fn when_a_pose_is_granted_expect_every_foot_to_reach_all_around_it() {
        let robot = shipped();
        let (cx, mut state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let (found, _) = searched(ahead(0.06));
        state.walk.nominal = cx.plant.stance.nominal(0.0, found.reach_fraction);
        assert!(is_within_workspace(&cx, &state, found.offset, &mut IterationBudget::new(1000)));
        assert!(!is_within_workspace(&cx, &state, ahead(0.2), &mut IterationBudget::new(1000)));
    }
}
