//! `hexapod check`: the robot that the files describe, as a table.

mod ends;
mod foreign;
mod gamepad;
mod legs;
mod pace;
mod torques;

pub use legs::{legs_chart, legs_table};

use crate::agreement;
use crate::cli::CheckArgs;
use crate::exit::{Failure, say};
use crate::out;
use crate::parameters::{AllParams, files_of, stray_line};
use crate::setups::{Setups, parameters};
use crate::spinner::Spinner;
use gait_planner::walked::{WAYS, Walked, nowhere};
use hexapod_config::{ConfigError, Faults};
use hexapod_gait::{Engine, Gait};
use hexapod_kinematics::Leg;
use hexapod_ros::bounds::{ROS_NAME, is_ros_name};
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::Motor;
use hexapod_setup::{Files, motors, outranked_defaults};
use nalgebra::Vector2;
use servo_driver::ServoMap;
use std::fmt::Write;

/// Loads all files and prints what they describe.
///
/// # Errors
/// File, line and key of all that does not hold; a robot that gets nowhere on the gait it starts with.
pub fn check(arguments: &CheckArgs) -> Result<(), Failure> {
    let spinner = Spinner::on_terminal("trying every gait and motion");
    arguments.picture.as_deref().map_or(Ok(()), out::check)?;
    let all = parameters(&arguments.robot)?;
    let setups = Setups::load(&all)?;
    let files = files_of(&all.planner)?;
    // Each takes seconds for legs of many joints.
    let (speeds, gamepad) = std::thread::scope(|scope| {
        let speeds = scope.spawn(|| speeds(&setups.planner));
        let checked = check_together(&setups, &all, &files);
        speeds
            .join()
            .map_err(|_| Failure::Running("the speeds could not be worked out".into()))
            .map(|speeds| checked.map(|notes| (speeds, notes)))
    })??;
    drop(spinner);
    say(format_args!("robot    {}\n{}\n", files.urdf.display(), files.reported()))?;
    say(table(&setups.planner.engine, setups.driver.map()).trim_end())?;
    let Speeds { table: speeds, notes: stuck, nowhere } = speeds;
    say(speeds.trim_end())?;
    say(format_args!("starts   with {}", setups.planner.gait_name))?;
    say(ends::ends(&setups.planner))?;
    let motions = setups.planner.motions.names().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    say(format_args!("motions  {motions}"))?;
    for note in agreement::notes(&all) {
        say(format_args!("note     {note}"))?;
    }
    for note in stuck.into_iter().chain(gamepad).chain(not_of_ros(setups.planner.engine.legs())) {
        say(format_args!("note     {note}"))?;
    }
    let driver = setups.driver.remark().into_iter().chain(setups.driver.notes().iter().map(String::as_str));
    for note in setups.planner.notes.iter().map(String::as_str).chain(driver) {
        say(format_args!("note     {note}"))?;
    }
    let (servos, robot) = (files.in_config("servos.yaml"), setups.planner.engine.robot());
    let motors = motors(&servos, robot);
    if let Some(note) = setups.driver.servos().and_then(|servos| coarse(&setups.planner.engine, servos, &motors)) {
        say(format_args!("note     {note}"))?;
    }
    let foreign = setups.driver.remark().is_none().then(|| foreign::note(&files, robot)).flatten();
    for note in torques::notes(robot, &motors).into_iter().chain(foreign).chain(outranked_defaults(&servos, robot)) {
        say(format_args!("note     {note}"))?;
    }
    if let Some(note) = pace::note(&setups.planner, &setups.driver.map().joints(), &motors) {
        say(format_args!("note     {note}"))?;
    }
    for stray in files.strays() {
        say(format_args!("note     {}", stray_line(&stray)))?;
    }
    // Well written, but not for this robot: it walks without.
    for refused in setups.planner.motions.refused() {
        say(format_args!("note     {refused}"))?;
    }
    if let Some(picture) = &arguments.picture {
        let svg = hexapod_plot::legs_picture(&legs_chart(&setups.planner.engine));
        std::fs::write(picture, svg).map_err(|error| Failure::Running(format!("{}: {error}", picture.display())))?;
        say(format_args!("picture  {}", picture.display()))?;
    }
    nowhere.map_or_else(|| say("\nall files are valid"), |error| Err(files.explained(error).into()))
}

/// Loads and checks all files, and tries nothing.
///
/// # Errors
/// File, line and key of all that does not hold.
pub fn load(all: &AllParams) -> Result<Setups, Failure> {
    let setups = Setups::load(all)?;
    check_together(&setups, all, &files_of(&all.planner)?)?;
    Ok(setups)
}

