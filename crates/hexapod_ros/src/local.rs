//! Topics between nodes of one process, handed over without the middleware.
//!
//! A message that DDS carries from one node of a process to another costs a thread's wake-up, a wait set and a copy;
//! at 100 Hz and three nodes that is most of the processor time of the whole stack. Here the publisher calls the
//! subscribers' handlers itself. Other processes are served by the middleware as ever; so that nothing arrives twice,
//! the middleware must be told not to match endpoints of the same process (`config/fastdds.xml`).

use crate::received::Received;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// What is called with each message of a topic, from whichever thread has it.
pub(crate) type Handler<T> = Arc<Mutex<dyn FnMut(&T, &Received) + Send>>;

/// The topics of a process, and the nodes that publish them.
#[derive(Clone, Default)]
pub struct LocalTopics {
    topics: Arc<Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>>,
    /// Full names of the nodes by the number of their publishers.
    names: Arc<Mutex<HashMap<u64, String>>>,
}

pub(crate) struct LocalTopic<T> {
    handlers: RwLock<Vec<Handler<T>>>,
}

impl LocalTopics {
    /// The topic of this name and type; a name with another type is a topic of its own.
    pub(crate) fn topic<T: 'static>(&self, name: &str) -> Arc<LocalTopic<T>> {
        let key = format!("{name} {}", std::any::type_name::<T>());
        let mut topics = locked(&self.topics);
        let made = || Arc::new(LocalTopic::<T> { handlers: RwLock::default() }) as Arc<dyn Any + Send + Sync>;
        let topic = Arc::clone(topics.entry(key).or_insert_with(made));
        drop(topics);
        topic.downcast().unwrap_or_else(|_| Arc::new(LocalTopic { handlers: RwLock::default() }))
    }

    /// Takes down which node a publisher belongs to.
    pub(crate) fn name(&self, publisher: u64, node: String) {
        locked(&self.names).insert(publisher, node);
    }

    /// The full name of a publisher's node.
    pub(crate) fn name_of(&self, publisher: u64) -> Option<String> {
        locked(&self.names).get(&publisher).cloned()
    }
}

impl<T> LocalTopic<T> {
    pub(crate) fn add(&self, handler: Handler<T>) {
        self.handlers.write().unwrap_or_else(PoisonError::into_inner).push(handler);
    }

    /// Calls every subscriber with a message of this publisher.
    pub(crate) fn hand_over(&self, publisher: u64, message: &T) {
        let handlers = self.handlers.read().unwrap_or_else(PoisonError::into_inner);
        if handlers.is_empty() {
            return;
        }
        let received = Received::local(publisher);
        handlers.iter().for_each(|handler| call(handler, message, &received));
    }
}

pub(crate) fn call<T>(handler: &Handler<T>, message: &T, received: &Received) {
    let mut handler = handler.lock().unwrap_or_else(PoisonError::into_inner);
    handler(message, received);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
