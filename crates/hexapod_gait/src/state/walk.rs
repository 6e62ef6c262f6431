//! The legs' steps: planted feet stay with the ground, feet in the air are carried to where they are wanted.

mod feel;
mod step;

pub(crate) use step::{LEVELLED, Sensed, Step};

use crate::gait::Gait;
use crate::gait::phase::wrap_phase;
use crate::plane::reach::Reach;
use crate::plane::twist::{Displacement, Twist};
use crate::plant::nominal::NominalStance;
use crate::state::body_motion::BodyMotionStep;
use crate::state::foot::{Course, EVENT_S, Foot, RETRIES, Swing};
use crate::state::foothold::Foothold;
use hexapod_kinematics::MAX_LEGS;
use nalgebra::{Vector2, Vector3};

/// What differs by less is the same: ways of feet, m, and phases.
const ALIKE: f64 = 1e-9;

/// The feet and the phase that says when they are lifted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub phase: f64,
    /// Seconds a cycle takes now.
    pub cycle: f64,
    /// The phase stands still: the next foot may not be lifted yet.
    pub waiting: bool,
    pub feet: [Foot; MAX_LEGS],
    /// Where they rest.
    pub nominal: NominalStance,
    count: usize,
    /// The legs whose feet were put down last where they found no ground, one bit each.
    groundless: u32,
}

impl Walk {
    pub(crate) fn at_rest(nominal: NominalStance, cycle: f64) -> Self {
        let mut feet = [Foot::Planted { at: Vector3::zeros() }; MAX_LEGS];
        for (foot, at) in feet.iter_mut().zip(nominal.rest()) {
            *foot = Foot::Planted { at: Vector3::new(at.x, at.y, 0.0) };
        }
        Self { phase: 0.0, cycle, waiting: false, feet, nominal, count: nominal.rest().len(), groundless: 0 }
    }

    /// On all feet, at these places.
    pub(crate) fn standing(at: &[Vector3<f64>; MAX_LEGS], nominal: NominalStance, cycle: f64) -> Self {
        let feet = at.map(|at| Foot::Planted { at: Vector3::new(at.x, at.y, 0.0) });
        Self { feet, ..Self::at_rest(nominal, cycle) }
    }

    pub(crate) fn feet(&self) -> &[Foot] {
        self.feet.get(..self.count).unwrap_or(&self.feet)
    }

    /// One foot; a leg that the robot does not have has none.
    pub(crate) fn foot(&self, leg: usize) -> &Foot {
        self.feet().get(leg).unwrap_or(&Foot::Missing)
    }

    pub(crate) fn all_planted(&self) -> bool {
        !self.feet().iter().any(Foot::is_in_the_air)
    }

    /// Whether a foot goes on down that has not met the ground where it was planned.
    pub(crate) fn seeks_ground(&self) -> bool {
        self.feet().iter().any(|foot| matches!(foot, Foot::Probing(_)))
    }

    /// Whether all feet stand, or were lifted, where the ground was planned.
    #[inline]
    pub(crate) fn is_on_plane_ground(&self) -> bool {
        self.feet().iter().all(|foot| match foot {
            Foot::Planted { at } | Foot::Swinging(Swing { lift_off: at, .. }) => at.z == 0.0,
            Foot::Probing(_) => false,
            Foot::Missing => true,
        })
    }

