//! A robot that comes to a brink, or to what it does not get past, stops there.

use super::twist::Twist;

/// A robot that is driven another way for so long, s, is away from what was ahead. Until then nothing stops it anew.
const AWAY_S: f64 = 2.0;
/// The way back from there is the one that it came: what is seen beside it does not stop the robot for so long, s.
const BACK_S: f64 = 8.0;

/// Lets a robot walk anywhere but on to what is ahead of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BarredWay {
    /// Where it was driven when it came there.
    barred: Option<Twist>,
    is_there: bool,
    /// For how long it has been driven another way since, s.
    away_s: f64,
    lifted_by_release: bool,
    /// The way that leads back from where it came last, and for how long that may be driven yet, s.
    back: Twist,
    back_s: f64,
}

impl BarredWay {
    /// One on which the robot may try again once the stick was released.
    #[must_use]
    pub fn until_released() -> Self {
        Self { lifted_by_release: true, ..Self::default() }
    }

    /// Takes down whether the robot must go no further.
    pub fn look(&mut self, is_there: bool) {
        self.is_there = is_there;
    }

    /// Whether the robot is held back.
    #[must_use]
    pub fn bars(&self) -> bool {
        self.barred.is_some() && self.away_s == 0.0
    }

    /// What is left of a twist that is wanted for the next `dt` seconds: nothing on the barred way, until the robot has been
    /// driven another one.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        match self.barred {
            Some(_) if wanted.is_zero() && self.lifted_by_release => self.barred = None,
            Some(_) if wanted.is_zero() => {}
            Some(barred) if wanted.is_towards(barred) => self.away_s = 0.0,
            Some(_) => self.away_s += dt,
            None if self.back_s > 0.0 && wanted.is_towards(self.back) => self.back_s -= dt,
            None if self.is_there && !wanted.is_zero() => {
                // What blocks a robot is felt: there is such a thing behind it, or there is not.
                let back_s = if self.lifted_by_release { 0.0 } else { BACK_S };
                (self.barred, self.back, self.back_s) = (Some(wanted), wanted.scaled(-1.0), back_s);
            }
            None => {}
        }
        if self.barred.is_none() || self.away_s > AWAY_S {
            (self.barred, self.away_s) = (None, 0.0);
        }
        if self.bars() { Twist::ZERO } else { wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: Twist = Twist::new(0.07, 0.0, 0.0);
    const BACK: Twist = Twist::new(-0.05, 0.0, 0.0);
    const DT: f64 = 0.01;

    /// A way at whose end the robot stands: no foot is about to be put down anywhere.
    fn at_end(mut way: BarredWay, towards: Twist) -> BarredWay {
        assert_eq!(way.allowed(towards, DT), towards);
        way.look(true);
        assert_eq!(way.allowed(towards, DT), Twist::ZERO);
        way.look(false);
        way
    }

    #[test]
    fn when_it_must_go_no_further_expect_no_way_on_but_any_other() {
        for way in [BarredWay::default(), BarredWay::until_released()] {
            let mut way = at_end(way, AHEAD);
            for on in [AHEAD, Twist::new(0.03, 0.05, 0.2), Twist::new(0.01, 0.0, -0.5)] {
                assert_eq!(way.allowed(on, DT), Twist::ZERO, "{on:?}");
            }
            let aside = [Twist::new(0.0, 0.05, 0.0), Twist::new(1e-18, -0.05, 0.0)];
            for other in [BACK, aside[0], aside[1], Twist::new(0.0, 0.0, 0.5)] {
                let mut way = way;
                // Whatever is seen on the way back does not stop it.
                way.look(true);
                (0..200).for_each(|_| assert_eq!(way.allowed(other, DT), other));
                assert!(!way.bars());
                way.look(false);
                assert_eq!(way.allowed(other, DT), other);
                assert_eq!(way.allowed(AHEAD, DT), AHEAD, "it may try again, and comes there anew");
            }
        }
    }

    #[test]
    fn when_something_is_seen_on_the_way_back_expect_it_to_go_on_for_some_seconds_and_to_stop_on_another_way() {
        let mut way = at_end(BarredWay::default(), AHEAD);
        way.look(true);
        let curve = Twist::new(-0.05, 0.0, 0.4);
        (0..800).for_each(|tick| assert_eq!(way.allowed(curve, DT), curve, "{tick}"));
        let aside = Twist::new(0.0, 0.05, 0.0);
        let mut turned = way;
        assert_eq!(turned.allowed(aside, DT), Twist::ZERO);
        (0..1000).for_each(|_| _ = way.allowed(curve, DT));
        assert_eq!(way.allowed(curve, DT), Twist::ZERO, "there may be a brink behind, too");
    }

    #[test]
    fn when_the_stick_is_released_expect_the_way_barred_until_it_was_driven_elsewhere_unless_a_release_is_enough() {
        for (way, allowed) in [(BarredWay::default(), Twist::ZERO), (BarredWay::until_released(), AHEAD)] {
            let mut way = at_end(way, AHEAD);
            assert_eq!(way.allowed(Twist::ZERO, DT), Twist::ZERO);
            assert_eq!(way.allowed(AHEAD, DT), allowed);
            assert_eq!(way.allowed(BACK, DT), BACK);
            assert_eq!(way.allowed(AHEAD, DT), allowed, "it has not got away yet");
        }
    }

    #[test]
    fn when_it_turned_there_expect_it_to_turn_no_further_that_way() {
        let mut way = at_end(BarredWay::default(), Twist::new(0.0, 0.0, 0.4));
        assert_eq!(way.allowed(Twist::new(0.0, 0.0, 0.1), DT), Twist::ZERO);
        let back = Twist::new(0.0, 0.0, -0.1);
        assert_eq!(way.allowed(back, DT), back);
    }
}
