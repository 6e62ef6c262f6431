//! Joint targets as they come in.

use std::time::Duration;

use thiserror::Error;

use super::driver::ServoDriver;
use crate::backend::Backend;

/// Why a target was refused. Nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TargetError {
    /// There is no joint of this index.
    #[error("there is no joint {joint}; joints are numbered from 0 and there are {count}")]
    UnknownJoint {
        /// Index asked for.
        joint: usize,
        /// Number of joints.
        count: usize,
    },
    /// The angle is NaN or infinite.
    #[error("target of joint {joint} is {angle_rad}, not a finite angle")]
    NotFinite {
        /// Index of the joint.
        joint: usize,
        /// The angle asked for.
        angle_rad: f64,
    },
}

/// A target that was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accepted {
    /// The target, within the servo's hard pulse limits, in radians.
    pub angle_rad: f64,
    /// True if what was asked for lay outside.
    pub clamped: bool,
}

impl<S: Backend> ServoDriver<S> {
    /// Sets the target of one joint, commanded at `at`, the time of receipt on the caller's monotonic clock. An angle
    /// beyond the hard pulse limits is brought within them and counted; one that is not finite is refused and counted.
    /// Targets are taken in every state, and moved to only in live ones.
    pub fn set_target(&mut self, at: Duration, joint: usize, angle_rad: f64) -> Result<Accepted, TargetError> {
        let accepted = self.check_target(joint, angle_rad).inspect_err(|_| self.counters.refused += 1)?;
        self.counters.clamped += u64::from(accepted.clamped);
        let joint = &mut self.joints[joint];
        joint.target_rad = Some(accepted.angle_rad);
        joint.asked_rad = angle_rad;
        joint.commanded = Some(at);
        joint.path.extend(at, accepted.angle_rad);
        self.last_command = self.last_command.max(Some(at));
        Ok(accepted)
    }

    /// A whole message received at `now`: every target is checked first; if one is refused none is taken and no joint's
    /// command is any fresher. Returns how many targets had to be brought within limits.
    pub fn command(&mut self, now: Duration, targets: &[(usize, f64)]) -> Result<usize, TargetError> {
        for &(joint, angle_rad) in targets {
            self.check_target(joint, angle_rad).inspect_err(|_| self.counters.refused += 1)?;
        }
        let mut clamped = 0;
        for &(joint, angle_rad) in targets {
            clamped += usize::from(self.set_target(now, joint, angle_rad)?.clamped);
        }
        Ok(clamped)
    }

    /// Whether the commands of any joint count at `now`.
    pub fn is_commanded(&self, now: Duration) -> bool {
        self.joints.iter().any(|joint| joint.is_fresh(now, self.config.timing.command_timeout))
    }

    /// Sets which joints, a bit for each, are commanded by a source that is there and sends only when a command changes: their
    /// last command counts until the next call. All others need a stream of commands.
    pub fn keep(&mut self, joints: u64) {
        for (index, joint) in self.joints.iter_mut().enumerate() {
            joint.kept = joints.checked_shr(index as u32).unwrap_or(0) & 1 != 0;
        }
    }

    /// Joints that are held, or on their way, for somebody who is there and has been silent for longer than a stream has
    /// gaps.
    pub fn silent_count(&self) -> usize {
        self.joints.iter().filter(|joint| joint.silent && joint.kept).count()
    }

    /// Tells where a joint stands, in radians, so that arming starts from there; `None` if nobody knows. Taken only
    /// while the joint has no pulse. Returns whether it was taken.
    pub fn assume_position(&mut self, joint: usize, angle_rad: Option<f64>) -> bool {
        let Some(known) = self.config.joints.get(joint) else { return false };
        let position_rad = match angle_rad.map(|angle| known.limit(angle)) {
            Some(None) => return false,
            Some(Some(limited)) => Some(limited.value),
            None => None,
        };
        let free = !self.joints[joint].on;
        if free {
            self.joints[joint].position_rad = position_rad;
        }
        free
    }

    /// Age of the last command of any joint.
    pub fn command_age(&self, now: Duration) -> Option<Duration> {
        self.last_command.map(|then| now.saturating_sub(then))
    }

    fn check_target(&self, joint: usize, angle_rad: f64) -> Result<Accepted, TargetError> {
        let joints = &self.config.joints;
        let known = joints.get(joint).ok_or(TargetError::UnknownJoint { joint, count: joints.len() })?;
        let limited = known.limit(angle_rad).ok_or(TargetError::NotFinite { joint, angle_rad })?;
        Ok(Accepted { angle_rad: limited.value, clamped: limited.clamped })
    }
}
