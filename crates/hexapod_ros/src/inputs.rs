//! What a thread waits for, and its turns.

use crate::entity::Entity;
use crate::error::RosError;
use crate::rmw_watchdog::Beat;
use crate::subscriptions::Subscriptions;
use hexapod_rcl::{Context, WaitSet, Waker};
use std::time::{Duration, Instant};

/// How long a thread waits when nothing comes in: it bounds how late an unanswered request is forgotten.
pub(crate) const TURN: Duration = Duration::from_secs(1);
/// At most one turn in this time, so that a flood of messages cannot take a whole core.
const TURN_PERIOD: Duration = Duration::from_micros(500);
/// At most so many messages of one entity in a turn, so that a flood of one does not keep the others waiting.
const MOST_OF_ONE: usize = 64;

/// The entities of a thread and the wait set they share.
pub(crate) struct Inputs {
    entities: Vec<Box<dyn Entity>>,
    set: WaitSet,
    waits: bool,
    beat: Beat,
    /// What the node has subscribed to, on whatever thread.
    pub(crate) subscriptions: Subscriptions,
}

impl Inputs {
    pub(crate) fn new(context: &Context, subscriptions: &Subscriptions, beat: Beat) -> Result<Self, RosError> {
        let set = WaitSet::create(context).map_err(|e| RosError::Context(e.to_string()))?;
        Ok(Self { entities: vec![], set, waits: true, beat, subscriptions: subscriptions.clone() })
    }

    /// Adds an entity, which `name` stands for in an error.
    pub(crate) fn add(&mut self, name: &str, entity: impl Entity + 'static) -> Result<(), RosError> {
        let number = entity.join(&mut self.set).map_err(|e| RosError::topic(name, e))?;
        debug_assert_eq!(number, self.entities.len(), "the set counts as we do");
        self.entities.push(Box::new(entity));
        Ok(())
    }

    /// Says that no turn follows.
    pub(crate) fn end(&self) {
        self.beat.end();
    }

    /// Who ends a wait.
    pub(crate) fn waker(&self) -> Waker {
        self.set.waker()
    }

    /// Waits until something comes in, at most `timeout`, and handles it. What is left over is there in the next turn.
    pub(crate) fn turn(&mut self, timeout: Duration) {
        let started = Instant::now();
        self.beat.beat();
        match self.set.wait(Some(timeout)) {
            Ok(ready) => {
                self.waits = true;
                for &number in ready {
                    if let Some(entity) = self.entities.get_mut(number) {
                        entity.handle(MOST_OF_ONE, &self.beat);
                    }
                }
            }
            Err(error) => {
                if std::mem::take(&mut self.waits) {
                    tracing::error!("cannot wait for messages: {error}");
                }
                std::thread::sleep(timeout.min(Duration::from_millis(10)));
            }
        }
        let now = Instant::now();
        self.entities.iter_mut().for_each(|entity| entity.forget(now));
        std::thread::sleep(TURN_PERIOD.saturating_sub(started.elapsed()));
    }
}
