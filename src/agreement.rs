//! What the nodes of one robot have to agree on, each of them set up by itself.

use crate::parameters::{AllParams, files_of};
use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_kinematics::{JointLimits, Robot};
use hexapod_setup::params::{switch, text, wrong};
use hexapod_setup::{Description, Files, Frames};
use servo_driver::is_real;
use std::path::Path;

/// What the help of every disagreement says.
const ONE_FOR_ALL: &str = "give all nodes the same, in the section `/**`";

/// Checks that all nodes were given the same robot: its joints and how far they go.
///
/// # Errors
/// The node that has another robot than the planner, with both files and the first joint in which they differ.
pub fn check_robots(all: &AllParams) -> Result<(), ConfigError> {
    let read = |params: &Params| {
        let files = files_of(params).ok()?;
        // What does not hold is reported where it is read for its node.
        Some((Description::read(&files).ok()?.robot, files.urdf))
    };
    let [(planner_name, planner), others @ ..] = all.each();
    let reads_others =
        |params: &Params| ["config", "urdf"].iter().any(|name| text(params, name) != text(planner, name));
    let others: Vec<_> = others.into_iter().filter(|(_, params)| reads_others(params)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let Some((robot, urdf)) = read(planner) else { return Ok(()) };
    for (name, params) in others {
        let Some((other, other_urdf)) = read(params) else { continue };
        if let Some(difference) = difference((&robot, &urdf), (&other, &other_urdf)) {
            let reason = format!("{planner_name} and {name} have different robots: {difference}");
            let is_planners = has_own_robot(planner) && !has_own_robot(params);
            let (node, params) = if is_planners { (planner_name, planner) } else { (name, params) };
            return Err(wrong(node, params, "urdf", reason, ONE_FOR_ALL));
        }
    }
    Ok(())
}

/// Whether a node was given another description than the shipped one.
fn has_own_robot(params: &Params) -> bool {
    let shipped = Files::find(&text(params, "config"), "").map(|files| files.urdf).unwrap_or_default();
    Path::new(&text(params, "urdf")) != shipped
}

/// The first joint in which two robots differ, with their files.
fn difference((one, file): (&Robot, &Path), (other, other_file): (&Robot, &Path)) -> Option<String> {
    let (file, other_file) = (file.display(), other_file.display());
    let lacks = |from: &Robot, of: &Robot| {
        joints(of).find(|(name, _)| !joints(from).any(|(known, _)| known == *name)).map(|(name, _)| name.to_owned())
    };
    if let Some(name) = lacks(other, one) {
        return Some(format!("{file} has a joint {name:?}, and {other_file} has none of that name"));
    }
    if let Some(name) = lacks(one, other) {
        return Some(format!("{other_file} has a joint {name:?}, and {file} has none of that name"));
    }
    let theirs = |name: &str| joints(other).find(|(known, _)| *known == name).map(|(_, limits)| limits);
    joints(one).find_map(|(name, limits)| {
        let other = theirs(name).filter(|other| (other.lower, other.upper) != (limits.lower, limits.upper))?;
        let range = |limits: &JointLimits| format!("{:.3} to {:.3} rad", limits.lower, limits.upper);
        Some(format!("joint {name:?} goes from {} in {file} and from {} in {other_file}", range(limits), range(other)))
    })
}

fn joints(robot: &Robot) -> impl Iterator<Item = (&str, &JointLimits)> {
    robot.legs().iter().flat_map(|leg| leg.joints()).map(|joint| (joint.name(), joint.limits()))
}

/// Lets the planner tell its markers in the frames of `state_publisher`, unless it has been given frames of its own.
pub fn share_frames(planner: &mut Params, publisher: &Params) {
    for name in ["base_frame", "frame_prefix"] {
        if text(planner, name).is_empty() {
            planner.insert(name, ParamValue::String(text(publisher, name)));
        }
    }
}

/// Gives the simulator the odometry's frame, where it is given no other.
pub fn share_odom_frame(simulator: &mut Params, publisher: &Params) {
    if text(simulator, "odom_frame").is_empty() {
        simulator.insert("odom_frame", ParamValue::String(text(publisher, "odom_frame")));
    }
}

/// Refuses to move real servos by a simulated clock, where it is not the driver itself that is given one.
///
/// # Errors
/// The planner has a simulated clock, and the servos are real.
pub fn check_clock(all: &AllParams) -> Result<(), ConfigError> {
    let is_simulated = |params: &Params| switch(params, "use_sim_time");
    if !is_simulated(&all.planner) || is_simulated(&all.driver) || !is_real(&text(&all.driver, "bus")) {
        return Ok(());
    }
    let reason = "does not go with real servos, which move in real time";
    Err(wrong(gait_planner::NAME, &all.planner, "use_sim_time", reason, "set it to false, or bus to simulated"))
}

/// What each node does by itself, and does not go together.
#[must_use]
pub fn notes(all: &AllParams) -> Vec<String> {
    let prefixes = all.each().into_iter().filter_map(|(name, params)| bare_prefix(name, params));
    [differing_clocks(all), differing_frames(all)].into_iter().flatten().chain(prefixes).collect()
}

fn differing_clocks(all: &AllParams) -> Option<String> {
    let value = |params: &Params| params.get("use_sim_time").cloned();
    let nodes = all.each();
    let differ = nodes.iter().any(|(_, params)| value(params) != value(nodes[0].1));
    let reported = || nodes.map(|(name, params)| format!("{name}: {}", switch(params, "use_sim_time")));
    differ.then(|| {
        format!(
            "use_sim_time differs ({}), so that times of two clocks are mixed: {ONE_FOR_ALL}",
            reported().join(", ")
        )
    })
}

fn differing_frames(all: &AllParams) -> Option<String> {
    let mut planner = all.planner.clone();
    share_frames(&mut planner, &all.publisher);
    if ["base_frame", "frame_prefix"].iter().all(|name| text(&planner, name) == text(&all.publisher, name)) {
        return None;
    }
    let description = Description::read(&files_of(&all.publisher).ok()?).ok()?;
    let frames = |node: &'static str, params: &Params| Frames::new(description.robot.model(), node, params).ok();
    let (markers, robot) =
        (frames(gait_planner::NAME, &planner)?.base(), frames(state_publisher::NAME, &all.publisher)?.base());
    (markers != robot).then(|| {
        format!(
            "base_frame and frame_prefix differ: gait_planner sends its markers in {markers:?}, and state_publisher sends \
             the frame {robot:?}; {ONE_FOR_ALL}, or leave those of gait_planner empty"
        )
    })
}

/// A prefix that runs into the names it is put before.
fn bare_prefix(node: &str, params: &Params) -> Option<String> {
    let prefix = text(params, "frame_prefix");
    prefix.ends_with(char::is_alphanumeric).then(|| {
        format!("frame_prefix of {node} makes frames like \"{prefix}base_link\"; write \"{prefix}/\" for \"{prefix}/base_link\"")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    /// The defaults of all nodes, with the shipped files.
    fn all() -> AllParams {
        let root = env!("CARGO_MANIFEST_DIR");
        let params = |specs: Vec<hexapod_config::ros_params::ParamSpec>| {
            let mut params: Params = specs.iter().map(|spec| (spec.name, spec.default.clone())).collect();
            params.insert("config", format!("{root}/config").as_str().into());
            params.insert("urdf", format!("{root}/urdf/hexapod.urdf").as_str().into());
            params
        };
        let planner = params(gait_planner::specs());
        let (driver, publisher) = (params(servo_driver::specs()), params(state_publisher::specs()));
        AllParams { planner, driver, publisher, ..AllParams::default() }
    }

    #[test]
    fn when_nodes_have_different_robots_expect_both_files_and_the_joint() {
        let text = include_str!("../urdf/hexapod.urdf");
        let limit = text.find("lower=\"").map(|at| &text[at..at + text[at + 7..].find('"').unwrap() + 8]).unwrap();
        let folder = std::env::temp_dir().join(format!("hexapod_agreement_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, other, words) in [
            ("renamed.urdf", text.replace("\"left_front_coxa\"", "\"lf_coxa\""), "_coxa\""),
            ("narrowed.urdf", text.replacen(limit, "lower=\"-0.111\"", 1), "-0.111"),
        ] {
            assert!(other != text);
            let file = folder.join(name);
            std::fs::write(&file, other).unwrap();
            for node in 0..3 {
                let mut all = all();
                assert!(check_robots(&all).is_ok());
                let params = [&mut all.planner, &mut all.driver, &mut all.publisher].into_iter().nth(node).unwrap();
                params.insert("urdf", file.display().to_string().as_str().into());
                let reported = format!("{:#}", check_robots(&all).unwrap_err());
                let expected = [name, "hexapod.urdf", words, ["gait_planner", "servo_driver", "state_publisher"][node]];
                assert!(expected.iter().all(|word| reported.contains(word)), "{expected:?}: {reported}");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_nodes_have_different_clocks_or_frames_expect_it_reported() {
        assert_eq!(notes(&all()), [""; 0]);
        let with = |change: fn(&mut AllParams)| {
            let mut all = all();
            change(&mut all);
            notes(&all).join("\n")
        };
        let reported = with(|all| drop(all.planner.insert("use_sim_time", ParamValue::Bool(true))));
        assert!(reported.contains("gait_planner: true") && reported.contains("servo_driver: false"), "{reported}");
        let reported = with(|all| drop(all.planner.insert("frame_prefix", "a/".into())));
        assert!(reported.contains("\"a/base_link\"") && reported.contains("\"base_link\""), "{reported}");
        let reported = with(|all| drop(all.publisher.insert("frame_prefix", "left".into())));
        assert!(reported.contains("leftbase_link") && reported.contains("\"left/\""), "{reported}");
        assert_eq!(with(|all| drop(all.publisher.insert("base_frame", "body".into()))), "", "the planner shares it");
        assert_eq!(with(|all| drop(all.planner.insert("base_frame", "base_link".into()))), "", "the same by name");
    }

    #[test]
    fn when_real_servos_would_move_by_a_simulated_clock_expect_it_refused() {
        let with = |simulated: bool, bus: &str| {
            let mut all = all();
            all.planner.insert("use_sim_time", ParamValue::Bool(simulated));
            all.driver.insert("bus", bus.into());
            check_clock(&all).is_ok()
        };
        assert!(with(false, "i2c") && with(true, "simulated") && !with(true, "i2c"));
    }

    #[test]
    fn when_one_node_is_given_frames_expect_the_planner_to_share_them_unless_it_has_its_own() {
        let (mut planner, mut publisher) = (Params::new(), Params::new());
        planner.insert("frame_prefix", "own/".into());
        publisher.insert("frame_prefix", "left/".into());
        publisher.insert("base_frame", "trunk".into());
        share_frames(&mut planner, &publisher);
        assert_eq!(["frame_prefix", "base_frame"].map(|name| text(&planner, name)), ["own/", "trunk"]);
    }
}
