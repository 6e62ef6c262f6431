//! How the inverse of one leg is found.

use super::parallel::Parallel;
use super::quartic::Quartic;
use crate::leg::Chain;

/// How the inverse of one leg is found; chosen once from its geometry.
// Kept in place: a leg is built once and solved a hundred times a second.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Solver {
    /// Three joints, the outer two parallel: closed form.
    Parallel(Parallel),
    /// Any other three joints: closed form up to the roots of a quartic.
    Quartic(Quartic),
    /// More than three joints: iteration.
    Iteration,
}

impl Solver {
    /// What the closed form costs, in steps of the iteration.
    pub(super) fn steps(&self) -> u32 {
        match self {
            Self::Parallel(_) | Self::Iteration => 1,
            Self::Quartic(_) => 8,
        }
    }

    pub(crate) fn new(chain: &Chain) -> Self {
        let quartic = || Quartic::new(chain).map_or(Self::Iteration, Self::Quartic);
        Parallel::new(chain).map_or_else(quartic, Self::Parallel)
    }
}
