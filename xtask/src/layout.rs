//! Where things are: the workspace and the `.ros` folder in it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Paths of this workspace.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The workspace this program was built from.
    pub fn find() -> Result<Self> {
        // Cargo sets the variable for `cargo run`; the compiled-in value serves a directly started binary.
        let manifest = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&manifest).parent().context("xtask has no parent folder")?.to_path_buf();
        let text = root.to_str().with_context(|| format!("{} is not valid UTF-8", root.display()))?;
        ensure!(!text.contains(':'), "{text}: a ':' in the path breaks PATH-like variables; move the workspace");
        Ok(Self { root })
    }

    /// The workspace root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of this crate, with lock files and interface sources.
    pub fn xtask(&self) -> PathBuf {
        self.root.join("xtask")
    }

    /// Everything made by the setup.
    pub fn ros(&self) -> PathBuf {
        self.root.join(".ros")
    }

    /// Python environment that holds the ROS 2 wheels; it is also their install prefix.
    pub fn venv(&self) -> PathBuf {
        self.ros().join("venv")
    }

    /// Install prefix of the interface packages that are built here.
    pub fn overlay(&self) -> PathBuf {
        self.ros().join("overlay")
    }

    /// The virtual environment's interpreter.
    pub fn python(&self) -> PathBuf {
        self.venv().join("bin/python3")
    }
}

/// Cargo's target folder, whatever set it (variable, configuration, default).
pub fn target_dir() -> Result<PathBuf> {
    let exe = std::env::current_exe().context("cannot find this program's own path")?;
    let profile = exe.parent().context("this program has no parent folder")?;
    Ok(profile.parent().context("no target folder above this program")?.to_path_buf())
}
