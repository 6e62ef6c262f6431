//! The choice of a foothold.

use crate::edges::Edges;
use crate::foothold::{Choice, Foothold, Limits, Wanted};
use crate::map::ElevationMap;
use crate::surface::{fit, known};
use hexapod_kinematics::math;
use nalgebra::{Point2, Point3, Vector2};

/// While a former choice holds, others must keep within this share of the limits: ground that is just good enough would be
/// so in one cloud and not in the next.
const RESERVE: f64 = 0.8;
/// And must cost less than it by this.
const CLEARLY: f64 = 0.25;

/// What each of these costs at its limit, beside a distance from the nominal point by the radius of the disc, which costs 1.
const SLOPE: f64 = 0.2;
const ROUGHNESS: f64 = 0.2;
const EDGE: f64 = 0.3;
const UNCERTAINTY: f64 = 0.2;

/// Candidates are the centres of cells. If none of them will do, and there are edges, so are points half a cell from them: the
/// middle of a stone that is four cells wide is one.
const CENTRES: [Vector2<f64>; 1] = [Vector2::new(0.0, 0.0)];
const BETWEEN: [Vector2<f64>; 3] = [Vector2::new(0.5, 0.0), Vector2::new(0.0, 0.5), Vector2::new(0.5, 0.5)];

/// Chooses a foothold. The nominal point itself, to the bit, if the ground there will do; else the former choice, unless
/// another place is clearly better; else the place in the disc that costs least. `admissible` says whether the leg can
/// reach a point of the odometry frame; it is asked last, and only of good ground.
#[must_use]
pub fn choose(map: &ElevationMap, wanted: &Wanted, admissible: impl Fn(&Point3<f64>) -> bool) -> Choice {
    if !(wanted.nominal.x + wanted.nominal.y).is_finite() {
        return Choice::Unknown;
    }
    let judge = |share: f64| Judge::new(map, wanted, &admissible, share);
    let held = wanted.previous.and_then(|previous| judge(1.0).alone(&previous).good());
    let judge = judge(if held.is_some() { RESERVE } else { 1.0 });
    let nominal = judge.alone(&wanted.nominal);
    if let Verdict::Good(foothold) = nominal {
        return Choice::Foothold(foothold);
    }
    let is_known = || known(map, &wanted.nominal, wanted.search_radius_m) >= wanted.limits.least_seen;
    if held.is_none() && matches!(nominal, Verdict::Unknown) && !is_known() {
        return Choice::Unknown;
    }
    let most = held.map_or(f64::INFINITY, |held| held.cost - CLEARLY);
    judge.best(most).or(held).map_or(Choice::NoneFits, Choice::Foothold)
}

/// What is said of a place.
enum Verdict {
    Good(Foothold),
    Unknown,
    Bad,
}

impl Verdict {
    fn good(self) -> Option<Foothold> {
        if let Self::Good(foothold) = self { Some(foothold) } else { None }
    }
}

/// Says where a foot may stand, and at what cost.
struct Judge<'a, F> {
    map: &'a ElevationMap,
    wanted: &'a Wanted,
    admissible: &'a F,
    limits: Limits,
    /// The tangent of the steepest slope.
    steepest: f64,
    cell_m: f64,
    /// Edges cost from here on, and exclude from here on, m.
    edge_reach_m: f64,
    least_edge_m: f64,
}

impl<'a, F: Fn(&Point3<f64>) -> bool> Judge<'a, F> {
    /// With a share of the limits wanted.
    fn new(map: &'a ElevationMap, wanted: &'a Wanted, admissible: &'a F, share: f64) -> Self {
        let limits = Limits {
            max_slope_rad: share * wanted.limits.max_slope_rad,
            max_step_m: share * wanted.limits.max_step_m,
            max_roughness_m: share * wanted.limits.max_roughness_m,
            ..wanted.limits
        };
        let is_limited = limits.max_slope_rad < std::f64::consts::FRAC_PI_2;
        let steepest = if is_limited { math::tan(limits.max_slope_rad.max(0.0)) } else { f64::INFINITY };
        let cell_m = map.layout().cell_m();
        let least_edge_m = wanted.foot_radius_m.max(0.0) + limits.edge_margin_m.max(0.0);
        Self { map, wanted, admissible, limits, steepest, cell_m, edge_reach_m: least_edge_m + cell_m, least_edge_m }
    }

