//! Whether a stop, or the way down, has found no way on for too long.

use crate::plan::sequence::descent::sinking_time;
use crate::plane::limits::LimitedBy;
use crate::plane::twist::Twist;
use crate::plant::Plant;
use crate::state::State;
use crate::state::mode::{Mode, Stopping, Then};
use crate::state::rates::BodyRates;
use crate::state::segment::Segment;

/// How long a stop waits for a way on without any move, and with moves that lead nowhere, ns.
const STILL_NS: u64 = 500_000_000;
const BARRED_NS: u64 = 5_000_000_000;
/// A way that is free for less than that leads nowhere: where there is little room, the body sways from bar to bar, ns.
const FREE_NS: u64 = 100_000_000;
/// A way down is taken for closed where it would take so many times as long as sinking does: near a singular pose the
/// body may creep for ever.
const CREEPING: f64 = 10.0;
/// Fraction of its pace from which on a way down does not creep.
const UNHINDERED: f64 = 0.1;
/// Slower than this, a body that sways rests, m/s.
const RESTS_M_S: f64 = 1e-9;

/// For how long a stop has found no way on, ns: without any move, and at all; and for how long a robot that is asked to
/// sit has rested on all its feet, of what it may.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StallTimer {
    still_ns: u64,
    ns: u64,
    /// Since it was barred last.
    free_ns: u64,
    idle: f64,
}

impl StallTimer {
    /// Counts a segment.
    #[inline]
    pub(crate) fn count(&mut self, plant: &Plant, start: &State, segment: &Segment) {
        let seconds = segment.ns as f64 * 1e-9;
        self.idle = if idles(start) { self.idle + seconds / idle_time(start) } else { 0.0 };
        let creeps = creeps(plant, start, segment);
        let is_barred = segment.by >= LimitedBy::Kinematics && matches!(start.mode, Mode::Stopping(_));
        self.free_ns = if creeps || is_barred { 0 } else { self.free_ns + segment.ns };
        if self.free_ns >= FREE_NS {
            (self.still_ns, self.ns) = (0, 0);
            return;
        }
        let is_still = creeps || (is_barred && segment.end.angles == start.angles);
        self.still_ns = if is_still { self.still_ns + segment.ns } else { 0 };
        self.ns += segment.ns;
    }

    pub(crate) fn expired(&self) -> bool {
        self.still_ns >= STILL_NS || self.ns >= BARRED_NS || self.idle >= 1.0
    }
}

/// Whether a robot that is asked to sit stands on all its feet and does not move.
fn idles(start: &State) -> bool {
    let Mode::Stopping(Stopping { then: Then::Sit, .. }) = start.mode else { return false };
    let BodyRates { height, level, correction, offset, sway } = &start.rates;
    let decays = correction.iter().any(|rate| *rate != 0.0);
    let rests = *height == 0.0 && !decays && level.is_zero() && offset.is_zero() && sway.norm() < RESTS_M_S;
    rests && start.twist == [Twist::ZERO; 2] && start.walk.all_planted()
}

/// For how long it may, s: each foot may have its turn to be put back. The body comes there before that, or never, where
/// the way back from its pose would take it out of its balance.
fn idle_time(start: &State) -> f64 {
    if start.offset.is_zero() { start.walk.cycle } else { STILL_NS as f64 * 1e-9 }
}

/// Whether a body comes down so slowly that its legs had better turn to the sitting pose.
fn creeps(plant: &Plant, start: &State, segment: &Segment) -> bool {
    let Mode::Lowering(profile) = start.mode else { return false };
    let pace = segment.advance.pace.body;
    pace < UNHINDERED && profile.left() > CREEPING * sinking_time(plant, start) * pace
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::grid::GRID_NS;
    use crate::state::mode::Stopping;
    use crate::state::tests::{on_its_feet, shipped};

    /// Seconds after which there is no way on.
    fn waited(mode: Mode, change: impl Fn(&mut Segment)) -> Option<f64> {
        let robot = shipped();
        let start = on_its_feet(&robot, mode);
        let (mut segment, mut stall_timer) = (Segment::from(&start, GRID_NS), StallTimer::default());
        change(&mut segment);
        (1..1000).find_map(|count| {
            stall_timer.count(&robot.0, &start, &segment);
            stall_timer.expired().then(|| f64::from(count) * 0.01)
        })
    }

    #[test]
    fn when_a_stop_is_blocked_expect_half_a_second_of_standing_still_and_five_of_moves_that_lead_nowhere() {
        let stopping = Mode::Stopping(Stopping::now(0));
        assert_eq!(waited(stopping, |segment| segment.by = LimitedBy::Kinematics), Some(0.5));
        let moves = |segment: &mut Segment| {
            segment.by = LimitedBy::Kinematics;
            segment.end.angles[0][0] += 0.01;
        };
        assert_eq!(waited(stopping, moves), Some(5.0));
        assert_eq!(waited(stopping, |segment| segment.by = LimitedBy::JointVelocity), None);
        assert_eq!(waited(Mode::Walking, |segment| segment.by = LimitedBy::Kinematics), None);
    }

    #[test]
    fn when_a_robot_that_is_to_sit_rests_on_all_its_feet_expect_a_cycle_and_half_a_second_in_a_pose() {
        let robot = shipped();
        let waited = |then, change: &dyn Fn(&mut State)| {
            let mut start = on_its_feet(&robot, Mode::Stopping(Stopping::now(0).to(then)));
            change(&mut start);
            let (segment, mut stall_timer) = (Segment::from(&start, GRID_NS), StallTimer::default());
            (1..1000).find(|_| {
                stall_timer.count(&robot.0, &start, &segment);
                stall_timer.expired()
            })
        };
        let cycle = (robot.1.cycle_time() * 100.0).round() as i32;
        let waits = |ticks: Option<i32>, expected: i32| ticks.is_some_and(|ticks| (ticks - expected).abs() <= 1);
        assert!(waits(waited(Then::Sit, &|_| {}), cycle));
        let leans = |start: &mut State| start.offset.translation.x = 0.01;
        assert!(waits(waited(Then::Sit, &leans), 50));
        assert_eq!(waited(Then::Stand, &leans), None);
        let moves = |start: &mut State| {
            leans(start);
            start.rates.offset.translation.x = -0.01;
        };
        assert_eq!(waited(Then::Sit, &moves), None);
        assert_eq!(waited(Then::Sit, &|start| start.twist[1] = Twist::new(0.01, 0.0, 0.0)), None);
    }

    #[test]
    fn when_a_body_creeps_down_expect_that_to_be_no_way() {
        let lowering = Mode::Lowering(shipped().0.height_profile(0.09, 0.03, 1.0));
        assert_eq!(waited(lowering, |segment| segment.advance.pace = segment.advance.pace.slower(0.01)), Some(0.5));
        assert_eq!(waited(lowering, |segment| segment.advance.pace = segment.advance.pace.slower(0.5)), None);
    }

    #[test]
    fn when_the_way_opens_again_expect_the_count_to_begin_anew() {
        let robot = shipped();
        let start = on_its_feet(&robot, Mode::Stopping(Stopping::now(0)));
        let (open, mut stall_timer) = (Segment::from(&start, GRID_NS), StallTimer::default());
        let blocked = Segment { by: LimitedBy::Kinematics, ..open };
        for _ in 0..4 {
            (0..40).for_each(|_| stall_timer.count(&robot.0, &start, &blocked));
            stall_timer.count(&robot.0, &start, &open);
            assert!(!stall_timer.expired());
        }
    }
}
