//! Two participants of one process, which hear each other as two processes would.

use hexapod_rcl::{Context, Node, Subscription, WaitSet};
use r2r::{QosProfile, WrappedTypesupport};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Discovery takes a moment, on a busy machine a long one.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// A node in a context of its own.
pub fn node(name: &str) -> (Context, Node) {
    let context = Context::create(["test"]).unwrap();
    let node = Node::create(&context, name, "").unwrap();
    (context, node)
}

/// Reliable, and keeping so many.
#[allow(dead_code, reason = "not every test asks for it")]
pub fn keep(depth: usize) -> QosProfile {
    QosProfile::default().reliable().keep_last(depth)
}

/// Waits until `done`.
#[allow(dead_code, reason = "not every test asks for it")]
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < TEST_TIMEOUT, "{what}: not within {TEST_TIMEOUT:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Takes the next message, waiting for it.
#[allow(dead_code, reason = "not every test asks for it")]
pub fn next<T: WrappedTypesupport + 'static>(
    set: &mut WaitSet,
    subscription: &mut Subscription<T>,
) -> (T, hexapod_rcl::MessageInfo) {
    let started = Instant::now();
    loop {
        if let Some(taken) = subscription.take().unwrap() {
            return taken;
        }
        assert!(started.elapsed() < TEST_TIMEOUT, "no message");
        set.wait(Some(Duration::from_secs(1))).unwrap();
    }
}

#[allow(dead_code, reason = "not every test asks for it")]
pub fn system_now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}
