//! Which middleware the user has chosen.

use std::env;

extern "C" {
    fn hexapod_choice();
}

/// Names the file `choice.c`, of which the loader calls two functions, so that it is linked.
#[used]
static CHOICE: unsafe extern "C" fn() = hexapod_choice;

/// What `RMW_IMPLEMENTATION` says; none where that is empty.
#[must_use]
pub fn chosen() -> Option<String> {
    env::var("RMW_IMPLEMENTATION").ok().filter(|value| !value.is_empty())
}
