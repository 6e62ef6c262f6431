//! The pulses one channel may be given, and where in the PWM period they start.

use super::registers::COUNTS_PER_PERIOD;

const COUNT_MASK: u16 = COUNTS_PER_PERIOD - 1;
const HIGH_BYTE: u16 = 0x0F00;
const HALF_PAGE: u16 = 0x7F;

/// Shortest and longest pulse of a channel in counts, and the fixed ON count.
///
/// ON is 0 if all pulses then share OFF_H, else the value that puts the middle of the range in the middle of a page of
/// 256 OFF counts; see the [module](super) for why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PulseRange {
    on: u16,
    shortest: u16,
    longest: u16,
}

impl PulseRange {
    /// `None` unless `1 <= shortest < longest <= 4095`.
    pub fn try_new(shortest: u16, longest: u16) -> Option<Self> {
        let valid = shortest >= 1 && shortest < longest && longest < COUNTS_PER_PERIOD;
        let one_page = shortest & HIGH_BYTE == longest & HIGH_BYTE;
        let on = if one_page { 0 } else { HALF_PAGE.wrapping_sub(shortest.midpoint(longest)) & 0xFF };
        valid.then_some(Self { on, shortest, longest })
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

    /// As [`mix_is_safe`](Self::mix_is_safe), for pulses that are known to lie within the range.
    #[inline]
    pub(super) fn mix_within_is_safe(&self, from: u16, to: u16) -> bool {
        let mixed = (self.off_within(from) & HIGH_BYTE) | (self.off_within(to) & 0xFF);
        let counts = mixed.wrapping_sub(self.on) & COUNT_MASK;
        (self.shortest..=self.longest).contains(&counts)
    }

    /// True if the half-written state between two pulses, new OFF_L under old OFF_H, is a pulse within the range.
    #[inline]
    pub fn mix_is_safe(&self, from: u16, to: u16) -> bool {
        self.mix_within_is_safe(self.limit(from), self.limit(to))
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

    #[test]
    fn when_limits_are_bad_expect_none() {
        for (shortest, longest) in [(0, 10), (10, 10), (11, 10), (10, 4096)] {
            assert_eq!(PulseRange::try_new(shortest, longest), None);
        }
    }
}
