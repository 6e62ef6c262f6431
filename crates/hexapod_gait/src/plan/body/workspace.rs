//! How much of a pose of the body leaves the feet the room to walk.

use crate::gait::posture::BodyOffset;
use crate::plan::context::Context;
use crate::plane::grid::GRID_NS;
use crate::plant::nominal::NominalStance;
use crate::plant::resting::LIFT_PROFILE;
use crate::state::State;
use crate::state::foot::Foot;
use hexapod_kinematics::{Effort, Lanes3, MAX_LEGS};
use nalgebra::{Isometry3, Vector3};

/// A pose of the body against its stance that is asked for, and the height that is kept of it in any part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    pub offset: BodyOffset,
    pub raised: f64,
}

impl Asked {
    fn part(&self, part: f64) -> BodyOffset {
        let mut offset = self.offset.scaled(part);
        offset.translation.z += (1.0 - part) * self.raised;
        offset
    }
}

/// A pose with which the feet have room to walk, and how much of their reach that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Granted {
    pub offset: BodyOffset,
    pub reach_part: f64,
}

impl Default for Granted {
    /// The body straight above its feet, which have all their room.
    fn default() -> Self {
        Self { offset: BodyOffset::default(), reach_part: 1.0 }
    }
}

/// The pose that was looked at last and the part of it with which the feet keep their room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkspaceSearch {
    asked: Asked,
    part: f64,
    granted: Granted,
    search: Option<Search>,
    /// The place that was last found out of reach: likely the next one, too.
    first: usize,
}

/// A pose that is being looked at, one place after another.
#[derive(Clone, Copy, Debug)]
struct Search {
    asked: Asked,
    choice: usize,
    places: usize,
}

/// What is looked at: a robot of some nominal stance, its body somewhere over it.
struct View<'a> {
    start: &'a State,
    nominal: &'a NominalStance,
    body_from_footprint: Isometry3<f64>,
    /// The resting feet as the body sees them, where all legs are solved together.
    rest: Lanes3,
    /// Legs that the robot has and that are not switched off.
    counts: [bool; MAX_LEGS],
}

/// Parts of a pose and of the feet's reach in the order of their worth: a body that is held as it is asked to may walk
/// with shorter steps.
const CHOICES: [(f64, f64); 14] = [
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
    (0.2, 1.0),
    (0.2, 0.5),
];
/// Around the reach of each foot; on the ground, and lifted.
const AROUND: [(f64, f64); 8] =
    [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7), (-1.0, 0.0), (-0.7, -0.7), (0.0, -1.0), (0.7, -0.7)];
/// Places that are looked at at once: all around each foot's rest, or one where the inverse is an iteration.
const LOOKS: usize = AROUND.len();
/// How far from the pose that was looked at last, in seconds of the body's way, another is taken for as good as it.
const AHEAD_S: f64 = 0.15;
/// Where a body that is on its way is looked at: where it will be when that is over, s.
const LOOK_S: f64 = 0.3;
/// Points of the grid from one look to the next while other poses are asked for.
const STREAM_STEPS: u64 = 4;
const PLACES: usize = LIFT_PROFILE.len() * AROUND.len();

impl WorkspaceSearch {
    pub(crate) fn new() -> Self {
        Self { asked: Asked::default(), part: 1.0, granted: Granted::default(), search: None, first: 0 }
    }

    /// What is likely to be granted of a pose while others are looked at: what lies between none of it and the last one
    /// that has room, which has room, too, and not far from there. A body that follows a stick gets there no sooner than
    /// it has been found out.
    #[inline]
    fn likely(&self, cx: &Context, asked: Asked) -> Granted {
        // Where accelerations are limited, a body that is on its way may not be held up.
        if self.asked == asked || cx.plant.joints.is_some() {
            return self.granted;
        }
        let known = Asked { offset: self.granted.offset, raised: asked.raised };
        let inner = known.part(known.offset.part_along(&asked.offset).clamp(0.0, 1.0));
        Granted { offset: inner.towards(asked.offset, self.ahead_s()), ..self.granted }
    }

    /// How far beyond what is known a pose is taken for as good as it, in seconds of the body's way: not where there is no
    /// room for all of the last one, or of the one that is being looked at.
    fn ahead_s(&self) -> f64 {
        let is_doubted = self.part < 1.0 || self.search.is_some_and(|search| search.choice > 0);
        if is_doubted { 0.0 } else { AHEAD_S }
    }
}

