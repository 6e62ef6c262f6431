//! Services: requests with where they come from, and answers from any thread.

use crate::awaiting::Awaiting;
use crate::closing::close;
use crate::error::{RclError, check, found};
use crate::info::RequestInfo;
use crate::node::Node;
use crate::node_handle::NodeHandle;
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use r2r::{NativeMsg, QosProfile, WrappedServiceTypeSupport};
use r2r_rcl::{
    RCL_RET_SERVICE_TAKE_FAILED, rcl_get_zero_initialized_service, rcl_send_response, rcl_service_fini,
    rcl_service_get_default_options, rcl_service_init, rcl_service_t, rcl_take_request_with_info, rmw_request_id_t,
    rmw_service_info_t,
};
use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};

/// A service. Requests wait in the middleware until they are taken.
pub struct Service<S: WrappedServiceTypeSupport> {
    handle: Arc<ServiceHandle>,
    service: PhantomData<fn(S)>,
}

pub(crate) struct ServiceHandle {
    service: Pinned<rcl_service_t>,
    pub(crate) awaiting: Awaiting,
    node: Arc<NodeHandle>,
}

/// Which request an answer belongs to.
#[derive(Clone, Copy, Debug)]
pub struct RequestId(rmw_request_id_t);

/// Answers the requests of a service, from any thread, as long as there is the service.
pub struct Responder<S> {
    handle: Weak<ServiceHandle>,
    service: PhantomData<fn(S)>,
}

impl<S: WrappedServiceTypeSupport<Request: 'static, Response: 'static>> Service<S> {
    /// Serves `name`, relative to the node and before `--ros-args` rename it.
    ///
    /// # Errors
    /// The name or the QoS does not hold.
    pub fn create(node: &Node, name: &str, qos: QosProfile) -> Result<Self, RclError> {
        let (name, node) = (CString::new(name)?, Arc::clone(node.handle()));
        // SAFETY: no preconditions.
        let service = Pinned::new(unsafe { rcl_get_zero_initialized_service() });
        // SAFETY: no preconditions.
        let mut options = unsafe { rcl_service_get_default_options() };
        options.qos = qos.into();
        // SAFETY: the service is zero-initialised, the node initialised and kept alive; type support is static.
        let code = one_at_a_time(|| unsafe {
            let (node, kind) = (node.get(), std::ptr::from_ref(S::get_ts()));
            rcl_service_init(service.get(), node, kind, name.as_ptr(), &raw const options)
        });
        check("rcl_service_init", code)?;
        let handle = Arc::new(ServiceHandle { service, awaiting: Awaiting::default(), node });
        Ok(Self { handle, service: PhantomData })
    }

    /// The next request and where it comes from, if there is one.
    ///
    /// # Errors
    /// The next request was malformed; it is gone.
    pub fn take_request(&mut self) -> Result<Option<(S::Request, RequestInfo, RequestId)>, RclError> {
        let request_id = rmw_request_id_t { writer_guid: [0; 16], sequence_number: 0 };
        let mut info = rmw_service_info_t { source_timestamp: 0, received_timestamp: 0, request_id };
        // Not kept for the next one: it would keep as much memory as the largest request ever took.
        let request = NativeMsg::<S::Request>::new();
        // SAFETY: the service is initialised and, with `&mut self`, nobody else takes; the request is an initialised one
        // of its type.
        let code = unsafe { rcl_take_request_with_info(self.handle.get(), &raw mut info, request.msg.cast()) };
        let taken = found("rcl_take_request_with_info", code, RCL_RET_SERVICE_TAKE_FAILED)?;
        Ok(taken.then(|| {
            let request = <S::Request as r2r::WrappedTypesupport>::from_native(&request);
            (request, RequestInfo::from(&info), RequestId(info.request_id))
        }))
    }

    /// Who answers the requests.
    #[must_use]
    pub fn responder(&self) -> Responder<S> {
        Responder { handle: Arc::downgrade(&self.handle), service: PhantomData }
    }
}

impl<S: WrappedServiceTypeSupport<Response: 'static>> Responder<S> {
    /// Answers a request. Where the client has not been heard of yet, the middleware waits for it a moment (0.1 s).
    ///
    /// # Errors
    /// The service is gone, or the middleware cannot reach the client.
    pub fn respond(&self, mut id: RequestId, response: &S::Response) -> Result<(), RclError> {
        let handle = self.handle.upgrade().ok_or(RclError::Gone)?;
        let response = NativeMsg::<S::Response>::from(response);
        // SAFETY: the service is initialised and kept alive; rcl_send_response is thread-safe, and nobody else has the
        // answer.
        let code = unsafe { rcl_send_response(handle.get(), &raw mut id.0, response.msg.cast()) };
        check("rcl_send_response", code)
    }
}

impl<S> Clone for Responder<S> {
    fn clone(&self) -> Self {
        Self { handle: Weak::clone(&self.handle), service: PhantomData }
    }
}

impl<S: WrappedServiceTypeSupport> Service<S> {
    pub(crate) fn handle(&self) -> &Arc<ServiceHandle> {
        &self.handle
    }
}

impl ServiceHandle {
    pub(crate) fn get(&self) -> *mut rcl_service_t {
        self.service.get()
    }
}

impl Drop for ServiceHandle {
    fn drop(&mut self) {
        // SAFETY: it was initialised on this node, and nobody uses it any more.
        let fini = |service, node: &mut Arc<NodeHandle>| unsafe { rcl_service_fini(service, node.get()) };
        close("rcl_service_fini", &mut self.service, Arc::clone(&self.node), fini);
    }
}
