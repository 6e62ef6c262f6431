//! The thread between clients and robot: what clients send goes through the [`DriveLease`], what that orders is published,
//! and news of the robot is passed on. The network cannot hold it up, nor can it hold up the control loop.

use crate::calls::Calls;
use crate::drive_lease::DriveLease;
use crate::input::Input;
use crate::intents::{ClientId, Intent, Order, Refusal, Stop, Want};
use crate::listening::Listening;
use crate::out::Down;
use crate::params::Setup;
use crate::protocol::{self, Ask, Close, Incoming, Service};
use crate::publishers::Publishers;
use crate::report::{Counts, Report};
use crate::stops::Stops;
use crate::teller::Teller;
use hexapod_ros::bounds::reason;
use hexapod_ros::{LaneOpener, monotonic_now};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

pub(crate) struct Bridge {
    setup: Setup,
    drive_lease: DriveLease,
    stops: Stops,
    teller: Teller,
    publishers: Publishers,
    listening: Listening,
    calls: Calls,
    inbox: Sender<Input>,
    report: Report,
    refused: u64,
    stopped: u64,
}

impl Bridge {
    pub fn new(
        setup: Setup,
        (teller, publishers, report): (Teller, Publishers, Report),
        opener: LaneOpener,
        inbox: Sender<Input>,
    ) -> Self {
        Self {
            drive_lease: DriveLease::new(setup.dead_man),
            setup,
            stops: Stops::default(),
            teller,
            publishers,
            listening: Listening::new(opener),
            calls: Calls::default(),
            inbox,
            report,
            refused: 0,
            stopped: 0,
        }
    }

    /// Works until the node ends.
    pub fn work(mut self, inputs: &Receiver<Input>) {
        loop {
            let now = monotonic_now();
            let input = inputs.recv_timeout(self.next(now).saturating_sub(now));
            let now = monotonic_now();
            let input = match input {
                Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => break,
                input => input.ok(),
            };
            self.survive(|bridge| {
                let _ = input.map(|input| bridge.take(input, now));
                bridge.tick(now);
            });
        }
        self.teller.clients.each(|out| out.send(Down::Close(Close::Leaving)));
        self.teller.subscriptions.recorder.stop(monotonic_now());
    }

