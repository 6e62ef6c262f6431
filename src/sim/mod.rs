//! `hexapod sim`: a list of commands walked in physics as fast as the computer can, and a table of what came of it.

mod misfortune;
mod senses;
mod stack;
mod table;
mod tally;

pub use table::HEADER;

use crate::cli::{Bus, BusArgs, SimArgs, Start};
use crate::commands::{self, List};
use crate::composed::on_terrain;
use crate::exit::Failure;
use crate::idle::{Options, check_sim};
use crate::out;
use crate::patience::Patience;
use crate::setups::{Setups, parameters};
use hexapod_gait::{GaitState, Input};
use hexapod_ros::Shutdown;
use misfortune::Misfortune;
use stack::Stack;
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use table::Table;
use tally::Tally;

/// Longest a robot may take to stand up, s.
const MOST_S: f64 = 60.0;
/// Time in which a body that has risen comes to rest, s.
const REST_S: f64 = 0.5;

/// Walks the commands of a file in physics, writes a line of CSV for every tick and says what came of it.
///
/// # Errors
/// The robot's files or the commands do not hold, the robot does not come to stand, or the result cannot be written.
pub fn sim(arguments: &SimArgs) -> Result<(), Failure> {
    if !arguments.headless {
        let live =
            "for a robot in real time to watch and to drive: hexapod run --bus physics, or hexapod demo --terrain NAME";
        return Err(Failure::Words(format!("give --headless to walk the commands as fast as can be; {live}")));
    }
    let to_standard_output = arguments.out.as_os_str() == "-";
    if !to_standard_output {
        let read = [&*arguments.commands, Path::new(&arguments.terrain)];
        out::check_beside(&arguments.out, arguments.files.given().into_iter().chain(read))?;
    }
    let list = commands::read(&arguments.commands)?;
    let setups = setups(arguments)?;
    let misfortunes = misfortunes(&list, &setups)
        .map_err(|reason| Failure::Words(format!("{}:{reason}", arguments.commands.display())))?;
    let mut stack = Stack::new(setups, arguments.gait.as_deref(), arguments.start)?;
    stack.note(list.notes(&arguments.commands));
    let shutdown = Shutdown::on_signals().map_err(|error| Failure::Running(error.to_string()))?;
    if to_standard_output {
        let outcome = walk(stack, (&list, &misfortunes), &shutdown, std::io::stdout().lock())?;
        write!(std::io::stderr(), "{outcome}")?;
    } else {
        let file = out::create(&arguments.out)?;
        let waiting = Patience::on_terminal("walking in physics");
        let outcome = walk(stack, (&list, &misfortunes), &shutdown, std::io::BufWriter::new(file))?;
        drop(waiting);
        let table = arguments.out.display();
        writeln!(std::io::stdout(), "{outcome}table    {table}; hexapod plot run {table} --out run.svg draws it")?;
    }
    if shutdown.is_running() {
        return Ok(());
    }
    Err(Failure::Running(format!("{}: the commands that were left were not walked", shutdown.reason())))
}

fn setups(arguments: &SimArgs) -> Result<Setups, Failure> {
    let SimArgs { files, params, terrain, gait, .. } = arguments;
    let bus = BusArgs { files: files.clone(), bus: Some(Bus::Physics), params: params.clone() };
    let all = on_terrain(parameters(&bus)?, terrain)?;
    check_sim(params, Options { terrain, gait: gait.as_deref().unwrap_or_default() }, &all.simulator)?;
    Setups::load(&all)
}

/// What befalls the robot, or the line that does not hold.
fn misfortunes(list: &List, setups: &Setups) -> Result<Vec<Misfortune>, String> {
    setups.simulator.as_ref().map_or(Ok(Vec::new()), |simulator| misfortune::in_turn(list, simulator.misfortunes()))
}

