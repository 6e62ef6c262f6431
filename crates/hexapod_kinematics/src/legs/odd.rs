//! Legs that are not like the others: chains that may be no legs, and axes that may be slips.

use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::options::MIN_LEGS;
use super::order::{Side, side_of};
use super::sizes::parts;
use crate::chain::LegJoint;
use crate::leg::Leg;
use crate::model::Model;

/// A leg this many times as long as most, or most as long as it, is of another kind.
const LENGTH: f64 = 1.3;
/// Parts of legs that differ by less than this part are alike.
const PART: f64 = 0.1;
/// Hips that are farther above or below most than this part of a leg's length are elsewhere.
const HIGH: f64 = 0.25;
/// Cosines of the angles between two axes, from which they are alike and below which they are not.
const ALIKE: f64 = 0.9;
const UNLIKE: f64 = 0.7;
/// Limits nearer to each other than this are the same, rad.
const SAME_RAD: f64 = 0.02;

/// What to tell of chains that were taken for legs though they differ from most, where most agree.
pub(super) fn odd_legs(model: &Model, legs: &[Leg]) -> Option<String> {
    let usual = Usual::of(legs);
    let (odd, like): (Vec<_>, Vec<_>) =
        legs.iter().map(|leg| (leg, usual.differs(leg))).partition(|(_, how)| how.is_some());
    if odd.is_empty() || like.len() < MIN_LEGS || like.len() <= odd.len() {
        return None;
    }
    let odd: Vec<String> =
        odd.iter().map(|(leg, how)| format!("{} ({})", leg.name(), how.as_deref().unwrap_or_default())).collect();
    let entry = |leg: &Leg| {
        let foot = model.links().get(leg.foot_link()).map_or("", |link| link.name());
        format!("{{name: {}, foot_link: {foot}}}", leg.name())
    };
    let entries: Vec<String> = like.iter().map(|(leg, _)| entry(leg)).collect();
    Some(format!(
        "taken as a leg though unlike the others: {}; if that is no leg, list those that are in robot.yaml: `legs: [{}]`",
        odd.join(", "),
        entries.join(", ")
    ))
}

/// What most legs have.
struct Usual {
    joints: usize,
    length: f64,
    hip_height: f64,
    parts: Vec<f64>,
}

impl Usual {
    fn of(legs: &[Leg]) -> Self {
        let counts = || legs.iter().map(Leg::joint_count);
        let joints = counts().max_by_key(|count| counts().filter(|other| other == count).count()).unwrap_or(0);
        let alike = || legs.iter().filter(|leg| leg.joint_count() == joints);
        let part = |index: usize| middle(alike().filter_map(|leg| parts(leg).get(index).copied()));
        Self {
            joints,
            length: middle(alike().map(Leg::length)),
            hip_height: middle(alike().map(|leg| leg.hip_in_body().z)),
            parts: (0..joints).map(part).collect(),
        }
    }

    /// How a leg differs, in words.
    fn differs(&self, leg: &Leg) -> Option<String> {
        let (count, length, raised) = (leg.joint_count(), leg.length(), leg.hip_in_body().z - self.hip_height);
        if count != self.joints {
            return Some(format!("{count} joints, not {}", self.joints));
        }
        if raised.abs() > HIGH * self.length {
            let way = if raised > 0.0 { "above" } else { "below" };
            return Some(format!("its hip is {:.0} mm {way} most", raised.abs() * 1e3));
        }
        // A single part of another length is a slip, and reported as one.
        let own = parts(leg);
        let others = own.iter().zip(&self.parts).filter(|(own, usual)| (*own - *usual).abs() > PART * own.max(**usual));
        let is_long = !(self.length / LENGTH..=self.length * LENGTH).contains(&length);
        (is_long && others.count() > 1).then(|| format!("{:.0} mm long, not {:.0} mm", length * 1e3, self.length * 1e3))
    }
}

