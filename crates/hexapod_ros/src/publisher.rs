//! Publishers that cost little while nobody listens, and little more while somebody does.

use crate::error::RosError;
use crate::local::LocalTopic;
use crate::opening::one_at_a_time;
use r2r::qos::DurabilityPolicy;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::UInt8MultiArray;
use r2r::{NativeMsg, QosProfile, WrappedTypesupport};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A publisher. Messages nobody could receive are not handed to the middleware: that is seen by who listens at that
/// moment, and who comes later gets latched messages only.
pub struct Publisher<T: WrappedTypesupport> {
    publisher: r2r::Publisher<T>,
    topic: String,
    latched: bool,
}

impl<T: WrappedTypesupport + 'static> Publisher<T> {
    pub(crate) fn open(node: &mut r2r::Node, topic: &str, qos: QosProfile) -> Result<Self, RosError> {
        let latched = !matches!(qos.durability, DurabilityPolicy::Volatile);
        let publisher = one_at_a_time(|| node.create_publisher(topic, qos)).map_err(|e| RosError::topic(topic, e))?;
        Ok(Self { publisher, topic: topic.into(), latched })
    }

    /// Whether a message would be of use to anybody.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.latched || self.publisher.get_inter_process_subscription_count().map_or(true, |count| count > 0)
    }

    /// Publishes the message if it is heard.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn publish(&self, message: &T) -> Result<(), RosError> {
        self.publish_as(|publisher| publisher.publish(message))
    }

    fn publish_as(&self, publish: impl FnOnce(&r2r::Publisher<T>) -> Result<(), r2r::Error>) -> Result<(), RosError> {
        if !self.is_heard() {
            return Ok(());
        }
        publish(&self.publisher).map_err(|error| RosError::topic(&self.topic, error))
    }
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
    publisher: Publisher<T>,
    local: Option<Arc<LocalTopic<T>>>,
    id: usize,
}

/// Copies by the publisher's number.
type Kept = HashMap<usize, Box<dyn Any>>;

thread_local! {
    /// Kept copies of the publishers that this thread uses: they hold pointers, so they stay where they were made.
    static KEPT: RefCell<Kept> = RefCell::default();
}

impl<T: Refill> SharedPublisher<T> {
    pub(crate) fn new(publisher: Publisher<T>, local: Option<Arc<LocalTopic<T>>>) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { publisher, local, id: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Whether a message would be of use to anybody outside this process.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.publisher.is_heard()
    }

    /// Hands the message over in this process, then publishes it.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn publish(&self, message: &T) -> Result<(), RosError> {
        if let Some(local) = &self.local {
            local.hand_over(message);
        }
        self.publisher.publish_as(|publisher| KEPT.with_borrow_mut(|kept| self.publish_kept(publisher, kept, message)))
    }

    fn publish_kept(&self, publisher: &r2r::Publisher<T>, kept: &mut Kept, message: &T) -> Result<(), r2r::Error> {
        let made = || Box::new((message.clone(), NativeMsg::from(message))) as Box<dyn Any>;
        let entry = kept.entry(self.id).or_insert_with(made);
        if entry.downcast_ref::<(T, NativeMsg<T>)>().is_none_or(|(frame, _)| !message.same_frame(frame)) {
            *entry = made();
        }
        match entry.downcast_mut::<(T, NativeMsg<T>)>() {
            Some((_, native)) => {
                message.refill(native);
                publisher.publish_native(native)
            }
            None => publisher.publish(message),
        }
    }
}
