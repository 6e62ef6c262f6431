//! Anchored feet in, the body's pose out.

mod inputs;

use crate::bearing::Bearing;
use crate::estimate::{Estimate, Fit, Fitted};
use crate::fit::{self, Pair};
use crate::ground::{self, Feet, Flags, both, count, landed};
use crate::guide::{Guide, Stride};
use crate::history::{History, Velocity};
use crate::lately::Lately;
use crate::mishaps::Mishaps;
use crate::sample::{self, SampleError};
use crate::slip::Slip;
use crate::variance;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::time::Duration;

/// After a pause longer than this, feet may have stepped unseen.
const PAUSE: Duration = Duration::from_millis(250);
/// A robot that moved faster than this, m/s, walked.
const WALKS_M_S: f64 = 1e-3;
/// Feet that miss their anchors by this much, m, have stepped unseen.
const STEPPED_M: f64 = 0.02;
/// Feet that miss their anchors by no more than this, m, have stayed where they were.
const STAYS_M: f64 = 2e-5;
/// Feet that have moved against the others by this much since the sample before, m, slide.
const SLIDES_M: f64 = 2e-7;
/// How long the pose goes on without feet on the ground.
const COAST: Duration = Duration::from_millis(500);

/// Walks a pose along with a robot's planted feet. See the crate's documentation for the rules.
#[derive(Clone, Debug)]
pub struct Odometry {
    legs: usize,
    /// Places in the odom frame of the feet that are down.
    anchors: [Option<Vector3<f64>>; MAX_LEGS],
    /// Feet in the body, as of the last sample.
    feet: [Vector3<f64>; MAX_LEGS],
    /// How high each foot is above the ground that it stands on, m.
    above_ground: [f64; MAX_LEGS],
    /// How certain it is of each foot that it is on the ground where it is said to be, up to 1.
    certainty: [f64; MAX_LEGS],
    bearing: Bearing,
    mishaps: Mishaps,
    slip: Slip,
    guide: Guide,
    lately: Lately,
    history: History,
    coasted: Duration,
    last: Option<Estimate>,
}

impl Odometry {
    /// Odometry of a robot of `legs` legs (at most [`MAX_LEGS`]).
    #[must_use]
    pub fn new(legs: usize) -> Self {
        Self {
            legs: legs.min(MAX_LEGS),
            anchors: [None; MAX_LEGS],
            feet: [Vector3::zeros(); MAX_LEGS],
            above_ground: [0.0; MAX_LEGS],
            certainty: [1.0; MAX_LEGS],
            bearing: Bearing::default(),
            mishaps: Mishaps::default(),
            slip: Slip::default(),
            guide: Guide::default(),
            lately: Lately::default(),
            history: History::new(),
            coasted: Duration::ZERO,
            last: None,
        }
    }

    /// Starts anew at the origin; what was said of each foot stays. Never allocates.
    pub fn forget(&mut self) {
        self.history.clear();
        (self.anchors, self.last, self.coasted) = ([None; MAX_LEGS], None, Duration::ZERO);
        (self.bearing, self.mishaps, self.slip, self.guide, self.lately) = Default::default();
    }

    /// The last estimate.
    #[must_use]
    pub fn last(&self) -> Option<&Estimate> {
        self.last.as_ref()
    }

    /// Takes in a sample: the `feet` in the body frame (m) at `time`, and which of them are on the ground.
    ///
    /// # Errors
    /// The sample does not hold; it is dropped as a whole.
    pub fn update(
        &mut self,
        time: Duration,
        feet: &[Vector3<f64>],
        contacts: Option<&[bool]>,
    ) -> Result<&Estimate, SampleError> {
        sample::check(self.legs, feet, contacts)?;
        let attitude = self.last.map_or_else(UnitQuaternion::identity, |last| last.by_feet.rotation);
        let mut down = Feet { in_body: feet, above_ground: &self.above_ground }.lowest(&attitude);
        contacts.into_iter().for_each(|contacts| down[..self.legs].copy_from_slice(contacts));
        let fitted = match self.last {
            None => self.restart(feet, &down, &Isometry3::identity()),
            Some(last) => self.follow(&last, time, feet, &down),
        };
        self.feet[..self.legs].copy_from_slice(feet);
        self.lately.push(time, &self.feet, &down);
        Ok(self.conclude(time, &down, fitted))
    }

    /// Anchors the feet where they are, with the body level above them, where it was `before`.
    fn restart(&mut self, feet: &[Vector3<f64>], down: &Flags, before: &Isometry3<f64>) -> Fitted {
        let place = (before.translation.x, before.translation.y);
        let standing = Feet { in_body: feet, above_ground: &self.above_ground };
        let pose = ground::level(standing, down, place, &before.rotation);
        for ((anchor, foot), &down) in self.anchors.iter_mut().zip(feet).zip(down) {
            *anchor = down.then(|| pose.transform_point(&(*foot).into()).coords);
        }
        self.history.clear();
        let fit = if down.iter().filter(|&&down| down).count() >= 3 { Fit::Rigid } else { Fit::Planar };
        Fitted { pose, fit, worst_residual: 0.0, restarted: true }
    }

