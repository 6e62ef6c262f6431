//! What the node says of itself in `/diagnostics`.

use hexapod_ros::{Diagnostics, Level, RosError, RosNode, Status};
use std::net::SocketAddr;
use std::time::Duration;

/// How often.
const EVERY: Duration = Duration::from_secs(1);

pub(crate) struct Report {
    diagnostics: Diagnostics,
    address: SocketAddr,
    token: &'static str,
    /// When the last was sent.
    last: Duration,
}

/// What is counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub clients: usize,
    pub most_clients: usize,
    pub driver: String,
    pub refused: u64,
    pub stops: u64,
    pub is_unanswered: bool,
}

impl Report {
    pub fn new(node: &mut RosNode, address: SocketAddr, token: &'static str) -> Result<Self, RosError> {
        let clock = node.stamps();
        Ok(Self { diagnostics: Diagnostics::new(node, "web", clock)?, address, token, last: Duration::ZERO })
    }

    /// When the next is due.
    pub fn next(&self) -> Duration {
        self.last + EVERY
    }

    /// Tells it, if it is due.
    pub fn tell(&mut self, counts: &Counts, now: Duration) {
        if now < self.next() {
            return;
        }
        self.last = now;
        let mut status = Status::default();
        if counts.is_unanswered {
            status.report(Level::Error, "nobody answers the stop: cut the power");
        }
        status.report(Level::Ok, "the page is served");
        status.value("address", self.address);
        status.value("token", self.token);
        status.value("clients", format!("{} of {}", counts.clients, counts.most_clients));
        status.value("driver", &counts.driver);
        status.value("refused intents", counts.refused);
        status.value("stops", counts.stops);
        self.diagnostics.publish(status);
    }
}
