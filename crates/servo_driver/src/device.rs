//! The device file of a bus.

use hexapod_config::fnv1a;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Links to serial adapters by what they say of themselves: the same whenever they are plugged in.
const ADAPTERS: &str = "/dev/serial/by-id";

/// A device file, such as `/dev/i2c-1`. One driver at a time has it (`lease.rs`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    path: PathBuf,
    name: String,
}

impl Device {
    /// `/dev/i2c-<number>`.
    #[must_use]
    pub fn i2c(number: u8) -> Self {
        Self { path: format!("/dev/i2c-{number}").into(), name: format!("i2c-{number}") }
    }

    /// The device of this path.
    pub(crate) fn at(path: &str) -> Self {
        Self { path: path.into(), name: name_of(path.as_ref()) }
    }

    /// What the path leads to by now.
    pub(crate) fn anew(&self) -> Self {
        Self { path: self.path.clone(), name: name_of(&self.path) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What all names of the same device have in common, whether or not it is there at present.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// A serial adapter's own name, since it may come back as another device; of other devices, where their links end.
fn name_of(path: &Path) -> String {
    let ends_at = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let device = ends_at(path);
    let mut adapters = fs::read_dir(ADAPTERS).into_iter().flatten().flatten();
    match adapters.find(|adapter| ends_at(&adapter.path()) == device) {
        // Short, as names of sockets have to be.
        Some(adapter) => format!("serial-{:016x}", fnv1a(adapter.file_name().as_encoded_bytes())),
        None => device.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(formatter)
    }
}
