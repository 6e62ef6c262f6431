//! The node's state as its services answer by, and as `/diagnostics` shows it.

use crate::condition_response::warn_of_condition;
use crate::fault::Fault;
use crate::felt::SwitchFaults;
use crate::inbox::Inbox;
use crate::pulse::Pulse;
use crate::remarks::{Remarks, given_up};
use crate::servos::Hold;
use crate::sight::Sees;
use crate::sources::DrivingSources;
use hexapod_gait::{BodyOffset, GaitState, LimitedBy, Roughness, Tick, Twist};
use hexapod_ros::realtime::SchedulingResult;
use hexapod_ros::{Lateness, Level, Status, monotonic_now};
use nalgebra::Isometry3;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What to say of legs that would come too near to each other.
const TOO_NEAR: &str = "two legs, or a leg and the body, would come too near to each other; the robot waits or keeps away \
                        (leg_clearance in motions.yaml)";

/// What to say of a driver that was heard, and is not any more.
const DRIVER_SILENT: &str = "servo_driver held the servos and has said nothing for 2 s: it has ended, stands still or is out of reach; \
                             the robot has stopped where it was, and walks again after a command of zero";

/// What other threads know of the control loop.
#[derive(Debug)]
pub struct SharedState {
    state: AtomicU8,
    fault: Mutex<Option<Fault>>,
    real_time: Mutex<SchedulingResult>,
    gait: Mutex<String>,
    motion: Mutex<String>,
    body_pose: Mutex<BodyOffset>,
    /// The loop has ended with the robot on its feet, and its servos are let go.
    unseated: AtomicBool,
    /// Of the control loop.
    pub pulse: Pulse,
}

impl Default for SharedState {
    fn default() -> Self {
        Self {
            state: AtomicU8::new(0),
            fault: Mutex::default(),
            real_time: Mutex::new(Ok(())),
            gait: Mutex::default(),
            motion: Mutex::default(),
            body_pose: Mutex::default(),
            unseated: AtomicBool::new(false),
            pulse: Pulse::default(),
        }
    }
}

const STATES: [GaitState; 5] =
    [GaitState::Sitting, GaitState::Standing, GaitState::Walking, GaitState::Stopping, GaitState::Playing];