    /// One step. What a defect makes fail ends with its step: stops have to be taken afterwards, too.
    fn survive(&mut self, step: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| step(self))).is_err() {
            tracing::error!("web_teleop: internal error, request dropped; please report this with the lines before it");
        }
    }

    /// When there is something to do without an input.
    fn next(&self, now: Duration) -> Duration {
        let state = (!self.teller.clients.is_empty()).then_some(self.teller.next);
        let lane = if self.is_listened_for() { None } else { self.listening.ends() };
        let due = [self.drive_lease.next(), self.stops.next(now), state, lane, self.calls.next()];
        due.into_iter().flatten().fold(self.report.next(), Duration::min)
    }

    /// Whether somebody wants to hear of the robot.
    fn is_listened_for(&self) -> bool {
        !self.teller.clients.is_empty() || self.teller.subscriptions.recorder.is_on()
    }

    fn tick(&mut self, now: Duration) {
        let mut orders = vec![];
        self.drive_lease.tick(now, &mut orders);
        self.carry_out(&orders);
        while let Some((stop, number)) = self.stops.repeat(now) {
            self.call_stop(stop, number);
        }
        if self.stops.is_unanswered(now) {
            tracing::error!("nobody answers the stop: cut the power");
            self.tell_stop(now);
        }
        self.publishers.tick();
        self.forget_calls(now);
        if !self.teller.clients.is_empty() && now >= self.teller.next {
            let enabled = self
                .teller
                .heard()
                .live()
                .is_some_and(|(at, is_live)| is_live && self.drive_lease.reported_live(at, now));
            if enabled {
                self.tell_stop(now);
            }
            self.show(now);
            self.teller.rest(now);
        }
        self.report(now);
        self.listening.follow(&self.teller.subscriptions, self.is_listened_for(), now);
    }

    fn report(&mut self, now: Duration) {
        let driver = self.drive_lease.driver();
        let counts = Counts {
            clients: self.teller.clients.list().len(),
            most_clients: self.setup.max_clients,
            driver: driver.map(|id| self.teller.clients.name(id).unwrap_or_default().to_owned()).unwrap_or_default(),
            refused: self.refused,
            stops: self.stopped,
            is_unanswered: self.stops.is_open_late(),
        };
        self.report.tell(&counts, now);
    }

    /// Tells a new state.
    fn show(&mut self, now: Duration) {
        let number = self.drive_lease.show(now);
        self.teller.state(number, now);
        self.teller.next = now + self.setup.state_period;
    }

    fn take(&mut self, input: Input, now: Duration) {
        match input {
            Input::Join { id, out } => self.teller.clients.join(id, out),
            Input::Leave { id } => self.leave(id, now),
            Input::Message { id, message, received } => self.message(id, message, received, now),
            Input::Bad { id, of, ask, message } => {
                self.teller.clients.refuse(id, (of, ask), ("bad_value", &message), now);
            }
            Input::Answered { call, success, message } => self.answered(call, success, &message, now),
            Input::StopAnswered { stop, success, message } => {
                let message = reason(&message).into_owned();
                if !success {
                    tracing::error!("the stop FAILED: {message}: cut the power");
                }
                if self.stops.answer(stop, success, message) {
                    self.tell_stop(now);
                }
            }
            Input::Fleet(outcomes) => self.teller.others.stopped(outcomes),
            Input::End => {}
        }
    }

    fn message(&mut self, id: ClientId, message: Incoming, received: Duration, now: Duration) {
        match message {
            Incoming::Stop(stop) => self.stop(id, stop, now),
            Incoming::Hello { version, name } => self.hello(id, version, name, now),
            Incoming::Move(motion, seen) => {
                let (hold, mut orders) = (self.drive_lease.hold(), vec![]);
                let done = self.drive_lease.drive(id, Intent { motion, seen, received }, now, &mut orders);
                self.carry_out(&orders);
                if let Err(refusal) = done {
                    self.refuse(id, ("drive", None), refusal, now);
                } else if self.drive_lease.hold() != hold {
                    self.tell_stop(now);
                }
            }
            Incoming::Pose(offset, seen) => {
                match self.drive_lease.may_pose(id).and_then(|()| self.drive_lease.is_fresh(seen, received)) {
                    Ok(()) => self.publishers.warn(self.publishers.pose(offset)),
                    Err(refusal) => self.refuse(id, ("pose", None), refusal, now),
                }
            }
            Incoming::Ask(ask, what) => self.ask(id, ask, what, received, now),
            // Answered where it came in.
            Incoming::Ping(_) => {}
        }
    }

    fn hello(&mut self, id: ClientId, version: u32, name: String, now: Duration) {
        let is_second = self.teller.clients.name(id).is_some();
        if is_second || version != protocol::VERSION {
            let close = if is_second { Close::BadMessage } else { Close::Version };
            return self.teller.clients.to(id, |out| out.send(Down::Close(close)));
        }
        tracing::info!("client {id} ({name}) is connected");
        if self.listening.begin(&self.teller.subscriptions) {
            self.teller.next = now;
        }
        // The first state it gets is one of now.
        self.show(now);
        self.teller.clients.welcome(id, name);
        let stop = self.stops.reported(self.drive_lease.hold());
        self.teller.welcome(id, &self.setup, &stop, now);
        self.tell_lease(("joined", Some(id), None), now);
    }

    fn leave(&mut self, id: ClientId, now: Duration) {
        let mut orders = vec![];
        let drove = self.drive_lease.leave(id, now, &mut orders);
        self.carry_out(&orders);
        let was_welcome = self.teller.clients.name(id).is_some();
        self.teller.clients.leave(id);
        self.calls.leave(id);
        if was_welcome {
            self.listening.alone(now);
            tracing::info!("client {id} has left{}", if drove { "; it was driving" } else { "" });
            self.tell_lease(if drove { ("lost", None, Some(id)) } else { ("left", Some(id), None) }, now);
        }
    }

    fn stop(&mut self, id: ClientId, stop: Stop, now: Duration) {
        let mut orders = vec![];
        self.stopped += 1;
        self.drive_lease.stop(stop, now, &mut orders);
        self.carry_out(&orders);
        let name = self.teller.clients.name(id).unwrap_or_default().to_owned();
        let number = self.stops.ask(stop, (id, &name), now);
        self.call_stop(stop, number);
        tracing::warn!("client {id} ({name}) stops the robot: {}", stop.name());
        self.tell_stop(now);
    }

    fn call_stop(&mut self, stop: Stop, number: u64) {
        let inbox = self.inbox.clone();
        let sent = self.publishers.stop(stop, move |success, message| {
            let _ = inbox.send(Input::StopAnswered { stop: number, success, message });
        });
        self.publishers.warn(sent);
    }

    fn ask(&mut self, id: ClientId, ask: u64, what: Ask, received: Duration, now: Duration) {
        if let Err(refusal) = self.drive_lease.may(id, &what, received) {
            return self.refuse(id, (what.name(), Some(ask)), refusal, now);
        }
        let sent = match what {
            Ask::Lease(want) => return self.lease(id, ask, want, now),
            Ask::Call(service, seen) => {
                return self.call((id, ask), service, self.drive_lease.knew(seen), now);
            }
            Ask::Record(on) => return self.record(id, ask, on, now),
            Ask::StopAll => {
                self.stop(id, Stop::Halt, now);
                return self.teller.stop_others((id, ask), self.inbox.clone());
            }
            Ask::Gait(name) => self.publishers.gait(&name),
            Ask::Motion(name, _) => self.publishers.motion(&name),
        };
        self.publishers.warn(sent);
        self.teller.clients.answer(id, ask, "ok", "");
    }

    fn lease(&mut self, id: ClientId, ask: u64, want: Want, now: Duration) {
        let (before, mut orders) = (self.drive_lease.driver(), vec![]);
        let changed = self.drive_lease.lease(id, want, now, &mut orders);
        self.carry_out(&orders);
        match changed {
            Err(refusal) => return self.refuse(id, ("lease", Some(ask)), refusal, now),
            Ok(false) => {}
            Ok(true) => {
                let (change, words) = protocol::lease_change(before, self.drive_lease.driver());
                tracing::info!("client {id} {words}");
                self.tell_lease((change, Some(id), before), now);
            }
        }
        self.teller.clients.answer(id, ask, "ok", "");
    }

    fn call(&mut self, of: (ClientId, u64), service: Service, knew: Duration, now: Duration) {
        let Some(number) = self.calls.begin(of, service, now) else {
            return self.teller.clients.answer(of.0, of.1, "service", "too many calls wait for their answers");
        };
        let inbox = self.inbox.clone();
        let sent = self.publishers.call(service, knew, move |success, message| {
            let _ = inbox.send(Input::Answered { call: number, success, message: message.into() });
        });
        self.publishers.warn(sent);
    }

    fn answered(&mut self, number: u64, success: bool, message: &str, now: Duration) {
        let Some(call) = self.calls.close(number) else { return };
        let (name, message) = (call.service.name(), reason(message));
        tracing::info!("{name} by client {}: {message}", call.client);
        self.teller.clients.answer(call.client, call.ask, if success { "ok" } else { "service" }, &message);
        if call.service == Service::Enable && success && self.drive_lease.enabled(now) {
            self.tell_stop(now);
        }
    }

    /// Answers the calls that no service has answered.
    fn forget_calls(&mut self, now: Duration) {
        for call in self.calls.late(now) {
            let words = format!("the robot does not answer `{}`", call.service.name());
            self.teller.clients.answer(call.client, call.ask, "no_answer", &words);
        }
    }

    fn record(&mut self, id: ClientId, ask: u64, on: bool, now: Duration) {
        let done = self.teller.subscriptions.record(on, now);
        match done {
            Ok(()) => self.teller.clients.answer(id, ask, "ok", ""),
            Err(error) => self.teller.clients.answer(id, ask, "service", &format!("no place for a recording: {error}")),
        }
        self.teller.recording(now);
    }

    /// Tells who drives; a new state goes before it, so that what a client then sends can say that it knew.
    fn tell_lease(&mut self, change: (&'static str, Option<ClientId>, Option<ClientId>), now: Duration) {
        self.show(now);
        self.teller.lease(self.drive_lease.driver(), change);
        self.tell_stop(now);
    }

    /// Tells what became of the last stop, where that has changed; a new state goes before it.
    fn tell_stop(&mut self, now: Duration) {
        let reported = self.stops.reported(self.drive_lease.hold());
        if self.teller.has_news_of(&reported) {
            self.show(now);
            self.teller.clients.tell(protocol::text(&reported));
        }
    }

    fn refuse(&mut self, id: ClientId, of: (&'static str, Option<u64>), refusal: Refusal, now: Duration) {
        self.refused += 1;
        self.teller.clients.refuse(id, of, (refusal.name(), refusal.words()), now);
    }

    /// Publishes what the lease orders.
    fn carry_out(&mut self, orders: &[Order]) {
        for order in orders {
            self.publishers.warn(self.publishers.carry_out(*order));
        }
    }
}
