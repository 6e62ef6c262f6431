//! The deterministic numbers of the gait engine's tests.

#[path = "../../hexapod_gait/tests/common/numbers.rs"]
mod numbers;

pub use numbers::Random;

impl Random {
    /// Three numbers from minus to plus `size`.
    pub fn three(&mut self, size: f64) -> [f64; 3] {
        [(); 3].map(|()| self.range(-size, size))
    }
}
