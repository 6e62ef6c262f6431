//! No way on for now: the path waits. Where it is to go on, the body goes back towards the place straight above its feet,
//! where they have the most room, as fast as the joints can, and by whichever way is open; and where that is of no use,
//! because it leans for its balance, feet in the air come in towards it. So nothing bars the path for ever: every step of
//! the stance is within reach of a body straight above it.

use crate::gait::posture::{BodyOffset, WayBack};
use crate::path::{Blocked, Path};
use crate::plan::blocked::pacing::{hold, stay};
use crate::plane::grid::GRID_S;
use crate::plane::limits::LimitedBy;
use crate::state::State;
use crate::state::mode::Mode;
use crate::state::segment::{Advance, Pace, Segment};
use hexapod_kinematics::Effort;

/// Parts of the way back that are tried.
const RETREATS: usize = 4;

/// Makes it the segment of a robot that cannot go on as planned, and that goes back only where it is about to go on, as
/// one does that stands and is `leaving`.
pub(crate) fn retreat(path: &Path, start: &State, segment: &mut Segment, leaving: bool, effort: &mut Effort) {
    let still = Pace::FULL.slower(0.0);
    segment.by = LimitedBy::Kinematics;
    if start.mode != Mode::Standing || leaving {
        for way in WayBack::ALL {
            segment.advance.rates.offset = start.offset.rate_to(&way.from(start.offset, GRID_S), GRID_S);
            segment.advance.pace = Pace { offset: 1.0, ..still };
            for _ in 0..RETREATS {
                segment.end = *start;
                let went = path.go(start, segment, effort);
                let Segment { advance: Advance { pace, .. }, end, .. } = &mut *segment;
                match went {
                    Ok(()) if end.offset != start.offset => return,
                    Err(Blocked::TooFast(ratio)) => pace.offset *= (0.95 / ratio).min(0.5),
                    Ok(()) | Err(Blocked::OutOfReach) => pace.offset *= 0.25,
                    Err(Blocked::Unknown) => return hold(path, start, segment),
                }
            }
        }
    }
    segment.advance.rates.offset = BodyOffset::default();
    if start.mode.steps() && !start.walk.all_planted() {
        segment.advance.pace = Pace { draw_in: 1.0, ..still };
        for _ in 0..RETREATS {
            segment.end = *start;
            match path.go(start, segment, effort) {
                Ok(()) => return,
                Err(Blocked::Unknown) => return hold(path, start, segment),
                Err(_) => segment.advance.pace.draw_in *= 0.25,
            }
        }
    }
    stay(path, start, segment);
}
