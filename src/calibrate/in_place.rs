//! Files that are replaced all at once, and what lies beside them.

use crate::exit::Failure;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An owner's folder, made where there is none, and locked for as long as what this returns lives.
///
/// # Errors
/// It cannot be made, or another calibration is at work in it.
pub(super) fn lock_folder(folder: &Path) -> Result<File, Failure> {
    let cannot = |error| Failure::Words(format!("{}: {error}; give a folder with --config", folder.display()));
    fs::create_dir_all(folder).map_err(cannot)?;
    let lock = File::open(folder).map_err(cannot)?;
    // Where there are no locks, as on some network drives, it goes on without.
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        let folder = folder.display();
        return Err(Failure::Words(format!("{folder}: another `hexapod calibrate` is at work here; end it first")));
    }
    Ok(lock)
}

/// Refuses a file beside which nothing can be written, before an hour's work is.
pub(super) fn check_writable(path: &Path) -> Result<(), Failure> {
    // Not `.new`, which a calibration elsewhere may be writing.
    let trial = sibling(path, "trial");
    let tried = write_through(&trial, "").and_then(|()| fs::remove_file(&trial));
    tried.map_err(|error| {
        let folder = "give a folder that can be written with --config";
        Failure::Words(format!("{}: cannot be written: {error}; {folder}", path.display()))
    })
}

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
