//! One cloud of points, as one height per cell.

use crate::align::COMPARED;
use crate::capsule::Capsule;
use crate::height::{FARTHEST_M, Height};
use crate::sensor::Sensor;
use crate::window::Window;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

/// Points of a cell that are lower than its highest by more standard deviations than this are of another surface. Those of
/// one surface scatter by two about their mean, and the highest is two above it.
const ONE_SURFACE: f64 = 4.0;

/// A point of a cloud that counts.
struct Seen {
    slot: usize,
    at: Point3<f64>,
    deviation_m: f64,
}

/// Which points count.
struct Filter<'a> {
    window: &'a Window,
    sensor: &'a Sensor,
    odom_from_sensor: (Matrix3<f64>, Vector3<f64>),
    nearest_m2: f64,
    farthest_m2: f64,
    highest_m: f64,
    mask: &'a [Capsule],
    /// For each cell the capsules above or below it, one bit each; those past the last bit share it.
    shadows: &'a [u64],
}

impl Filter<'_> {
    #[inline]
    fn seen(&self, point: &[f32; 3]) -> Option<Seen> {
        let in_sensor = Vector3::from(point.map(f64::from));
        let range_m2 = in_sensor.norm_squared();
        if !(range_m2.is_finite() && range_m2 >= self.nearest_m2 && range_m2 <= self.farthest_m2) {
            return None;
        }
        let (rotation, translation) = &self.odom_from_sensor;
        let in_odom = Point3::from(rotation * in_sensor + translation);
        let slot = self.window.slot(self.window.index(in_odom.x, in_odom.y)?);
        if !(in_odom.z <= self.highest_m && in_odom.z.abs() <= FARTHEST_M) || self.is_masked(slot, &in_odom) {
            return None;
        }
        Some(Seen { slot, at: in_odom, deviation_m: self.sensor.noise.deviation_m(range_m2.sqrt()) })
    }

    /// Whether a point is of the robot itself.
    #[inline]
    fn is_masked(&self, slot: usize, in_odom: &Point3<f64>) -> bool {
        let mut shadow = self.shadows[slot];
        while shadow != 0 {
            let bit = shadow.trailing_zeros() as usize;
            let sharing = if bit == LAST_BIT { self.mask.len() } else { bit + 1 };
            if self.mask[bit..sharing].iter().any(|capsule| capsule.contains(in_odom)) {
                return true;
            }
            shadow &= shadow - 1;
        }
        false
    }
}

const LAST_BIT: usize = u64::BITS as usize - 1;

/// What a cloud has in one cell.
#[derive(Clone, Copy, Debug)]
struct Pile {
    /// Points below this are of a lower surface, m.
    least_m: f64,
    sum_m: f64,
    variances_m2: f64,
    count: f64,
}

const EMPTY: Pile = Pile { least_m: f64::NEG_INFINITY, sum_m: 0.0, variances_m2: 0.0, count: 0.0 };

impl Pile {
    /// The mean of the points of the highest surface.
    fn height(&self) -> Option<Height> {
        let per_point = 1.0 / self.count;
        (self.count > 0.0).then_some(Height {
            mean_m: self.sum_m * per_point,
            variance_m2: self.variances_m2 * per_point * per_point,
        })
    }
}

/// Combines clouds; its memory is reused.
#[derive(Clone, Debug)]
pub(crate) struct Combiner {
    piles: Vec<Pile>,
    shadows: Vec<u64>,
    sample: Vec<Point3<f64>>,
}

impl Combiner {
    pub(crate) fn new(cells: usize) -> Self {
        Self { piles: vec![EMPTY; cells], shadows: vec![0; cells], sample: Vec::with_capacity(COMPARED) }
    }

    /// Combines the points of each cell. They are gone through twice, first for the highest: what is seen of the face of a
    /// step comes in any order, and must not lower its edge. Returns how many points count.
    pub(crate) fn combine(
        &mut self,
        points: &[[f32; 3]],
        sensor_in_odom: &Isometry3<f64>,
        sensor: &Sensor,
        mask: &[Capsule],
        (window, body_z_m): (&Window, f64),
    ) -> usize {
        self.piles.fill(EMPTY);
        self.cast_shadows(window, mask);
        let (nearest_m, farthest_m) = (sensor.nearest_m.max(0.0), sensor.farthest_m.max(0.0));
        let filter = Filter {
            window,
            sensor,
            odom_from_sensor: (
                *sensor_in_odom.rotation.to_rotation_matrix().matrix(),
                sensor_in_odom.translation.vector,
            ),
            nearest_m2: nearest_m * nearest_m,
            farthest_m2: farthest_m * farthest_m,
            highest_m: body_z_m + sensor.highest_above_body_m,
            mask,
            shadows: &self.shadows,
        };
        for seen in points.iter().filter_map(|point| filter.seen(point)) {
            let pile = &mut self.piles[seen.slot];
            pile.least_m = pile.least_m.max(seen.at.z - ONE_SURFACE * seen.deviation_m);
        }
        let (mut counted, every) = (0, points.len().div_ceil(COMPARED).max(1));
        self.sample.clear();
        for seen in points.iter().filter_map(|point| filter.seen(point)) {
            counted += 1;
            let pile = &mut self.piles[seen.slot];
            if seen.at.z >= pile.least_m {
                pile.sum_m += seen.at.z;
                pile.variances_m2 += seen.deviation_m * seen.deviation_m;
                pile.count += 1.0;
                if counted % every == 0 {
                    self.sample.push(seen.at);
                }
            }
        }
        counted
    }

    /// Points of the last cloud's highest surfaces, at most [`COMPARED`], m in the odometry frame.
    pub(crate) fn sample(&self) -> &[Point3<f64>] {
        &self.sample
    }

    /// The height that the last cloud has at each slot.
    pub(crate) fn heights(&self) -> impl Iterator<Item = Option<Height>> {
        self.piles.iter().map(Pile::height)
    }

    /// Marks the cells above or below each capsule, so that a point is compared with few of them.
    fn cast_shadows(&mut self, window: &Window, mask: &[Capsule]) {
        self.shadows.fill(0);
        for (number, capsule) in mask.iter().enumerate() {
            let (least, most) = capsule.bounds();
            for index in window.span(&least.xy(), &most.xy()).indices() {
                self.shadows[window.slot(index)] |= 1 << number.min(LAST_BIT);
            }
        }
    }
}
