//! `cargo xtask bench`: the benches of the crates that need no ROS 2.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::cargo::{cargo, run};
use crate::layout::Layout;
use crate::workspace::{members, selection};

/// Runs all benches, `args` passed on to `cargo bench`.
pub fn bench(layout: &Layout, args: impl Iterator<Item = OsString>) -> Result<()> {
    let members = members(layout, None)?;
    let chosen: Vec<_> = members.iter().filter(|member| !member.needs_ros && !member.benches.is_empty()).collect();
    if chosen.is_empty() {
        bail!("no crate without ROS has a bench");
    }
    let mut command = cargo(layout, None);
    command.arg("bench").args(selection(chosen.iter().copied()));
    // By name, because the libraries' own test harness would run too and refuse the benches' arguments.
    for bench in chosen.iter().flat_map(|member| &member.benches) {
        command.args(["--bench", bench]);
    }
    // The published figures are those of a present PC: AVX2 and FMA, where this one has them.
    if std::env::var_os("RUSTFLAGS").is_none() && has_avx2() {
        command.env("RUSTFLAGS", "-C target-cpu=x86-64-v3");
    }
    run(command.args(args))
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
