//! Topics and services between nodes of one process, handed over without the middleware.
//!
//! A message that DDS carries from one node of a process to another costs a thread's wake-up, a wait set and a copy;
//! at 100 Hz and three nodes that is most of the processor time of the whole stack. Here the publisher calls the
//! subscribers' handlers itself. Other processes are served by the middleware as ever; so that nothing arrives twice,
//! the middleware must be set not to match endpoints of the same process (`config/fastdds.xml`).

use crate::received::Received;
use crate::reply::Reply;
use r2r::WrappedServiceTypeSupport;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

/// What is called with each message of a topic, from whichever thread has it.
pub(crate) type Handler<T> = Arc<Mutex<dyn FnMut(&T, &Received) + Send>>;

type WeakHandler<T> = Weak<Mutex<dyn FnMut(&T, &Received) + Send>>;

/// What is called with each request of a service, from whichever thread has it.
pub(crate) type Server<S> =
    Arc<Mutex<dyn FnMut(<S as WrappedServiceTypeSupport>::Request, Reply<S>, &Received) + Send>>;

/// The topics and services of a process, and the nodes that publish them.
#[derive(Clone, Default)]
pub struct LocalTopics {
    topics: Arc<Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>>,
    /// Servers of services by name and type.
    services: Arc<Mutex<HashMap<String, Box<dyn Any + Send>>>>,
    /// Full names of the nodes by the number of their publishers.
    names: Arc<Mutex<HashMap<u64, String>>>,
}

pub(crate) struct LocalTopic<T> {
    /// Those who act on messages: they have each before anybody else does.
    actors: RwLock<Vec<WeakHandler<T>>>,
    /// Each ends with its subscription, which keeps it.
    handlers: RwLock<Vec<WeakHandler<T>>>,
    /// Of a latched topic, the last message and its publisher: those who come later get it, too.
    last: Mutex<Option<(u64, T)>>,
}

impl<T> Default for LocalTopic<T> {
    fn default() -> Self {
        Self { actors: RwLock::default(), handlers: RwLock::default(), last: Mutex::default() }
    }
}

impl LocalTopics {
    /// The topic of this name and type; a name with another type is a topic of its own.
    pub(crate) fn topic<T: Send + 'static>(&self, name: &str) -> Arc<LocalTopic<T>> {
        let mut topics = locked(&self.topics);
        let made = || Arc::new(LocalTopic::<T>::default()) as Arc<dyn Any + Send + Sync>;
        let topic = Arc::clone(topics.entry(key::<T>(name)).or_insert_with(made));
        drop(topics);
        topic.downcast().unwrap_or_default()
    }

    /// Lets callers of this process call `server`.
    pub(crate) fn serve<S: WrappedServiceTypeSupport + 'static>(&self, name: &str, server: Server<S>) {
        locked(&self.services).insert(key::<S>(name), Box::new(server));
    }

    /// Who serves `name` in this process.
    pub(crate) fn server<S: WrappedServiceTypeSupport + 'static>(&self, name: &str) -> Option<Server<S>> {
        locked(&self.services).get(&key::<S>(name))?.downcast_ref().cloned()
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
    pub(crate) fn add(&self, handler: &Handler<T>) {
        self.add_to(&self.handlers, handler);
    }

    /// The same for who acts on messages.
    pub(crate) fn add_actor(&self, handler: &Handler<T>) {
        self.add_to(&self.actors, handler);
    }

    fn add_to(&self, handlers: &RwLock<Vec<WeakHandler<T>>>, handler: &Handler<T>) {
        let mut handlers = handlers.write().unwrap_or_else(PoisonError::into_inner);
        if let Some((publisher, message)) = &*locked(&self.last) {
            call(handler, message, &Received::local(*publisher));
        }
        handlers.retain(|handler| handler.strong_count() > 0);
        handlers.push(Arc::downgrade(handler));
    }

    /// Keeps a message of this publisher for subscribers to come.
    pub(crate) fn keep(&self, publisher: u64, message: T) {
        *locked(&self.last) = Some((publisher, message));
    }

    /// Calls those who act on messages with one of this publisher; [`Self::tell`] is to follow.
    pub(crate) fn act(&self, publisher: u64, message: &T) {
        call_each(&self.actors, publisher, message);
    }

    /// Whether there are other subscribers than those who act.
    pub(crate) fn has_handlers(&self) -> bool {
        self.handlers.read().unwrap_or_else(PoisonError::into_inner).iter().any(|handler| handler.strong_count() > 0)
    }

    /// Calls all other subscribers with it.
    pub(crate) fn tell(&self, publisher: u64, message: &T) {
        call_each(&self.handlers, publisher, message);
    }
}

fn call_each<T>(handlers: &RwLock<Vec<WeakHandler<T>>>, publisher: u64, message: &T) {
    let handlers = handlers.read().unwrap_or_else(PoisonError::into_inner);
    if handlers.is_empty() {
        return;
    }
    let received = Received::local(publisher);
    handlers.iter().filter_map(Weak::upgrade).for_each(|handler| call(&handler, message, &received));
}

pub(crate) fn call<T>(handler: &Handler<T>, message: &T, received: &Received) {
    let mut handler = handler.lock().unwrap_or_else(PoisonError::into_inner);
    handler(message, received);
}

fn key<T>(name: &str) -> String {
    format!("{name} {}", std::any::type_name::<T>())
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn ask<S: WrappedServiceTypeSupport>(
    server: &Server<S>,
    request: S::Request,
    reply: Reply<S>,
    received: &Received,
) {
    let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
    server(request, reply, received);
}
