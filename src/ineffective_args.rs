//! Arguments of the command line that would change nothing: they are for nodes which do not run, for another ground, or an
//! option says otherwise.

use crate::parameters::{AllParams, node_specs};
use hexapod_config::ros_params::{ParamValue, Params, parse_override};
use hexapod_config::{ConfigError, Faults};
use hexapod_setup::params::{switch, text};

/// Why a parameter changes nothing, and what to do about it.
type Why = (String, String);

/// What the simulator does without ROS and in its own time: all else that can be set on it is for messages and the clock.
const OF_PHYSICS: [&str; 6] = ["config", "urdf", "terrain", "terrain_size", "terrain_cell", "seed"];
/// What of the driver counts there: it has no bus, no pins and no messages.
const OF_DRIVER: [&str; 4] = ["config", "urdf", "bus", "rate"];
/// What of the planner does not.
const OF_MESSAGES: [&str; 4] = ["cmd_vel_timeout", "stamped_cmd_vel", "base_frame", "frame_prefix"];

/// Options that say what a parameter says, too, and count in its place; empty where they are not given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// What the robot stands on.
    pub terrain: &'a str,
    /// The gait.
    pub gait: &'a str,
}

impl Options<'_> {
    /// Why a parameter does not count beside them.
    fn overrule(&self, node: &str, name: &str, value: &ParamValue) -> Option<Why> {
        let (option, said) = match (node, name) {
            (simulator::NAME, "terrain") => ("--terrain", self.terrain),
            (gait_planner::NAME, "gait") => ("--gait", self.gait),
            _ => return None,
        };
        let differs = !said.is_empty() && *value != ParamValue::from(said);
        differs.then(|| (format!("{option} {said} is given as well, and counts"), "leave one of the two out".into()))
    }
}

/// Refuses arguments for nodes that do not run in a process with all nodes.
///
/// # Errors
/// Each such argument, and what would have it count.
pub fn check_run(given: &[String], options: Options<'_>, all: &AllParams, web: bool) -> Result<(), ConfigError> {
    let bus = text(&all.driver, "bus");
    let why = |node: &str, name: &str, value: &ParamValue| match node {
        simulator::NAME if bus != "physics" => {
            Some((format!("no simulator runs with bus {bus}"), "add --bus physics, or leave it out".into()))
        }
        web_teleop::NAME if !web => {
            Some(("the page is not served, so no web_teleop runs".into(), "add --web, or leave it out".into()))
        }
        _ => options.overrule(node, name, value),
    };
    check(given, why)
}

/// Refuses arguments for another ground than that which the simulator has, whoever said so last.
///
/// # Errors
/// As [`check_run`].
pub fn check_ground(given: &[String], simulator: &Params) -> Result<(), ConfigError> {
    let terrain = text(simulator, "terrain");
    check(given, |node, name, _| if node == simulator::NAME { simulator::idle_on(&terrain, name) } else { None })
}

/// The same as both for `hexapod sim`, where there are no messages and nothing goes by a clock.
///
/// # Errors
/// As [`check_run`].
pub fn check_sim(given: &[String], options: Options<'_>, all: &AllParams) -> Result<(), ConfigError> {
    let terrain = text(&all.simulator, "terrain");
    let feels = ["use_foot_switches", "use_sensed_contacts"].iter().any(|name| switch(&all.planner, name));
    let leave_out = || String::from("leave it out, or walk with hexapod run --bus physics");
    let why = |node: &str, name: &str, value: &ParamValue| match (node, name) {
        (simulator::NAME, "speed") => Some(("hexapod sim always goes as fast as the computer can".into(), leave_out())),
        (simulator::NAME, "lockstep") => {
            Some(("in hexapod sim planner and physics always wait for each other".into(), leave_out()))
        }
        (simulator::NAME, name) if OF_PHYSICS.contains(&name) || simulator::Misfortunes::names().contains(&name) => {
            simulator::idle_on(&terrain, name).or_else(|| options.overrule(node, name, value))
        }
        (simulator::NAME, _) => Some(("hexapod sim sends no messages".into(), leave_out())),
        (servo_driver::NAME, name) if !OF_DRIVER.contains(&name) => {
            Some(("the driver has neither bus nor pins in hexapod sim, and gets no messages".into(), leave_out()))
        }
        (gait_planner::NAME, name) if OF_MESSAGES.contains(&name) => {
            Some(("hexapod sim sends no messages".into(), leave_out()))
        }
        (gait_planner::NAME, "contacts_delay") if !feels => {
            Some(("no foot feels the ground".into(), "add -p use_foot_switches:=true, or leave it out".into()))
        }
        (state_publisher::NAME | web_teleop::NAME, _) => Some((format!("no {node} runs in hexapod sim"), leave_out())),
        _ => options.overrule(node, name, value),
    };
    check(given, why)
}

