//! Gaits as data: when each leg stands and when it swings.

pub(crate) mod auto_pose;
pub(crate) mod needs;
pub(crate) mod phase;
pub(crate) mod posture;
pub(crate) mod rough;
pub(crate) mod sides;
pub(crate) mod spec;
pub(crate) mod swing;

use crate::gait::auto_pose::AutoPose;
use crate::gait::needs::LiftNeeds;
use crate::gait::phase::wrap_phase;
use crate::gait::swing::{SwingProfile, SwingShape};
use crate::plane::reach::STROKE_FRACTION;
use crate::plane::support::SupportPolygon;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector2;
use spec::phase_offset;

pub use phase::LegPhase;
pub use spec::{GaitError, GaitSpec, LegPlace, Pattern};

/// A gait for a robot's legs. Leg `i` stands while its phase `frac(phase + offset_i)` is below the duty factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    duty_factor: f64,
    cycle_time: f64,
    least_cycle_time: f64,
    offsets: [f64; MAX_LEGS],
    lift_offs: [f64; MAX_LEGS],
    swing: SwingShape,
    drift: f64,
    swing_speed_scale: f64,
    step_height: Option<f64>,
    sway: f64,
    sway_reach: f64,
    auto_pose: AutoPose,
    stable: bool,
    needs: Option<LiftNeeds>,
    shortest_cycle: f64,
}

impl Gait {
    /// Checks a gait and lays it out for the legs in `places`.
    ///
    /// # Errors
    /// Numbers out of range, unknown or missing legs in `phase_offsets`.
    pub fn try_new(spec: &GaitSpec, places: &[LegPlace]) -> Result<Self, GaitError> {
        if let Some(fault) = spec.faults(places).into_iter().next() {
            return Err(fault);
        }
        let least_cycle_time = spec.least_cycle_time.unwrap_or(spec.cycle_time);
        let mut offsets = [0.0; MAX_LEGS];
        for (offset, place) in offsets.iter_mut().zip(places) {
            *offset = phase_offset(spec, place, places.len())?;
        }
        put_together(&mut offsets, places.len());
        Ok(Self {
            duty_factor: spec.duty_factor,
            cycle_time: spec.cycle_time,
            least_cycle_time,
            offsets,
            lift_offs: lift_offs(spec.duty_factor, &offsets),
            swing: SwingShape { profile: spec.swing, touch_down_speed: spec.touch_down_speed },
            drift: spec.swing.drift(1.0 - spec.duty_factor),
            swing_speed_scale: spec.swing.speed_scale(),
            step_height: spec.step_height,
            sway: spec.sway,
            sway_reach: SWAY_REACH,
            auto_pose: spec.auto_pose,
            stable: spec.stable,
            needs: None,
            shortest_cycle: 0.0,
        })
    }

    /// The gait for a robot some of whose legs are switched off: the others are lifted one by one in this order, each
    /// as quickly as in this gait, and the body leans over those that stay.
    #[must_use]
    pub(crate) fn one_by_one(&self, order: &[usize]) -> Self {
        let count = order.len();
        let mut gait = *self;
        gait.duty_factor = 1.0 - LIFTED_SHARE / count.max(1) as f64;
        gait.drift = gait.swing.profile.drift(gait.swing_fraction());
        gait.cycle_time = self.swing_time() / gait.swing_fraction();
        gait.least_cycle_time = gait.cycle_time;
        (gait.sway, gait.sway_reach) = (1.0, WIDE_SWAY);
        for (turn, &leg) in order.iter().enumerate() {
            gait.offsets[leg] = wrap_phase(gait.duty_factor - turn as f64 / count as f64);
        }
        gait.lift_offs = lift_offs(gait.duty_factor, &gait.offsets);
        gait
    }

    /// What it needs of the joints of the robot for which it was made ready.
    pub(crate) fn needs(&self) -> Option<LiftNeeds> {
        self.needs
    }

    pub(crate) fn with_needs(mut self, needs: Option<LiftNeeds>) -> Self {
        self.needs = needs;
        self
    }

    /// The same gait on a robot whose joints cannot do a cycle in less than this, s.
    pub(crate) fn no_quicker_than(mut self, shortest_cycle: f64) -> Self {
        self.shortest_cycle = shortest_cycle;
        self
    }

    /// Seconds the shortest cycle takes.
    #[must_use]
    pub fn least_cycle_time(&self) -> f64 {
        self.least_cycle_time
    }

    /// Whether the robot is meant to stand on its feet at every moment.
    #[must_use]
    pub fn is_stable(&self) -> bool {
        self.stable
    }

    /// Speed at which a foot meets the ground, m/s.
    #[must_use]
    pub fn touch_down_speed(&self) -> f64 {
        self.swing.touch_down_speed
    }

    /// Lift of a swinging foot, m, where the gait has one of its own.
    #[must_use]
    pub fn step_height(&self) -> Option<f64> {
        self.step_height
    }

    /// Fraction of the feet's reach that a sway may take up; steps have the rest.
    pub(crate) fn sway_reach(&self) -> f64 {
        if self.sway > 0.0 { self.sway_reach } else { 0.0 }
    }

    /// The longest step, in parts of the reach in its direction: a body that sways leaves less for it.
    pub(crate) fn stroke(&self) -> f64 {
        2.0 * STROKE_FRACTION * (1.0 - self.sway_reach())
    }

    /// The shortest and the longest cycle, s: its own, or longer ones where the joints' accelerations ask for it.
    pub(crate) fn cycle_times(&self) -> [f64; 2] {
        let least = self.least_cycle_time.max(self.shortest_cycle);
        [least, self.cycle_time.max(least)]
    }

