//! A robot that is ready to walk: its engine, gaits and motions.

use crate::binding::Trial;
use crate::config_file::ConfigFile;
use crate::gaits::{Gaits, hips_of};
use crate::motions::{Motions, leg_clearance_of};
use crate::params::{number, wrong};
use crate::planner;
use crate::rehearsal::{Stuck, rehearse};
use crate::robot::Description;
use crate::stuck::{Reason, explain};
use crate::unfit;
use crate::upright::{check_knees, check_upright};
use hexapod_config::ros_params::{Params, hint_for};
use hexapod_config::{ConfigError, Faults};
use hexapod_gait::{Engine, Gait, LegClearance, Settings, Shortened, Stance, StanceError, StanceWish, size_of};
use hexapod_kinematics::{Leg, NOT_A_LEG, Neighbour, Robot};
use std::sync::Arc;

/// What walks, and all that may be asked of it.
#[derive(Clone, Debug)]
pub struct Walker {
    /// The engine, its robot sitting.
    pub engine: Engine,
    /// All gaits, made ready for the engine, so that it has nothing to work out when one is taken up.
    pub gaits: Gaits,
    /// Name of the gait it starts with.
    pub gait_name: String,
    /// All motions.
    pub motions: Motions,
    /// What the user should know: a gait chosen for the robot, what its description leaves open.
    pub notes: Vec<String>,
}

impl Walker {
    /// Makes a robot ready to walk as the [parameters](planner::specs) ask.
    ///
    /// # Errors
    /// File, line and key of all that does not hold, parameters that do not suit the robot among it.
    pub fn read(
        params: &Params,
        description: &Description,
        gaits: &ConfigFile,
        motions: &ConfigFile,
    ) -> Result<Self, ConfigError> {
        let mut faults = Faults::default();
        let feels = planner::contacts_topic(params).is_some();
        let gaits = faults.note(Gaits::read(gaits, &description.robot));
        let gaits = gaits.map(|gaits| if feels { gaits.made_ready(|gait| gait.feeling()) } else { gaits });
        // What is wrong with the file of motions is reported when they are read.
        let clearance = leg_clearance_of(motions, size_of(&description.robot)).unwrap_or_default();
        // Whoever misses a leg looks for what is wrong with the others.
        let hinted = |error: ConfigError| error.hinted(|_| left_out(description));
        let stance = stance(params, description, clearance).map_err(hinted);
        let engine = faults.note(stance).and_then(|(settings, stance)| {
            let gaits = gaits.as_ref()?;
            faults.note(engine(params, description, gaits, settings, stance).map_err(hinted))
        });
        let motions = match &engine {
            Some((engine, ..)) => faults.note(Motions::read(motions, engine)),
            None => {
                faults.note(Motions::check_alone(motions));
                None
            }
        };
        let ((gaits, (engine, gait_name, remark)), motions) = faults.or(gaits.zip(engine).zip(motions))?;
        let stroke = planner::stroke_beyond(number(params, "max_stride"), engine.stance());
        let (crowded, lifts) = (crowded(&engine), lifts_beyond(params, &engine, &gaits));
        let model = description.robot.model().notes().iter().cloned();
        let notes =
            remark.into_iter().chain(stroke).chain(crowded).chain(thin(&engine)).chain(lifts).chain(model).collect();
        Ok(Self { gaits: gaits.made_ready(|gait| engine.ready(gait)), engine, gait_name, motions, notes })
    }
}

/// The notes on chains that were not taken as legs.
fn left_out(description: &Description) -> Option<String> {
    let notes = description.robot.model().notes().iter().filter(|note| note.contains(NOT_A_LEG));
    notes.cloned().reduce(|all, note| format!("{all}; {note}"))
}

