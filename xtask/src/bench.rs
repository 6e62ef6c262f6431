//! `cargo xtask bench`: the benches of the pure crates.

use std::ffi::OsString;

use anyhow::Result;

use crate::cargo::{BENCH, cargo, run};
use crate::layout::{Layout, target_dir};

/// What a build that is meant for present PCs alone would be given.
const TUNED: &str = "-C target-cpu=x86-64-v3";

/// Runs all benches, `args` passed on to `cargo bench`: as what ships is built, and, beside that, with AVX2 and FMA
/// counted on, where this processor has them. Published figures are those of the first.
pub fn bench(layout: &Layout, args: impl Iterator<Item = OsString>) -> Result<()> {
    let args: Vec<OsString> = args.collect();
    println!("== built as it ships ==");
    run(cargo(layout).args(["bench", "-p", BENCH]).args(&args))?;
    if std::env::var_os("RUSTFLAGS").is_some() || !has_avx2() {
        return Ok(());
    }
    println!("== built with {TUNED}, which does not ship ==");
    let mut tuned = cargo(layout);
    // A folder of its own, so that neither is built anew for the other.
    tuned.env("RUSTFLAGS", TUNED).env("CARGO_TARGET_DIR", target_dir()?.join("tuned"));
    run(tuned.args(["bench", "-p", BENCH]).args(&args))
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}
