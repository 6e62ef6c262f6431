//! Walks of the shipped robot.

use super::super::table::HEADER;
use super::*;
use crate::cli::FileArgs;
use crate::commands;

fn walked(commands: &str, terrain: &str, params: &[&str]) -> (String, String) {
    walked_from(Start::default(), commands, terrain, params)
}

fn walked_from(start: Start, commands: &str, terrain: &str, params: &[&str]) -> (String, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let files = FileArgs { config: format!("{root}/config"), urdf: format!("{root}/urdf/hexapod.urdf") };
    let params = params.iter().map(|&param| param.to_owned()).collect();
    let arguments =
        SimArgs { files, params, terrain: terrain.into(), gait: Some("ripple".into()), ..SimArgs::default() };
    let (list, setups) = (commands::parse(commands).unwrap(), setups(&arguments).ok().unwrap());
    let misfortunes = misfortunes(&list, &setups).unwrap();
    let stack = Stack::new(setups, start, false).ok().unwrap();
    let mut table = Vec::new();
    let columns = [Column::Joints, Column::Forces, Column::Contacts, Column::Odometry, Column::Commanded];
    let walked = walk(stack, (&list, &misfortunes), &columns, &Shutdown::default(), &mut table);
    let outcome = walked.ok().unwrap().outcome();
    (outcome, String::from_utf8(table).unwrap())
}

/// A cell of the last line.
fn last(table: &str, column: &str) -> f64 {
    let place = HEADER.split(',').position(|name| name == column).unwrap();
    table.lines().last().unwrap().split(',').nth(place).unwrap().parse().unwrap()
}

const AHEAD: &str = "0,0.06,0,0\n8,0,0,0\n10,0,0,0\n";

#[test]
fn when_a_walk_is_repeated_expect_the_way_planned_no_fall_and_the_same_table() {
    let (outcome, table) = walked(AHEAD, "flat", &[]);
    // Ripple goes 3 % farther than planned, with finer steps of the physics as well.
    let part = last(&table, "x") / last(&table, "x_planned");
    assert!(last(&table, "x_planned") > 0.4 && (0.99..1.04).contains(&part), "{part}: {outcome}");
    assert_eq!(last(&table, "falls"), 0.0, "{outcome}");
    assert!(table.starts_with(HEADER));
    let names = table.lines().next().unwrap().split(',').count();
    assert!(table.lines().all(|line| line.split(',').count() == names), "{names} columns");
    let [down, by_odometry, asked] = ["force_z_left_front", "x_odom", "vx_commanded"].map(|name| column(&table, name));
    assert!(down.iter().any(|force| *force > 3.0) && down.contains(&0.0), "a foot bears the body, and is lifted");
    assert!((by_odometry.last().unwrap() / last(&table, "x_planned") - 1.0).abs() < 0.01, "{by_odometry:?}");
    assert_eq!((asked[1], *asked.last().unwrap()), (0.06, 0.0));
    assert!(walked(AHEAD, "flat", &[]).1 == table, "the same bits");
}

#[test]
fn when_a_robot_begins_standing_or_hanging_expect_commands_at_once_and_no_way_in_the_air() {
    for (start, way) in [(Start::Standing, 0.4), (Start::Hanging, 0.0), (Start::Sitting, 0.4)] {
        let (outcome, table) = walked_from(start, AHEAD, "flat", &[]);
        let first = column(&table, "seconds")[0];
        assert!((first < 0.02) == outcome.contains("first command at 0.00 s") || start == Start::Sitting, "{outcome}");
        assert!((last(&table, "x") - column(&table, "x")[0] - way).abs() < 0.1, "{start:?}: {outcome}");
        let lean = column(&table, "lean").into_iter().fold(0.0, f64::max);
        assert!(lean < 0.1, "{start:?}: {lean} rad");
    }
}

#[test]
fn when_stones_are_higher_expect_the_body_to_lean_more() {
    let lean = |size: &str| {
        let (_, table) = walked(AHEAD, "rubble", &[&format!("simulator.terrain_size:={size}")]);
        let place = HEADER.split(',').position(|name| name == "lean").unwrap();
        let cells = table.lines().skip(500).filter_map(|line| line.split(',').nth(place)?.parse::<f64>().ok());
        cells.fold(0.0, f64::max)
    };
    let (low, high) = (lean("0.002"), lean("0.02"));
    assert!(high > 2.0 * low, "{low} and {high} rad");
}

/// The cells of a column.
fn column(table: &str, name: &str) -> Vec<f64> {
    let place = table.lines().next().unwrap().split(',').position(|known| known == name).unwrap();
    table.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
}

