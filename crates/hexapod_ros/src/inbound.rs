//! Subscriptions, services and callers: messages, requests and answers reach them by the middleware, and directly from
//! nodes of the same process.

use crate::call::{Caller, calls};
use crate::entity::{Served, Subscribed};
use crate::error::RosError;
use crate::inputs::Inputs;
use crate::local::{Handler, LocalTopic, LocalTopics, Server, call};
use crate::received::Received;
use crate::reply::Reply;
use hexapod_rcl::{Client, Node, Service, Subscription};
use r2r::{QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::sync::{Arc, Mutex};

/// Makes subscriptions, services and callers of a node, for the thread that has `inputs`.
pub(crate) struct Inbound<'a> {
    pub(crate) node: &'a Node,
    /// Where nodes of the same process reach it directly.
    pub(crate) local: Option<&'a LocalTopics>,
    pub(crate) inputs: &'a mut Inputs,
}

impl Inbound<'_> {
    pub(crate) fn subscribe_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut handle: impl FnMut(T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        if self.local.is_some() {
            let shared = move |message: &T, from: &Received| handle(message.clone(), from);
            return self.subscribe_shared_from(topic, qos, shared);
        }
        self.subscribe_remote(topic, qos, handle)
    }

    /// One `handle`, and its lock, for what comes by the middleware and for nodes of the same process.
    pub(crate) fn subscribe_shared_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(&T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        self.subscribe_with(topic, qos, handle, LocalTopic::add)
    }

    /// The same for who acts on messages.
    pub(crate) fn subscribe_acting_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(&T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        self.subscribe_with(topic, qos, handle, LocalTopic::add_actor)
    }

    fn subscribe_with<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        handle: impl FnMut(&T, &Received) + Send + 'static,
        add: fn(&LocalTopic<T>, &Handler<T>),
    ) -> Result<(), RosError> {
        let handler: Handler<T> = Arc::new(Mutex::new(handle));
        if let Some(local) = self.local {
            add(&local.topic::<T>(topic), &handler);
        }
        let remote = move |message: T, from: &Received| call(&handler, &message, from);
        self.subscribe_remote(topic, qos, remote)
    }

    /// A clone of `handle` for nodes of the same process, which share no lock with this thread then.
    pub(crate) fn subscribe_cloned_from<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut handle: impl FnMut(T, &Received) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        let local = self.local.map(|local| {
            let mut handle = handle.clone();
            let handler: Handler<T> =
                Arc::new(Mutex::new(move |message: &T, from: &Received| handle(message.clone(), from)));
            local.topic::<T>(topic).add(&handler);
            handler
        });
        let remote = move |message: T, from: &Received| {
            // It ends with this subscription.
            let _ = &local;
            handle(message, from);
        };
        self.subscribe_remote(topic, qos, remote)
    }

    /// Calls `handle` with what the middleware brings.
    fn subscribe_remote<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut handle: impl FnMut(T, &Received) + Send + 'static,
    ) -> Result<(), RosError> {
        self.inputs.subscriptions.add::<T>(topic, &qos);
        let subscription = Subscription::create(self.node, topic, qos).map_err(|e| RosError::topic(topic, e))?;
        let handle = move |message, info: hexapod_rcl::MessageInfo| handle(message, &Received::from(info));
        self.inputs.add(topic, Subscribed { subscription, topic: topic.into(), handle })
    }

    /// Calls `take` with each request, a clone of it with those of nodes of the same process.
    pub(crate) fn serve_later_from<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        mut take: impl FnMut(S::Request, Reply<S>, &Received) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        if let Some(local) = self.local {
            let server: Server<S> = Arc::new(Mutex::new(take.clone()));
            local.serve::<S>(name, server);
        }
        let service = Service::<S>::create(self.node, name, QosProfile::services_default());
        let service = service.map_err(|e| RosError::topic(name, e))?;
        let (responder, service_name) = (service.responder(), Arc::<str>::from(name));
        let handle = move |request, info: hexapod_rcl::RequestInfo, id| {
            let reply = Reply::remote(responder.clone(), id, Arc::clone(&service_name));
            take(request, reply, &Received::from(info));
        };
        self.inputs.add(name, Served { service, name: name.into(), handle })
    }

    /// A caller of the service `name`, whose answers are handled on this thread.
    pub(crate) fn caller<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Caller<S>, RosError>
    where
        S::Response: Send,
    {
        let client = Client::<S>::create(self.node, name, QosProfile::services_default());
        let client = client.map_err(|e| RosError::topic(name, e))?;
        let (caller, answers) = calls(client, name, self.local.cloned());
        self.inputs.add(name, answers)?;
        if let Some(local) = self.local {
            local.name(caller.id(), self.node.full_name());
        }
        Ok(caller)
    }
}
