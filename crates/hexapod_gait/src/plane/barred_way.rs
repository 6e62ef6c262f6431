//! A robot that comes to a brink, or to what it does not get past, stops there.

use super::twist::Twist;

/// Cosine of the angle, 84 degrees, from which on a way leads past what is ahead.
const ASIDE: f64 = 0.1;

/// Lets a robot walk anywhere but on to what is ahead of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BarredWay {
    /// Where it was driven when it came there.
    barred: Option<Twist>,
    is_there: bool,
}

impl BarredWay {
    /// Takes down whether the robot must go no further.
    pub fn look(&mut self, is_there: bool) {
        self.is_there = is_there;
    }

    /// Whether the robot is held back.
    #[must_use]
    pub fn bars(&self) -> bool {
        self.barred.is_some()
    }

    /// What is left of a twist that is wanted: nothing on the barred way, until another one is wanted, or none.
    pub fn allowed(&mut self, wanted: Twist) -> Twist {
        let leads_there = |barred: &Twist| {
            let along = wanted.vx * barred.vx + wanted.vy * barred.vy;
            let (speeds, turns) = (wanted.speed() * barred.speed(), wanted.wz * barred.wz);
            // Who turns on the spot is not driven anywhere: only turning the same way leads there.
            if speeds == 0.0 { turns > 0.0 } else { along > ASIDE * speeds }
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
    fn when_it_must_go_no_further_expect_no_way_on_until_another_is_wanted_or_none() {
        let mut way = BarredWay::default();
        assert_eq!(way.allowed(AHEAD), AHEAD);
        way.look(true);
        assert_eq!(way.allowed(AHEAD), Twist::ZERO);
        // It stands: no foot is about to be put down anywhere.
        way.look(false);
        for on in [AHEAD, Twist::new(0.03, 0.05, 0.2), Twist::new(0.001, 0.0, -0.5)] {
            assert_eq!(way.allowed(on), Twist::ZERO, "{on:?}");
        }
        for other in [
            Twist::new(-0.05, 0.0, 0.0),
            Twist::new(0.0, 0.05, 0.0),
            Twist::new(1e-18, -0.05, 0.0),
            Twist::new(0.0, 0.0, 0.5),
            Twist::ZERO,
        ] {
            let mut way = way;
            assert_eq!(way.allowed(other), other);
            assert_eq!(way.allowed(AHEAD), AHEAD, "it may try again, and comes there anew");
        }
    }

    #[test]
    fn when_it_turned_there_expect_it_to_turn_no_further_that_way() {
        let mut way = BarredWay::default();
        way.look(true);
        assert_eq!(way.allowed(Twist::new(0.0, 0.0, 0.4)), Twist::ZERO);
        assert_eq!(way.allowed(Twist::new(0.0, 0.0, 0.1)), Twist::ZERO);
        let back = Twist::new(0.0, 0.0, -0.1);
        way.look(false);
        assert_eq!(way.allowed(back), back);
    }
}
