//! What the I/O thread does: emergency stop first, then requests, targets, and the tick when it is due.

use crate::bus::Servos;
use crate::failsafe::{Cause, Reaction, Situation};
use crate::front::held_off;
use crate::io::Io;
use crate::off_at_end::OffAtEnd;
use crate::pins::{SharedPins, Steady};
use crate::planner::Pose;
use crate::requests::{Answer, Order};
use crate::schedule::Schedule;
use crate::snapshot::Snapshot;
use crate::stop::{By, Outcome, Stop, StopLine, Ticket};
use crate::stop_monitor::BOUNCE;
use crate::stoppable::Gate;
use crate::supply::{Supply, SupplyAlarm, SupplyWatch};
use hexapod_servo::{ServoDriver, State};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A battery alarm counts when it has lasted this long: all servos starting at once let the voltage sag.
const SAG: Duration = Duration::from_millis(500);
/// How often a bus that fails is clocked free.
const FREE_EVERY: Duration = Duration::from_millis(100);

/// The thread's loop.
pub struct Looping {
    guarded: OffAtEnd,
    gate: Gate,
    io: Io,
    schedule: Schedule,
    /// When the newest command that no tick has seen was received.
    commanded_at: Option<Duration>,
    /// Boards that were prepared have settled then.
    settled_at: Duration,
    state: State,
    stop_pin: Steady,
    battery_pin: Steady,
    supply: SupplyWatch,
    /// Why the robot sits down, if it does.
    alarm: Option<SupplyAlarm>,
    /// Errors of the bus that were seen, and when it was last clocked free.
    bus_errors: u64,
    freed_at: Option<Duration>,
}

impl Looping {
    /// What the thread of `io` does, to be done pass by pass. `open` puts the servos behind a gate.
    #[must_use]
    pub fn new(io: Io, open: impl FnOnce(&Gate) -> Servos, rate_hz: f64) -> Self {
        let (line, clock, gate) = (io.shared.line.clone(), io.clock.clone(), Gate::new(io.shared.line.clone()));
        let mut driver = ServoDriver::new(io.joints.clone(), open(&gate));
        driver.set_spare_parts(io.spare_parts);
        let (schedule, supply) = (Schedule::new(rate_hz, clock()), SupplyWatch::new(io.supply_limits));
        Self {
            guarded: OffAtEnd { driver, line, clock, tried: false },
            gate,
            io,
            schedule,
            commanded_at: None,
            settled_at: Duration::ZERO,
            state: State::Disarmed,
            stop_pin: Steady::new(BOUNCE),
            battery_pin: Steady::new(SAG),
            supply,
            alarm: None,
            bus_errors: 0,
            freed_at: None,
        }
    }

    /// Runs until it is asked to end; true if every board was seen to be off then.
    pub(crate) fn run(mut self) -> bool {
        while !self.io.shared.halt.load(Ordering::SeqCst) {
            let due = self.pass();
            let left = due.saturating_sub(self.now());
            if !left.is_zero() {
                std::thread::park_timeout(left);
            }
        }
        self.end()
    }

    /// Looks at all that has come in, stops first, and ticks if it is time; returns when to look again.
    pub fn pass(&mut self) -> Duration {
        self.line().liveness().come_round(self.now());
        self.inputs(self.now());
        let urgent = self.stops() | self.requests();
        self.targets();
        let now = self.now();
        let due = if urgent { now } else { self.schedule.due(self.commanded_at) }.max(self.settled_at);
        if now >= due {
            self.tick(now, due);
            return now;
        }
        // A button that was just pressed is looked at again as soon as that counts.
        if self.stop_pin.is_pending() { due.min(now + BOUNCE) } else { due }
    }

    /// The state the driver is in.
    pub fn state(&self) -> State {
        self.guarded.driver.state()
    }

    fn now(&self) -> Duration {
        (self.guarded.clock)()
    }

    /// The time now for the state machine: that of a simulation, where there is one. Ticks and stops go by the computer's.
    fn servo_time(&self) -> Duration {
        self.io.servo_time.at(self.now())
    }

    /// Switches everything off; true if every board was seen to be off.
    fn end(&mut self) -> bool {
        self.pins().enable_outputs(false);
        let off = self.guarded.switch_off();
        // What listeners see last.
        let now = self.now();
        self.tell(now, Duration::ZERO, 0);
        off
    }

