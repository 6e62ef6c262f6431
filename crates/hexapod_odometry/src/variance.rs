//! How far the estimate is to be trusted: diagonals of nav_msgs' covariances, in the order x, y, z, roll, pitch, yaw.
//!
//! Planned contacts know nothing of feet that slip or of links that bend. The way walked and the angle turned therefore
//! add up as a random walk: about 2 cm after a metre, 5 degrees after a full turn.

use crate::estimate::Estimate;

/// Variance at the start: 1 mm and a tenth of a degree.
const PLACE_M2: f64 = 1e-6;
const ANGLE_RAD2: f64 = 3e-6;
/// Variance of position per metre walked, m^2/m.
const PLACE_PER_METRE: f64 = 4e-4;
/// Variance of yaw per metre walked, rad^2/m, and per radian turned, rad^2/rad.
const YAW_PER_METRE: f64 = 1e-3;
const YAW_PER_RADIAN: f64 = 1.2e-3;
/// Height, roll and pitch do not drift: the ground is flat, or they are wrong by what it is not (5 mm, 1 degree).
const HEIGHT_M2: f64 = 2.5e-5;
const TILT_RAD2: f64 = 3e-4;

/// Variances of the velocity: 1 cm/s and 0.02 rad/s.
const TWIST_VARIANCE: [f64; 6] = [1e-4, 1e-4, 1e-4, 4e-4, 4e-4, 4e-4];

/// So many certain feet are as good as more.
const ENOUGH_FEET: f64 = 3.0;
/// Greatest factor on a variance, with no foot on the ground.
const MOST_DOUBT: f64 = 100.0;

/// Factor on the variances of what moves while the feet on the ground have this sum of certainties.
pub(crate) fn doubt(support: f64) -> f64 {
    (ENOUGH_FEET / support).clamp(1.0, MOST_DOUBT)
}

impl Estimate {
    /// Variances of the pose: x, y, z (m^2), roll, pitch, yaw (rad^2). They grow with the way walked, the more the less
    /// certain the feet were.
    #[must_use]
    pub fn pose_variance(&self) -> [f64; 6] {
        let place = PLACE_M2 + PLACE_PER_METRE * self.doubtful_way;
        let yaw = ANGLE_RAD2 + YAW_PER_METRE * self.doubtful_way + YAW_PER_RADIAN * self.doubtful_turn;
        [place, place, HEIGHT_M2, TILT_RAD2, TILT_RAD2, yaw]
    }

    /// Variances of the velocity, in the same order: greater while fewer than three certain feet are on the ground.
    #[must_use]
    pub fn twist_variance(&self) -> [f64; 6] {
        TWIST_VARIANCE.map(|variance| variance * doubt(self.support))
    }
}
