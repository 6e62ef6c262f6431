//! The pulses one channel may be given, and where in the PWM period they start.

use super::registers::COUNTS_PER_PERIOD;

const COUNT_MASK: u16 = COUNTS_PER_PERIOD - 1;
const HIGH_BYTE: u16 = 0x0F00;
const PAGE: u16 = 0x100;
const HALF_PAGE: u16 = 0x7F;

/// Shortest and longest pulse of a channel in counts, and the fixed ON count.
///
/// ON is 0 if all pulses then share OFF_H, else the value that keeps pages of 256 OFF counts from changing near the
/// middle of the range where a write torn there would leave a pulse beyond the hard limits; see the [module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PulseRange {
    on: u16,
    shortest: u16,
    longest: u16,
    /// Calibrated limits: no pulse beyond them, not even a torn one.
    hard: (u16, u16),
}

impl PulseRange {
    /// `None` unless `1 <= shortest < longest <= 4095`.
    pub fn try_new(shortest: u16, longest: u16) -> Option<Self> {
        Self::between(shortest, longest, (shortest, longest))
    }

    /// A shorter range within the same hard limits; `None` unless it is one.
    pub fn narrowed(&self, shortest: u16, longest: u16) -> Option<Self> {
        let within = shortest >= self.hard.0 && longest <= self.hard.1;
        within.then(|| Self::between(shortest, longest, self.hard)).flatten()
    }

    fn between(shortest: u16, longest: u16, hard: (u16, u16)) -> Option<Self> {
        let valid = shortest >= 1 && shortest < longest && longest < COUNTS_PER_PERIOD;
        let range = Self { on: 0, shortest, longest, hard };
        valid.then(|| Self { on: range.best_on(), ..range })
    }

    /// Of all ON counts the one whose nearest bad page change is farthest from the middle of the range; of equals the
    /// one that puts the middle of the range nearest to the middle of a page.
    fn best_on(&self) -> u16 {
        let one_page = self.shortest & HIGH_BYTE == self.longest & HIGH_BYTE;
        if one_page {
            return 0;
        }
        let centred = HALF_PAGE.wrapping_sub(self.shortest.midpoint(self.longest));
        let near_to_far = (0..PAGE / 2).flat_map(|away| [away, !away]);
        let candidates = near_to_far.map(|away| Self { on: centred.wrapping_add(away) & 0xFF, ..*self });
        // The first of equals.
        candidates.rev().max_by_key(Self::room).map_or(0, |best| best.on)
    }

    /// Counts from the middle of the range to the nearest page change at which a small step's mix is beyond the limits.
    fn room(&self) -> u16 {
        let middle = self.shortest.midpoint(self.longest);
        let bad = |first: &u16| *first < self.hard.0 + PAGE || *first + PAGE - 1 > self.hard.1;
        let away = |first: u16| if first > middle { first - middle } else { middle + 1 - first };
        self.page_changes().filter(bad).map(away).min().unwrap_or(u16::MAX)
    }

    /// The first pulse of each page but the range's first.
    fn page_changes(&self) -> impl Iterator<Item = u16> {
        let (on, longest) = (self.on, self.longest);
        let next = ((self.shortest + on) / PAGE + 1) * PAGE - on;
        (next..=longest).step_by(usize::from(PAGE))
    }

    /// The fixed ON count, 0..=255.
    #[inline]
    pub fn on(&self) -> u16 {
        self.on
    }

    /// Shortest pulse in counts.
    #[inline]
    pub fn shortest(&self) -> u16 {
        self.shortest
    }

    /// Longest pulse in counts.
    #[inline]
    pub fn longest(&self) -> u16 {
        self.longest
    }

    /// A pulse brought within the range, in counts.
    #[inline]
    pub fn limit(&self, counts: u16) -> u16 {
        counts.clamp(self.shortest, self.longest)
    }

