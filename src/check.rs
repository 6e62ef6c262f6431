//! `hexapod check`: the robot that the files describe, as a table.

use crate::cli::{FileArgs, RunArgs};
use crate::composed::{Setups, files_of, parameters, stray_line};
use crate::exit::{Failure, say};
use hexapod_config::{ConfigError, Faults};
use hexapod_gait::Engine;
use hexapod_servo::ServoConfig;
use nalgebra::Vector2;
use std::fmt::Write;

/// Loads all files and prints what they describe.
///
/// # Errors
/// File, line and key of all that does not hold.
pub fn check(files: &FileArgs) -> Result<(), Failure> {
    let all = parameters(&RunArgs { files: files.clone(), ..RunArgs::default() })?;
    let setups = Setups::load(&all)?;
    check_together(&setups)?;
    let files = files_of(&all.planner)?;
    say(format_args!("robot    {}\n{}\n", files.urdf.display(), files.told()))?;
    say(table(&setups.planner.engine, setups.driver.servos()).trim_end())?;
    let names = setups.planner.gaits.names().collect::<Vec<_>>().join(", ");
    say(format_args!("gaits    {names}; starts with {}", setups.planner.gait_name))?;
    let motions = setups.planner.motions.names().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    say(format_args!("motions  {motions}"))?;
    for note in setups.planner.notes.iter().map(String::as_str).chain(setups.driver.remark()) {
        say(format_args!("note     {note}"))?;
    }
    for stray in files.strays() {
        say(format_args!("note     {}", stray_line(&stray)))?;
    }
    // Well written, but not for this robot: it walks without.
    for refused in setups.planner.motions.refused() {
        say(format_args!("note     {refused}"))?;
    }
    say("\nall files hold")
}

/// What holds for each file by itself, and not for all together: servos that do not reach what is asked of their joints,
/// and motions that the robot cannot play, where the files are this robot's own and it has all its legs.
fn check_together(setups: &Setups) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    faults.note(gait_planner::check_reach(&setups.planner));
    let is_its_own = setups.driver.remark().is_none() && !setups.planner.engine.lacks_legs();
    for refused in setups.planner.motions.refused().filter(|_| is_its_own) {
        faults.add(refused.clone());
    }
    faults.into_result()
}

/// Legs, joints, limits, servos and reach.
#[must_use]
pub fn table(engine: &Engine, servos: &ServoConfig) -> String {
    let mut out = String::new();
    let robot = engine.robot();
    let mass = robot.model().total_mass();
    let _ = writeln!(out, "{} legs, {} joints, {mass:.2} kg", robot.legs().len(), robot.joint_count());
    let _ = writeln!(
        out,
        "{:<20} {:>17} {:>9} {:>7}  {:<13} {:>13}",
        "joint", "limits (deg)", "rad/s", "N m", "servo", "pulse (us)"
    );
    for joint in robot.legs().iter().flat_map(|leg| leg.joints()) {
        let limits = joint.limits();
        let servo = servos.joint_index(joint.name()).map(|index| &servos.servos()[index]);
        let plug = servo.map_or("none".into(), |s| {
            format!("{:#04x} channel {}", servos.boards()[s.board()].address(), s.channel())
        });
        let pulses =
            servo.map_or(String::new(), |s| format!("{:.0}..{:.0}", s.pulse_limits_us().0, s.pulse_limits_us().1));
        let range = format!("{:.0} .. {:.0}", limits.lower.to_degrees(), limits.upper.to_degrees());
        let (name, velocity, effort) = (joint.name(), limits.velocity, limits.effort);
        let _ = writeln!(out, "{name:<20} {range:>17} {velocity:>9.2} {effort:>7.2}  {plug:<15} {pulses:>11}");
    }
    let spec = engine.stance().spec();
    let (up, down, lift) = (spec.height * 1e3, spec.sit_height * 1e3, spec.step_height * 1e3);
    let _ = writeln!(
        out,
        "\nbody     {up:.0} mm above the feet standing, {down:.0} mm sitting; feet lifted {lift:.0} mm at most"
    );
    let (reach, time) = (engine.stance().reach().axes(), engine.gait().stance_time());
    let [ahead, aside] = [Vector2::x(), Vector2::y()].map(|way| engine.stance().stride(way));
    let _ = writeln!(
        out,
        "stride   {:.0} mm ahead, {:.0} mm aside; feet may go {:.0} and {:.0} mm from rest",
        ahead * 1e3,
        aside * 1e3,
        reach.x * 1e3,
        reach.y * 1e3
    );
    let _ =
        writeln!(out, "speed    {:.3} m/s ahead, {:.3} m/s aside at most with this gait", ahead / time, aside / time);
    out
}
