//! Who else is there: senders and listeners of a topic, and the names behind what was received.

use crate::local::LocalTopics;
use crate::received::Sender;
use hexapod_rcl::{Endpoint, RclError};

/// What a node knows of the others, for any thread. Once the node is gone, nobody is there.
#[derive(Clone)]
pub struct Graph {
    graph: hexapod_rcl::Graph,
    local: Option<LocalTopics>,
}

impl Graph {
    pub(crate) fn new(graph: hexapod_rcl::Graph, local: Option<LocalTopics>) -> Self {
        Self { graph, local }
    }

    /// Who publishes `topic`.
    #[must_use]
    pub fn senders(&self, topic: &str) -> Vec<Endpoint> {
        self.graph.publishers(topic).unwrap_or_else(|error| unknown(topic, &error))
    }

    /// Who subscribes to `topic`.
    #[must_use]
    pub fn listeners(&self, topic: &str) -> Vec<Endpoint> {
        self.graph.subscriptions(topic).unwrap_or_else(|error| unknown(topic, &error))
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

fn unknown(topic: &str, error: &RclError) -> Vec<Endpoint> {
    tracing::debug!("`{topic}`: {error}");
    vec![]
}
