//! Footholds for a robot that walks.

use crate::choose::choose;
use crate::clearance::highest_between;
use crate::foothold::{Choice, Limits, Wanted};
use crate::map::ElevationMap;
use crate::slope::Slope;
use hexapod_gait::{BarredWay, Engine, Foothold, NextStep, Twist};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Isometry3, Point3, Translation3, Vector2, Vector3};

/// How footholds are planned, by default for legs as long as the shipped robot's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planning {
    /// How far from where a foot would come down by itself one is looked for, m.
    pub search_radius_m: f64,
    /// Radius of what touches the ground, m.
    pub foot_radius_m: f64,
    /// How much higher or lower than where it was lifted a foot is put down at most, m.
    pub most_climb_m: f64,
    /// How far beyond what its leg reaches on flat ground a foot may be sent, in units of that: it is put down as near to it
    /// as it reaches.
    pub reach: f64,
    /// How far above its foothold a leg is to reach, to be lifted from there, m.
    pub lift_m: f64,
    /// How long before it is lifted a foot is given its foothold, s.
    pub ahead_s: f64,
    /// A foot that has swung so far goes on to where it goes, as a fraction of its swing.
    pub decided: f64,
    /// What ground will do.
    pub limits: Limits,
}

impl Default for Planning {
    fn default() -> Self {
        let limits = Limits { least_seen: 0.2, edge_margin_m: 0.004, ..Limits::default() };
        Self {
            search_radius_m: 0.08,
            foot_radius_m: 0.006,
            most_climb_m: 0.08,
            reach: 1.4,
            lift_m: 0.03,
            ahead_s: 0.08,
            decided: 0.6,
            limits,
        }
    }
}

/// Chooses where the feet of a walking robot are put down, step after step.
#[derive(Clone, Debug, Default)]
pub struct FootholdPlanner {
    planning: Planning,
    /// The place of each foot that is in the air, or is lifted next, in the odometry frame.
    chosen: [Option<Point3<f64>>; MAX_LEGS],
    /// How much higher the map has the ground than the feet that stand on it, m: servos give way under the weight.
    off_m: f64,
    way: BarredWay,
}

/// A foot farther than this from the ground as the map has it stands on something else, m.
const STANDS_M: f64 = 0.02;
/// So many feet carry a robot.
const CARRY: usize = 3;
/// So far off, m, feet and camera see the same way.
const HORIZON_M: f64 = 1e3;
/// A foot that goes more slowly over the ground, m/s, is put down where it swings to, not where the robot goes.
pub(crate) const LEAST_M_S: f64 = 1e-3;
/// Fraction by which the difference between the map and the feet follows what is seen at a tick.
const FOLLOW: f64 = 0.05;

impl FootholdPlanner {
    /// One that plans so.
    #[must_use]
    pub fn new(planning: Planning) -> Self {
        Self { planning, ..Self::default() }
    }

    /// Forgets what it has chosen and where it was held back.
    pub fn forget(&mut self) {
        *self = Self::new(self.planning);
    }

    /// The footholds to walk on now, as [`hexapod_gait::Input::footholds`] takes them, with the pose of the body in the odometry
    /// frame: none where nothing is known of the ground, where a foot is put down as on flat ground.
    pub fn plan(
        &mut self,
        engine: &Engine,
        map: &ElevationMap,
        odom_from_body: &Isometry3<f64>,
    ) -> [Option<Foothold>; MAX_LEGS] {
        let mut footholds = [None; MAX_LEGS];
        let odom_from_footprint = &(odom_from_body * engine.last().footprint_from_body.inverse());
        self.compare(engine, map, odom_from_footprint);
        let odom_from_footprint = &(Translation3::new(0.0, 0.0, self.off_m) * odom_from_footprint);
        let slope = Slope::under(engine, odom_from_footprint);
        let (mut is_at_brink, is_barred) = (false, self.way.bars());
        for (leg, (step, foothold)) in engine.next_steps().iter().zip(&mut footholds).enumerate() {
            let Some(chosen) = self.chosen.get_mut(leg) else { continue };
            is_at_brink |= step.is_some_and(|step| {
                let on = StepOnMap { engine, map, odom_from_footprint, slope, step: &step };
                self.planning.ends_at(&on) || self.planning.leads_into_trench(&on)
            });
            let Some(step) = step.filter(|step| step.swung.is_some() || step.until_lift_s < self.planning.ahead_s)
            else {
                *chosen = None;
                continue;
            };
            let seen = |at: &Point3<f64>| odom_from_footprint.inverse_transform_point(at);
            // Where the foot is lifted, and where it would come down by itself.
            let [from, nominal] = [step.from, step.to.push(0.0)].map(|at| odom_from_footprint * Point3::from(at));
            if step.swung.is_none_or(|swung| swung < self.planning.decided) {
                let is_within = |at: &Point3<f64>| self.planning.reaches(engine, leg, &step, &seen(at).coords);
                let ground_speed = engine.last().twist.velocity_at(step.from.xy());
                let way = odom_from_footprint * ground_speed.push(0.0);
                let under = Point3::from(odom_from_footprint.translation.vector);
                let on = StepOnMap { engine, map, odom_from_footprint, slope, step: &step };
                let follows = self.planning.stands_ahead_of(&on);
                let drops = self.planning.drops((map, slope), (&from, &nominal), (&way.xy(), &under), follows);
                *chosen = if drops {
                    // Back to where it stood: what the map has on the last of the ground may be beyond it by what odometry
                    // and camera are wrong.
                    Some(from)
                } else {
                    match self.planning.choice(map, (&from, &nominal, &way.xy()), *chosen, is_within) {
                        Choice::Foothold(found) => Some(found.at),
                        // At a brink also from where nothing is known.
                        Choice::Unknown | Choice::NoneFits => is_barred.then_some(from),
                    }
                };
                // A foot that stayed behind may swing on over the edge though the robot is driven back.
                is_at_brink |= drops && ground_speed.dot(&(step.to - step.from.xy())) > 0.0;
            }
            *foothold = chosen.map(|at| {
                let top = highest_between(map, &from.xy(), &at.xy(), self.planning.foot_radius_m).unwrap_or(at.z);
                Foothold { at: seen(&at).coords, highest: seen(&Point3::new(at.x, at.y, top.max(at.z))).z }
            });
        }
        self.way.look(is_at_brink);
        footholds
    }