/// The robot stands up and follows the commands, tick by tick, until it is to end.
fn walk(
    mut stack: Stack,
    (list, misfortunes): (&List, &[Misfortune]),
    shutdown: &Shutdown,
    out: impl Write,
) -> Result<String, Failure> {
    let clock = Instant::now();
    let mut table = Table::new(out)?;
    let mut tally = Tally::default();
    let mut go = |stack: &mut Stack, tally: &mut Tally, input: &Input| -> Result<(), Failure> {
        Ok(table.write(&tally.take(&stack.tick(input)?))?)
    };
    match stack.start() {
        Start::Sitting => stand(&mut stack, |stack| go(stack, &mut tally, &Input::default()))?,
        Start::Standing | Start::Hanging => begin(&mut stack)?,
    }
    tally.begin();
    let begins = stack.seconds();
    let rate_hz = stack.rate_hz();
    let (mut coming, mut befallen) = (misfortunes.iter().peekable(), String::new());
    for (tick, input) in list.inputs(rate_hz).enumerate().take_while(|_| shutdown.is_running()) {
        while let Some(next) = coming.next_if(|next| list.tick(next.time, rate_hz) <= tick) {
            stack.befall(&next.disturbances, next.push);
            befallen += &format!("met      at {:.2} s: {}\n", stack.seconds(), next.what);
        }
        go(&mut stack, &mut tally, &input)?;
    }
    table.finish()?;
    let faster = stack.seconds() / clock.elapsed().as_secs_f64();
    let head = format!(
        "terrain  {}\ntime     {:.2} s in all, {faster:.0} x real time; the first command at {begins:.2} s\n",
        stack.terrain(),
        stack.seconds()
    );
    let figures = tally.outcome(stack.motors());
    let notes: String = stack.notes().map(|note| format!("note     {note}\n")).collect();
    Ok(format!("{head}{befallen}{figures}{}{notes}", mishaps(&stack)))
}

/// What went wrong with the supply and the driver.
fn mishaps(stack: &Stack) -> String {
    let supply = stack.gave_way().map_or_else(String::new, |(at, why)| {
        let times = if stack.resets() == 1 { "once".into() } else { format!("{} times", stack.resets()) };
        format!("supply   gave way {times}, first at {at:.2} s, and the boards were reset: {why}\n")
    });
    let fault = stack.failed().map_or_else(String::new, |(at, why)| {
        format!("fault    at {at:.2} s the driver let go of all servos: {why}; nothing was walked from then on\n")
    });
    supply + &fault
}

/// Has the robot stand up once its servos follow, tick by tick, and waits until it has come to rest.
fn stand(stack: &mut Stack, mut tick: impl FnMut(&mut Stack) -> Result<(), Failure>) -> Result<(), Failure> {
    let most = (MOST_S * stack.rate_hz()) as usize;
    let mut until = |done: fn(&Stack) -> bool, stack: &mut Stack| {
        for _ in 0..most {
            tick(stack)?;
            is_driven(stack)?;
            if done(stack) {
                return Ok(());
            }
        }
        Err(Failure::Running(late()))
    };
    until(Stack::is_armed, stack)?;
    stack.stand();
    until(|stack| stack.state() == GaitState::Standing, stack)?;
    (0..(REST_S * stack.rate_hz()) as usize).try_for_each(|_| tick(stack))?;
    is_up(stack)
}

/// Has the robot stand before time counts: its legs where they stand, and it held so until its servos follow.
fn begin(stack: &mut Stack) -> Result<(), Failure> {
    if !stack.stand_at_once(MOST_S) {
        return Err(Failure::Running(late()));
    }
    let [most, rest] = [MOST_S, REST_S].map(|seconds| (seconds * stack.rate_hz()) as usize);
    let mut tick = |stack: &mut Stack| stack.tick(&Input::default()).and_then(|_| is_driven(stack));
    for _ in 0..most {
        if stack.is_armed() {
            break;
        }
        stack.put();
        tick(stack)?;
    }
    (0..rest).try_for_each(|_| tick(stack))?;
    stack.begin();
    is_up(stack)
}

fn late() -> String {
    format!("the robot has not come to stand within {MOST_S} s")
}

