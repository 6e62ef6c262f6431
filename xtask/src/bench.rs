//! `cargo xtask bench`: the benches of the pure crates.

use std::ffi::OsString;

use anyhow::Result;

use crate::cargo::{BENCH, cargo_apart, run};
use crate::layout::Layout;

/// Runs all benches, `args` passed on to `cargo bench`.
pub fn bench(layout: &Layout, args: impl Iterator<Item = OsString>) -> Result<()> {
    let mut command = cargo_apart(layout, BENCH)?;
    // The published figures are those of a present PC: AVX2 and FMA, where this one has them.
    if std::env::var_os("RUSTFLAGS").is_none() && has_avx2() {
        command.env("RUSTFLAGS", "-C target-cpu=x86-64-v3");
    }
    run(command.arg("bench").args(args))
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
