//! What a walk may ask of the joints where the robot's description says how fast they can change their speed.
//!
//! At a constant twist the feet go the same way through the body's frame in every cycle, and which way depends on the
//! length of the step alone. So the joints' accelerations over the whole cycle, stance and swing, go with the inverse
//! square of the time it takes: measured once for steps of full length in all directions, they give the shortest cycle.
//! What changes of the twist and shifts of the body add is held within a share of its own; a sway slows down before an
//! edge of the support, and a foot is lifted only if it then can. Not within the bound is what must not wait: a rise that
//! is broken off to sit, a foot that feels the ground early; nor the corners of the sine swing.

use crate::gait::Gait;
use crate::gait::needs::{LIFTS, LiftNeeds, Needs, PHASES};
use crate::gait::swing::{MINIMUM_JERK_ACCELERATION, MINIMUM_JERK_VELOCITY};
use crate::plane::twist::Twist;
use crate::plant::stance::Stance;
use hexapod_kinematics::{IterationBudget, Leg, LegAngles, Robot, math};
use nalgebra::{Vector2, Vector3};

/// The joints of a robot at least one of which has a greatest acceleration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointBound {
    /// Fraction of its greatest acceleration that a joint needs at most per m/s^2 of its foot on the ground, of its
    /// greatest velocity per m/s.
    acceleration: f64,
    velocity: f64,
}

/// Fractions of the greatest acceleration and velocity a cycle is planned for. Below the latter no swing has to be
/// slowed, which would be a jolt.
const PLANNED: f64 = 0.87;
const PLANNED_VELOCITY: f64 = 0.9;
/// Fractions of the greatest acceleration for what a foot does when the twist changes, and for shifts of the body.
const FOR_CHANGES: f64 = 0.25;
const FOR_SHIFTS: f64 = 0.15;
/// Fraction of the greatest acceleration for what the body does over feet that all stand, beside what a leg that gets
/// straighter on the way adds.
pub(crate) const FOR_STANDING: f64 = 0.2;
/// What stands for a joint's greatest acceleration where it has none, rad/s^2.
pub(crate) const USUAL_RAD_S2: f64 = 150.0;
/// How much a touch-down point that follows the twist accelerates its foot, in units of its velocity over the time of
/// the swing: a bound of the products of travel and rate of following in `Walk::advance`, where the swing is smooth.
const FOLLOWING: f64 = 5.8;
/// Fraction of a foot's circle in which the joints are looked at.
const USED_FRACTION: f64 = 0.8;
/// By how much samples may miss the worst.
const BETWEEN_SAMPLES: f64 = 1.1;
const STEP_M: f64 = 5e-4;

impl JointBound {
    /// None if no joint has a greatest acceleration.
    pub(crate) fn of(robot: &Robot, stance: &Stance) -> Option<Self> {
        let mut joints = robot.legs().iter().flat_map(|leg| leg.joints());
        if joints.all(|joint| joint.limits().acceleration.is_none()) {
            return None;
        }
        let mut bound = Self { acceleration: 0.0, velocity: 0.0 };
        for (index, leg) in robot.legs().iter().enumerate() {
            for direction in directions() {
                for fraction in [0.0, 0.5, 1.0] {
                    let at =
                        stance.rest()[index] + direction * (USED_FRACTION * fraction * stance.reach().along(direction));
                    let foot = Vector3::new(at.x, at.y, -stance.own_spec().height);
                    bound.take_place(leg, &foot, |foot, seed| stance.inverse(index, leg, foot, seed));
                }
            }
        }
        Some(bound)
    }

