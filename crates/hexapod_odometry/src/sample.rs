//! Why a sample is refused.

/// Why a sample was rejected; the state is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// Not one foot (or contact) per leg.
    #[error("{found} {what} for {legs} legs")]
    Count {
        /// `feet` or `contacts`.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        legs: usize,
    },
    /// A foot is not at a finite place within reach of any robot.
    #[error("foot {leg} is at {foot:?}")]
    Foot {
        /// Index of the leg.
        leg: usize,
        /// Where it is said to be, m.
        foot: [f64; 3],
    },
}
