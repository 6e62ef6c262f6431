//! The guard of a driver: a process that the driver starts, keeps and leaves behind.

use hexapod_setup::Files;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The guard that this process has started, and starts again when it has died. It outlives this process.
#[derive(Debug)]
pub struct OwnGuard {
    device: u8,
    output_enable: Option<u8>,
    files: Files,
    child: Option<Child>,
}

impl OwnGuard {
    pub(crate) fn start(device: u8, output_enable: Option<u8>, files: Files) -> Self {
        let child = start(device, output_enable, &files);
        Self { device, output_enable, files, child }
    }

    /// Looks whether it is there and not halted, and starts it again if need be; true if so.
    pub(crate) fn keep(&mut self) -> bool {
        let lives =
            self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)) && !end_if_halted(child));
        if !lives {
            tracing::warn!("the guard died or was halted; restarting it");
            self.child = start(self.device, self.output_enable, &self.files);
        }
        !lives
    }
}

/// Ends a guard that a signal has halted (`T` in proc_pid_stat(5)): it has its name, and would never act.
fn end_if_halted(guard: &mut Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", guard.id())).unwrap_or_default();
    // The second field is the name, in parentheses, and may hold any character.
    let halted = stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['T', 't']));
    if halted {
        let _ = guard.kill();
        let _ = guard.wait();
    }
    halted
}

/// Starts a guard for this process, in a process group of its own: Ctrl-C is not for it.
fn start(device: u8, output_enable: Option<u8>, files: &Files) -> Option<Child> {
    let output_enable = output_enable.map_or(-1, i16::from);
    let started = std::env::current_exe().and_then(|executable| {
        Command::new(executable.with_file_name("hexapod"))
            .args(["guard", "--one-driver", "--bus", "i2c", "-p", &format!("servo_driver.i2c_device:={device}")])
            .args(["-p", &format!("servo_driver.oe_pin:={output_enable}")])
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