/// What to say of legs that stand so near to each other that steps are shortened.
fn crowded(engine: &Engine) -> Option<String> {
    let Shortened { leg, to, fractions } = engine.shortened()?;
    let name = |leg: usize| engine.legs().get(leg).map_or("", Leg::name);
    let pair = match to {
        Neighbour::Leg(other) => format!("legs {} and {}", name(leg), name(other)),
        Neighbour::Body => format!("leg {} and the body", name(leg)),
    };
    let [ahead, aside] = [fractions.x, fractions.y].map(|fraction| 100.0 * fraction);
    Some(format!(
        "{pair} would come too near to each other: feet keep {ahead:.0} % of their reach ahead and {aside:.0} % aside \
         (leg_clearance in motions.yaml)"
    ))
}

/// What to say of legs whose thickness is not known.
fn thin(engine: &Engine) -> Option<String> {
    let names = engine.legs().iter().enumerate().filter(|(leg, _)| engine.is_of_lines(*leg)).map(|(_, leg)| leg.name());
    let names: Vec<&str> = names.collect();
    let which =
        if names.len() == engine.legs().len() { "all legs".into() } else { format!("legs {}", names.join(", ")) };
    (!names.is_empty()).then(|| {
        format!(
            "links of {which} have no box, cylinder, sphere or readable STL mesh in <collision>, or overlap a leg beside them: \
             leg_clearance treats these links as lines from joint to joint; add their thickness to it"
        )
    })
}

/// What to say of lifts that are more than the stance leaves room for: the parameter's, and those of gaits.
fn lifts_beyond(params: &Params, engine: &Engine, gaits: &Gaits) -> Vec<String> {
    let greatest = engine.stance().spec().step_height;
    let lift = planner::lift_beyond(number(params, "step_height"), greatest);
    let lifts = gaits.iter().filter_map(|(name, gait)| {
        let beyond = planner::lift_beyond(gait.step_height()?, greatest)?;
        Some(format!("gait {name:?}: {beyond}"))
    });
    lift.into_iter().chain(lifts).collect()
}

fn stance(
    params: &Params,
    description: &Description,
    clearance: LegClearance,
) -> Result<(Settings, Stance), ConfigError> {
    let unfit = |error: StanceError| unfit(params, description, &error);
    let (settings, stance) = planner::settings(params, &description.robot, clearance).map_err(unfit)?;
    let (sit, stand) = (settings.stance.sit_height, settings.stance.height);
    if number(params, "sit_height") > 0.0 && sit >= stand {
        let message = format!("the robot would sit at {sit} m, no lower than it stands ({stand:.3} m)");
        let help = "give less than body_height, or 0.0 to choose it automatically";
        return Err(wrong(planner::NODE, params, "sit_height", message, help));
    }
    Ok((settings, stance))
}

/// Why the robot cannot stand: a size that was asked for, or its description.
fn unfit(params: &Params, description: &Description, error: &StanceError) -> ConfigError {
    let StanceError::Height { leg, .. } = error else {
        return wrong(planner::NODE, params, "body_height", error.to_string(), "");
    };
    let wish = planner::wish(params);
    let others = [
        ("sit_height", StanceWish { sit_height: None, ..wish }),
        ("body_height", StanceWish { height: None, ..wish }),
        ("body_height", StanceWish { height: None, sit_height: None, ..wish }),
    ];
    for (name, other) in others.into_iter().filter(|(_, other)| *other != wish) {
        let Ok(spec) = other.suiting(&description.robot) else { continue };
        let chosen = if name == "sit_height" { spec.sit_height } else { spec.height };
        let message = match (name, params.get(name)) {
            ("sit_height", Some(asked)) => format!("leg {leg} cannot sit with the body {asked} m above the ground"),
            _ => error.to_string(),
        };
        let help = format!("leave it at 0.0 and {chosen} is chosen for this robot, or give a height near that");
        return wrong(planner::NODE, params, name, message, &help);
    }
    unfit::cause(description, leg)
}

/// What to do where no gait keeps the robot on its feet.
fn unstable_help(gaits: &Gaits, robot: &Robot) -> String {
    let names: Vec<String> = gaits.names().map(|name| format!("`gait: {name}`")).collect();
    format!("{}; else set {} if you mean it to fall from step to step", hips_of(robot), names.join(" or "))
}

