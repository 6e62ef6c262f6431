//! Lists of commands, as `hexapod trace` and `hexapod sim` walk them.

use crate::exit::Failure;
use hexapod_gait::{BodyOffset, Input, Twist};
use nalgebra::Vector3;
use std::path::Path;

/// Reads a list of commands.
///
/// # Errors
/// The file cannot be read, or the line that does not hold.
pub fn read(path: &Path) -> Result<Vec<Command>, Failure> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| Failure::Words(format!("{name}: {e}")))?;
    parse(&text).map_err(|reason| Failure::Words(format!("{name}:{reason}")))
}

/// What is asked for tick by tick, from the first command to the last, which only ends the list.
pub fn inputs(commands: &[Command], rate_hz: f64) -> impl Iterator<Item = Input> {
    commands.windows(2).flat_map(move |pair| {
        let ticks = ((pair[1].time - pair[0].time) * rate_hz).round() as usize;
        std::iter::repeat_n(pair[0].input(), ticks)
    })
}

/// From this time (s) on this twist is wanted, and the body so much higher (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// When it begins, s.
    pub time: f64,
    /// The twist that is wanted.
    pub twist: Twist,
    /// How much higher the body is to be, m.
    pub height: f64,
}

impl Command {
    /// What the planner is asked for.
    #[must_use]
    pub fn input(&self) -> Input {
        let translation = Vector3::new(0.0, 0.0, self.height);
        Input {
            twist: self.twist,
            body_offset: BodyOffset { translation, ..BodyOffset::default() },
            ..Input::default()
        }
    }
}

/// What some programs put before a text to say that it is UTF-8.
pub(crate) const BOM: char = '\u{feff}';
/// Longest list, s: a walk of a day. What is longer has its times in another unit.
const LONGEST_S: f64 = 86_400.0;

/// Names of the columns, which the first line may hold; the last column may be missing.
const COLUMNS: [&str; 5] = ["seconds", "vx", "vy", "wz", "z"];

/// Lines of `seconds,vx,vy,wz` or `seconds,vx,vy,wz,z`; the time of the last is the end. Empty lines, those that start with
/// # and a first line that names the columns are skipped.
pub(crate) fn parse(text: &str) -> Result<Vec<Command>, String> {
    let (mut commands, mut last_line) = (Vec::<Command>::new(), 1);
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let mut lines = lines.peekable();
    lines.next_if(|(_, line)| names_columns(line));
    for (index, line) in lines {
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
        let start = commands.first().map_or(time, |first| first.time);
        if time - start > LONGEST_S {
            return Err(wrong(&format!("{time} s are more than a day after the first command")));
        }
        commands.push(Command { time, twist: Twist::new(vx, vy, wz), height });
        last_line = index + 1;
    }
    match commands.len() {
        0 => Err("1: there is no command; give lines of seconds,vx,vy,wz".into()),
        1 => Err(format!(
            "{last_line}: there is one command and no end; give a last line with the time at which it ends"
        )),
        _ => Ok(commands),
    }
}

/// Whether a line holds the names of the columns, in their order.
fn names_columns(line: &str) -> bool {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    cells.len() >= 4 && COLUMNS.get(..cells.len()) == Some(cells.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_commands_do_not_hold_expect_the_line() {
        for (text, place) in [
            ("", "1:"),
            ("0,1,2", "1:"),
            ("0,0.1,0,0", "1: there is one command and no end"),
            ("# a walk\n\nseconds,vx,vy,wz\n0,0.1,0,0\n# its end", "4: there is one command and no end"),
            ("seconds,vx,vy,wz", "1: there is no command"),
            ("seconds,vy,vx,wz\n0,0.1,0,0\n1,0,0,0", "1: not four or five numbers"),
            ("0,0.1,0,0\nseconds,vx,vy,wz\n1,0,0,0", "2: not four or five numbers"),
            ("0,0,0,0\n1,nan,0,0", "2:"),
            ("1,0,0,0\n\n1,0,0,0", "3:"),
            ("0,0.1,0,0\n86401,0,0,0", "2: 86401 s are more than a day"),
            ("0,0.1,0,0\n1,0,0,0\n1e12,0,0,0", "3: 1000000000000 s are more than a day"),
        ] {
            assert!(parse(text).unwrap_err().starts_with(place), "{text:?}");
        }
        assert_eq!(parse("0,0,0,0,0.02\n1,0,0,0\n").unwrap()[0].height, 0.02);
        assert_eq!(parse("seconds, vx, vy, wz, z\n0,0,0,0,0.02\n1,0,0,0\n").unwrap()[0].height, 0.02);
        assert_eq!(parse("1700000000,0,0,0\n1700000060,0,0,0").unwrap().len(), 2, "any clock will do");
        assert_eq!(parse("\u{feff}0,0.1,0,0\n1,0,0,0\n").unwrap()[0].time, 0.0);
        assert_eq!(parse("\u{feff}# twist\n0,0.1,0,0\n1,0,0,0\n").unwrap().len(), 2);
        assert_eq!(parse("# twist\n0,0.1,0,0.5\n2,0,0,0\n").unwrap()[0].twist, Twist::new(0.1, 0.0, 0.5));
    }

    #[test]
    fn when_commands_are_walked_expect_each_until_the_next() {
        let commands = parse("0,0.1,0,0\n0.5,0,0.1,0\n1,0,0,0\n").unwrap();
        let walked: Vec<f64> = inputs(&commands, 10.0).map(|input| input.twist.vx).collect();
        assert_eq!(walked, [[0.1; 5], [0.0; 5]].concat());
    }
}
