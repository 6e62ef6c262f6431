//! A line on the terminal while a command takes long.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long nothing is said.
const QUIET: Duration = Duration::from_secs(1);

/// Says what takes so long, and takes the line away again when dropped.
#[derive(Debug)]
pub struct Spinner {
    /// Dropped when the work is done.
    working: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Spinner {
    /// On standard error after a second, where that is a terminal.
    #[must_use]
    pub fn on_terminal(words: &'static str) -> Self {
        let stderr = std::io::stderr();
        if stderr.is_terminal() { Self::after(QUIET, words, stderr) } else { Self { working: None, teller: None } }
    }

    fn after(quiet: Duration, words: &'static str, mut out: impl Write + Send + 'static) -> Self {
        let (working, done) = mpsc::channel();
        let teller = std::thread::spawn(move || {
            if done.recv_timeout(quiet) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            // At once, not word by word. Nothing depends on the line; where it cannot be written it is missed.
            let _ = out.write_all(format!("{words} ...").as_bytes()).and_then(|()| out.flush());
            let _ = done.recv();
            let _ = write!(out, "\r\x1b[K").and_then(|()| out.flush());
        });
        Self { working: Some(working), teller: Some(teller) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.working = None;
        let _ = self.teller.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Screen {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn when_the_work_takes_long_expect_a_line_and_the_line_taken_away() {
        let screen = Screen::default();
        let spinner = Spinner::after(Duration::ZERO, "walking", screen.clone());
        while screen.text().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(screen.text(), "walking ...");
        drop(spinner);
        assert_eq!(screen.text(), "walking ...\r\x1b[K");
    }

    #[test]
    fn when_the_work_is_done_soon_expect_nothing_said() {
        let screen = Screen::default();
        drop(Spinner::after(Duration::from_secs(60), "walking", screen.clone()));
        assert_eq!(screen.text(), "");
    }
}
