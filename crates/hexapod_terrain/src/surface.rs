//! How the ground is about a point: steep, rough, stepped (the measures of Wermelinger 2016).

use crate::foothold::Limits;
use crate::map::ElevationMap;
use crate::plane::{Plane, Sums};
use crate::window::{Index, Span};
use nalgebra::{Point2, Unit, Vector2, Vector3};

/// The ground within a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Of the plane through the known cells, in the odometry frame; upwards.
    pub normal: Unit<Vector3<f64>>,
    /// Angle from the normal to the vertical, rad.
    pub slope_rad: f64,
    /// Greatest difference in height of two cells that share a side, m.
    pub step_m: f64,
    /// Root mean square of the cells' vertical distances from the plane, m.
    pub roughness_m: f64,
    /// Share of the disc's cells that are known, 0 to 1.
    pub known: f64,
}

impl Surface {
    /// How well it can be stepped on: from 1 on flat ground down to 0, where one of the measures is at its limit or beyond.
    #[must_use]
    pub fn traversability(&self, limits: &Limits) -> f64 {
        let (slope, step) = (self.slope_rad / limits.max_slope_rad, self.step_m / limits.max_step_m);
        let worst = slope.max(step).max(self.roughness_m / limits.max_roughness_m);
        (1.0 - worst).clamp(0.0, 1.0)
    }
}

/// The ground about a point of the odometry frame: of the cells whose centres are within the radius, m. `None` if fewer than
/// three of them are known, or all of these are in line.
#[must_use]
pub fn surface(map: &ElevationMap, at: &Point2<f64>, radius_m: f64) -> Option<Surface> {
    let (plane, known) = fit(map, at, radius_m);
    let plane = plane?;
    Some(Surface {
        normal: plane.normal(),
        slope_rad: plane.slope_rad(),
        step_m: step_m(map, at, radius_m),
        roughness_m: plane.residual_m,
        known,
    })
}

/// The plane through the known cells of a disc, if they have one, and the share of cells that are known.
pub(crate) fn fit(map: &ElevationMap, at: &Point2<f64>, radius_m: f64) -> (Option<Plane>, f64) {
    let (mut sums, mut cells) = (Sums::default(), 0.0);
    // Heights near zero keep their digits when they are squared.
    let mut datum_m = None;
    within(map, at, radius_m).for_each(|(index, from_at)| {
        cells += 1.0;
        if let Some(height_m) = map.height_m(index) {
            sums.add(&from_at, height_m - *datum_m.get_or_insert(height_m));
        }
    });
    (sums.plane(), if cells > 0.0 { sums.count() / cells } else { 0.0 })
}

/// Share of the cells of a disc that are known, 0 to 1.
pub(crate) fn known(map: &ElevationMap, at: &Point2<f64>, radius_m: f64) -> f64 {
    let (mut known, mut cells) = (0.0, 0.0);
    within(map, at, radius_m).for_each(|(index, _)| {
        cells += 1.0;
        known += if map.height_m(index).is_some() { 1.0 } else { 0.0 };
    });
    if cells > 0.0 { known / cells } else { 0.0 }
}

/// The cells whose centres are in a disc, and these centres as seen from its middle, m.
fn within(map: &ElevationMap, at: &Point2<f64>, radius_m: f64) -> impl Iterator<Item = (Index, Vector2<f64>)> {
    let (window, at, radius_m2) = (map.window(), *at, radius_m * radius_m);
    let Span { columns, rows } = window.span_about(&at, radius_m);
    rows.flat_map(move |row| {
        let y_m = window.centre_along(1, row) - at.y;
        columns.clone().filter_map(move |column| {
            let from_at = Vector2::new(window.centre_along(0, column) - at.x, y_m);
            (from_at.norm_squared() <= radius_m2).then_some((Index { column, row }, from_at))
        })
    })
}

/// The greatest difference in height of two cells of a disc that share a side, m.
fn step_m(map: &ElevationMap, at: &Point2<f64>, radius_m: f64) -> f64 {
    let window = map.window();
    let is_near = |index: &Index| (window.centre_of(*index) - at).norm_squared() <= radius_m * radius_m;
    let mut step_m = 0.0_f64;
    for (index, _) in within(map, at, radius_m) {
        let (beside, above) = window.neighbours(index);
        for other in [beside, above].into_iter().flatten().filter(is_near) {
            if let (Some(here_m), Some(there_m)) = (map.height_m(index), map.height_m(other)) {
                step_m = step_m.max((here_m - there_m).abs());
            }
        }
    }
    step_m
}
