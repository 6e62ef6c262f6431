//! The wheels' CMake files name the Python of the machine that built them; they are made to name this one.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::process::read;
use crate::python::isolated;
use crate::stamp::replace;

/// Where the wheels' builder kept its Pythons.
const FOREIGN: &str = "/opt/python/";

/// This Python's include folders.
#[derive(Debug)]
struct Includes {
    python: String,
    numpy: String,
}

/// Rewrites every CMake file that needs it.
pub fn rewrite_all(layout: &Layout) -> Result<()> {
    let includes = Includes::of(&layout.python())?;
    let share = layout.venv().join("share");
    let packages = fs::read_dir(&share).with_context(|| format!("cannot list {}", share.display()))?;
    for package in packages {
        // Packages without CMake files have no such folder.
        let Ok(files) = fs::read_dir(package?.path().join("cmake")) else { continue };
        for file in files {
            rewrite_file(&file?.path(), &includes)?;
        }
    }
    Ok(())
}

fn rewrite_file(path: &Path, includes: &Includes) -> Result<()> {
    if path.extension().is_none_or(|extension| extension != "cmake") {
        return Ok(());
    }
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    if text.contains(FOREIGN) { replace(path, rewrite(&text, includes).as_bytes()) } else { Ok(()) }
}

fn rewrite(text: &str, includes: &Includes) -> String {
    let mut pieces = text.split(FOREIGN);
    let mut result = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find([';', '"', ' ', ')', '\n']).unwrap_or(piece.len());
        let (foreign, rest) = piece.split_at(end);
        match includes.counterpart(foreign) {
            Some(ours) => result.push_str(ours),
            None => result.extend([FOREIGN, foreign]),
        }
        result.push_str(rest);
    }
    result
}

impl Includes {
    fn of(python: &Path) -> Result<Self> {
        let script = "import sysconfig, numpy; print(sysconfig.get_path('include')); print(numpy.get_include())";
        let text = read(isolated(python).args(["-I", "-c", script]))?;
        let (python, numpy) = text.split_once('\n').context("Python did not name its include folders")?;
        Ok(Self { python: python.to_owned(), numpy: numpy.to_owned() })
    }

    fn counterpart(&self, foreign: &str) -> Option<&str> {
        if foreign.contains("/numpy/") {
            Some(&self.numpy)
        } else if foreign.contains("/include/python3") {
            Some(&self.python)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_file_names_foreign_folders_expect_ours() {
        let includes = Includes { python: "/p".into(), numpy: "/n".into() };
        let text = "DIRS \"/opt/python/cp311-cp311/include/python3.11;/opt/python/cp311-cp311/lib/python3.11/\
                    site-packages/numpy/_core/include\"\nX /opt/python/other)";
        assert_eq!(rewrite(text, &includes), "DIRS \"/p;/n\"\nX /opt/python/other)");
        assert_eq!(rewrite("nothing", &includes), "nothing");
    }
}