#[test]
fn when_misfortunes_have_their_times_expect_the_walk_as_it_was_until_then_and_each_reported() {
    let still = "0,0,0,0\n6,0,0,0\n";
    let (_, usual) = walked(still, "flat", &[]);
    let (outcome, pushed) =
        walked(&format!("{still}1,push:=[0.0, 30.0, 0.0]\n3.5,limp:=left_front,left_middle\n"), "flat", &[]);
    let (seconds, aside) = (column(&usual, "seconds"), [&usual, &pushed].map(|table| column(table, "y")));
    let begins = seconds.last().unwrap() - 6.0;
    let off = |from: f64, to: f64| {
        let there = seconds.iter().zip(aside[0].iter().zip(&aside[1]));
        there
            .filter(|(at, _)| (from..to).contains(&(**at - begins)))
            .map(|(_, (y, other))| (other - y).abs())
            .fold(0.0, f64::max)
    };
    assert_eq!(off(-9.0, 1.0), 0.0, "nothing before");
    assert!(off(1.0, 1.3) > 4e-4, "{} m", off(1.0, 1.3));
    let lean = column(&pushed, "lean");
    let leans = |from: f64, to: f64| {
        let there = seconds.iter().zip(&lean).filter(|(at, _)| (from..to).contains(&(**at - begins)));
        there.map(|(_, lean)| *lean).fold(0.0, f64::max)
    };
    assert!(leans(3.6, 6.0) > 2.0 * leans(2.5, 3.5), "{} and {} rad", leans(2.5, 3.5), leans(3.6, 6.0));
    let reported = |at: f64, what: &str| outcome.contains(&format!("met      at {:.2} s: {what}\n", begins + at));
    assert!(reported(1.0, "push:=[0.0, 30.0, 0.0]") && reported(3.5, "limp:=left_front,left_middle"), "{outcome}");
}

#[test]
fn when_a_parameter_would_not_count_on_this_ground_or_beside_an_option_expect_the_walk_refused() {
    for (terrain, gait, given) in [
        ("rubble", None, "simulator.terrain_cell:=0.01"),
        ("", None, "simulator.terrain_size:=0.3"),
        ("steps", None, "simulator.terrain:=rubble"),
        ("", Some("wave"), "gait_planner.gait:=tripod"),
    ] {
        let (terrain, gait, params) = (terrain.into(), gait.map(str::to_owned), vec![given.to_owned()]);
        let refused = setups(&SimArgs { terrain, gait, params, ..SimArgs::default() });
        let Err(Failure::Input(error)) = refused else { panic!("{given}") };
        assert!(error.to_string().contains(given), "{error}");
    }
}

#[test]
fn when_a_misfortune_is_none_expect_its_line_and_what_would_be_right() {
    let files = FileArgs {
        config: format!("{}/config", env!("CARGO_MANIFEST_DIR")),
        urdf: format!("{}/urdf/hexapod.urdf", env!("CARGO_MANIFEST_DIR")),
    };
    let setups = setups(&SimArgs { files, ..SimArgs::default() }).ok().unwrap();
    for (line, words) in [
        ("1,limp:=left_frnt", "did you mean `left_front`?"),
        ("1,lmp:=left_front", "\"lmp\" is none of what can befall the robot: did you mean `limp`?"),
        (
            "1,terrain:=steps",
            "is none of what can befall the robot: known names: push, push_force, push_seconds, payload,",
        ),
        ("1,push:=5.0", "`push_force` takes a list of numbers"),
        ("1,push:=[5.0]", "a force has three numbers, not 1"),
        ("1,payload:=-1.0", "`payload` takes a number from 0 to 50"),
        ("1,payload", "\"payload\" has no value; write payload:=0.5"),
        ("1,simulator.limp", "\"simulator.limp\" has no value; write simulator.limp:=left_front"),
        ("1,payload=0.5", "expected NODE.NAME:=VALUE or NAME:=VALUE"),
        ("1,push=[5.0, 0.0, 0.0]", "expected NODE.NAME:=VALUE or NAME:=VALUE"),
        ("1,gait_planner.step_height:=0.02", "stays as it is for a whole walk; give it as in hexapod sim -p"),
    ] {
        let list = commands::parse(&format!("0,0.1,0,0\n{line}\n2,0,0,0\n")).unwrap();
        let why = misfortunes(&list, &setups).err().unwrap();
        assert!(why.starts_with("2: ") && why.contains(words), "{line}: {why}");
    }
}

