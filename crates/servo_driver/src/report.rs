//! The driver's state as a diagnostics status.

use crate::io_thread::IoEnd;
use crate::requests::PAUSED;
use crate::snapshot::Snapshot;
use crate::targets::IntakeCount;
use hexapod_ros::realtime::SchedulingResult;
use hexapod_ros::{Lateness, Level, Status};
use hexapod_servo::serial::Pace;
use hexapod_servo::{Counters, Fault, State};
use std::time::Duration;

/// What a status is made of.
pub(crate) struct Report<'a> {
    /// The newest snapshot; `None` before the first tick.
    pub newest: Option<&'a Snapshot>,
    /// Counters at the last status.
    pub before: Counters,
    /// Messages refused by the last status.
    pub refused_before: u64,
    pub intake: &'a IntakeCount,
    pub lateness: &'a Lateness,
    /// The longest transaction of each tick since the last status.
    pub latency: &'a Lateness,
    /// Time in transactions since the last status.
    pub busy: Duration,
    pub joints: &'a [String],
    /// How often servos on a serial bus get goals and are read.
    pub pace: Option<Pace>,
    /// Time since the last status, s.
    pub seconds: f64,
    /// The I/O thread has been silent for this long, which is too long.
    pub hung: Option<Duration>,
    /// How the I/O thread failed to end in order.
    pub failed: Option<&'a IoEnd>,
    pub granted: Option<&'a SchedulingResult>,
    /// Joint, owner and refused source of a conflict that goes on.
    pub conflict: Option<(String, String, String)>,
    /// The guard of this process died a moment ago, and how often it has.
    pub guard_died: bool,
    pub guard_restarts: u64,
    /// Who sends a topic with a type or a QoS that is not heard.
    pub unheard: Vec<String>,
    pub now: Duration,
}

