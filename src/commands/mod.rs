//! Lists of commands, as `hexapod trace` and `hexapod sim` walk them, and of what befalls the robot meanwhile.

mod columns;

use crate::exit::Failure;
use columns::Columns;
use hexapod_gait::{BodyOffset, Input, Twist};
use std::path::Path;

/// Reads a list of commands, and of misfortunes between them.
///
/// # Errors
/// The file cannot be read, or the line that does not hold.
pub fn read(path: &Path) -> Result<List, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|e| Failure::Words(format!("{name}: {e}")))?;
    let list = text(&bytes).and_then(parse);
    list.map_err(|reason| Failure::Words(format!("{name}:{reason}")))
}

/// A file's text, or the line that is none.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (before, rest) = bytes.split_at_checked(error.valid_up_to()).unwrap_or((bytes, &[]));
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let byte = rest.first().copied().unwrap_or_default();
        format!("{line}: byte 0x{byte:02x} is not UTF-8; give a text of lines of seconds,vx,vy,wz, saved as UTF-8")
    })
}

/// The same, for what knows of no misfortunes.
///
/// # Errors
/// As [`read`]; the line of a misfortune.
pub fn read_commands(path: &Path) -> Result<List, Failure> {
    let list = read(path)?;
    match list.misfortunes.first() {
        None => Ok(list),
        Some(Misfortune { line, what, .. }) => {
            let reason = format!("{what} happens to a robot in physics, and here is none");
            let help = "take the line out, or walk the list with hexapod sim";
            Err(Failure::Words(format!("{}:{line}: {reason}; {help}", path.display())))
        }
    }
}

/// What is to be walked, and what befalls the robot meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// At least two; the last only ends the list.
    commands: Vec<Command>,
    /// In the order of their times.
    misfortunes: Vec<Misfortune>,
}

/// From this time (s) on this twist is wanted, and the body there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Command {
    /// Counted from 1.
    line: usize,
    time: f64,
    twist: Twist,
    body: BodyOffset,
}

/// What befalls the robot, as a line has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfortune {
    /// The line, counted from 1.
    pub line: usize,
    /// When, s.
    pub time: f64,
    /// As in `limp:=left_front`.
    pub what: String,
}

impl List {
    /// What is asked for tick by tick, from the first command to the last, which only ends the list.
    pub fn inputs(&self, rate_hz: f64) -> impl Iterator<Item = Input> {
        self.commands.windows(2).flat_map(move |pair| {
            let ticks = self.tick(pair[1].time, rate_hz) - self.tick(pair[0].time, rate_hz);
            let input = Input { twist: pair[0].twist, body_offset: pair[0].body, ..Input::default() };
            std::iter::repeat_n(input, ticks)
        })
    }

    /// The tick that begins at a time of the list, counted from the first command.
    pub fn tick(&self, time: f64, rate_hz: f64) -> usize {
        let start = self.commands.first().map_or(time, |first| first.time);
        ((time - start) * rate_hz).round() as usize
    }

    /// What is not walked as the list has it, after its name: body poses beyond what a body can do, each with its line.
    pub fn notes(&self, path: &Path) -> Vec<String> {
        // The last command only ends the list.
        let walked = self.commands.iter().rev().skip(1).rev();
        let mut beyond = walked.filter_map(|command| Some((command.line, beyond(&command.body)?)));
        let reported =
            beyond.by_ref().take(MOST_NOTES).map(|(line, what)| format!("{}:{line}: {what}", path.display()));
        let mut notes: Vec<String> = reported.collect();
        match beyond.count() {
            0 => {}
            more => notes.push(format!("{}: body poses of {more} more lines are clamped, too", path.display())),
        }
        notes
    }

    /// What befalls the robot, in the order of time.
    pub fn misfortunes(&self) -> &[Misfortune] {
        &self.misfortunes
    }
}

