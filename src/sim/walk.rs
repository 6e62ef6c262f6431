//! One walk: the robot stands, follows the commands, and what comes of it is taken down.

use super::columns::Columns;
use super::misfortune::{self, Misfortune};
use super::stack::Stack;
use super::table::Table;
use super::tally::{RESULTS, Tally};
use crate::cli::{BusArgs, Column, SimArgs, Start};
use crate::commands::List;
use crate::composed::on_terrain;
use crate::exit::Failure;
use crate::ineffective_args::{Options, check_sim};
use crate::setups::{Setups, parameters};
use hexapod_gait::{GaitState, Input, Twist};
use hexapod_ros::Shutdown;
use std::io::Write;
use std::time::Instant;

/// Longest a robot may take to stand up, s.
const MOST_S: f64 = 60.0;
/// Time in which a body that has risen comes to rest, s.
const REST_S: f64 = 0.5;

/// Reads the robot's files and walks the list.
pub(super) fn run(arguments: &SimArgs, list: &List, shutdown: &Shutdown, out: impl Write) -> Result<Walk, Failure> {
    let setups = setups(arguments)?;
    let misfortunes = misfortunes(list, &setups)
        .map_err(|reason| Failure::Words(format!("{}:{reason}", arguments.commands.display())))?;
    let mut stack = Stack::new(setups, arguments.start, arguments.see)?;
    stack.note(list.notes(&arguments.commands));
    walk(stack, (list, &misfortunes), &arguments.columns, shutdown, out)
}

pub(super) fn setups(arguments: &SimArgs) -> Result<Setups, Failure> {
    let SimArgs { files, params, terrain, gait, .. } = arguments;
    let bus = BusArgs { files: files.clone(), bus: Some("physics".into()), params: params.clone() };
    let all = on_terrain(parameters(&bus)?, terrain)?.with_gait(gait.as_deref());
    check_sim(params, Options { terrain, gait: gait.as_deref().unwrap_or_default() }, &all)?;
    Setups::load(&all)
}

/// What befalls the robot, or the line that does not hold.
fn misfortunes(list: &List, setups: &Setups) -> Result<Vec<Misfortune>, String> {
    setups.simulator.as_ref().map_or(Ok(Vec::new()), |simulator| misfortune::in_turn(list, simulator.misfortunes()))
}

/// A walk that has ended.
pub(super) struct Walk {
    stack: Stack,
    pub(super) tally: Tally,
    /// When the first command counted, s.
    begins: f64,
    befallen: String,
    faster: f64,
}

/// The robot stands up and follows the commands, tick by tick, until it is to end.
fn walk(
    mut stack: Stack,
    (list, misfortunes): (&List, &[Misfortune]),
    columns: &[Column],
    shutdown: &Shutdown,
    out: impl Write,
) -> Result<Walk, Failure> {
    let clock = Instant::now();
    let columns = Columns::new(columns);
    let mut table = Table::new(out, &columns.names(&stack))?;
    let mut tally = Tally::default();
    let mut go = |stack: &mut Stack, tally: &mut Tally, input: &Input, event: &str| -> Result<(), Failure> {
        let moment = stack.tick(input)?;
        Ok(table.write(&tally.take(&moment), event, &columns.values(stack, &moment))?)
    };
    match stack.start() {
        Start::Sitting => stand(&mut stack, |stack| go(stack, &mut tally, &Input::default(), ""))?,
        Start::Standing | Start::Hanging => begin(&mut stack)?,
    }
    tally.begin();
    let begins = stack.seconds();
    let rate_hz = stack.rate_hz();
    let (mut coming, mut befallen, mut before) = (misfortunes.iter().peekable(), String::new(), Twist::ZERO);
    for (tick, input) in list.inputs(rate_hz).enumerate().take_while(|_| shutdown.is_running()) {
        let mut events = Vec::new();
        if input.twist != before {
            events.push(in_words(input.twist));
        }
        before = input.twist;
        while let Some(next) = coming.next_if(|next| list.tick(next.time, rate_hz) <= tick) {
            stack.befall(&next.disturbances, next.push);
            befallen += &format!("met      at {:.2} s: {}\n", stack.seconds(), next.what);
            events.push(next.what.clone());
        }
        go(&mut stack, &mut tally, &input, &events.join("; "))?;
    }
    table.finish()?;
    let faster = stack.seconds() / clock.elapsed().as_secs_f64();
    Ok(Walk { stack, tally, begins, befallen, faster })
}

/// A command, for the table: the parts of a twist that are not zero.
fn in_words(twist: Twist) -> String {
    let parts = [("vx", twist.vx), ("vy", twist.vy), ("wz", twist.wz)];
    let parts: Vec<String> =
        parts.iter().filter(|(_, part)| *part != 0.0).map(|(name, part)| format!("{name} {part}")).collect();
    if parts.is_empty() { "stop".into() } else { parts.join(" ") }
}

impl Walk {
    /// What came of it, by [`RESULTS`].
    pub(super) fn results(&self) -> [f64; RESULTS.len()] {
        self.tally.results(self.stack.motors())
    }

    /// What came of it.
    pub(super) fn outcome(&self) -> String {
        let Self { stack, tally, begins, befallen, faster } = self;
        let head = format!(
            "terrain  {}\ntime     {:.2} s in all, {faster:.0} x real time; the first command at {begins:.2} s\n",
            stack.terrain(),
            stack.seconds()
        );
        let figures = tally.outcome(stack.motors());
        let notes: String = stack.notes().map(|note| format!("note     {note}\n")).collect();
        format!("{head}{befallen}{figures}{}{notes}", mishaps(stack))
    }
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
    let tick = |stack: &mut Stack| stack.tick(&Input::default()).and_then(|_| is_driven(stack));
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
mod tests;
