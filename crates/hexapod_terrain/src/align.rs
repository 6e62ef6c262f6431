//! Where on the map a cloud fits best, as far as edges and slopes tell: odometry strays along x and y where feet slide.

use nalgebra::{Point2, Point3, Vector2};

/// Points of a cloud that are compared; of more, as many of all of it.
pub(crate) const COMPARED: usize = 1000;
/// Fewer say nothing.
const LEAST: f64 = 200.0;
/// Shifts are tried this far apart, as a fraction of a cell, so many to each side.
const STEP: f64 = 0.25;
const STEPS: usize = 2;
const SIDE: usize = 2 * STEPS + 1;
/// A point that is off by more, in cells, is of something else and counts as off by so much.
const MOST: f64 = 2.0;
/// A cloud half of whose points are off by more, in cells, does not tell: what a lidar measures too far lies behind and below, ring
/// by ring, and the map would go along with that pattern as the robot walks, and an edge with the map.
const NOISE: f64 = 0.2;
/// By so much of what all points are off each step has to make it less: on flat ground none does.
const WORTH: f64 = 0.01;

/// A value for each shift that is tried.
type Grid<T> = [[T; SIDE]; SIDE];

/// By how much the points have gone along x and y against ground of these heights, m; none where that does not show.
pub(crate) fn shift_m(
    points: &[Point3<f64>],
    cell_m: f64,
    height_m: impl Fn(&Point2<f64>) -> Option<f64>,
) -> Option<Vector2<f64>> {
    if median_m(points, &height_m)? > NOISE * cell_m {
        return None;
    }
    let along = |n: usize| (n as f64 - STEPS as f64) * STEP * cell_m;
    let shifts: Grid<Vector2<f64>> =
        std::array::from_fn(|row| std::array::from_fn(|column| Vector2::new(along(column), along(row))));
    let (mut sums, mut count): (Grid<f64>, _) = ([[0.0; SIDE]; SIDE], 0.0);
    for off in points.iter().filter_map(|point| off_m(point, &shifts, MOST * cell_m, &height_m)) {
        sums.iter_mut().flatten().zip(off.iter().flatten()).for_each(|(sum, off)| *sum += off);
        count += 1.0;
    }
    let per_step = WORTH * sums[STEPS][STEPS] / (STEP * cell_m);
    let costs = shifts.iter().zip(&sums).flat_map(|(shifts, sums)| shifts.iter().zip(sums));
    let (best, _) = costs
        .map(|(shift, sum)| (*shift, sum + per_step * shift.norm()))
        .min_by(|one, other| one.1.total_cmp(&other.1))?;
    (count >= LEAST && best != Vector2::zeros()).then_some(best)
}

/// How far half of the points are off the ground as they are, m; none where no ground is known.
fn median_m(points: &[Point3<f64>], height_m: impl Fn(&Point2<f64>) -> Option<f64>) -> Option<f64> {
    let (mut all_m, mut count) = ([0.0; COMPARED], 0);
    let off = points.iter().filter_map(|point| Some((point.z - height_m(&point.xy())?).abs()));
    all_m.iter_mut().zip(off).for_each(|(place, off_m)| (*place, count) = (off_m, count + 1));
    let known = all_m.get_mut(..count).filter(|known| !known.is_empty())?;
    Some(*known.select_nth_unstable_by(count / 2, f64::total_cmp).1)
}

/// How far a point is off the ground with each shift, m; none where the ground is not known with all of them.
fn off_m(
    point: &Point3<f64>,
    shifts: &Grid<Vector2<f64>>,
    most_m: f64,
    height_m: impl Fn(&Point2<f64>) -> Option<f64>,
) -> Option<Grid<f64>> {
    let mut off = [[0.0; SIDE]; SIDE];
    for (off, shift) in off.iter_mut().flatten().zip(shifts.iter().flatten()) {
        *off = (point.z - height_m(&(point.xy() - shift))?).abs().min(most_m);
    }
    Some(off)
}
