//! Waiting for several entities at once, and being woken.

use crate::awaiting::Awaiting;
use crate::client::{Client, ClientHandle};
use crate::closing::close;
use crate::context::{Context, ContextHandle};
use crate::error::{RclError, check, found};
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use crate::service::{Service, ServiceHandle};
use crate::subscription::{Subscription, SubscriptionHandle};
use crate::text::array;
use r2r::{WrappedServiceTypeSupport, WrappedTypesupport};
use r2r_rcl::{
    RCL_RET_TIMEOUT, rcl_get_zero_initialized_guard_condition, rcl_get_zero_initialized_wait_set,
    rcl_guard_condition_fini, rcl_guard_condition_get_default_options, rcl_guard_condition_init, rcl_guard_condition_t,
    rcl_ret_t, rcl_trigger_guard_condition, rcl_wait, rcl_wait_set_add_client, rcl_wait_set_add_guard_condition,
    rcl_wait_set_add_service, rcl_wait_set_add_subscription, rcl_wait_set_clear, rcl_wait_set_fini, rcl_wait_set_init,
    rcl_wait_set_resize, rcl_wait_set_t, rcutils_get_default_allocator,
};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Waits for subscriptions, services and clients on one thread. What is waited for lives at least as long as this.
pub struct WaitSet {
    set: Pinned<rcl_wait_set_t>,
    guard: Arc<Guard>,
    awaited: Vec<Kind>,
    /// Whether the arrays have room for all that is awaited.
    fits: bool,
    ready: Vec<usize>,
    context: Arc<ContextHandle>,
}

/// What can be waited for.
pub trait Awaited {
    /// What a wait set keeps of it.
    fn waitable(&self) -> Waitable;
}

/// An entity, kept alive by the wait set that it is in.
pub struct Waitable(Kind);

enum Kind {
    Subscription(Arc<SubscriptionHandle>),
    Service(Arc<ServiceHandle>),
    Client(Arc<ClientHandle>),
}

impl WaitSet {
    /// A wait set that can be woken, and waits for nothing else yet.
    ///
    /// # Errors
    /// rcl cannot make it.
    pub fn create(context: &Context) -> Result<Self, RclError> {
        let context = Arc::clone(context.handle());
        let guard = Arc::new(Guard::create(&context)?);
        // SAFETY: no preconditions.
        let set = Pinned::new(unsafe { rcl_get_zero_initialized_wait_set() });
        // SAFETY: the set is zero-initialised, the context initialised and kept alive.
        let code = one_at_a_time(|| unsafe {
            rcl_wait_set_init(set.get(), 0, 1, 0, 0, 0, 0, context.get(), rcutils_get_default_allocator())
        });
        check("rcl_wait_set_init", code)?;
        Ok(Self { set, guard, awaited: vec![], fits: true, ready: vec![], context })
    }

    /// Adds an entity and returns the number by which [`Self::wait`] names it: entities are counted from zero.
    ///
    /// # Errors
    /// It is in a wait set already.
    pub fn add(&mut self, entity: &impl Awaited) -> Result<usize, RclError> {
        let Waitable(waitable) = entity.waitable();
        if !waitable.awaiting().begin() {
            return Err(RclError::AlreadyAwaited);
        }
        self.awaited.push(waitable);
        self.fits = false;
        Ok(self.awaited.len() - 1)
    }

    /// Who ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker { guard: Arc::downgrade(&self.guard) }
    }

    /// Waits until there is something to take, somebody wakes this set, or `timeout` is over; without one, as long as it
    /// takes. Returns the numbers of the entities with something to take; those that are not emptied are named again.
    ///
    /// # Errors
    /// rcl cannot wait.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Result<&[usize], RclError> {
        self.ready.clear();
        self.fill()?;
        let nanos = timeout.map_or(-1, |timeout| i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX));
        // SAFETY: the set is initialised, its entities are alive and in no other set, and with `&mut self` no other
        // thread waits in it.
        let code = unsafe { rcl_wait(self.set.get(), nanos) };
        if found("rcl_wait", code, RCL_RET_TIMEOUT)? {
            self.collect();
        }
        Ok(&self.ready)
    }

    /// Puts everything into the set anew, as is due before each wait.
    fn fill(&mut self) -> Result<(), RclError> {
        let set = self.set.get();
        if !self.fits {
            let count = |kind: fn(&Kind) -> bool| self.awaited.iter().filter(|awaited| kind(awaited)).count();
            let subscriptions = count(|awaited| matches!(awaited, Kind::Subscription(_)));
            let services = count(|awaited| matches!(awaited, Kind::Service(_)));
            let clients = self.awaited.len() - subscriptions - services;
            // SAFETY: the set is initialised, and nobody waits in it.
            let code = unsafe { rcl_wait_set_resize(set, subscriptions, 1, 0, clients, services, 0) };
            check("rcl_wait_set_resize", code)?;
            self.fits = true;
        }
        // SAFETY: the set is initialised, and nobody waits in it.
        check("rcl_wait_set_clear", unsafe { rcl_wait_set_clear(set) })?;
        // SAFETY: as above; the guard condition is initialised and kept alive.
        check("rcl_wait_set_add_guard_condition", unsafe {
            rcl_wait_set_add_guard_condition(set, self.guard.get(), std::ptr::null_mut())
        })?;
        self.awaited.iter().try_for_each(|awaited| check("rcl_wait_set_add", awaited.add_to(set)))
    }

    /// Takes down what rcl has left in the set: what has nothing to take is null there.
    fn collect(&mut self) {
        // SAFETY: the set is initialised, and rcl_wait, which writes to it, has returned.
        let set = unsafe { &*self.set.get() };
        // SAFETY: these are the set's arrays and their sizes.
        let (subscriptions, services, clients) = unsafe {
            (
                array(set.subscriptions, set.size_of_subscriptions),
                array(set.services, set.size_of_services),
                array(set.clients, set.size_of_clients),
            )
        };
        let (mut subscriptions, mut services, mut clients) = (subscriptions.iter(), services.iter(), clients.iter());
        // Each kind stands in its array in the order in which it was added.
        for (number, awaited) in self.awaited.iter().enumerate() {
            let is_ready = match awaited {
                Kind::Subscription(_) => subscriptions.next().is_some_and(|entry| !entry.is_null()),
                Kind::Service(_) => services.next().is_some_and(|entry| !entry.is_null()),
                Kind::Client(_) => clients.next().is_some_and(|entry| !entry.is_null()),
            };
            if is_ready {
                self.ready.push(number);
            }
        }
    }
}

