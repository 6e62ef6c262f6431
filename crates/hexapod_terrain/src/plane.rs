//! A plane through points, by least squares of their heights.

use hexapod_kinematics::math;
use nalgebra::{Unit, Vector2, Vector3};

/// Points whose spread is nearer to a line than this, as a share of what it is along the line, have no plane.
const LEAST_SPREAD: f64 = 1e-6;

/// Sums over points, relative to the middle of the disc they are in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    count: f64,
    xy: Vector2<f64>,
    z: f64,
    xx: f64,
    x_y: f64,
    yy: f64,
    xz: f64,
    yz: f64,
    zz: f64,
}

/// z as a function of x and y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    /// Rise along x and y, m/m.
    pub gradient: Vector2<f64>,
    /// Root mean square of the points' distances from it along z, m.
    pub residual_m: f64,
}

impl Sums {
    #[inline]
    pub(crate) fn add(&mut self, at: &Vector2<f64>, z: f64) {
        self.count += 1.0;
        self.xy += at;
        self.z += z;
        self.xx += at.x * at.x;
        self.x_y += at.x * at.y;
        self.yy += at.y * at.y;
        self.xz += at.x * z;
        self.yz += at.y * z;
        self.zz += z * z;
    }

    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// The plane, if there are three points that are not in line.
    pub(crate) fn plane(&self) -> Option<Plane> {
        let mean = self.xy / self.count;
        let (xx, yy) = (self.xx - mean.x * self.xy.x, self.yy - mean.y * self.xy.y);
        let x_y = self.x_y - mean.x * self.xy.y;
        let (xz, yz) = (self.xz - mean.x * self.z, self.yz - mean.y * self.z);
        let (determinant, spread) = (xx * yy - x_y * x_y, xx + yy);
        let gradient = Vector2::new(yy * xz - x_y * yz, xx * yz - x_y * xz) / determinant;
        let squares = self.zz - self.z * self.z / self.count - gradient.dot(&Vector2::new(xz, yz));
        let plane = Plane { gradient, residual_m: (squares.max(0.0) / self.count).sqrt() };
        let is_spread = determinant > LEAST_SPREAD * spread * spread;
        (is_spread && (plane.gradient.sum() + plane.residual_m).is_finite()).then_some(plane)
    }
}

impl Plane {
    pub(crate) fn normal(&self) -> Unit<Vector3<f64>> {
        Unit::new_normalize(Vector3::new(-self.gradient.x, -self.gradient.y, 1.0))
    }

    pub(crate) fn slope_rad(&self) -> f64 {
        math::atan2(self.gradient.norm(), 1.0)
    }
}
