//! What a node takes in: messages and requests, with who handles them.

use crate::rmw_watchdog::Beat;
use hexapod_rcl::{MessageInfo, RclError, RequestId, RequestInfo, Service, Subscription, WaitSet};
use r2r::{WrappedServiceTypeSupport, WrappedTypesupport};
use std::time::Instant;

/// Something a thread waits for and handles.
pub(crate) trait Entity: Send {
    /// Adds it to what is waited for.
    fn join(&self, set: &mut WaitSet) -> Result<usize, RclError>;
    /// Handles at most `most` of what has come in, with a beat for each.
    fn handle(&mut self, most: usize, beat: &Beat);
    /// Forgets what has waited too long.
    fn forget(&mut self, _now: Instant) {}
}

/// A subscription and who handles its messages.
pub(crate) struct Subscribed<T: WrappedTypesupport, F> {
    pub(crate) subscription: Subscription<T>,
    pub(crate) topic: String,
    pub(crate) handle: F,
}

impl<T, F> Entity for Subscribed<T, F>
where
    T: WrappedTypesupport + 'static,
    F: FnMut(T, MessageInfo) + Send,
{
    fn join(&self, set: &mut WaitSet) -> Result<usize, RclError> {
        set.add(&self.subscription)
    }

    fn handle(&mut self, most: usize, beat: &Beat) {
        take_each(
            &self.topic,
            (most, beat),
            || self.subscription.take(),
            |(message, info)| (self.handle)(message, info),
        );
    }
}

/// A service and who handles its requests.
pub(crate) struct Served<S: WrappedServiceTypeSupport, F> {
    pub(crate) service: Service<S>,
    pub(crate) name: String,
    pub(crate) handle: F,
}

impl<S, F> Entity for Served<S, F>
where
    S: WrappedServiceTypeSupport<Request: 'static, Response: 'static>,
    F: FnMut(S::Request, RequestInfo, RequestId) + Send,
{
    fn join(&self, set: &mut WaitSet) -> Result<usize, RclError> {
        set.add(&self.service)
    }

    fn handle(&mut self, most: usize, beat: &Beat) {
        let take = || self.service.take_request();
        take_each(&self.name, (most, beat), take, |(request, info, id)| (self.handle)(request, info, id));
    }
}

/// Takes and handles at most `most`. What is malformed counts as well.
pub(crate) fn take_each<T>(
    name: &str,
    (most, beat): (usize, &Beat),
    mut take: impl FnMut() -> Result<Option<T>, RclError>,
    mut handle: impl FnMut(T),
) {
    for _ in 0..most {
        beat.beat();
        match take() {
            Ok(Some(taken)) => handle(taken),
            Ok(None) => return,
            Err(error) => tracing::debug!("`{name}`: {error}"),
        }
    }
}
