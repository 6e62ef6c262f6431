//! What the node publishes: `servo_states`, what the servos' board measures, and diagnostics.

use crate::battery::Battery;
use crate::feedback;
use crate::foot_switches::FootSwitches;
use crate::front::Front;
use crate::io_thread::{IoEnd, IoThread};
use crate::journal::Journal;
use crate::load::LoadFeedback;
use crate::planner_calls::PlannerCalls;
use crate::report::{Report, words};
use crate::snapshot::Snapshot;
use crate::targets::IntakeCount;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::{
    Diagnostics, Graph, Headers, Lateness, RosClock, RosError, RosNode, Sender, SharedPublisher, Unheard, warn_if_lost,
};
use hexapod_servo::serial::Pace;
use hexapod_servo::{Counters, State};
use rtrb::Consumer;
use std::sync::Arc;
use std::time::Duration;

/// An I/O thread that was silent for longer hangs in a transaction.
const HUNG_AFTER: Duration = Duration::from_millis(150);
const DIAGNOSE_EVERY: Duration = Duration::from_secs(1);
/// The death of a guard is reported for so long.
const GUARD_DIED: Duration = Duration::from_secs(5);
/// A source that was refused this long ago still counts as there.
const CONFLICT: Duration = Duration::from_millis(1500);
/// Without commands for this long, the clock alone decides when states are published.
const LULL: Duration = Duration::from_millis(100);

/// The publishers, and what they published last.
pub(crate) struct Teller {
    states: SharedPublisher<JointState>,
    /// Where servos measure it.
    battery: Option<Battery>,
    /// Where feet have switches that the servos' board reads.
    switches: Option<FootSwitches>,
    pace: Option<Pace>,
    diagnostics: Diagnostics,
    clock: RosClock,
    joints: Vec<String>,
    load: Option<LoadFeedback>,
    /// How the pins are reached.
    pins: String,
    snapshots: Consumer<Snapshot>,
    intake: Arc<IntakeCount>,
    newest: Option<Snapshot>,
    /// The servos have been on.
    was_live: bool,
    /// The last states published.
    message: JointState,
    lateness: Lateness,
    /// The longest transaction of each tick.
    latency: Lateness,
    planner: PlannerCalls,
    graph: Graph,
    journal: Journal,
    unheard: Unheard,
    headers: Headers,
    /// When the guard of this process was last found dead, and how often.
    guard_died: Option<Duration>,
    guard_restarts: u64,
    /// When the first snapshot was waited for.
    since: Duration,
    state_period: Duration,
    next_state: Duration,
    /// When commands last brought states along.
    commanded: Duration,
    diagnosed: Diagnosed,
}

/// What the last periodic status covered, and what the last status of any kind said.
struct Diagnosed {
    at: Duration,
    counters: Counters,
    refused: u64,
    busy: Duration,
    condition: Option<(State, bool)>,
}

/// Where a teller gets what it tells.
pub(crate) struct Sources {
    pub joints: Vec<String>,
    pub snapshots: Consumer<Snapshot>,
    pub intake: Arc<IntakeCount>,
    pub state_rate_hz: f64,
    pub front: Front,
    pub base_link: String,
    pub load: Option<LoadFeedback>,
    /// How often servos that measure get goals and are read.
    pub pace: Option<Pace>,
    /// Whether volts and amperes are measured.
    pub measures_supply: bool,
    /// How the pins are reached.
    pub pins: String,
    /// The legs that have a switch which the servos' board reads.
    pub legs_with_switches: Vec<String>,
}

impl Teller {
    pub fn new(node: &mut RosNode, hardware_id: &str, sources: Sources, now: Duration) -> Result<Self, RosError> {
        let clock = node.clock()?;
        let states = node.shared_publisher("servo_states", QosProfile::default().keep_last(10).reliable())?;
        let diagnostics = Diagnostics::new(node, hardware_id, clock.clone())?;
        let battery = sources.measures_supply.then(|| Battery::open(node, now)).transpose()?;
        let legs = &sources.legs_with_switches;
        let switches = (!legs.is_empty()).then(|| FootSwitches::open(node, legs)).transpose()?;
        Ok(Self {
            states,
            battery,
            switches,
            pace: sources.pace,
            diagnostics,
            clock: clock.clone(),
            joints: sources.joints,
            load: sources.load,
            pins: sources.pins,
            snapshots: sources.snapshots,
            intake: sources.intake,
            newest: None,
            was_live: false,
            message: JointState::default(),
            lateness: Lateness::default(),
            latency: Lateness::default(),
            planner: PlannerCalls::open(node)?,
            graph: node.graph(),
            journal: Journal::new(sources.front, node.graph()),
            unheard: Unheard::new(node),
            headers: Headers::new(node.name(), clock.clone(), &sources.base_link),
            guard_died: None,
            guard_restarts: 0,
            since: now,
            state_period: Duration::from_secs_f64(1.0 / sources.state_rate_hz),
            next_state: now,
            commanded: Duration::ZERO,
            diagnosed: Diagnosed {
                at: now,
                counters: Counters::default(),
                refused: 0,
                busy: Duration::ZERO,
                condition: None,
            },
        })
    }

