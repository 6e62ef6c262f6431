//! Places where others want feet put down next.

use crate::command::PlannedFoothold;
use crate::remarks::Refused;
use hexapod_gait::{Engine, Foothold, NextStep, Tick, size_of};
use hexapod_kinematics::MAX_LEGS;
use hexapod_terrain::Planning;
use nalgebra::Vector3;
use std::time::Duration;

/// What they are called where they are refused.
pub(crate) const FOOTHOLD: &str = "foothold";
/// A place counts for so long, unless its foot is on the way there.
const FRESH: Duration = Duration::from_secs(1);
/// Why one was left out.
const UNUSED: &str = "not used within 1 s: that foot was not lifted";
const OUT_OF_REACH: &str = "out of that foot's reach: it steps as it would by itself";

/// A place for a foot.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// m, in the footprint frame as it is now.
    at: Vector3<f64>,
    /// When it was right, on the clock of the control loop.
    since: Duration,
    /// Its foot is in the air.
    is_on_the_way: bool,
}

/// The place of each foot that is to have one.
pub(crate) struct PlannedFootholds {
    planning: Planning,
    places: [Option<Place>; MAX_LEGS],
}

impl PlannedFootholds {
    pub fn new(engine: &Engine) -> Self {
        Self { planning: Planning::default().enlarged(size_of(engine.robot())), places: [None; MAX_LEGS] }
    }

    /// Forgets them all.
    pub fn forget(&mut self) {
        self.places = [None; MAX_LEGS];
    }

    /// Takes one in, between two ticks. A foot that is about to come down is not sent elsewhere.
    pub fn take(&mut self, engine: &Engine, leg: usize, planned: &PlannedFoothold, now: Duration) {
        let decided = |step: &NextStep| step.swung.is_some_and(|swung| swung >= self.planning.decided);
        let is_decided = engine.next_steps().get(leg).is_some_and(|step| step.as_ref().is_some_and(decided));
        let Some(place) = self.places.get_mut(leg) else { return };
        if is_decided && place.is_some_and(|place| place.is_on_the_way) {
            return;
        }
        let tick = engine.last();
        let then = tick.footprint_from_body * nalgebra::Point3::from(planned.in_body);
        let motion = tick.twist.motion(now.saturating_sub(planned.at).as_secs_f64());
        *place = Some(Place { at: motion.apply_inverse_3d(then.coords), since: planned.at, is_on_the_way: false });
    }

    /// Moves them along with the ground, which has gone by in a tick.
    pub fn carry(&mut self, tick: &Tick) {
        if self.places.iter().any(Option::is_some) {
            let motion = tick.twist.motion(tick.taken_s);
            self.places.iter_mut().flatten().for_each(|place| place.at = motion.apply_inverse_3d(place.at));
        }
    }

    /// Puts them among the footholds of the next tick. Why one was left out, if one was.
    pub fn fill(
        &mut self,
        footholds: &mut [Option<Foothold>; MAX_LEGS],
        engine: &Engine,
        now: Duration,
    ) -> Option<Refused> {
        if self.places.iter().all(Option::is_none) {
            return None;
        }
        let (mut left_out, steps) = (None, engine.next_steps());
        for (leg, (kept, foothold)) in self.places.iter_mut().zip(footholds).enumerate() {
            let Some(place) = kept else { continue };
            let step = steps.get(leg).and_then(Option::as_ref);
            match usage(&self.planning, engine, (leg, step), place, now) {
                Usage::Later => {}
                Usage::Landed => *kept = None,
                Usage::LeftOut(reason) => (*kept, left_out) = (None, Some(reason)),
                Usage::Now => {
                    place.is_on_the_way = step.is_some_and(|step| step.swung.is_some());
                    let highest = foothold.map_or(place.at.z, |seen| seen.highest.max(place.at.z));
                    *foothold = Some(Foothold { at: place.at, highest });
                }
            }
        }
        left_out.map(|reason| Refused { topic: FOOTHOLD, reason })
    }
}

/// What becomes of a place.
enum Usage {
    Later,
    Now,
    Landed,
    LeftOut(&'static str),
}

fn usage(
    planning: &Planning,
    engine: &Engine,
    (leg, step): (usize, Option<&NextStep>),
    place: &Place,
    now: Duration,
) -> Usage {
    let in_the_air = step.filter(|step| step.swung.is_some());
    if place.is_on_the_way && in_the_air.is_none() {
        return Usage::Landed;
    }
    if !place.is_on_the_way && now.saturating_sub(place.since) > FRESH {
        return Usage::LeftOut(UNUSED);
    }
    let Some(step) = step else { return Usage::Later };
    let is_early = step.swung.is_none() && step.until_lift_s > planning.ahead_s;
    let is_late = !place.is_on_the_way && step.swung.is_some_and(|swung| swung >= planning.decided);
    if is_early || is_late {
        Usage::Later
    } else if place.is_on_the_way || planning.reaches(engine, leg, step, &place.at) {
        Usage::Now
    } else {
        Usage::LeftOut(OUT_OF_REACH)
    }
}
