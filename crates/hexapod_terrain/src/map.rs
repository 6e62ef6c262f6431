//! The elevation map: what is known of the ground about the robot.

use crate::align;
use crate::capsule::Capsule;
use crate::cell::Cell;
use crate::cloud::Combiner;
use crate::coverage::{Coverage, turned_from_odom};
use crate::height::Height;
use crate::layout::Layout;
use crate::sensor::Sensor;
use crate::slope::Slope;
use crate::window::{Index, Span, Window};
use nalgebra::{Isometry3, Point2, Point3, Vector2, Vector3};

/// The map moves by no more than this at a time, m, and grows less certain by no more than its square: whatever asks for
/// more is broken, and the numbers would add up to infinity.
const MOST_AT_ONCE_M: f64 = 1.0;
/// A cloud that sees fewer known cells than this says nothing about the height of the map.
const LEAST_SHARED: usize = 20;

/// A robot that stands less upright than this, as the cosine of its lean, has no ground before it.
const LEAST_UP: f64 = 0.3;

/// How far the robot has gone since the last [`ElevationMap::follow`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Travel {
    /// Length of the way of the body, m.
    pub way_m: f64,
    /// By how much it has turned, either way, rad.
    pub turn_rad: f64,
}

/// How uncertain odometry's height grows as the robot walks, and with it all that was seen before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Variance of height per metre of way, m²/m.
    pub rise_m2_per_m: f64,
    /// Variance of height per radian of turn, m²/rad: feet step as a robot turns, too.
    pub rise_m2_per_rad: f64,
}

impl Default for Drift {
    /// 5 mm of standard deviation after a metre, 2 mm after a radian.
    fn default() -> Self {
        Self { rise_m2_per_m: 25e-6, rise_m2_per_rad: 4e-6 }
    }
}

/// A robot-centred grid of heights, aligned with the axes of the odometry frame. Nothing that it is given can spoil it:
/// what is not finite, or absurd, is left out.
#[derive(Clone, Debug)]
pub struct ElevationMap {
    window: Window,
    cells: Vec<Cell>,
    /// Added to every cell: by what the map was shifted, and what its variances have grown by, since the start. So both
    /// cost the same for any number of cells.
    datum: Height,
    /// Height of the body in the odometry frame, m.
    body_z_m: f64,
    combiner: Combiner,
    /// How much higher than the map the last cloud has each cell that both know, m; the memory is reused.
    rises_m: Vec<f64>,
    coverage: Coverage,
}

