//! Stamps: small files that say which inputs a finished step was made from.
//!
//! A stamp lies inside the folder it vouches for, so removing the folder removes the claim. It is written last and
//! by rename, so it is whole or absent whenever the program is killed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// FNV-1a, because `std`'s hasher may change between Rust releases and would remake everything.
#[derive(Debug, Clone)]
pub struct Key(u64);

impl Key {
    /// An empty key.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds one input. Inputs are delimited: `("ab", "c")` and `("a", "bc")` differ.
    pub fn with(mut self, input: impl AsRef<[u8]>) -> Self {
        let input = input.as_ref();
        for byte in input.iter().copied().chain((input.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }

    /// Adds the content of a file.
    pub fn with_file(self, path: &Path) -> Result<Self> {
        let content = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(self.with(content))
    }

    /// The text of the stamp.
    pub fn text(&self) -> String {
        format!("{:016x}\n", self.0)
    }
}

/// Whether the stamp at `path` was written for `key`.
pub fn matches(path: &Path, key: &Key) -> bool {
    fs::read_to_string(path).is_ok_and(|found| found == key.text())
}

/// Writes the stamp.
pub fn write(path: &Path, key: &Key) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    }
    replace(path, key.text().as_bytes())
}

/// Writes `content` beside `path` and renames it into place.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, content).with_context(|| format!("cannot write {}", temporary.display()))?;
    fs::rename(&temporary, path).with_context(|| format!("cannot replace {}", path.display()))
}

/// Removes a file or a folder that may be absent.
pub fn remove(path: &Path) -> Result<()> {
    let result = if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_inputs_are_cut_differently_expect_different_keys() {
        assert_ne!(Key::new().with("ab").with("c").text(), Key::new().with("a").with("bc").text());
    }

    #[test]
    fn when_written_expect_match_for_the_same_key_only() {
        let folder = std::env::temp_dir().join(format!("xtask_stamp_{}", std::process::id()));
        let path = folder.join("stamp");
        write(&path, &Key::new().with("one")).unwrap();
        assert!(matches(&path, &Key::new().with("one")));
        assert!(!matches(&path, &Key::new().with("two")));
        remove(&folder).unwrap();
        remove(&folder).unwrap();
        assert!(!matches(&path, &Key::new().with("one")));
    }
}
