//! Whether a stop, or the way down, has found no way on for too long.

use crate::plan::sequence::descent::sinking_time;
use crate::plane::limits::LimitedBy;
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::Mode;
use crate::state::segment::Segment;

/// How long a stop waits for a way on without any move, and with moves that lead nowhere, ns.
const STILL_NS: u64 = 500_000_000;
const BARRED_NS: u64 = 5_000_000_000;
/// A way down is taken for closed where it would take so many times as long as sinking does: near a singular pose the
/// body may creep for ever.
const CREEPING: f64 = 10.0;
/// Part of its pace from which on a way down does not creep.
const UNHINDERED: f64 = 0.1;
/// For how long a stop has found no way on, ns: without any move, and at all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barred {
    still_ns: u64,
    ns: u64,
}

impl Barred {
    /// Counts a segment.
    #[inline]
    pub(crate) fn count(&mut self, plant: &Plant, start: &State, segment: &Segment) {
        let creeps = creeps(plant, start, segment);
        let is_barred = segment.by >= LimitedBy::Kinematics && matches!(start.mode, Mode::Stopping(_));
        if !(creeps || is_barred) {
            *self = Self::default();
            return;
        }
        let is_still = creeps || segment.end.angles == start.angles;
        self.still_ns = if is_still { self.still_ns + segment.ns } else { 0 };
        self.ns += segment.ns;
    }

    pub(crate) fn has_no_way_on(&self) -> bool {
        self.still_ns >= STILL_NS || self.ns >= BARRED_NS
    }
}

/// Whether a body comes down so slowly that its legs had better turn to the sitting pose.
fn creeps(plant: &Plant, start: &State, segment: &Segment) -> bool {
    let Mode::Lowering(profile) = start.mode else { return false };
    let pace = segment.advance.pace.body;
    pace < UNHINDERED && profile.left() > CREEPING * sinking_time(plant, start) * pace
}