    /// What the planner is asked for.
    pub fn planner(&mut self) -> &mut PlannerCalls {
        &mut self.planner
    }

    /// Where headers of what comes in are looked at.
    pub fn headers(&self) -> Headers {
        self.headers.clone()
    }

    /// The newest snapshot.
    pub fn newest(&self) -> Option<&Snapshot> {
        self.newest.as_ref()
    }

    /// Tells the states that are due with commands that came in at `now`. The I/O thread has mostly answered to those by
    /// then, and the thread that brought them is awake: that spares another one its wake-up each time.
    pub fn tell_with_commands(&mut self, now: Duration) {
        self.commanded = now;
        // Commands fall a little before or after their time.
        self.tell_states_if_due(now, self.state_period / 4);
    }

    /// Tells what else is due at `now`; returns when to look again.
    pub fn tell(&mut self, now: Duration, io: &IoThread) -> Duration {
        self.drain();
        if let Some(newest) = &self.newest {
            self.planner.ask_to_sit(newest, now);
        }
        self.keep_planner_frozen(now);
        if now >= self.commanded + LULL {
            self.tell_states_if_due(now, Duration::ZERO);
        }
        let condition = self.newest.map(|newest| (newest.state, self.hung(now).is_some()));
        let periodic = now >= self.diagnosed.at + DIAGNOSE_EVERY;
        if let (Some(battery), Some(newest)) = (&mut self.battery, &self.newest) {
            battery.tell(&newest.supply(), now, to_stamp(self.clock.now()));
        }
        if periodic || condition != self.diagnosed.condition {
            self.diagnosed.condition = condition;
            self.diagnose(now, io, periodic, None);
        }
        let states = self.next_state.max(self.commanded + LULL);
        states.min(self.diagnosed.at + DIAGNOSE_EVERY).min(self.hangs_at(now))
    }

    fn tell_states_if_due(&mut self, now: Duration, early: Duration) {
        if now + early >= self.next_state {
            self.drain();
            // Before the states, in which the planner sees only that the servos are released.
            self.keep_planner_frozen(now);
            self.tell_states(now);
            if let Some(switches) = &mut self.switches {
                switches.publish_new(self.newest.and_then(|newest| newest.feet));
            }
            self.next_state = (self.next_state + self.state_period).max(now);
        }
    }

    fn keep_planner_frozen(&mut self, now: Duration) {
        // Twice: then it is a fault for sure, once the bus is back.
        let hangs = self.hung(now).is_some_and(|silent| silent > 2 * HUNG_AFTER);
        let frozen = self.newest.is_some_and(|newest| is_deaf(newest.state, hangs, self.was_live));
        self.planner.keep_frozen(frozen, now);
    }

    /// Tells how it ended: `failed` says what did not end in order.
    pub fn tell_last(&mut self, now: Duration, io: &IoThread, failed: Option<&IoEnd>) {
        self.drain();
        if let (None | Some(IoEnd::Panicked(_)), Some(newest)) = (failed, &mut self.newest) {
            newest.switched_off();
        }
        match failed {
            Some(end) => tracing::error!("{end}"),
            None => tracing::info!("all channels are off"),
        }
        self.tell_states(now);
        self.diagnose(now, io, false, failed);
    }

    fn drain(&mut self) {
        while let Ok(snapshot) = self.snapshots.pop() {
            self.lateness.record(snapshot.late);
            self.lateness.overruns += snapshot.missed;
            if !snapshot.bus.longest.is_zero() {
                self.latency.record(snapshot.bus.longest);
            }
            let fault = || snapshot.fault.map_or("no reason known".into(), |fault| words(fault, &self.joints));
            self.journal.take(&snapshot, fault);
            self.was_live |= snapshot.state.is_live();
            self.newest = Some(snapshot);
        }
    }

    /// When the I/O thread was last heard.
    fn heard(&self) -> Duration {
        self.newest.map_or(self.since, |newest| newest.at)
    }