    /// How far the body leans over the feet that stay, 0 to 1.
    #[must_use]
    pub fn sway(&self) -> f64 {
        self.sway
    }

    /// What the body does by itself over the cycle.
    #[must_use]
    pub fn auto_pose(&self) -> &AutoPose {
        &self.auto_pose
    }

    /// Fraction of the cycle a leg swings.
    #[must_use]
    pub fn swing_fraction(&self) -> f64 {
        1.0 - self.duty_factor
    }

    /// The phase of leg `leg` in its own cycle when the gait's is zero.
    pub(crate) fn offset(&self, leg: usize) -> f64 {
        self.offsets.get(leg).copied().unwrap_or(0.0)
    }

    /// Fraction of the cycle a leg stands.
    #[must_use]
    pub fn duty_factor(&self) -> f64 {
        self.duty_factor
    }

    /// Seconds a whole cycle takes.
    #[must_use]
    pub fn cycle_time(&self) -> f64 {
        self.cycle_time
    }

    /// Seconds a leg stands in each cycle.
    #[must_use]
    pub fn stance_time(&self) -> f64 {
        self.duty_factor * self.cycle_time
    }

    /// Seconds a leg swings in each cycle.
    #[must_use]
    pub fn swing_time(&self) -> f64 {
        self.cycle_time - self.stance_time()
    }

    /// Shape of the swing.
    #[must_use]
    pub fn swing(&self) -> SwingProfile {
        self.swing.profile
    }

    /// How long the ground takes for the way that a foot still goes back with it after it has been lifted, in cycles.
    pub(crate) fn drift(&self) -> f64 {
        self.drift
    }

    /// The greatest speed of a foot across, in units of that of a smooth swing.
    pub(crate) fn swing_speed_scale(&self) -> f64 {
        self.swing_speed_scale
    }

    /// The same gait with feet that feel the ground: those that would swing smoothly search for it.
    #[must_use]
    pub fn feeling(&self) -> Self {
        if self.swing.profile != SwingProfile::Smooth {
            return *self;
        }
        let profile = SwingProfile::Searching;
        let swing = SwingShape { profile, ..self.swing };
        Self {
            swing,
            drift: profile.drift(self.swing_fraction()),
            swing_speed_scale: profile.speed_scale(),
            needs: None,
            ..*self
        }
    }

    /// What a foot that is lifted keeps of it until it is down.
    #[inline]
    pub(crate) fn swing_shape(&self) -> SwingShape {
        self.swing
    }

    /// Where leg `leg` is in its cycle at `phase` in [0, 1].
    #[must_use]
    pub fn leg_phase(&self, leg: usize, phase: f64) -> LegPhase {
        let own = wrap_phase(phase + self.offsets[leg]);
        if own < self.duty_factor {
            LegPhase::Stance(own / self.duty_factor)
        } else {
            LegPhase::Swing((own - self.duty_factor) / (1.0 - self.duty_factor))
        }
    }

    /// The least margin by which `centre` lies inside the hull of the standing feet, over the whole cycle, with the
    /// feet at `rest` (m); minus infinity when fewer than three feet stand at some moment.
    #[must_use]
    pub fn least_margin(&self, rest: &[Vector2<f64>], centre: Vector2<f64>) -> f64 {
        let ends = (0..rest.len()).flat_map(|leg| [self.lift_off_phase(leg), wrap_phase(-self.offsets[leg])]);
        // Who stands changes at these phases only: just after each is enough.
        let standing = |phase: f64| {
            let stands = move |leg: &usize| matches!(self.leg_phase(*leg, phase), LegPhase::Stance(_));
            SupportPolygon::new((0..rest.len()).filter(stands).map(|leg| rest[leg]))
        };
        ends.map(|phase| standing(wrap_phase(phase + 1e-6)).margin(centre)).fold(f64::INFINITY, f64::min)
    }

    /// The phase at which leg `leg` lifts off.
    #[must_use]
    pub fn lift_off_phase(&self, leg: usize) -> f64 {
        self.lift_offs.get(leg).copied().unwrap_or(0.0)
    }
}

/// Fraction of the feet's reach for a sway, and for one that has to do without a leg.
const SWAY_REACH: f64 = 0.45;
const WIDE_SWAY: f64 = 0.65;
/// Fraction of the time some leg is in the air where legs are lifted one by one; the rest is for leaning over.
const LIFTED_SHARE: f64 = 0.7;

/// Offsets nearer than this are one: decimals such as 0.33333333 in a file leave legs that step together so far apart.
const TOGETHER: f64 = 1e-6;

/// Lets legs step together whose offsets differ by the rounding of decimals alone: the turn of one of them is else past
/// when that of the others comes.
fn put_together(offsets: &mut [f64; MAX_LEGS], count: usize) {
    for leg in 1..count.min(MAX_LEGS) {
        let (before, rest) = offsets.split_at_mut(leg);
        let Some(offset) = rest.first_mut() else { return };
        let is_same = |other: &&f64| {
            let apart = wrap_phase(**other - *offset);
            apart.min(1.0 - apart) < TOGETHER
        };
        if let Some(&same) = before.iter().find(is_same) {
            *offset = same;
        }
    }
}

fn lift_offs(duty_factor: f64, offsets: &[f64; MAX_LEGS]) -> [f64; MAX_LEGS] {
    offsets.map(|offset| wrap_phase(duty_factor - offset))
}
