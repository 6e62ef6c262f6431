//! Warnings of who sends what a node cannot hear, and of two who tell the time.

use crate::bounds;
use crate::clock::RosClock;
use crate::graph::Graph;
use crate::node::RosNode;

/// Looks who sends a node what it cannot hear, and logs who is new.
pub struct Unheard {
    graph: Graph,
    node: String,
    /// Whether it goes by `/clock`, or tells it.
    has_clock: bool,
    reported: Vec<String>,
}

impl Unheard {
    /// Of `node`, with what it has subscribed to by the time of each look.
    #[must_use]
    pub fn new(node: &RosNode) -> Self {
        let has_clock = matches!(node.stamps(), RosClock::Simulated(_));
        Self { graph: node.graph(), node: node.name().into(), has_clock, reported: vec![] }
    }

    /// Of a node that publishes `/clock`.
    #[must_use]
    pub fn of_clock(node: &RosNode) -> Self {
        Self { has_clock: true, ..Self::new(node) }
    }

    /// What is sent and not heard now, and who tells the time beside another, in words. The middleware is asked about each topic: not for every message.
    pub fn look(&mut self) -> Vec<String> {
        let mut missed = self.graph.unheard();
        if self.has_clock {
            let tellers = self.graph.senders("/clock").into_iter().map(|sender| sender.node);
            missed.extend(two_clocks(&tellers.map(|node| node.unwrap_or_else(|| "a node".into())).collect::<Vec<_>>()));
        }
        for words in missed.iter().filter(|words| !self.reported.contains(words)) {
            tracing::warn!(node = self.node.as_str(), "{words}");
        }
        self.reported.clone_from(&missed);
        missed
    }
}

/// What is wrong with several who publish `/clock`.
fn two_clocks(tellers: &[String]) -> Option<String> {
    let [first, second, ..] = tellers else { return None };
    let (first, second) = (bounds::excerpt(first), bounds::excerpt(second));
    Some(format!(
        "/clock comes from {} publishers, {first} and {second} among them, so that time jumps to and fro: stop all but one, \
         or give each robot a ROS_DOMAIN_ID of its own",
        tellers.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_two_tell_the_time_expect_both_named_and_what_would_be_right() {
        let tellers = ["/a/simulator".to_owned(), "/b/simulator".to_owned()];
        let reported = two_clocks(&tellers).unwrap_or_default();
        assert!(
            ["2 publishers", "/a/simulator", "/b/simulator", "ROS_DOMAIN_ID"].iter().all(|w| reported.contains(w)),
            "{reported}"
        );
        assert_eq!((two_clocks(&tellers[..1]), two_clocks(&[])), (None, None));
    }
}
