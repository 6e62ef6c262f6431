//! Calls of services: requests sent from any thread, answers handled where the node spins.

use crate::entity::{Entity, take_each};
use crate::error::RosError;
use crate::local::{LocalTopics, ask};
use crate::received::{Received, next_local_id};
use crate::reply::Reply;
use crate::rmw_watchdog::Beat;
use hexapod_rcl::{Client, RclError, Requester, WaitSet};
use r2r::WrappedServiceTypeSupport;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many requests of a caller may be unanswered.
const MOST_OPEN: usize = 16;
/// How long an answer is waited for.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// A request whose answer is waited for.
struct Open<R> {
    number: i64,
    since: Instant,
    handle: Box<dyn FnOnce(R) + Send>,
}

type OpenRequests<R> = Arc<Mutex<Vec<Open<R>>>>;

/// Calls a service; answers are handled on the node's spinning thread, those of the same process on the thread that
/// answers. An answer that does not come within 10 s is waited for no longer.
pub struct Caller<S: WrappedServiceTypeSupport> {
    requester: Requester<S>,
    open: OpenRequests<S::Response>,
    service: String,
    local: Option<LocalTopics>,
    id: u64,
}

impl<S: WrappedServiceTypeSupport<Request: 'static, Response: Send + 'static> + 'static> Caller<S> {
    /// Its number in this process ([`Sender::Local`](crate::Sender::Local)).
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Sends a request; `handle` gets the answer, if one comes. Where too many wait for an answer already, the oldest is
    /// waited for no longer: what is asked for last counts most.
    ///
    /// # Errors
    /// The request cannot be sent.
    pub fn call(
        &self,
        request: &S::Request,
        handle: impl FnOnce(S::Response) + Send + 'static,
    ) -> Result<(), RosError> {
        if let Some(server) = self.local.as_ref().and_then(|local| local.server::<S>(&self.service)) {
            ask::<S>(&server, request.clone(), Reply::local(handle), &Received::local(self.id));
            return Ok(());
        }
        forget(&self.open, Instant::now());
        // Held while the request is sent: the answer may be there before its number is.
        let mut open = locked(&self.open);
        let number = self.requester.send_request(request).map_err(|e| RosError::topic(&self.service, e))?;
        let oldest = make_room(&mut open);
        open.push(Open { number, since: Instant::now(), handle: Box::new(handle) });
        drop(open);
        // What its handler holds is dropped without the lock.
        drop(oldest);
        Ok(())
    }
}

/// The side of a caller that takes the answers.
pub(crate) struct Answers<S: WrappedServiceTypeSupport> {
    client: Client<S>,
    open: OpenRequests<S::Response>,
    service: String,
}

/// Both sides of the calls of one service.
pub(crate) fn calls<S: WrappedServiceTypeSupport<Request: 'static, Response: 'static>>(
    client: Client<S>,
    service: &str,
    local: Option<LocalTopics>,
) -> (Caller<S>, Answers<S>) {
    let (requester, open) = (client.requester(), OpenRequests::default());
    let answers = Answers { client, open: Arc::clone(&open), service: service.into() };
    (Caller { requester, open, service: service.into(), local, id: next_local_id() }, answers)
}

impl<S: WrappedServiceTypeSupport<Request: 'static, Response: 'static>> Entity for Answers<S> {
    fn join(&self, set: &mut WaitSet) -> Result<usize, RclError> {
        set.add(&self.client)
    }

    fn handle(&mut self, most: usize, beat: &Beat) {
        let open = &self.open;
        take_each(
            &self.service,
            (most, beat),
            || self.client.take_response(),
            |(answer, number)| {
                if let Some(open) = close(open, number) {
                    (open.handle)(answer);
                }
            },
        );
    }

    fn forget(&mut self, now: Instant) {
        forget(&self.open, now);
    }
}

/// Takes the oldest request out where there are too many.
fn make_room<R>(open: &mut Vec<Open<R>>) -> Option<Open<R>> {
    let oldest = open.iter().enumerate().min_by_key(|(_, open)| open.since).map(|(index, _)| index)?;
    (open.len() >= MOST_OPEN).then(|| open.swap_remove(oldest))
}

fn close<R>(open: &OpenRequests<R>, number: i64) -> Option<Open<R>> {
    let mut open = locked(open);
    let index = open.iter().position(|open| open.number == number)?;
    Some(open.swap_remove(index))
}

/// Drops the requests that have waited too long; what their handlers hold is dropped without the lock.
fn forget<R>(open: &OpenRequests<R>, now: Instant) {
    let late = |open: &mut Open<R>| now.saturating_duration_since(open.since) >= REPLY_TIMEOUT;
    let forgotten: Vec<_> = locked(open).extract_if(.., late).collect();
    if !forgotten.is_empty() {
        tracing::debug!("{} requests were not answered within {REPLY_TIMEOUT:?}", forgotten.len());
    }
}

fn locked<R>(open: &OpenRequests<R>) -> MutexGuard<'_, Vec<Open<R>>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_an_answer_does_not_come_expect_its_request_forgotten_and_no_younger_one() {
        let open = OpenRequests::<()>::default();
        let since = Instant::now();
        for (number, since) in [(1, since), (2, since + REPLY_TIMEOUT / 2)] {
            locked(&open).push(Open { number, since, handle: Box::new(|()| {}) });
        }
        forget(&open, since + REPLY_TIMEOUT - Duration::from_nanos(1));
        assert_eq!(locked(&open).len(), 2);
        forget(&open, since + REPLY_TIMEOUT);
        assert!(close(&open, 1).is_none() && close(&open, 2).is_some() && close(&open, 2).is_none());
    }

    #[test]
    fn when_too_many_wait_expect_the_oldest_forgotten_and_the_newest_kept() {
        let open = OpenRequests::<()>::default();
        let since = Instant::now();
        for number in 0..40 {
            let at = since + Duration::from_millis(number);
            let oldest = make_room(&mut locked(&open));
            assert_eq!(oldest.map(|open| open.number), (number >= 16).then(|| number as i64 - 16));
            locked(&open).push(Open { number: number as i64, since: at, handle: Box::new(|()| {}) });
        }
        assert_eq!(locked(&open).len(), MOST_OPEN);
        assert!(close(&open, 39).is_some() && close(&open, 23).is_none());
    }
}
