//! The loop on a real pseudo-terminal, in a process of its own: this test program runs itself again as that process.
#![allow(clippy::unwrap_used, clippy::panic)] // in helpers of tests

use std::cell::Cell;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hexapod_view::{Snapshot, run_loop};
use nix::pty::{Winsize, openpty};

const MODE: &str = "HEXAPOD_VIEW_TEST_CHILD";
const SIZE: Winsize = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };

/// Not a test by itself: the process on the pseudo-terminal.
#[test]
fn child() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let frames = Cell::new(0);
    let source = || {
        frames.set(frames.get() + 1);
        assert!(mode != "panic" || frames.get() < 5, "on purpose");
        Snapshot { gait_state: "walking".into(), ..Snapshot::default() }
    };
    let result = run_loop(source, |action| eprintln!("{action:?}"), || mode == "stop" && frames.get() > 5);
    eprintln!("ended {:?}", result.map_err(|error| error.kind()));
}

/// A process started between the opening of a pseudo-terminal and its close-on-exec would keep it open.
static STARTING: Mutex<()> = Mutex::new(());

/// Both ends, closed in processes started later: `openpty` itself does not see to that, a clone does.
fn pseudo_terminal() -> [OwnedFd; 2] {
    let pair = openpty(Some(&SIZE), None).unwrap();
    [pair.master.try_clone().unwrap(), pair.slave.try_clone().unwrap()]
}

struct View {
    child: Child,
    keyboard: Option<File>,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl View {
    fn start(mode: &str) -> Self {
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let [master, slave] = pseudo_terminal();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "terminal::child", "--nocapture"])
            .env(MODE, mode)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .stdin(slave.try_clone().unwrap())
            .stdout(slave)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, screen) = channel();
        let mut output = File::from(master.try_clone().unwrap());
        if mode != "hangup" {
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(count @ 1..) = output.read(&mut buffer) {
                    let _ = sender.send(buffer[..count].to_vec());
                }
            });
        }
        Self { child, keyboard: Some(File::from(master)), screen, seen: String::new() }
    }

    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !self.seen.contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let bytes = self.screen.recv_timeout(left).unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    fn press(&mut self, bytes: &[u8]) {
        self.keyboard.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Waits for the end; gives the status and what was printed to standard error.
    fn end(mut self) -> (ExitStatus, String) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                panic!("the view does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = self.child.wait_with_output().unwrap();
        (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

const GIVEN_BACK: [&str; 5] = ["\x1b[?1049l", "\x1b[?25h", "\x1b[?1004l", "\x1b[?2004l", "\x1b[<1u"];

#[test]
fn when_keys_are_pressed_expect_their_actions_and_the_terminal_back() {
    let mut view = View::start("keys");
    view.wait_for("walking");
    view.press(b"x");
    view.press(b"\x1b[A");
    view.press(b" ");
    view.press(b"\x1b");
    GIVEN_BACK.iter().for_each(|sequence| view.wait_for(sequence));
    let (status, said) = view.end();
    assert!(status.success(), "{said}");
    let place = |text: &str| said.find(text).unwrap_or_else(|| panic!("no {text} in {said}"));
    assert!(
        place("EmergencyStop") < place("Stop\n") + "Stop\n".len() && place("Quit") < place("ended Ok(())"),
        "{said}"
    );
}

#[test]
fn when_asked_to_stop_while_driving_expect_a_last_zero_twist() {
    let mut view = View::start("stop");
    view.wait_for("walking");
    view.press(b"w");
    let (status, said) = view.end();
    assert!(status.success(), "{said}");
    let last = said.lines().rev().find(|line| line.contains("Drive")).unwrap();
    assert!(last.contains("linear_x: 0.0") && said.contains("linear_x: 0.05"), "{said}");
}

#[test]
fn when_the_terminal_goes_away_expect_an_error_soon_and_no_panic() {
    let mut view = View::start("hangup");
    std::thread::sleep(Duration::from_millis(300));
    drop(view.keyboard.take());
    let (_, said) = view.end();
    assert!(said.contains("ended Err(") && !said.contains("panicked"), "{said}");
}

#[test]
fn when_the_source_panics_expect_the_terminal_back_before_the_message() {
    let mut view = View::start("panic");
    GIVEN_BACK.iter().for_each(|sequence| view.wait_for(sequence));
    let (status, said) = view.end();
    assert!(!status.success() && said.contains("on purpose"), "{said}");
}