    /// How long the I/O thread has been silent, if that is too long.
    pub fn hung(&self, now: Duration) -> Option<Duration> {
        Some(now.saturating_sub(self.heard())).filter(|&silent| silent > HUNG_AFTER)
    }

    /// When its silence will have been too long; once it is, the next diagnostics tell.
    fn hangs_at(&self, now: Duration) -> Duration {
        let at = self.heard() + HUNG_AFTER + Duration::from_millis(1);
        if at > now { at } else { Duration::MAX }
    }

    /// When the boards got their pulses, so that positions and stamps belong together however late this
    /// thread comes; simulated time has no finer grain than `/clock`.
    fn reported_at(&self, now: Duration) -> Duration {
        let age = self.newest.map_or(Duration::ZERO, |newest| now.saturating_sub(newest.at));
        match self.clock {
            RosClock::System => self.clock.now().saturating_sub(age),
            _ => self.clock.now(),
        }
    }

    fn tell_states(&mut self, now: Duration) {
        let reported = |joint: usize| self.newest.as_ref().and_then(|newest| newest.commanded(joint));
        let reported = || self.joints.iter().enumerate().filter_map(|(joint, name)| Some((name, reported(joint)?)));
        // Names are copied anew only when other servos get pulses than before.
        if !reported().map(|(name, _)| name).eq(&self.message.name) {
            self.message.name = reported().map(|(name, _)| name.clone()).collect();
        }
        self.message.position.clear();
        self.message.position.extend(reported().map(|(_, angle_rad)| angle_rad));
        if let (Some(_), Some(newest)) = (&self.battery, &self.newest) {
            feedback::fill(&mut self.message, newest);
        }
        let stamp = self.reported_at(now);
        self.message.header.stamp = to_stamp(stamp);
        if let Some(load) = &mut self.load {
            load.fill(&mut self.message, stamp);
        }
        warn_if_lost(self.states.publish(&self.message));
    }

    fn diagnose(&mut self, now: Duration, io: &IoThread, periodic: bool, failed: Option<&IoEnd>) {
        let unheard = if periodic { self.unheard.look() } else { vec![] };
        let report = Report {
            newest: self.newest.as_ref(),
            before: self.diagnosed.counters,
            refused_before: self.diagnosed.refused,
            intake: &self.intake,
            lateness: &self.lateness,
            latency: &self.latency,
            busy: self.newest.map(|newest| newest.bus.busy.saturating_sub(self.diagnosed.busy)).unwrap_or_default(),
            joints: &self.joints,
            pace: self.pace,
            seconds: now.saturating_sub(self.diagnosed.at).as_secs_f64().max(1e-3),
            hung: self.hung(now).filter(|_| failed.is_none()),
            failed,
            granted: io.granted(),
            conflict: self.conflict(now),
            guard_died: self.guard_died.is_some_and(|at| now.saturating_sub(at) <= GUARD_DIED),
            guard_restarts: self.guard_restarts,
            unheard,
            now,
        };
        let mut status = report.status();
        self.headers.report(&mut status);
        status.value("pins", &self.pins);
        self.diagnostics.publish(status);
        if periodic {
            self.diagnosed.at = now;
            self.diagnosed.counters = self.newest.map(|newest| newest.counters).unwrap_or_default();
            self.diagnosed.refused = self.intake.refused();
            self.diagnosed.busy = self.newest.map(|newest| newest.bus.busy).unwrap_or_default();
            (self.lateness, self.latency) = <_>::default();
        }
    }

    /// Notes that the guard of this process was found dead.
    pub fn guard_died(&mut self, now: Duration) {
        self.guard_died = Some(now);
        self.guard_restarts += 1;
    }

    /// The two who want the same joints, by name, if they did a moment ago.
    fn conflict(&self, now: Duration) -> Option<(String, String, String)> {
        let conflict = self.intake.last_conflict().filter(|conflict| now.saturating_sub(conflict.at) <= CONFLICT)?;
        let name = |sender: Sender| self.graph.name_of(sender).unwrap_or_else(|| "an unknown node".into());
        let joint = self.joints.get(conflict.joint).cloned().unwrap_or_default();
        Some((joint, name(conflict.owner), name(conflict.refused)))
    }
}

/// Whether the driver carries out no commands, so that the planner is to move nothing. Before the first `enable` it may: then
/// it is tried without servos.
fn is_deaf(state: State, hangs: bool, was_live: bool) -> bool {
    match state {
        State::EmergencyStop | State::Fault => true,
        State::Disarmed => was_live,
        State::Arming | State::Armed | State::Holding | State::Retiring => hangs,
    }
}
