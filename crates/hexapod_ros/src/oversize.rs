//! Messages that are refused for their size, before they are unpacked: counted, and told in the log.

use crate::bounds::RateLimited;
use crate::pacer::monotonic_now;
use hexapod_rcl::{Gid, Graph, RclError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many messages to a node were refused for their size; clones count together, from any thread.
#[derive(Clone, Default)]
pub(crate) struct Oversized(Arc<AtomicU64>);

impl Oversized {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Tells of the refusals on one topic.
pub(crate) struct Refusals {
    topic: String,
    graph: Graph,
    oversized: Oversized,
    lines: RateLimited,
}

impl Refusals {
    pub(crate) fn new(topic: &str, graph: Graph, oversized: Oversized) -> Self {
        Self { topic: topic.into(), graph, oversized, lines: RateLimited::default() }
    }

    /// Counts and tells an error that is a refusal; the graph is asked for the sender only if that is told.
    pub(crate) fn tell(&mut self, error: &RclError) {
        let RclError::TooLarge { size, most, sender } = error else { return };
        self.oversized.0.fetch_add(1, Ordering::Relaxed);
        let Self { topic, graph, lines, .. } = self;
        let line = || {
            let sender = name_of(graph, topic, *sender);
            format!("{topic} refused: a message of {size} bytes from {sender} is too large; give at most {most}")
        };
        if let Some(line) = lines.admit_made(line, monotonic_now()) {
            tracing::warn!("{line}");
        }
    }
}

/// The full name of a publisher's node, found among the topic's publishers.
fn name_of(graph: &Graph, topic: &str, publisher: Gid) -> String {
    let publishers = graph.publishers(topic).unwrap_or_default();
    let found = publishers.into_iter().find(|endpoint| endpoint.gid == publisher);
    found.and_then(|endpoint| endpoint.node).unwrap_or_else(|| "an unknown node".into())
}
