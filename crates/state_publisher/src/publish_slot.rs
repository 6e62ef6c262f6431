//! When it is to be published next, and for whom.

use std::time::Duration;

/// Without commands for this long, a clock's turns decide when to publish.
pub(crate) const LULL: Duration = Duration::from_millis(100);
/// How long after its publisher has seen a listener the listener has seen the publisher too.
const MUTUAL: Duration = Duration::from_millis(3);
/// How often it is looked whether somebody listens, while nobody has been served.
const WATCH_PERIOD: Duration = Duration::from_millis(1);
/// Stamps that go back by more than this have been set anew, as a simulation does when it is reset.
const RESET: Duration = Duration::from_secs(1);

/// Those who listen to joint states from other processes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Listeners {
    /// Since when the first of them has been seen.
    since: Option<Duration>,
    /// Whether a message has been sent since.
    pub(crate) served: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// There is none, or the same as before.
    Usual,
    /// It has been seen, but may not have seen this publisher yet: what it does not get now, it gets 200 ms later
    /// (`config/fastdds.xml`), and all that follows after that.
    Arriving,
    /// It takes its first message now.
    Arrived,
}

impl Listeners {
    /// What is the case now, of which [`Audience::Arrived`] is reported once.
    pub(crate) fn look(&mut self, heard: bool, now: Duration) -> Audience {
        if !heard {
            *self = Self::default();
        }
        match (heard, self.served, self.may_be_served(heard, now)) {
            (true, false, false) => Audience::Arriving,
            (true, false, true) => {
                self.served = true;
                Audience::Arrived
            }
            _ => Audience::Usual,
        }
    }

    /// When to look again, while nobody has been served.
    pub(crate) fn look_again(&self, now: Duration) -> Duration {
        let served_at = self.since.map(|since| since + MUTUAL).filter(|&at| at > now);
        served_at.unwrap_or(now + WATCH_PERIOD)
    }

    /// Whether somebody listens who has been seen long enough ago.
    pub(crate) fn may_be_served(&mut self, heard: bool, now: Duration) -> bool {
        heard && now >= *self.since.get_or_insert(now) + MUTUAL
    }
}

/// The stamp that something was published with last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Newest(Duration);

impl Newest {
    /// Takes a stamp if it is news.
    pub(crate) fn take(&mut self, stamp: Duration) -> bool {
        let news = stamp > self.0 || self.0 - stamp > RESET;
        if news {
            self.0 = stamp;
        }
        news
    }
}

/// When it is to be published next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PublishSlot {
    next: Duration,
}

impl PublishSlot {
    /// The turn that comes then.
    pub(crate) const fn at(next: Duration) -> Self {
        Self { next }
    }

    /// Whether the turn has come: commands fall a little before or after it, so a quarter of a period is given. One that is
    /// farther away than turns are was set before the clock went back.
    pub(crate) fn has_come(&self, now: Duration, period: Duration) -> bool {
        now + period / 4 >= self.next || self.is_beyond(now, period)
    }

    fn is_beyond(&self, now: Duration, period: Duration) -> bool {
        self.next > now + 2 * period
    }

    /// Passes the turn on; returns how late it was.
    pub(crate) fn pass(&mut self, now: Duration, period: Duration) -> Duration {
        let late = now.saturating_sub(self.next);
        self.next =
            if now > self.next + period || self.is_beyond(now, period) { now + period } else { self.next + period };
        // The first turn, or the first after a lull, is not late.
        if late > LULL { Duration::ZERO } else { late }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn when_somebody_begins_to_listen_expect_a_message_at_once_but_not_before_they_can_take_it() {
        let mut listeners = Listeners::default();
        let looks = [(0, false), (10, true), (12, true), (14, true), (16, true), (20, false), (30, true), (40, true)];
        let seen = looks.map(|(at, heard)| listeners.look(heard, ms(at)));
        use Audience::{Arrived, Arriving, Usual};
        assert_eq!(seen, [Usual, Arriving, Arriving, Arrived, Usual, Usual, Arriving, Arrived]);
    }

    #[test]
    fn when_somebody_has_been_seen_expect_the_next_look_when_they_can_take_a_message() {
        let mut listeners = Listeners::default();
        assert_eq!(listeners.look_again(ms(10)), ms(10) + WATCH_PERIOD);
        listeners.look(true, ms(10));
        assert_eq!(listeners.look_again(ms(11)), ms(10) + MUTUAL);
        assert_eq!(listeners.look(true, ms(10) + MUTUAL), Audience::Arrived);
    }

    #[test]
    fn when_a_stamp_is_old_expect_it_reported_once() {
        let mut newest = Newest::default();
        let reported = [5000, 5000, 5010, 5005, 6000, 4999, 5010].map(|stamp| newest.take(ms(stamp)));
        assert_eq!(reported, [true, false, true, false, true, true, true]);
    }

    #[test]
    fn when_somebody_begins_to_listen_expect_them_reported_what_was_reported_to_nobody() {
        let mut reported = Newest::default();
        assert!(reported.take(ms(5000)));
        let (mut slot, mut reported) = (PublishSlot::at(ms(8)), Newest::default());
        assert!(slot.has_come(ms(8), ms(20)) && reported.take(ms(5000)));
        assert_eq!(slot.pass(ms(8), ms(20)), Duration::ZERO);
        assert!(!slot.has_come(ms(22), ms(20)) && !reported.take(ms(5000)), "and once only");
    }

    #[test]
    fn when_the_clock_goes_back_expect_turns_to_go_on_from_there() {
        let (mut slot, period) = (PublishSlot::default(), ms(20));
        let mut turns = |from: u64| {
            let come = |&tick: &u64| {
                let has_come = slot.has_come(ms(from + 10 * tick), period);
                if has_come {
                    slot.pass(ms(from + 10 * tick), period);
                }
                has_come
            };
            (0..100).filter(come).count()
        };
        assert_eq!([turns(60_000), turns(0), turns(500)], [50, 50, 50]);
    }

    #[test]
    fn when_commands_come_faster_than_the_rate_expect_the_rate_in_step_with_them() {
        for (period, expected) in [(ms(20), 50), (ms(10), 100), (Duration::from_secs_f64(1.0 / 30.0), 30), (ms(5), 100)]
        {
            let mut slot = PublishSlot::default();
            let mut count: i32 = 0;
            for tick in 0..100_u64 {
                // A little early or late, as threads are woken.
                let now = ms(1000 + 10 * tick) + Duration::from_micros(700 * (tick * 7 % 3));
                if slot.has_come(now, period) {
                    slot.pass(now, period);
                    count += 1;
                }
            }
            assert!((count - expected).abs() <= 1, "{count} with a period of {period:?}");
        }
    }
}
