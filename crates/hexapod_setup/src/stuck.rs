//! What to tell the owner of a robot that stands, and does not walk.

use crate::rehearsal::{Stuck, is_without_room, stand_up};
use crate::robot::Description;
use hexapod_config::units::short;
use hexapod_gait::{Balance, Engine, LimitedBy, Tick};
use hexapod_kinematics::{IterationBudget, JointLimits, Leg, LegJoint};
use nalgebra::{Vector2, Vector3};

/// A leg without which the centre of mass is nearer to the edge of the other feet than this, in lengths of the leg, is what
/// keeps the robot from walking.
const UNSAFE: f64 = 0.1;
/// How much farther joints turn than they do in a trial of which of them binds, rad.
const FARTHER_RAD: f64 = 0.6;
/// Slower than servos that are sold for legs, which turn by 60 degrees in half a second: joints of this velocity are to
/// blame where a path is too fast for them, faster ones where nothing else is.
const SLOW_RAD_S: f64 = 2.0;
/// How far a foot is to go each way, in lengths of its leg, to see what bars it, and in how many directions.
const LITTLE_WAY: f64 = 0.1;
const DIRECTIONS: usize = 12;
/// A joint that is nearer to an end of its range than this, rad, is at it.
const AT_END_RAD: f64 = 1e-3;
/// Steps of an iteration for one place.
const BUDGET: u32 = 200;
const MM: f64 = 1e3;

/// What is wrong and what would be right, with the joint and the attribute of it that say so.
pub(crate) struct Reason {
    pub joint: String,
    pub attribute: &'static str,
    pub why: String,
    pub help: String,
}

/// What is in the way of a robot that is stuck.
pub(crate) fn explain(stuck: &Stuck, binding: Option<Reason>, engine: &Engine, description: &Description) -> Reason {
    let mut reported = if let Some(binding) = binding {
        binding
    } else if is_without_room(engine) {
        crowded(engine).or_else(|| no_room(engine, description)).unwrap_or_else(|| little_room(engine))
    } else if matches!(stuck.by, LimitedBy::JointVelocity | LimitedBy::JointAcceleration) {
        unbalanced(engine).filter(|_| !is_slow(engine)).unwrap_or_else(|| too_slow(engine))
    } else {
        unbalanced(engine).unwrap_or_else(|| little_room(engine))
    };
    reported.why = format!("{}: {}", stuck.what(), reported.why);
    reported
}

/// The leg that cannot be lifted, because without it the others do not hold the robot up; and what to look at.
pub(crate) fn unbalanced(engine: &Engine) -> Option<Reason> {
    let mut reason = not_held_up(engine)?;
    reason.help += ": look at the masses and origins of <inertial>, at the origins of the legs' first joints, and at their \
                    limits, which say where feet stand and how far they go";
    Some(reason)
}

/// The same without that.
pub(crate) fn not_held_up(engine: &Engine) -> Option<Reason> {
    let lifts = lifts(engine);
    let worst = lifts.iter().min_by(|a, b| a.margin_m.total_cmp(&b.margin_m)).filter(|lift| lift.is_unsafe())?;
    let room_mm = engine.stance().reach().least() * MM;
    let place = match worst.margin_m {
        f64::NEG_INFINITY => "its other feet are in one line".to_owned(),
        ..0.0 => format!("its centre of mass is {:.0} mm outside its other feet", -worst.margin_m * MM),
        margin_m => format!("its centre of mass is only {:.0} mm inside its other feet", margin_m * MM),
    };
    let helps = lifts.iter().filter(|lift| lift.is_unsafe()).all(|lift| lift.away.dot(&worst.away) > 0.0);
    let weight = if helps { format!("its weight must lie {}, or", worst.side()) } else { "place".into() };
    let hips = if helps { " that leg elsewhere" } else { " the legs so that any one of them can be missed" };
    Some(Reason {
        joint: first_joint(worst.leg),
        attribute: "origin",
        why: format!(
            "with leg {} in the air {place}, and its feet leave it {room_mm:.0} mm of room to lean over them",
            worst.leg.name()
        ),
        help: format!("{weight}{hips}"),
    })
}

/// What is left to stand on where one leg is lifted.
struct Lift<'a> {
    leg: &'a Leg,
    margin_m: f64,
    /// From that leg's foot to the centre of mass.
    away: Vector2<f64>,
}

