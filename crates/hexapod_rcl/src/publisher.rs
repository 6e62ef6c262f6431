//! Publishers.

use crate::closing::close;
use crate::error::{RclError, check, found};
use crate::info::Gid;
use crate::node::Node;
use crate::node_handle::NodeHandle;
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use r2r::{NativeMsg, QosProfile, WrappedTypesupport};
use r2r_rcl::{
    RCL_RET_TIMEOUT, rcl_get_zero_initialized_publisher, rcl_publish, rcl_publisher_fini,
    rcl_publisher_get_default_options, rcl_publisher_get_rmw_handle, rcl_publisher_get_subscription_count,
    rcl_publisher_init, rcl_publisher_t, rcl_publisher_wait_for_all_acked, rmw_get_gid_for_publisher, rmw_gid_t,
};
use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// A publisher, for any thread.
pub struct Publisher<T: WrappedTypesupport> {
    publisher: Pinned<rcl_publisher_t>,
    node: Arc<NodeHandle>,
    message: PhantomData<fn(T)>,
}

impl<T: WrappedTypesupport + 'static> Publisher<T> {
    /// Publishes on `topic`, relative to the node and before `--ros-args` rename it.
    ///
    /// # Errors
    /// The name or the QoS does not hold.
    pub fn create(node: &Node, topic: &str, qos: QosProfile) -> Result<Self, RclError> {
        let (topic, node) = (CString::new(topic)?, Arc::clone(node.handle()));
        // SAFETY: no preconditions.
        let publisher = Pinned::new(unsafe { rcl_get_zero_initialized_publisher() });
        // SAFETY: no preconditions.
        let mut options = unsafe { rcl_publisher_get_default_options() };
        options.qos = qos.into();
        // SAFETY: the publisher is zero-initialised, the node initialised and kept alive; type support is static.
        let code = one_at_a_time(|| unsafe {
            let (node, kind) = (node.get(), std::ptr::from_ref(T::get_ts()));
            rcl_publisher_init(publisher.get(), node, kind, topic.as_ptr(), &raw const options)
        });
        check("rcl_publisher_init", code)?;
        Ok(Self { publisher, node, message: PhantomData })
    }

    /// Publishes a message.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn publish(&self, message: &T) -> Result<(), RclError> {
        self.publish_native(&NativeMsg::from(message))
    }

    /// Publishes a message in the middleware's form.
    ///
    /// # Errors
    /// The middleware does not take it.
    pub fn publish_native(&self, message: &NativeMsg<T>) -> Result<(), RclError> {
        // SAFETY: the publisher is initialised; rcl_publish is thread-safe as long as the message stays as it is, and
        // that is borrowed.
        check("rcl_publish", unsafe { rcl_publish(self.publisher.get(), message.msg.cast(), std::ptr::null_mut()) })
    }

    /// How many subscriptions the middleware has matched.
    ///
    /// # Errors
    /// The middleware does not tell.
    pub fn subscription_count(&self) -> Result<usize, RclError> {
        let mut count = 0;
        // SAFETY: the publisher is initialised, and this is thread-safe.
        let code = unsafe { rcl_publisher_get_subscription_count(self.publisher.get(), &raw mut count) };
        check("rcl_publisher_get_subscription_count", code).map(|()| count)
    }

    /// Waits until all reliable subscriptions have what was published, at most `timeout`; true if they have. Others are
    /// not waited for.
    ///
    /// # Errors
    /// The middleware does not tell.
    pub fn wait_until_received(&self, timeout: Duration) -> Result<bool, RclError> {
        let nanos = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        // SAFETY: the publisher is initialised, and this is thread-safe.
        let code = unsafe { rcl_publisher_wait_for_all_acked(self.publisher.get(), nanos) };
        found("rcl_publisher_wait_for_all_acked", code, RCL_RET_TIMEOUT)
    }

    /// The number by which receivers know it.
    ///
    /// # Errors
    /// The middleware does not tell.
    pub fn gid(&self) -> Result<Gid, RclError> {
        let mut gid = rmw_gid_t { implementation_identifier: std::ptr::null(), data: [0; 16] };
        // SAFETY: the publisher is initialised, hence its handle valid; its number never changes.
        let code =
            unsafe { rmw_get_gid_for_publisher(rcl_publisher_get_rmw_handle(self.publisher.get()), &raw mut gid) };
        check("rmw_get_gid_for_publisher", code).map(|()| Gid(gid.data))
    }
}

impl<T: WrappedTypesupport> Drop for Publisher<T> {
    fn drop(&mut self) {
        // SAFETY: it was initialised on this node, and nobody uses it any more.
        let fini = |publisher, node: &mut Arc<NodeHandle>| unsafe { rcl_publisher_fini(publisher, node.get()) };
        close("rcl_publisher_fini", &mut self.publisher, Arc::clone(&self.node), fini);
    }
}
