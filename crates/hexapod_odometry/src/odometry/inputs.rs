//! What odometry takes besides the feet.

use super::Odometry;
use crate::mishaps::Mishaps;
use crate::sample::LARGEST_M;
use crate::unseen::Inertial;
use nalgebra::Vector3;

/// No foot counts for less than this part of a certain one.
const LEAST_CERTAINTY: f64 = 0.01;

impl Odometry {
    /// Says how certain it is, 0 to 1, of each foot said to be on the ground that it is: from now on the feet count by it.
    /// NaN, or a missing value, counts as certain.
    pub fn set_foot_confidence(&mut self, certainty: impl IntoIterator<Item = f64>) {
        let given = certainty.into_iter().chain(std::iter::repeat(1.0));
        for (known, given) in self.certainty.iter_mut().zip(given) {
            *known = if given.is_nan() { 1.0 } else { given.clamp(LEAST_CERTAINTY, 1.0) };
        }
    }

    /// Says how far the body may be from where its feet would have it, m, as its servos carry nothing; zero once they do,
    /// and until this is said. NaN counts as zero.
    pub fn set_body_uncertainty(&mut self, most: f64) {
        self.bearing.set_uncertainty(most.clamp(0.0, LARGEST_M));
    }

    /// Takes what an inertial sensor measures, `since_s` seconds after the sample before: the pose leans as that has it, turns
    /// as it does once its bias is known, and goes up and down slopes; how the body moves otherwise than its feet have it widens
    /// the variances. What is no number, or after a gap, is left out.
    pub fn sense(&mut self, felt: &Inertial, since_s: f64) {
        if let Some(last) = &self.last
            && let Some(turned) = self.slip.sense(felt, since_s, last)
        {
            self.guide.sense(felt, &last.by_feet.rotation, &turned);
        }
    }

    /// To say what has happened to the robot.
    pub fn mishaps(&mut self) -> &mut Mishaps {
        &mut self.mishaps
    }

    /// Away from the ground in the body frame, square to the plane on which the feet stand.
    #[must_use]
    pub fn up_in_body(&self) -> Vector3<f64> {
        self.last.map_or_else(Vector3::z, |last| last.by_feet.inverse_transform_vector(&Vector3::z()))
    }

    /// Says how high the point of each foot is above the ground that the foot stands on, m: the radius of the ball whose
    /// centre it is. Zero until this is said, and for NaN or a missing value.
    pub fn set_foot_heights(&mut self, above_ground: impl IntoIterator<Item = f64>) {
        let given = above_ground.into_iter().chain(std::iter::repeat(0.0));
        for ((known, given), anchor) in self.above_ground.iter_mut().zip(given).zip(&mut self.anchors) {
            let given = if given.is_nan() { 0.0 } else { given.clamp(-LARGEST_M, LARGEST_M) };
            // A ball about another point than the foot's lifts the foot as it rolls.
            anchor.iter_mut().for_each(|anchor| anchor.z += given - *known);
            *known = given;
        }
    }
}