impl Lift<'_> {
    fn is_unsafe(&self) -> bool {
        self.margin_m < UNSAFE * self.leg.length()
    }

    /// Where the other feet are, in words.
    fn side(&self) -> &'static str {
        let away = self.away;
        match (away.x.abs() > away.y.abs(), away.x > 0.0, away.y > 0.0) {
            (true, true, _) => "farther ahead",
            (true, false, _) => "farther back",
            (false, _, true) => "more to the left",
            (false, _, false) => "more to the right",
        }
    }
}

fn lifts(engine: &Engine) -> Vec<Lift<'_>> {
    let (standing, balance) = (standing(engine), Balance::new(engine.robot()));
    let lift = |(index, leg): (usize, _)| {
        let mut tick = standing;
        tick.contacts[index] = false;
        let left = balance.of(&tick);
        Lift { leg, margin_m: left.margin, away: left.centre - standing.feet[index].xy() }
    };
    engine.legs().iter().enumerate().map(lift).collect()
}

/// The slowest joint, and its greatest velocity.
fn slowest(engine: &Engine) -> (&str, f64) {
    let joints = engine.legs().iter().flat_map(Leg::joints).map(|joint| (joint.name(), joint.limits().velocity));
    joints.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
}

/// Whether a joint is slower than those of servos that walk.
pub(crate) fn is_slow(engine: &Engine) -> bool {
    slowest(engine).1 < SLOW_RAD_S
}

pub(crate) fn too_slow(engine: &Engine) -> Reason {
    let (joint, velocity) = slowest(engine);
    Reason {
        joint: joint.into(),
        attribute: "limit",
        why: format!("its joints are too slow for a step: {joint} turns at {} rad/s at most", short(velocity)),
        help: "raise the velocity in the <limit> of the legs' joints if their servos are faster, or lower step_height, or give \
               the gaits a longer cycle_time in gaits.yaml"
            .into(),
    }
}

/// The joint that gathers speed most slowly, where such limits are given.
pub(crate) fn sluggish(engine: &Engine) -> Option<Reason> {
    let joints = engine.legs().iter().flat_map(Leg::joints);
    let limited = joints.filter_map(|joint| Some((joint.name(), joint.limits().acceleration?)));
    let (joint, acceleration) = limited.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Reason {
        joint: joint.into(),
        attribute: "limit",
        why: format!(
            "its joints gather speed too slowly for a step: {joint} by {} rad/s\u{b2} at most",
            short(acceleration)
        ),
        help:
            "raise the acceleration under `limits` in robot.yaml, or take it out: without one the velocity alone counts"
                .into(),
    })
}

/// Two legs whose feet stand so near to each other that neither can step.
fn crowded(engine: &Engine) -> Option<Reason> {
    let feet = || engine.legs().iter().zip(engine.rest_feet());
    let pairs = feet().enumerate().flat_map(|(index, one)| feet().skip(index + 1).map(move |other| (one, other)));
    let apart_m = |((_, a), (_, b)): &((_, &Vector2<f64>), (_, &Vector2<f64>))| (*a - *b).norm();
    let nearest = pairs.min_by(|a, b| apart_m(a).total_cmp(&apart_m(b)))?;
    let ((one, _), (other, _)) = nearest;
    (apart_m(&nearest) < LITTLE_WAY * one.length()).then(|| Reason {
        joint: first_joint(other),
        attribute: "origin",
        why: format!(
            "the feet of legs {} and {} stand {:.0} mm apart, so that neither can step",
            one.name(),
            other.name(),
            apart_m(&nearest) * MM
        ),
        help: "place the hips of these legs, by the origins of their first joints, farther apart, or turn them (rpy) so that \
               they point away from each other"
            .into(),
    })
}

