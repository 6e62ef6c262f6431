//! Looks at legs that are taken again only once they may have come too near since.

use super::placed::{Detail, Placed};
use super::{Neighbour, SelfCollision};
use crate::{LegAngles, MAX_LEGS, Robot};

/// Room that is distinguished from more, m: nobody needs to know how far off the other side of the robot is.
const ROOM_M: f64 = 0.1;
/// Room that is worked out exactly where it is less, m: mostly the boxes about two links tell that there is more.
const NEAR_M: f64 = 0.02;

/// Where each leg was when it was looked at last, and what it had around it.
///
/// What comes of a look never depends on the looks before it: they only save time.
#[derive(Clone, Debug)]
pub struct Look {
    at: [LegAngles; MAX_LEGS],
    placed: [Placed; MAX_LEGS],
    /// What two legs had between them at least beyond what they keep, m: so far both together may move before one has
    /// to be looked at again. On the diagonal, a leg and the body.
    room: [[f64; MAX_LEGS]; MAX_LEGS],
    /// Legs that have been looked at, one bit each.
    seen: u32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            at: [LegAngles::zeros(0); MAX_LEGS],
            placed: [Placed::NONE; MAX_LEGS],
            room: [[ROOM_M; MAX_LEGS]; MAX_LEGS],
            seen: 0,
        }
    }
}

impl Look {
    /// A leg that has to be looked at again, as it and another may have come too near to each other since, or it and the
    /// body: of two legs the one that has moved farther.
    #[inline]
    fn outdated(&self, moved: &[f64; MAX_LEGS], count: usize) -> Option<usize> {
        moved.iter().zip(&self.room).take(count).enumerate().find_map(|(leg, (mine, room))| {
            let mut others = moved.iter().zip(room).take(count).enumerate().skip(leg);
            others.find_map(|(other, (its, room))| {
                let beside = if other == leg { 0.0 } else { *its };
                let way = mine + beside;
                (way > 0.0 && way > *room).then_some(if beside > *mine { other } else { leg })
            })
        })
    }
}

impl SelfCollision {
    /// Whether no leg is too near to another or to the body: as [`Self::check`] finds it, mostly in a fraction of the time.
    pub fn is_clear(&self, robot: &Robot, angles: &[LegAngles; MAX_LEGS], look: &mut Look) -> bool {
        let mut moved = self.moved(angles, look);
        let count = self.legs.len().min(MAX_LEGS);
        // A leg that is looked at may leave another less room: each is looked at once at most.
        for _ in 0..count {
            let Some(leg) = look.outdated(&moved, count) else { break };
            if let Some(moved) = moved.get_mut(leg) {
                *moved = 0.0;
            }
            self.look_at(robot, leg, angles, look);
        }
        look.room.iter().take(count).all(|room| room.iter().take(count).all(|room| *room >= 0.0))
    }

    /// How far each leg has moved at most since it was looked at, m.
    #[inline]
    fn moved(&self, angles: &[LegAngles; MAX_LEGS], look: &Look) -> [f64; MAX_LEGS] {
        let mut moved = [0.0; MAX_LEGS];
        let legs = moved.iter_mut().zip(&self.carried).zip(angles).zip(&look.at).enumerate();
        for (leg, (((moved, carried), now), then)) in legs {
            let turns = now.padded().iter().zip(then.padded()).zip(carried);
            let way = turns.fold(0.0, |sum, ((now, then), carried)| sum + (now - then).abs() * carried);
            *moved = if look.seen & (1 << leg) != 0 { way } else { f64::INFINITY };
        }
        moved
    }

    #[inline(never)]
    fn look_at(&self, robot: &Robot, leg: usize, angles: &[LegAngles; MAX_LEGS], look: &mut Look) {
        let (Some(shapes), Some(of)) = (self.legs.get(leg), robot.legs().get(leg)) else { return };
        // No leg has a higher index; said here, it spares the checks of bounds below.
        let leg = leg.min(MAX_LEGS - 1);
        look.placed[leg] = Placed::NONE;
        shapes.place(of, &angles[leg], &mut look.placed[leg]);
        (look.at[leg], look.seen) = (angles[leg], look.seen | 1 << leg);
        let count = self.legs.len().min(MAX_LEGS);
        for other in 0..count {
            let (least, to) = if other == leg {
                (self.off_body[leg], Neighbour::Body)
            } else {
                (self.apart[leg][other], Neighbour::Leg(other))
            };
            let detail = Detail { exact: least + NEAR_M, most: least + ROOM_M };
            let room = self.distance(&look.placed, leg, to, detail) - least;
            (look.room[leg][other], look.room[other][leg]) = (room, room);
        }
    }
}
