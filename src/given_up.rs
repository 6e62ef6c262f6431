//! Walks that are given up, for commands that drive the planner without its node.

use hexapod_gait::LimitedBy;

/// How many are reported; beyond, that there were more.
const MOST: u32 = 5;

/// Notes of one sort: the first ones as they are, then once that there were more.
#[derive(Debug, Default)]
pub struct FewNotes(u32);

impl FewNotes {
    /// The next one, of which so many are reported at `most`, with what is said of those beyond.
    pub fn admit(&mut self, most: u32, note: String, beyond: &str) -> Option<String> {
        self.0 += 1;
        match self.0 {
            count if count <= most => Some(note),
            count if count == most + 1 => Some(beyond.into()),
            _ => None,
        }
    }
}

/// Tells of each walk that is given up, once.
#[derive(Debug, Default)]
pub struct GivenUp {
    is_reported: bool,
    notes: FewNotes,
}

impl GivenUp {
    /// What to say of a walk that has been given up by now for what held it back, `seconds` from the start.
    pub fn note(&mut self, by: Option<LimitedBy>, seconds: f64) -> Option<String> {
        let before = std::mem::replace(&mut self.is_reported, by.is_some());
        let by = by.filter(|_| !before)?;
        let note = format!("at {seconds:.2} s {}", gait_planner::given_up(by));
        self.notes.admit(MOST, note, "walks were given up after that, too")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_walks_are_given_up_expect_each_reported_once_and_of_many_that_there_were_more() {
        let (mut given_up, mut reported) = (GivenUp::default(), Vec::new());
        for walk in 0..MOST + 3 {
            let seconds = 10.0 * f64::from(walk);
            reported.extend(given_up.note(None, seconds));
            // It stands for some ticks before the stick is let go.
            reported
                .extend((0..3).filter_map(|tick| given_up.note(Some(LimitedBy::Stability), seconds + f64::from(tick))));
        }
        assert_eq!(reported.len(), MOST as usize + 1, "{reported:?}");
        assert!(reported[1].starts_with("at 10.00 s ") && reported[1].len() > 30, "{reported:?}");
        assert_eq!(reported[MOST as usize], "walks were given up after that, too");
    }
}
