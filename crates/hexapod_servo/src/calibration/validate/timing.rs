//! Checks of the times and speeds of the state machine.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::bounds::{Findings, note, within};
use crate::calibration::error::ServoConfigError as E;
use crate::calibration::raw::RawTiming;
use crate::joints::Timing;

/// From never, as 0, to a day.
const DAY_S: RangeInclusive<f64> = 0.0..=86_400.0;

/// None where a time does not hold.
pub(super) fn timing(raw: &RawTiming, found: &mut Findings) -> Option<Timing> {
    let mut number =
        |key: &str, value: f64, range: RangeInclusive<f64>| {
            let (lower, upper) = (*range.start(), *range.end());
            let checked = within(value, range, &|key: &str| format!("timing.{key}"), key, |path, value| {
                E::OutOfRange { path, value, lower, upper }
            });
            note(found, checked)
        };
    let command_timeout = number("command_timeout_s", raw.command_timeout_s, 0.02..=10.0);
    let sit_after = number("sit_after_s", raw.sit_after_s, DAY_S);
    let relax_after = number("relax_after_s", raw.relax_after_s, DAY_S);
    let group_interval = number("group_interval_s", raw.group_interval_s, 0.0..=5.0);
    let soft_start_rad_s = number("soft_start_rad_s", raw.soft_start_rad_s, 0.01..=5.0);
    let pose_tolerance_rad = number("pose_tolerance_rad", raw.pose_tolerance_rad, 0.01..=6.3);
    let stall_error_rad = number("stall_error_rad", raw.stall_error_rad, 0.01..=6.3);
    let stall_after = number("stall_after_s", raw.stall_after_s, DAY_S);
    let fault_off_after = number("fault_off_after_s", raw.fault_off_after_s, 0.0..=600.0);
    if let (Some(sit_s), Some(relax_s)) = (sit_after, relax_after)
        && relax_s > 0.0
        && sit_s >= relax_s
    {
        found.push(E::SitAfterRelax { path: "timing.sit_after_s".into(), sit_s, relax_s });
    }
    let seconds = Duration::from_secs_f64;
    let after = |limit_s: f64| (limit_s > 0.0).then(|| seconds(limit_s));
    Some(Timing {
        command_timeout: seconds(command_timeout?),
        sit_after: after(sit_after?),
        relax_after: after(relax_after?),
        group_interval: seconds(group_interval?),
        soft_start_rad_s: soft_start_rad_s?,
        pose_tolerance_rad: pose_tolerance_rad?,
        stall_error_rad: stall_error_rad?,
        stall_after: after(stall_after?),
        fault_off_after: seconds(fault_off_after?),
    })
}
