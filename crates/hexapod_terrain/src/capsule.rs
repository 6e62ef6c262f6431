//! Parts of the robot itself, which its sensor sees.

use nalgebra::{Point3, Vector3};

/// All points within a radius of a line from one point to another, in the odometry frame: a link of a leg, say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    start: Point3<f64>,
    axis: Vector3<f64>,
    /// 1 / length²; 0 for a sphere.
    per_length_m2: f64,
    /// Less than any square for one that contains nothing.
    radius_m2: f64,
    radius_m: f64,
}

impl Capsule {
    /// From the ends of its axis, m in the odometry frame, and its radius, m. One that is not finite, or has a negative radius, contains nothing.
    #[must_use]
    pub fn new(start: Point3<f64>, end: Point3<f64>, radius_m: f64) -> Self {
        let axis = end - start;
        let length_m2 = axis.norm_squared();
        let per_length_m2 = if length_m2 > 0.0 { 1.0 / length_m2 } else { 0.0 };
        let is_sound = (start.coords.sum() + axis.sum() + length_m2 + radius_m).is_finite() && radius_m >= 0.0;
        let radius_m2 = if is_sound { radius_m * radius_m } else { -1.0 };
        Self { start, axis, per_length_m2, radius_m2, radius_m }
    }

    /// Whether a point of the odometry frame is within.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        let from_start = point - self.start;
        let share = (from_start.dot(&self.axis) * self.per_length_m2).clamp(0.0, 1.0);
        (from_start - share * self.axis).norm_squared() <= self.radius_m2
    }

    /// The corners of the box about it, m in the odometry frame.
    pub(crate) fn bounds(&self) -> (Point3<f64>, Point3<f64>) {
        let (end, by) = (self.start + self.axis, Vector3::repeat(self.radius_m));
        (self.start.inf(&end) - by, self.start.sup(&end) + by)
    }
}