    /// The pose that the anchors give, and anchors for the feet that have come down.
    fn follow(&mut self, last: &Estimate, time: Duration, feet: &[Vector3<f64>], down: &Flags) -> Fitted {
        let before = last.by_feet;
        let anchored = self.anchors.map(|anchor| anchor.is_some());
        let staying = both(&anchored, down);
        let enough = count(&staying) >= 3;
        let elapsed = time.checked_sub(last.time);
        let paused = elapsed.is_none_or(|elapsed| elapsed > PAUSE);
        let fitted = if enough {
            self.hold(feet, &staying, &before)
        } else if paused {
            None
        } else {
            self.cross(last, feet, down)
        };
        let stepped = fitted.is_some_and(|fitted| fitted.worst_residual > STEPPED_M);
        if stepped || (paused && fitted.is_none()) {
            return self.restart(feet, down, &before);
        }
        let fitted = fitted.unwrap_or_else(|| self.coast(last, elapsed.unwrap_or_default()));
        self.anchor(&fitted.pose, feet, down);
        fitted
    }

    /// The pose by three or more feet that stay. Those that slide, as a leg's does that a joint trajectory moves, would
    /// take the body along: where the others tell them apart they are left out, and lose their anchors. They are
    /// distinguished by how they have moved since the sample before: the anchors need not fit each other, as after feet
    /// that have settled.
    fn hold(&mut self, feet: &[Vector3<f64>], staying: &Flags, before: &Isometry3<f64>) -> Option<Fitted> {
        let all = self.fit(feet, &self.anchors, staying, before)?;
        if all.worst_residual <= STAYS_M {
            return Some(all);
        }
        let Some(firm) = self.firm(feet, staying) else { return Some(all) };
        let anchors = self.anchors.iter_mut().zip(staying).filter(|(_, staying)| **staying);
        anchors.zip(firm).filter(|(_, firm)| !firm).for_each(|((anchor, _), _)| *anchor = None);
        self.fit(feet, &self.anchors, staying, before)
    }

    /// Of the feet that stay, those that do not slide, in their order. Measured angles are noisy: by these, only what feet
    /// have moved in some samples tells.
    fn firm(&mut self, feet: &[Vector3<f64>], staying: &Flags) -> Option<Flags> {
        let (pairs, used) = self.pairs(feet, &self.feet.map(Some), staying);
        let noise = self.lately.tolerance(fit::least_misfit(&pairs[..used])?);
        let firm = fit::firm(&pairs[..used], SLIDES_M);
        let then = self.lately.feet().filter(|(_, stayed)| firm.is_none() && both(staying, stayed) == *staying);
        let Some((then, _)) = then else { return firm };
        let (pairs, used) = self.pairs(feet, &then.map(Some), staying);
        fit::steady(&pairs[..used], noise.max(SLIDES_M))
    }

    /// The pose when fewer than three feet stay: by the feet that have come down, taken to have been in their places a
    /// sample ago; or by those that have left, taken to be in their places still. The nearer to the ground is right.
    fn cross(&mut self, last: &Estimate, feet: &[Vector3<f64>], down: &Flags) -> Option<Fitted> {
        let before = last.by_feet;
        let (mut early, mut approach) = (self.anchors, 0.0_f64);
        for leg in (0..self.legs).filter(|&leg| down[leg] && self.anchors[leg].is_none()) {
            let place = before.transform_point(&self.feet[leg].into()).coords;
            early[leg] = Some(landed(place, self.above_ground[leg], &self.feet[leg], &feet[leg]));
            approach = approach.max((place.z - self.above_ground[leg]).abs());
        }
        let by_new = self.fit(feet, &early, down, &before);
        let leaving = self.anchors.map(|anchor| anchor.is_some());
        let by_old = if count(&leaving) >= 3 { self.fit(feet, &self.anchors, &leaving, &before) } else { None };
        let departure = by_new.map_or(0.0, |new| {
            let gone = (0..self.legs).filter(|&leg| leaving[leg] && !down[leg]);
            let height = |leg: usize| new.pose.transform_point(&feet[leg].into()).z;
            gone.filter_map(|leg| Some((height(leg) - self.anchors[leg]?.z).abs())).fold(0.0, f64::max)
        });
        if by_new.is_some() && by_old.is_some() && departure < approach {
            return by_old;
        }
        self.anchors = early;
        by_new
    }

    /// The pose that carries the feet in `which` onto `anchors`; `None` with fewer than two.
    fn fit(
        &self,
        feet: &[Vector3<f64>],
        anchors: &[Option<Vector3<f64>>],
        which: &Flags,
        before: &Isometry3<f64>,
    ) -> Option<Fitted> {
        let (pairs, used) = self.pairs(feet, anchors, which);
        let pairs = &pairs[..used];
        if used < 2 {
            return None;
        }
        let (pose, fit) = match fit::rigid(pairs) {
            Some(pose) => (pose, Fit::Rigid),
            None => (fit::planar(pairs, &before.rotation)?, Fit::Planar),
        };
        let worst_residual = fit::worst_residual(pairs, &pose);
        Some(Fitted { pose, fit, worst_residual, restarted: false })
    }

