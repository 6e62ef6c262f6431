//! Who publishes and who listens.

use crate::error::{RclError, check};
use crate::info::Gid;
use crate::node_handle::NodeHandle;
use crate::text::{array, text};
use r2r_rcl::{
    rcl_get_node_names, rcl_get_publishers_info_by_topic, rcl_get_subscriptions_info_by_topic,
    rcl_get_topic_names_and_types, rcl_names_and_types_t, rcl_node_resolve_name, rcl_ret_t,
    rcl_topic_endpoint_info_array_t, rcutils_get_default_allocator, rcutils_get_zero_initialized_string_array,
    rcutils_string_array_fini, rmw_get_zero_initialized_names_and_types,
    rmw_get_zero_initialized_topic_endpoint_info_array, rmw_names_and_types_fini, rmw_qos_durability_policy_t,
    rmw_qos_reliability_policy_t, rmw_topic_endpoint_info_array_fini, rmw_topic_endpoint_info_t,
};
use std::ffi::{CStr, CString};
use std::sync::{Arc, Weak};

/// What a node knows of the other endpoints in its domain, for any thread; nothing once the node is gone.
#[derive(Clone)]
pub struct Graph {
    node: Weak<NodeHandle>,
}

/// A publisher or a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Full name of its node, as in `/robot/gait_planner`; the middleware hears of it a moment after the endpoint.
    pub node: Option<String>,
    /// Type of its messages, as in `std_msgs/msg/Bool`.
    pub message_type: String,
    /// Its number: the sender of its messages, if it is a publisher.
    pub gid: Gid,
    /// Whether messages that are lost are sent again.
    pub is_reliable: bool,
    /// Whether it keeps (a publisher) or asks for (a subscription) messages from before the two met.
    pub is_latched: bool,
}

#[derive(Clone, Copy)]
enum Side {
    Publishers,
    Subscriptions,
}

impl Graph {
    pub(crate) fn of(node: &Arc<NodeHandle>) -> Self {
        Self { node: Arc::downgrade(node) }
    }

    /// The publishers of `topic`, relative to the node and before `--ros-args` rename it.
    ///
    /// # Errors
    /// The name does not hold.
    pub fn publishers(&self, topic: &str) -> Result<Vec<Endpoint>, RclError> {
        self.endpoints(topic, Side::Publishers)
    }

    /// The subscriptions to `topic`, as [`Self::publishers`].
    ///
    /// # Errors
    /// The name does not hold.
    pub fn subscriptions(&self, topic: &str) -> Result<Vec<Endpoint>, RclError> {
        self.endpoints(topic, Side::Subscriptions)
    }

    /// The full name of the node that a publisher, a subscription or a service's client belongs to, if it is known. This
    /// looks through all topics.
    ///
    /// # Errors
    /// The middleware does not tell.
    pub fn node_of(&self, gid: Gid) -> Result<Option<String>, RclError> {
        let Some(node) = self.node.upgrade() else { return Ok(None) };
        for topic in all_topics(&node)? {
            for side in [Side::Publishers, Side::Subscriptions] {
                let endpoints = ask(&node, &CString::new(topic.as_str())?, true, side)?;
                if let Some(found) = endpoints.into_iter().find(|endpoint| endpoint.gid == gid) {
                    return Ok(found.node);
                }
            }
        }
        Ok(None)
    }

    /// The full names of all nodes that are known, as in `/robot/gait_planner`; of nodes that died without a farewell, too,
    /// until the middleware misses them.
    ///
    /// # Errors
    /// The middleware does not tell.
    pub fn nodes(&self) -> Result<Vec<String>, RclError> {
        self.node.upgrade().map_or(Ok(vec![]), |node| all_nodes(&node))
    }

    /// An endpoint of each process that may call `service`, relative to the node: of all that are ROS 2's, and of all that
    /// have a client of it.
    ///
    /// # Errors
    /// The name does not hold.
    pub fn callers(&self, service: &str) -> Result<Vec<Gid>, RclError> {
        let Some(node) = self.node.upgrade() else { return Ok(vec![]) };
        let answers = format!("rr{}Reply", resolve(&node, service)?);
        let mut found = ask(&node, c"ros_discovery_info", true, Side::Publishers)?;
        found.extend(ask(&node, &CString::new(answers)?, true, Side::Subscriptions)?);
        Ok(found.into_iter().map(|endpoint| endpoint.gid).collect())
    }

    fn endpoints(&self, topic: &str, side: Side) -> Result<Vec<Endpoint>, RclError> {
        let Some(node) = self.node.upgrade() else { return Ok(vec![]) };
        ask(&node, &CString::new(resolve(&node, topic)?)?, false, side)
    }
}

/// The topic's name with its namespace, renamed as `--ros-args` say.
fn resolve(node: &NodeHandle, topic: &str) -> Result<String, RclError> {
    let topic = CString::new(topic)?;
    let mut resolved = std::ptr::null_mut();
    // SAFETY: no preconditions.
    let allocator = unsafe { rcutils_get_default_allocator() };
    let _asking = node.asking();
    // SAFETY: the node is initialised, and the texts outlive the call.
    let code = unsafe { rcl_node_resolve_name(node.get(), topic.as_ptr(), allocator, false, false, &raw mut resolved) };
    check("rcl_node_resolve_name", code)?;
    // SAFETY: rcl has allocated a text there.
    let name = unsafe { text(resolved) };
    if let Some(deallocate) = allocator.deallocate {
        // SAFETY: it came from this allocator, and is used no more.
        unsafe { deallocate(resolved.cast(), allocator.state) };
    }
    Ok(name)
}

