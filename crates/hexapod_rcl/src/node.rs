//! Nodes: what entities belong to.

use crate::context::{Context, ContextHandle};
use crate::error::{RclError, check};
use crate::graph::Graph;
use crate::opening::one_at_a_time;
use crate::overrides::{Override, overrides};
use crate::pinned::Pinned;
use crate::text::{c_text, text};
use r2r_rcl::{
    rcl_get_zero_initialized_node, rcl_node_fini, rcl_node_get_default_options, rcl_node_get_fully_qualified_name,
    rcl_node_get_name, rcl_node_init, rcl_node_t,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A node. What is created on it keeps it alive.
pub struct Node {
    handle: Arc<NodeHandle>,
}

pub(crate) struct NodeHandle {
    node: Pinned<rcl_node_t>,
    context: Arc<ContextHandle>,
    asking: Mutex<()>,
}

impl Node {
    /// Creates the node `name` in `namespace`, both before `--ros-args` rename it. It has no /rosout.
    ///
    /// # Errors
    /// The name is malformed, or the middleware does not come up.
    pub fn create(context: &Context, name: &str, namespace: &str) -> Result<Self, RclError> {
        let (name, namespace) = (c_text(name)?, c_text(namespace)?);
        let context = Arc::clone(context.handle());
        // SAFETY: no preconditions.
        let node = Pinned::new(unsafe { rcl_get_zero_initialized_node() });
        // SAFETY: no preconditions.
        let mut options = unsafe { rcl_node_get_default_options() };
        options.enable_rosout = false;
        // SAFETY: the node is zero-initialised, the context initialised and kept alive; the rest outlives the call.
        let code = one_at_a_time(|| unsafe {
            rcl_node_init(node.get(), name.as_ptr(), namespace.as_ptr(), context.get(), &raw const options)
        });
        check("rcl_node_init", code)?;
        Ok(Self { handle: Arc::new(NodeHandle { node, context, asking: Mutex::default() }) })
    }

    /// The node's name, without its namespace.
    #[must_use]
    pub fn name(&self) -> String {
        // SAFETY: the node is initialised, and the name lives as long as it.
        unsafe { text(rcl_node_get_name(self.handle.get())) }
    }

    /// The node's name with its namespace, as in `/robot/gait_planner`.
    #[must_use]
    pub fn full_name(&self) -> String {
        self.handle.full_name()
    }

    /// The parameters that `--ros-args` set on this node, in the order in which they hold: of two of one name the later.
    ///
    /// # Errors
    /// rcl cannot read them.
    pub fn overrides(&self) -> Result<Vec<Override>, RclError> {
        // SAFETY: the context is initialised and kept alive by the node, and its arguments do not change.
        let arguments = unsafe { &(*self.handle.context.get()).global_arguments };
        overrides(arguments, &self.name(), &self.full_name())
    }

    /// Who else is there, as far as this node knows.
    #[must_use]
    pub fn graph(&self) -> Graph {
        Graph::of(&self.handle)
    }

    pub(crate) fn handle(&self) -> &Arc<NodeHandle> {
        &self.handle
    }
}

impl NodeHandle {
    pub(crate) fn get(&self) -> *mut rcl_node_t {
        self.node.get()
    }

    pub(crate) fn full_name(&self) -> String {
        // SAFETY: the node is initialised, and the name lives as long as it.
        unsafe { text(rcl_node_get_fully_qualified_name(self.get())) }
    }

    /// Held while the node is asked what rcl documents as not thread-safe.
    pub(crate) fn asking(&self) -> MutexGuard<'_, ()> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for NodeHandle {
    fn drop(&mut self) {
        // SAFETY: it was initialised, and every entity of it would have kept it alive.
        let code = one_at_a_time(|| unsafe { rcl_node_fini(self.get()) });
        let _ = check("rcl_node_fini", code);
    }
}