impl ElevationMap {
    /// A map of which nothing is known, about the origin of the odometry frame. Nothing allocates afterwards.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        let cells = layout.cells_per_side() * layout.cells_per_side();
        Self {
            window: Window::new(layout),
            cells: vec![Cell::default(); cells],
            datum: Height { mean_m: 0.0, variance_m2: 0.0 },
            body_z_m: 0.0,
            combiner: Combiner::new(cells),
            rises_m: Vec::with_capacity(cells),
            coverage: Coverage::new(),
        }
    }

    /// The size of the grid.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.window.layout()
    }

    /// The middle of the grid in the odometry frame, m: within a cell of the body.
    #[must_use]
    pub fn centre(&self) -> Point2<f64> {
        self.window.middle()
    }

    /// Forgets everything, as after odometry has started anew.
    pub fn forget(&mut self) {
        self.cells.fill(Cell::default());
        self.coverage.forget();
    }

    /// Keeps the body, at this point of the odometry frame, in the middle: cells that leave are forgotten. Then lets all
    /// others grow as uncertain as odometry has made them by travelling.
    pub fn follow(&mut self, body_in_odom: &Point3<f64>, travel: Travel, drift: &Drift) {
        if body_in_odom.coords.iter().all(|m| m.is_finite()) {
            let cells = &mut self.cells;
            self.window.centre_on(&body_in_odom.xy(), |slot| cells[slot] = Cell::default());
            self.body_z_m = body_in_odom.z;
        }
        let growth_m2 = drift.rise_m2_per_m * travel.way_m.abs() + drift.rise_m2_per_rad * travel.turn_rad.abs();
        self.doubt(growth_m2);
    }

    /// Takes a cloud of points, in the frame of a sensor at this pose. `mask` is the robot itself, whose points are left
    /// out. Returns how many points count: few of many say that the pose, or the mask, is wrong.
    ///
    /// The highest surface in each cell is fused with what is known of it (a Kalman update). One that contradicts it, by
    /// three standard deviations, replaces it once the next cloud with points in that cell agrees.
    pub fn insert(
        &mut self,
        points: &[[f32; 3]],
        sensor_in_odom: &Isometry3<f64>,
        sensor: &Sensor,
        mask: &[Capsule],
    ) -> usize {
        let counted = self.combiner.combine(points, sensor_in_odom, sensor, mask, (&self.window, self.body_z_m));
        self.fuse(sensor);
        counted
    }

    /// The same with a pose of the body that may have strayed: odometry's height does where feet stand at different heights, its
    /// place where they slide. First the whole map moves to where the cloud has most of what both know, by at most half a cell
    /// along x and y. So ground that the sensor does not see any more, as that below the body, stays where it is beside that
    /// which it sees.
    pub fn insert_aligned(
        &mut self,
        points: &[[f32; 3]],
        sensor_in_odom: &Isometry3<f64>,
        sensor: &Sensor,
        mask: &[Capsule],
    ) -> usize {
        let counted = self.combiner.combine(points, sensor_in_odom, sensor, mask, (&self.window, self.body_z_m));
        if let Some(rise_m) = self.rise_m() {
            self.shift_height(rise_m, 0.0);
        }
        let height_m = |at: &Point2<f64>| Some(self.height(at)?.mean_m);
        if let Some(shift) = align::shift_m(self.combiner.sample(), self.layout().cell_m(), height_m) {
            self.window.shift(&shift);
            self.combiner.combine(points, sensor_in_odom, sensor, mask, (&self.window, self.body_z_m));
        }
        self.fuse(sensor);
        counted
    }

    /// Takes down where this cloud, of a sensor at this pose on the body, has no ground though its other points say that it sees
    /// there. Ground that is not seen would go on as the robot stands: along the plane z = 0 of `footprint_in_odom`, or the `slope`
    /// of its feet; only what both have in view is missing.
    pub(crate) fn miss(
        &mut self,
        points: &[[f32; 3]],
        (sensor_in_odom, body_in_odom): (&Isometry3<f64>, &Isometry3<f64>),
        footprint_in_odom: &Isometry3<f64>,
        slope: Slope,
    ) {
        let (turned_from_odom, side) = (turned_from_odom(sensor_in_odom, body_in_odom), self.layout().cells_per_side());
        let (origin, normal) = (footprint_in_odom.translation.vector, footprint_in_odom.rotation * Vector3::z());
        let Self { window, cells, coverage, .. } = self;
        coverage.learn(points, sensor_in_odom, &turned_from_odom);
        if normal.z < LEAST_UP {
            return;
        }
        let (rises, cell_m) = ([-normal.xy() / normal.z, slope.0], window.layout().cell_m());
        for index in (Span { columns: 0..side, rows: 0..side }).indices() {
            let (cell, centre) = (&mut cells[window.slot(index)], window.centre_of(index));
            let is_in_view = |rise: &Vector2<f64>| {
                let off = centre - Point2::from(origin.xy());
                let place = turned_from_odom * Point3::new(centre.x, centre.y, origin.z + rise.dot(&off));
                coverage.shows(&place.coords, cell_m)
            };
            if !cell.is_known() && rises.iter().all(is_in_view) {
                cell.miss();
            }
        }
    }

    /// Whether the sensor looks the way in which a place of the odometry frame lies, be it far off.
    pub(crate) fn looks_towards(&self, place: &Point3<f64>) -> bool {
        self.coverage.looks_towards(place)
    }

    /// Whether there is no ground in a cell where clouds should have shown some.
    pub(crate) fn is_missing(&self, index: Index) -> bool {
        self.cell(index).is_missing()
    }

    /// By how much the last cloud is higher than the map: the median, which edges that are seen elsewhere do not move.
    fn rise_m(&mut self) -> Option<f64> {
        let Self { cells, combiner, datum, rises_m, .. } = self;
        let rise_m = |(cell, seen): (&Cell, Option<Height>)| Some(seen?.mean_m - cell.surface(*datum)?.mean_m);
        rises_m.clear();
        rises_m.extend(cells.iter().zip(combiner.heights()).filter_map(rise_m));
        let middle = rises_m.len() / 2;
        (rises_m.len() >= LEAST_SHARED).then(|| *rises_m.select_nth_unstable_by(middle, f64::total_cmp).1)
    }

    fn fuse(&mut self, sensor: &Sensor) {
        let least_m2 = sensor.noise.least_m2();
        for (cell, seen) in self.cells.iter_mut().zip(self.combiner.heights()) {
            if let Some(seen) = seen {
                cell.see(seen, self.datum, least_m2);
            }
        }
    }

    /// A foot of this radius has met the ground at this point of the odometry frame: the cell there, and those whose
    /// centres are below the foot, have this height, with this variance, whatever was seen.
    pub fn felt(&mut self, point_in_odom: &Point3<f64>, variance_m2: f64, foot_radius_m: f64) {
        let Some(height) = Height::checked(point_in_odom.z, variance_m2) else { return };
        let Some(under) = self.window.index(point_in_odom.x, point_in_odom.y) else { return };
        let at = point_in_odom.xy();
        for index in self.window.span_about(&at, foot_radius_m).indices() {
            if (self.window.centre_of(index) - at).norm() <= foot_radius_m {
                self.cells[self.window.slot(index)].set(height, self.datum);
            }
        }
        self.cells[self.window.slot(under)].set(height, self.datum);
    }

    /// Moves all cells by `rise_m`, m along z, as feet or a cloud have found the whole map off by it, give or take a variance, m².
    /// Ignored if it is more than a metre.
    pub fn shift_height(&mut self, rise_m: f64, variance_m2: f64) {
        if rise_m.abs() <= MOST_AT_ONCE_M {
            self.datum.mean_m += rise_m;
            self.doubt(variance_m2);
        }
    }

    /// The height of the ground at a point of the odometry frame, if its cell is known. Not interpolated: what lies between
    /// a stone and the ground beside it is neither.
    #[must_use]
    pub fn height(&self, at: &Point2<f64>) -> Option<Height> {
        self.cell(self.window.index(at.x, at.y)?).surface(self.datum)
    }

    /// The known cells: centre, m in the odometry frame, and height.
    pub fn cells(&self) -> impl Iterator<Item = (Point2<f64>, Height)> + '_ {
        let side = self.layout().cells_per_side();
        let all = Span { columns: 0..side, rows: 0..side }.indices();
        all.filter_map(|index| Some((self.window.centre_of(index), self.cell(index).surface(self.datum)?)))
    }

    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// The height of a cell, m in the odometry frame.
    #[inline]
    pub(crate) fn height_m(&self, index: Index) -> Option<f64> {
        self.cell(index).above_datum_m().map(|above| above + self.datum.mean_m)
    }

    #[inline]
    fn cell(&self, index: Index) -> &Cell {
        &self.cells[self.window.slot(index)]
    }

    fn doubt(&mut self, growth_m2: f64) {
        if growth_m2 > 0.0 {
            self.datum.variance_m2 += growth_m2.min(MOST_AT_ONCE_M * MOST_AT_ONCE_M);
        }
    }
}

impl Default for ElevationMap {
    fn default() -> Self {
        Self::new(Layout::default())
    }
}
