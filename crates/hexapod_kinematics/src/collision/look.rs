//! Looks at legs that are taken again only once they may have come too near since.

use super::placed::Placed;
use super::{Neighbour, SelfCollision};
use crate::{LegAngles, MAX_LEGS, Robot};

/// Room that is told apart from more, m: nobody needs to know how far off the other side of the robot is.
const ROOM_M: f64 = 0.1;

/// Where each leg was when it was looked at last, and how far it may move before it has to be looked at again.
///
/// What comes of a look never depends on the looks before it: they only save time.
#[derive(Clone, Debug)]
pub struct Look {
    at: [LegAngles; MAX_LEGS],
    placed: [Placed; MAX_LEGS],
    /// What two legs had between them beyond what they keep, m; on the diagonal, a leg and the body.
    room: [[f64; MAX_LEGS]; MAX_LEGS],
    /// How far each leg may move, m: half of what it has to the nearest leg, or all to the body.
    free: [f64; MAX_LEGS],
    /// Legs that have been looked at, one bit each.
    seen: u32,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            at: [LegAngles::zeros(0); MAX_LEGS],
            placed: [Placed::NONE; MAX_LEGS],
            room: [[ROOM_M; MAX_LEGS]; MAX_LEGS],
            free: [0.0; MAX_LEGS],
            seen: 0,
        }
    }
}

impl SelfCollision {
    /// Whether no leg is too near to another or to the body: as [`Self::check`] finds it, mostly in a fraction of the time.
    pub fn is_clear(&self, robot: &Robot, angles: &[LegAngles; MAX_LEGS], look: &mut Look) -> bool {
        let mut moved = [0.0; MAX_LEGS];
        for (((moved, carried), now), then) in moved.iter_mut().zip(&self.carried).zip(angles).zip(&look.at) {
            let turns = now.padded().iter().zip(then.padded()).zip(carried);
            *moved = turns.fold(0.0, |sum, ((now, then), carried)| sum + (now - then).abs() * carried);
        }
        let all = (1_u32 << self.legs.len().min(MAX_LEGS)) - 1;
        let mut fresh = 0_u32;
        // A leg that is looked at may leave another less room: each is looked at once at most.
        for _ in 0..MAX_LEGS {
            let stays = |leg: usize| look.seen & (1 << leg) != 0 && moved[leg] <= look.free[leg];
            let again = (0..MAX_LEGS).find(|leg| all & !fresh & (1 << leg) != 0 && !stays(*leg));
            let Some(leg) = again else { break };
            fresh |= 1 << leg;
            moved[leg] = 0.0;
            self.look_at(robot, leg, angles, look);
        }
        (0..MAX_LEGS).all(|leg| all & (1 << leg) == 0 || look.free[leg] >= 0.0)
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
            let room = self.distance(&look.placed, leg, to, least + ROOM_M) - least;
            (look.room[leg][other], look.room[other][leg]) = (room, room);
        }
        for (one, (free, room)) in look.free.iter_mut().zip(&look.room).enumerate().take(count) {
            let legs = room.iter().enumerate().take(count).filter(|(other, _)| *other != one);
            *free = legs.fold(room[one], |least, (_, room)| least.min(0.5 * room));
        }
    }
}