/// What holds for each file by itself, and not for all together: servos that do not reach what is asked of their joints,
/// and motions that the robot cannot play, where they were written for it and it has all its legs. Gives what is to be said
/// of a gamepad that is well set up.
fn check_together(setups: &Setups, all: &AllParams, files: &Files) -> Result<Vec<String>, ConfigError> {
    let mut faults = Faults::default();
    // Nothing reads it but the simulator, which may be wanted next.
    let simulator = if setups.simulator.is_none() { faults.note(simulator::Setup::load(&all.simulator)) } else { None };
    let not_simulated = simulator.and_then(|setup| setup.with_mass().err());
    faults.note(gait_planner::check_reach(&setups.planner));
    let gamepad = faults.note(gamepad::check(files, &setups.planner));
    let is_whole = setups.driver.remark().is_none() && !setups.planner.engine.lacks_legs();
    for refused in setups.planner.motions.refused().filter(|refused| is_whole && files.is_own(refused.file())) {
        faults.add(refused.clone());
    }
    let notes = faults.or(gamepad)?;
    let not_simulated = not_simulated.map(|why| format!("{}: {}", why.message(), why.remedy()));
    Ok(notes.into_iter().chain(not_simulated).collect())
}

/// Legs whose names cannot be part of a topic's.
fn not_of_ros(legs: &[Leg]) -> impl Iterator<Item = String> {
    let names = legs.iter().map(|leg| leg.name()).filter(|name| !is_ros_name(name));
    names.map(|name| format!("leg `{name}` has no topic for its force, and no service to relax it: {ROS_NAME}"))
}

/// Servos that turn farther than this for a count of their board place feet coarsely, rad: half a degree.
const COARSE_RAD: f64 = 0.5 * std::f64::consts::PI / 180.0;

/// What to say of servos whose pulses are too few for their angles, and what that costs.
fn coarse(engine: &Engine, servos: &ServoConfig, motors: &[(String, Motor)]) -> Option<String> {
    let joints = engine.legs().iter().flat_map(|leg| leg.joints().iter().map(move |joint| (leg, joint)));
    let counts = joints.filter_map(|(leg, joint)| {
        let servo = servos.servos().get(servos.joint_index(joint.name())?)?;
        Some((leg, joint.name(), servo.resolution_rad())).filter(|(.., count)| *count > COARSE_RAD)
    });
    let counts: Vec<_> = counts.collect();
    let (leg, name, count) = counts.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
    let (degrees, mm) = (count.to_degrees(), 0.5 * count * leg.length() * 1e3);
    let others =
        if counts.len() > 1 { format!(" ({} joints turn by more than 0.5)", counts.len()) } else { String::new() };
    // How far a real servo turns between two pulses is its own.
    let are_made_up = motors.iter().any(|(_, motor)| motor.is_placeholder());
    let scale = if are_made_up { "map only the range that the legs need to the pulses, or " } else { "" };
    Some(format!(
        "one count of its board turns {name} by {degrees:.2} degrees{others}: feet are up to {mm:.1} mm beside their places, and \
         slip; {scale}raise pwm_frequency_hz if the servos bear it"
    ))
}

/// Hips farther above or below the root link than this have a height of their own to be reported, m.
const HIP_HEIGHT_M: f64 = 0.02;

/// Legs, joints, limits, servos and reach.
#[must_use]
pub fn table(engine: &Engine, map: &ServoMap) -> String {
    let mut out = String::new();
    let robot = engine.robot();
    let mass = robot.model().total_mass();
    let _ = writeln!(out, "{} legs, {} joints, {mass:.2} kg\n", robot.legs().len(), robot.joint_count());
    let _ = writeln!(out, "{}", legs_table(engine));
    let _ = writeln!(
        out,
        "{:<20} {:>17} {:>9} {:>7}  {:<13} {:>13}",
        "joint",
        "limits (deg)",
        "rad/s",
        "N m",
        "servo",
        map.unit()
    );
    for joint in robot.legs().iter().flat_map(|leg| leg.joints()) {
        let limits = joint.limits();
        let (plug, ends) = map.plug(joint.name()).unwrap_or_else(|| ("none".into(), String::new()));
        let range = format!("{:.0} .. {:.0}", limits.lower.to_degrees(), limits.upper.to_degrees());
        let (name, velocity, effort) = (joint.name(), limits.velocity, limits.effort);
        let _ = writeln!(out, "{name:<20} {range:>17} {velocity:>9.2} {effort:>7.2}  {plug:<15} {ends:>11}");
    }
    if let Some(pace) = map.pace() {
        let _ = writeln!(out, "\nservos   {pace}");
        if pace.position_hz < 5.0 {
            let _ = writeln!(
                out,
                "         that is less than 5 times: joint_states lags; use a faster baud_rate or fewer servos on the bus"
            );
        }
    }
    let spec = engine.stance().spec();
    let (up, down, lift) = (spec.height * 1e3, spec.sit_height * 1e3, spec.step_height * 1e3);
    let _ = writeln!(
        out,
        "\nbody     {up:.0} mm above the feet standing, {down:.0} mm sitting; feet lifted {lift:.0} mm at most"
    );
    let hips = robot.legs().iter().map(|leg| leg.hip_in_body().z).sum::<f64>() / robot.legs().len().max(1) as f64;
    if hips.abs() > HIP_HEIGHT_M {
        // As with a base_footprint that stands under the body.
        let root = robot.model().base_link();
        let hips = (spec.height + hips) * 1e3;
        let _ = writeln!(
            out,
            "         heights are those of the root link, {root:?}; the hips are {hips:.0} mm above the feet standing"
        );
    }
    let reach = engine.stance().reach().axes();
    let [ahead, aside] = [Vector2::x(), Vector2::y()].map(|way| engine.stance().stroke(way));
    let _ = writeln!(
        out,
        "stride   {:.0} mm ahead, {:.0} mm aside; feet may go {:.0} and {:.0} mm from rest",
        ahead * 1e3,
        aside * 1e3,
        reach.x * 1e3,
        reach.y * 1e3
    );
    out
}

