//! `hexapod trace`: what the planner would command, without ROS, servos or a clock.

use crate::cli::TraceArgs;
use crate::commands::{self, List};
use crate::exit::Failure;
use crate::given_up::GivenUp;
use crate::out::{self, NamedFile};
use crate::setups::parameters_of;
use hexapod_gait::motion::{Motion, Player};
use hexapod_gait::{GaitState, Input, Twist};
use hexapod_kinematics::MAX_LEGS;
use nalgebra::Vector3;
use std::io::Write;
use std::sync::Arc;

/// Walks the commands of a file and prints a line of CSV for every tick.
///
/// # Errors
/// The robot's files or the commands do not hold, or the result cannot be written.
pub fn trace(arguments: &TraceArgs) -> Result<(), Failure> {
    let to_standard_output = arguments.out.as_os_str() == "-";
    if !to_standard_output {
        out::check_beside(&arguments.out, arguments.files.given().into_iter().chain([&*arguments.commands]))?;
    }
    let all = parameters_of(&arguments.files)?.with_gait(arguments.gait.as_deref());
    let setup = gait_planner::Setup::load(&all.planner)?;
    let commands = commands::read_commands(&arguments.commands)?;
    for note in commands.notes(&arguments.commands) {
        say(&note);
    }
    let motion = match &arguments.motion {
        Some(name) => Some(setup.motions.get(name).map_err(Failure::Words)?),
        None => None,
    };
    let late = setup.contacts_delay_s;
    let felt: Lines =
        if arguments.contacts { Box::new(std::io::stdin().lines()) } else { Box::new(std::iter::empty()) };
    let given_up = GivenUp::default();
    let tracer = Tracer { player: Player::new(setup.engine), rate_hz: setup.rate_hz, ticks: 0, late, felt, given_up };
    let written = if to_standard_output {
        run(tracer, &commands, motion, &mut std::io::stdout().lock())
    } else {
        run(tracer, &commands, motion, &mut std::io::BufWriter::new(NamedFile::new(&arguments.out)))
    };
    written.map_err(|e| match e.kind() {
        // What was reported of the feet does not hold, whatever is written to.
        std::io::ErrorKind::Other => Failure::Words(e.to_string()),
        _ => e.into(),
    })
}

/// Tells whoever listens: a trace does not end for one who does not.
fn say(note: &str) {
    let _ = writeln!(std::io::stderr(), "note     {note}");
}

/// What the robot feels, a line for each tick.
type Lines = Box<dyn Iterator<Item = std::io::Result<String>>>;

/// Of `1`, `0` or `-` for each leg: whether it is on the ground, where it says so; and of the direction up in the body, as
/// `;x,y,z` after them, where an IMU tells it.
fn felt_of(line: &str) -> std::io::Result<Felt> {
    let mut contacts = [None; MAX_LEGS];
    let wrong = || {
        let wanted = "give 1, 0 or - for each leg, and the direction up in the body after them, as in `1,0,-;0,0.1,1`";
        std::io::Error::other(format!("{line:?} on the standard input; {wanted}"))
    };
    let (feet, up) = line.split_once(';').map_or((line, None), |(feet, up)| (feet, Some(up)));
    let up = up.map(|up| numbers(up).ok_or_else(wrong)).transpose()?;
    for (index, word) in feet.trim().split(',').enumerate() {
        *contacts.get_mut(index).ok_or_else(wrong)? = match word.trim() {
            "1" => Some(true),
            "0" => Some(false),
            "-" => None,
            _ => return Err(wrong()),
        };
    }
    Ok(Felt { contacts, up })
}

/// Three finite numbers.
fn numbers(words: &str) -> Option<Vector3<f64>> {
    let mut each = words.split(',').map(|word| word.trim().parse().ok().filter(|number: &f64| number.is_finite()));
    let read = Vector3::new(each.next()??, each.next()??, each.next()??);
    each.next().is_none().then_some(read)
}

/// What a robot feels in a tick.
#[derive(Debug, Default)]
struct Felt {
    contacts: [Option<bool>; MAX_LEGS],
    up: Option<Vector3<f64>>,
}

/// A robot whose ticks are written down.
struct Tracer {
    player: Player,
    rate_hz: f64,
    ticks: u32,
    /// How late the feet tell, s.
    late: f64,
    felt: Lines,
    given_up: GivenUp,
}

impl Tracer {
    /// Takes a tick and writes it down.
    fn step(&mut self, input: &Input, out: &mut impl Write) -> std::io::Result<()> {
        let felt = self.felt.next().transpose()?;
        let Felt { contacts, up } = felt.map_or_else(|| Ok(Felt::default()), |line| felt_of(&line))?;
        let tick = self.player.step(&Input { contacts, contacts_late: self.late, up, ..*input }, 1.0 / self.rate_hz);
        let Twist { vx, vy, wz } = tick.twist;
        let seconds = f64::from(self.ticks) / self.rate_hz;
        write!(out, "{seconds:.4},{},{vx:.6},{vy:.6},{wz:.6}", tick.state.as_str())?;
        tick.angles.iter().flat_map(|leg| leg.iter()).try_for_each(|angle| write!(out, ",{angle:.6}"))?;
        writeln!(out)?;
        if let Some(note) = self.given_up.note(self.player.engine().gave_up(), seconds) {
            say(&note);
        }
        self.ticks += 1;
        // Whoever says what the feet feel waits for the tick before.
        out.flush()
    }

    fn until_standing(&mut self, out: &mut impl Write) -> std::io::Result<()> {
        for _ in 0..(MOST_S * self.rate_hz) as usize {
            self.step(&Input::default(), out)?;
            if self.player.last().state == GaitState::Standing {
                break;
            }
        }
        Ok(())
    }
}

/// The robot stands up, plays the motion if there is one, and then follows the commands.
fn run(mut tracer: Tracer, commands: &List, motion: Option<Arc<Motion>>, out: &mut impl Write) -> std::io::Result<()> {
    let joints = tracer.player.engine().legs().iter().flat_map(|leg| leg.joints()).map(|joint| joint.name());
    writeln!(out, "seconds,state,vx,vy,wz,{}", joints.collect::<Vec<_>>().join(","))?;
    out.flush()?;
    tracer.player.stand();
    tracer.until_standing(out)?;
    if motion.is_some() {
        tracer.player.play(motion);
        tracer.step(&Input::default(), out)?;
        tracer.until_standing(out)?;
    }
    commands.inputs(tracer.rate_hz).try_for_each(|input| tracer.step(&input, out))
}

/// Longest a robot may take to stand up, or to play a motion, in a trace.
const MOST_S: f64 = 60.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_feet_tell_what_they_feel_expect_it_by_leg_and_else_the_line() {
        let felt = felt_of("1, 0,-\n").unwrap();
        assert_eq!((&felt.contacts[..4], felt.up), (&[Some(true), Some(false), None, None][..], None));
        assert_eq!(felt_of("1,-;0.1, 0,9.8\n").unwrap().up, Some(Vector3::new(0.1, 0.0, 9.8)));
        for line in ["", "2", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "1;", "1;0,0", "1;0,0,NaN", "1;0,0,1,0"] {
            assert!(felt_of(line).unwrap_err().to_string().contains("for each leg"), "{line:?}");
        }
    }
}
