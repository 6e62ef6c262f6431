//! When what a message holds was so, by its stamp.

use std::time::Duration;

/// What is older says how things were.
const OLDEST: Duration = Duration::from_millis(500);
/// A stamp may be ahead by so much: clocks are set to each other no better.
const AHEAD: Duration = Duration::from_millis(50);

/// When it was taken, on the clock of the control loop; without a stamp, now. `stamps_now` is the clock of stamps.
///
/// # Errors
/// Why the stamp cannot be.
pub(crate) fn taken_at(what: &str, stamp: Duration, stamps_now: Duration, now: Duration) -> Result<Duration, String> {
    if stamp.is_zero() {
        return Ok(now);
    }
    let (age, ahead) = (stamps_now.saturating_sub(stamp), stamp.saturating_sub(stamps_now));
    let help = "set the sender's clock by this computer's (chrony), or send sooner";
    if ahead > AHEAD {
        Err(format!("the {what}'s stamp is {:.2} s ahead of this computer's clock; {help}", ahead.as_secs_f64()))
    } else if age > OLDEST {
        Err(format!("the {what} is {:.2} s old by its stamp, and may be 0.5 s; {help}", age.as_secs_f64()))
    } else {
        Ok(now.saturating_sub(age))
    }
}