/// The middleware's names of all topics, those of services included.
fn all_topics(node: &NodeHandle) -> Result<Vec<String>, RclError> {
    let _asking = node.asking();
    // SAFETY: no preconditions.
    let (mut allocator, mut names): (_, rcl_names_and_types_t) =
        unsafe { (rcutils_get_default_allocator(), rmw_get_zero_initialized_names_and_types()) };
    // SAFETY: the node is initialised and asked by one thread at a time, and the result is zero-initialised.
    let code = unsafe { rcl_get_topic_names_and_types(node.get(), &raw mut allocator, true, &raw mut names) };
    check("rcl_get_topic_names_and_types", code)?;
    // SAFETY: rcl has put the names together.
    let topics = unsafe { array(names.names.data, names.names.size).iter().map(|name| text(*name)).collect() };
    // SAFETY: they were put together above, and are used no more.
    let _ = check("rmw_names_and_types_fini", unsafe { rmw_names_and_types_fini(&raw mut names) });
    Ok(topics)
}

/// The full names of all nodes.
fn all_nodes(node: &NodeHandle) -> Result<Vec<String>, RclError> {
    let _asking = node.asking();
    // SAFETY: no preconditions.
    let (allocator, mut names, mut namespaces) = unsafe {
        let empty = || rcutils_get_zero_initialized_string_array();
        (rcutils_get_default_allocator(), empty(), empty())
    };
    // SAFETY: the node is initialised and asked by one thread at a time, and both results are zero-initialised.
    let code = unsafe { rcl_get_node_names(node.get(), allocator, &raw mut names, &raw mut namespaces) };
    let reported = check("rcl_get_node_names", code).map(|()| {
        // SAFETY: rcl has put both together, of one length.
        let (names, namespaces) = unsafe { (array(names.data, names.size), array(namespaces.data, namespaces.size)) };
        // SAFETY: these are rcl's texts.
        let pairs = names.iter().zip(namespaces).map(|(name, space)| unsafe { (text(*name), text(*space)) });
        let known = pairs.filter(|(name, _)| !name.is_empty() && name != UNKNOWN_NAME);
        known.map(|(name, space)| format!("{}/{name}", space.trim_end_matches('/'))).collect()
    });
    for list in [&raw mut names, &raw mut namespaces] {
        // SAFETY: it is zero-initialised or was put together above, and is used no more.
        let _ = unsafe { rcutils_string_array_fini(list) };
    }
    reported
}

/// The endpoints of a topic; `as_it_is` takes the name for the middleware's own.
fn ask(node: &NodeHandle, topic: &CStr, as_it_is: bool, side: Side) -> Result<Vec<Endpoint>, RclError> {
    let _asking = node.asking();
    // SAFETY: no preconditions.
    let (mut allocator, mut found): (_, rcl_topic_endpoint_info_array_t) =
        unsafe { (rcutils_get_default_allocator(), rmw_get_zero_initialized_topic_endpoint_info_array()) };
    let call = match side {
        Side::Publishers => rcl_get_publishers_info_by_topic,
        Side::Subscriptions => rcl_get_subscriptions_info_by_topic,
    };
    // SAFETY: the node is initialised and asked by one thread at a time, and the result is zero-initialised.
    let code: rcl_ret_t = unsafe { call(node.get(), &raw mut allocator, topic.as_ptr(), as_it_is, &raw mut found) };
    let reported = check("rcl_get_info_by_topic", code).map(|()| {
        // SAFETY: rcl has put the endpoints together.
        unsafe { array(found.info_array, found.size).iter().map(|info| endpoint(info)).collect() }
    });
    // SAFETY: it is zero-initialised or was put together above, and is used no more.
    let code = unsafe { rmw_topic_endpoint_info_array_fini(&raw mut found, &raw mut allocator) };
    let _ = check("rmw_topic_endpoint_info_array_fini", code);
    reported
}

/// What rmw calls a node that it has not heard of yet (`rmw_dds_common/src/graph_cache.cpp`).
const UNKNOWN_NAME: &str = "_NODE_NAME_UNKNOWN_";

/// # Safety
/// `info` has been put together by rcl.
unsafe fn endpoint(info: &rmw_topic_endpoint_info_t) -> Endpoint {
    // SAFETY: these are rcl's texts.
    let (name, namespace, message_type) =
        unsafe { (text(info.node_name), text(info.node_namespace), text(info.topic_type)) };
    let qos = info.qos_profile;
    Endpoint {
        node: (name != UNKNOWN_NAME).then(|| format!("{}/{name}", namespace.trim_end_matches('/'))),
        message_type,
        gid: Gid(info.endpoint_gid),
        is_reliable: qos.reliability == rmw_qos_reliability_policy_t::RMW_QOS_POLICY_RELIABILITY_RELIABLE,
        is_latched: qos.durability == rmw_qos_durability_policy_t::RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
    }
}
