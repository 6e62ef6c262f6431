//! Sections of a test run, and the table at its end.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::tally::Tally;

const GREEN: &str = "\u{1b}[32m";
const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";
const BOLD: &str = "\u{1b}[1m";

/// How a section ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
    /// It failed on cases that nobody had tried before, or once under load: that is shown, and does not count.
    Found,
}

#[derive(Debug)]
struct Line {
    title: String,
    outcome: Outcome,
    took: Duration,
    detail: String,
}

/// The results so far.
pub struct Report {
    out: Box<dyn Write + Send>,
    /// What another report is to show, errors of the commands included.
    kept: Option<File>,
    colours: bool,
    lines: Vec<Line>,
    total: Tally,
}

impl Report {
    /// A report on stdout, with colours in a terminal.
    pub fn new() -> Self {
        let stdout = std::io::stdout();
        let colours = stdout.is_terminal();
        Self { out: Box::new(stdout), kept: None, colours, lines: Vec::new(), total: Tally::default() }
    }

    /// A report that keeps in a file what it prints until another one shows it, for what runs beside that one's sections.
    pub fn kept_in(path: &Path) -> Result<Self> {
        let file = File::options().create(true).append(true).read(true).open(path);
        let kept = file.with_context(|| format!("cannot write {}", path.display()))?;
        kept.set_len(0)?;
        Ok(Self { out: Box::new(kept.try_clone()?), kept: Some(kept), ..Self::new() })
    }

    /// Shows what `other` has kept, and counts it.
    pub fn add(&mut self, mut other: Self) {
        if let Some(mut kept) = other.kept.take() {
            let _ = kept.rewind().and_then(|()| std::io::copy(&mut kept, &mut self.out));
        }
        self.lines.append(&mut other.lines);
        self.total.add(&other.total);
    }

    /// Runs `command` under a heading; counts the tests it reports. `accepted` exit codes mean success.
    pub fn section(&mut self, title: &str, command: &mut Command, accepted: &[i32]) {
        let (line, tally) = self.run(title, command, accepted);
        self.total.add(&tally);
        self.lines.push(line);
    }

    /// The same; where it fails, that is shown and does not count. The tests that failed, if it did.
    pub fn search(&mut self, title: &str, command: &mut Command, accepted: &[i32]) -> Option<Vec<String>> {
        let (mut line, tally) = self.run(title, command, accepted);
        let found = (line.outcome != Outcome::Passed).then(|| tally.failures().to_vec());
        match &found {
            None => self.total.add(&tally),
            Some(names) => {
                line.outcome = Outcome::Found;
                line.detail = std::iter::once(&line.detail).chain(names).cloned().collect::<Vec<_>>().join(", ");
            }
        }
        self.lines.push(line);
        found
    }

    fn run(&mut self, title: &str, command: &mut Command, accepted: &[i32]) -> (Line, Tally) {
        self.heading(title);
        let started = Instant::now();
        let mut tally = Tally::default();
        if let Some(kept) = self.kept.as_ref().and_then(|kept| kept.try_clone().ok()) {
            command.stderr(kept);
        }
        let (outcome, detail) = match run_counted(command, &mut self.out, &mut tally) {
            Ok(code) if code.is_some_and(|code| accepted.contains(&code)) => (Outcome::Passed, tally.to_string()),
            Ok(_) => (Outcome::Failed, tally.to_string()),
            Err(error) => (Outcome::Failed, format!("{error:#}")),
        };
        (Line { title: title.to_owned(), outcome, took: started.elapsed(), detail }, tally)
    }

    /// Notes a section that could not be run and does not count as a failure.
    pub fn skip(&mut self, title: &str, why: &str) {
        self.note(title, Outcome::Skipped, why);
    }

    /// Notes a section that failed before it could be run.
    pub fn fail(&mut self, title: &str, why: &str) {
        self.note(title, Outcome::Failed, why);
    }

    fn note(&mut self, title: &str, outcome: Outcome, why: &str) {
        self.heading(title);
        self.say(why);
        self.lines.push(Line { title: title.to_owned(), outcome, took: Duration::ZERO, detail: why.to_owned() });
    }

