//! Running other programs: output kept for the case of failure, or read as text.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Lines of a failed program's output that are shown.
const TAIL_LINES: usize = 30;

/// Sets a variable of `command`'s environment, unless the user has set it.
pub fn set_unless_given(command: &mut Command, variable: &str, value: &str) {
    if std::env::var_os(variable).is_none() {
        command.env(variable, value);
    }
}

/// Runs `command` to its end, each line of its output to `on_line`; on failure the error holds the last lines.
///
/// `lock` becomes its standard input, which holds nothing: should this program be killed, the setup stays locked
/// until the tool it started has ended too.
pub fn run_logged(mut command: Command, lock: &File, mut on_line: impl FnMut(&str)) -> Result<()> {
    let shown = show(&command);
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let stdin = lock.try_clone().context("cannot share the setup's lock")?;
    command.stdin(Stdio::from(stdin)).stdout(writer.try_clone().context("cannot share a pipe")?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    // The command holds the pipe's writing end; reading would never end.
    drop(command);

    let mut tail = VecDeque::new();
    for line in lines(reader) {
        let line = line.with_context(|| format!("cannot read the output of `{shown}`"))?;
        on_line(&line);
        if tail.len() == TAIL_LINES {
            tail.pop_front();
        }
        tail.push_back(line);
    }
    let status = child.wait().with_context(|| format!("cannot wait for `{shown}`"))?;
    if !status.success() {
        let tail = tail.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n");
        bail!("`{shown}` ended with {status}; its last lines:\n{tail}");
    }
    Ok(())
}

/// Lines of a stream that may hold bytes that are not UTF-8.
pub fn lines(stream: impl std::io::Read) -> impl Iterator<Item = std::io::Result<String>> {
    BufReader::new(stream)
        .split(b'\n')
        .map(|line| line.map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned()))
}

/// All that this thread starts from now on runs only while nothing else wants a processor; where the system does not offer
/// that, beside the rest.
pub fn step_back() {
    let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
    let _ = read(Command::new("chrt").args(["--idle", "--pid", "0"]).args(thread.file_name()));
}

/// What `command` prints on stdout, trimmed.
pub fn read(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first `program` in the PATH-like list `path`, folders under `except` left out.
pub fn find_program(program: &str, path: &str, except: &Path) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| !folder.starts_with(except))
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn when_a_tool_fails_expect_its_last_lines_in_the_error() {
        let lock = File::open("/dev/null").unwrap();
        let error = run_logged(shell("seq 100; echo why >&2; exit 3"), &lock, |_| ()).unwrap_err().to_string();
        assert!(error.contains("    why") && error.contains("    100") && !error.contains("    70\n"), "{error}");
    }

    #[test]
    fn when_a_thread_steps_back_expect_what_it_starts_idle_and_what_others_start_as_before() {
        let scheduling = || read(&mut shell("chrt --pid $$")).ok();
        let Some(before) = scheduling() else { return };
        let stepped_back = std::thread::spawn(move || {
            step_back();
            scheduling()
        });
        assert!(stepped_back.join().unwrap().is_some_and(|policy| policy.contains("SCHED_IDLE")));
        assert!(!before.contains("SCHED_IDLE") && !scheduling().unwrap().contains("SCHED_IDLE"));
    }

    #[test]
    fn when_a_tool_succeeds_expect_every_line_once() {
        let lock = File::open("/dev/null").unwrap();
        let mut seen = Vec::new();
        run_logged(shell("echo a; echo b >&2"), &lock, |line| seen.push(line.to_owned())).unwrap();
        assert_eq!(seen, ["a", "b"]);
    }

    #[test]
    fn when_a_folder_is_excluded_expect_the_next_one() {
        assert!(find_program("sh", "/bin:/usr/bin", Path::new("/nowhere")).is_some());
        assert_eq!(find_program("sh", "/bin", Path::new("/bin")), None);
    }
}
