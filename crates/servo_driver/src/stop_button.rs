//! The stop button, looked at on a thread of its own: nothing that holds up the bus, the topics or the services holds up
//! this.

use crate::pins::{Pins, Steady};
use crate::stop::{By, StopLine};
use hexapod_ros::realtime::{self, priority};
use hexapod_ros::{Shutdown, Stage, monotonic_now};
use std::thread::JoinHandle;
use std::time::Duration;

/// A button counts when it has been pressed for this long, which no interference is.
pub(crate) const BOUNCE: Duration = Duration::from_millis(5);
/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(4);

/// The pins of a tool that drives servos without a node. The button cuts the outputs here and now, whatever the bus does.
#[derive(Debug)]
pub struct StopSwitch {
    line: StopLine,
    end: Shutdown,
    button: Option<JoinHandle<()>>,
}

impl StopSwitch {
    /// Watches the button of these pins, if there is one.
    #[must_use]
    pub fn new(pins: impl Pins + 'static, has_button: bool) -> Self {
        let (line, end) = (StopLine::default(), Shutdown::default());
        line.pins().connect(pins);
        let button = has_button.then(|| watch(line.clone(), end.clone()).ok()).flatten();
        Self { line, end, button }
    }

    /// Whether the button is pressed, or was since this was last asked; outputs that it has cut are free again when it is
    /// let go.
    #[must_use]
    pub fn was_pressed(&self) -> bool {
        let was = self.line.take().is_some();
        let is = self.line.pins().stop_pressed();
        if !was && !is {
            let _ = self.line.release(self.line.ticket(monotonic_now()));
        }
        was || is
    }

    /// Lets the boards' outputs through, or not.
    pub fn enable_outputs(&self, on: bool) {
        self.line.pins().enable_outputs(on);
    }
}

impl Drop for StopSwitch {
    fn drop(&mut self) {
        self.end.ask();
        drop(self.button.take().map(JoinHandle::join));
        self.line.pins().disconnect();
    }
}

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
                line.emergency_stop(By::Button, now);
            }
            was_pressed = pressed;
        }
    })
}
