//! `hexapod identify`: inertial parameters and friction of the legs from a bag of their motion.

use crate::bag::{self, JointLog};
use crate::cli::IdentifyArgs;
use crate::exit::{Failure, say};
use hexapod_dynamics::{
    BaseMotion, BaseParameters, Excitation, Identified, IdentifyOptions, JointVector, LegDynamics, LegSample, identify,
    smooth_motion,
};
use hexapod_kinematics::{Leg, LegAngles, Robot};
use hexapod_setup::{Description, Files};
use std::fmt::Write;

/// Half of the time that a polynomial is fitted to, s, and how long equations are averaged: faster motion than a leg's is
/// noise.
const SMOOTH_S: f64 = 0.055;
const AVERAGE_S: f64 = 0.05;
/// Above this condition some combination of parameters hardly shows in the motion.
const TAME: f64 = 100.0;
/// Friction that takes this part of what is not explained away is there.
const FRICTION_SHOWS: f64 = 0.7;

/// Reads a bag and says what is found of each leg.
///
/// # Errors
/// The robot's files or the bag do not hold, or no leg's motion says enough.
pub fn identify_bag(arguments: &IdentifyArgs) -> Result<(), Failure> {
    let files = Files::find(&arguments.files.config, &arguments.files.urdf)?;
    let robot = Description::read(&files)?.robot;
    let log = bag::joint_log(&arguments.bag, arguments.topic.as_deref()).map_err(Failure::Words)?;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} messages of {:.1} ms on {}",
        arguments.bag.display(),
        log.rows,
        1e3 * log.step_s,
        log.topic
    );
    if log.misdated > 0 {
        let _ = writeln!(out, "{} more left out: their stamps are far from when they were recorded", log.misdated);
    }
    if let Some(damage) = &log.damage {
        let _ = writeln!(out, "the bag is damaged; the above is what could be read before it ends: {damage}");
    }
    let mut found = 0;
    for leg in robot.legs().iter().filter(|leg| arguments.leg.as_ref().is_none_or(|name| name == leg.name())) {
        match of_leg(&robot, leg, &log, arguments.friction) {
            Ok(text) => {
                found += 1;
                out.push_str(&text);
            }
            Err(reason) => drop(writeln!(out, "\n{}: {reason}", leg.name())),
        }
    }
    say(out.trim_end())?;
    if found == 0 {
        let legs: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
        return Err(Failure::Words(format!("nothing was identified; the legs are {}", legs.join(", "))));
    }
    Ok(())
}

fn of_leg(robot: &Robot, leg: &Leg, log: &JointLog, friction: bool) -> Result<String, String> {
    let dynamics = LegDynamics::new(robot.model(), leg);
    let base = BaseMotion::level();
    let parameters = BaseParameters::of(&dynamics, &Excitation::StillBase(base.gravity));
    let samples = samples(leg, log, &base)?;
    let average = ((AVERAGE_S / log.step_s).round() as usize).max(1);
    let options = IdentifyOptions { friction, average };
    let identified =
        identify(&dynamics, &parameters, options, samples.iter().copied()).map_err(|error| error.to_string())?;
    let with_friction = || identify(&dynamics, &parameters, IdentifyOptions { friction: true, ..options }, samples);
    let mut out = table(leg, &dynamics, &parameters, &identified, friction);
    if !friction && with_friction().is_ok_and(|better| friction_shows(&identified, &better)) {
        out.push_str("  the efforts look like friction, which biases these parameters: run it with --friction\n");
    }
    Ok(out)
}

/// Whether friction explains much of what is not explained without.
fn friction_shows(without: &Identified, with: &Identified) -> bool {
    with.residuals_nm.norm() < FRICTION_SHOWS * without.residuals_nm.norm()
}

/// The leg's samples, with speeds and accelerations from both sides of each.
fn samples(leg: &Leg, log: &JointLog, base: &BaseMotion) -> Result<Vec<LegSample>, String> {
    let columns: Option<Vec<_>> = leg.joints().iter().map(|joint| log.joints.get(joint.name())).collect();
    let columns = columns.ok_or("the bag does not tell of all its joints")?;
    let count = columns.len();
    let at = |row: usize, joint: usize| {
        columns.get(joint).and_then(|column| column.get(row)).copied().unwrap_or([f64::NAN; 2])
    };
    let angles: Vec<_> = (0..log.rows).map(|row| LegAngles::from_fn(count, |joint| at(row, joint)[0])).collect();
    let half_window = ((SMOOTH_S / log.step_s).round() as usize).clamp(3, 50);
    let motion = smooth_motion(&angles, log.step_s, half_window).map_err(|error| error.to_string())?;
    let moved = motion.iter().enumerate().filter(|(_, motion)| motion.valid);
    let torques = |row: usize| JointVector::from_fn(|joint, _| if joint < count { at(row, joint)[1] } else { 0.0 });
    let sample = |(row, motion): (usize, &hexapod_kinematics::JointMotion)| LegSample {
        angles: motion.angles,
        speeds: motion.speeds,
        accelerations: motion.accelerations,
        torques: torques(row),
        base: *base,
    };
    let samples: Vec<_> = moved.map(sample).collect();
    let no_effort = samples.iter().all(|sample| sample.torques.iter().any(|torque| torque.is_nan()));
    if no_effort { Err("the bag has no efforts of its joints".into()) } else { Ok(samples) }
}

fn table(leg: &Leg, dynamics: &LegDynamics, parameters: &BaseParameters, found: &Identified, friction: bool) -> String {
    let mut out = format!(
        "\n{}: {} samples used, {} left out, condition {:.0}\n",
        leg.name(),
        found.used,
        found.left_out,
        found.condition
    );
    if found.condition > TAME {
        let _ = writeln!(out, "  the motion says little of some parameters: move every joint faster and farther");
    }
    for (joint, residual) in leg.joints().iter().zip(found.residuals_nm.iter()) {
        let _ = writeln!(out, "  residual of {}: {residual:.4} N m", joint.name());
    }
    if friction {
        for (joint, friction) in leg.joints().iter().zip(&found.friction) {
            let (coulomb, viscous) = (friction.coulomb_nm, friction.viscous_nm_s);
            let _ = writeln!(out, "  friction of {}: {coulomb:.4} N m, {viscous:.5} N m s/rad", joint.name());
            if coulomb < 0.0 || viscous < 0.0 {
                out.push_str("    friction below zero cannot be: is the effort's sign that of the joint's axis?\n");
            }
        }
    }
    let modelled = parameters.values(&dynamics.parameters());
    let _ = writeln!(out, "  {:>13} {:>13} {:>10}  parameter (kg, kg m, kg m^2)", "description", "found", "+-");
    let rows = modelled.iter().zip(&found.values).zip(&found.deviations).zip(parameters.grouping());
    for (((modelled, value), deviation), name) in rows {
        let _ = writeln!(out, "  {modelled:>13.5e} {value:>13.5e} {deviation:>10.1e}  {name}");
    }
    out
}