    /// With the ring full the publishing thread is behind, and the next snapshot will do.
    fn tell(&mut self, now: Duration, late: Duration, missed: u64) {
        let (driver, timing) = (&self.guarded.driver, self.gate.take_timing());
        let _ = self.io.snapshots.push(Snapshot::take(driver, now, &self.io.servo_time, (late, missed), timing));
    }

    /// What asks for a stop besides those who call for one: the button, a heartbeat, the battery.
    fn inputs(&mut self, now: Duration) {
        let (pressed, supply) = (self.pins().stop_pressed(), self.supply(now));
        self.alarm = self.supply_alarm(&supply);
        let is_alarmed = self.battery_pin.sees(self.alarm.is_some(), now);
        self.supply.look(&supply, is_alarmed);
        self.guarded.driver.set_retiring(self.io.shared.planner.time_to_sit());
        let has_planner = self.io.shared.planner.pose() != Pose::Unknown;
        let battery = if has_planner { Cause::Battery } else { Cause::BatteryAlone };
        let lasting = [
            self.stop_pin.sees(pressed, now).then_some(Cause::Button),
            self.io.shared.heartbeats.cause(now).map(Cause::from),
            is_alarmed.then_some(battery),
        ];
        lasting.into_iter().flatten().for_each(|cause| self.react(cause, now));
        if self.io.shared.planner.pose() == Pose::Sitting {
            let now = self.servo_time();
            self.guarded.driver.sat_down(now);
        }
    }

    /// What is wrong with the supply, by the alarm's pin or by what the servos measure.
    fn supply_alarm(&self, supply: &Supply) -> Option<SupplyAlarm> {
        if self.pins().battery_low() { Some(SupplyAlarm::Battery) } else { self.supply.alarm(supply) }
    }

    /// What the servos measure, where it counts.
    fn supply(&self, now: Duration) -> Supply {
        if !self.supply.looks() {
            return Supply::default();
        }
        let (driver, now) = (&self.guarded.driver, self.io.servo_time.at(now));
        Supply::of((0..driver.joints().len()).map(|joint| driver.measured(joint, now)))
    }

    /// Does what the table says of something that lasts. Without a planner nobody can make the robot sit.
    fn react(&mut self, cause: Cause, now: Duration) {
        let reason = self.alarm.as_ref().map_or("the battery is low", SupplyAlarm::reason);
        match cause.reaction(Situation::In(self.state())) {
            Reaction::Latch => {
                self.line().emergency_stop(By::from(cause), now);
            }
            Reaction::Sit => {
                let now = self.servo_time();
                self.guarded.driver.retire(now, reason);
            }
            Reaction::Fault => self.guarded.driver.trip(reason),
            Reaction::Nothing | Reaction::Off | Reaction::Cut | Reaction::Hold => {}
        }
    }

    fn line(&self) -> &StopLine {
        &self.guarded.line
    }

    fn pins(&self) -> &SharedPins {
        self.line().pins()
    }

    /// Why the servos may not be switched on, whatever the boards say.
    fn forbidden(&mut self, now: Duration) -> Option<String> {
        if let Some(stopped) = held_off(self.line(), &self.io.shared.heartbeats, now, None) {
            return Some(stopped);
        }
        if let Some(alarm) = self.supply_alarm(&self.supply(now)) {
            return Some(alarm.refusal(|joint| self.guarded.driver.joints()[joint].name.clone()));
        }
        match self.io.shared.planner.pose() {
            Pose::Unknown | Pose::Sitting | Pose::Standing => {}
            // A planner that fell silent in mid-stride cannot answer `stop`: the check of the commands reports the silence.
            Pose::Moving if !self.guarded.driver.is_commanded(self.io.servo_time.at(now)) => {}
            Pose::Moving => return Some("FAILED planner: the robot is moving; call stop or sit first".into()),
            Pose::Fault => {
                return Some("FAILED planner: it reports a fault; its services and /diagnostics say why".into());
            }
        }
        let silent = self.line().liveness().misses_guard(now);
        let missing = self.io.guard.as_mut().and_then(|guard| guard.missing(silent));
        missing.map(|reason| format!("FAILED guard: {reason}"))
    }

    /// Every stop since the last pass, ahead of anything else. Pulses have not passed since it was asked for.
    fn stops(&mut self) -> bool {
        let Some((kind, number)) = self.line().take() else { return false };
        // Again: the stop may have come between an enable and its release.
        self.pins().cut();
        let acknowledged = match kind {
            Stop::Emergency => self.guarded.driver.emergency_stop().is_ok(),
            Stop::Off => {
                self.guarded.driver.disable();
                true
            }
        };
        let latched = matches!(self.state(), State::Fault | State::EmergencyStop);
        self.line().done(number, Outcome { acknowledged, latched });
        self.io.shared.listener.wake();
        true
    }

