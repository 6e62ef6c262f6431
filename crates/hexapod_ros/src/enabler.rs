//! How the clients of this project switch the servos on and off. The driver refuses an `enable` that may have been under way when a
//! stop came, and says how long to wait: then it is called once more, unless somebody has asked for something else meanwhile.

use crate::call::Caller;
use crate::error::RosError;
use crate::pacer::monotonic_now;
use r2r::std_srvs::srv::SetBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is said around the age of the stop, s,
const RECEIVED: &str = "a stop was received ";
const AGO: &str = " s ago";
/// and around the time to wait, s.
const WAIT: &str = "wait ";
const AND_CALL: &str = " s and call enable again";
/// No driver asks for a longer wait.
const LONGEST: Duration = Duration::from_secs(2);
/// Times are said to so many.
const ROUNDING: Duration = Duration::from_millis(10);

type Response = SetBool::Response;
type Handle = Arc<dyn Fn(&Response) + Send + Sync>;

/// Says how long ago a stop was received.
#[must_use]
pub fn stopped_ago(since: Duration) -> String {
    format!("{RECEIVED}{:.2}{AGO}", since.as_secs_f64())
}

/// Asks for another call of `enable` after that time.
#[must_use]
pub fn call_again(wait: Duration) -> String {
    format!("{WAIT}{:.2}{AND_CALL}", wait.as_secs_f64())
}

/// The time after which a refusal asks for another call.
fn wait_of(refusal: &str) -> Option<Duration> {
    let (before, _) = refusal.rsplit_once(AND_CALL)?;
    let (_, seconds) = before.rsplit_once(WAIT)?;
    let wait = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
    (wait <= LONGEST).then_some(wait + ROUNDING)
}

/// How long ago the stop was received, at least, for which a call was refused.
fn ago_of(refusal: &str) -> Option<Duration> {
    let (_, after) = refusal.split_once(RECEIVED)?;
    let ago = Duration::try_from_secs_f64(after.split_once(AGO)?.0.parse().ok()?).ok()?;
    Some(ago.saturating_sub(ROUNDING / 2))
}

/// Calls `enable`. Cheap to clone.
#[derive(Clone)]
pub struct Enabler {
    caller: Arc<Caller<SetBool::Service>>,
    again: Arc<Mutex<Again>>,
}

/// A second call, and the number of what was asked for last.
#[derive(Default)]
struct Again {
    number: u64,
    due: Option<(Duration, Response, Handle)>,
}

impl Again {
    /// Something else is asked for: its number, and the refusal that stands now.
    fn next(&mut self) -> (u64, Option<(Duration, Response, Handle)>) {
        self.number += 1;
        (self.number, self.due.take())
    }

    /// Takes in the answer at `now` of the first call, which was made for somebody who `knew` of what had happened by then;
    /// whether there is to be a second one.
    fn refused(&mut self, number: u64, answer: &Response, handle: &Handle, (knew, now): (Duration, Duration)) -> bool {
        let knew_of_it = |answer: &Response| ago_of(&answer.message).is_none_or(|ago| knew + ago >= now);
        let is_wanted = !answer.success && number == self.number && knew_of_it(answer);
        let wait = wait_of(&answer.message).filter(|_| is_wanted);
        self.due = wait.map(|wait| (now + wait, answer.clone(), Arc::clone(handle)));
        self.due.is_some()
    }

    fn take_due(&mut self, now: Duration) -> Option<(Response, Handle)> {
        self.due.take_if(|(at, ..)| now >= *at).map(|(_, answer, handle)| (answer, handle))
    }
}

impl Enabler {
    /// Calls by this one.
    #[must_use]
    pub fn new(caller: Caller<SetBool::Service>) -> Self {
        Self { caller: Arc::new(caller), again: Arc::default() }
    }

    /// Switches the servos on or off for somebody who `knew` of what had happened by then, on the monotonic clock: there is no
    /// second call after a stop of which he did not know. `handle` gets the answer, that of the second call if there is one.
    ///
    /// # Errors
    /// The request cannot be sent.
    pub fn call(
        &self,
        on: bool,
        knew: Duration,
        handle: impl Fn(&Response) + Send + Sync + 'static,
    ) -> Result<(), RosError> {
        let number = self.drop_again();
        let (again, handle): (_, Handle) = (Arc::clone(&self.again), Arc::new(handle));
        self.caller.call(&SetBool::Request { data: on }, move |answer| {
            if !on || !locked(&again).refused(number, &answer, &handle, (knew, monotonic_now())) {
                handle(&answer);
            }
        })
    }

    /// Somebody stops the robot: there is no second call.
    pub fn cancel(&self) {
        self.drop_again();
    }

    /// Makes the second call where it is due. To be called now and then.
    pub fn poll(&self) {
        let Some((refusal, handle)) = locked(&self.again).take_due(monotonic_now()) else { return };
        let reported = Arc::clone(&handle);
        if self.caller.call(&SetBool::Request { data: true }, move |answer| reported(&answer)).is_err() {
            handle(&refusal);
        }
    }

    fn drop_again(&self) -> u64 {
        let (number, dropped) = locked(&self.again).next();
        if let Some((_, refusal, handle)) = dropped {
            handle(&refusal);
        }
        number
    }
}

fn locked(again: &Mutex<Again>) -> MutexGuard<'_, Again> {
    again.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn refusal(wait: Duration) -> Response {
        Response { success: false, message: format!("{}: {}", stopped_ago(MS(100)), call_again(wait)) }
    }

    #[test]
    fn when_a_refusal_says_how_long_to_wait_expect_one_more_call_after_that() {
        let (mut again, handle): (_, Handle) = (Again::default(), Arc::new(|_: &Response| {}));
        let (number, _) = again.next();
        assert!(again.refused(number, &refusal(MS(634)), &handle, (MS(950), MS(1000))));
        assert!(again.take_due(MS(1634)).is_none() && again.take_due(MS(1640)).is_some());
        assert!(again.take_due(MS(9000)).is_none(), "once");
        for message in ["FAILED bus: wait", "wait 3600.00 s and call enable again", "wait nan s and call enable again"]
        {
            let answer = Response { success: false, message: message.into() };
            assert!(!again.refused(number, &answer, &handle, (MS(950), MS(1000))), "{message}");
        }
    }

    #[test]
    fn when_the_stop_came_after_what_its_caller_knew_expect_no_second_call() {
        let (mut again, handle): (_, Handle) = (Again::default(), Arc::new(|_: &Response| {}));
        let (number, _) = again.next();
        for knew in [890, 904] {
            assert!(!again.refused(number, &refusal(MS(700)), &handle, (MS(knew), MS(1000))), "{knew}");
            assert!(again.take_due(MS(9000)).is_none());
        }
    }

    #[test]
    fn when_somebody_asks_for_something_else_meanwhile_expect_no_second_call_and_the_refusal_reported() {
        let (mut again, handle): (_, Handle) = (Again::default(), Arc::new(|_: &Response| {}));
        let (number, _) = again.next();
        assert!(again.refused(number, &refusal(MS(700)), &handle, (MS(950), MS(1000))));
        assert!(again.next().1.is_some() && again.take_due(MS(9000)).is_none());
        assert!(
            !again.refused(number, &refusal(MS(700)), &handle, (MS(950), MS(1000))),
            "its answer comes after the stop"
        );
    }
}
