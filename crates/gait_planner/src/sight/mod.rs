//! The ground as a depth camera or a lidar sees it: a map is kept beside the control tick, which puts feet where it says.
//!
//! ```text
//! points --> intake --> mapping thread --> map (triple buffer) --> control tick: footholds
//!                            ^------------ poses (ring) <----------------'
//! ```

mod elevation;
mod exchange;
mod footing;
mod intake;
mod mapping;

pub(crate) use footing::{Footing, Sees};
pub(crate) use mapping::MappingThread;

use crate::inbox::Inbox;
use elevation::Elevation;
use exchange::Seen;
use hexapod_gait::{Engine, size_of};
use hexapod_ros::{RosClock, RosError, RosNode};
use hexapod_setup::Frames;
use rtrb::RingBuffer;
use std::sync::Arc;

/// So many poses wait for the mapping thread at most.
const POSES: usize = 512;

/// Subscribes to clouds and starts the mapping thread, if they are to be used; what the control tick has of it,
/// and the thread, which is to end before the node does.
///
/// # Errors
/// A topic cannot be opened, or the thread not be started.
pub(crate) fn open(
    node: &mut RosNode,
    engine: &Engine,
    frames: &Frames,
    (inbox, clock): (&Inbox, &RosClock),
    is_used: bool,
) -> Result<(Option<Footing>, Option<MappingThread>), RosError> {
    if !is_used {
        return Ok((None, None));
    }
    let (poses, to_poses) = RingBuffer::new(POSES);
    let (maps, seen) = triple_buffer::triple_buffer(&Seen::default());
    let elevation = Elevation::open(node, frames, size_of(engine.robot()))?;
    let refusal = Arc::default();
    let (clouds, thread) = mapping::start(engine, (to_poses, maps), elevation, (clock, &refusal))?;
    intake::subscribe(node, engine.robot(), inbox, clock, (clouds, refusal))?;
    Ok((Some(Footing::new(engine.robot(), poses, seen)), Some(thread)))
}
