use std::time::Duration;

/// An answer of a robot that is heard takes some milliseconds: later than this it is missing.
const ANSWER_TIME: Duration = Duration::from_millis(300);
/// How often an emergency stop is sent again until it is answered: whoever pressed it sees the alarm until then.
const REPEAT_EVERY: Duration = Duration::from_millis(500);

/// An emergency stop from its key to its answer, and the alarm when that is not what it should be.
///
/// ```
/// use hexapod_view::StopAlarm;
/// use std::time::Duration;
///
/// let mut alarm = StopAlarm::default();
/// alarm.ask(Duration::ZERO);
/// assert_eq!(alarm.words(Duration::from_millis(10), true), "");
/// assert!(alarm.words(Duration::from_millis(400), true).contains("NOT ANSWERED"));
/// alarm.answer(Ok(()));
/// assert_eq!(alarm.words(Duration::from_millis(500), true), "");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopAlarm {
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    /// No emergency stop was asked for, or it was answered.
    #[default]
    Quiet,
    Asked {
        first: Duration,
        last: Duration,
    },
    Failed(String),
}

impl StopAlarm {
    /// Takes down that an emergency stop is sent at `now`. Times are on any clock that only goes forward.
    pub fn ask(&mut self, now: Duration) {
        self.state = State::Asked { first: now, last: now };
    }

    /// Takes down what became of it.
    pub fn answer(&mut self, answer: Result<(), String>) {
        self.state = match answer {
            Ok(()) => State::Quiet,
            Err(reason) => State::Failed(reason),
        };
    }

    /// Whether it is to be sent again, which counts as done.
    pub fn is_due(&mut self, now: Duration) -> bool {
        let State::Asked { last, .. } = &mut self.state else { return false };
        let due = now.saturating_sub(*last) >= REPEAT_EVERY;
        if due {
            *last = now;
        }
        due
    }

    /// The alarm, or nothing. A robot that is not heard is not waited for.
    pub fn words(&self, now: Duration, is_heard: bool) -> String {
        match &self.state {
            State::Quiet => String::new(),
            State::Asked { first, .. } => {
                let waited = now.saturating_sub(*first);
                if is_heard && waited < ANSWER_TIME {
                    return String::new();
                }
                format!("EMERGENCY STOP NOT ANSWERED for {:.1} s: cut the power", waited.as_secs_f64())
            }
            State::Failed(reason) => format!("EMERGENCY STOP FAILED: cut the power ({reason})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn when_an_emergency_stop_is_not_answered_expect_an_alarm_within_a_second_until_it_is() {
        let mut alarm = StopAlarm::default();
        assert_eq!(alarm.words(at(0), false), "");
        alarm.ask(at(1000));
        assert_eq!(alarm.words(at(1010), true), "");
        assert!(alarm.words(at(1010), false).contains("NOT ANSWERED"), "nobody is there to answer");
        assert!(alarm.words(at(1900), true).contains("NOT ANSWERED for 0.9 s"));
        assert!(alarm.words(at(100_000), true).contains("NOT ANSWERED for 99.0 s"));
        alarm.answer(Err("the bus hangs".into()));
        assert!(alarm.words(at(1_000_000), true).contains("FAILED: cut the power (the bus hangs)"));
        alarm.ask(at(2_000_000));
        alarm.answer(Ok(()));
        assert_eq!(alarm.words(at(3_000_000), true), "");
    }

    #[test]
    fn when_it_is_not_answered_expect_it_sent_again_until_it_is() {
        let mut alarm = StopAlarm::default();
        assert!(!alarm.is_due(at(9000)));
        alarm.ask(at(0));
        let sent: Vec<_> = (0..=20_000).step_by(10).filter(|&now| alarm.is_due(at(now))).collect();
        assert_eq!(sent, (1..=40).map(|half| half * 500).collect::<Vec<_>>());
        assert!(alarm.is_due(at(1_000_000)) && alarm.words(at(1_000_000), true).contains("NOT ANSWERED"));
        alarm.answer(Ok(()));
        assert!(!alarm.is_due(at(1_001_000)));
    }
}