impl<T: WrappedTypesupport> Awaited for Subscription<T> {
    fn waitable(&self) -> Waitable {
        Waitable(Kind::Subscription(Arc::clone(self.handle())))
    }
}

impl<S: WrappedServiceTypeSupport> Awaited for Service<S> {
    fn waitable(&self) -> Waitable {
        Waitable(Kind::Service(Arc::clone(self.handle())))
    }
}

impl<S: WrappedServiceTypeSupport> Awaited for Client<S> {
    fn waitable(&self) -> Waitable {
        Waitable(Kind::Client(Arc::clone(self.handle())))
    }
}

impl Drop for WaitSet {
    fn drop(&mut self) {
        for awaited in &self.awaited {
            awaited.awaiting().end();
        }
        // SAFETY: it was initialised, and with `&mut self` nobody waits in it.
        let fini = |set, _: &mut Arc<ContextHandle>| unsafe { rcl_wait_set_fini(set) };
        close("rcl_wait_set_fini", &mut self.set, Arc::clone(&self.context), fini);
    }
}

impl Kind {
    fn awaiting(&self) -> &Awaiting {
        match self {
            Self::Subscription(entity) => &entity.awaiting,
            Self::Service(entity) => &entity.awaiting,
            Self::Client(entity) => &entity.awaiting,
        }
    }

    fn add_to(&self, set: *mut rcl_wait_set_t) -> rcl_ret_t {
        let index = std::ptr::null_mut();
        // SAFETY: the set is initialised and nobody waits in it; the entity is initialised and kept alive by the set.
        unsafe {
            match self {
                Self::Subscription(entity) => rcl_wait_set_add_subscription(set, entity.get(), index),
                Self::Service(entity) => rcl_wait_set_add_service(set, entity.get(), index),
                Self::Client(entity) => rcl_wait_set_add_client(set, entity.get(), index),
            }
        }
    }
}

/// Ends the wait of a wait set, or its next one if nobody waits. Without effect when the set is gone.
#[derive(Clone)]
pub struct Waker {
    guard: Weak<Guard>,
}

impl Waker {
    /// Wakes.
    pub fn wake(&self) {
        if let Some(guard) = self.guard.upgrade() {
            // SAFETY: the guard condition is initialised and kept alive; it may be triggered from any thread.
            let _ = check("rcl_trigger_guard_condition", unsafe { rcl_trigger_guard_condition(guard.get()) });
        }
    }

    /// Whether the wait set is gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.guard.strong_count() == 0
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waker").field("is_gone", &self.is_gone()).finish()
    }
}

struct Guard {
    condition: Pinned<rcl_guard_condition_t>,
    context: Arc<ContextHandle>,
}

impl Guard {
    fn create(context: &Arc<ContextHandle>) -> Result<Self, RclError> {
        // SAFETY: no preconditions.
        let condition = Pinned::new(unsafe { rcl_get_zero_initialized_guard_condition() });
        // SAFETY: the condition is zero-initialised, the context initialised and kept alive.
        let code = one_at_a_time(|| unsafe {
            rcl_guard_condition_init(condition.get(), context.get(), rcl_guard_condition_get_default_options())
        });
        check("rcl_guard_condition_init", code)?;
        Ok(Self { condition, context: Arc::clone(context) })
    }

    fn get(&self) -> *mut rcl_guard_condition_t {
        self.condition.get()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: it was initialised, and whoever triggers it keeps it alive.
        let fini = |guard, _: &mut Arc<ContextHandle>| unsafe { rcl_guard_condition_fini(guard) };
        close("rcl_guard_condition_fini", &mut self.condition, Arc::clone(&self.context), fini);
    }
}
