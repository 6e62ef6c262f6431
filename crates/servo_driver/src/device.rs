//! The device file of a bus.

use std::fmt;
use std::path::{Path, PathBuf};

/// A device file, such as `/dev/i2c-1`. One driver at a time has it (`lease.rs`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device(PathBuf);

impl Device {
    /// `/dev/i2c-<number>`.
    #[must_use]
    pub fn i2c(number: u8) -> Self {
        Self(format!("/dev/i2c-{number}").into())
    }

    /// The device of this path.
    pub(crate) fn at(path: &str) -> Self {
        Self(path.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// What all names of the same device have in common: where its links end, without the folder.
    pub(crate) fn name(&self) -> String {
        let path = self.0.canonicalize().unwrap_or_else(|_| self.0.clone());
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(formatter)
    }
}
