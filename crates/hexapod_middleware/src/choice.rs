//! Which middleware the user has chosen.

use std::env;

extern "C" {
    fn hexapod_choice();
}

/// Names the file `choice.c`, of which the loader calls a function, so that it is linked.
#[used]
static CHOICE: unsafe extern "C" fn() = hexapod_choice;

/// What `RMW_IMPLEMENTATION` says, or said before `hexapod doctor` hid it from rcl (`choice.c`); none where that is empty.
#[must_use]
pub fn chosen() -> Option<String> {
    let names = ["RMW_IMPLEMENTATION", "HIDDEN_IMPLEMENTATION"];
    names.iter().find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}
