//! Publishers that cost little while nobody listens, and little more while somebody does.

use crate::error::RosError;
use crate::local::LocalTopic;
use crate::received::next_local_id;
use hexapod_rcl::{Node, RclError};
use r2r::geometry_msgs::msg::TransformStamped;
use r2r::qos::DurabilityPolicy;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::{String as StringMsg, UInt8MultiArray};
use r2r::tf2_msgs::msg::TFMessage;
use r2r::{NativeMsg, QosProfile, WrappedTypesupport};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A publisher. Messages nobody could receive are not handed to the middleware: that is seen by who listens at that
/// moment, and who comes later gets latched messages only.
pub struct Publisher<T: WrappedTypesupport> {
    /// Kept by the node, with which it ends.
    publisher: Weak<hexapod_rcl::Publisher<T>>,
    topic: String,
    latched: bool,
    local: Option<Arc<LocalTopic<T>>>,
    id: u64,
}

/// What a node keeps of a publisher.
pub(crate) trait Kept: Send + Sync {
    /// Waits until its last words have been heard, at most `timeout`.
    fn wait_until_heard(&self, timeout: Duration);
}

impl<T: WrappedTypesupport + 'static> Kept for hexapod_rcl::Publisher<T> {
    fn wait_until_heard(&self, timeout: Duration) {
        // The end does not wait for those that do not answer.
        let _ = self.wait_until_received(timeout);
    }
}

impl<T: WrappedTypesupport + 'static> Publisher<T> {
    /// A publisher whose messages reach the subscribers of this process by `local`, where there is one.
    pub(crate) fn open(
        node: &Node,
        topic: &str,
        qos: QosProfile,
        local: Option<Arc<LocalTopic<T>>>,
    ) -> Result<(Self, Arc<dyn Kept>), RosError> {
        let latched = !matches!(qos.durability, DurabilityPolicy::Volatile);
        let publisher = hexapod_rcl::Publisher::create(node, topic, qos).map_err(|e| RosError::topic(topic, e))?;
        let kept = Arc::new(publisher);
        let publisher = Arc::downgrade(&kept);
        Ok((Self { publisher, topic: topic.into(), latched, local, id: next_local_id() }, kept))
    }

    /// Its number in this process ([`Sender::Local`](crate::Sender::Local)).
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Whether a message would be of use to anybody outside this process.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.publisher.upgrade().is_some_and(|publisher| self.is_heard_by_any(&publisher))
    }

    /// Whether a message would be of use to anybody, in this process or outside.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.local.as_ref().is_some_and(|local| local.has_handlers()) || self.is_heard()
    }

    fn is_heard_by_any(&self, publisher: &hexapod_rcl::Publisher<T>) -> bool {
        self.latched || publisher.subscription_count().map_or(true, |count| count > 0)
    }

    /// Hands the message over in this process, then publishes it if it is heard.
    ///
    /// # Errors
    /// The middleware does not take it, or the node is gone.
    pub fn publish(&self, message: &T) -> Result<(), RosError> {
        self.act(message);
        self.tell(message);
        self.publish_as(|publisher| publisher.publish(message))
    }

    /// Hands the message to those of this process who act on it.
    fn act(&self, message: &T) {
        let Some(local) = &self.local else { return };
        if self.latched {
            local.keep(self.id, message.clone());
        }
        local.act(self.id, message);
    }

    /// Hands it to the others of this process.
    fn tell(&self, message: &T) {
        if let Some(local) = &self.local {
            local.tell(self.id, message);
        }
    }

    fn publish_as(
        &self,
        publish: impl FnOnce(&hexapod_rcl::Publisher<T>) -> Result<(), RclError>,
    ) -> Result<(), RosError> {
        let refuse = |error| RosError::topic(&self.topic, error);
        let publisher = self.publisher.upgrade().ok_or_else(|| refuse(RclError::Gone))?;
        if !self.is_heard_by_any(&publisher) {
            return Ok(());
        }
        publish(&publisher).map_err(refuse)
    }
}