impl SharedState {
    /// Takes down what the robot does, and what is wrong.
    pub fn set(&self, state: GaitState, fault: Option<Fault>) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        let index = STATES.iter().position(|&known| known == state).unwrap_or_default();
        self.state.store(index as u8, Ordering::Relaxed);
    }

    /// What the robot does.
    #[must_use]
    pub fn get(&self) -> GaitState {
        STATES.get(usize::from(self.state.load(Ordering::Relaxed))).copied().unwrap_or(GaitState::Sitting)
    }

    /// What keeps the planner from doing its work.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes down whether the loop has ended before the robot sat.
    pub fn set_unseated(&self, unseated: bool) {
        self.unseated.store(unseated, Ordering::SeqCst);
    }

    /// Whether it has.
    #[must_use]
    pub fn is_unseated(&self) -> bool {
        self.unseated.load(Ordering::SeqCst)
    }

    /// Takes down whether the loop runs in real time.
    pub fn set_real_time(&self, granted: SchedulingResult) {
        *self.real_time.lock().unwrap_or_else(PoisonError::into_inner) = granted;
    }

    /// Takes down the gait that was asked for last.
    pub fn set_gait(&self, name: &str) {
        name.clone_into(&mut self.gait.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes down the motion that was asked for last.
    pub fn set_motion(&self, name: &str) {
        name.clone_into(&mut self.motion.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Takes down the body pose that was asked for last.
    pub fn set_body_pose(&self, pose: BodyOffset) {
        *self.body_pose.lock().unwrap_or_else(PoisonError::into_inner) = pose;
    }

    fn body_pose(&self) -> BodyOffset {
        *self.body_pose.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The motion that was asked for last.
    pub(crate) fn motion(&self) -> String {
        self.motion.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn gait(&self) -> String {
        self.gait.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn real_time(&self) -> SchedulingResult {
        self.real_time.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is gathered between two diagnostics.
#[derive(Debug, Default)]
pub struct Report {
    /// How the loop kept its rate.
    pub lateness: Lateness,
    /// Over how many seconds.
    pub seconds: f64,
    /// Least distance of the centre of mass from the edge of the support polygon, m.
    pub margin_m: Option<f64>,
    stance_height_m: f64,
    /// The body is to be kept level by its IMU.
    uses_imu: bool,
    twist: Twist,
    limited_by: LimitedBy,
    remarks: Remarks,
    feet_down: usize,
    footprint_from_body: Isometry3<f64>,
}

impl Report {
    /// A report about a robot whose stance has this height.
    #[must_use]
    pub fn new(stance_height_m: f64) -> Self {
        Self { stance_height_m, ..Self::default() }
    }

    /// The same for a robot whose body is to be kept level by its IMU.
    #[must_use]
    pub fn using_imu(self, uses_imu: bool) -> Self {
        Self { uses_imu, ..self }
    }

    /// Takes down a tick, and what there is to say of it.
    pub fn take(&mut self, tick: &Tick, remarks: &Remarks) {
        self.remarks = *remarks;
        self.twist = tick.twist;
        self.limited_by = tick.limited_by;
        self.feet_down = tick.contacts.iter().filter(|&&down| down).count();
        self.footprint_from_body = tick.footprint_from_body;
    }

    /// Who moves the robot, and who would.
    #[must_use]
    pub fn driving(&self) -> &DrivingSources {
        &self.remarks.driving
    }

    /// Switches under the feet that are not believed.
    #[must_use]
    pub fn switches(&self) -> SwitchFaults {
        self.remarks.switches
    }

    /// What to say of a walk that was given up, until the stick is let go.
    #[must_use]
    pub fn gave_up(&self) -> Option<String> {
        self.remarks.gave_up.map(given_up)
    }

    /// Whether it sees the ground.
    pub(crate) fn sees(&self) -> Sees {
        self.remarks.sees
    }

    fn body_pose(&self) -> BodyOffset {
        BodyOffset::of_pose(&self.footprint_from_body, self.stance_height_m)
    }

    /// What to say of a robot whose centre of mass is outside its feet while it stands.
    fn tips_over(&self, state: GaitState) -> Option<String> {
        let margin = self.margin_m.filter(|margin| state == GaitState::Standing && *margin < 0.0)?;
        Some(format!("the robot tips over: its stability margin is {:.1} mm", margin * 1000.0))
    }

    /// The same of a control loop that has not come back for so long.
    #[must_use]
    pub fn lost(&self, silent: Duration, inbox: &Inbox, shared: &SharedState) -> Status {
        let mut status = Status::default();
        let silent = silent.as_millis();
        status.report(Level::Error, format!("the control loop has been stuck for {silent} ms"));
        self.tell(&mut status, inbox, shared);
        status
    }

    /// The node's status now.
    #[must_use]
    pub fn status(&self, inbox: &Inbox, shared: &SharedState) -> Status {
        let mut status = Status::default();
        self.tell(&mut status, inbox, shared);
        status
    }

    /// The same in a line, for the log.
    #[must_use]
    pub fn line(&self, inbox: &Inbox, shared: &SharedState) -> String {
        let Twist { vx, vy, wz } = self.twist;
        let taken: Vec<String> = inbox.take_counts().iter().map(|(topic, count)| format!("{topic} {count}")).collect();
        format!(
            "{} with {} feet down, twist {vx:.3} {vy:.3} {wz:.3}, limited by {}, latest tick {} us late; received: {}",
            shared.get().as_str(),
            self.feet_down,
            self.limited_by.as_str(),
            self.lateness.worst().as_micros(),
            if taken.is_empty() { "nothing".into() } else { taken.join(", ") },
        )
    }

    fn tell(&self, status: &mut Status, inbox: &Inbox, shared: &SharedState) {
        status.value("state", if shared.fault().is_some() { "fault" } else { shared.get().as_str() });
        status.value("condition", self.remarks.condition.as_str());
        status.value("gait", shared.gait());
        status.value("last motion", shared.motion());
        let Twist { vx, vy, wz } = self.twist;
        status.value("commanded twist (m/s, m/s, rad/s)", format!("{vx:.4} {vy:.4} {wz:.4}"));
        status.value("limited by", self.limited_by.as_str());
        status.value("feet down", self.feet_down);
        let Roughness { height_m, level } = self.remarks.roughness;
        status.value("roughness (mm, level)", format!("{:.1} {level}", height_m * 1000.0));
        status.value("body pose asked (mm, deg)", in_mm_and_degrees(&shared.body_pose()));
        if shared.get() != GaitState::Sitting {
            status.value("body pose (mm, deg)", in_mm_and_degrees(&self.body_pose()));
        }
        if let Some(margin) = self.margin_m {
            status.value("stability margin (mm)", format!("{:.1}", margin * 1000.0));
        }
        status.lateness(&self.lateness, self.seconds);
        match shared.real_time() {
            Ok(()) => status.value("real time", "SCHED_FIFO, memory locked"),
            Err(reason) => status.value("real time", reason),
        }
        let rejected = inbox.rejected();
        status.value("rejected messages", rejected.values().map(|topic| topic.count).sum::<u64>());
        for (topic, what) in &rejected {
            status.value(&format!("rejected on {topic}"), what.count);
            status.value(&format!("last reason on {topic}"), &what.reason);
        }
        if let Some(reason) = self.tips_over(shared.get()) {
            status.report(Level::Warn, reason);
        }
        if let Some(fault) = shared.fault() {
            status.report(Level::Error, fault.reason());
        }
        if let Some(reason) = inbox.paused(monotonic_now()) {
            status.report(Level::Warn, reason);
        }
        if let Some(barrier) = inbox.barrier(monotonic_now()) {
            status.report(Level::Warn, barrier.reason());
        }
        if self.remarks.hold == Hold::Silent {
            status.report(Level::Warn, DRIVER_SILENT);
        }
        warn_of_condition(status, &self.remarks, self.uses_imu);
        if let Some(reason) = self.gave_up() {
            status.report(Level::Warn, reason);
        }
        match self.limited_by {
            LimitedBy::Kinematics | LimitedBy::Planning => {
                status.report(Level::Warn, "a leg cannot reach the next point of its path; the robot waits");
            }
            LimitedBy::Clearance => status.report(Level::Warn, TOO_NEAR),
            _ => {}
        }
    }
}

/// x, y, z and roll, pitch, yaw.
fn in_mm_and_degrees(pose: &BodyOffset) -> String {
    let (at, turned) = (pose.translation * 1000.0, pose.rotation.map(f64::to_degrees));
    format!("{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", at.x, at.y, at.z, turned.x, turned.y, turned.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_centre_of_mass_is_outside_the_feet_expect_the_margin_reported_while_standing() {
        let report = |margin| Report { margin_m: Some(margin), ..Report::default() };
        let reported = report(-0.0015).tips_over(GaitState::Standing).unwrap_or_default();
        assert!(reported.contains("tips over") && reported.contains("-1.5 mm"), "{reported}");
        assert_eq!(report(-0.0015).tips_over(GaitState::Walking), None);
        assert_eq!(report(0.01).tips_over(GaitState::Standing), None);
    }

    #[test]
    fn when_a_walk_was_given_up_expect_why_and_what_to_do() {
        let remarks = Remarks { gave_up: Some(LimitedBy::Stability), ..Remarks::default() };
        let reported = Report { remarks, ..Report::default() }.gave_up().unwrap_or_default();
        assert!(reported.contains("stability") && reported.contains("release the stick"), "{reported}");
        assert_eq!(Report::default().gave_up(), None);
    }
}