/// Refuses what changes nothing on any of the nodes that it is for. What is no argument at all is reported where it is
/// read.
fn check(given: &[String], why: impl Fn(&str, &str, &ParamValue) -> Option<Why>) -> Result<(), ConfigError> {
    let (mut faults, nodes) = (Faults::default(), node_specs());
    for argument in given {
        let Ok((wanted, name, value)) = parse_override(argument) else { continue };
        let is_meant = |node: &str| wanted.as_ref().is_none_or(|wanted| wanted == node);
        let has_it = nodes.iter().filter(|(node, specs)| is_meant(node) && specs.iter().any(|spec| spec.name == name));
        let idle: Option<Vec<Why>> = has_it.map(|(node, _)| why(node, &name, &value)).collect();
        if let Some((reason, help)) = idle.and_then(|idle| idle.into_iter().next()) {
            faults.add(ConfigError::whole_file(&format!("-p {argument}"), format!("changes nothing: {reason}"), help));
        }
    }
    faults.into_result()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    fn reported(result: Result<(), ConfigError>) -> String {
        result.err().map(|error| format!("{error}\n{}", error.drawn())).unwrap_or_default()
    }

    #[test]
    fn when_an_argument_is_for_a_node_that_does_not_run_expect_it_refused_and_what_would_have_it_count() {
        let run = |given: &str, bus: &str, web: bool| {
            let all = AllParams { driver: Params::from([("bus", bus.into())]), ..AllParams::default() };
            reported(check_run(&[given.to_owned()], Options::default(), &all, web))
        };
        for (given, bus, web, words) in [
            ("simulator.payload:=0.5", "simulated", false, "no simulator runs with bus simulated"),
            ("payload:=0.5", "i2c", false, "add --bus physics"),
            ("web_teleop.port:=8081", "simulated", false, "add --web"),
        ] {
            let reported = run(given, bus, web);
            assert!(reported.contains(words) && reported.contains(&format!("-p {given}")), "{given}: {reported}");
        }
        for (given, bus, web) in [
            ("simulator.payload:=0.5", "physics", false),
            ("web_teleop.port:=8081", "simulated", true),
            ("rate:=50.0", "simulated", false),
            ("use_sim_time:=true", "simulated", false),
            ("bogus", "simulated", false),
        ] {
            assert_eq!(run(given, bus, web), "", "{given}");
        }
    }

    #[test]
    fn when_an_argument_changes_nothing_without_ros_expect_it_refused_and_why() {
        let on_rubble = Params::from([("terrain", "rubble".into())]);
        let all = AllParams { simulator: on_rubble, ..AllParams::default() };
        let sim = |given: &str| reported(check_sim(&[given.to_owned()], Options::default(), &all));
        for (given, words) in [
            ("simulator.speed:=2.0", "always goes as fast as the computer can"),
            ("lockstep:=true", "always wait for each other"),
            ("simulator.rate:=50.0", "sends no messages"),
            ("state_publisher.publish_tf:=false", "no state_publisher runs in hexapod sim"),
            ("load_feedback:=true", "the driver has neither bus nor pins"),
            ("cmd_vel_timeout:=0.2", "sends no messages"),
            ("contacts_delay:=0.1", "no foot feels the ground"),
        ] {
            assert!(sim(given).contains(words), "{given}: {}", sim(given));
        }
        for given in [
            "simulator.seed:=7",
            "terrain_size:=0.02",
            "simulator.terrain:=rubble",
            "gait_planner.gait:=wave",
            "simulator.payload:=0.5",
            "rate:=50.0",
            "servo_driver.rate:=100.0",
            "limp:=left_front",
        ] {
            assert_eq!(sim(given), "", "{given}");
        }
    }

    #[test]
    fn when_an_argument_is_for_another_ground_expect_it_refused_and_the_ground_that_has_it() {
        for (terrain, given, words) in [
            ("flat", "simulator.terrain_size:=0.3", ["terrain flat has no size", "as in --terrain steps"]),
            ("rubble", "terrain_cell:=0.01", ["terrain rubble is no picture of heights", "as in --terrain hills.png"]),
        ] {
            let given = [given.to_owned()];
            let all = AllParams { simulator: Params::from([("terrain", terrain.into())]), ..AllParams::default() };
            let (ground, sim) = (check_ground(&given, &all.simulator), check_sim(&given, Options::default(), &all));
            for reported in [reported(ground), reported(sim)] {
                assert!(words.iter().all(|words| reported.contains(words)), "{reported}");
                assert!(reported.contains(&format!("-p {}", given[0])), "{reported}");
            }
        }
        let picture = Params::from([("terrain", "hills.png".into())]);
        assert_eq!(reported(check_ground(&["terrain_cell:=0.01".into(), "terrain_size:=0.3".into()], &picture)), "");
    }

    #[test]
    fn when_an_option_says_otherwise_expect_the_argument_refused_and_both_named() {
        let (options, all) = (
            Options { terrain: "steps", gait: "wave" },
            AllParams {
                driver: Params::from([("bus", "physics".into())]),
                simulator: Params::from([("terrain", "steps".into())]),
                ..AllParams::default()
            },
        );
        let each = |given: &str| {
            let given = [given.to_owned()];
            [reported(check_sim(&given, options, &all)), reported(check_run(&given, options, &all, false))]
        };
        for (given, words) in [
            ("simulator.terrain:=rubble", "--terrain steps is given as well, and counts"),
            ("terrain:=hills.png", "--terrain steps is given as well"),
            ("gait_planner.gait:=tripod", "--gait wave is given as well, and counts"),
        ] {
            assert!(
                each(given).iter().all(|reported| reported.contains(words) && reported.contains(given)),
                "{:?}",
                each(given)
            );
        }
        for given in ["simulator.terrain:=steps", "gait:=wave", "simulator.terrain_size:=0.03"] {
            assert_eq!(each(given), ["", ""], "{given}");
        }
    }
}
