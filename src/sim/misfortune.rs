//! What befalls the robot on its walk, from the lines of the list.

use crate::commands::{List, Misfortune as Line, PUSH, example};
use hexapod_config::ros_params::{hint_for, parse_override};
use simulator::{Disturbances, Misfortunes};

/// The parameter with the force of a push.
const PUSH_FORCE: &str = "push_force";

/// What befalls the robot at a time.
pub struct Misfortune {
    /// By the clock of the list, s.
    pub time: f64,
    /// As the list has it.
    pub what: String,
    /// What is done to the robot from then on.
    pub disturbances: Disturbances,
    /// Whether it is pushed.
    pub push: bool,
}

/// The misfortunes of a list in the order of time; each changes one thing, and leaves the others as they were.
///
/// # Errors
/// The line that does not hold, and what would be right.
pub fn in_turn(list: &List, mut start: Misfortunes) -> Result<Vec<Misfortune>, String> {
    let misfortune = |line: &Line| {
        let (disturbances, push) = read(&line.what, &mut start).map_err(|why| format!("{}: {why}", line.line))?;
        Ok(Misfortune { time: line.time, what: line.what.clone(), disturbances, push })
    };
    list.misfortunes().iter().map(misfortune).collect()
}

/// What is done from now on, and whether the robot is pushed at once.
fn read(what: &str, misfortunes: &mut Misfortunes) -> Result<(Disturbances, bool), String> {
    if what == PUSH {
        return Ok((misfortunes.now()?, true));
    }
    if let Some(value) = example(what) {
        return Err(format!("{what:?} has no value; write {what}:={value}"));
    }
    let (node, name, value) = parse_override(what)?;
    if let Some(node) = node.filter(|node| node != simulator::NAME) {
        let reason = format!("a parameter of {node} stays as it is for a whole walk");
        return Err(format!("{reason}; give it as in hexapod sim -p {what}"));
    }
    if name == PUSH {
        return Ok((misfortunes.set(PUSH_FORCE, &value)?, true));
    }
    let known = Misfortunes::names();
    if !known.contains(&name.as_str()) {
        let all: Vec<&str> = std::iter::once(PUSH).chain(known).collect();
        return Err(format!("{name:?} is none of what can befall the robot: {}", hint_for(&name, &all)));
    }
    Ok((misfortunes.set(&name, &value)?, false))
}
