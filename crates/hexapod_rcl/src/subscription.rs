//! Subscriptions: messages with where they come from.

use crate::error::{RclError, check, found};
use crate::info::MessageInfo;
use crate::node::{Node, NodeHandle};
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use crate::text::c_text;
use crate::waiting::{Awaited, Awaiting, Kind, Waitable};
use r2r::{NativeMsg, QosProfile, WrappedTypesupport};
use r2r_rcl::{
    RCL_RET_SUBSCRIPTION_TAKE_FAILED, rcl_get_zero_initialized_subscription, rcl_subscription_fini,
    rcl_subscription_get_default_options, rcl_subscription_init, rcl_subscription_t, rcl_take, rmw_message_info_t,
};
use std::sync::Arc;

/// A subscription. Messages wait in the middleware, as many as its QoS keeps, until they are taken.
pub struct Subscription<T: WrappedTypesupport> {
    handle: Arc<SubscriptionHandle>,
    /// The middleware's form of the last message: the next one reuses what it has allocated.
    kept: NativeMsg<T>,
}

// SAFETY: the kept message is plain memory without ties to a thread, and reached through `&mut self` alone.
unsafe impl<T: WrappedTypesupport> Send for Subscription<T> {}

pub(crate) struct SubscriptionHandle {
    subscription: Pinned<rcl_subscription_t>,
    pub(crate) awaiting: Awaiting,
    node: Arc<NodeHandle>,
}

impl<T: WrappedTypesupport + 'static> Subscription<T> {
    /// Subscribes to `topic`, relative to the node and before `--ros-args` rename it.
    ///
    /// # Errors
    /// The name or the QoS does not hold.
    pub fn create(node: &Node, topic: &str, qos: QosProfile) -> Result<Self, RclError> {
        let (topic, node) = (c_text(topic)?, Arc::clone(node.handle()));
        // SAFETY: no preconditions.
        let subscription = Pinned::new(unsafe { rcl_get_zero_initialized_subscription() });
        // SAFETY: no preconditions.
        let mut options = unsafe { rcl_subscription_get_default_options() };
        options.qos = qos.into();
        // SAFETY: the subscription is zero-initialised, the node initialised and kept alive; type support is static.
        let code = one_at_a_time(|| unsafe {
            let (node, kind) = (node.get(), std::ptr::from_ref(T::get_ts()));
            rcl_subscription_init(subscription.get(), node, kind, topic.as_ptr(), &raw const options)
        });
        check("rcl_subscription_init", code)?;
        let handle = Arc::new(SubscriptionHandle { subscription, awaiting: Awaiting::default(), node });
        Ok(Self { handle, kept: NativeMsg::new() })
    }

    /// The next message and where it comes from, if there is one.
    ///
    /// # Errors
    /// The next message was malformed; it is gone.
    pub fn take(&mut self) -> Result<Option<(T, MessageInfo)>, RclError> {
        let info = take(&self.handle, &mut self.kept)?;
        Ok(info.map(|info| (T::from_native(&self.kept), info)))
    }

    /// As [`Self::take`], into the middleware's form of a message, whose allocations are reused.
    ///
    /// # Errors
    /// The next message was malformed; it is gone, and what `message` holds is of no meaning.
    pub fn take_native(&mut self, message: &mut NativeMsg<T>) -> Result<Option<MessageInfo>, RclError> {
        take(&self.handle, message)
    }
}

/// Takes a message for the one owner of the subscription: rcl_take is not thread-safe.
fn take<T: WrappedTypesupport>(
    handle: &SubscriptionHandle,
    message: &mut NativeMsg<T>,
) -> Result<Option<MessageInfo>, RclError> {
    let mut info = rmw_message_info_t::default();
    // SAFETY: the subscription is initialised and, as both callers have it mutably, nobody else takes; the message is an
    // initialised one of its type.
    let code = unsafe { rcl_take(handle.get(), message.msg.cast(), &raw mut info, std::ptr::null_mut()) };
    Ok(found("rcl_take", code, RCL_RET_SUBSCRIPTION_TAKE_FAILED)?.then(|| MessageInfo::from(&info)))
}

impl<T: WrappedTypesupport> Awaited for Subscription<T> {
    fn waitable(&self) -> Waitable {
        Waitable(Kind::Subscription(Arc::clone(&self.handle)))
    }
}

impl SubscriptionHandle {
    pub(crate) fn get(&self) -> *mut rcl_subscription_t {
        self.subscription.get()
    }
}

impl Drop for SubscriptionHandle {
    fn drop(&mut self) {
        // SAFETY: it was initialised on this node, and nobody uses it any more.
        let code = one_at_a_time(|| unsafe { rcl_subscription_fini(self.get(), self.node.get()) });
        let _ = check("rcl_subscription_fini", code);
    }
}
