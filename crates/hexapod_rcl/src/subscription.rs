//! Subscriptions: messages with where they come from.

use crate::awaiting::Awaiting;
use crate::closing::close;
use crate::error::{RclError, check, found};
use crate::info::MessageInfo;
use crate::node::Node;
use crate::node_handle::NodeHandle;
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use r2r::{NativeMsg, QosProfile, WrappedTypesupport};
use r2r_rcl::{
    RCL_RET_SUBSCRIPTION_TAKE_FAILED, rcl_get_zero_initialized_subscription, rcl_subscription_fini,
    rcl_subscription_get_default_options, rcl_subscription_init, rcl_subscription_t, rcl_take, rmw_message_info_t,
};
use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::Arc;

/// A subscription. Messages wait in the middleware, as many as its QoS keeps, until they are taken.
pub struct Subscription<T: WrappedTypesupport> {
    handle: Arc<SubscriptionHandle>,
    message: PhantomData<fn() -> T>,
}

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
        let (topic, node) = (CString::new(topic)?, Arc::clone(node.handle()));
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
        Ok(Self { handle, message: PhantomData })
    }

    /// The next message and where it comes from, if there is one.
    ///
    /// # Errors
    /// The next message was malformed; it is gone.
    pub fn take(&mut self) -> Result<Option<(T, MessageInfo)>, RclError> {
        let mut info = rmw_message_info_t::default();
        // Not kept for the next one: it would keep as much memory as the largest message ever took.
        let message = NativeMsg::<T>::new();
        // SAFETY: the subscription is initialised and, with `&mut self`, nobody else takes, as rcl_take demands; the
        // message is an initialised one of its type.
        let code = unsafe { rcl_take(self.handle.get(), message.msg.cast(), &raw mut info, std::ptr::null_mut()) };
        let taken = found("rcl_take", code, RCL_RET_SUBSCRIPTION_TAKE_FAILED)?;
        Ok(taken.then(|| (T::from_native(&message), MessageInfo::from(&info))))
    }
}

impl<T: WrappedTypesupport> Subscription<T> {
    pub(crate) fn handle(&self) -> &Arc<SubscriptionHandle> {
        &self.handle
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
        let fini =
            |subscription, node: &mut Arc<NodeHandle>| unsafe { rcl_subscription_fini(subscription, node.get()) };
        close("rcl_subscription_fini", &mut self.subscription, Arc::clone(&self.node), fini);
    }
}
