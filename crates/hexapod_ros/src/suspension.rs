//! A process that is to be suspended, as by Ctrl-Z: first it does what it could not do any more.

use signal_hook::consts::SIGTSTP;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Calls `before` whenever this process is to be suspended (SIGTSTP), and suspends it then. SIGSTOP comes without a word.
///
/// # Errors
/// The handler could not be installed.
pub fn before_suspension(before: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTSTP])?;
    let wait = move || {
        for signal in signals.forever() {
            before();
            if let Err(error) = emulate_default_handler(signal) {
                tracing::warn!("this process cannot be suspended: {error}");
            }
        }
    };
    std::thread::Builder::new().name("suspension".into()).spawn(wait).map(|_| ())
}