fn middle(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// What to tell of each joint that turns about another axis than those of all other legs, or the other way; the legs are in the
/// frame of their hips.
pub(super) fn odd_axes(legs: &[Leg]) -> Vec<String> {
    let count = Usual::of(legs).joints;
    let legs: Vec<&Leg> = legs.iter().filter(|leg| leg.joint_count() == count).collect();
    if legs.len() <= MIN_LEGS {
        return Vec::new();
    }
    (0..count).filter_map(|joint| odd_axis(&legs, joint)).collect()
}

fn odd_axis(legs: &[&Leg], index: usize) -> Option<String> {
    let written: Vec<Vector3<f64>> =
        legs.iter().map(|leg| leg.joints().get(index).map_or_else(Vector3::z, axis)).collect();
    let in_body: Vec<Vector3<f64>> =
        legs.iter().map(|leg| leg.motors(&leg.chain).nth(index).map_or_else(Vector3::z, |screw| screw.axis)).collect();
    let in_leg: Option<Vec<Vector3<f64>>> =
        legs.iter().zip(&in_body).map(|(leg, axis)| Some(body_from_outward(leg)?.transpose() * axis)).collect();
    // However the frames of a description are turned, it is enough that the legs agree in one way of looking at them.
    let views: Vec<&Vec<Vector3<f64>>> = in_leg.iter().chain([&in_body, &written]).collect();
    let alike = views.iter().find(|axes| matches!(Lines::of(axes), Lines::Alike));
    if let Some(axes) = alike {
        let odd = odd_sign(legs, axes, index)?;
        let (leg, joint) = (legs.get(odd)?, legs.get(odd)?.joints().get(index)?);
        let turned = -axis(joint);
        return Some(format!(
            "joint {} of leg {} turns the other way than those of the legs like it; if that is a slip, write <axis xyz=\"{}\"/>",
            joint.name(),
            leg.name(),
            numbers(&turned)
        ));
    }
    let odd = views.iter().find_map(|axes| if let Lines::Odd(odd) = Lines::of(axes) { Some(odd) } else { None })?;
    let (leg, joint) = (legs.get(odd)?, legs.get(odd)?.joints().get(index)?);
    let other =
        written.get(usize::from(odd == 0)).filter(|_| matches!(Lines::of(&written), Lines::Odd(at) if at == odd));
    let mend = match other {
        Some(usual) => format!("write <axis xyz=\"{}\"/>, as the others have it", numbers(usual)),
        None => "look at its <axis> and at the rpy of its <origin>".into(),
    };
    Some(format!(
        "joint {} of leg {} turns about another axis ({}) than that joint of all other legs; if that is a slip, {mend}",
        joint.name(),
        leg.name(),
        numbers(&axis(joint))
    ))
}

/// Whether axes are parallel, either way round.
enum Lines {
    Alike,
    /// All but this one.
    Odd(usize),
    Mixed,
}

impl Lines {
    fn of(axes: &[Vector3<f64>]) -> Self {
        let like = |at: usize, other: usize, least: f64| {
            axes.get(at).zip(axes.get(other)).is_some_and(|(one, other)| one.dot(other).abs() > least)
        };
        let others_alike = |out: Option<usize>| {
            let mut rest = (0..axes.len()).filter(|at| Some(*at) != out);
            rest.next().is_some_and(|first| rest.all(|at| like(first, at, ALIKE)))
        };
        if others_alike(None) {
            return Self::Alike;
        }
        let is_odd = |at: &usize| others_alike(Some(*at)) && !like(*at, usize::from(*at == 0), UNLIKE);
        (0..axes.len()).find(is_odd).map_or(Self::Mixed, Self::Odd)
    }
}

/// The leg whose joint alone turns the other way: of all legs, or of its side, where each side agrees.
fn odd_sign(legs: &[&Leg], axes: &[Vector3<f64>], index: usize) -> Option<usize> {
    let reference = axes.first()?;
    let forward: Vec<bool> = axes.iter().map(|axis| axis.dot(reference) > 0.0).collect();
    let left: Vec<bool> = legs.iter().map(|leg| side_of(leg, &Isometry3::identity()).0 == Side::Left).collect();
    let agree = |of: &dyn Fn(usize) -> bool| {
        let mut ways = (0..legs.len()).filter(|at| of(*at)).map(|at| forward[at]);
        ways.next().filter(|first| ways.all(|way| way == *first))
    };
    (0..legs.len()).find(|&at| {
        let of_all = agree(&|other| other != at);
        let beside = (0..legs.len()).filter(|&other| other != at && left[other] == left[at]).count();
        let of_side = agree(&|other| other != at && left[other] == left[at])
            .filter(|_| beside > 1 && agree(&|other| left[other] != left[at]).is_some());
        let usual = of_all.or(of_side).filter(|usual| *usual != forward[at]);
        usual.is_some() && !has_mirrored_limits(legs, &forward, at, index)
    })
}

/// Whether a joint that turns the other way goes as far as the others: then it was meant so.
fn has_mirrored_limits(legs: &[&Leg], forward: &[bool], at: usize, index: usize) -> bool {
    let limits = |leg: usize| legs.get(leg).and_then(|leg| leg.joints().get(index)).map(LegJoint::limits);
    let other = (0..legs.len()).find(|&other| forward[other] != forward[at]);
    let Some((own, other)) = limits(at).zip(other.and_then(limits)) else { return false };
    let same = |a: f64, b: f64| (a - b).abs() < SAME_RAD;
    !same(own.lower, -own.upper) && same(own.lower, -other.upper) && same(own.upper, -other.lower)
}

/// The leg's own frame: x from its hip outwards to its foot at angle zero, z up; nothing of a leg that stands below its hip.
fn body_from_outward(leg: &Leg) -> Option<Matrix3<f64>> {
    let out = leg.chain.foot_at_zero() - leg.hip_in_body();
    let flat = Vector3::new(out.x, out.y, 0.0);
    (flat.norm() > HIGH * leg.length())
        .then(|| Rotation3::from_axis_angle(&Vector3::z_axis(), crate::math::atan2(flat.y, flat.x)).into_inner())
}

fn axis(joint: &LegJoint) -> Vector3<f64> {
    joint.axis().into_inner()
}

fn numbers(axis: &Vector3<f64>) -> String {
    let number = |x: &f64| {
        let short = format!("{x:.3}");
        let short = short.trim_end_matches('0').trim_end_matches('.');
        if short == "-0" { "0".to_owned() } else { short.to_owned() }
    };
    axis.iter().map(number).collect::<Vec<_>>().join(" ")
}