    /// Prints the table and, for whoever reads only the end, the tests that failed; whether nothing failed.
    pub fn finish(&mut self) -> bool {
        self.heading("summary");
        let width = self.lines.iter().map(|line| line.title.len()).max().unwrap_or(0);
        let mut rows = Vec::new();
        for line in &self.lines {
            let (colour, word) = match line.outcome {
                Outcome::Passed => (GREEN, "ok"),
                Outcome::Failed => (RED, "FAILED"),
                Outcome::Skipped => (YELLOW, "skipped"),
                Outcome::Found => (YELLOW, "found"),
            };
            let word = self.coloured(colour, &format!("{word:<7}"));
            let seconds = line.took.as_secs_f64();
            let row = format!("{word} {:<width$} {seconds:>7.1} s  {}", line.title, line.detail);
            rows.push(row.trim_end().to_owned());
        }
        let failed = self.lines.iter().filter(|line| line.outcome == Outcome::Failed).count();
        rows.extend(self.total.failures().iter().map(|failure| self.coloured(RED, failure)));
        rows.push(self.verdict(failed));
        self.say(&rows.join("\n"));
        failed == 0
    }

    fn verdict(&self, failed_sections: usize) -> String {
        let verdict = match failed_sections {
            0 => self.coloured(GREEN, "ok"),
            1 => self.coloured(RED, "FAILED: 1 section"),
            more => self.coloured(RED, &format!("FAILED: {more} sections")),
        };
        format!("test total: {verdict}. {}", self.total)
    }

    fn heading(&mut self, title: &str) {
        let heading = self.coloured(BOLD, &format!("==> {title}"));
        self.say(&format!("\n{heading}"));
    }

    fn say(&mut self, text: &str) {
        // A closed pipe must not keep the remaining checks from running.
        let _ = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
    }

    fn coloured(&self, colour: &str, text: &str) -> String {
        if self.colours { format!("{colour}{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Passes the output on as it comes and reads the counts in it. The exit code is absent after a signal.
fn run_counted(command: &mut Command, out: &mut dyn Write, tally: &mut Tally) -> Result<Option<i32>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().with_context(|| format!("cannot start {program}"))?;
    if let Some(output) = child.stdout.take() {
        pass_on(output, out, tally)?;
    }
    Ok(child.wait()?.code())
}

fn pass_on(mut output: impl Read, out: &mut dyn Write, tally: &mut Tally) -> Result<()> {
    let (mut chunk, mut line) = ([0; 4096], Vec::new());
    loop {
        let count = output.read(&mut chunk)?;
        if count == 0 {
            tally.read(&String::from_utf8_lossy(&line));
            return Ok(());
        }
        out.write_all(&chunk[..count])?;
        out.flush()?;
        for byte in &chunk[..count] {
            if *byte == b'\n' {
                tally.read(&String::from_utf8_lossy(&line));
                line.clear();
            } else {
                line.push(*byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent() -> Report {
        Report {
            out: Box::new(std::io::sink()),
            kept: None,
            colours: false,
            lines: Vec::new(),
            total: Tally::default(),
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn when_a_section_fails_expect_the_others_run_and_the_whole_failed() {
        let mut report = silent();
        report.section("a", &mut shell("echo 'test result: ok. 2 passed; 0 failed'; exit 1"), &[0]);
        report.section("b", &mut shell("printf '== 3 passed in 1s =='"), &[0]);
        assert!(!report.finish());
        assert_eq!(report.total.to_string(), "5 passed, 0 failed, 0 ignored");
    }

    #[test]
    fn when_an_exit_code_is_accepted_or_a_section_skipped_expect_success() {
        let mut report = silent();
        report.section("a", &mut shell("exit 5"), &[0, 5]);
        report.skip("b", "not here");
        assert!(report.finish());
    }

    #[test]
    fn when_a_report_is_added_expect_all_that_its_commands_said_and_its_failures_counted() {
        let folder = std::env::temp_dir().join(format!("xtask_report_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let out = folder.join("out");
        let mut report = Report { out: Box::new(File::create(&out).unwrap()), ..silent() };
        let mut meanwhile = Report::kept_in(&folder.join("meanwhile")).unwrap();
        meanwhile.section("b", &mut shell("echo ran; echo complained >&2; exit 1"), &[0]);
        report.section("a", &mut shell("true"), &[0]);
        report.add(meanwhile);
        assert!(!report.finish());
        let shown = std::fs::read_to_string(&out).unwrap();
        for said in ["ran", "complained"] {
            let places = ["==> a", "==> b", said, "FAILED  b"].map(|what| shown.find(what));
            assert!(places[0].is_some() && places.is_sorted(), "{shown}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_a_search_finds_something_expect_it_shown_and_not_counted() {
        let mut report = silent();
        let found = report.search("a", &mut shell("echo 'test b ... FAILED'; exit 1"), &[0]);
        assert_eq!(found, Some(vec!["b".to_owned()]));
        assert_eq!(report.lines[0].outcome, Outcome::Found);
        assert!(report.lines[0].detail.contains('b'), "{}", report.lines[0].detail);
        assert!(report.search("c", &mut shell("exit 5"), &[0, 5]).is_none() && report.finish());
    }
}
