//! `gaits.yaml`.

use crate::config_file::ConfigFile;
use crate::names;
use crate::threads;
use hexapod_config::ros_params::hint_for;
use hexapod_config::{ConfigError, Document, Faults};
use hexapod_gait::{Gait, GaitError, GaitSpec, LegPlace, RoughLevel, RoughLevels, leg_places};
use hexapod_kinematics::{Leg, MAX_LEGS, MIN_LEGS, Robot};
use nalgebra::Vector2;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Fewest legs on which a robot keeps three feet on the ground while it lifts one.
const LEAST_LEGS: usize = 4;

/// How the reason ends why a gait is not for a robot that it does not hold up.
const FALLS: &str = "would not stand on its feet at every moment of it";

/// Gaits by name in the order of the file, laid out for a robot's legs.
#[derive(Clone, Debug)]
pub struct Gaits {
    known: Vec<Known>,
    rough: RoughLevels,
}

#[derive(Clone, Debug)]
struct Known {
    name: String,
    /// The gait, or why it is not for this robot.
    gait: Result<Gait, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    gaits: InOrder,
    #[serde(default)]
    rough: Vec<RoughLevel>,
}

/// The mapping of gaits in the order of the file.
struct InOrder(Vec<(String, GaitSpec)>);

impl<'de> Deserialize<'de> for InOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = InOrder;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a mapping from name to gait")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InOrder, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(InOrder(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl Gaits {
    /// Reads and checks a file of gaits. Gaits for other numbers of legs, or for legs of other names, are kept apart.
    ///
    /// # Errors
    /// File, line and key of each gait that does not hold for any robot, or not for this one that it names.
    pub fn read(file: impl Into<ConfigFile>, robot: &Robot) -> Result<Self, ConfigError> {
        let document = file.into().read_on()?;
        let mut faults = Faults::default();
        let file: Option<File> = document.deserialize_on(&mut faults);
        let read = file.map(|file| Self::of_file(file, &document, robot, &mut faults));
        let gaits = faults.or(read)?;
        if gaits.iter().next().is_none() {
            return Err(gaits.none_for_it(&document, robot));
        }
        Ok(gaits)
    }

    /// Checks a file of gaits as far as that can be done without knowing the robot.
    ///
    /// # Errors
    /// File, line and key of what does not hold for any robot.
    pub fn check_alone(file: impl Into<ConfigFile>) -> Result<(), ConfigError> {
        let document = file.into().read_on()?;
        let mut faults = Faults::default();
        let file: Option<File> = document.deserialize_on(&mut faults);
        let Some(file) = file else { return faults.into_result() };
        for (name, spec) in file.gaits.0 {
            names::check(&document, "gaits", &name, &mut faults);
            note_all(&document, &format!("gaits.{name}."), spec.faults(&[]), &mut faults);
        }
        note_all(&document, "rough", RoughLevels::faults(&file.rough), &mut faults);
        faults.into_result()
    }

    fn of_file(file: File, document: &Document, robot: &Robot, faults: &mut Faults) -> Self {
        let places = leg_places(robot);
        let hips: Vec<Vector2<f64>> = robot.legs().iter().map(|leg| leg.hip_in_body().xy()).collect();
        let mut known = Vec::new();
        for (name, spec) in file.gaits.0 {
            names::check(document, "gaits", &name, faults);
            let (found, above) = (spec.faults(&[]), format!("gaits.{name}."));
            if !found.is_empty() {
                note_all(document, &above, found, faults);
                continue;
            }
            let gait = if !spec.legs.is_empty() && !spec.legs.contains(&places.len()) {
                Err(format!("it is not for {} legs", places.len()))
            } else if names_other_legs(&spec, &places) && !is_meant(document, &name) {
                Err(format!("its phase_offsets are for other legs than {}", listed(&places)))
            } else {
                note_all(document, &above, spec.faults(&places), faults);
                let Ok(gait) = Gait::try_new(&spec, &places) else { continue };
                if !spec.stable || stands(&gait, &hips) {
                    Ok(gait)
                } else if !is_meant(document, &name) && is_for_others(&spec) {
                    Err(format!("a robot of {} legs placed so {FALLS}", hips.len()))
                } else {
                    let help = "raise `duty_factor` or choose other lags; or say `stable: false` if that is meant";
                    let message = "the robot would not stand on its feet at every moment of this gait";
                    faults.add(document.error_at(&format!("gaits.{name}"), message, help));
                    continue;
                }
            };
            known.push(Known { name, gait });
        }
        note_all(document, "rough", RoughLevels::faults(&file.rough), faults);
        Self { known, rough: RoughLevels::try_new(&file.rough).unwrap_or_default() }
    }

    fn none_for_it(&self, document: &Document, robot: &Robot) -> ConfigError {
        let legs = robot.legs().len();
        if legs < LEAST_LEGS {
            let message = format!(
                "a robot of {legs} legs has two feet on the ground whenever it lifts one, and falls: it cannot walk"
            );
            let help = "a robot walks on 4 to 8 legs; for one that is held, write a gait with `stable: false`";
            return document.error_at("gaits", message, help);
        }
        let names: Vec<&str> = robot.legs().iter().map(Leg::name).collect();
        let help = format!(
            "describe one, such as `crawl` for four legs or `tripod` for six; should one of {} be no leg, list the others \
             under legs in robot.yaml",
            names.join(", ")
        );
        let notes = robot.model().notes().iter().map(|note| format!("; {note}")).collect::<String>();
        let falls: Vec<&str> = self.left_out().filter(|(_, why)| why.ends_with(FALLS)).map(|(name, _)| name).collect();
        if !falls.is_empty() {
            let message = format!(
                "none is for this robot of {legs} legs: on {} it would not stand on its feet at every moment{notes}",
                falls.join(", ")
            );
            let help = format!("{}; else describe a gait for it, or one with `stable: false`", hips_of(robot));
            return document.error_at("gaits", message, help);
        }
        document.error_at("gaits", format!("none is for this robot of {legs} legs{notes}"), help)
    }

    /// The gait of this name.
    ///
    /// # Errors
    /// No gait has it, naming those that there are, or it is not for this robot.
    pub fn get(&self, name: &str) -> Result<Gait, String> {
        let names = || self.names().collect::<Vec<_>>().join(", ");
        match self.known.iter().find(|known| known.name == name) {
            Some(Known { gait: Ok(gait), .. }) => Ok(*gait),
            Some(Known { gait: Err(why), .. }) => {
                Err(format!("gait {name:?} is not for this robot ({why}); there are {}", names()))
            }
            None => {
                let known: Vec<&str> = self.names().collect();
                let near = hint_for(name, &known);
                let near = if near.starts_with("did you mean") { format!("; {near}") } else { String::new() };
                Err(format!("there is no gait {name:?}; there are {}{near}", names()))
            }
        }
    }

    /// The gaits of this robot with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Gait)> {
        self.known.iter().filter_map(|known| Some((known.name.as_str(), known.gait.as_ref().ok()?)))
    }

    /// The same gaits, each made ready for an engine, such as with `Engine::ready`.
    #[must_use]
    pub fn made_ready(mut self, ready: impl Fn(Gait) -> Gait + Sync) -> Self {
        let gaits = self.known.iter().filter_map(|known| known.gait.as_ref().ok().copied());
        let mut made = threads::each(gaits, ready).into_iter();
        for gait in self.known.iter_mut().filter_map(|known| known.gait.as_mut().ok()) {
            *gait = made.next().unwrap_or(*gait);
        }
        self
    }

    /// The gait to start with, by name: the one asked for; or, when that is for other legs, the first in the file on
    /// which this robot stands at every moment, with a remark that says so.
    ///
    /// # Errors
    /// No gait has that name, or none for this robot keeps it on its feet, so that it has to be asked for.
    pub fn starting(&self, name: &str) -> Result<(String, Gait, Option<String>), String> {
        let why = match self.get(name) {
            Ok(gait) => return Ok((name.to_owned(), gait, None)),
            Err(why) => why,
        };
        let is_known = self.known.iter().any(|known| known.name == name);
        match self.stable().next() {
            Some((other, gait)) if is_known => {
                Ok((other.to_owned(), *gait, Some(format!("{why}: starting with {other:?}"))))
            }
            None if is_known => Err(format!("{why}; none of these keeps it on its feet at every moment")),
            _ => Err(why),
        }
    }

    /// The names of all gaits for this robot.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().filter(|known| known.gait.is_ok()).map(|known| known.name.as_str())
    }

    /// The names of the others, and why they are not for it.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().filter_map(|known| known.gait.as_ref().err().map(|why| (known.name.as_str(), why.as_str())))
    }

    /// How much higher feet are lifted on rough ground.
    #[must_use]
    pub fn rough(&self) -> &RoughLevels {
        &self.rough
    }

    /// The gaits of this robot that may be chosen by themselves, with their names: those that keep it on its feet.
    pub fn stable(&self) -> impl Iterator<Item = (&str, &Gait)> {
        self.iter().filter(|(_, gait)| gait.is_stable())
    }
}

