//! Files that commands write: whether they can be, before anything is worked out for them.

use crate::exit::Failure;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Makes sure that a file can be written. What is there stays as it is, and nothing is left where nothing was.
///
/// # Errors
/// The file, why it cannot, and what would be right.
pub fn check(path: &Path) -> Result<(), Failure> {
    let about = std::fs::metadata(path);
    let tried = match &about {
        Ok(about) if about.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(about) if about.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        // A pipe or a device may take what is opened for the file's beginning.
        Ok(_) => Ok(()),
        // What a link leads to is not there yet, and the link has to stay.
        Err(_) if path.is_symlink() => Ok(()),
        Err(_) => OpenOptions::new().write(true).create_new(true).open(path).and_then(|_| std::fs::remove_file(path)),
    };
    tried.map_err(|error| refused(path, &error))
}

/// The same for one that is written while others are read, or all in a folder, and so must be none of those; an empty name
/// stands for none.
///
/// # Errors
/// As [`check`], and where it is one of them.
pub fn check_beside<'a>(path: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let about = std::fs::metadata(path).ok();
    let is_it = |other: &Path| {
        let other = std::fs::metadata(other).ok();
        other.zip(about.as_ref()).is_some_and(|(other, about)| (other.dev(), other.ino()) == (about.dev(), about.ino()))
    };
    let within = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all = read.into_iter().flat_map(|read| std::iter::once(read.to_owned()).chain(within(read)));
    // A terminal or a pipe may be read and written at once.
    let is_file = about.as_ref().is_some_and(std::fs::Metadata::is_file);
    match all.find(|read| is_file && is_it(read)) {
        Some(read) => {
            let (to, from) = (path.display(), read.display());
            Err(Failure::Words(format!("{to} would be written over {from}, which is read: give another --out")))
        }
        None => check(path),
    }
}

/// A file that is made anew by the first write: what is there stays while that is still refused. Its errors name it.
#[derive(Debug)]
pub struct NamedFile {
    file: Option<File>,
    path: PathBuf,
}

impl NamedFile {
    /// One at this place.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { file: None, path: path.to_owned() }
    }

    fn file(&mut self) -> std::io::Result<&mut File> {
        let file = self.file.take().map_or_else(|| File::create(&self.path), Ok)?;
        Ok(self.file.insert(file))
    }

    fn named(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file().and_then(|file| file.write(bytes)).map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush).map_err(|error| self.named(&error))
    }
}

/// Why a file cannot be written, and what would be right.
fn refused(path: &Path, error: &Error) -> Failure {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let (file, words) = (path.display(), |why: String| Failure::Words(why));
    if path.is_dir() {
        return words(format!("{file} is a folder; give the name of a file in it"));
    }
    match parent {
        Some(folder) if !folder.exists() => words(format!(
            "{file} cannot be written: there is no folder {0}; make it first: mkdir -p {0}",
            folder.display()
        )),
        Some(folder) if !folder.is_dir() => {
            words(format!("{file} cannot be written: {} is no folder", folder.display()))
        }
        _ => words(format!("{file} cannot be written: {error}; give another file")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_disk_is_full_expect_the_name_of_the_file() {
        let mut full = std::io::BufWriter::new(NamedFile::new(Path::new("/dev/full")));
        let error = full.write_all(b"seconds").and_then(|()| full.flush()).unwrap_err();
        assert!(error.to_string().starts_with("/dev/full: No space left"), "{error}");
    }

    #[test]
    fn when_a_file_cannot_be_written_expect_why_and_what_would_be_right() {
        let folder = std::env::temp_dir().join(format!("hexapod_out_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let old = folder.join("old.csv");
        std::fs::write(&old, "kept").unwrap();
        for (path, words) in [
            (folder.clone(), "is a folder; give the name of a file in it"),
            (folder.join("none/x.csv"), "there is no folder"),
            (old.join("x.csv"), "old.csv is no folder"),
            ("/proc/x.csv".into(), "cannot be written: "),
        ] {
            let refused = check(&path).err();
            assert!(matches!(&refused, Some(Failure::Words(reported)) if reported.contains(words)), "{refused:?}");
        }
        assert!(check(&old).is_ok() && check(&folder.join("new.csv")).is_ok() && check(Path::new("/dev/null")).is_ok());
        let link = folder.join("link.csv");
        std::os::unix::fs::symlink(&old, &link).unwrap();
        let (hard, none) = (folder.join("hard.csv"), Path::new(""));
        std::fs::hard_link(&old, &hard).unwrap();
        assert!(check_beside(&folder.join("new.csv"), [&*old, &folder, none]).is_ok());
        for (path, read) in [(&old, &old), (&link, &old), (&hard, &old), (&old, &folder)] {
            let refused = check_beside(path, [none, read]).err();
            assert!(
                matches!(&refused, Some(Failure::Words(reported)) if reported.contains("which is read")),
                "{refused:?}"
            );
        }
        let mut file = NamedFile::new(&old);
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "kept", "until something is written");
        file.write_all(b"new").unwrap();
        file.write_all(b"er").unwrap();
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "newer");
        assert!(!folder.join("new.csv").exists(), "nothing is left of the trial");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
