//! How long a robot takes at most, from whatever it does, until it sits: what whoever switches its servos off, or ends its
//! process, has to wait for.
//!
//! The body slows down as its acceleration allows, feet in the air come down within a cycle, feet that bar the way down are
//! put back, and the body comes down. A robot that is on its way up puts one leg down first. What is played is left through
//! one way in joint space at most, or a few stages over the ground.

use crate::engine::Engine;
use crate::gait::Gait;
use crate::gait::swing::MINIMUM_JERK_VELOCITY;
use crate::motion::{LONGEST_REWIND_S, Player, longest_way_home};
use crate::plan::fitting::Fit;
use crate::plan::sequence::centring::longest_centring;
use crate::plane::ramp::Ramp;
use crate::plant::STAGE_TIME_S;
use crate::plant::joints::turn_time;
use hexapod_kinematics::{Leg, LegAngles};

/// The longest time until a robot sits, and what it is made of, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ending {
    /// What is played comes to its end, all feet on the ground.
    pub leaving_s: f64,
    /// The body of a robot that walks comes to rest.
    pub braking_s: f64,
    /// Its feet come down, and to where the body can come down between them.
    pub stepping_s: f64,
    /// The body comes down.
    pub lowering_s: f64,
}

/// For the body to come back over its feet, and for what is rounded to ticks, s.
const SETTLING_S: f64 = 1.0;
/// Where a joint would be too fast the whole robot is slower; how much longer everything takes.
const SLOWER: f64 = 1.1;
/// The farthest a pose takes the body from its place over the feet, m.
const FARTHEST_POSE_M: f64 = 0.1;
/// What would never end takes so long, s.
const FOR_EVER_S: f64 = 1e6;
/// Stages in which a leg is brought to its place.
const STAGES: f64 = 3.0;
/// A way down that is barred goes on through joint space: so many times as long both take together.
const BARRED: f64 = 1.2;

impl Ending {
    /// The longest time until the robot sits, s.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let Self { leaving_s, braking_s, stepping_s, lowering_s } = self;
        (SLOWER * (leaving_s + braking_s + stepping_s + lowering_s) + SETTLING_S).min(FOR_EVER_S)
    }

    /// The longer of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if other.seconds() > self.seconds() { other } else { self }
    }

    /// Of whatever a robot may do that walks on this gait, motions of joints included.
    #[must_use]
    pub fn of_any(engine: &Engine, gait: &Gait) -> Self {
        let on = |fit: Fit| {
            let gait = fit.suited(*gait);
            Self::playing(engine, &gait, true).or(Self::walking(engine, &gait))
        };
        on(engine.fit()).or(on(engine.fit().on_roughest_ground()))
    }

    /// Of what a player does now, or may begin to do by itself.
    #[must_use]
    pub fn of_player(player: &Player) -> Self {
        let engine = player.engine();
        let gaits = &engine.now.control.gaits;
        let of = |gait: &Gait| match player.is_playing() {
            true => Self::playing(engine, gait, player.may_rewind()),
            false => Self::walking(engine, gait),
        };
        let walked = of(&gaits.walked);
        gaits.next.as_ref().map_or(walked, |gait| walked.or(of(gait)))
    }

    fn walking(engine: &Engine, gait: &Gait) -> Self {
        Self { braking_s: braking(engine, gait), ..Self::default() }.and_down(engine, gait)
    }

    fn playing(engine: &Engine, gait: &Gait, rewinds: bool) -> Self {
        let rewinding_s = if rewinds { LONGEST_REWIND_S } else { 0.0 };
        Self { leaving_s: longest_way_home(turning(engine)) + rewinding_s, ..Self::default() }.and_down(engine, gait)
    }

    /// And what follows.
    fn and_down(self, engine: &Engine, gait: &Gait) -> Self {
        let (plant, turning_s) = (&engine.plant, turning(engine));
        let [_, cycle] = gait.cycle_times();
        let cycle = cycle.max(engine.now.route.start().walk.cycle);
        // Feet are put back only as long as there is time for it, however long the body takes to come to rest.
        let centring_s = longest_centring(&engine.fit().limits_for(gait), cycle) + gait.swing_fraction() * cycle;
        let rising_s = STAGES * turning_s.max(STAGE_TIME_S);
        let shifting_s = 2.0 * (FARTHEST_POSE_M / plant.shift_m_s2()).sqrt();
        let spec = plant.stance.own_spec();
        let lowered = plant.height_profile(spec.height, spec.sit_height, plant.sit_time).left();
        Self {
            stepping_s: cycle.max(centring_s.max(rising_s) - self.braking_s) + shifting_s,
            lowering_s: (BARRED * lowered).max(lowered + turning_s),
            ..self
        }
    }
}

/// From the greatest speed to rest: what the bounds and the steps allow, or the present one where more was allowed before.
fn braking(engine: &Engine, gait: &Gait) -> f64 {
    let (plant, limits) = (&engine.plant, engine.fit().limits_for(gait));
    let [shortest, _] = gait.cycle_times();
    let stepped = gait.stroke() * plant.stance.reach().axes().max() / (gait.duty_factor() * shortest);
    let now = engine.own_last().twist;
    let linear = limits.linear_velocity.min(stepped).max(now.speed());
    let angular = limits.angular_velocity.min(stepped / plant.farthest_rest).max(now.wz.abs());
    let time = |speed: f64, acceleration: f64| if speed > 0.0 { speed / acceleration } else { 0.0 };
    let ramped = time(linear, limits.linear_acceleration).max(time(angular, limits.angular_acceleration));
    2.0 * Ramp::lag(&limits) + ramped.min(FOR_EVER_S)
}

/// The longest time any joint takes from one end of its range to the other, s.
fn turning(engine: &Engine) -> f64 {
    engine.legs().iter().map(turning_leg).fold(0.0, f64::max).min(FOR_EVER_S)
}

fn turning_leg(leg: &Leg) -> f64 {
    let limits = |joint: usize| leg.joints().get(joint).map(|joint| joint.limits());
    let [lower, upper] = [false, true].map(|upper| {
        let end = |joint| limits(joint).map_or(0.0, |limits| if upper { limits.upper } else { limits.lower });
        LegAngles::from_fn(leg.joint_count(), end)
    });
    let joints = leg.joints().iter().map(|joint| joint.limits());
    let fastest = joints.map(|limits| MINIMUM_JERK_VELOCITY * (limits.upper - limits.lower) / limits.velocity);
    fastest.fold(turn_time(leg, &lower, &upper), f64::max)
}
