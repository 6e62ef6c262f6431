//! `hexapod sim`: a list of commands walked in physics as fast as the computer can, and a table of what came of it.

mod stack;
mod table;
mod tally;

pub use table::HEADER;

use crate::cli::{Bus, BusArgs, SimArgs};
use crate::commands::{self, Command};
use crate::composed::on_terrain;
use crate::exit::Failure;
use crate::patience::Patience;
use crate::setups::{Setups, parameters};
use hexapod_gait::{GaitState, Input};
use stack::Stack;
use std::io::Write;
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
    let commands = commands::read(&arguments.commands)?;
    let stack = Stack::new(setups(arguments)?, arguments.gait.as_deref())?;
    let failed = |e: std::io::Error| match Failure::from(e) {
        Failure::Running(reason) => Failure::Running(format!("{}: {reason}", arguments.out.display())),
        other => other,
    };
    if arguments.out.as_os_str() == "-" {
        let outcome = walk(stack, &commands, std::io::stdout().lock())?;
        Ok(write!(std::io::stderr(), "{outcome}")?)
    } else {
        let file = std::fs::File::create(&arguments.out).map_err(failed)?;
        let waiting = Patience::on_terminal("walking in physics");
        let outcome = walk(stack, &commands, std::io::BufWriter::new(file))?;
        drop(waiting);
        Ok(writeln!(std::io::stdout(), "{outcome}table    {}; hexapod plot run draws it", arguments.out.display())?)
    }
}

fn setups(arguments: &SimArgs) -> Result<Setups, Failure> {
    let SimArgs { files, params, terrain, .. } = arguments;
    let bus = BusArgs { files: files.clone(), bus: Some(Bus::Physics), params: params.clone() };
    Setups::load(&on_terrain(parameters(&bus)?, terrain)?)
}

/// The robot stands up and follows the commands, tick by tick.
fn walk(mut stack: Stack, commands: &[Command], out: impl Write) -> Result<String, Failure> {
    let clock = Instant::now();
    let mut table = Table::new(out)?;
    let mut tally = Tally::default();
    let mut go = |stack: &mut Stack, tally: &mut Tally, input: &Input| -> Result<(), Failure> {
        Ok(table.write(&tally.take(&stack.tick(input)?))?)
    };
    stand(&mut stack, |stack| go(stack, &mut tally, &Input::default()))?;
    tally.begin();
    for input in commands::inputs(commands, stack.rate_hz()) {
        go(&mut stack, &mut tally, &input)?;
    }
    table.finish()?;
    let faster = stack.seconds() / clock.elapsed().as_secs_f64();
    let resets = match stack.resets() {
        0 => String::new(),
        count => format!("resets   {count} of the boards, by a supply that sank\n"),
    };
    let terrain = stack.terrain();
    let failed = stack.failed().map_or_else(String::new, |(at, why)| {
        format!("fault    after {at:.2} s: {why}; the planner froze, and nothing was walked from then on\n")
    });
    let notes: String = stack.notes().iter().map(|note| format!("note     {note}\n")).collect();
    let figures = tally.outcome(stack.weight(), stack.takes_current());
    Ok(format!("terrain  {terrain}\ntime     {faster:.0} x real time\n{figures}{resets}{failed}{notes}"))
}

/// Has the robot stand up once its servos follow, tick by tick, and waits until it has come to rest.
fn stand(stack: &mut Stack, mut tick: impl FnMut(&mut Stack) -> Result<(), Failure>) -> Result<(), Failure> {
    let most = (MOST_S * stack.rate_hz()) as usize;
    let mut until = |done: fn(&Stack) -> bool, stack: &mut Stack| {
        for _ in 0..most {
            tick(stack)?;
            if let Some((_, why)) = stack.failed() {
                return Err(Failure::Running(format!("the robot has not come to stand: {why}")));
            }
            if done(stack) {
                return Ok(());
            }
        }
        Err(Failure::Running(format!("the robot has not come to stand within {MOST_S} s")))
    };
    until(Stack::is_armed, stack)?;
    stack.stand();
    until(|stack| stack.state() == GaitState::Standing, stack)?;
    (0..(REST_S * stack.rate_hz()) as usize).try_for_each(|_| tick(stack))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::cli::FileArgs;

    fn walked(commands: &str, terrain: &str, params: &[&str]) -> (String, String) {
        let root = env!("CARGO_MANIFEST_DIR");
        let files = FileArgs { config: format!("{root}/config"), urdf: format!("{root}/urdf/hexapod.urdf") };
        let params = params.iter().map(|&param| param.to_owned()).collect();
        let arguments = SimArgs { files, params, terrain: terrain.into(), ..SimArgs::default() };
        let stack = Stack::new(setups(&arguments).ok().unwrap(), Some("ripple")).ok().unwrap();
        let mut table = Vec::new();
        let outcome = walk(stack, &commands::parse(commands).unwrap(), &mut table).ok().unwrap();
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

    #[test]
    fn when_it_is_not_asked_to_be_headless_expect_what_shows_a_robot() {
        match sim(&SimArgs::default()) {
            Err(Failure::Words(words)) => assert!(words.contains("hexapod run --bus physics"), "{words}"),
            other => panic!("{other:?}"),
        }
    }
}