    /// Differences of the inverse about a place; one at the edge of the reach counts for nothing.
    fn take_place(
        &mut self,
        leg: &Leg,
        foot: &Vector3<f64>,
        inverse: impl Fn(&Vector3<f64>, &LegAngles) -> Option<LegAngles>,
    ) -> Option<()> {
        let seed = inverse(foot, &leg.posture())?;
        let mut squares = [0.0; hexapod_kinematics::MAX_LEG_JOINTS];
        for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
            let (more, less) = (inverse(&(foot + axis * STEP_M), &seed)?, inverse(&(foot - axis * STEP_M), &seed)?);
            for (square, (more, less)) in squares.iter_mut().zip(more.iter().zip(less.iter())) {
                *square += math::squared((more - less) / (2.0 * STEP_M));
            }
        }
        for (joint, square) in leg.joints().iter().zip(squares) {
            let (gradient, limits) = (BETWEEN_SAMPLES * square.sqrt(), joint.limits());
            let greatest = limits.acceleration.unwrap_or(f64::INFINITY);
            self.acceleration = self.acceleration.max(gradient / greatest);
            self.velocity = self.velocity.max(gradient / limits.velocity);
        }
        Some(())
    }

    /// The shortest cycle, s, of a gait that needs so much, when feet are accelerated by changes of the twist by up to
    /// `foot_m_s2`.
    pub(crate) fn shortest_cycle(&self, gait: &Gait, needs: Needs, foot_m_s2: f64) -> f64 {
        let shifts = if gait.sway() > 0.0 { 2.0 * FOR_SHIFTS } else { FOR_SHIFTS };
        let room = PLANNED - FOR_CHANGES - shifts - self.acceleration * foot_m_s2;
        let accelerating = (BETWEEN_SAMPLES * needs.acceleration / room.max(LEAST_ROOM)).sqrt();
        accelerating.max(BETWEEN_SAMPLES * needs.velocity / PLANNED_VELOCITY)
    }

    /// What a gait with steps of up to `stroke` m needs at several lifts: much arithmetic, not for a tick.
    pub(crate) fn measured(robot: &Robot, stance: &Stance, gait: &Gait, stroke: f64) -> LiftNeeds {
        let most = stance.own_spec().step_height;
        let farthest = stance.rest().iter().map(|rest| rest.norm()).fold(0.0, f64::max);
        let farthest_lean = gait.sway_reach() * stance.reach().least();
        let leans = [0.0, farthest_lean];
        let leans = if farthest_lean > 0.0 { &leans[..] } else { &leans[..1] };
        let mut at = LIFTS.map(|_| Needs::default());
        for fraction in [0.5, 1.0] {
            let step = fraction * stroke / gait.duty_factor();
            let turns = [1.0, -1.0].map(|sense| Twist::new(0.0, 0.0, sense * step / farthest));
            for twist in directions().map(|way| Twist::new(way.x * step, way.y * step, 0.0)).chain(turns) {
                for (index, leg) in robot.legs().iter().enumerate() {
                    let rest = stance.rest()[index];
                    for lean in leans {
                        // The body leans away from the leg that is lifted, which is then the farther out.
                        let away = rest.normalize() * *lean;
                        let path = Path { gait, twist, rest, from_body: away.push(-stance.own_spec().height) };
                        path.needs(stance, (index, leg), most, &mut at);
                    }
                }
            }
        }
        LiftNeeds { at, most }
    }

    /// The fraction of the twist's own acceleration, which moves the feet by `foot_m_s2`, with which the touch-down
    /// points that follow the twist leave the joints enough for the swing.
    pub(crate) fn fraction_of_acceleration(&self, gait: &Gait, foot_m_s2: f64) -> f64 {
        let ahead = 1.0 + 0.5 * gait.duty_factor() / gait.swing_fraction();
        (FOR_CHANGES / (self.acceleration * FOLLOWING * gait.swing_speed_scale() * ahead * foot_m_s2)).min(1.0)
    }

    /// How fast a foot on the ground may change its speed with the twist, m/s^2.
    pub(crate) fn change_m_s2(&self) -> f64 {
        FOR_CHANGES / self.acceleration
    }

    /// How fast the body's shift over its feet may change its speed, m/s^2.
    pub(crate) fn shift_m_s2(&self) -> f64 {
        FOR_SHIFTS / self.acceleration
    }

    /// The shortest time, s, in which the body rises or sinks by `way` m, at rest at both ends (minimum jerk).
    pub(crate) fn minimum_jerk_time(&self, way: f64) -> f64 {
        let accelerating = (MINIMUM_JERK_ACCELERATION * way.abs() * self.acceleration / HEIGHT_SHARE).sqrt();
        accelerating.max(MINIMUM_JERK_VELOCITY * way.abs() * self.velocity / PLANNED_VELOCITY)
    }
}

/// How fast any foot may go where it rests, m/s, before one of its joints is too fast.
pub(crate) fn foot_speed(robot: &Robot, stance: &Stance) -> f64 {
    let mut bound = JointBound { acceleration: 0.0, velocity: 0.0 };
    for (index, leg) in robot.legs().iter().enumerate() {
        let rest = stance.rest()[index].push(-stance.own_spec().height);
        bound.take_place(leg, &rest, |foot, seed| stance.inverse(index, leg, foot, seed));
    }
    1.0 / bound.velocity.max(f64::EPSILON)
}

/// What is left for the cycle at least, however much the rest takes.
const LEAST_ROOM: f64 = 0.05;
/// Fraction of the greatest acceleration of a rising body: legs that are bent further follow it faster.
const HEIGHT_SHARE: f64 = 0.45;

fn directions() -> impl Iterator<Item = Vector2<f64>> {
    (0..8).map(|k| {
        let (sin, cos) = math::sin_cos(std::f64::consts::FRAC_PI_4 * f64::from(k));
        Vector2::new(cos, sin)
    })
}

