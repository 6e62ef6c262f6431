//! Topics between nodes of one process, handed over without the middleware.
//!
//! A message that DDS carries from one node of a process to another costs a thread's wake-up, a wait set and a copy;
//! at 100 Hz and three nodes that is most of the processor time of the whole stack. Here the publisher calls the
//! subscribers' handlers itself. Other processes are served by the middleware as ever; so that nothing arrives twice,
//! the middleware must be told not to match endpoints of the same process (`config/fastdds.xml`).

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What is called with each message of a topic, from whichever thread has it.
pub(crate) type Handler<T> = Arc<Mutex<dyn FnMut(&T) + Send>>;

/// The topics of a process.
#[derive(Clone, Default)]
pub struct LocalTopics {
    topics: Arc<Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>>,
}

pub(crate) struct LocalTopic<T> {
    handlers: RwLock<Vec<Handler<T>>>,
}

impl LocalTopics {
    /// The topic of this name and type; a name with another type is a topic of its own.
    pub(crate) fn topic<T: 'static>(&self, name: &str) -> Arc<LocalTopic<T>> {
        let key = format!("{name} {}", std::any::type_name::<T>());
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(LocalTopic::<T> { handlers: RwLock::default() }) as Arc<dyn Any + Send + Sync>;
        let topic = Arc::clone(topics.entry(key).or_insert_with(made));
        drop(topics);
        topic.downcast().unwrap_or_else(|_| Arc::new(LocalTopic { handlers: RwLock::default() }))
    }
}

impl<T> LocalTopic<T> {
    pub(crate) fn add(&self, handler: Handler<T>) {
        self.handlers.write().unwrap_or_else(PoisonError::into_inner).push(handler);
    }

    pub(crate) fn hand_over(&self, message: &T) {
        for handler in self.handlers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            call(handler, message);
        }
    }
}

pub(crate) fn call<T>(handler: &Handler<T>, message: &T) {
    let mut handler = handler.lock().unwrap_or_else(PoisonError::into_inner);
    handler(message);
}
