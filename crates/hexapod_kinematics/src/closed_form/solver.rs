//! How the inverse of one leg is found.

use super::parallel::Parallel;
use super::quartic::Quartic;
use crate::chain::Chain;

/// Sine of the angle between two axes up to which they were meant to be parallel: 1.57 for a quarter of a turn is 8e-4.
const NEARLY: f64 = 2e-3;

/// How the inverse of one leg is found; chosen once from its geometry.
// Kept in place: a leg is built once and solved a hundred times a second.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Solver {
    /// Three joints, the outer two parallel: closed form.
    Parallel(Parallel),
    /// Three joints, the outer two parallel but for what a file rounds: the closed form of the leg as it was meant, its
    /// solutions then polished on the leg as it is; the roots of a quartic where that leads nowhere, as on the edge of what
    /// one of the two reaches and the other does not.
    Nearly(Parallel, Quartic),
    /// Any other three joints: closed form up to the roots of a quartic.
    Quartic(Quartic),
    /// More than three joints: iteration.
    Iteration,
}

impl Solver {
    pub(crate) fn new(chain: &Chain) -> Self {
        if let Some(parallel) = Parallel::new(chain) {
            return Self::Parallel(parallel);
        }
        let nearly = chain.straightened(NEARLY).and_then(|straight| Parallel::new(&straight));
        match (nearly, Quartic::new(chain)) {
            (Some(parallel), Some(quartic)) => Self::Nearly(parallel, quartic),
            (None, Some(quartic)) => Self::Quartic(quartic),
            (_, None) => Self::Iteration,
        }
    }
}
