//! Where the feet will stand in the first cycle of a gait, the body going on as it does.

use crate::gait::Gait;
use crate::plane::support::SupportPolygon;
use crate::plane::twist::Twist;
use crate::state::foot::{Foot, Swing};
use crate::state::walk::Walk;
use nalgebra::Vector2;

/// Just after or before a foot is lifted or put down, s.
const MOMENT_S: f64 = 1e-6;

/// The feet, the gait that lifts them from now on, and the body's twist.
pub(super) struct Foresight<'a> {
    pub walk: &'a Walk,
    pub gait: &'a Gait,
    pub twist: Twist,
}

impl Foresight<'_> {
    /// The least distance of `centre`, which goes with the body, from the edge of the feet on the ground, m: between the
    /// moments at which feet are lifted and put down it changes evenly.
    pub(super) fn least_margin(&self, centre: Vector2<f64>) -> f64 {
        let margins = self.moments().map(|time| {
            let planted = (0..self.walk.feet().len()).filter_map(|leg| self.planted(leg, time));
            SupportPolygon::new(planted).margin(centre)
        });
        margins.fold(f64::INFINITY, f64::min)
    }

    /// The fewest feet on the ground.
    pub(super) fn least_feet(&self) -> usize {
        let legs = 0..self.walk.feet().len();
        let counts = self.moments().map(|time| legs.clone().filter(|&leg| self.planted(leg, time).is_some()).count());
        counts.min().unwrap_or(0)
    }

    /// Just after each foot is lifted, and before it is down.
    fn moments(&self) -> impl Iterator<Item = f64> + '_ {
        let swing = self.gait.swing_fraction() * self.walk.cycle;
        let lifts = (0..self.walk.feet().len()).map(|leg| self.lift_off(leg));
        lifts.flat_map(move |lift| [lift + MOMENT_S, lift + swing - MOMENT_S])
    }

    /// When a foot is down that is in the air now, s, and where, as the body sees it now.
    fn touch_down(&self, leg: usize) -> Option<(f64, Vector2<f64>)> {
        match *self.walk.foot(leg) {
            Foot::Planted { at } | Foot::Probing(Swing { at, .. }) => Some((0.0, at.xy())),
            Foot::Swinging(swing) => Some((swing.left(), swing.touch_down.xy())),
            Foot::Missing => None,
        }
    }

    /// When a foot is lifted next, s: not before it is down.
    fn lift_off(&self, leg: usize) -> f64 {
        // By rounding the turn of one that is lifted now may be just past.
        let turn = if self.walk.is_due(self.gait, leg) { 0.0 } else { self.walk.time_to_lift(self.gait, leg) };
        let down = self.touch_down(leg).map_or(0.0, |(down, _)| down);
        if turn < down { turn + self.walk.cycle } else { turn }
    }

    /// Where a foot is at a time within the cycle, s, if on the ground.
    fn planted(&self, leg: usize, time: f64) -> Option<Vector2<f64>> {
        let (down, at) = self.touch_down(leg)?;
        let (lift, cycle) = (self.lift_off(leg), self.walk.cycle);
        let landing = lift + self.gait.swing_fraction() * cycle;
        if (down..=lift).contains(&time) {
            return Some(self.twist.motion(time).apply_inverse(at));
        }
        let stood = time - landing;
        let middle = 0.5 * self.gait.duty_factor() * cycle;
        (stood >= 0.0).then(|| self.twist.motion(middle - stood).apply(self.walk.nominal.place(leg)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::context::tests::context;
    use crate::state::mode::Mode;
    use crate::state::tests::{on_its_feet, shipped};

    #[test]
    fn when_a_tripod_is_foreseen_expect_three_feet_at_a_time_and_less_margin_the_faster_it_goes() {
        let robot = shipped();
        let (cx, state) = (context(&robot), on_its_feet(&robot, Mode::Walking));
        let margin = |vx: f64| {
            let (mut walk, twist) = (state.walk, Twist::new(vx, 0.0, 0.0));
            walk.start(cx.gait, twist);
            let foresight = Foresight { walk: &walk, gait: cx.gait, twist };
            let down = (0..6).filter(|&leg| foresight.planted(leg, foresight.lift_off(leg) + 0.1).is_some()).count();
            assert_eq!(down, 0, "a foot is in the air after its lift-off");
            assert_eq!(foresight.least_feet(), 3);
            foresight.least_margin(state.centre(cx.plant))
        };
        assert!(margin(0.0) > 0.1 && margin(0.05) < margin(0.0) && margin(0.1) < margin(0.05));
    }
}
