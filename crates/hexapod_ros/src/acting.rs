//! Doing before telling: who acts on a message has it before anybody else hears of it.

use crate::error::RosError;
use crate::node::RosNode;
use crate::received::Received;
use r2r::{QosProfile, WrappedTypesupport};

impl RosNode {
    /// As [`Self::subscribe_shared_from`], for who acts on messages: of those of the same process `handle` has each before
    /// anybody else does ([`SharedPublisher::act`](crate::SharedPublisher::act)).
    ///
    /// # Errors
    /// The subscription cannot be made.
    pub fn subscribe_acting_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(&T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        self.inbound().subscribe_acting_from(topic, qos, handle)
    }
}
