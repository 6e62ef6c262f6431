//! What becomes of the driver, as lines of the log: one for each change of its state, logged by those who publish it.

use crate::front::Front;
use crate::requests::PAUSED;
use crate::snapshot::Snapshot;
use crate::stop::By;
use hexapod_ros::{Graph, Sender};
use hexapod_servo::State;

/// The state that was logged last, and where it is asked who stops the servos.
pub(crate) struct Journal {
    front: Front,
    graph: Graph,
    state: State,
}

impl Journal {
    pub fn new(front: Front, graph: Graph) -> Self {
        Self { front, graph, state: State::Disarmed }
    }

    /// Logs a change of state; `fault` is the snapshot's in words.
    pub fn take(&mut self, newest: &Snapshot, fault: impl FnOnce() -> String) {
        let before = std::mem::replace(&mut self.state, newest.state);
        if before == newest.state {
            return;
        }
        match newest.state {
            State::Disarmed => tracing::info!("disabled: all pulses are off"),
            State::Arming if newest.waits => tracing::warn!("enabled{}: {PAUSED}", released(before)),
            State::Arming => tracing::info!("enabled{}: switching pulses on slowly, leg by leg", released(before)),
            State::Armed if before == State::Holding => tracing::info!("armed: receiving commands again"),
            State::Armed => tracing::info!("armed: all joints follow their commands"),
            State::Holding => tracing::warn!("commands are stale: holding the last pose"),
            State::Retiring => tracing::error!("{}: the robot sits down, then everything goes off", fault()),
            State::Fault => tracing::error!("fault: {}", fault()),
            State::EmergencyStop => {
                tracing::error!("emergency stop by {}: all channels are off until enabled", self.stopper());
            }
        }
    }

    fn stopper(&self) -> String {
        match self.front.line.by() {
            By::Service => "the service emergency_stop".into(),
            By::Button => "the stop button (stop_pin)".into(),
            By::Silence => {
                let source = self.front.heartbeats().quietest();
                let of = source.map(|source| format!("of {} ", self.name(Some(source)))).unwrap_or_default();
                format!("a lost heartbeat {of}on the topic emergency_stop (emergency_stop_timeout)")
            }
            By::Guard => "the guard, which heard nothing of this process".into(),
            By::Lapse => "this process, which stood still".into(),
            By::Suspension => "SIGTSTP (Ctrl-Z)".into(),
            By::Topic => {
                let source = self.name(self.front.heartbeats().stopper());
                format!("{source} on the topic emergency_stop")
            }
            By::Unwatched => "more sources on the topic emergency_stop than can be watched".into(),
        }
    }

    fn name(&self, sender: Option<Sender>) -> String {
        sender.and_then(|sender| self.graph.name_of(sender)).unwrap_or_else(|| "an unknown node".into())
    }
}

/// What an `enable` ends besides.
fn released(before: State) -> &'static str {
    match before {
        State::EmergencyStop => ", the emergency stop is released",
        State::Fault => ", the fault is over",
        _ => "",
    }
}
