//! A small seeded generator, so that runs repeat byte for byte.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && (self.next() >> 11) as f64 * 2f64.powi(-53) < probability
    }

    /// A number of the standard normal distribution (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let mut unit = || ((self.next() >> 11) as f64 + 1.0) * 2f64.powi(-53);
        let (radius, turn) = ((-2.0 * unit().ln()).sqrt(), std::f64::consts::TAU * unit());
        radius * turn.cos()
    }

    /// Uniform in `0..bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}
