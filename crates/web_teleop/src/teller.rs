//! What clients are sent: each thing is put into words once, whoever reads it.

use crate::clients::Clients;
use crate::fleet::Others;
use crate::heard::Heard;
use crate::input::Input;
use crate::intents::ClientId;
use crate::out::Down;
use crate::params::Setup;
use crate::protocol::{self, Events, FullStick, Health, Lease, Recording, RobotNames, StopReport, Welcome, text};
use crate::subscriptions::Subscriptions;
use hexapod_ros::Graph;
use std::sync::mpsc::Sender;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// How often the health is sent, at least; and at most, where it changes.
const HEALTH_EVERY: Duration = Duration::from_secs(1);
const HEALTH_AT_MOST: Duration = Duration::from_millis(300);

pub(crate) struct Teller {
    pub clients: Clients,
    pub subscriptions: Subscriptions,
    pub others: Others,
    graph: Graph,
    states: watch::Sender<Utf8Bytes>,
    namespace: String,
    names: RobotNames,
    stop: Option<StopReport>,
    recording: Recording,
    /// Lines of the log that were sent.
    events: u64,
    /// When the health was sent, and how many changes there had been.
    health: (Duration, u64),
    /// When the next state is due.
    pub next: Duration,
}

impl Teller {
    pub fn new(
        (subscriptions, graph, others): (Subscriptions, Graph, Others),
        namespace: String,
        states: watch::Sender<Utf8Bytes>,
    ) -> Self {
        Self {
            clients: Clients::default(),
            subscriptions,
            others,
            graph,
            states,
            namespace,
            names: RobotNames::default(),
            stop: None,
            recording: Recording::default(),
            events: 0,
            health: (Duration::ZERO, 0),
            next: Duration::ZERO,
        }
    }

    pub fn heard(&self) -> MutexGuard<'_, Heard> {
        self.subscriptions.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a new client all that there is.
    pub fn welcome(&mut self, id: ClientId, setup: &Setup, stop: &StopReport, now: Duration) {
        let (linear, angular) = setup.full_stick;
        let name = self
            .subscriptions
            .shared_description
            .description()
            .map(|description| description.robot)
            .unwrap_or_default();
        let welcome = text(&Welcome {
            version: protocol::VERSION,
            id,
            name: &name,
            namespace: &self.namespace,
            dead_man: setup.dead_man.as_secs_f64(),
            full_stick: FullStick { linear, angular },
            state_rate: (1.0 / setup.state_period.as_secs_f64()).round(),
            max_clients: setup.max_clients,
        });
        let events = self.heard().events_after(0).0;
        let health = text(&self.health_now(now));
        let recording = text(&self.subscriptions.recorder.reported(now));
        let fleet = text(self.others.reported());
        let rest = [text(&self.names), health, text(stop), recording, fleet, text(&Events { events: &events })];
        self.clients.to(id, |out| {
            out.send(Down::Welcome(welcome.into()));
            rest.into_iter().for_each(|message| out.send(Down::Text(message.into())));
        });
    }

    /// Tells the state `number`, and what has changed with it.
    pub fn state(&mut self, number: u64, now: Duration) {
        let (names, state) = {
            let heard = self.heard();
            (heard.names(), heard.state(now))
        };
        self.name(RobotNames { description: self.subscriptions.shared_description.tag(), ..names });
        let state = protocol::State { n: number, revision: self.names.revision, ..state };
        self.states.send_replace(text(&state).into());
    }

    /// Tells the names where they have changed.
    fn name(&mut self, names: RobotNames) {
        let names = RobotNames { revision: self.names.revision, ..names };
        if names != self.names {
            self.names = RobotNames { revision: names.revision + 1, ..names };
            self.clients.tell(text(&self.names));
        }
    }

    /// Tells what comes now and then: lines of the log, the health, how far a recording is, other robots.
    pub fn rest(&mut self, now: Duration) {
        let (events, reported, changes) = {
            let heard = self.heard();
            let (events, reported) = heard.events_after(self.events);
            (events, reported, heard.changes)
        };
        self.events = reported;
        if !events.is_empty() {
            self.clients.tell(text(&Events { events: &events }));
        }
        let (since, before) = (now.saturating_sub(self.health.0), self.health.1);
        if since >= HEALTH_EVERY || (changes != before && since >= HEALTH_AT_MOST) {
            self.health = (now, changes);
            self.clients.tell(text(&self.health_now(now)));
            self.recording(now);
        }
        if let Some(news) = self.others.news(now) {
            self.clients.tell(text(news));
        }
    }

    fn health_now(&self, now: Duration) -> Health {
        let camera = self.subscriptions.shared_description.picture(now).is_some();
        let map = format!("{}/elevation", self.namespace.trim_end_matches('/'));
        let elevation = !self.graph.senders(&map).is_empty();
        Health { camera, elevation, ..self.heard().health(now) }
    }

    /// Tells how far the recording is, where that has changed.
    pub fn recording(&mut self, now: Duration) {
        let recording = self.subscriptions.recorder.reported(now);
        if recording != self.recording {
            self.clients.tell(text(&recording));
            self.recording = recording;
        }
    }

    /// Begins to stop all other robots, and answers whoever asked for it.
    pub fn stop_others(&mut self, (client, ask): (ClientId, u64), inbox: Sender<Input>) {
        match self.others.stop(inbox) {
            Ok(()) => self.clients.answer(client, ask, "ok", ""),
            Err(error) => self.clients.answer(client, ask, "service", &format!("other robots: {error}")),
        }
    }

    /// Tells who drives, and who is there.
    pub fn lease(
        &self,
        driver: Option<ClientId>,
        (change, by, from): (&'static str, Option<ClientId>, Option<ClientId>),
    ) {
        self.clients.tell(text(&Lease { driver, clients: self.clients.list(), change, by, from }));
    }

    /// Tells what became of a stop, where that has changed. True if it has.
    pub fn has_news_of(&mut self, stop: &StopReport) -> bool {
        let is_news = self.stop.as_ref() != Some(stop);
        self.stop = Some(stop.clone());
        is_news
    }
}