    /// What is left of a twist that is wanted for the next `dt` seconds: nothing where it leads on to where the ground has
    /// dropped away, until the robot has been driven another way.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.way.allowed(wanted, dt)
    }

    /// Whether the robot is held back from where the ground drops away.
    #[must_use]
    pub fn is_at_brink(&self) -> bool {
        self.way.bars()
    }

    /// Compares the map with the feet that stand; a map that most of them find off alike was moved as a whole.
    fn compare(&mut self, engine: &Engine, map: &ElevationMap, odom_from_footprint: &Isometry3<f64>) {
        let tick = engine.last();
        let feet = tick.feet.iter().zip(&tick.contacts).take(engine.legs().len());
        let (mut sum, mut count) = (0.0, 0.0);
        let (mut others, mut lowest_m, mut highest_m) = (0, f64::INFINITY, f64::NEG_INFINITY);
        for (foot, _) in feet.filter(|(_, stands)| **stands) {
            let at = odom_from_footprint * Point3::from(*foot);
            let Some(height) = map.height(&at.xy()) else { continue };
            let off_m = height.mean_m - at.z;
            if (off_m - self.off_m).abs() < STANDS_M {
                (sum, count) = (sum + off_m, count + 1.0);
            } else {
                (others, lowest_m, highest_m) = (others + 1, lowest_m.min(off_m), highest_m.max(off_m));
            }
        }
        if count > 0.0 {
            self.off_m += FOLLOW * (sum / count - self.off_m);
        } else if others >= CARRY && highest_m - lowest_m < STANDS_M {
            self.off_m = 0.5 * (lowest_m + highest_m);
        }
    }
}

/// A foot's next step over what the map has, with the pose in which both meet.
pub(crate) struct StepOnMap<'a> {
    pub engine: &'a Engine,
    pub map: &'a ElevationMap,
    pub odom_from_footprint: &'a Isometry3<f64>,
    pub slope: Slope,
    pub step: &'a NextStep,
}

/// Where the robot takes a foot that stands, in the odometry frame; none where it hardly does.
pub(crate) fn way_ahead(
    engine: &Engine,
    odom_from_footprint: &Isometry3<f64>,
    step: &NextStep,
) -> Option<Vector2<f64>> {
    let way = odom_from_footprint * engine.last().twist.velocity_at(step.from.xy()).push(0.0);
    way.xy().try_normalize(LEAST_M_S)
}

/// Where the robot takes a foot: that way over the ground, or, where it hardly goes any, where the foot swings to.
pub(crate) fn ahead(from: &Point3<f64>, nominal: &Point3<f64>, way: &Vector2<f64>) -> Vector2<f64> {
    let swings = || (nominal - from).xy().try_normalize(f64::EPSILON);
    way.try_normalize(LEAST_M_S).or_else(swings).unwrap_or_default()
}

impl Planning {
    /// The same for a robot so many times as large as the shipped one ([`hexapod_gait::size_of`]).
    #[must_use]
    pub fn enlarged(self, size: f64) -> Self {
        Self {
            search_radius_m: self.search_radius_m * size,
            foot_radius_m: self.foot_radius_m * size,
            most_climb_m: self.most_climb_m * size,
            lift_m: self.lift_m * size,
            limits: self.limits.enlarged(size),
            ..self
        }
    }

    /// Whether a leg reaches a place, m in the footprint frame, from touch-down to lift-off, and can be lifted from there.
    #[must_use]
    pub fn reaches(&self, engine: &Engine, leg: usize, step: &NextStep, place: &Vector3<f64>) -> bool {
        let reach = engine.stance().reach().axes() * self.reach;
        let rest = engine.rest_feet().get(leg).copied().unwrap_or_default();
        let off = place.xy() - step.rest;
        let lands = (rest + off).push(place.z);
        let stance = (step.rest - step.to).push(0.0) * 2.0;
        let lifted = Vector3::new(0.0, 0.0, self.lift_m);
        off.component_div(&reach).norm() <= 1.0
            && [lands, lands + stance].iter().all(|at| engine.reaches(leg, at) && engine.reaches(leg, &(at + lifted)))
    }

    fn choice(
        &self,
        map: &ElevationMap,
        (from, nominal, way): (&Point3<f64>, &Point3<f64>, &Vector2<f64>),
        previous: Option<Point3<f64>>,
        is_within: impl Fn(&Point3<f64>) -> bool,
    ) -> Choice {
        // Where the camera does not look that way, what is not known is no hole: feet that are drawn away from it would make short
        // steps.
        let horizon = from + ahead(from, nominal, way).push(0.0) * HORIZON_M;
        let least_seen = if map.looks_towards(&horizon) { self.limits.least_seen } else { f64::INFINITY };
        let wanted = Wanted {
            nominal: nominal.xy(),
            previous: previous.map(|at| at.xy()),
            search_radius_m: self.search_radius_m,
            foot_radius_m: self.foot_radius_m,
            limits: Limits { least_seen, ..self.limits },
        };
        choose(map, &wanted, |at| (at.z - from.z).abs() <= self.most_climb_m && is_within(at))
    }
}
