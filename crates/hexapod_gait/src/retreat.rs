//! No way on for now: the path waits. Where it is to go on, the body goes back towards the place straight above its feet,
//! where they have the most room, as fast as the joints can, and by whichever way is open; and where that is of no use,
//! because it leans for its balance, feet in the air come in towards it. So nothing bars the path for ever: every step of
//! the stance is within reach of a body straight above it.

use crate::grid::GRID_S;
use crate::limits::LimitedBy;
use crate::mode::Mode;
use crate::path::{Blocked, Path};
use crate::posture::{BodyOffset, WayBack};
use crate::segment::{Pace, Segment};
use crate::state::State;
use hexapod_kinematics::Effort;

/// Parts of the way back that are tried.
const RETREATS: usize = 4;

/// The segment of `ns` of a robot that cannot go on as planned, and that goes back only where it is about to go on, as
/// one does that stands and is `leaving`.
pub(crate) fn retreat(path: &Path, start: &mut State, ns: u64, leaving: bool, effort: &mut Effort) -> Segment {
    start.height_rate = 0.0;
    let by = LimitedBy::Kinematics;
    let still = Pace::FULL.slower(0.0);
    if start.mode != Mode::Standing || leaving {
        for way in WayBack::ALL {
            start.offset_rate = start.offset.rate_to(&way.from(start.offset, GRID_S), GRID_S);
            let mut pace = Pace { offset: 1.0, ..still };
            for _ in 0..RETREATS {
                let mut end = path.at(start, ns, pace);
                match path.reachable(start, &mut end, ns, pace, effort) {
                    Ok(()) if end.offset != start.offset => {
                        return Segment { ns, pace, by, end };
                    }
                    Err(Blocked::TooFast(ratio)) => pace.offset *= (0.95 / ratio).min(0.5),
                    Ok(()) | Err(Blocked::OutOfReach) => pace.offset *= 0.25,
                    Err(Blocked::Unknown) => return path.hold(start, ns),
                }
            }
        }
    }
    start.offset_rate = BodyOffset::default();
    if start.mode.steps() && !start.walk.all_planted() {
        let mut pace = Pace { draw_in: 1.0, ..still };
        for _ in 0..RETREATS {
            let mut end = path.at(start, ns, pace);
            match path.reachable(start, &mut end, ns, pace, effort) {
                Ok(()) => return Segment { ns, pace, by, end },
                Err(Blocked::Unknown) => return path.hold(start, ns),
                Err(_) => pace.draw_in *= 0.25,
            }
        }
    }
    path.stay(start, ns)
}