/// The leg that has no room about the place where its foot rests, and what bars it.
pub(crate) fn no_room(engine: &Engine, description: &Description) -> Option<Reason> {
    let step_mm = engine.stance().spec().step_height * MM;
    let barred = engine.legs().iter().enumerate().filter_map(|(index, leg)| {
        let (joint, count) = most_in_the_way(engine, index, leg)?;
        Some((leg, joint, count))
    });
    let (leg, joint, _) = barred.max_by_key(|(.., count)| *count)?;
    let (name, limits) = (joint.name(), joint.limits());
    Some(Reason {
        joint: name.into(),
        attribute: "limit",
        why: format!(
            "leg {} has no room to lift its foot by {step_mm:.0} mm and put it elsewhere: {name} turns only from {} to {} rad",
            leg.name(),
            short(limits.lower),
            short(limits.upper)
        ),
        help: format!(
            "if such servos turn farther, {}; or choose another body_height, or a smaller step_height and max_step_height, in \
             hexapod.yaml",
            wider(description.robot.joint_place(name).map(|(_, place)| place), description)
        ),
    })
}

/// The joint that is most often at an end of its range as the foot of a leg is lifted or goes a little each way, and how
/// often.
fn most_in_the_way<'a>(engine: &Engine, index: usize, leg: &'a Leg) -> Option<(&'a LegJoint, usize)> {
    let standing = standing(engine);
    let (rest, seed) = (standing.feet.get(index)?, standing.angles.get(index)?);
    let up = Vector3::new(0.0, 0.0, engine.stance().spec().step_height);
    let ways = (0..DIRECTIONS).map(|direction| {
        let (sin, cos) = (std::f64::consts::TAU * direction as f64 / DIRECTIONS as f64).sin_cos();
        Vector3::new(cos, sin, 0.0) * LITTLE_WAY * leg.length()
    });
    let mut counts = vec![0; leg.joint_count()];
    for way in ways.flat_map(|way| [way, up + 0.6 * way]).chain([up]) {
        let foot = standing.footprint_from_body.inverse_transform_point(&(rest + way).into()).coords;
        let pose = leg.closest_within_budget(&foot, seed, &mut IterationBudget::new(BUDGET));
        let ends = leg.joints().iter().zip(pose.angles.iter()).map(|(joint, angle)| joint.limits().margin(*angle));
        let barring = counts.iter_mut().zip(ends).filter(|(_, margin)| !pose.reached && *margin < AT_END_RAD);
        barring.for_each(|(count, _)| *count += 1);
    }
    let (joint, count) = leg.joints().iter().zip(counts).max_by_key(|(_, count)| *count)?;
    (count > 0).then_some((joint, count))
}

/// What to say where nothing else is to blame.
fn little_room(engine: &Engine) -> Reason {
    let [room_mm, margin_mm] = [engine.stance().reach().least(), engine.standing_margin()].map(|size| size * MM);
    Reason {
        joint: engine.legs().first().map(first_joint).unwrap_or_default(),
        attribute: "limit",
        why: format!(
            "its feet have {room_mm:.0} mm of room to step, and its centre of mass is {margin_mm:.0} mm inside them, which is not \
             enough for this gait"
        ),
        help: "widen the limits of the legs' joints to what the servos do, or choose another body_height or step_height in \
               hexapod.yaml"
            .into(),
    }
}

pub(crate) fn first_joint(leg: &Leg) -> String {
    leg.joints().first().map_or_else(String::new, |joint| joint.name().into())
}

/// The robot on its feet.
fn standing(engine: &Engine) -> Tick {
    let mut engine = engine.clone();
    stand_up(&mut engine);
    *engine.last()
}

/// How to widen the limits of the joint at this place of each leg, or of all joints.
pub(crate) fn wider(place: Option<usize>, description: &Description) -> String {
    let file = description.robot_file.display();
    let of = |joint: &LegJoint| {
        let [lower, upper] = widened(joint.limits()).map(short);
        format!("{}: {{lower: {lower}, upper: {upper}}}", joint.name())
    };
    let legs = description.robot.legs();
    let (joints, rest): (Vec<String>, _) = match place {
        Some(place) => (legs.iter().filter_map(|leg| leg.joints().get(place)).map(of).collect(), ""),
        None => (legs.iter().take(1).flat_map(Leg::joints).map(of).collect(), ", and so for each leg"),
    };
    format!("widen their limits, as in `limits: {{{}}}` in {file}{rest}", joints.join(", "))
}

/// Limits that let a joint turn farther.
pub(crate) fn widened(limits: &JointLimits) -> [f64; 2] {
    [
        (limits.lower - FARTHER_RAD).max(-std::f64::consts::PI).min(limits.lower),
        (limits.upper + FARTHER_RAD).min(std::f64::consts::PI).max(limits.upper),
    ]
}
