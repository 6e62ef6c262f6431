//! Calls of services whose answers clients wait for.

use crate::intents::ClientId;
use crate::protocol::Service;
use std::time::Duration;

/// How long a service's answer is waited for.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// Calls of a client that may wait for their answers.
const MOST: usize = 8;

/// A call that waits.
#[derive(Debug)]
pub(crate) struct Call {
    number: u64,
    pub client: ClientId,
    /// The number by which the client knows it.
    pub ask: u64,
    pub service: Service,
    since: Duration,
}

/// All that wait.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<Call>,
    /// Calls so far.
    count: u64,
}

impl Calls {
    /// Takes a call down and returns its number; `None` where too many of its client wait already.
    pub fn begin(&mut self, (client, ask): (ClientId, u64), service: Service, now: Duration) -> Option<u64> {
        if self.open.iter().filter(|call| call.client == client).count() >= MOST {
            return None;
        }
        self.count += 1;
        self.open.push(Call { number: self.count, client, ask, service, since: now });
        Some(self.count)
    }

    /// Takes out the call of this number, which was answered; `None` where nobody waits for that any more.
    pub fn close(&mut self, number: u64) -> Option<Call> {
        let index = self.open.iter().position(|call| call.number == number)?;
        Some(self.open.swap_remove(index))
    }

    /// Takes out the calls that have waited too long.
    pub fn late(&mut self, now: Duration) -> Vec<Call> {
        self.open.extract_if(.., |call| now.saturating_sub(call.since) >= ANSWER_TIME).collect()
    }

    /// A client has gone, and waits for nothing any more.
    pub fn leave(&mut self, client: ClientId) {
        self.open.retain(|call| call.client != client);
    }

    /// When the first of them will have waited too long.
    pub fn next(&self) -> Option<Duration> {
        self.open.iter().map(|call| call.since + ANSWER_TIME).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_client_calls_too_much_expect_no_more_of_it_and_others_as_before() {
        let (mut calls, now) = (Calls::default(), Duration::from_secs(100));
        let numbers: Vec<_> = (0..9).map(|ask| calls.begin((1, ask), Service::Stand, now)).collect();
        assert!(numbers[..MOST].iter().all(Option::is_some) && numbers[MOST].is_none());
        let other = calls.begin((2, 0), Service::Sit, now);
        calls.leave(1);
        assert!(numbers.iter().flatten().all(|&number| calls.close(number).is_none()));
        assert_eq!(other.and_then(|number| calls.close(number)).map(|call| call.client), Some(2));
    }

    #[test]
    fn when_calls_are_not_answered_expect_each_late_in_its_turn_and_once() {
        let (mut calls, now) = (Calls::default(), Duration::from_secs(100));
        let later = now + Duration::from_secs(1);
        calls.begin((1, 7), Service::Stand, now);
        calls.begin((1, 8), Service::Sit, later);
        assert_eq!(calls.next(), Some(now + ANSWER_TIME));
        let late = |calls: &mut Calls, at| calls.late(at).iter().map(|call| call.ask).collect::<Vec<_>>();
        assert_eq!(late(&mut calls, now + ANSWER_TIME - Duration::from_nanos(1)), [0; 0]);
        assert_eq!(late(&mut calls, now + ANSWER_TIME), [7]);
        assert_eq!((late(&mut calls, later + ANSWER_TIME), calls.next()), (vec![8], None));
    }
}