/// Refuses to go on without servos.
fn is_driven(stack: &Stack) -> Result<(), Failure> {
    let Some((_, why)) = stack.failed() else { return Ok(()) };
    let supply = stack.gave_way().map(|(at, why)| format!("the supply gave way at {at:.2} s: {why}; so "));
    Err(Failure::Running(format!("the robot has not come to stand: {}{why}", supply.unwrap_or_default())))
}

/// Refuses to go on with a robot that lies.
fn is_up(stack: &Stack) -> Result<(), Failure> {
    if !stack.has_fallen() {
        return Ok(());
    }
    let why = "it lies or leans once its servos hold it: they are too weak for it (its mass, a payload, the effort of its URDF or \
               the torque in sim.yaml), or have thrown it over as they jumped from where the limp legs lay, with all the effort \
               that its URDF gives them";
    Err(Failure::Running(format!("the robot has not come to stand: {why}")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::cli::FileArgs;

    fn walked(commands: &str, terrain: &str, params: &[&str]) -> (String, String) {
        walked_from(Start::default(), commands, terrain, params)
    }

    fn walked_from(start: Start, commands: &str, terrain: &str, params: &[&str]) -> (String, String) {
        let root = env!("CARGO_MANIFEST_DIR");
        let files = FileArgs { config: format!("{root}/config"), urdf: format!("{root}/urdf/hexapod.urdf") };
        let params = params.iter().map(|&param| param.to_owned()).collect();
        let arguments = SimArgs { files, params, terrain: terrain.into(), ..SimArgs::default() };
        let (list, setups) = (commands::parse(commands).unwrap(), setups(&arguments).ok().unwrap());
        let misfortunes = misfortunes(&list, &setups).unwrap();
        let stack = Stack::new(setups, Some("ripple"), start).ok().unwrap();
        let mut table = Vec::new();
        let outcome = walk(stack, (&list, &misfortunes), &Shutdown::default(), &mut table).ok().unwrap();
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
        assert_eq!(table.lines().map(|line| line.split(',').count()).min(), Some(HEADER.split(',').count()));
        assert!(walked(AHEAD, "flat", &[]).1 == table, "the same bits");
    }

    #[test]
    fn when_a_robot_begins_standing_or_hanging_expect_commands_at_once_and_no_way_in_the_air() {
        for (start, way) in [(Start::Standing, 0.4), (Start::Hanging, 0.0), (Start::Sitting, 0.4)] {
            let (outcome, table) = walked_from(start, AHEAD, "flat", &[]);
            let first = column(&table, "seconds")[0];
            assert!(
                (first < 0.02) == outcome.contains("first command at 0.00 s") || start == Start::Sitting,
                "{outcome}"
            );
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
        let place = HEADER.split(',').position(|known| known == name).unwrap();
        table.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn when_misfortunes_have_their_times_expect_the_walk_as_it_was_until_then_and_each_told() {
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
        let told = |at: f64, what: &str| outcome.contains(&format!("met      at {:.2} s: {what}\n", begins + at));
        assert!(told(1.0, "push:=[0.0, 30.0, 0.0]") && told(3.5, "limp:=left_front,left_middle"), "{outcome}");
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
        let stack = Stack::new(setups, None, Start::Standing).ok().unwrap();
        let Err(Failure::Running(told)) = walk(stack, (&list, &[]), &Shutdown::default(), Vec::new()) else {
            panic!("it stands")
        };
        for words in [
            "the supply gave way at ",
            "it switches off beyond 2.0 A (supply.greatest_current_a in sim.yaml)",
            "; so board 0x4",
        ] {
            assert!(told.contains(words), "{told}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_the_table_cannot_be_written_expect_it_refused_before_anything_is_read() {
        let arguments = SimArgs { headless: true, out: std::env::temp_dir(), ..SimArgs::default() };
        match sim(&arguments) {
            Err(Failure::Words(words)) => assert!(words.contains("is a folder"), "{words}"),
            other => panic!("{other:?}"),
        }
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
    fn when_it_is_not_asked_to_be_headless_expect_what_shows_a_robot() {
        match sim(&SimArgs::default()) {
            Err(Failure::Words(words)) => assert!(words.contains("hexapod run --bus physics"), "{words}"),
            other => panic!("{other:?}"),
        }
    }
}
