//! Which servos the owner has set up himself.

use crate::files::Files;

/// What is measured of a servo on a PCA9685 board.
pub const MEASURED_PULSES: [&str; 2] = ["points", "trim_rad"];
/// The same of one on a serial bus.
pub const MEASURED_STEPS: [&str; 1] = ["zero_step"];

/// The joints whose servo has one of these keys in the owner's own `servos.yaml`, in this section of it; without keys those that
/// are listed there.
#[must_use]
pub fn own_servos(files: &Files, section: &str, keys: &[&str]) -> Vec<String> {
    let Ok(document) = files.in_config("servos.yaml").read_on() else { return vec![] };
    let is_own = |path: &str| document.file_of(path).is_some_and(|file| files.is_own(file));
    let has = |path: &str| keys.iter().any(|key| is_own(&format!("{path}.{key}")));
    let entries = document.entries(section).into_iter();
    let own = entries.filter(|entry| if keys.is_empty() { is_own(&entry.path) } else { has(&entry.path) });
    own.map(|entry| entry.key).collect()
}
