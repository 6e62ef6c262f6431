//! Sizes and masses that no robot has, most often because they are in another unit.

use super::foot::joint_from_link;
use super::options::{LegOptions, MIN_LEGS};
use crate::error::{ModelError, ModelFault, Place};
use crate::leg::Leg;
use crate::model::Model;
use nalgebra::Vector3;

/// Lengths of legs that are believed, m.
const SHORTEST_M: f64 = 0.01;
const LONGEST_M: f64 = 10.0;
/// Below this a number that is too long to be one of metres is one of centimetres.
const LONGEST_CM: f64 = 45.0;
/// A leg this many times as long as most, or most as long as it, has a number wrong.
const ODD: f64 = 2.0;
/// Legs whose lengths differ by less than this part are a pair.
const PAIR: f64 = 0.1;
/// A part of a leg this many times as long as that of all others, or they as long as it, is reported.
const ODD_FRACTION: f64 = 1.5;
/// A robot that weighs less than this for the cube of a leg's length is lighter than a frame of foam, kg/m³.
const LIGHTEST: f64 = 1.0;
/// A robot that weighs more than this for the cube of a leg's length is heavier than any metal, kg/m³.
const HEAVIEST: f64 = 2e4;

/// Refuses legs in millimetres.
pub(super) fn check_scale(model: &Model, legs: &[Leg]) -> Result<(), ModelError> {
    let longest = legs.iter().map(Leg::length).fold(0.0, f64::max);
    odd_unit(model, legs)?;
    let centimetres = format!(
        "lengths are in metres (REP-103), these look like centimetres: multiply all of them, and the scale of meshes, by 0.01, \
         which makes legs of {} m",
        plain(longest * 0.01)
    );
    let hint = if longest > LONGEST_M && longest < LONGEST_CM {
        centimetres.as_str()
    } else if longest > LONGEST_M {
        "lengths are in metres (REP-103), these look like millimetres: multiply all of them, and the scale of meshes, by \
         0.001"
    } else if longest < SHORTEST_M {
        "lengths are in metres (REP-103): multiply all of them by what is missing"
    } else {
        return Ok(());
    };
    let place = Place::named("robot", model.name(), None);
    Err(ModelError::new(ModelFault::Legs, place, format!("has legs {} m long", plain(longest)), hint))
}

/// Refuses one part of one leg that is in millimetres where all else is in metres.
fn odd_unit(model: &Model, legs: &[Leg]) -> Result<(), ModelError> {
    let mut all: Vec<f64> = legs.iter().map(Leg::length).collect();
    all.sort_by(f64::total_cmp);
    let middle = all.get(all.len() / 2).copied().unwrap_or_default();
    for leg in legs.iter().filter(|leg| middle < LONGEST_M && leg.length() > LONGEST_M) {
        let parts = parts(leg);
        let Some(index) = (0..parts.len()).max_by(|a, b| parts[*a].total_cmp(&parts[*b])) else { continue };
        let found =
            format!("is {} m from the joint before, in a leg like others of {} m", plain(parts[index]), plain(middle));
        let hint = format!("in m; did you mean millimetres: {:.4}?", parts[index] * 1e-3);
        let place = match leg.moving().get(index + 1).and_then(|joint| model.joints().get(joint.joint_index())) {
            Some(joint) => Place::named("joint", joint.name(), joint.line()).attribute("origin"),
            None => {
                let joint = model.parent_joint(leg.foot_link()).and_then(|joint| model.joints().get(joint));
                let line = joint.and_then(|joint| joint.line());
                Place::named("joint", joint.map_or("", |joint| joint.name()), line).attribute("origin")
            }
        };
        return Err(ModelError::new(ModelFault::Legs, place, found, hint));
    }
    Ok(())
}

/// Refuses a leg that is far longer or shorter than most, and alone in that, unless its foot is a link that is named.
pub(super) fn check_alike(model: &Model, legs: &[Leg], options: &LegOptions) -> Result<(), ModelError> {
    let mut lengths: Vec<f64> = legs.iter().map(Leg::length).collect();
    lengths.sort_by(f64::total_cmp);
    let Some(&middle) = lengths.get(lengths.len() / 2) else { return Ok(()) };
    for leg in legs {
        let own = leg.length();
        let pairs = lengths.iter().filter(|other| (**other - own).abs() <= PAIR * own).count();
        let named = options.foot_links.iter().any(|(name, _)| name == leg.name());
        if named || (middle / ODD..=middle * ODD).contains(&own) || pairs > 1 {
            continue;
        }
        let found = format!("is {} m long where others have {} m", plain(own), plain(middle));
        let hint = "look at the origins of its joints and of its foot; if it is meant to be so, list all legs under legs \
                    in robot.yaml";
        return Err(ModelError::new(ModelFault::Legs, end_of(model, leg, options), found, hint));
    }
    Ok(())
}

