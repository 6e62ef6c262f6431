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

    /// So many of `of`, in any order.
    pub fn pick_some<T: Clone>(&mut self, of: &[T], count: usize) -> Vec<T> {
        let mut left = of.to_vec();
        let count = count.min(left.len());
        (0..count).map(|_| left.swap_remove((self.bits() % left.len() as u64) as usize)).collect()
    }

    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[(self.bits() % of.len() as u64) as usize].clone()
    }
}

/// So many of the cases of a test that takes long, others with each DRAW_SEED, which `cargo xtask test` draws and prints; all
/// of them where none is given.
pub fn drawn<T: Clone>(cases: &[T], count: usize) -> Vec<T> {
    let seed = std::env::var("DRAW_SEED").ok().and_then(|text| text.parse().ok());
    seed.map_or_else(|| cases.to_vec(), |seed| Random(seed).pick_some(cases, count))
}