    fn requests(&mut self) -> bool {
        let mut any = false;
        while let Ok(request) = self.io.requests.pop() {
            if !request.claim.begin() {
                continue;
            }
            any = true;
            let before = self.state();
            let answer = match request.order {
                Order::Enable(ticket) => self.enable(ticket).waiting(self.io.servo_time.is_paused()),
                Order::Relax { group, relaxed } => self.relax(group, relaxed),
            };
            let heard = request.reply.try_send(answer).is_ok() && request.claim.finish();
            // Nobody waits any more: they were answered that nothing was switched on. What was on before stays so.
            if !heard && matches!(request.order, Order::Enable(_)) && !before.is_live() {
                self.guarded.driver.disable();
            }
            self.io.shared.listener.wake();
        }
        any
    }

    fn enable(&mut self, ticket: Ticket) -> Answer {
        if let Err(void) = self.line().check(ticket) {
            return Answer::refused(void.to_string());
        }
        let now = self.now();
        // A hang that has only just ended is a fault first: else pulses were "on already" that go with the next tick.
        if self.state().is_live() {
            let now = self.servo_time();
            self.guarded.driver.tick(now);
        }
        let before = self.state();
        if before.is_live() {
            return self.bring_back(before);
        }
        if let Some(message) = self.forbidden(now) {
            return Answer::refused(message);
        }
        // Commands that came in with the request count for its checks.
        self.targets();
        let report = self.guarded.driver.enable(self.servo_time());
        self.settled_at = self.now() + self.guarded.driver.settle();
        if !report.passed() {
            return Answer::refused(report.to_string());
        }
        self.gate.permit(ticket);
        match self.line().release(ticket) {
            Ok(()) => Answer::done(report.to_string()),
            Err(void) => {
                self.guarded.driver.disable();
                Answer::refused(void.to_string())
            }
        }
    }

    /// Enabled once more while live: joints that were let go, because nobody commanded them, come back slowly.
    fn bring_back(&mut self, before: State) -> Answer {
        let back = self.guarded.driver.released_count();
        self.guarded.driver.enable(self.servo_time());
        match back {
            0 => Answer::done(format!("pulses are already on: {before}")),
            _ => Answer::done(format!("pulses are already on: {before}; {back} released joints come back slowly")),
        }
    }

    fn relax(&mut self, group: usize, relaxed: bool) -> Answer {
        match (self.guarded.driver.relax(group, relaxed), relaxed) {
            (true, true) => Answer::done("relaxed"),
            (true, false) => Answer::done("switching on again, slowly"),
            (false, _) => Answer::refused(format!("pulses are off: {}", self.state())),
        }
    }

    fn targets(&mut self) {
        let Io { targets, servo_time, .. } = &mut self.io;
        for message in targets.drain() {
            for (joint, target) in message.iter() {
                // Refused targets are counted by the driver; messages were checked before they came here.
                let _ = self.guarded.driver.set_target(servo_time.at(target.at), joint, target.angle_rad);
                self.commanded_at = self.commanded_at.max(Some(target.at));
            }
        }
    }

    /// A board that was held up in mid-transfer holds the bus low for good: clocks end that transfer.
    fn free_bus(&mut self, now: Duration) {
        let errors = self.guarded.driver.counters().wire.bus_errors;
        let failing = std::mem::replace(&mut self.bus_errors, errors) != errors;
        if failing && self.freed_at.is_none_or(|at| now.saturating_sub(at) >= FREE_EVERY) {
            self.freed_at = Some(now);
            self.pins().free_bus();
        }
    }

    fn tick(&mut self, now: Duration, due: Duration) {
        self.guarded.driver.keep(self.io.shared.silent.kept(now));
        let state = self.guarded.driver.tick(self.io.servo_time.tick(now));
        self.free_bus(now);
        // At the end of a fault also a board that answers no more is to be silent.
        self.pins().enable_outputs((state.is_live() || state == State::Fault) && self.guarded.driver.puts_out());
        if !state.is_live() && state != State::Fault {
            self.gate.revoke();
        }
        self.commanded_at = None;
        let missed = self.schedule.ticked(now, due);
        self.tell(now, now.saturating_sub(due), missed);
        if state != self.state {
            self.state = state;
            self.io.shared.listener.wake();
        }
    }
}
