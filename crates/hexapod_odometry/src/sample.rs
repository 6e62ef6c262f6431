//! Why a sample is refused.

use nalgebra::Vector3;

/// No foot is farther from its body than this, m.
pub(crate) const LARGEST_M: f64 = 100.0;

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

/// Whether these feet and contacts can be those of a robot of so many legs.
pub(crate) fn check(legs: usize, feet: &[Vector3<f64>], contacts: Option<&[bool]>) -> Result<(), SampleError> {
    if feet.len() != legs {
        return Err(SampleError::Count { what: "feet", found: feet.len(), legs });
    }
    if let Some(found) = contacts.map(<[bool]>::len).filter(|&found| found != legs) {
        return Err(SampleError::Count { what: "contacts", found, legs });
    }
    let within = |foot: &Vector3<f64>| foot.iter().all(|x| x.abs() <= LARGEST_M);
    match feet.iter().position(|foot| !within(foot)) {
        Some(leg) => Err(SampleError::Foot { leg, foot: feet[leg].into() }),
        None => Ok(()),
    }
}
