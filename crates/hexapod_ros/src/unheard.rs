//! Warnings of who sends what a node cannot hear.

use crate::graph::Graph;
use crate::node::RosNode;

/// Looks who sends a node what it cannot hear, and logs who is new.
pub struct Unheard {
    graph: Graph,
    node: String,
    told: Vec<String>,
}

impl Unheard {
    /// Of `node`, with what it has subscribed to by the time of each look.
    #[must_use]
    pub fn new(node: &RosNode) -> Self {
        Self { graph: node.graph(), node: node.name().into(), told: vec![] }
    }

    /// What is sent and not heard now, in words. The middleware is asked about each topic: not for every message.
    pub fn look(&mut self) -> Vec<String> {
        let missed = self.graph.unheard();
        for words in missed.iter().filter(|words| !self.told.contains(words)) {
            tracing::warn!(node = self.node.as_str(), "{words}");
        }
        self.told.clone_from(&missed);
        missed
    }
}