/// The way of a foot over a cycle at a constant twist per cycle; phases start with its touch-down.
struct Path<'a> {
    gait: &'a Gait,
    twist: Twist,
    /// Where the foot rests.
    rest: Vector2<f64>,
    /// From the footprint to the body, m.
    from_body: Vector3<f64>,
}

impl Path<'_> {
    /// Adds what a leg needs whose foot goes this way at each of [`LIFTS`], in parts of `most` (m).
    fn needs(&self, stance: &Stance, of: (usize, &Leg), most: f64, at: &mut [Needs; LIFTS.len()]) {
        let phase = |moment: usize| moment as f64 / PHASES as f64;
        let planted = (0..PHASES).take_while(|&moment| phase(moment) < self.gait.duty_factor()).count();
        let (mut cycle, middle) = ([None; PHASES], planted / 2);
        // From the middle of the stance, which every leg reaches: so a place beyond its reach is not searched for long.
        let mut joints = Following::from(of.1.posture());
        for (moment, at) in cycle.iter_mut().enumerate().take(planted).skip(middle) {
            *at = joints.to(stance, of, &self.planted(phase(moment)));
        }
        let lifted_from = joints;
        joints = Following::from(cycle[middle].unwrap_or_else(|| of.1.posture()));
        for (moment, at) in cycle.iter_mut().enumerate().take(middle).rev() {
            *at = joints.to(stance, of, &self.planted(phase(moment)));
        }
        for (needs, fraction) in at.iter_mut().zip(LIFTS) {
            joints = lifted_from;
            for (moment, at) in cycle.iter_mut().enumerate().skip(planted) {
                *at = joints.to(stance, of, &self.in_the_air(phase(moment), fraction * most));
            }
            *needs = needs.or(Needs::of(of.1, &cycle));
        }
    }

    /// The foot in the body while it stands.
    fn planted(&self, phase: f64) -> Vector3<f64> {
        let at = self.twist.motion(0.5 * self.gait.duty_factor() - phase).apply(self.rest);
        at.push(0.0) + self.from_body
    }

    /// The same while it is lifted by up to `lift` m.
    fn in_the_air(&self, phase: f64, lift: f64) -> Vector3<f64> {
        let (gait, duty) = (self.gait, self.gait.duty_factor());
        let s = (phase - duty) / gait.swing_fraction();
        let lift_off = self.twist.motion(0.5 * duty - phase).apply(self.rest);
        let touch_down = self.twist.motion(0.5 * duty + 1.0 - phase).apply(self.rest);
        let swing = gait.swing_shape().at(s, gait.swing_time());
        let at = lift_off + (touch_down - lift_off) * swing.travel;
        at.push(swing.height(lift, 0.0, 0.0)) + self.from_body
    }
}

/// Steps of an iteration for one moment of a way, from one that is near.
const MOMENT_BUDGET: u32 = 48;

/// Joints of a leg whose foot goes along a way: the last angles, and by how much they differed from those before.
#[derive(Clone, Copy)]
struct Following {
    last: LegAngles,
    step: LegAngles,
}

impl Following {
    fn from(angles: LegAngles) -> Self {
        Self { last: angles, step: LegAngles::zeros(angles.len()) }
    }

    /// Goes on to the next place; the angles there, if the leg reaches it.
    fn to(&mut self, stance: &Stance, of: (usize, &Leg), foot: &Vector3<f64>) -> Option<LegAngles> {
        let found = if of.1.joint_count() > 3 {
            let ahead = LegAngles::from_fn(self.last.len(), |joint| self.last[joint] + self.step[joint]);
            stance.inverse_with_posture(of, foot, &ahead, &mut IterationBudget::new(MOMENT_BUDGET))
        } else {
            stance.inverse(of.0, of.1, foot, &self.last)
        }?;
        self.step = LegAngles::from_fn(found.len(), |joint| found[joint] - self.last[joint]);
        self.last = found;
        Some(found)
    }
}

/// The shortest time, s, in which a leg's joints can go from some angles to others, at rest at both ends (minimum jerk).
pub(crate) fn turn_time(leg: &Leg, from: &LegAngles, to: &LegAngles) -> f64 {
    let joints = leg.joints().iter().zip(from.iter().zip(to.iter()));
    joints.fold(0.0, |time: f64, (joint, (from, to))| {
        let (way, limits) = ((to - from).abs(), joint.limits());
        let Some(greatest) = limits.acceleration else { return time };
        let accelerating = (MINIMUM_JERK_ACCELERATION * way / (PLANNED * greatest)).sqrt();
        time.max(accelerating).max(MINIMUM_JERK_VELOCITY * way / (PLANNED_VELOCITY * limits.velocity))
    })
}