/// What to tell of each part of a leg that no other leg has so long, or so short, where the others agree.
pub(super) fn odd_parts(model: &Model, legs: &[Leg], options: &LegOptions) -> Vec<String> {
    let parts: Vec<Vec<f64>> = legs.iter().map(parts).collect();
    let mut reported = Vec::new();
    for (leg, own) in legs.iter().zip(&parts) {
        for (index, &length) in own.iter().enumerate() {
            let others = || parts.iter().filter(|other| other.len() == own.len()).filter_map(|other| other.get(index));
            let mut sorted: Vec<f64> = others().copied().collect();
            sorted.sort_by(f64::total_cmp);
            let Some(&middle) = sorted.get(sorted.len() / 2).filter(|_| sorted.len() >= MIN_LEGS) else { continue };
            let alike = |a: f64, b: f64| (a - b).abs() <= PAIR * a.max(b);
            let agree = others().filter(|other| alike(**other, middle)).count() + 1 >= sorted.len();
            if !agree || (middle / ODD_FRACTION..=middle * ODD_FRACTION).contains(&length) {
                continue;
            }
            let joint = |index: usize| leg.moving().get(index).map_or("", |joint| joint.name());
            let (mm, usual) = (length * 1e3, middle * 1e3);
            let (part, mend) = match leg.moving().get(index + 1) {
                Some(next) => (format!("joint {}", next.name()), "its <origin>".to_owned()),
                None => {
                    let point = foot_at(model, leg, middle).map(ten_thousandths).join(", ");
                    let name = foot_key(model, leg, options);
                    (
                        "its foot".to_owned(),
                        format!("where its foot is, as in feet: {{{name}: [{point}]}} in robot.yaml"),
                    )
                }
            };
            reported.push(format!(
                "leg {}: {part} is {mm:.0} mm from {}, where it is {usual:.0} mm in the other legs; if that is a slip, \
                 correct {mend}",
                leg.name(),
                joint(index)
            ));
        }
    }
    reported
}

/// The point so far from the last joint as the other legs' feet, the way that this foot is, in the frame of the foot's link.
fn foot_at(model: &Model, leg: &Leg, distance: f64) -> [f64; 3] {
    let way = leg.tip().translation.vector.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::x);
    let joint_from_link = joint_from_link(model, leg.foot_link());
    joint_from_link.inverse_transform_point(&(distance * way).into()).coords.into()
}

/// The name under which robot.yaml gives the foot, or would.
fn foot_key<'a>(model: &'a Model, leg: &'a Leg, options: &LegOptions) -> &'a str {
    let is_given = options.feet.iter().any(|(name, _)| name == leg.name());
    if is_given { leg.name() } else { model.links().get(leg.foot_link()).map_or("", |link| link.name()) }
}

fn ten_thousandths(length: f64) -> String {
    if length.abs() < 5e-5 { "0.0".into() } else { format!("{length:.4}") }
}

/// How far each joint of a leg after the first is from the one before, and the foot from the last, m.
pub(super) fn parts(leg: &Leg) -> Vec<f64> {
    let joints = leg.moving().iter().skip(1).map(|joint| joint.origin().translation.vector.norm());
    joints.chain([leg.tip().translation.vector.norm()]).collect()
}

/// What to tell of a robot that weighs next to nothing for its size.
pub(super) fn too_light(model: &Model, legs: &[Leg]) -> Option<String> {
    let longest = legs.iter().map(Leg::length).fold(0.0, f64::max);
    let mass = model.total_mass();
    (mass > 0.0 && mass < LIGHTEST * longest * longest * longest).then(|| {
        let inches = longest * 0.0254;
        format!(
            "the robot weighs {mass:.2} kg with legs {} m long, less than any that size: lengths are in metres (REP-103); if \
             these are inches, multiply all of them by 0.0254, which makes legs of {} m; if feet, by 0.3048",
            plain(longest),
            plain(inches)
        )
    })
}

/// Where it is said how long a leg is: at its foot, where that is given, else at its last joint.
fn end_of(model: &Model, leg: &Leg, options: &LegOptions) -> Place {
    if options.feet.iter().any(|(name, _)| name == leg.name()) {
        return Place::element(format!("foot \"{}\"", leg.name()), None);
    }
    let last = leg.joints().last().and_then(|joint| model.joints().get(joint.joint_index()));
    Place::element(format!("leg \"{}\"", leg.name()), last.and_then(|joint| joint.line()))
}

/// What to tell of a robot that is too heavy for its size.
pub(super) fn too_heavy(model: &Model, legs: &[Leg]) -> Option<String> {
    let longest = legs.iter().map(Leg::length).fold(0.0, f64::max);
    let mass = model.total_mass();
    (mass > HEAVIEST * longest * longest * longest).then(|| {
        format!("the robot weighs {mass:.0} kg with legs {} m long: masses are in kg; are these grams?", plain(longest))
    })
}

/// A length to three digits or so.
fn plain(length: f64) -> String {
    let digits = match length {
        100.0.. => 0,
        10.0..100.0 => 1,
        1.0..10.0 => 2,
        0.1..1.0 => 3,
        _ => 6,
    };
    format!("{length:.digits$}")
}
