//! A robot that comes to where the ground drops away stops.

use hexapod_gait::Twist;

/// Lets a robot walk anywhere but on over the brink it has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Brink {
    /// Where it was driven when it came there.
    barred: Option<Twist>,
    is_there: bool,
}

impl Brink {
    /// Takes down whether a foot would be put down where the ground has dropped away.
    pub fn look(&mut self, is_there: bool) {
        self.is_there = is_there;
    }

    /// Whether the robot is held back.
    pub fn bars(&self) -> bool {
        self.barred.is_some()
    }

    /// What is left of a twist that is wanted: nothing on the way to the brink, until another way is wanted, or none.
    pub fn allowed(&mut self, wanted: Twist) -> Twist {
        let leads_there = |barred: &Twist| {
            let along = wanted.vx * barred.vx + wanted.vy * barred.vy;
            // Who turns on the spot is not driven anywhere: only turning the same way leads there.
            if along == 0.0 { wanted.wz * barred.wz > 0.0 } else { along > 0.0 }
        };
        self.barred = self.barred.filter(leads_there);
        if self.is_there && !wanted.is_zero() && self.barred.is_none() {
            self.barred = Some(wanted);
        }
        if self.bars() { Twist::ZERO } else { wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: Twist = Twist::new(0.07, 0.0, 0.0);

    #[test]
    fn when_a_brink_is_ahead_expect_no_way_on_until_another_is_wanted_or_none() {
        let mut brink = Brink::default();
        assert_eq!(brink.allowed(AHEAD), AHEAD);
        brink.look(true);
        assert_eq!(brink.allowed(AHEAD), Twist::ZERO);
        // It stands: no foot is about to be put down anywhere.
        brink.look(false);
        for on in [AHEAD, Twist::new(0.03, 0.05, 0.2), Twist::new(0.001, 0.0, -0.5)] {
            assert_eq!(brink.allowed(on), Twist::ZERO, "{on:?}");
        }
        for other in [Twist::new(-0.05, 0.0, 0.0), Twist::new(0.0, 0.05, 0.0), Twist::new(0.0, 0.0, 0.5), Twist::ZERO] {
            let mut brink = brink;
            assert_eq!(brink.allowed(other), other);
            assert_eq!(brink.allowed(AHEAD), AHEAD, "it may try again, and comes to the brink anew");
        }
    }

    #[test]
    fn when_it_turned_to_the_brink_expect_it_to_turn_no_further_that_way() {
        let mut brink = Brink::default();
        brink.look(true);
        assert_eq!(brink.allowed(Twist::new(0.0, 0.0, 0.4)), Twist::ZERO);
        assert_eq!(brink.allowed(Twist::new(0.0, 0.0, 0.1)), Twist::ZERO);
        let back = Twist::new(0.0, 0.0, -0.1);
        brink.look(false);
        assert_eq!(brink.allowed(back), back);
    }
}
