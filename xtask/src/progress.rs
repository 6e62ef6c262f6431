//! Numbered steps on stderr: a spinner in a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Counts the steps of one setup.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    begun: usize,
}

impl Progress {
    /// A run of `total` steps.
    pub fn new(total: usize) -> Self {
        Self { total, begun: 0 }
    }

    /// Begins the next step.
    pub fn step(&mut self, title: &str) -> Step {
        self.begun += 1;
        Step::begin(format!("[{}/{}]", self.begun, self.total), title)
    }
}

/// One step under way. Dropped without [`Step::done`] it counts as failed.
#[derive(Debug)]
pub struct Step {
    number: String,
    title: String,
    started: Instant,
    bar: Option<ProgressBar>,
    finished: bool,
}

impl Step {
    fn begin(number: String, title: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| spinner(&number, title));
        if bar.is_none() {
            eprintln!("{number} {title} ...");
        }
        Self { number, title: title.to_owned(), started: Instant::now(), bar, finished: false }
    }

    /// Shows what the step is at. Plain output stays short and leaves it out.
    pub fn note(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    /// Ends the step well.
    pub fn done(mut self) {
        self.finished = true;
        self.close("done in");
    }

    fn close(&self, outcome: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{} {}: {outcome} {:.1} s", self.number, self.title, self.started.elapsed().as_secs_f64());
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if !self.finished {
            self.close("failed after");
        }
    }
}

fn spinner(number: &str, title: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{prefix} {spinner:.cyan} {elapsed:.dim} {wide_msg:.dim}") {
        bar.set_style(style);
    }
    bar.set_prefix(format!("{number} {title}"));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
