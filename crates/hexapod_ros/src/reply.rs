//! The answer to a request, on its way to whoever asked.

use hexapod_rcl::{RequestId, Responder};
use r2r::WrappedServiceTypeSupport;
use std::sync::Arc;

/// The answer that a service's caller waits for.
pub struct Reply<S: WrappedServiceTypeSupport>(To<S>);

/// Who waits for an answer.
enum To<S: WrappedServiceTypeSupport> {
    Remote { responder: Responder<S>, id: RequestId, service: Arc<str> },
    Local(Box<dyn FnOnce(S::Response) + Send>),
}

impl<S: WrappedServiceTypeSupport<Response: 'static>> Reply<S> {
    /// To a client of the middleware.
    pub(crate) fn remote(responder: Responder<S>, id: RequestId, service: Arc<str>) -> Self {
        Self(To::Remote { responder, id, service })
    }

    /// To a caller of this process.
    pub(crate) fn local(handle: impl FnOnce(S::Response) + Send + 'static) -> Self {
        Self(To::Local(Box::new(handle)))
    }

    /// Answers. A client that has gone in the meantime is its own affair; one that has not been heard of yet may wait in
    /// vain, on a busy machine.
    pub fn send(self, response: S::Response) {
        match self.0 {
            To::Local(handle) => handle(response),
            To::Remote { responder, id, service } => {
                if let Err(error) = responder.respond(id, &response) {
                    tracing::warn!("the response of `{service}` did not reach its client: {error}");
                }
            }
        }
    }
}