impl Report<'_> {
    pub fn status(&self) -> Status {
        let mut status = Status::default();
        if let Some(end) = self.failed {
            status.report(Level::Error, end.to_string());
        }
        if let Some(silent) = self.hung {
            let message = format!("the bus has not answered for {} ms", silent.as_millis());
            status.report(Level::Error, message);
        }
        if let Some(newest) = self.newest {
            self.state(newest, &mut status);
        }
        self.complaints(&mut status);
        self.warnings(&mut status);
        self.commands(&mut status);
        self.bus(&mut status);
        if let Some(newest) = self.newest {
            self.measured(newest, &mut status);
        }
        status.lateness(self.lateness, self.seconds);
        let realtime = match self.granted {
            None => "not asked for yet",
            Some(Ok(())) => "granted",
            Some(Err(reason)) => reason,
        };
        status.value("real-time", realtime);
        status
    }

    fn counters(&self) -> Counters {
        self.newest.map(|newest| newest.counters).unwrap_or_default()
    }

    fn warnings(&self, status: &mut Status) {
        if let Some((joint, owner, refused)) = &self.conflict {
            let words = format!("two sources command {joint}: {owner} has it, {refused} is refused; stop one of them");
            status.report(Level::Error, words);
        }
        if self.guard_died {
            status.report(Level::Warn, "the guard died and was restarted");
        }
        status.value("guard restarts", self.guard_restarts);
        for words in &self.unheard {
            status.report(Level::Warn, words.clone());
        }
        let refused = self.intake.refused().saturating_sub(self.refused_before);
        if refused > 0 {
            let reason = self.intake.last_reason();
            status.report(Level::Warn, format!("{refused} joint_commands were refused: {reason}"));
        }
        let failed = self.counters().failed_ticks.saturating_sub(self.before.failed_ticks);
        let retries = self.counters().wire.retries.saturating_sub(self.before.wire.retries);
        if failed > 0 {
            let what = if self.pace.is_some() { "servos" } else { "a board" };
            status.report(Level::Warn, format!("{what} did not answer in {failed} ticks"));
        } else if retries > 0 {
            status.report(Level::Warn, format!("{retries} transactions had to be retried"));
        }
    }

    fn commands(&self, status: &mut Status) {
        let age = self.newest.and_then(|newest| newest.commanded_at).map(|at| self.now.saturating_sub(at));
        status.value("command age (s)", age.map_or("never received".into(), |age| format!("{:.3}", age.as_secs_f64())));
        status.value("joints of silent sources", self.newest.map_or(0, |newest| newest.silent));
        status.value("rejected messages", self.intake.refused());
        status.value("rejected on joint_commands", self.intake.refused());
        status.value("last refusal", self.intake.last_reason());
        status.value("messages empty", self.intake.empty());
        status.value("refused for another source", self.intake.conflicts());
        let counters = self.counters();
        status.value("targets clamped", counters.clamped);
        status.value("catch-ups", counters.catch_ups);
        status.value("holds", counters.holds);
        status.value("sit requests", counters.sit_requests);
        status.value("faults", counters.faults);
        status.value("last fault", counters.last_fault.map_or(String::new(), |fault| self.words(fault)));
        status.value("emergency stops", counters.emergency_stops);
    }

    fn bus(&self, status: &mut Status) {
        let counters = self.counters();
        let (wire, before) = (counters.wire, self.before.wire);
        let rate = wire.bytes.saturating_sub(before.bytes) as f64 / self.seconds.max(1e-3);
        status.value("bytes per second", format!("{rate:.0}"));
        status.value("bytes", wire.bytes);
        status.value("transactions", wire.transactions);
        let transactions = wire.transactions.saturating_sub(before.transactions) as f64 / self.seconds.max(1e-3);
        status.value("transactions per second", format!("{transactions:.0}"));
        status.value("bus load (%)", format!("{:.1}", 100.0 * self.busy.as_secs_f64() / self.seconds.max(1e-3)));
        status.value("transaction latency p99 (us)", self.latency.quantile(0.99).as_micros());
        status.value("transaction latency max (us)", self.latency.worst().as_micros());
        status.value("retries", wire.retries);
        status.value("not acknowledged", wire.nacks);
        status.value("bus errors", wire.bus_errors);
        status.value("failed ticks", counters.failed_ticks);
    }

    /// What servos measure, where they do.
    fn measured(&self, newest: &Snapshot, status: &mut Status) {
        if let Some(pace) = self.pace {
            status.value("goals of a servo (Hz)", format!("{:.0}", pace.goal_hz));
            status.value("positions of a servo (Hz)", format!("{:.1}", pace.position_hz));
        }
        let supply = newest.supply();
        let name = |joint: usize| self.joints.get(joint).map_or("", String::as_str);
        if let Some(volts) = supply.voltage_v {
            status.value("supply (V)", format!("{volts:.1}"));
        }
        if let Some((joint, volts)) = supply.lowest_v {
            status.value("lowest supply (V)", format!("{volts:.1} ({})", name(joint)));
        }
        if let Some(amperes) = supply.current_a {
            status.value("current (A)", format!("{amperes:.2}"));
        }
        if let Some((joint, celsius)) = supply.hottest_c {
            status.value("hottest servo (C)", format!("{celsius:.0} ({})", name(joint)));
        }
    }

    /// What servos complain of, and those that are not believed: before what is less, and as a value, too, where worse hides it.
    fn complaints(&self, status: &mut Status) {
        let Some(newest) = self.newest else { return };
        let servos = || self.joints.iter().enumerate().map(|(joint, name)| (name, newest.measured(joint)));
        let alarms = servos().filter_map(|(name, of)| Some(format!("the servo of {name} complains of {}", of.alarm?)));
        let doubts = servos()
            .filter(|(_, of)| of.doubtful)
            .map(|(name, _)| format!("the servo of {name} is not believed where it is: check its cable"));
        let all = alarms.chain(doubts).collect::<Vec<_>>().join("; ");
        if !all.is_empty() {
            status.report(Level::Warn, all.clone());
            status.value("complaints", all);
        }
    }

    /// A driver that hangs in a transaction cannot say so itself: it is at fault as soon as it is seen, and says which
    /// fault when the bus comes back.
    fn state(&self, newest: &Snapshot, status: &mut Status) {
        let hung = self.hung.is_some();
        status.value("state", if hung && newest.state.is_live() { State::Fault } else { newest.state });
        status.value("armed", !hung && matches!(newest.state, State::Armed | State::Holding | State::Retiring));
        let (level, message) = match newest.state {
            State::Disarmed | State::Arming | State::Armed => (Level::Ok, newest.state.to_string()),
            State::Holding => (Level::Warn, "commands are stale: holding the last pose".into()),
            State::Retiring => {
                let reason = newest.fault.map_or("no reason known".into(), |fault| self.words(fault));
                (Level::Error, format!("{reason}: the robot sits down, then everything goes off"))
            }
            State::Fault => {
                let reason = newest.fault.map_or("no reason known".into(), |fault| self.words(fault));
                (Level::Error, format!("fault: {reason}"))
            }
            State::EmergencyStop => (Level::Error, "emergency stop: all channels are off until enabled".into()),
        };
        let waits = newest.waits && newest.state.is_live();
        status.report(level, if waits { format!("{message}; {PAUSED}") } else { message });
        if newest.state.is_live() && newest.released > 0 {
            let words = format!(
                "{} joints were released because nothing commands them; enable brings them back",
                newest.released
            );
            status.report(Level::Warn, words);
        }
    }

    fn words(&self, fault: Fault) -> String {
        words(fault, self.joints)
    }
}

/// A fault in words, joints by their names.
pub(crate) fn words(fault: Fault, joints: &[String]) -> String {
    let words = fault.to_string();
    match fault {
        Fault::Strained { joint, .. } => match joints.get(joint) {
            Some(name) => words.replacen(&format!("joint {joint}"), name, 1),
            None => words,
        },
        _ => words,
    }
}
