use std::time::Duration;

/// When something was last heard of a robot, and whether that is too long ago to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    limit: Duration,
    last: Option<Duration>,
}

impl Freshness {
    /// Nothing was heard yet; what was heard counts for less than `limit`.
    pub fn new(limit: Duration) -> Self {
        Self { limit, last: None }
    }

    /// Takes down a word at `now`, on any clock that only goes forward; true if it is the first one after a silence.
    pub fn hear(&mut self, now: Duration) -> bool {
        let was_heard = self.is_heard(now);
        self.last = Some(now);
        !was_heard
    }

    /// Whether there was a word lately.
    pub fn is_heard(&self, now: Duration) -> bool {
        self.last.is_some_and(|last| now.saturating_sub(last) < self.limit)
    }

    /// How long there was no word, where that is too long; `None` before the first one, too.
    pub fn silence(&self, now: Duration) -> Option<Duration> {
        let silence = now.saturating_sub(self.last?);
        (silence >= self.limit).then_some(silence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_robot_falls_silent_expect_that_from_the_limit_on_until_its_next_word() {
        let at = Duration::from_millis;
        let mut freshness = Freshness::new(at(1000));
        assert!(!freshness.is_heard(at(5000)) && freshness.silence(at(5000)).is_none(), "nobody was there yet");
        assert!(freshness.hear(at(5000)) && !freshness.hear(at(5990)));
        assert!(freshness.is_heard(at(6989)) && freshness.silence(at(6989)).is_none());
        assert!(!freshness.is_heard(at(6990)));
        assert_eq!(freshness.silence(at(6990)), Some(at(1000)));
        assert_eq!(freshness.silence(at(9190)), Some(at(3200)));
        assert!(freshness.hear(at(9200)), "it comes back");
        assert!(freshness.is_heard(at(9200)) && freshness.silence(at(9200)).is_none());
    }
}
