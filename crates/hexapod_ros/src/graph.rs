//! Who else is there: senders and listeners of a topic, and the names behind what was received.

use crate::local::LocalTopics;
use crate::received::{Process, Sender};
use crate::subscriptions::Subscriptions;
use hexapod_rcl::{Endpoint, RclError};
use std::collections::HashMap;

/// What a node knows of the others, for any thread. Once the node is gone, nobody is there.
#[derive(Clone)]
pub struct Graph {
    graph: hexapod_rcl::Graph,
    local: Option<LocalTopics>,
    subscriptions: Subscriptions,
}

impl Graph {
    pub(crate) fn new(graph: hexapod_rcl::Graph, local: Option<LocalTopics>, subscriptions: Subscriptions) -> Self {
        Self { graph, local, subscriptions }
    }

    /// Who publishes `topic`.
    #[must_use]
    pub fn senders(&self, topic: &str) -> Vec<Endpoint> {
        self.graph.publishers(topic).unwrap_or_else(|error| unknown(topic, &error))
    }

    /// Who of `heard` still sends on `topic`. The graph is asked once, however many they are.
    #[must_use]
    pub fn present(&self, topic: &str, heard: &[Sender]) -> Present {
        let remote = self.senders(topic).into_iter().map(|endpoint| (Sender::Remote(endpoint.gid), endpoint.node));
        let local = heard.iter().filter(|sender| matches!(sender, Sender::Local(_)));
        let local = local.filter_map(|sender| Some((*sender, Some(self.name_of(*sender)?))));
        Present::of(remote.chain(local))
    }

    /// Who subscribes to `topic`.
    #[must_use]
    pub fn listeners(&self, topic: &str) -> Vec<Endpoint> {
        self.graph.subscriptions(topic).unwrap_or_else(|error| unknown(topic, &error))
    }

    /// The full names of all nodes, as in `/robot/gait_planner`; those of nodes that died without a farewell for some
    /// seconds more.
    #[must_use]
    pub fn nodes(&self) -> Vec<String> {
        self.graph.nodes().unwrap_or_else(|error| unknown("nodes", &error))
    }

    /// The processes that may call `service`; `None` if the middleware does not tell.
    #[must_use]
    pub fn callers(&self, service: &str) -> Option<Vec<Process>> {
        let callers = self.graph.callers(service).ok()?;
        Some(callers.into_iter().map(|gid| Sender::Remote(gid).process()).collect())
    }

    /// What is sent to the node's topics and not heard, because of its type or its QoS, in words.
    #[must_use]
    pub(crate) fn unheard(&self) -> Vec<String> {
        self.subscriptions.miss(|topic| self.senders(topic))
    }

    /// The full name of a sender's node, as in `/robot/gait_planner`, if the middleware knows it: it
    /// hears of a node's name a moment after its messages. For a remote one this looks through all topics: not for every
    /// message.
    #[must_use]
    pub fn name_of(&self, sender: Sender) -> Option<String> {
        match sender {
            Sender::Remote(gid) => self.graph.node_of(gid).ok().flatten(),
            Sender::Local(id) => self.local.as_ref()?.name_of(id),
        }
    }
}

/// Those who send on a topic, and their nodes' names as far as they are known, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Present(HashMap<Sender, Option<String>>);

impl Present {
    /// These.
    #[must_use]
    pub fn of(senders: impl IntoIterator<Item = (Sender, Option<String>)>) -> Self {
        Self(senders.into_iter().collect())
    }

    /// Whether `sender` sends no more. The middleware takes 20 s to miss one that was killed: it is gone, too, if it is silent,
    /// and one of those `speaking` is a node of its name in another process.
    #[must_use]
    pub fn lacks(&self, sender: Sender, silent: bool, speaking: &[Sender]) -> bool {
        let Some(node) = self.0.get(&sender) else { return true };
        let follows = |other: &Sender| other.process() != sender.process() && self.0.get(other) == Some(node);
        silent && node.is_some() && speaking.iter().any(follows)
    }
}

fn unknown<T>(what: &str, error: &RclError) -> Vec<T> {
    tracing::debug!("`{what}`: {error}");
    vec![]
}
