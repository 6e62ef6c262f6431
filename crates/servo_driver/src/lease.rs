//! Who has the bus: one driver at a time, and a guard that sees when there is none.
//!
//! The lease is an advisory lock on a file. The kernel gives it back when its holder dies, however that comes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Names the folder of lease files, for tests and for containers without `/run/lock`.
const FOLDER: &str = "HEXAPOD_LOCK_DIR";
/// A driver that starts waits this long: a guard may be switching off after the one before.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(10);

/// The right to speak to the boards on a bus, held until it is dropped or its process is gone.
#[derive(Debug)]
pub struct Lease {
    _file: File,
}

/// The lease could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another process has it.
    #[error("another servo_driver has the bus, or a guard is still switching it off")]
    Taken,
    /// The file cannot be used.
    #[error("{path}: {source}")]
    File {
        /// The lease's file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
}

impl Lease {
    /// Takes the lease of `/dev/i2c-<device>`; waits a second for the one who has it.
    ///
    /// # Errors
    /// Another process has it, or the file cannot be used.
    pub fn take(device: u8) -> Result<Self, LeaseError> {
        let (path, file) = lease_file(device)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Err(LeaseError::Taken),
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY),
                Err(TryLockError::Error(source)) => return Err(failed(&path, source)),
            }
        }
    }

    /// Sees that nobody has the lease of `/dev/i2c-<device>`, and keeps it so until what is returned is dropped; `None`
    /// if a driver has it. Several guards may do so at a time.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn keep_free(device: u8) -> Result<Option<Self>, LeaseError> {
        let (path, file) = lease_file(device)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(failed(&path, source)),
        }
    }
}

fn failed(path: &Path, source: io::Error) -> LeaseError {
    LeaseError::File { path: path.display().to_string(), source }
}

/// Where lease files may be, the best first.
fn folders() -> Vec<PathBuf> {
    match std::env::var_os(FOLDER) {
        Some(named) => vec![named.into()],
        None => vec!["/run/lock".into(), std::env::temp_dir()],
    }
}

/// The lease's file in the first folder that takes it.
fn lease_file(device: u8) -> Result<(PathBuf, File), LeaseError> {
    let mut first = None;
    for folder in folders() {
        let path = folder.join(format!("hexapod-i2c-{device}.lock"));
        match open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) => first = first.or(Some(failed(&path, error))),
        }
    }
    Err(first.unwrap_or(LeaseError::Taken))
}

/// Reading is enough for a lock, so that users who cannot write each other's files still see each other. A file that
/// is there is never opened with O_CREAT: in a sticky folder the kernel refuses that for a file of somebody else.
fn open(path: &Path) -> io::Result<File> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o644).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => File::open(path),
        other => other,
    }
}
