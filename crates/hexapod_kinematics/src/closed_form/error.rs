//! Why a foot cannot be put at a point.

/// Why there are no angles for a target. Copies without allocation, so that a control loop may carry it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IkError {
    /// The target holds NaN or an infinity.
    #[error("the target is not a finite point")]
    NotFinite,
    /// No angles at all reach the target.
    #[error("the target is out of reach, by at least {shortfall_m:.6} m")]
    Unreachable {
        /// Least distance by which the leg misses, m.
        shortfall_m: f64,
    },
    /// The target can be reached, but not inside the limits.
    #[error("joint {joint} of the leg would need {angle:.6} rad, outside {lower:.6}..{upper:.6} rad")]
    OutsideLimits {
        /// Joint, 0 at the hip: the worst one of the solution that is least outside.
        joint: usize,
        /// The angle it would need, rad.
        angle: f64,
        /// Its least angle, rad.
        lower: f64,
        /// Its greatest angle, rad.
        upper: f64,
    },
    /// The iteration ended without an answer.
    #[error("no convergence after {iterations} steps; {residual_m:.9} m from the target")]
    NotConverged {
        /// Distance to the target that is left, m.
        residual_m: f64,
        /// Steps done.
        iterations: usize,
    },
}
