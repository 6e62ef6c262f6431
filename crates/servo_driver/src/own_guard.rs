//! The guard of a driver: a process that the driver starts, keeps and leaves behind.

use crate::pins::PinChoice;
use crate::process_state::process_state;
use hexapod_ros::monotonic_now;
use hexapod_setup::Files;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How often it is looked after: as long as there is none, nobody switches off a driver that stands still.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// One that dies at once is not started anew more often.
const START_EVERY: Duration = Duration::from_millis(500);
/// It is given so long to begin.
const BEGINS: Duration = Duration::from_secs(3);

/// The guard that this process has started, and starts again when it has died. It outlives this process.
#[derive(Debug)]
pub struct OwnGuard {
    /// What gives it the bus on its command line.
    bus: Vec<String>,
    pins: PinChoice,
    files: Files,
    child: Option<Child>,
    started: Duration,
    looked: Duration,
}

impl OwnGuard {
    pub(crate) fn start(bus: Vec<String>, pins: PinChoice, files: Files) -> Self {
        let (child, now) = (start(&bus, pins, &files), monotonic_now());
        Self { bus, pins, files, child, started: now, looked: now }
    }

    /// Looks now and then whether it is there and neither halted nor `silent`, and starts it again if need be; true if so.
    pub(crate) fn keep(&mut self, silent: bool, now: Duration) -> bool {
        if now < self.looked + LOOK_EVERY || now < self.started + START_EVERY {
            return false;
        }
        self.looked = now;
        let silent = silent && now > self.started + BEGINS;
        let lives =
            self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)) && !end_if(child, silent));
        if !lives {
            tracing::warn!("the guard died or was halted; restarting it");
            self.child = start(&self.bus, self.pins, &self.files);
            self.started = now;
        }
        !lives
    }
}

/// Ends a guard that is silent, or that a signal has halted (`T` in proc_pid_stat(5)): it has its name, and would never act.
fn end_if(guard: &mut Child, silent: bool) -> bool {
    let halted = matches!(process_state(guard.id()), Ok(Some('T' | 't')));
    if silent || halted {
        let _ = guard.kill();
        let _ = guard.wait();
    }
    silent || halted
}

/// Starts a guard for this process, in a process group of its own: Ctrl-C is not for it.
fn start(bus: &[String], pins: PinChoice, files: &Files) -> Option<Child> {
    let output_enable = pins.output_enable.map_or(-1, i16::from);
    let (stop, level) = pins.stop.map_or((-1, "high"), |stop| (i16::from(stop.pin), stop.level()));
    let started = std::env::current_exe().and_then(|executable| {
        Command::new(executable.with_file_name("hexapod"))
            .args(["guard", "--one-driver"])
            .args(bus)
            .args(["-p", &format!("servo_driver.oe_pin:={output_enable}")])
            .args(["-p", &format!("servo_driver.stop_pin:={stop}")])
            .args(["-p", &format!("servo_driver.stop_pin_active:={level}")])
            .args(["-p", &format!("servo_driver.gpio:={}", pins.access.name())])
            .args(files.given_folder().iter().flat_map(|folder| [OsStr::new("--config"), folder.as_os_str()]))
            .arg("--urdf")
            .arg(&files.urdf)
            // systemd's messages are this process's own to send.
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
    });
    match started {
        Ok(child) => {
            tracing::info!("guarded by process {}", child.id());
            Some(child)
        }
        Err(error) => {
            tracing::warn!("no guard: {error}; if this process is killed, the servos keep their pulses");
            None
        }
    }
}
