//! What can be asked of a player.

use super::state::{Phase, Player};
use crate::motion::kinds::Motion;
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use std::sync::Arc;

impl Player {
    /// Plays a motion that [`check`](crate::motion::check()) has passed for this engine's home: at once when idle, else after the
    /// running one has finished its cycle, in place of any that waits. `None` only asks the running one to finish.
    pub fn play(&mut self, motion: Option<Arc<Motion>>) {
        if motion.is_some() {
            self.sit_when_home = false;
        }
        if matches!(self.phase, Phase::Idle | Phase::Settling(_) | Phase::Leaving(_)) {
            // What the job holds has not begun: it is replaced like one that waits.
            self.job.cancel();
        }
        self.job.execute(motion);
    }

    /// Breaks off what is played and drops what waits; the robot goes back to standing without finishing the cycle.
    pub fn cancel(&mut self) {
        match self.phase {
            Phase::Entering(_) | Phase::Running => {
                self.job.execute(None);
                self.cancelled = true;
            }
            Phase::Rewinding { .. } => self.job.execute(None),
            Phase::Idle | Phase::Settling(_) | Phase::Leaving(_) => self.job.cancel(),
        }
    }

    /// Asks the robot to stand, whatever it does.
    pub fn stand(&mut self) {
        self.sit_when_home = false;
        self.cancel();
        self.engine.stand();
    }

    /// Asks the robot to sit, whatever it does.
    pub fn sit(&mut self) {
        self.pack_when_home = false;
        self.cancel();
        if self.is_playing() {
            self.sit_when_home = true;
        } else {
            self.engine.sit();
        }
    }

    /// Asks the robot to sit and to fold its legs; false, and nothing is done, if it has no packed pose.
    pub fn pack(&mut self) -> bool {
        if !self.engine.can_pack() {
            return false;
        }
        if !self.is_playing() {
            self.cancel();
            return self.engine.pack();
        }
        self.sit();
        self.pack_when_home = true;
        true
    }

    /// Ends whatever the robot does in the pose it is in, because its servos have been let go.
    pub fn freeze(&mut self) {
        let angles = self.last().angles;
        self.lie(&angles);
    }

    /// The same in this pose: where a robot whose servos have been let go is to begin anew.
    pub fn lie(&mut self, angles: &[LegAngles; MAX_LEGS]) {
        self.job.cancel();
        (self.phase, self.cancelled) = (Phase::Idle, false);
        (self.sit_when_home, self.pack_when_home, self.sent_home) = (false, false, false);
        self.engine.freeze(angles);
    }

    /// Stops walking and playing, with all feet planted.
    pub fn stop(&mut self) {
        self.cancel();
        self.engine.stop();
    }
}
