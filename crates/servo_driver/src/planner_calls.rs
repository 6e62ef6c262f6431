//! What the driver asks of the planner: to sit, to stay down, and to move nothing while no commands are carried out.

use crate::snapshot::Snapshot;
use hexapod_ros::bounds::excerpt;
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{Caller, RosError, RosNode, monotonic_now};
use hexapod_servo::State;
use std::time::Duration;

/// How often a planner that is to sit is asked.
const SIT_AGAIN: Duration = Duration::from_secs(1);
/// How often a planner that is to stay frozen is reminded.
const FREEZE_AGAIN: Duration = Duration::from_millis(500);

/// Callers of the planner's services, and when each was last called.
pub(crate) struct PlannerCalls {
    sit: Caller<Trigger::Service>,
    retire: Caller<Trigger::Service>,
    freeze: Caller<SetBool::Service>,
    /// When the planner was last reminded to stay frozen.
    frozen: Duration,
    sit_requests: u64,
    /// When it was last asked to sit.
    sit_asked: Duration,
}

impl PlannerCalls {
    pub fn open(node: &mut RosNode) -> Result<Self, RosError> {
        Ok(Self {
            sit: node.caller("sit")?,
            retire: node.caller("retire")?,
            freeze: node.caller("freeze")?,
            frozen: Duration::ZERO,
            sit_requests: 0,
            sit_asked: Duration::ZERO,
        })
    }

    /// Asks the planner to sit when the driver wants it to, and again while it does not; one that is gone does not hear it.
    pub fn ask_to_sit(&mut self, newest: &Snapshot, now: Duration) {
        let new = newest.counters.sit_requests != self.sit_requests;
        let again = newest.state == State::Retiring && now >= self.sit_asked + SIT_AGAIN;
        if !new && !again {
            return;
        }
        self.sit_requests = newest.counters.sit_requests;
        // Of a fault the change of state tells.
        if new && newest.fault.is_none() {
            tracing::warn!("no joint_commands: asking the planner to sit");
        }
        if newest.state == State::Retiring {
            self.call_retire(now);
        } else {
            self.call_sit(now);
        }
    }

    /// Tells the planner that no commands are carried out, and again as long as that lasts: it moves nothing meanwhile.
    pub fn keep_frozen(&mut self, frozen: bool, now: Duration) {
        if frozen && now >= self.frozen + FREEZE_AGAIN {
            let is_new = self.frozen.is_zero();
            self.frozen = now;
            // A planner other than ours may know `sit` alone.
            if let Err(error) = self.freeze.call(&SetBool::Request { data: true }, |_| {})
                && is_new
            {
                tracing::debug!("the planner cannot be told that no commands are carried out: {error}");
                self.call_sit(now);
            }
        } else if !frozen {
            self.frozen = Duration::ZERO;
        }
    }

    /// Lets the planner go on: commands are carried out again.
    pub fn release(&mut self) {
        // The newest snapshot may still be from before.
        self.frozen = monotonic_now();
        if let Err(error) = self.freeze.call(&SetBool::Request { data: false }, |_| {}) {
            tracing::debug!("the planner cannot be told that commands are carried out again: {error}");
        }
    }

    /// Asks the planner to sit, and to stay down until it is asked no more; at most once in [`SIT_AGAIN`].
    pub fn ask_to_retire(&mut self, now: Duration) {
        if now >= self.sit_asked + SIT_AGAIN {
            self.call_retire(now);
        }
    }

    fn call_sit(&mut self, now: Duration) {
        self.sit_asked = now;
        let reported =
            self.sit.call(&Trigger::Request {}, |answer| tracing::info!("sit: {}", excerpt(&answer.message)));
        if let Err(error) = reported {
            tracing::warn!("cannot ask the planner to sit: {error}");
        }
    }

    /// A planner other than ours may know `sit` alone.
    fn call_retire(&mut self, now: Duration) {
        self.call_sit(now);
        if let Err(error) = self.retire.call(&Trigger::Request {}, |_| {}) {
            tracing::debug!("the planner cannot be asked to stay down: {error}");
        }
    }
}
