//! Whether a robot that is to walk gets on. One that does not is not left in `walking`: it stops, stands, and says why.

use crate::plan::context::Context;
use crate::plan::twist::bounds::stroke_factor;
use crate::plane::limits::{Limited, LimitedBy};
use crate::plane::twist::Twist;
use crate::state::State;
use crate::state::segment::Segment;

/// A robot that walks no faster than this part of what its stroke allows does not get on.
const LEAST_FRACTION: f64 = 0.05;
/// As far as that allows this part of what is wanted: where the stroke allows next to nothing, no robot gets on by it.
const LEAST_STROKE: f64 = 0.4;
/// For how long that is waited for, s, while nothing moves: a foot may wait for the body to lean. Feet that tread have a
/// cycle more, for after a change of course all of them may have to go elsewhere first.
const PATIENCE_S: f64 = 1.8;

/// How far a walk is behind, and why the last one was given up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Seconds that it would have to walk as it should to have got on.
    behind_s: f64,
    /// Where it was to go since then.
    towards: Twist,
    /// What held it back last.
    by: LimitedBy,
    /// What barred a walk that was given up, until another begins.
    pub gave_up: Option<LimitedBy>,
}

impl Progress {
    /// Counts a segment in which this twist was wanted.
    #[inline]
    pub(crate) fn count(&mut self, cx: &Context, start: &State, segment: &Segment, wanted: Twist) {
        let size = |twist: Twist| twist.speed() + twist.wz.abs() * cx.plant.farthest_rest;
        let (walked, wanted) =
            (size(start.twist[1]) * segment.advance.pace.body, cx.limits.velocity(Limited::unlimited(wanted)));
        if walked >= LEAST_FRACTION * size(wanted.twist) && self.behind_s == 0.0 {
            return;
        }
        if self.behind_s == 0.0 || !is_that_way(wanted.twist, self.towards) {
            (self.behind_s, self.towards) = (0.0, wanted.twist);
        }
        let stroke = stroke_factor(&start.walk.nominal, cx.gait, start.walk.cycle, wanted.twist);
        let fraction = walked / (stroke.max(LEAST_STROKE) * size(wanted.twist)).max(f64::MIN_POSITIVE);
        let pace = segment.advance.pace;
        let treads = !start.walk.all_planted() && pace.body * pace.swing > LEAST_FRACTION;
        let counts = if treads { PATIENCE_S / (PATIENCE_S + start.walk.cycle) } else { 1.0 };
        let seconds = counts * segment.ns as f64 * 1e-9;
        self.by = segment.by.max(start.limited_by);
        self.behind_s = (self.behind_s + seconds * (1.0 - fraction / LEAST_FRACTION)).max(0.0);
    }

    /// Whether the walk is to be given up.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.behind_s >= PATIENCE_S
    }

    /// Gives it up.
    pub(crate) fn give_up(&mut self) {
        *self = Self { gave_up: Some(self.by), ..Self::default() };
    }
}

/// Whether a twist goes more or less where another one does: who shakes the stick gets nowhere.
fn is_that_way(twist: Twist, other: Twist) -> bool {
    let along = twist.vx * other.vx + twist.vy * other.vy;
    let round = twist.wz * other.wz;
    along >= 0.0 && round >= 0.0 && (along > 0.0 || round > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::plane::grid::GRID_NS;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};
    use crate::state::walk::Step;

    /// Whether a walk is given up after so many seconds, in which the body goes at this part of 0.05 m/s and the stick is
    /// where `stick` says.
    fn is_lost(seconds: f64, fraction: f64, lifted: bool, stick: impl Fn(usize) -> Twist) -> bool {
        is_lost_at(1.0, seconds, fraction, lifted, stick)
    }

    /// The same of a robot that goes its path at some part of its pace.
    fn is_lost_at(pace: f64, seconds: f64, fraction: f64, lifted: bool, stick: impl Fn(usize) -> Twist) -> bool {
        let robot = shipped();
        let (cx, mut state, mut progress) = (context(&robot), on_its_feet(&robot, Mode::Walking), Progress::default());
        if lifted {
            let reach = state.walk.nominal.reach;
            let step = Step::flat(Twist::ZERO, 0.03, reach);
            state.walk.lift(cx.gait, 0, &step);
        }
        state.twist = [Twist::new(0.05 * fraction, 0.0, 0.0); 2];
        for step in 0..(seconds * 100.0) as usize {
            let mut segment = Segment::from(&state, GRID_NS);
            segment.advance.pace = segment.advance.pace.slower(pace);
            progress.count(&cx, &state, &segment, stick(step));
        }
        progress.is_lost()
    }

    fn ahead(_: usize) -> Twist {
        Twist::new(0.05, 0.0, 0.0)
    }

    #[test]
    fn when_nothing_moves_expect_the_walk_given_up_within_two_seconds() {
        assert!(is_lost(2.0, 0.0, false, ahead) && !is_lost(1.5, 0.0, false, ahead));
        assert!(is_lost(3.0, 0.01, false, ahead) && !is_lost(60.0, 0.06, false, ahead));
    }

    #[test]
    fn when_feet_tread_on_the_spot_expect_a_cycle_more_of_patience() {
        let cycle = on_its_feet(&shipped(), Mode::Walking).walk.cycle;
        assert!(is_lost(cycle + 2.0, 0.0, true, ahead) && !is_lost(cycle + 1.5, 0.0, true, ahead));
        assert!(is_lost_at(0.0, 2.0, 0.0, true, ahead), "a foot that hangs in the air does not tread");
    }

    #[test]
    fn when_the_stroke_allows_next_to_nothing_expect_that_not_taken_for_getting_on() {
        // A hundred times the shipped robot's greatest speed: a step as long as its stroke takes it no hundredth of
        // that.
        let fraction_of_wanted = |fraction: f64| {
            let robot = shipped();
            let mut narrow = on_its_feet(&robot, Mode::Walking);
            narrow.walk.cycle *= 100.0;
            narrow.twist = [Twist::new(0.05 * fraction, 0.0, 0.0); 2];
            let (cx, mut progress) = (context(&robot), Progress::default());
            (0..500).for_each(|step| progress.count(&cx, &narrow, &Segment::from(&narrow, GRID_NS), ahead(step)));
            progress.is_lost()
        };
        assert!(fraction_of_wanted(0.01) && !fraction_of_wanted(0.03));
    }

    #[test]
    fn when_the_stick_is_shaken_expect_the_robot_not_blamed() {
        assert!(!is_lost(60.0, 0.0, false, |step| ahead(step).scaled(if step % 2 == 0 { 1.0 } else { -1.0 })));
    }
}
