//! Sizes and masses that no robot has, most often because they are in another unit.

use super::options::LegOptions;
use crate::error::{ModelError, ModelFault, Place};
use crate::leg::Leg;
use crate::model::Model;

/// Lengths of legs that are believed, m.
const SHORTEST_M: f64 = 0.01;
const LONGEST_M: f64 = 10.0;
/// A leg this many times as long as most, or most as long as it, has a number wrong.
const ODD: f64 = 2.0;
/// Legs whose lengths differ by less than this part are a pair.
const PAIR: f64 = 0.1;
/// A robot that weighs more than this for the cube of a leg's length is heavier than any metal, kg/m³.
const HEAVIEST: f64 = 2e4;

/// Refuses legs in millimetres.
pub(super) fn check_scale(model: &Model, legs: &[Leg]) -> Result<(), ModelError> {
    let longest = legs.iter().map(Leg::length).fold(0.0, f64::max);
    let hint = if longest > LONGEST_M {
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
