use std::collections::VecDeque;
use std::time::Duration;

/// How much of the past is kept.
const KEPT: Duration = Duration::from_secs(30);
/// Samples kept at most, so that a fast caller stays within bounds: 30 s at 100 Hz.
const CAPACITY: usize = 3000;

/// Which feet were down, over the last seconds: the data of a Hildebrand diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footfalls {
    samples: VecDeque<(Duration, Vec<bool>)>,
}

impl Footfalls {
    /// Notes which feet are down at `now`, a time on any clock that only goes forward. A time before the last one
    /// starts anew.
    pub fn record(&mut self, now: Duration, down: impl IntoIterator<Item = bool>) {
        if self.samples.back().is_some_and(|(last, _)| *last > now) {
            self.samples.clear();
        }
        self.samples.push_back((now, down.into_iter().collect()));
        let oldest = now.saturating_sub(KEPT);
        while self.samples.len() > CAPACITY || self.samples.front().is_some_and(|(time, _)| *time < oldest) {
            self.samples.pop_front();
        }
    }

    /// Whether nothing was noted yet.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Whether the foot of leg `leg` was down in each of the last `count` time slots of length `slot`, oldest first;
    /// `None` where nothing is known. Slots lie at whole multiples of `slot`, so a diagram moves without flicker.
    pub fn strip(&self, leg: usize, count: usize, slot: Duration) -> Vec<Option<bool>> {
        let slot_ns = slot.as_nanos().max(1);
        let last = self.samples.back().map_or(0, |(time, _)| time.as_nanos() / slot_ns);
        let mut strip = vec![None; count];
        for (time, down) in &self.samples {
            let age = usize::try_from(last.saturating_sub(time.as_nanos() / slot_ns)).unwrap_or(usize::MAX);
            if let Some(place) = count.checked_sub(age.saturating_add(1)).and_then(|index| strip.get_mut(index)) {
                *place = down.get(leg).copied();
            }
        }
        fill_gaps(&mut strip);
        strip
    }
}

/// A slot without a sample of its own shows the one before it.
fn fill_gaps(strip: &mut [Option<bool>]) {
    let mut known = None;
    for place in strip {
        known = place.or(known);
        *place = known;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Duration = Duration::from_millis(100);

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn when_a_foot_lifts_expect_the_slots_to_say_so() {
        let mut footfalls = Footfalls::default();
        for (time, down) in [(0, true), (100, true), (200, false), (400, true)] {
            footfalls.record(at(time), [down, !down]);
        }
        assert_eq!(footfalls.strip(0, 6, SLOT), [None, Some(true), Some(true), Some(false), Some(false), Some(true)]);
        assert_eq!(footfalls.strip(9, 2, SLOT), [None, None]);
        assert!(footfalls.strip(0, 0, SLOT).is_empty());
    }

    #[test]
    fn when_recorded_for_long_expect_bounded_memory() {
        let mut footfalls = Footfalls::default();
        for tick in 0..20_000 {
            footfalls.record(at(tick), [true]);
        }
        assert!(footfalls.samples.len() <= CAPACITY);
        footfalls.record(at(40_000_000), [true]);
        assert_eq!(footfalls.samples.len(), 1);
    }

    #[test]
    fn when_time_goes_back_or_slots_are_zero_expect_no_panic() {
        let mut footfalls = Footfalls::default();
        footfalls.record(at(5000), [true]);
        footfalls.record(at(10), [false]);
        assert_eq!(footfalls.strip(0, 1, SLOT), [Some(false)]);
        assert_eq!(footfalls.strip(0, 1, Duration::ZERO), [Some(false)]);
    }
}
