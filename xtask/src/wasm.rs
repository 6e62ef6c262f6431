//! `cargo xtask wasm`: the walking engine as WebAssembly, for the page's playground.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::{WASM, cargo, run};
use crate::layout::{Layout, target_dir};
use crate::process::read;

/// The target that browsers run.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The profile of the crate's manifest that it is built in.
const PROFILE: &str = "wasm";

/// Builds it, and says where it is.
pub fn wasm(layout: &Layout) -> Result<()> {
    let file = build(layout)?;
    let bytes = std::fs::metadata(&file).with_context(|| format!("cannot read {}", file.display()))?.len();
    println!("{} ({} kB)", file.display(), bytes / 1000);
    Ok(())
}

/// Builds it, and puts it where the page's build takes it from.
pub fn build(layout: &Layout) -> Result<PathBuf> {
    ensure_target()?;
    let mut command = cargo(layout);
    command.args(["rustc", "--quiet", "-p", WASM, "--lib", "--crate-type", "cdylib"]);
    command.args(["--profile", PROFILE, "--target", TARGET]);
    // What the user sets is for this machine's processor; and nobody on the web is to read where it was built.
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags(layout.root()));
    run(&mut command).context("cannot build hexapod.wasm")?;
    let built = target_dir()?.join(TARGET).join(PROFILE).join("hexapod_wasm.wasm");
    let page = layout.root().join("crates/web_teleop/page");
    if !page.is_dir() {
        return Ok(built);
    }
    let folder = page.join("public");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join("hexapod.wasm");
    std::fs::copy(&built, &file).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(file)
}

fn flags(root: &Path) -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let folders = home.iter().map(|home| (home.as_path(), "cargo")).chain([(root, "hexapod")]);
    let mut flags: Vec<String> =
        folders.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display())).collect();
    // The profile's `strip` leaves the names of functions for this target: an eighth of what is transferred.
    flags.push("-Cstrip=symbols".into());
    flags.join("\u{1f}")
}

/// Whether rustc has the target's library.
pub fn has_target() -> bool {
    let folder = read(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_ok_and(|folder| Path::new(&folder).is_dir())
}

/// Installs the target where rustup can.
fn ensure_target() -> Result<()> {
    if has_target() {
        return Ok(());
    }
    let Err(error) = read(Command::new("rustup").args(["target", "add", TARGET])) else { return Ok(()) };
    bail!(
        "rustc lacks the target {TARGET}, and it cannot be installed: {error:#}\n\
         With rustup and a connection: rustup target add {TARGET}\n\
         With a distribution's rustc: its package for that target, as libstd-rust-dev-wasm32 of Debian and Ubuntu"
    )
}