#[test]
fn when_the_supply_gives_way_expect_why_and_when_and_what_the_driver_did() {
    let folder = std::env::temp_dir().join(format!("hexapod_sim_supply_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("sim.yaml"), "servos: {all: mg996r}\nsupply: {greatest_current_a: 2.0}\n").unwrap();
    let files = FileArgs {
        config: folder.display().to_string(),
        urdf: format!("{}/urdf/hexapod.urdf", env!("CARGO_MANIFEST_DIR")),
    };
    let setups = setups(&SimArgs { files, ..SimArgs::default() }).ok().unwrap();
    let list = commands::parse("0,0.06,0,0\n1,0,0,0\n").unwrap();
    let stack = Stack::new(setups, Start::Sitting, false).ok().unwrap();
    let Err(Failure::Running(reported)) = walk(stack, (&list, &[]), &[], &Shutdown::default(), Vec::new()) else {
        panic!("it stands")
    };
    for words in [
        "the supply gave way at ",
        "it switches off beyond 2.0 A (supply.greatest_current_a in sim.yaml)",
        "; so board 0x4",
    ] {
        assert!(reported.contains(words), "{reported}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn when_commands_turn_and_shift_the_body_expect_it_so() {
    let (_, table) = walked("0,0,0,0,0.02,-0.01,0.01,0.1,-0.08,0.05\n4,0,0,0\n", "flat", &[]);
    let (_, usual) = walked("0,0,0,0\n4,0,0,0\n", "flat", &[]);
    let wanted = [("x", 0.02), ("y", -0.01), ("z", 0.01), ("roll", 0.1), ("pitch", -0.08), ("yaw", 0.05)];
    for (name, wanted) in wanted {
        let moved = last(&table, name) - last(&usual, name);
        assert!((moved - wanted).abs() < 0.004, "{name}: {moved} of {wanted}");
    }
}

#[test]
fn when_it_is_pushed_over_expect_its_servos_let_go_as_the_nodes_do_and_nothing_walked_from_then_on() {
    let (outcome, table) = walked("0,0.08,0,0\n3,push:=[0.0, 90.0, 40.0]\n10,0,0,0\n", "flat", &[]);
    assert!(outcome.contains("the driver let go of all servos: the robot has fallen"), "{outcome}");
    let [time, work] = ["seconds", "work"].map(|name| column(&table, name));
    let late = time.iter().position(|time| *time > 6.0).unwrap();
    assert!(work.last().unwrap() - work[late] < 1e-3, "no servo drives a joint: {outcome}");
}

#[test]
fn when_it_is_lifted_expect_it_to_hold_its_legs_and_to_walk_again_only_after_a_rest_on_the_ground() {
    let lift = "0,0.08,0,0\n3,push:=[0.0, 0.0, 35.0]\n7,0,0,0\n7.5,0.08,0,0\n16,0,0,0\n";
    let (outcome, table) = walked(lift, "flat", &["simulator.push_seconds:=0.6"]);
    assert!(outcome.contains("it is lifted: its legs are held"), "{outcome}");
    let [time, planned] = ["seconds", "x_planned"].map(|name| column(&table, name));
    let at = |seconds: f64| planned[time.iter().position(|time| *time > seconds).unwrap()];
    assert_eq!(at(3.5), at(7.4), "driven all the while: {outcome}");
    assert!(last(&table, "x_planned") > at(7.4) + 0.1, "{outcome}");
}

#[test]
fn when_steps_are_too_high_expect_it_to_stop_and_over_rubble_that_holds_it_up_for_three_strides_to_get_on() {
    let ahead = "0,0.07,0,0\n14,0,0,0\n";
    let size = |size: &str| format!("simulator.terrain_size:={size}");
    let (outcome, _) = walked(ahead, "steps", &[&size("0.05"), "gait_planner.step_height:=0.05"]);
    assert!(outcome.contains("it has stopped as blocked"), "{outcome}");
    let (outcome, table) = walked(ahead, "rubble", &[&size("0.06"), "gait_planner.step_height:=0.05"]);
    assert!(!outcome.contains("it has stopped") && last(&table, "x") > 0.4, "{outcome}");
}

#[test]
fn when_it_turns_one_way_and_the_other_expect_how_far_it_turned_of_what_was_planned_and_commanded() {
    let (outcome, _) = walked("0,0,0,0.3\n4,0,0,-0.3\n8,0,0,0\n10,0,0,0\n", "flat", &[]);
    let figures = outcome.lines().find_map(|line| line.strip_prefix("turn")).unwrap();
    let numbers: Vec<f64> =
        figures.split_whitespace().filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
    let [turned, of_planned, planned, of_commanded, commanded] = numbers[..] else { panic!("{figures}") };
    assert!((0.95..1.05).contains(&of_planned) && (turned - of_planned * planned).abs() < 0.01, "{figures}");
    assert!((commanded - 2.4).abs() < 0.01 && (turned - of_commanded * commanded).abs() < 0.01, "{figures}");
    assert!(!walked(AHEAD, "flat", &[]).0.contains("turn "), "nobody asked it to");
}
