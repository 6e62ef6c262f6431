//! Servos that are switched off in the end, however that comes.

use crate::bus::Servos;
use crate::io::Clock;
use crate::stop::StopLine;
use hexapod_servo::ServoDriver;
use std::time::Duration;

/// How long boards are commanded off at the end before the thread gives up.
const OFF_PATIENCE: Duration = Duration::from_millis(200);

/// A driver whose channels go off when it is dropped, however that comes.
pub(crate) struct OffAtEnd {
    pub driver: ServoDriver<Servos>,
    pub line: StopLine,
    pub clock: Clock,
    pub tried: bool,
}

impl OffAtEnd {
    /// Tells every board to be off until each has acknowledged it, at most [`OFF_PATIENCE`]; true if all have.
    pub fn switch_off(&mut self) -> bool {
        self.tried = true;
        let deadline = (self.clock)() + OFF_PATIENCE;
        loop {
            // A stop that is still asked for would hold up the boards' own frames.
            let _ = self.line.take();
            let off = self.driver.shutdown();
            if off || (self.clock)() >= deadline {
                return off;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for OffAtEnd {
    fn drop(&mut self) {
        if !self.tried {
            self.switch_off();
        }
        self.line.liveness().leave_round();
    }
}
