//! Nodes: what entities belong to.

use crate::context::Context;
use crate::error::RclError;
use crate::graph::Graph;
use crate::node_handle::NodeHandle;
use crate::overrides::{Override, overrides};
use std::sync::Arc;

/// A node. What is created on it keeps it alive.
pub struct Node {
    handle: Arc<NodeHandle>,
}

impl Node {
    /// Creates the node `name` in `namespace`, both before `--ros-args` rename it. It has no /rosout.
    ///
    /// # Errors
    /// The name is malformed, or the middleware does not come up.
    pub fn create(context: &Context, name: &str, namespace: &str) -> Result<Self, RclError> {
        Ok(Self { handle: Arc::new(NodeHandle::create(context, name, namespace)?) })
    }

    /// The node's name, without its namespace.
    #[must_use]
    pub fn name(&self) -> String {
        self.handle.name()
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
        overrides(self.handle.arguments(), &self.name(), &self.full_name())
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
