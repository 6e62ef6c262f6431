//! The connection of a process to ROS.

use crate::closing::close;
use crate::error::{RclError, check};
use crate::opening::one_at_a_time;
use crate::pinned::Pinned;
use crate::text::text;
use r2r_rcl::{
    rcl_arguments_fini, rcl_context_fini, rcl_context_t, rcl_get_zero_initialized_arguments,
    rcl_get_zero_initialized_context, rcl_get_zero_initialized_init_options, rcl_init, rcl_init_options_fini,
    rcl_init_options_init, rcl_logging_configure, rcl_logging_fini, rcl_parse_arguments, rcl_shutdown,
    rcutils_get_default_allocator, rmw_get_implementation_identifier,
};
use std::ffi::{CString, OsString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::sync::{Arc, Mutex, PoisonError};

/// The middleware that is loaded, as in `rmw_fastrtps_cpp`; empty if none can be.
#[must_use]
pub fn middleware() -> String {
    // SAFETY: no preconditions; the name is a constant of the library.
    unsafe { text(rmw_get_implementation_identifier()) }
}

/// A connection to ROS, in the domain of `ROS_DOMAIN_ID`. Nodes keep theirs alive.
#[derive(Clone)]
pub struct Context {
    handle: Arc<ContextHandle>,
}

pub(crate) struct ContextHandle {
    context: Pinned<rcl_context_t>,
    logging: Option<Logging>,
}

impl Context {
    /// Connects with the process's arguments, its name first; what follows `--ros-args` is for ROS.
    ///
    /// # Errors
    /// The arguments are malformed, or the environment or the middleware does not allow it.
    pub fn create(arguments: impl IntoIterator<Item: Into<OsString>>) -> Result<Self, RclError> {
        let arguments = arguments.into_iter().map(|argument| CString::new(argument.into().into_vec()));
        let arguments = Arguments::new(arguments.collect::<Result<_, _>>()?);
        let mut handle = one_at_a_time(|| initialise(&arguments))?;
        handle.logging = Some(Logging::start(&handle)?);
        Ok(Self { handle: Arc::new(handle) })
    }

    pub(crate) fn handle(&self) -> &Arc<ContextHandle> {
        &self.handle
    }
}

impl ContextHandle {
    pub(crate) fn get(&self) -> *mut rcl_context_t {
        self.context.get()
    }
}

impl Drop for ContextHandle {
    fn drop(&mut self) {
        let fini = |context, logging: &mut Option<Logging>| {
            // SAFETY: it was initialised, and whatever uses it would have kept it alive.
            unsafe { rcl_shutdown(context) };
            *logging = None;
            // SAFETY: it has been shut down, and nothing uses it any more.
            unsafe { rcl_context_fini(context) }
        };
        close("rcl_context_fini", &mut self.context, self.logging.take(), fini);
    }
}

fn initialise(arguments: &Arguments) -> Result<ContextHandle, RclError> {
    // SAFETY: no preconditions.
    let context = Pinned::new(unsafe { rcl_get_zero_initialized_context() });
    // SAFETY: no preconditions.
    let mut options = unsafe { rcl_get_zero_initialized_init_options() };
    // SAFETY: the options are zero-initialised.
    check("rcl_init_options_init", unsafe {
        rcl_init_options_init(&raw mut options, rcutils_get_default_allocator())
    })?;
    // SAFETY: options and context are initialised as asked for; the arguments outlive the call.
    let initialised = check("rcl_init", unsafe {
        rcl_init(arguments.count(), arguments.pointers.as_ptr(), &raw const options, context.get())
    });
    // SAFETY: they were initialised above, and rcl_init has copied them.
    let _ = check("rcl_init_options_fini", unsafe { rcl_init_options_fini(&raw mut options) });
    match initialised {
        Ok(()) => Ok(ContextHandle { context, logging: None }),
        Err(RclError::Refused { words, .. }) if !arguments.are_sound() => Err(RclError::Arguments { words }),
        Err(error) => Err(error),
    }
}

/// Arguments as `main` gets them in C.
struct Arguments {
    pointers: Vec<*const c_char>,
    /// What the pointers point at.
    _texts: Vec<CString>,
}

impl Arguments {
    fn new(texts: Vec<CString>) -> Self {
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect();
        Self { pointers, _texts: texts }
    }

    fn count(&self) -> c_int {
        c_int::try_from(self.pointers.len() - 1).unwrap_or(c_int::MAX)
    }

    /// Whether rcl can read them.
    fn are_sound(&self) -> bool {
        // SAFETY: no preconditions.
        let mut parsed = unsafe { rcl_get_zero_initialized_arguments() };
        // SAFETY: the arguments outlive the call, and the result is zero-initialised.
        let read = check("rcl_parse_arguments", unsafe {
            let allocator = rcutils_get_default_allocator();
            rcl_parse_arguments(self.count(), self.pointers.as_ptr(), allocator, &raw mut parsed)
        });
        if read.is_ok() {
            // SAFETY: they were read, and are used no more.
            let _ = check("rcl_arguments_fini", unsafe { rcl_arguments_fini(&raw mut parsed) });
        }
        read.is_ok()
    }
}

/// rcl's own logging, which the process has once: the first context configures it, the last one ends it.
struct Logging;

/// How many contexts log.
static LOGGING: Mutex<usize> = Mutex::new(0);

impl Logging {
    fn start(context: &ContextHandle) -> Result<Self, RclError> {
        let mut users = LOGGING.lock().unwrap_or_else(PoisonError::into_inner);
        if *users == 0 {
            // SAFETY: the context is initialised; what is read of its arguments is copied.
            check("rcl_logging_configure", unsafe {
                let allocator = rcutils_get_default_allocator();
                rcl_logging_configure(&raw const (*context.get()).global_arguments, &raw const allocator)
            })?;
        }
        *users += 1;
        Ok(Self)
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        let mut users = LOGGING.lock().unwrap_or_else(PoisonError::into_inner);
        *users -= 1;
        if *users == 0 {
            // SAFETY: it was configured, and nobody configures it anew while the lock is held.
            let _ = check("rcl_logging_fini", unsafe { rcl_logging_fini() });
        }
    }
}