/// What is looked at for a pose on a stick's way: where it is likely to be when it has been looked at.
fn on_the_way(start: &State, asked: Asked) -> Asked {
    if !start.mode.steps() {
        return asked;
    }
    let rate = start.rates.offset.raised(start.rates.height);
    Asked { offset: asked.offset.moved(&rate, LOOK_S).clipped(), ..asked }
}

/// Grants the greatest part of a pose with which every foot keeps its room, as far as is known by now. A search takes some
/// points of the grid; it is brought to an end before a pose that is asked for meanwhile gets its turn.
#[inline]
pub(crate) fn grant(
    cx: &Context,
    workspace: &mut WorkspaceSearch,
    start: &State,
    asked: Asked,
    effort: &mut Effort,
) -> Granted {
    if workspace.search.is_none() && workspace.asked == asked {
        return workspace.granted;
    }
    if asked == Asked::default() {
        *workspace = WorkspaceSearch { asked, granted: Granted::default(), search: None, ..*workspace };
    } else if workspace.search.is_none() && workspace.asked != asked {
        workspace.search = Some(Search { asked: on_the_way(start, asked), choice: 0, places: 0 });
    }
    // A pose that is asked for is looked at at once; of those on a stick's way, one now and then.
    let turn = (start.ns / GRID_NS).is_multiple_of(STREAM_STEPS);
    if let Some(search) = workspace.search.filter(|search| turn || search.asked == asked) {
        search_on(cx, workspace, search, start, effort);
    }
    workspace.likely(cx, asked)
}

