//! The stop button, looked at on a thread of its own: nothing that holds up the bus, the topics or the services holds up
//! this.

use crate::pins::Steady;
use crate::stop::{Stop, StopLine};
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{Shutdown, Stage, monotonic_now};
use std::thread::JoinHandle;
use std::time::Duration;

/// A button counts when it has been pressed for this long, which no interference is.
pub(crate) const BOUNCE: Duration = Duration::from_millis(5);
/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(4);

/// Watches the button until `end`. One that is held down stops once.
///
/// # Errors
/// There is no thread to be had.
pub(crate) fn watch(line: StopLine, end: Shutdown) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("servo-button".into()).spawn(move || {
        // Whether it is granted, the thread of the bus reports.
        let _ = realtime::fifo(priority::STOP);
        let mut button = Steady::new(BOUNCE);
        let mut was_pressed = false;
        while !end.wait(Stage::Stopping, LOOK_EVERY) {
            let now = monotonic_now();
            let pressed = button.sees(line.pins().stop_pressed(), now);
            if pressed && !was_pressed {
                line.stop(Stop::Emergency, now);
            }
            was_pressed = pressed;
        }
    })
}
