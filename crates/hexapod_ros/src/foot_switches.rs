//! Switches under feet that are broken: ones that stay open or closed while their feet go up and down.

/// Steps in a row for which a switch may say the same before it is not believed.
const STEPS: u32 = 3;

/// What is wrong with a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchFault {
    /// It stays open: a broken wire, or a foot that never meets the ground.
    NeverCloses,
    /// It stays closed.
    NeverOpens,
}

impl SwitchFault {
    fn word(self) -> &'static str {
        match self {
            Self::NeverCloses => "open",
            Self::NeverOpens => "closed",
        }
    }

    /// What to tell of the broken ones among the switches of these legs, if any are.
    #[must_use]
    pub fn report<'a>(switches: impl Iterator<Item = (&'a str, Option<Self>)>) -> Option<String> {
        let broken: Vec<String> =
            switches.filter_map(|(leg, fault)| Some(format!("{leg} ({} for {STEPS} steps)", fault?.word()))).collect();
        let legs = broken.join(", ");
        (!broken.is_empty()).then(|| format!("foot contacts not believed, the gait's plan counts instead: {legs}"))
    }
}

/// Follows the switch of one foot. Never allocates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwitchWatch {
    planted: bool,
    /// What it has said since the last touch-down; `None` before the first, of which no whole step is known.
    said: Option<Said>,
    steps_open: u32,
    steps_closed: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Said {
    open: bool,
    closed: bool,
}

impl SwitchWatch {
    /// Takes what the switch says, and whether the gait has its foot on the ground. A switch that says nothing is
    /// followed anew when it speaks again. Returns what is to be believed of it.
    pub fn take(&mut self, planted: bool, closed: Option<bool>) -> Option<bool> {
        let touches_down = planted && !self.planted;
        self.planted = planted;
        let Some(is_closed) = closed else {
            *self = Self { planted, ..Self::default() };
            return None;
        };
        if touches_down {
            if let Some(said) = self.said {
                self.steps_open = if said.closed { 0 } else { self.steps_open.saturating_add(1) };
                self.steps_closed = if said.open { 0 } else { self.steps_closed.saturating_add(1) };
            }
            self.said = Some(Said::default());
        }
        if let Some(said) = &mut self.said {
            (said.open, said.closed) = (said.open || !is_closed, said.closed || is_closed);
        }
        // One word to the contrary, and it is believed again.
        *(if is_closed { &mut self.steps_open } else { &mut self.steps_closed }) = 0;
        closed.filter(|_| self.fault().is_none())
    }

    /// Why the switch is not believed.
    #[must_use]
    pub fn fault(&self) -> Option<SwitchFault> {
        if self.steps_open >= STEPS {
            Some(SwitchFault::NeverCloses)
        } else if self.steps_closed >= STEPS {
            Some(SwitchFault::NeverOpens)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that is up and down for ten ticks each, with a switch that tells `late` ticks late what `tell` makes of it.
    fn walk(watch: &mut SwitchWatch, steps: usize, late: usize, tell: impl Fn(bool) -> Option<bool>) {
        for tick in 0..20 * steps {
            let planted = |tick: usize| (tick / 10).is_multiple_of(2);
            watch.take(planted(tick), tell(planted((tick + 20 - late) % 20)));
        }
    }

    #[test]
    fn when_a_switch_never_changes_expect_it_doubted_after_three_steps_and_believed_once_it_does() {
        for (always, fault) in [(false, SwitchFault::NeverCloses), (true, SwitchFault::NeverOpens)] {
            let mut watch = SwitchWatch::default();
            walk(&mut watch, 3, 0, |_| Some(always));
            assert_eq!(watch.fault(), None);
            walk(&mut watch, 2, 0, |_| Some(always));
            assert_eq!(watch.fault(), Some(fault));
            assert_eq!(watch.take(true, Some(always)), None, "not believed");
            assert_eq!(watch.take(true, Some(!always)), Some(!always));
            assert_eq!(watch.fault(), None);
        }
    }

    #[test]
    fn when_a_switch_tells_late_or_is_silent_at_times_expect_it_believed() {
        for late in 0..8 {
            let mut watch = SwitchWatch::default();
            walk(&mut watch, 50, late, Some);
            assert_eq!(watch.fault(), None, "{late} ticks late");
        }
        let mut watch = SwitchWatch::default();
        walk(&mut watch, 50, 0, |_| None);
        assert_eq!((watch.fault(), watch.take(true, None)), (None, None));
    }

    #[test]
    fn when_the_robot_stands_expect_an_open_switch_believed() {
        let mut watch = SwitchWatch::default();
        assert!((0..10_000).all(|_| watch.take(true, Some(false)) == Some(false)));
    }

    #[test]
    fn when_switches_are_broken_expect_each_leg_and_what_counts_instead_in_words() {
        let legs = [("a", Some(SwitchFault::NeverCloses)), ("b", None), ("c", Some(SwitchFault::NeverOpens))];
        let words = SwitchFault::report(legs.into_iter()).unwrap();
        assert!(words.ends_with("plan counts instead: a (open for 3 steps), c (closed for 3 steps)"), "{words}");
        assert_eq!(SwitchFault::report([("b", None)].into_iter()), None);
    }
}
