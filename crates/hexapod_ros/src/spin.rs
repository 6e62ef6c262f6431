//! Spinning: a node's thread, and those of its lanes.

use crate::end::{End, Over};
use crate::inputs::{Inputs, TURN};
use crate::lane::Joined;
use crate::log;
use crate::memory;
use crate::node::RosNode;
use crate::realtime::{self, priority};
use crate::shutdown::{Shutdown, Stage};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a node spins before it opens its parameter services.
const TOPICS_FIRST: Duration = Duration::from_millis(50);
/// How long a node that ends waits for its last messages to be received. Mostly it waits that long: Fast DDS has itself
/// acknowledges what was received every 3 s only. What is under way takes less.
const LAST_WORDS: Duration = Duration::from_millis(50);

impl RosNode {
    /// Spins on this thread until the shutdown has come to `until`, then takes the node down, a moment after what was
    /// published last. The parameter services open a moment after the start: they take longer than all topics, and would
    /// keep those back. The thread gets the middleware's priority where that is granted, for a stop comes in here. The
    /// lanes' threads end with it.
    pub fn spin(mut self, shutdown: &Shutdown, until: Stage) {
        // Whether it is granted, the loops report.
        let _ = realtime::fifo(priority::MESSAGES);
        let lanes = std::mem::take(&mut self.lanes);
        let wakers: Vec<_> = lanes.iter().map(|lane| &lane.inputs).chain([&self.inputs]).map(Inputs::waker).collect();
        wakers.iter().for_each(|waker| shutdown.wakes_set(waker.clone()));
        let end = Arc::new(End::of(shutdown.clone(), until, wakers));
        let lanes: Vec<_> = lanes.into_iter().map(|lane| lane.start(&end)).collect();
        // The lanes end with this thread's turns, however those end.
        let over = Over(end);
        self.turns(&over.0);
        self.inputs.end();
        drop(over);
        lanes.into_iter().for_each(Joined::join);
        tracing::info!(node = self.logger(), "ended");
        log::flush();
        self.say_last_words();
    }

    /// Waits a moment for what was published: listeners drop what reaches them after the node's farewell, which has a
    /// socket of its own and may be faster.
    fn say_last_words(&self) {
        let deadline = Instant::now() + LAST_WORDS;
        for publisher in &self.publishers {
            publisher.wait_until_heard(deadline.saturating_duration_since(Instant::now()));
        }
    }

    fn turns(&mut self, end: &End) {
        let services_at = Instant::now() + TOPICS_FIRST;
        while !end.has_come() {
            match services_at.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => self.inputs.turn(left),
                _ => break,
            }
        }
        if !end.has_come()
            && let Err(error) = self.open_log().and_then(|()| self.serve_parameters())
        {
            tracing::error!(node = self.logger(), "no parameter services: {error}");
        }
        while !end.has_come() {
            self.inputs.turn(TURN);
            self.parameters.announce();
            memory::tidy();
        }
    }
}