    /// OFF register value of a pulse: ON plus counts, modulo the period. Never equal to ON.
    #[inline]
    pub fn off(&self, counts: u16) -> u16 {
        self.off_within(self.limit(counts))
    }

    /// The same for a pulse that is known to lie within the range.
    #[inline]
    pub(super) fn off_within(&self, counts: u16) -> u16 {
        (self.on + counts) & COUNT_MASK
    }

    /// The pulse of an OFF register value, in counts.
    #[inline]
    pub(super) fn counts(&self, off: u16) -> u16 {
        off.wrapping_sub(self.on) & COUNT_MASK
    }

    /// As [`mix_is_safe`](Self::mix_is_safe), for OFF register values.
    #[inline]
    pub(super) fn is_safe_between(&self, from: u16, to: u16) -> bool {
        let mixed = self.counts((from & HIGH_BYTE) | (to & 0xFF));
        (self.hard.0..=self.hard.1).contains(&mixed)
    }

    /// True if the half-written state between two pulses, new OFF_L under old OFF_H, is a pulse within the hard limits.
    #[inline]
    pub fn mix_is_safe(&self, from: u16, to: u16) -> bool {
        self.is_safe_between(self.off(from), self.off(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_range_is_shorter_than_a_page_expect_every_mix_safe() {
        for shortest in (1..3800).step_by(7) {
            let range = PulseRange::try_new(shortest, shortest + 255).expect("valid");
            for from in range.shortest()..=range.longest() {
                assert!(range.mix_is_safe(from, range.shortest()));
                assert!(range.mix_is_safe(from, range.longest()));
            }
        }
    }

    /// 500 to 2500 us at 50 Hz: OFF pages change 128 counts either side of the middle.
    #[test]
    fn when_range_is_wide_expect_middle_page_safe_inside_and_outward() {
        let range = PulseRange::try_new(103, 512).expect("valid");
        let middle = 180..=435;
        assert_eq!(range.off(*middle.start()) & 0xFF, 0);
        assert_eq!(range.off(*middle.end()) & 0xFF, 0xFF);
        for from in middle.clone() {
            for to in middle.clone() {
                assert!(range.mix_is_safe(from, to), "{from} -> {to}");
            }
        }
        assert!(range.mix_is_safe(435, 436), "out of the middle, upward");
        assert!(range.mix_is_safe(180, 179), "out of the middle, downward");
        assert!(!range.mix_is_safe(436, 435), "back into it, downward");
        assert!(!range.mix_is_safe(179, 180), "back into it, upward");
    }

    #[test]
    fn when_any_pulse_expect_off_differs_from_on_and_gives_it_back() {
        for (shortest, longest) in [(1, 4095), (103, 512), (184, 430), (3000, 4095), (1, 2)] {
            let range = PulseRange::try_new(shortest, longest).expect("valid");
            for counts in shortest..=longest {
                assert_ne!(range.off(counts), range.on());
                assert_eq!((range.off(counts) + 4096 - range.on()) % 4096, counts);
            }
        }
    }

    /// 500 to 2500 us at 100 Hz, and a joint that uses a little less.
    #[test]
    fn when_hard_limits_are_two_pages_apart_and_a_joint_keeps_off_them_expect_every_mix_safe() {
        let hard = PulseRange::try_new(205, 1024).expect("valid");
        let range = hard.narrowed(256, 1000).expect("within");
        for from in range.shortest()..=range.longest() {
            for to in range.shortest()..=range.longest() {
                assert!(range.mix_is_safe(from, to), "{from} -> {to}");
            }
        }
        assert_eq!(hard.narrowed(204, 1000), None);
        assert_eq!(hard.narrowed(205, 1025), None);
    }

    #[test]
    fn when_limits_are_bad_expect_none() {
        for (shortest, longest) in [(0, 10), (10, 10), (11, 10), (10, 4096)] {
            assert_eq!(PulseRange::try_new(shortest, longest), None);
        }
    }
}
