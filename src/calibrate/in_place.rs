//! Files that are replaced all at once, and what lies beside them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file beside another that has its name and this ending.
pub(super) fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.to_path_buf().into_os_string();
    name.push(format!(".{ending}"));
    name.into()
}

/// Replaces a file, all at once or not at all; who may read it stays as it is.
pub(super) fn put_in_place(path: &Path, text: &str) -> io::Result<()> {
    let new = sibling(path, "new");
    write_through(&new, text)?;
    if let Ok(old) = fs::metadata(path) {
        fs::set_permissions(&new, old.permissions())?;
    }
    fs::rename(&new, path)?;
    sync_folder(path)
}

/// Has the new names on the disk, too: a power cut does not bring the old ones back.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// On the disk when this returns, so that a rename never puts an empty file in place.
pub(super) fn write_through(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