/// Whether a gait is meant for this robot: the owner wrote it over those that are shipped for robots in general.
fn is_meant(document: &Document, name: &str) -> bool {
    document.layer(&format!("gaits.{name}")).is_some_and(|layer| layer > 0)
}

fn note_all(document: &Document, above: &str, found: Vec<GaitError>, faults: &mut Faults) {
    for GaitError { key, message } in found {
        faults.add(document.error_at(&format!("{above}{key}"), message, ""));
    }
}

/// True when the gait gives phases by name, none of them of a leg of this robot.
fn names_other_legs(spec: &GaitSpec, places: &[LegPlace]) -> bool {
    !spec.phase_offsets.is_empty() && !places.iter().any(|place| spec.phase_offsets.contains_key(&place.name))
}

/// Where a robot's hips are, for somebody whose gaits do not suit them.
pub(crate) fn hips_of(robot: &Robot) -> String {
    let hips: Vec<String> = robot.legs().iter().map(|leg| at_mm(leg.name(), leg.hip_in_body().xy())).collect();
    format!(
        "the hips of its legs are at {} mm: correct the origins of their first joints if that is not where they are",
        hips.join(", ")
    )
}

fn at_mm(name: &str, at: Vector2<f64>) -> String {
    format!("{name} {:.0} {:.0}", at.x * 1e3, at.y * 1e3)
}

