//! `hexapod trace`: what the planner would command, without ROS, servos or a clock.

use crate::cli::TraceArgs;
use crate::exit::Failure;
use crate::setups::parameters_of;
use hexapod_gait::motion::Player;
use hexapod_gait::{BodyOffset, GaitState, Input, Twist};
use nalgebra::Vector3;
use std::fmt::Write;

/// Walks the commands of a file and prints a line of CSV for every tick.
///
/// # Errors
/// The robot's files or the commands do not hold, or the result cannot be written.
pub fn trace(arguments: &TraceArgs) -> Result<(), Failure> {
    let all = parameters_of(&arguments.files)?;
    let mut setup = gait_planner::Setup::load(&all.planner)?;
    if let Some(name) = &arguments.gait {
        setup.engine.set_gait(setup.gaits.get(name).map_err(Failure::Words)?);
    }
    let name = arguments.commands.display().to_string();
    let text = std::fs::read_to_string(&arguments.commands).map_err(|e| Failure::Words(format!("{name}: {e}")))?;
    let commands = parse(&text).map_err(|reason| Failure::Words(format!("{name}:{reason}")))?;
    let motion = match &arguments.motion {
        Some(name) => Some(setup.motions.get(name).map_err(Failure::Words)?),
        None => None,
    };
    let mut player = Player::new(setup.engine);
    let csv = run(&mut player, &commands, setup.rate_hz, || motion.clone());
    std::fs::write(&arguments.out, csv).map_err(|e| Failure::Words(format!("{}: {e}", arguments.out.display())))
}

/// From this time (s) on this twist is wanted, and the body so much higher (m).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Command {
    time: f64,
    twist: Twist,
    height: f64,
}

impl Command {
    fn input(&self) -> Input {
        let translation = Vector3::new(0.0, 0.0, self.height);
        Input {
            twist: self.twist,
            body_offset: BodyOffset { translation, ..BodyOffset::default() },
            ..Input::default()
        }
    }
}

/// Lines of `seconds,vx,vy,wz` or `seconds,vx,vy,wz,z`; the time of the last is the end. Empty lines and those that start with # are skipped.
fn parse(text: &str) -> Result<Vec<Command>, String> {
    let mut commands: Vec<Command> = vec![];
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let wrong = |what: &str| format!("{}: {what}; give seconds,vx,vy,wz or seconds,vx,vy,wz,z", index + 1);
        let cells: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse::<f64>()).collect();
        let cells = cells.map_err(|_| wrong("not four or five numbers"))?;
        let (time, vx, vy, wz, height) = match *cells.as_slice() {
            [time, vx, vy, wz] => (time, vx, vy, wz, 0.0),
            [time, vx, vy, wz, height] => (time, vx, vy, wz, height),
            _ => return Err(wrong("not four or five numbers")),
        };
        if cells.iter().any(|cell| !cell.is_finite()) || commands.last().is_some_and(|last| last.time >= time) {
            return Err(wrong("a number is not finite, or the time does not rise"));
        }
        commands.push(Command { time, twist: Twist::new(vx, vy, wz), height });
    }
    if commands.is_empty() {
        Err("1: there is no command; give lines of seconds,vx,vy,wz".into())
    } else {
        Ok(commands)
    }
}

/// The robot stands up, plays the motion if there is one, and then follows the commands.
fn run(
    player: &mut Player,
    commands: &[Command],
    rate_hz: f64,
    mut motion: impl FnMut() -> Option<std::sync::Arc<hexapod_gait::motion::Motion>>,
) -> String {
    let dt = 1.0 / rate_hz;
    let joints = player.engine().legs().iter().flat_map(|leg| leg.joints()).map(|joint| joint.name());
    let mut csv = format!("seconds,state,vx,vy,wz,{}\n", joints.collect::<Vec<_>>().join(","));
    player.stand();
    let mut ticks = 0_u32;
    let mut step = |player: &mut Player, input: &Input| {
        let tick = player.step(input, dt);
        let Twist { vx, vy, wz } = tick.twist;
        let _ = write!(csv, "{:.4},{},{vx:.6},{vy:.6},{wz:.6}", f64::from(ticks) * dt, tick.state.as_str());
        tick.angles.iter().flat_map(|leg| leg.iter()).for_each(|angle| {
            let _ = write!(csv, ",{angle:.6}");
        });
        csv.push('\n');
        ticks += 1;
    };
    let until_standing = |player: &mut Player, step: &mut dyn FnMut(&mut Player, &Input)| {
        for _ in 0..(MOST_S * rate_hz) as usize {
            step(player, &Input::default());
            if player.last().state == GaitState::Standing {
                return;
            }
        }
    };
    until_standing(player, &mut step);
    if let Some(motion) = motion() {
        player.play(Some(motion));
        step(player, &Input::default());
        until_standing(player, &mut step);
    }
    for pair in commands.windows(2) {
        for _ in 0..((pair[1].time - pair[0].time) * rate_hz).round() as usize {
            step(player, &pair[0].input());
        }
    }
    csv
}

/// Longest a robot may take to stand up, or to play a motion, in a trace.
const MOST_S: f64 = 60.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_commands_do_not_hold_expect_the_line() {
        for (text, place) in [("", "1:"), ("0,1,2", "1:"), ("0,0,0,0\n1,nan,0,0", "2:"), ("1,0,0,0\n\n1,0,0,0", "3:")] {
            assert!(parse(text).unwrap_err().starts_with(place), "{text:?}");
        }
        assert_eq!(parse("0,0,0,0,0.02\n1,0,0,0\n").unwrap()[0].height, 0.02);
        assert_eq!(parse("# twist\n0,0.1,0,0.5\n2,0,0,0\n").unwrap()[0].twist, Twist::new(0.1, 0.0, 0.5));
    }
}
