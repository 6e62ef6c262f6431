//! A node's `/rosout`.

use crate::error::RosError;
use crate::log;
use crate::node::RosNode;
use r2r::QosProfile;
use std::time::Duration;

/// Most lines of one node that `/rosout` keeps for those who come later; rcl keeps 1000.
const DEPTH: usize = 100;
/// How long it keeps them, as rcl does.
const LIFESPAN: Duration = Duration::from_secs(10);

impl RosNode {
    /// Opens the node's `/rosout`, where the process logs; what was said before is published at once.
    pub(crate) fn open_log(&mut self) -> Result<(), RosError> {
        if !log::is_on() {
            return Ok(());
        }
        let qos = QosProfile::default().keep_last(DEPTH).reliable().transient_local().lifespan(LIFESPAN);
        let publisher = self.publisher("/rosout", qos)?;
        log::publish_on(self.logger().to_owned(), publisher);
        Ok(())
    }
}
