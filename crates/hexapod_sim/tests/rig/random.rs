//! Numbers from a seed.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [from, to).
    pub fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.within(0.0, 1.0) < probability
    }

    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[(self.bits() % of.len() as u64) as usize].clone()
    }
}
