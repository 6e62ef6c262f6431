//! Why the board has let go of its servos by itself.

use thiserror::Error;

/// Why, in words that follow "switched its servos off".
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub(super) enum Trip {
    /// They drew too much.
    #[error(
        "at {0:.1} A, too much for too long: look for a leg that is blocked or a servo that is broken, then enable"
    )]
    Current(f64),
    /// Their supply sank so low, V.
    #[error("at {0:.1} V, too little: charge the battery, check its wires and plugs, then enable")]
    Voltage(f64),
    /// One servo drew too much.
    #[error("because one of them drew too much: look for a leg that is blocked or a servo that is broken, then enable")]
    Servo,
    /// It heard nothing.
    #[error("because it heard nothing for too long: check its cable and the load of this computer, then enable")]
    Watchdog,
}
