//! Every check between [`RawServoConfig`] and [`ServoConfig`].

mod boards;
mod bounds;
mod servo;
mod timing;

use std::time::Duration;

pub use bounds::PULSE_US;

use super::clock::PwmClock;
use super::config::ServoConfig;
use super::error::ServoConfigError as E;
use super::raw::{RawServoConfig, RawTiming};
use crate::joints::Timing;

pub(super) use bounds::GREATEST_ANGLE_RAD;

use boards::boards;
use bounds::Findings;
use servo::add_servo;
use timing::timing;

impl ServoConfig {
    /// The checked configuration.
    ///
    /// # Errors
    /// All that is wrong with it; never empty.
    pub fn check(raw: &RawServoConfig) -> Result<Self, Vec<E>> {
        config(raw)
    }
}

impl TryFrom<RawServoConfig> for ServoConfig {
    type Error = E;

    /// As [`ServoConfig::check`], with the first error alone.
    fn try_from(raw: RawServoConfig) -> Result<Self, E> {
        Self::check(&raw).map_err(|found| found.into_iter().next().unwrap_or(E::NoServos))
    }
}

impl RawTiming {
    /// The checked times.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn check(&self) -> Result<Timing, Vec<E>> {
        let mut found = Findings::new();
        timing(self, &mut found).filter(|_| found.is_empty()).ok_or(found)
    }
}

/// The checked configuration, or all that is wrong with it.
fn config(raw: &RawServoConfig) -> Result<ServoConfig, Findings> {
    let mut found = Findings::new();
    let timing = timing(&raw.timing, &mut found);
    let boards = boards(&raw.boards, &mut found);
    if raw.servos.0.is_empty() {
        found.push(E::NoServos);
    }
    // What servos are commanded against where a board does not hold; nothing comes of it.
    let fallback = PwmClock::nearest(50.0, 25e6);
    let clocks: Vec<Option<PwmClock>> = boards.iter().map(|board| board.map_or(fallback, |b| Some(b.clock))).collect();
    let boards = boards.into_iter().flatten().collect();
    let mut checked = ServoConfig { boards, servos: Vec::new(), groups: Vec::new(), timing: timing.unwrap_or(NO_TIME) };
    let mut plugs = Vec::new();
    for (joint, servo) in &raw.servos.0 {
        add_servo(&mut checked, (joint, servo), (&clocks, &raw.boards), &mut plugs, &mut found);
    }
    if found.is_empty() { Ok(checked) } else { Err(found) }
}

/// In the place of times that do not hold, in a configuration that nobody gets.
const NO_TIME: Timing = Timing {
    command_timeout: Duration::ZERO,
    sit_after: None,
    relax_after: None,
    group_interval: Duration::ZERO,
    soft_start_rad_s: 0.0,
    pose_tolerance_rad: 0.0,
    stall_error_rad: 0.0,
    stall_after: None,
    fault_off_after: Duration::ZERO,
};
