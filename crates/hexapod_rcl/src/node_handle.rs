//! What entities keep of their node.

use crate::closing::close;
use crate::context::{Context, ContextHandle};
use crate::error::{RclError, check};
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use crate::text::text;
use r2r_rcl::{
    rcl_arguments_t, rcl_get_zero_initialized_node, rcl_node_fini, rcl_node_get_default_options,
    rcl_node_get_fully_qualified_name, rcl_node_get_name, rcl_node_init, rcl_node_t,
};
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A node of rcl, finalised after all that is created on it.
pub(crate) struct NodeHandle {
    node: Pinned<rcl_node_t>,
    context: Arc<ContextHandle>,
    asking: Mutex<()>,
}

impl NodeHandle {
    pub(crate) fn create(context: &Context, name: &str, namespace: &str) -> Result<Self, RclError> {
        let (name, namespace) = (CString::new(name)?, CString::new(namespace)?);
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
        Ok(Self { node, context, asking: Mutex::default() })
    }

    pub(crate) fn name(&self) -> String {
        // SAFETY: the node is initialised, and the name lives as long as it.
        unsafe { text(rcl_node_get_name(self.get())) }
    }

    pub(crate) fn get(&self) -> *mut rcl_node_t {
        self.node.get()
    }

    pub(crate) fn full_name(&self) -> String {
        // SAFETY: the node is initialised, and the name lives as long as it.
        unsafe { text(rcl_node_get_fully_qualified_name(self.get())) }
    }

    /// What the process was started with.
    pub(crate) fn arguments(&self) -> &rcl_arguments_t {
        // SAFETY: the context is initialised and kept alive by the node, and its arguments do not change.
        unsafe { &(*self.context.get()).global_arguments }
    }

    /// Held while the node is asked what rcl documents as not thread-safe.
    pub(crate) fn asking(&self) -> MutexGuard<'_, ()> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for NodeHandle {
    fn drop(&mut self) {
        // SAFETY: it was initialised, and every entity of it would have kept it alive.
        let fini = |node, _: &mut Arc<ContextHandle>| unsafe { rcl_node_fini(node) };
        close("rcl_node_fini", &mut self.node, Arc::clone(&self.context), fini);
    }
}
