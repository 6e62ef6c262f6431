//! Deterministic numbers: splitmix64.

/// The numbers that follow a seed.
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn range(&mut self, lower: f64, upper: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        lower + (upper - lower) * unit
    }

    /// Below `count`.
    pub fn index(&mut self, count: usize) -> usize {
        self.range(0.0, count as f64) as usize
    }

    /// Three numbers from minus to plus `size`.
    pub fn three(&mut self, size: f64) -> [f64; 3] {
        [(); 3].map(|()| self.range(-size, size))
    }
}
