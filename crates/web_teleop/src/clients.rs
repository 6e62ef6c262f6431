//! The clients that are connected, and what each is sent.

use crate::intents::ClientId;
use crate::out::{Down, Out};
use crate::protocol::{Answer, Client, Refused, text};
use hexapod_ros::bounds::Burst;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Refusals without a number a client hears of, at once and per second.
const REFUSALS: u32 = 2;

/// A client.
struct ConnectedClient {
    /// Once it has said hello.
    name: Option<String>,
    out: Out,
    refusals: Burst,
}

/// All clients. As many as the server lets in.
#[derive(Default)]
pub(crate) struct Clients(BTreeMap<ClientId, ConnectedClient>);

impl Clients {
    pub fn join(&mut self, id: ClientId, out: Out) {
        self.0.insert(id, ConnectedClient { name: None, out, refusals: Burst::new(REFUSALS, REFUSALS) });
    }

    pub fn leave(&mut self, id: ClientId) {
        self.0.remove(&id);
    }

    /// Takes down a client's name.
    pub fn welcome(&mut self, id: ClientId, name: String) {
        if let Some(client) = self.0.get_mut(&id) {
            client.name = Some(name);
        }
    }

    /// Whether nobody has said hello.
    pub fn is_empty(&self) -> bool {
        self.0.values().all(|client| client.name.is_none())
    }

    /// The name of a client that has said hello.
    pub fn name(&self, id: ClientId) -> Option<&str> {
        self.0.get(&id)?.name.as_deref()
    }

    /// Those that have said hello.
    pub fn list(&self) -> Vec<Client> {
        let named = self.0.iter().filter_map(|(id, client)| client.name.clone().map(|name| Client { id: *id, name }));
        named.collect()
    }

    /// Does something for one client, if it is there.
    pub fn to(&self, id: ClientId, send: impl FnOnce(&Out)) {
        if let Some(client) = self.0.get(&id) {
            send(&client.out);
        }
    }

    /// Does something for each.
    pub fn each(&self, send: impl Fn(&Out)) {
        self.0.values().for_each(|client| send(&client.out));
    }

    /// Tells everybody that has said hello.
    pub fn tell(&self, text: String) {
        let text = Utf8Bytes::from(text);
        self.0.values().filter(|client| client.name.is_some()).for_each(|client| client.out.text(&text));
    }

    /// Answers what has a number.
    pub fn answer(&self, id: ClientId, ask: u64, reason: &'static str, message: &str) {
        let answer = text(&Answer { id: ask, ok: reason == "ok", reason, message });
        self.to(id, |out| out.send(Down::Text(answer.into())));
    }

    /// Tells a client that something was not done: an answer where it has a number, else not too often.
    pub fn refuse(
        &mut self,
        id: ClientId,
        (of, ask): (&'static str, Option<u64>),
        (reason, message): (&'static str, &str),
        now: Duration,
    ) {
        if let Some(ask) = ask {
            return self.answer(id, ask, reason, message);
        }
        let Some(client) = self.0.get_mut(&id) else { return };
        if client.refusals.admit(now) {
            client.out.send(Down::Text(text(&Refused { of, reason, message }).into()));
        }
    }
}