    /// The mean height of the feet on the ground, m; zero if there is none.
    pub(crate) fn mean_height(&self) -> f64 {
        let (sum, count) = self.planted_heights().fold((0.0, 0.0), |(sum, count), z| (sum + z, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    fn planted_heights(&self) -> impl Iterator<Item = f64> {
        self.feet().iter().filter(|foot| foot.is_planted()).map(|foot| foot.position().z)
    }

    /// The phase of leg `leg` in its own cycle, which starts at touch-down.
    pub(crate) fn own_phase(&self, gait: &Gait, leg: usize) -> f64 {
        wrap_phase(self.phase + gait.offset(leg))
    }

    /// Seconds until leg `leg` is lifted.
    pub(crate) fn time_to_lift(&self, gait: &Gait, leg: usize) -> f64 {
        wrap_phase(gait.lift_off_phase(leg) - self.phase) * self.cycle
    }

    /// Whether this is the moment to lift leg `leg`.
    pub(crate) fn is_due(&self, gait: &Gait, leg: usize) -> bool {
        let left = self.time_to_lift(gait, leg);
        self.foot(leg).is_planted() && left.min(self.cycle - left) < EVENT_S
    }

    /// The longest time until a foot in the air is down.
    pub(crate) fn time_in_the_air(&self) -> f64 {
        self.feet().iter().filter_map(Foot::swing_left).fold(0.0, f64::max)
    }

    /// Seconds until the next foot is lifted or put down.
    pub(crate) fn time_to_event(&self, gait: &Gait) -> f64 {
        let mut least = f64::INFINITY;
        for (leg, foot) in self.feet().iter().enumerate() {
            let time = match foot {
                Foot::Swinging(swing) => swing.left(),
                Foot::Planted { .. } if !self.waiting => self.time_to_lift(gait, leg),
                _ => f64::INFINITY,
            };
            // An event of this moment has been dealt with.
            if time > EVENT_S / 2.0 {
                least = least.min(time);
            }
        }
        least
    }

    /// Lifts a foot.
    pub(crate) fn lift(&mut self, gait: &Gait, leg: usize, step: &Step) {
        if let Foot::Planted { at } = *self.foot(leg) {
            let in_the_air = gait.swing_fraction() * self.cycle;
            let (onward, rest) = (step.twist.motion(in_the_air), self.nominal.place(leg));
            let place = match step.foothold {
                None => step.reach.place(rest, &self.ahead(gait, step.aim)),
                Some(foothold) => step.reach.nearest(rest, onward.apply_inverse(foothold.at.xy())),
            };
            let lift = step.foothold.map_or(step.height, |foothold| foothold.lift(at.z, step.height));
            let place = onward.apply(place);
            let height = step.foothold.map_or_else(|| step.slope.dot(&place), |foothold| foothold.at.z);
            let swing = Swing {
                lift_off: at,
                touch_down: place.push(height),
                foothold: step.foothold,
                shape: gait.swing_shape(),
                progress: 0.0,
                seconds: in_the_air,
                height: lift.min(step.highest.max(step.height)),
                left_ground: false,
                // In a gait that is not balanced, others are lifted on time all the same.
                retries: if gait.is_stable() { RETRIES } else { 0 },
                past_gap: Vector2::zeros(),
                at,
            };
            if let Some(foot) = self.feet.get_mut(leg) {
                *foot = Foot::Swinging(swing);
            }
        }
    }

    /// Where a foot is put down in a walk with the twist `aim`, over the body as it is then.
    pub(crate) fn place(&self, gait: &Gait, leg: usize, aim: Twist) -> Vector2<f64> {
        self.nominal.reach_with(gait).place(self.nominal.place(leg), &self.ahead(gait, aim))
    }

    /// How far feet have yet to go over the body until they are down, in sum: those in the air, and those that are `lifted`,
    /// one bit for each leg.
    pub(crate) fn way_down(&self, gait: &Gait, lifted: u32, aim: Twist, reach: &Reach) -> Vector2<f64> {
        let ahead = self.ahead(gait, aim);
        let feet = self.feet().iter().zip(self.nominal.rest()).enumerate();
        let carried = feet.filter(|(index, (foot, _))| lifted & (1 << index) != 0 || foot.is_in_the_air());
        carried.map(|(_, (foot, rest))| reach.place(*rest, &ahead) - foot.position().xy()).sum()
    }

    /// Sets how high a foot that swings is lifted, m.
    pub(crate) fn set_swing_height(&mut self, leg: usize, height: f64) {
        if let Some(Foot::Swinging(swing)) = self.feet.get_mut(leg) {
            swing.height = height;
        }
    }

    /// Says where feet in the air are to be put down.
    pub(crate) fn aim_at(&mut self, footholds: &[Option<Foothold>; MAX_LEGS]) {
        for (foot, wanted) in self.feet.iter_mut().zip(footholds) {
            if let Foot::Swinging(swing) = foot {
                swing.foothold = *wanted;
            }
        }
    }

    /// Sets the phase for a walk with `twist`: one at which a foot is about to be lifted, once those in the air are
    /// down, chosen so that no foot is carried far back before its turn. On the spot the feet farthest from their
    /// places go first.
    pub(crate) fn start(&mut self, gait: &Gait, twist: Twist) {
        self.start_where(gait, twist, |_| true);
    }

    /// The same where such a phase may be; false where none may.
    pub(crate) fn start_where(&mut self, gait: &Gait, twist: Twist, may: impl Fn(&Self) -> bool) -> bool {
        self.waiting = false;
        let mut best: Option<(f64, f64, f64)> = None;
        for leader in (0..self.count).filter(|&leg| self.foot(leg).is_planted()) {
            let phase = self.phase_before_lift(gait, leader);
            let fit = if twist.is_zero() {
                self.distance_of_group(gait, leader)
            } else {
                -Self { phase, ..*self }.farthest_at_lift(gait, twist)
            };
            // Where several fit, the one that trails the least: an order of legs would tell left from right.
            let trails = wrap_phase(gait.offset(leader) - 0.5 * gait.duty_factor() + ALIKE);
            let is_better =
                best.is_none_or(|(most, least, _)| fit > most + ALIKE || fit > most - ALIKE && trails < least);
            if is_better && may(&Self { phase, ..*self }) {
                best = Some((fit, trails, phase));
            }
        }
        self.phase = best.map_or(self.phase, |(.., phase)| phase);
        best.is_some()
    }

    /// The phase just before a leg is lifted, with time for the feet in the air to come down but none for another
    /// leg's turn to come first.
    fn phase_before_lift(&self, gait: &Gait, leg: usize) -> f64 {
        let next = gait.lift_off_phase(leg);
        let clear = (0..self.count)
            .map(|other| wrap_phase(next - gait.lift_off_phase(other)))
            .filter(|&apart| apart > 1e-9 && apart < 1.0 - 1e-9)
            .fold(1.0, f64::min);
        wrap_phase(next - (self.time_in_the_air() / self.cycle).min(0.99 * clear))
    }

    /// How far from its resting place a planted foot gets before it is lifted.
    fn farthest_at_lift(&self, gait: &Gait, twist: Twist) -> f64 {
        let feet = self.feet().iter().zip(self.nominal.rest()).enumerate();
        let farthest = |(leg, (foot, rest)): (usize, (&Foot, &Vector2<f64>))| match foot {
            Foot::Planted { at } => {
                (at.xy() - rest - twist.velocity_at(*rest) * self.time_to_lift(gait, leg)).norm_squared()
            }
            _ => 0.0,
        };
        feet.map(farthest).fold(0.0, f64::max).sqrt()
    }

    /// How far the planted feet that are lifted together with one are from their places, in sum.
    fn distance_of_group(&self, gait: &Gait, leader: usize) -> f64 {
        let phase = gait.lift_off_phase(leader);
        let feet = self.feet().iter().zip(self.nominal.rest()).enumerate();
        let distance = |(leg, (foot, rest)): (usize, (&Foot, &Vector2<f64>))| {
            let apart = wrap_phase(gait.lift_off_phase(leg) - phase);
            let counts = foot.is_planted() && apart.min(1.0 - apart) < 1e-9;
            if counts { (foot.position().xy() - rest).norm() } else { 0.0 }
        };
        feet.map(distance).sum()
    }

    /// The body's motion over half a stance.
    fn ahead(&self, gait: &Gait, aim: Twist) -> Displacement {
        aim.motion(0.5 * gait.duty_factor() * self.cycle)
    }

    /// Takes up a cycle of so many seconds. Feet in the air go on at its pace: they are to be down when others are lifted.
    pub(crate) fn take_up_cycle(&mut self, cycle: f64) {
        if cycle == self.cycle {
            return;
        }
        for foot in self.feet.iter_mut().take(self.count) {
            if let Foot::Swinging(swing) = foot {
                swing.seconds *= cycle / self.cycle;
            }
        }
        self.cycle = cycle;
    }

    /// Moves phase and feet on.
    pub(crate) fn advance(&mut self, gait: &Gait, step: &BodyMotionStep) {
        if !self.waiting {
            self.phase = wrap_phase(self.phase + step.time / self.cycle);
        }
        let ahead = self.ahead(gait, step.aim);
        // Feet that were lifted together go on alike.
        let mut last: Option<Course> = None;
        for (foot, &rest) in self.feet.iter_mut().take(self.count).zip(self.nominal.rest()) {
            match foot {
                Foot::Planted { at } => *at = step.carried(*at),
                Foot::Probing(swing) => swing.probe(rest, step),
                Foot::Swinging(swing) => {
                    let course = last.filter(|course| course.is_of(swing));
                    let course = course.unwrap_or_else(|| Course::new(step, swing));
                    last = Some(course);
                    swing.advance(step, &course, rest, &ahead);
                }
                Foot::Missing => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
