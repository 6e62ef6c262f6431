//! Where text comes from: the one module of this crate that opens files.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::error::ConfigError;
use crate::source::Source;

/// Largest file that is read, in bytes. A robot's configuration is a few kilobytes.
pub const MAX_BYTES: usize = 1 << 20;

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be opened or read, is larger than [`MAX_BYTES`], or is not UTF-8 (the error then points
    /// at the line of the first bad byte).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        if let Some(kind) = endless(path) {
            return Err(ConfigError::whole_file(
                &name,
                format!("this is {kind}, not a file"),
                "give the path of a file",
            ));
        }
        // A bound on what is read rather than a look at the size: a pipe has no size.
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(&name, &error))?;
        Self::from_bytes(name, bytes)
    }

    /// Checks size and encoding of bytes that were read elsewhere.
    ///
    /// # Errors
    /// When there are more than [`MAX_BYTES`], or they are not UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let name = name.into();
        if bytes.len() > MAX_BYTES {
            return Err(too_large(&name));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => Err(not_utf8(&name, error.as_bytes(), error.utf8_error().valid_up_to())),
        }
    }
}

/// What this is where it may never come to an end, or never begin: nobody may ever write to a named pipe. One that the
/// shell has opened, as for `<(xacro robot.xacro)`, is under `/dev/fd`.
#[cfg(unix)]
fn endless(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata(path).ok()?.file_type();
    let is_opened = ["/dev/fd", "/dev/stdin", "/proc"].iter().any(|folder| path.starts_with(folder));
    match () {
        () if is_opened || path == Path::new("/dev/null") => None,
        () if kind.is_fifo() => Some("a named pipe"),
        () if kind.is_socket() => Some("a socket"),
        () if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        () => None,
    }
}

#[cfg(not(unix))]
fn endless(_: &Path) -> Option<&'static str> {
    None
}

pub(crate) fn too_large(name: &str) -> ConfigError {
    ConfigError::whole_file(name, "the file is larger than 1 MiB", "check that this is the file you meant")
}

fn unreadable(name: &str, error: &std::io::Error) -> ConfigError {
    match error.kind() {
        ErrorKind::NotFound => {
            ConfigError::whole_file(name, "no such file", "check the path, or leave it out to use the shipped file")
        }
        ErrorKind::PermissionDenied => {
            ConfigError::whole_file(name, "not allowed to read this file", "check its owner and its permissions")
        }
        ErrorKind::IsADirectory => {
            ConfigError::whole_file(name, "this is a directory, not a file", "give the path of a file")
        }
        _ => ConfigError::whole_file(name, format!("cannot read this file: {error}"), "check the path"),
    }
}

fn not_utf8(name: &str, bytes: &[u8], valid_up_to: usize) -> ConfigError {
    let help = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "the file looks like UTF-16: save it as UTF-8"
    } else {
        "save the file as UTF-8"
    };
    let byte = bytes.get(valid_up_to).copied().unwrap_or_default();
    // The replacement characters only follow the bad byte, so its offset stands.
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Source { name: name.to_owned(), text };
    let span = valid_up_to..valid_up_to + char::REPLACEMENT_CHARACTER.len_utf8();
    ConfigError::at(&source, span, "", format!("byte 0x{byte:02x} is not UTF-8"), help)
}