/// What some programs put before a text to say that it is UTF-8.
pub(crate) const BOM: char = '\u{feff}';
/// Longest list, s: a walk of a day. What is longer has its times in another unit.
const LONGEST_S: f64 = 86_400.0;
/// So many lines are shown one by one.
const MOST_NOTES: usize = 5;
/// A push that goes as parameters say.
pub(crate) const PUSH: &str = "push";

/// Lines of commands ([`Columns`]), of which the time of the last is the end, and of misfortunes. Empty lines and those that
/// start with # are skipped; the first of the commands may name their columns.
pub(crate) fn parse(text: &str) -> Result<List, String> {
    let (mut commands, mut misfortunes) = (Vec::<Command>::new(), Vec::new());
    let (mut columns, mut last_line) = (None, 1);
    let text = text.strip_prefix(BOM).unwrap_or(text);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let at = |what: String| format!("{}: {what}", index + 1);
        if let Some((time, what)) = misfortune(line).map_err(at)? {
            misfortunes.push(Misfortune { line: index + 1, time, what });
            continue;
        }
        let columns = match &columns {
            Some(columns) => columns,
            None => match Columns::named_by(line).map_err(at)? {
                Some(named) => {
                    columns = Some(named);
                    continue;
                }
                None => columns.insert(Columns::default()),
            },
        };
        let row = columns.row(line).map_err(at)?;
        check_time(row.time(), &commands).map_err(at)?;
        commands.push(Command { line: index + 1, time: row.time(), twist: row.twist(), body: row.body() });
        last_line = index + 1;
    }
    match commands.len() {
        0 => return Err("1: there is no command; give lines of seconds,vx,vy,wz".into()),
        1 => {
            let help = "give a last line with the time at which it ends";
            return Err(format!("{last_line}: there is one command and no end; {help}"));
        }
        _ => {}
    }
    check_times(&misfortunes, &commands)?;
    misfortunes.sort_by(|one, other| one.time.total_cmp(&other.time));
    Ok(List { commands, misfortunes })
}

/// What of a body's pose is more than a body does, if anything is, and what it does instead.
fn beyond(body: &BodyOffset) -> Option<String> {
    let clipped = body.clipped();
    let shifts = ["x", "y", "z"].iter().zip(body.translation.iter().zip(clipped.translation.iter()));
    let shift = |(name, (asked, most)): (&&str, (&f64, &f64))| {
        format!("{name} is {asked} m, beyond the bound of {} m: clamped to {most} m", most.abs())
    };
    let mut what: Vec<String> = shifts.filter(|(_, (asked, most))| asked != most).map(shift).collect();
    let (asked, most) = (body.rotation.norm(), clipped.rotation.norm());
    if asked > most + 1e-9 {
        what.push(format!("the body is turned by {asked:.3} rad, beyond the bound of {most:.2} rad: clamped to that"));
    }
    (!what.is_empty()).then(|| what.join("; "))
}

/// Time and kind of what befalls the robot, where a line has that in place of a command.
fn misfortune(line: &str) -> Result<Option<(f64, String)>, String> {
    let cells = line.split_once(',').map(|(time, what)| (time.trim(), what.trim()));
    let Some((time, what)) = cells.filter(|(_, what)| is_misfortune(what)) else { return Ok(None) };
    let seconds = time.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    let seconds = seconds.ok_or_else(|| format!("{time:?} is no time; give seconds, as in 3.0,{what}"))?;
    Ok(Some((seconds, what.to_owned())))
}

/// Whether this is meant for what befalls the robot, whatever it lacks: a value is reported as missing where it is
/// read.
fn is_misfortune(what: &str) -> bool {
    let name = what.split([':', '=', ' ']).next().unwrap_or_default();
    name == PUSH || what.contains(":=") || example(name).is_some()
}