/// How fast the robot walks on each gait, as measured.
struct Speeds {
    table: String,
    /// What is to be said where it does not.
    notes: Vec<String>,
    /// What is wrong where it gets nowhere on the gait it starts with.
    nowhere: Option<ConfigError>,
}

fn speeds(planner: &gait_planner::Setup) -> Speeds {
    let mut out = format!("walks    {:<12}", "gait");
    for way in WAYS {
        let _ = write!(out, " {way:>9}");
    }
    out.push_str("   m/s and rad/s, within max_linear_velocity and max_angular_velocity\n");
    let walks = walks(planner);
    let mut notes = Vec::new();
    for (name, walked) in &walks {
        let _ = write!(out, "         {name:<12}");
        for (speed, halts) in walked.speeds.iter().zip(walked.halts) {
            let shown = if speed.is_nan() { "-".into() } else { format!("{speed:.3}") };
            let _ = write!(out, " {shown:>8}{}", if halts { '!' } else { ' ' });
        }
        out.push('\n');
        let is_refused = *name == planner.gait_name && walked.gets_nowhere();
        notes.extend(of_gait(name, walked).into_iter().filter(|_| !is_refused));
    }
    let first = walks.iter().find(|(name, walked)| *name == planner.gait_name && walked.gets_nowhere());
    // That which was asked for has been tried already: a note says what it was left for.
    let asked = hexapod_setup::planner::gait_name(&planner.params);
    let walks_well = |(name, walked): &&(&str, Walked)| *name != asked && walked.stuck().next().is_none();
    let other = walks.iter().find(walks_well).map(|(name, _)| *name);
    Speeds { table: out, notes, nowhere: first.map(|(_, walked)| nowhere(planner, walked, other)) }
}

/// Each gait walked, each on a thread of its own once the first has shown that the robot stands.
fn walks(planner: &gait_planner::Setup) -> Vec<(&str, Walked)> {
    std::thread::scope(|scope| {
        let mut gaits = planner.gaits.iter();
        let first = gaits.next().map(|(name, gait)| (name, Walked::measure(&planner.engine, *gait)));
        let mut walks: Vec<_> = first.into_iter().collect();
        // A robot that does not come to stand on one gait does on none.
        if let Some(walked) = walks.first().map(|(_, walked)| *walked).filter(Walked::does_not_stand) {
            walks.extend(gaits.map(|(name, _)| (name, walked)));
            return walks;
        }
        let walk = |(name, gait): (_, &Gait)| {
            let gait = *gait;
            (name, scope.spawn(move || Walked::measure(&planner.engine, gait)))
        };
        let others: Vec<_> = gaits.map(walk).collect();
        walks.extend(others.into_iter().filter_map(|(name, walk)| Some((name, walk.join().ok()?))));
        walks
    })
}

/// What is to be said of a gait.
fn of_gait(name: &str, walked: &Walked) -> Vec<String> {
    let stuck: Vec<&str> = walked.stuck().collect();
    let halting: Vec<&str> = walked.halting().collect();
    let mut notes = Vec::new();
    if walked.does_not_stand() {
        notes.push(format!("gait {name:?}: the robot does not come to stand on its feet, so no speed is known"));
    } else if !stuck.is_empty() {
        notes.push(format!(
            "on gait {name:?} the robot hardly moves ({}): use another gait, or try another body_height, step_height or \
             max_stride; look at its feet and at the limits of its joints above",
            if stuck.len() == WAYS.len() { "in any direction".into() } else { stuck.join(", ") }
        ));
    }
    if !halting.is_empty() {
        notes.push(format!(
            "on gait {name:?} the robot comes to a halt when it is asked to walk faster than that ({}): set \
             max_linear_velocity and max_angular_velocity to what it walks",
            halting.join(", ")
        ));
    }
    notes
}
