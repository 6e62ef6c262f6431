//! The pulses one channel may be given, and where in the PWM period they start.

use super::registers::COUNTS_PER_PERIOD;

const COUNT_MASK: u16 = COUNTS_PER_PERIOD - 1;
const HIGH_BYTE: u16 = 0x0F00;

/// Shortest and longest pulse of a channel in counts, and the fixed ON count.
///
/// ON is 0 if all pulses then share OFF_H, else the least value that lets the shortest pulse start a page of 256
/// counts; see the [module](super) for why.
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
        let on = if one_page { 0 } else { shortest.wrapping_neg() & 0xFF };
        valid.then_some(Self { on, shortest, longest })
    }

    /// The fixed ON count, 0..=255.
    pub fn on(&self) -> u16 {
        self.on
    }

    /// Shortest pulse in counts.
    pub fn shortest(&self) -> u16 {
        self.shortest
    }

    /// Longest pulse in counts.
    pub fn longest(&self) -> u16 {
        self.longest
    }

    /// A pulse brought within the range, in counts.
    pub fn limit(&self, counts: u16) -> u16 {
        counts.clamp(self.shortest, self.longest)
    }

    /// OFF register value of a pulse: ON plus counts, modulo the period. Never equal to ON.
    pub fn off(&self, counts: u16) -> u16 {
        (self.on + self.limit(counts)) & COUNT_MASK
    }

    /// True if the half-written state between two pulses, new OFF_L under old OFF_H, is a pulse within the range.
    pub fn mix_is_safe(&self, from: u16, to: u16) -> bool {
        let mixed = (self.off(from) & HIGH_BYTE) | (self.off(to) & 0xFF);
        let counts = mixed.wrapping_sub(self.on) & COUNT_MASK;
        (self.shortest..=self.longest).contains(&counts)
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

    #[test]
    fn when_pulse_grows_expect_mix_safe() {
        for (shortest, longest) in [(102, 512), (61, 552), (999, 3700), (3, 4095)] {
            let range = PulseRange::try_new(shortest, longest).expect("valid");
            for from in (shortest..longest).step_by(3) {
                for to in (from..=longest).step_by(5) {
                    assert!(range.mix_is_safe(from, to), "{shortest}..={longest}: {from} -> {to}");
                }
            }
        }
    }

    #[test]
    fn when_pulse_leaves_last_page_downward_expect_mix_found_unsafe() {
        let range = PulseRange::try_new(102, 512).expect("valid");
        assert_eq!(range.on(), 154);
        assert_eq!(range.off(358), 0x200);
        assert!(!range.mix_is_safe(358, 357));
        assert!(range.mix_is_safe(358, 256));
    }

    #[test]
    fn when_limits_are_bad_expect_none() {
        for (shortest, longest) in [(0, 10), (10, 10), (11, 10), (10, 4096)] {
            assert_eq!(PulseRange::try_new(shortest, longest), None);
        }
    }
}
