//! Clients: requests from any thread, answers for one.

use crate::awaiting::Awaiting;
use crate::closing::close;
use crate::error::{RclError, check, found};
use crate::node::Node;
use crate::node_handle::NodeHandle;
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use r2r::{NativeMsg, QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use r2r_rcl::{
    RCL_RET_CLIENT_TAKE_FAILED, rcl_client_fini, rcl_client_get_default_options, rcl_client_init, rcl_client_t,
    rcl_get_zero_initialized_client, rcl_send_request, rcl_service_server_is_available, rcl_take_response,
    rmw_request_id_t,
};
use std::ffi::CString;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};

/// The client of a service, which takes the answers.
pub struct Client<S: WrappedServiceTypeSupport> {
    handle: Arc<ClientHandle>,
    service: PhantomData<fn(S)>,
}

pub(crate) struct ClientHandle {
    client: Pinned<rcl_client_t>,
    pub(crate) awaiting: Awaiting,
    node: Arc<NodeHandle>,
}

/// Sends the requests of a client, from any thread, as long as there is the client.
pub struct Requester<S> {
    handle: Weak<ClientHandle>,
    service: PhantomData<fn(S)>,
}

impl<S: WrappedServiceTypeSupport<Request: 'static, Response: 'static>> Client<S> {
    /// A client of the service `name`, relative to the node and before `--ros-args` rename it.
    ///
    /// # Errors
    /// The name or the QoS does not hold.
    pub fn create(node: &Node, name: &str, qos: QosProfile) -> Result<Self, RclError> {
        let (name, node) = (CString::new(name)?, Arc::clone(node.handle()));
        // SAFETY: no preconditions.
        let client = Pinned::new(unsafe { rcl_get_zero_initialized_client() });
        // SAFETY: no preconditions.
        let mut options = unsafe { rcl_client_get_default_options() };
        options.qos = qos.into();
        // SAFETY: the client is zero-initialised, the node initialised and kept alive; type support is static.
        let code = one_at_a_time(|| unsafe {
            let (node, kind) = (node.get(), std::ptr::from_ref(S::get_ts()));
            rcl_client_init(client.get(), node, kind, name.as_ptr(), &raw const options)
        });
        check("rcl_client_init", code)?;
        let handle = Arc::new(ClientHandle { client, awaiting: Awaiting::default(), node });
        Ok(Self { handle, service: PhantomData })
    }

    /// The next answer and the number of its request, if there is one.
    ///
    /// # Errors
    /// The next answer was malformed; it is gone.
    pub fn take_response(&mut self) -> Result<Option<(S::Response, i64)>, RclError> {
        let mut id = rmw_request_id_t { writer_guid: [0; 16], sequence_number: 0 };
        let response = NativeMsg::<S::Response>::new();
        // SAFETY: the client is initialised and, with `&mut self`, nobody else takes; the answer is an initialised one of
        // its type.
        let code = unsafe { rcl_take_response(self.handle.get(), &raw mut id, response.msg.cast()) };
        let taken = found("rcl_take_response", code, RCL_RET_CLIENT_TAKE_FAILED)?;
        Ok(taken.then(|| (S::Response::from_native(&response), id.sequence_number)))
    }

    /// Who sends the requests.
    #[must_use]
    pub fn requester(&self) -> Requester<S> {
        Requester { handle: Arc::downgrade(&self.handle), service: PhantomData }
    }
}

impl<S: WrappedServiceTypeSupport<Request: 'static>> Requester<S> {
    /// Sends a request and returns its number, which its answer will have.
    ///
    /// # Errors
    /// The client is gone, or the middleware does not take the request.
    pub fn send_request(&self, request: &S::Request) -> Result<i64, RclError> {
        let handle = self.handle.upgrade().ok_or(RclError::Gone)?;
        let request = NativeMsg::<S::Request>::from(request);
        let mut number = 0;
        // SAFETY: the client is initialised and kept alive; rcl_send_request is thread-safe, and nobody else has the
        // request.
        let code = unsafe { rcl_send_request(handle.get(), request.msg.cast(), &raw mut number) };
        check("rcl_send_request", code).map(|()| number)
    }

    /// Whether somebody serves the service.
    ///
    /// # Errors
    /// The client is gone, or the middleware does not tell.
    pub fn is_ready(&self) -> Result<bool, RclError> {
        let handle = self.handle.upgrade().ok_or(RclError::Gone)?;
        let mut ready = false;
        let asking = handle.node.asking();
        // SAFETY: client and node are initialised and kept alive, and the node is asked by one thread at a time.
        let code = unsafe { rcl_service_server_is_available(handle.node.get(), handle.get(), &raw mut ready) };
        drop(asking);
        check("rcl_service_server_is_available", code).map(|()| ready)
    }
}

impl<S> Clone for Requester<S> {
    fn clone(&self) -> Self {
        Self { handle: Weak::clone(&self.handle), service: PhantomData }
    }
}

impl<S: WrappedServiceTypeSupport> Client<S> {
    pub(crate) fn handle(&self) -> &Arc<ClientHandle> {
        &self.handle
    }
}

impl ClientHandle {
    pub(crate) fn get(&self) -> *mut rcl_client_t {
        self.client.get()
    }
}

impl Drop for ClientHandle {
    fn drop(&mut self) {
        // SAFETY: it was initialised on this node, and nobody uses it any more.
        let fini = |client, node: &mut Arc<NodeHandle>| unsafe { rcl_client_fini(client, node.get()) };
        close("rcl_client_fini", &mut self.client, Arc::clone(&self.node), fini);
    }
}
