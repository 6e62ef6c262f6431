//! How much of a pose of the body leaves the feet the room to walk.

use crate::engine::Engine;
use crate::posture::BodyOffset;
use crate::state::State;
use crate::walk::Foot;
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::Vector3;

/// The pose that was asked for last and the part of it with which the feet keep their room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    asked: BodyOffset,
    granted: BodyOffset,
    search: Option<Search>,
    /// The place that was last found out of reach: likely the next one, too.
    first: usize,
}

/// A pose that is being looked at, one place at each point of the grid.
#[derive(Clone, Copy, Debug)]
struct Search {
    asked: BodyOffset,
    part: usize,
    places: usize,
}

const PARTS: [f64; 5] = [1.0, 0.8, 0.6, 0.4, 0.2];
/// Around the circle of each foot; on the ground, and lifted.
const AROUND: [(f64, f64); 8] =
    [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7), (-1.0, 0.0), (-0.7, -0.7), (0.0, -1.0), (0.7, -0.7)];
const PLACES: usize = 2 * AROUND.len();

impl Room {
    pub(crate) fn new() -> Self {
        let none = BodyOffset::default();
        Self { asked: none, granted: none, search: None, first: 0 }
    }
}

impl Engine {
    /// The greatest part of an offset with which every foot keeps its room, as far as is known by now. A search takes
    /// a few points of the grid; it is brought to an end before a pose that is asked for meanwhile gets its turn.
    pub(crate) fn granted(&mut self, start: &State, asked: BodyOffset) -> BodyOffset {
        let known = &self.now.control.room;
        if known.search.is_none() && known.asked == asked {
            return known.granted;
        }
        let mut room = *known;
        if asked.is_zero() {
            (room.asked, room.granted, room.search) = (asked, asked, None);
        } else if room.search.is_none() && room.asked != asked {
            room.search = Some(Search { asked, part: 0, places: 0 });
        }
        if let Some(search) = room.search {
            self.search_on(&mut room, search, start);
        }
        self.now.control.room = room;
        room.granted
    }

    fn search_on(&self, room: &mut Room, mut search: Search, start: &State) {
        let offset = search.asked.scaled(PARTS.get(search.part).copied().unwrap_or(0.0));
        let place = (room.first + search.places) % PLACES;
        if self.reaches_place(start, offset, place) {
            search.places += 1;
            if search.places == PLACES {
                *room = Room { asked: search.asked, granted: offset, search: None, ..*room };
                return;
            }
        } else {
            room.first = place;
            (search.part, search.places) = (search.part + 1, 0);
            if search.part == PARTS.len() {
                *room = Room { asked: search.asked, granted: BodyOffset::default(), search: None, ..*room };
                return;
            }
        }
        room.search = Some(search);
    }

    /// Whether every foot could go all around its circle, on the ground and lifted, with the body at this offset.
    pub(crate) fn leaves_room(&self, start: &State, offset: BodyOffset) -> bool {
        offset.is_zero() || (0..PLACES).all(|place| self.reaches_place(start, offset, place))
    }

    /// Whether all feet reach this place of their circles.
    fn reaches_place(&self, start: &State, offset: BodyOffset, place: usize) -> bool {
        let Some((x, y)) = AROUND.get(place % AROUND.len()) else { return false };
        let z = if place < AROUND.len() { 0.0 } else { self.settings.step_height };
        let reach = self.stance.reach().axes();
        let body_from_footprint = offset.footprint_from_body(self.settings.stance.height).inverse();
        let at = |leg: usize| {
            let rest = self.stance.place(leg);
            Vector3::new(rest.x + reach.x * x, rest.y + reach.y * y, z)
        };
        let is_missing = |leg: usize| *start.walk.foot(leg) == Foot::Missing;
        if let Some(together) = &self.together {
            let mut angles = [LegAngles::zeros(0); MAX_LEGS];
            return together.solve(&body_from_footprint, at, is_missing, &mut angles);
        }
        self.legs().iter().enumerate().filter(|(leg, _)| !is_missing(*leg)).all(|(leg, solver)| {
            let in_body = body_from_footprint.transform_point(&at(leg).into()).coords;
            self.stance.inverse(leg, solver, &in_body, &start.angles[leg]).is_some()
        })
    }
}