/// Of a misfortune, by the name of its parameter with or without that of the node, what it may be set to.
pub(crate) fn example(name: &str) -> Option<&'static str> {
    let of_node = name.strip_prefix(simulator::NAME).and_then(|rest| rest.strip_prefix('.'));
    simulator::Misfortunes::example(of_node.unwrap_or(name))
}

/// Refuses a command that comes before the last, or much later than the first.
fn check_time(time: f64, commands: &[Command]) -> Result<(), String> {
    let (Some(first), Some(last)) = (commands.first(), commands.last()) else { return Ok(()) };
    if time <= last.time {
        return Err(format!("{time} s do not come after the {} s of the command before", last.time));
    }
    if time - first.time > LONGEST_S {
        return Err(format!("{time} s are more than a day after the first command; give the time in seconds"));
    }
    Ok(())
}

/// Refuses misfortunes at which nothing is walked.
fn check_times(misfortunes: &[Misfortune], commands: &[Command]) -> Result<(), String> {
    let (Some(first), Some(end)) = (commands.first(), commands.last()) else { return Ok(()) };
    match misfortunes.iter().find(|misfortune| !(first.time..end.time).contains(&misfortune.time)) {
        None => Ok(()),
        Some(Misfortune { line, time, what }) => Err(format!(
            "{line}: {what} at {time} s is not while the robot walks; give a time from the first command, at {} s, to before the \
             last, at {} s",
            first.time, end.time
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_commands_do_not_hold_expect_the_line() {
        for (text, place) in [
            ("", "1:"),
            ("0,1,2", "1: 3 numbers"),
            ("0,0.1,0,0", "1: there is one command and no end"),
            ("# a walk\n\nseconds,vx,vy,wz\n0,0.1,0,0\n# its end", "4: there is one command and no end"),
            ("seconds,vx,vy,wz", "1: there is no command"),
            ("seconds,vx,vy,vz\n0,0.1,0,0\n1,0,0,0", "1: there is no column \"vz\""),
            ("0,0.1,0,0\nseconds,vx,vy,wz\n1,0,0,0", "2: \"seconds\" is not a number"),
            ("0,0,0,0\n1,nan,0,0", "2: nan is not finite"),
            ("1,0,0,0\n\n1,0,0,0", "3: 1 s do not come after the 1 s"),
            ("0,0.1,0,0\n86401,0,0,0", "2: 86401 s are more than a day"),
            ("0,0.1,0,0\n1,0,0,0\n1e12,0,0,0", "3: 1000000000000 s are more than a day"),
            (
                "0,0.1,0,0\n3s,limp:=left_front\n5,0,0,0",
                "2: \"3s\" is no time; give seconds, as in 3.0,limp:=left_front",
            ),
            ("0,0.1,0,0\n5,0,0,0\n5,push", "3: push at 5 s is not while the robot walks; give a time from the first"),
            ("0,0.1,0,0\n-1,push\n5,0,0,0", "2: push at -1 s is not while"),
            ("0,0.1,0,0\n3s,payload\n5,0,0,0", "2: \"3s\" is no time; give seconds, as in 3.0,payload"),
            ("0,0.1,0,0\n3,paylode\n5,0,0,0", "2: \"paylode\" is not a number; give seconds,vx,vy,wz"),
            ("3,push", "1: there is no command"),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.starts_with(place), "{text:?}: {why}");
        }
    }

    #[test]
    fn when_a_file_is_no_text_expect_the_line_and_the_byte() {
        assert_eq!(text(b"0,0.1,0,0\n1,0,0,0"), Ok("0,0.1,0,0\n1,0,0,0"));
        for (bytes, place) in
            [(&b"0,0.1,0,0\n# \xe4\n1,0,0,0"[..], "2: byte 0xe4 is not UTF-8"), (b"\xff\xfe0\0", "1: byte 0xff is not")]
        {
            let why = text(bytes).unwrap_err();
            assert!(why.starts_with(place), "{why}");
        }
    }

    #[test]
    fn when_commands_are_short_or_have_names_expect_them_as_they_have_ever_been() {
        let first = |text: &str| parse(text).unwrap().commands[0];
        let height = |text: &str| first(text).body.translation.z;
        assert_eq!(height("0,0,0,0,0.02\n1,0,0,0\n"), 0.02);
        assert_eq!(height("seconds, vx, vy, wz, z\n0,0,0,0,0.02\n1,0,0,0\n"), 0.02);
        assert_eq!(height("seconds,vx,vy,wz,x,y,z,roll,pitch,yaw\n0,0,0,0,0,0,0.02,0,0,0\n1,0,0,0\n"), 0.02);
        assert_eq!(parse("1700000000,0,0,0\n1700000060,0,0,0").unwrap().commands.len(), 2, "any clock will do");
        assert_eq!(first("\u{feff}0,0.1,0,0\n1,0,0,0\n").time, 0.0);
        assert_eq!(parse("\u{feff}# twist\n0,0.1,0,0\n1,0,0,0\n").unwrap().commands.len(), 2);
        assert_eq!(first("# twist\n0,0.1,0,0.5\n2,0,0,0\n").twist, Twist::new(0.1, 0.0, 0.5));
    }

    #[test]
    fn when_commands_are_walked_expect_each_until_the_next() {
        let walked =
            |text: &str| -> Vec<f64> { parse(text).unwrap().inputs(10.0).map(|input| input.twist.vx).collect() };
        assert_eq!(walked("0,0.1,0,0\n0.5,0,0.1,0\n1,0,0,0\n"), [[0.1; 5], [0.0; 5]].concat());
        let often: String = (0..=100).map(|i| format!("{},0.1,0,0\n", 0.01 * f64::from(i))).collect();
        assert_eq!(walked(&often).len(), 10, "commands that come more often than ticks");
    }

    #[test]
    fn when_misfortunes_stand_between_commands_expect_them_in_the_order_of_time() {
        let list = parse("3,limp:=left_front,left_rear\nseconds,vx\n10,0.1\n12, push\n11.5,payload:=0.5\n20,0");
        assert!(list.is_err_and(|why| why.starts_with("1: limp:=left_front,left_rear at 3 s is not while")));
        let list =
            parse("13,limp:=left_front,left_rear\nseconds,vx\n10,0.1\n12, push\n11.5,payload:=0.5\n20,0").unwrap();
        let reported: Vec<_> =
            list.misfortunes().iter().map(|of| (of.line, list.tick(of.time, 10.0), of.what.as_str())).collect();
        assert_eq!(reported, [(5, 15, "payload:=0.5"), (4, 20, "push"), (1, 30, "limp:=left_front,left_rear")]);
    }

    #[test]
    fn when_the_body_is_wanted_beyond_its_bounds_expect_the_line_the_value_and_the_bound() {
        let notes = |text: &str| parse(text).unwrap().notes(Path::new("walk.csv"));
        let head = "seconds,z,x,roll,pitch\n";
        assert!(notes(&format!("{head}0,0.06,-0.06,0.35\n1,0.01\n2,0.5")).is_empty(), "the last line is not walked");
        assert_eq!(
            notes(&format!("{head}0,0,0,0\n1,0.1,-0.07\n2,0,0,0.3,-0.4\n3")),
            [
                "walk.csv:3: x is -0.07 m, beyond the bound of 0.06 m: clamped to -0.06 m; z is 0.1 m, beyond the bound of \
                 0.06 m: clamped to 0.06 m",
                "walk.csv:4: the body is turned by 0.499 rad, beyond the bound of 0.35 rad: clamped to that",
            ]
        );
        let often: String = (0..9).map(|line| format!("{line},0,0,0,0.1\n")).collect();
        let reported = notes(&often);
        assert_eq!(reported.len(), 6);
        assert_eq!(reported[5], "walk.csv: body poses of 3 more lines are clamped, too");
    }
}
