//! Which states were made when: an intent tells which of them its sender had seen, and with that how old its picture is,
//! by this side's clock alone.

use std::collections::VecDeque;
use std::time::Duration;

/// States whose times are kept: two seconds of them, and what is older is stale anyway.
const KEPT: usize = 64;

/// The newest states' times.
#[derive(Clone, Debug, Default)]
pub struct StateAge {
    /// Number of the newest.
    newest: u64,
    /// When each was made, the newest last.
    made: VecDeque<Duration>,
}

impl StateAge {
    /// Takes down that a state was made at `now`, and returns its number: one more than the last.
    pub fn show(&mut self, now: Duration) -> u64 {
        if self.made.len() >= KEPT {
            self.made.pop_front();
        }
        self.made.push_back(now);
        self.newest += 1;
        self.newest
    }

    /// Number of the newest state.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// When the state `number` was made, if that is known still.
    #[must_use]
    pub fn made(&self, number: u64) -> Option<Duration> {
        let back = usize::try_from(self.newest.checked_sub(number)?).ok()?;
        self.made.iter().rev().nth(back).copied()
    }

    /// How old the state `number` is at `now`, if that is known still.
    #[must_use]
    pub fn age(&self, number: u64, now: Duration) -> Option<Duration> {
        self.made(number).map(|made| now.saturating_sub(made))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_states_are_numbered_expect_their_times_as_long_as_they_matter() {
        let mut state_age = StateAge::default();
        assert_eq!(state_age.made(0), None, "there is no state yet");
        let ms = Duration::from_millis;
        for step in 0..100 {
            assert_eq!(state_age.show(ms(30 * step)), step + 1);
        }
        assert_eq!(state_age.made(100), Some(ms(2970)));
        assert_eq!(state_age.age(90, ms(3000)), Some(ms(330)));
        assert_eq!(state_age.made(101), None, "nobody has seen what is to come");
        assert_eq!(state_age.made(36), None, "too old to be kept");
        assert_eq!(state_age.made(u64::MAX), None);
        assert!(state_age.made.len() <= KEPT);
    }
}