/// Logs why a message did not go out: the next one may.
pub fn warn_if_lost(published: Result<(), RosError>) {
    if let Err(error) = published {
        tracing::warn!("{error}");
    }
}

/// A message that is sent again and again with other numbers: its copy in the middleware's memory is kept, so that
/// names and other texts are not allocated anew each time.
pub trait Refill: WrappedTypesupport + Clone + Send + 'static {
    /// Whether what [`Self::refill`] does not touch is the same in both.
    fn same_frame(&self, other: &Self) -> bool;
    /// Writes the numbers into the kept copy.
    fn refill(&self, kept: &mut NativeMsg<Self>);
}

impl Refill for JointState {
    fn same_frame(&self, other: &Self) -> bool {
        self.name == other.name && self.header.frame_id == other.header.frame_id
    }

    fn refill(&self, kept: &mut NativeMsg<Self>) {
        kept.header.stamp.sec = self.header.stamp.sec;
        kept.header.stamp.nanosec = self.header.stamp.nanosec;
        kept.position.update(&self.position);
        kept.velocity.update(&self.velocity);
        kept.effort.update(&self.effort);
    }
}

impl Refill for StringMsg {
    fn same_frame(&self, other: &Self) -> bool {
        self == other
    }

    fn refill(&self, _: &mut NativeMsg<Self>) {}
}

impl Refill for UInt8MultiArray {
    fn same_frame(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    fn refill(&self, kept: &mut NativeMsg<Self>) {
        kept.data.update(&self.data);
    }
}

impl Refill for TFMessage {
    fn same_frame(&self, other: &Self) -> bool {
        let same = |(one, other): (&TransformStamped, &TransformStamped)| {
            one.child_frame_id == other.child_frame_id && one.header.frame_id == other.header.frame_id
        };
        self.transforms.len() == other.transforms.len() && self.transforms.iter().zip(&other.transforms).all(same)
    }

    fn refill(&self, kept: &mut NativeMsg<Self>) {
        hexapod_rcl::refill_transforms(self, kept);
    }
}

/// A publisher of a message that is sent again and again with other numbers.
pub struct SharedPublisher<T: Refill> {
    publisher: Publisher<T>,
}

/// Copies by the publisher's number.
type Copies = HashMap<u64, Box<dyn Any>>;

thread_local! {
    /// Kept copies of the publishers that this thread uses: they hold pointers, so they stay where they were made.
    static COPIES: RefCell<Copies> = RefCell::default();
}

impl<T: Refill> SharedPublisher<T> {
    pub(crate) fn new(publisher: Publisher<T>) -> Self {
        Self { publisher }
    }

    /// Whether a message would be of use to anybody outside this process.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.publisher.is_heard()
    }

    /// Whether a message would be of use to anybody, in this process or outside.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.publisher.is_wanted()
    }

    /// Hands the message over in this process, then publishes it.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn publish(&self, message: &T) -> Result<(), RosError> {
        self.act(message);
        self.tell(message)
    }

    /// Hands the message to those of this process who act on it, before anybody hears of it or of anything else that
    /// goes with it; [`Self::tell`] has to follow.
    pub fn act(&self, message: &T) {
        self.publisher.act(message);
    }

    /// Hands the message to the others of this process, then publishes it.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn tell(&self, message: &T) -> Result<(), RosError> {
        self.publisher.tell(message);
        let publish = |publisher: &_| COPIES.with_borrow_mut(|copies| self.publish_copy(publisher, copies, message));
        self.publisher.publish_as(publish)
    }

    fn publish_copy(
        &self,
        publisher: &hexapod_rcl::Publisher<T>,
        copies: &mut Copies,
        message: &T,
    ) -> Result<(), RclError> {
        let made = || Box::new((message.clone(), NativeMsg::from(message))) as Box<dyn Any>;
        let entry = copies.entry(self.publisher.id).or_insert_with(made);
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