    /// The feet in `which` that have an anchor, and how many they are.
    fn pairs(
        &self,
        feet: &[Vector3<f64>],
        anchors: &[Option<Vector3<f64>>],
        which: &Flags,
    ) -> ([Pair; MAX_LEGS], usize) {
        let (mut pairs, mut used) = ([Pair::default(); MAX_LEGS], 0);
        let all = feet.iter().zip(anchors).zip(&self.certainty).zip(which).filter(|(_, which)| **which);
        for (((&body, anchor), &weight), _) in all {
            if let Some(ground) = *anchor {
                pairs[used] = Pair { body, ground, weight };
                used += 1;
            }
        }
        (pairs, used)
    }

    fn coast(&mut self, last: &Estimate, elapsed: Duration) -> Fitted {
        let velocity = Velocity { linear: last.linear, angular: last.angular };
        let pose = last.by_feet * velocity.motion(elapsed.min(COAST.saturating_sub(self.coasted)));
        self.coasted += elapsed;
        Fitted { pose, fit: Fit::Coasting, worst_residual: 0.0, restarted: false }
    }

    /// Anchors feet that have come down and forgets those that have left.
    fn anchor(&mut self, pose: &Isometry3<f64>, feet: &[Vector3<f64>], down: &Flags) {
        let known = self.anchors.iter_mut().zip(&self.feet).zip(&self.above_ground);
        for (((anchor, before), above), (foot, &down)) in known.zip(feet.iter().zip(down)) {
            let here = || landed(pose.transform_point(&(*foot).into()).coords, *above, before, foot);
            *anchor = if down { Some(anchor.unwrap_or_else(here)) } else { None };
        }
    }

    fn conclude(&mut self, time: Duration, down: &Flags, fitted: Fitted) -> &Estimate {
        let pose = fitted.pose;
        let certain = self.certainty.iter().zip(down).take(self.legs).filter(|(_, down)| **down);
        let astray = self.bearing.astray(time);
        let none_bears = fitted.fit == Fit::Coasting || astray > 0.0 || self.mishaps.is_carried();
        let support = if none_bears { 0.0 } else { certain.map(|(certainty, _)| certainty).sum() };
        let (over_ground, turn) = self.last.as_ref().map_or((pose.translation.vector.xy(), 0.0), |last| {
            let over_ground = pose.translation.vector.xy() - last.by_feet.translation.vector.xy();
            (over_ground, pose.rotation.angle_to(&last.by_feet.rotation))
        });
        let step = over_ground.norm();
        let before = |sum: fn(&Estimate) -> f64| self.last.as_ref().map_or(0.0, sum);
        let since = |last: &Estimate| time.saturating_sub(last.time);
        // Feet of a robot that walked may stand as they did, some steps later.
        let stepped = |last: &&Estimate| fitted.restarted || (since(last) > PAUSE && last.speed() > WALKS_M_S);
        let unseen = self.last.as_ref().filter(stepped).map(since);
        // A factor on variances is the square of one on errors.
        let doubt = variance::doubt(support).sqrt();
        let (travelled, turned) = (before(|last| last.travelled) + step, before(|last| last.turned) + turn);
        self.slip.walk(variance::way_of_feet(step, turn), doubt * step);
        let uncertainty_weighted_distance = before(|last| last.uncertainty_weighted_distance) + doubt * step;
        let uncertainty_weighted_rotation = before(|last| last.uncertainty_weighted_rotation) + doubt * turn;
        if fitted.fit != Fit::Coasting {
            self.coasted = Duration::ZERO;
        }
        let seconds = self.last.as_ref().map_or(0.0, |last| since(last).as_secs_f64());
        self.history.push(time, pose);
        let velocity = self.history.velocity();
        let (carried_s, lost_way, lost_turn) = self.mishaps.count(time, &velocity, unseen);
        self.guide.walk(&pose.rotation, Stride { over_ground, doubt, turn, seconds, lost: (lost_way, lost_turn) });
        self.last.insert(Estimate {
            carried: self.mishaps.is_carried(),
            carried_s,
            time,
            odom_from_body: self.guide.pose(&pose),
            by_feet: pose,
            linear: velocity.linear,
            angular: velocity.angular,
            starting: !self.history.is_enough(),
            fit: fitted.fit,
            feet_down: count(&down[..self.legs]),
            worst_residual: fitted.worst_residual,
            restarted: fitted.restarted,
            support,
            astray,
            travelled,
            turned,
            guided: self.guide.guided(),
            unseen: self.slip.unseen(),
            uncertainty_weighted_distance: uncertainty_weighted_distance + lost_way,
            uncertainty_weighted_rotation: uncertainty_weighted_rotation + lost_turn,
        })
    }
}
