//! `state_publisher` as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    hexapod::standalone::main(
        state_publisher::NAME,
        state_publisher::specs(),
        state_publisher::Setup::load,
        state_publisher::run,
    )
}