/// The engine with the gait to start with, that gait's name, and a remark where it is not the one asked for.
fn engine(
    params: &Params,
    description: &Description,
    gaits: &Gaits,
    settings: Settings,
    stance: Stance,
) -> Result<(Engine, String, Option<String>), ConfigError> {
    let legs: Vec<&str> = description.robot.legs().iter().map(|leg| leg.name()).collect();
    let disabled = planner::disabled_legs(params);
    let unknown = disabled.iter().find(|name| !legs.contains(&name.as_str()));
    let near = unknown.map(|name| hint_for(name, &legs)).filter(|hint| hint.starts_with("did you mean"));
    let legs = format!("{}the legs are {}", near.map(|near| format!("{near} ")).unwrap_or_default(), legs.join(", "));
    let wrong = |name: &str, reason: String| {
        let help = match name {
            "disabled_legs" => legs.clone(),
            "gait" if gaits.stable().next().is_none() => unstable_help(gaits, &description.robot),
            _ => String::new(),
        };
        wrong(planner::NODE, params, name, reason, &help)
    };
    let asked = planner::gait_name(params);
    let made = |gait: Gait| {
        Engine::with_stance(Arc::clone(&description.robot), gait, settings, stance)
            .with_rough_levels(gaits.rough().clone())
            .without_legs(disabled.iter().map(String::as_str))
            .map_err(|error| wrong("disabled_legs", error.to_string()))?
            .with_packed_pose(description.packed.as_deref())
            .map_err(|error| wrong("config", error.to_string()))
    };
    let upright = |engine| {
        check_upright(params, description, &engine)?;
        check_knees(description, &engine).map(|()| engine)
    };
    let (name, gait, remark) = match gaits.starting(&asked) {
        Ok(starting) => starting,
        Err(reason) => {
            // Legs that do not hold the robot up while it stands say why no gait does.
            gaits.iter().next().map(|(_, any)| made(*any).and_then(upright)).transpose()?;
            return Err(wrong("gait", reason));
        }
    };
    let engine = upright(made(gait)?)?;
    let Err(stuck) = rehearse(&engine, gait) else { return Ok((engine, name, remark)) };
    let trial = Trial {
        engine: &engine,
        gait,
        settings,
        stance,
        wish: planner::wish(params),
        disabled: &disabled,
        description,
    };
    let (other, gait, remark) = another(&trial, &stuck, &name, gaits, params)?;
    Ok((made(gait)?, other.to_owned(), Some(remark)))
}

/// Another gait for a robot that does not walk on the one of this name, and why it is taken. Who means a gait that falls
/// from step to step asks for it.
fn another<'a>(
    trial: &Trial<'_>,
    stuck: &Stuck,
    name: &str,
    gaits: &'a Gaits,
    params: &Params,
) -> Result<(&'a str, Gait, String), ConfigError> {
    let walks = |(other, gait): &(&str, &Gait)| *other != name && rehearse(trial.engine, **gait).is_ok();
    let walked = gaits.stable().find(walks);
    if walked.is_none()
        && let Some(name) = trial.size()
    {
        let reason = format!("with it {}", stuck.what());
        let help = "leave it at 0.0, and one is chosen with which the robot walks";
        return Err(wrong(planner::NODE, params, name, reason, help));
    }
    let description = trial.description;
    let Reason { joint, attribute, why, help } = explain(stuck, trial.binding(), trial.engine, description);
    if let Some((other, gait)) = walked {
        return Ok((other, *gait, format!("{why} (gait {name:?}); {help}. Starting with {other:?}")));
    }
    let unstable = gaits.iter().filter(|(_, gait)| !gait.is_stable()).find(walks);
    let unstable = unstable.map(|(other, _)| {
        format!(
            "; or set `gait: {other}` in hexapod.yaml (`hexapod new --gait {other}` writes it), on which it walks but is not on its \
             feet at every moment"
        )
    });
    let help = help + &unstable.unwrap_or_default();
    Err(description.origin.at_joint(description.robot.model(), &joint, attribute, (why, help)))
}
