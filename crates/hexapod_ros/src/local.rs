//! Topics between nodes of one process, handed over without the middleware.
//!
//! A message that DDS carries from one node of a process to another costs a thread's wake-up, a wait set and a copy;
//! at 100 Hz and three nodes that is most of the processor time of the whole stack. Here the publisher calls the
//! subscribers' handlers itself. Other processes are served by the middleware as ever; so that nothing arrives twice,
//! the middleware must be told not to match endpoints of the same process (`config/fastdds_composed.xml`).

use crate::error::RosError;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::UInt8MultiArray;
use r2r::{NativeMsg, WrappedTypesupport};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
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

    fn hand_over(&self, message: &T) {
        for handler in self.handlers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            call(handler, message);
        }
    }
}

pub(crate) fn call<T>(handler: &Handler<T>, message: &T) {
    let mut handler = handler.lock().unwrap_or_else(PoisonError::into_inner);
    handler(message);
}

/// A message that is sent again and again with other numbers: its copy in the middleware's memory is kept, so that
/// names and other texts are not allocated anew each time.
pub trait Refill: WrappedTypesupport + Clone + 'static {
    /// Whether what [`Self::refill`] does not touch is the same in both.
    fn same_frame(&self, other: &Self) -> bool;
    /// Writes the numbers into the kept copy.
    fn refill(&self, kept: &mut NativeMsg<Self>);
}

impl Refill for JointState {
    fn same_frame(&self, other: &Self) -> bool {
        self.name == other.name && self.header.frame_id == other.header.frame_id && self.effort == other.effort
    }

    fn refill(&self, kept: &mut NativeMsg<Self>) {
        kept.header.stamp.sec = self.header.stamp.sec;
        kept.header.stamp.nanosec = self.header.stamp.nanosec;
        kept.position.update(&self.position);
        kept.velocity.update(&self.velocity);
    }
}

impl Refill for UInt8MultiArray {
    fn same_frame(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    fn refill(&self, kept: &mut NativeMsg<Self>) {
        kept.data.update(&self.data);
    }
}

/// A publisher whose messages reach the nodes of this process directly and all others through the middleware.
pub struct SharedPublisher<T: Refill> {
    publisher: r2r::Publisher<T>,
    local: Option<Arc<LocalTopic<T>>>,
    topic: String,
    id: usize,
}

thread_local! {
    /// Kept copies of the publishers that this thread uses: they hold pointers, so they stay where they were made.
    static KEPT: RefCell<HashMap<usize, Box<dyn Any>>> = RefCell::default();
}

impl<T: Refill> SharedPublisher<T> {
    pub(crate) fn new(publisher: r2r::Publisher<T>, local: Option<Arc<LocalTopic<T>>>, topic: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { publisher, local, topic: topic.into(), id: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Hands the message over in this process, then publishes it.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn publish(&self, message: &T) -> Result<(), RosError> {
        if let Some(local) = &self.local {
            local.hand_over(message);
        }
        let published = KEPT.with_borrow_mut(|kept| {
            let made = || Box::new((message.clone(), NativeMsg::from(message))) as Box<dyn Any>;
            let entry = kept.entry(self.id).or_insert_with(made);
            if entry.downcast_ref::<(T, NativeMsg<T>)>().is_none_or(|(frame, _)| !message.same_frame(frame)) {
                *entry = made();
            }
            match entry.downcast_mut::<(T, NativeMsg<T>)>() {
                Some((_, native)) => {
                    message.refill(native);
                    self.publisher.publish_native(native)
                }
                None => self.publisher.publish(message),
            }
        });
        published.map_err(|error| RosError::topic(&self.topic, error))
    }
}