fn search_on(cx: &Context, workspace: &mut WorkspaceSearch, mut search: Search, start: &State, effort: &mut Effort) {
    let Some(&(part, reach)) = CHOICES.get(search.choice) else {
        let stays = search.asked.raised != 0.0;
        let granted = Granted {
            offset: search.asked.part(0.0),
            reach_part: if stays { start.walk.nominal.reach_part } else { 1.0 },
        };
        *workspace = WorkspaceSearch { asked: search.asked, part: 0.0, granted, search: None, ..*workspace };
        return;
    };
    let offset = search.asked.part(part);
    let nominal = cx.plant.stance.nominal(cx.plant.raised_with(offset.translation.z), reach);
    let mut fits = search.places > 0 || (may_have(cx, &nominal) && cx.plant.stance.keeps_apart(&nominal));
    let view = view(cx, start, &nominal, &offset);
    let (looks, all) = (if cx.plant.batch_ik.is_some() { LOOKS } else { 1 }, PLACES + cx.plant.apart.places());
    for _ in 0..looks {
        let place = (workspace.first + search.places) % PLACES;
        let faces = search.places.checked_sub(PLACES);
        fits = fits
            && match faces {
                None => reaches_place(cx, &view, place, effort),
                Some(at) => is_clear_at(cx, &view, at, effort),
            };
        if !fits {
            workspace.first = if faces.is_some() { workspace.first } else { place };
            (search.choice, search.places) = (search.choice + 1, 0);
            break;
        }
        search.places += 1;
        if search.places == all {
            *workspace = WorkspaceSearch {
                asked: search.asked,
                part,
                granted: Granted { offset, reach_part: reach },
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

/// A robot of this nominal stance with its body at this offset.
fn view<'a>(cx: &Context, start: &'a State, nominal: &'a NominalStance, offset: &BodyOffset) -> View<'a> {
    let body_from_footprint = offset.footprint_from_body(cx.plant.stance.spec().height).inverse();
    let mut counts = [false; MAX_LEGS];
    let feet = start.walk.feet().iter();
    counts.iter_mut().zip(feet).for_each(|(counts, foot)| *counts = *foot != Foot::Missing);
    let places = nominal.rest().iter().map(|rest| rest.push(0.0));
    let rest = Lanes3::of_points(places).transformed(&body_from_footprint);
    View { start, nominal, body_from_footprint, rest, counts }
}

fn may_have(cx: &Context, nominal: &NominalStance) -> bool {
    cx.plant.draws_in() || nominal.reach_part == 1.0
}

/// Whether every foot could go all around its reach, on the ground and lifted, with the body at this offset.
pub(crate) fn is_within_workspace(cx: &Context, start: &State, offset: BodyOffset, effort: &mut Effort) -> bool {
    if offset.is_zero() {
        return true;
    }
    let view = view(cx, start, &start.walk.nominal, &offset);
    (0..PLACES).all(|place| reaches_place(cx, &view, place, effort))
        && (0..cx.plant.apart.places()).all(|at| is_clear_at(cx, &view, at, effort))
}

/// Whether all feet reach this place of their reach, as far as the effort tells.
fn reaches_place(cx: &Context, view: &View, place: usize, effort: &mut Effort) -> bool {
    let around = AROUND.get(place % AROUND.len()).zip(LIFT_PROFILE.get(place / AROUND.len()));
    let Some(((x, y), (part, lift))) = around else { return false };
    let reach = view.nominal.reach.axes() * *part;
    let from_rest = Vector3::new(reach.x * x, reach.y * y, lift * cx.step_height);
    if let Some(batch) = &cx.plant.batch_ik {
        let moved = view.body_from_footprint.rotation.transform_vector(&from_rest);
        return batch.reaches(&view.rest, &moved, &view.counts);
    }
    (0..cx.plant.legs().len()).filter(|&leg| view.counts.get(leg) == Some(&true)).all(|leg| {
        let at = view.nominal.place(leg).push(0.0) + from_rest;
        let in_body = view.body_from_footprint.transform_point(&at.into()).coords;
        cx.plant.inverse(leg, &in_body, &view.start.angles_of(leg), effort).is_some()
    })
}

/// Whether legs that step towards each other as far as they reach keep apart, as far as the effort tells.
#[inline(never)]
fn is_clear_at(cx: &Context, view: &View, at: usize, effort: &mut Effort) -> bool {
    let mut angles = view.start.angles;
    let legs = angles.iter_mut().take(cx.plant.legs().len()).enumerate();
    let reached = legs.filter(|(leg, _)| view.counts.get(*leg) == Some(&true)).all(|(leg, angles)| {
        let (way, lift) = cx.plant.apart.place(at, leg, &view.nominal.reach);
        let foot = (view.nominal.place(leg) + way).push(lift * cx.step_height);
        let in_body = view.body_from_footprint.transform_point(&foot.into()).coords;
        cx.plant.inverse(leg, &in_body, angles, effort).is_some_and(|found| {
            *angles = found;
            true
        })
    });
    reached && cx.plant.apart.is_clear(&cx.plant.robot, &angles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use nalgebra::Vector3;

    /// What is granted once the search is over, and how many points of the grid that takes.
    fn searched(offset: BodyOffset) -> (Granted, u64) {
        let robot = shipped();
        let (mut state, mut workspace) = (on_its_feet(&robot, Mode::Walking), WorkspaceSearch::new());
        let asked = Asked { offset, raised: 0.0 };
        loop {
            let effort = &mut Effort::new(1000);
            let found = grant(&context(&robot), &mut workspace, &state, asked, effort);
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
        assert_eq!((found.offset, found.reach_part, steps), (BodyOffset::default(), 1.0, 0));
    }

    #[test]
    fn when_more_is_asked_than_the_feet_have_room_for_expect_a_part_of_it_in_the_same_direction() {
        let (little, _) = searched(ahead(0.001));
        assert_eq!(little.offset, ahead(0.001));
        let (found, steps) = searched(ahead(0.06));
        assert!(found.offset.translation.x < 0.06 && found.offset.translation.yz() == Vector3::zeros().yz());
        assert!(found.reach_part >= 0.5 && steps < 100, "{found:?} after {steps}");
    }

    #[test]
    fn when_poses_stream_in_expect_none_far_from_those_with_room_and_any_between_them_and_none() {
        let robot = shipped();
        let (known, asked) =
            (Granted { offset: ahead(0.02), ..Granted::default() }, |x| Asked { offset: ahead(x), raised: 0.0 });
        let looked = WorkspaceSearch { granted: known, asked: asked(0.02), ..WorkspaceSearch::new() };
        let likely = |search: &WorkspaceSearch, x: f64| search.likely(&context(&robot), asked(x)).offset.translation.x;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(likely(&looked, 0.01), 0.01) && near(likely(&looked, 0.025), 0.025));
        assert!(near(likely(&looked, 0.06), 0.032) && near(likely(&looked, -0.06), -0.012));
        let doubted = Search { asked: asked(0.05), choice: 1, places: 0 };
        assert!(near(likely(&WorkspaceSearch { search: Some(doubted), ..looked }, 0.06), 0.02));
        assert!(near(likely(&WorkspaceSearch { part: 0.8, ..looked }, 0.06), 0.02));
    }

    #[test]
    fn when_the_body_is_on_its_way_expect_it_looked_at_where_it_is_going_and_else_where_it_is_asked_to_be() {
        let robot = shipped();
        let asked = Asked { offset: ahead(0.02), raised: 0.0 };
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
        state.walk.nominal = cx.plant.stance.nominal(0.0, found.reach_part);
        assert!(is_within_workspace(&cx, &state, found.offset, &mut Effort::new(1000)));
        assert!(!is_within_workspace(&cx, &state, ahead(0.2), &mut Effort::new(1000)));
    }
}