fn listed(places: &[LegPlace]) -> String {
    places.iter().map(|place| place.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Whether at least three feet stand around the middle of the legs at every moment. The hips stand for the feet, which
/// rest straight out from them or below them; the tolerance is for hips that are not quite symmetric, as with four legs
/// the middle lies on an edge whenever one swings. A body that sways goes over the feet that stay, wherever those are: whether
/// it comes far enough is seen when the robot is tried.
fn stands(gait: &Gait, hips: &[Vector2<f64>]) -> bool {
    let middle = hips.iter().sum::<Vector2<f64>>() / hips.len().max(1) as f64;
    let size = hips.iter().map(|hip| (hip - middle).norm()).fold(0.0, f64::max);
    gait.least_margin(hips, middle) >= -1e-6 - (0.03 + SWAYS * gait.sway()) * size
}

/// A body sways so far for its balance, in units of how far the hips are from their middle.
const SWAYS: f64 = 0.3;

/// Whether a robot with another number of legs would stand on this gait: two rows of legs, evenly apart.
fn is_for_others(spec: &GaitSpec) -> bool {
    (MIN_LEGS..=MAX_LEGS).any(|count| {
        let (places, hips): (Vec<LegPlace>, Vec<Vector2<f64>>) = (0..count)
            .map(|leg| {
                let (left, rank) = (leg % 2 == 0, leg / 2);
                let on_side = (count + usize::from(left)) / 2;
                let x = 0.5 * (on_side as f64 - 1.0) - rank as f64;
                let y = if left { 0.5 } else { -0.5 };
                (LegPlace { name: format!("{leg}"), left, rank }, Vector2::new(x, y))
            })
            .unzip();
        spec.phase_offsets.is_empty() && Gait::try_new(spec, &places).is_ok_and(|gait| stands(&gait, &hips))
    })
}