    /// The edges that matter to feet in a disc.
    fn edges(&self, at: &Point2<f64>, radius_m: f64) -> Edges<'a> {
        Edges::about(self.map, at, radius_m + self.edge_reach_m, self.limits.max_step_m)
    }

    /// Whether a foot may stand at this one place.
    fn alone(&self, at: &Point2<f64>) -> Verdict {
        self.judge(at, &self.edges(at, 0.0), f64::INFINITY)
    }

    /// The place in the disc that costs least, and less than `most`.
    fn best(&self, most: f64) -> Option<Foothold> {
        let edges = self.edges(&self.wanted.nominal, self.wanted.search_radius_m);
        let between = || if edges.is_empty() { None } else { self.best_of(&BETWEEN, &edges, most) };
        self.best_of(&CENTRES, &edges, most).or_else(between)
    }

    fn best_of(&self, offsets: &[Vector2<f64>], edges: &Edges<'_>, most: f64) -> Option<Foothold> {
        let (mut best, mut least) = (None, most);
        let window = self.map.window();
        for index in window.span_about(&self.wanted.nominal, self.wanted.search_radius_m).indices() {
            for offset in offsets {
                let at = window.centre_of(index) + offset * self.cell_m;
                if let Verdict::Good(foothold) = self.judge(&at, edges, least) {
                    (best, least) = (Some(foothold), foothold.cost);
                }
            }
        }
        best
    }

    /// Whether a foot may stand at a place, at a cost of less than `most`.
    fn judge(&self, at: &Point2<f64>, edges: &Edges<'_>, most: f64) -> Verdict {
        let distance = self.distance(at);
        if !(distance <= 1.0 && distance < most) {
            return Verdict::Bad;
        }
        let Some(height) = self.map.height(at) else { return Verdict::Unknown };
        let Some(edge) = self.nearness(at, edges) else { return Verdict::Bad };
        let (plane, known) = fit(self.map, at, self.wanted.foot_radius_m.max(0.0) + self.cell_m);
        let Some(plane) = plane.filter(|_| known >= self.limits.least_known) else { return Verdict::Unknown };
        let slope = plane.gradient.norm();
        if !(slope <= self.steepest && plane.residual_m <= self.limits.max_roughness_m) {
            return Verdict::Bad;
        }
        let of = |value: f64, limit: f64| if limit > 0.0 { value / limit } else { 0.0 };
        let cost = distance
            + SLOPE * of(slope, self.steepest)
            + ROUGHNESS * of(plane.residual_m, self.limits.max_roughness_m)
            + EDGE * edge
            + UNCERTAINTY * of(height.variance_m2.sqrt(), self.limits.max_step_m);
        let place = Point3::new(at.x, at.y, height.mean_m);
        if !(cost < most && (self.admissible)(&place)) {
            return Verdict::Bad;
        }
        Verdict::Good(Foothold { at: place, normal: plane.normal(), variance_m2: height.variance_m2, cost })
    }

    /// From the nominal point, as a share of the disc's radius.
    fn distance(&self, at: &Point2<f64>) -> f64 {
        // Even where there is no disc the nominal point is in it.
        let is_nominal = *at == self.wanted.nominal;
        if is_nominal { 0.0 } else { (at - self.wanted.nominal).norm() / self.wanted.search_radius_m }
    }

    /// How near an edge is: from 0, a cell beyond the margin, to 1, at the margin. None if it is nearer.
    fn nearness(&self, at: &Point2<f64>, edges: &Edges<'_>) -> Option<f64> {
        let Some(nearest_m) = edges.nearest_m(at, self.least_edge_m, self.edge_reach_m) else { return Some(0.0) };
        (nearest_m >= self.least_edge_m).then(|| 1.0 - (nearest_m - self.least_edge_m) / self.cell_m)
    }
}
