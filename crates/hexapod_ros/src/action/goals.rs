//! The goals of an action: how far each is, what came of it for whoever asks late, and who waits for that.
//!
//! Invariant: what is kept is bounded, whatever clients do: goals under way by whoever accepts them, goals that are over by
//! number and age, those who wait for a result by number.

use std::time::Duration;

/// The number that a client gives its goal.
pub type GoalId = [u8; 16];

/// How long what came of a goal can be asked for: as rcl's servers do by default.
const KEPT_FOR: Duration = Duration::from_secs(10);
/// So many goals that are over are kept at most; of more, the last ones.
const MOST_OVER: usize = 16;
/// So many requests wait for what comes of one goal at most; of more, the last ones.
const MOST_WAITING: usize = 16;

/// How far a goal is (action_msgs/GoalStatus).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalStatus {
    /// There is no such goal, or no longer.
    Unknown = 0,
    /// It waits.
    Accepted = 1,
    /// It is carried out.
    Executing = 2,
    /// Its client has asked to end it.
    Canceling = 3,
    /// It was reached.
    Succeeded = 4,
    /// It ended because its client had asked for that.
    Canceled = 5,
    /// It ended for another reason.
    Aborted = 6,
}

impl GoalStatus {
    /// Whether nothing more comes.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Canceled | Self::Aborted)
    }

    /// As messages carry it.
    pub(super) fn code(self) -> i8 {
        self as i8
    }
}

/// Why nothing is canceled (action_msgs/srv/CancelGoal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CancelRefused {
    Rejected = 1,
    UnknownGoal = 2,
    GoalOver = 3,
}

/// A goal, results `R` and those who wait for them, `W`.
#[derive(Clone, Debug)]
struct Goal<R, W> {
    id: GoalId,
    /// On the clock of stamps.
    accepted: Duration,
    status: GoalStatus,
    waiting: Vec<W>,
    /// What came of it, and when on the monotonic clock.
    end: Option<(R, Duration)>,
}

/// What a request for a result gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer<R, W> {
    /// It waits.
    Later,
    /// The result.
    Now(W, GoalStatus, R),
    /// There is no such goal.
    Unknown(W),
}

/// The goals of an action, in the order in which they were accepted.
#[derive(Debug)]
pub(super) struct Goals<R, W> {
    goals: Vec<Goal<R, W>>,
}

impl<R: Clone, W> Goals<R, W> {
    pub fn new() -> Self {
        Self { goals: vec![] }
    }

    /// Whether there is a goal of this number.
    pub fn knows(&self, id: &GoalId) -> bool {
        self.goals.iter().any(|goal| goal.id == *id)
    }

    /// Takes up a goal of a number that is not known.
    pub fn accept(&mut self, id: GoalId, stamp: Duration) {
        self.goals.push(Goal { id, accepted: stamp, status: GoalStatus::Accepted, waiting: vec![], end: None });
    }

    /// Takes down that a goal which waited is carried out now; whether it did.
    pub fn execute(&mut self, id: &GoalId) -> bool {
        let waits = |goal: &&mut Goal<R, W>| goal.id == *id && goal.status == GoalStatus::Accepted;
        self.goals.iter_mut().find(waits).is_some_and(|goal| {
            goal.status = GoalStatus::Executing;
            true
        })
    }

    /// Takes down what came of a goal that is not over; those who waited for it.
    pub fn finish(&mut self, id: &GoalId, status: GoalStatus, result: R, now: Duration) -> Vec<W> {
        let goal = self.goals.iter_mut().find(|goal| goal.id == *id && !goal.status.is_over());
        let Some(goal) = goal else { return vec![] };
        (goal.status, goal.end) = (status, Some((result, now)));
        let waiting = std::mem::take(&mut goal.waiting);
        self.forget(now);
        waiting
    }

    /// Who asks for what came of a goal.
    pub fn ask(&mut self, id: &GoalId, who: W, now: Duration) -> Answer<R, W> {
        self.forget(now);
        let Some(goal) = self.goals.iter_mut().find(|goal| goal.id == *id) else { return Answer::Unknown(who) };
        if let Some((result, _)) = &goal.end {
            return Answer::Now(who, goal.status, result.clone());
        }
        if goal.waiting.len() >= MOST_WAITING {
            goal.waiting.remove(0);
        }
        goal.waiting.push(who);
        Answer::Later
    }

    /// Cancels what a request asks for: the goal of this number, all that were accepted until `until`, or both; without
    /// either, all. The goals that are being ended now, with when they were accepted.
    pub fn cancel(
        &mut self,
        id: Option<&GoalId>,
        until: Option<Duration>,
        now: Duration,
    ) -> Result<Vec<(GoalId, Duration)>, CancelRefused> {
        self.forget(now);
        let is_meant = |goal: &Goal<R, W>| match (id, until) {
            (None, None) => true,
            _ => id == Some(&goal.id) || until.is_some_and(|until| goal.accepted <= until),
        };
        let mut canceled = vec![];
        for goal in self.goals.iter_mut().filter(|goal| is_meant(goal) && !goal.status.is_over()) {
            if goal.status != GoalStatus::Canceling {
                goal.status = GoalStatus::Canceling;
                canceled.push((goal.id, goal.accepted));
            }
        }
        match (id.and_then(|id| self.goals.iter().find(|goal| goal.id == *id)), canceled.is_empty()) {
            (_, false) => Ok(canceled),
            (None, true) if id.is_some() => Err(CancelRefused::UnknownGoal),
            (None, true) => Ok(canceled),
            (Some(goal), true) if goal.status.is_over() => Err(CancelRefused::GoalOver),
            // It is being ended already.
            (Some(_), true) => Err(CancelRefused::Rejected),
        }
    }

    /// All that are known, with when they were accepted and how far they are.
    pub fn list(&self) -> impl Iterator<Item = (GoalId, Duration, GoalStatus)> {
        self.goals.iter().map(|goal| (goal.id, goal.accepted, goal.status))
    }

    /// Forgets goals that were over long ago, or too many ago.
    fn forget(&mut self, now: Duration) {
        self.goals.retain(|goal| goal.end.as_ref().is_none_or(|(_, ended)| now.saturating_sub(*ended) < KEPT_FOR));
        let over = self.goals.iter().filter(|goal| goal.status.is_over()).count();
        let mut surplus = over.saturating_sub(MOST_OVER);
        self.goals.retain(|goal| {
            let goes = surplus > 0 && goal.status.is_over();
            surplus -= usize::from(goes);
            !goes
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn with(count: u8) -> Goals<u8, u8> {
        let mut goals = Goals::new();
        (0..count).for_each(|id| goals.accept([id; 16], s(u64::from(id))));
        goals
    }

    #[test]
    fn when_a_result_is_asked_for_expect_it_at_the_end_and_for_ten_seconds_more() {
        let mut goals = with(1);
        let id = [0; 16];
        assert_eq!(goals.ask(&id, 7, s(1)), Answer::Later);
        assert!(goals.execute(&id) && !goals.execute(&id));
        assert_eq!(goals.finish(&id, GoalStatus::Succeeded, 42, s(5)), [7]);
        assert!(goals.finish(&id, GoalStatus::Aborted, 1, s(6)).is_empty(), "an end is final");
        assert!(!goals.execute(&id));
        assert_eq!(goals.ask(&id, 8, s(14)), Answer::Now(8, GoalStatus::Succeeded, 42));
        assert_eq!(goals.ask(&id, 9, s(15)), Answer::Unknown(9));
        assert_eq!(goals.ask(&[1; 16], 9, s(15)), Answer::Unknown(9));
    }

    #[test]
    fn when_goals_are_canceled_expect_those_that_are_meant() {
        let ids = |canceled: Vec<(GoalId, Duration)>| canceled.into_iter().map(|(id, _)| id[0]).collect::<Vec<_>>();
        for (id, until, meant) in [
            (None, None, &[0, 1, 2, 3][..]),
            (Some([2; 16]), None, &[2]),
            (None, Some(1), &[0, 1]),
            (Some([3; 16]), Some(0), &[0, 3]),
        ] {
            let canceled = with(4).cancel(id.as_ref(), until.map(s), s(9)).map(ids);
            assert_eq!(canceled.as_deref(), Ok(meant), "{id:?} {until:?}");
        }
        let mut goals = with(2);
        let _ = goals.finish(&[0; 16], GoalStatus::Aborted, 0, s(1));
        assert_eq!(goals.cancel(Some(&[0; 16]), None, s(1)), Err(CancelRefused::GoalOver));
        assert_eq!(goals.cancel(Some(&[9; 16]), None, s(1)), Err(CancelRefused::UnknownGoal));
        assert!(goals.cancel(Some(&[1; 16]), None, s(1)).is_ok() && !goals.execute(&[1; 16]));
        assert_eq!(goals.cancel(Some(&[1; 16]), None, s(1)), Err(CancelRefused::Rejected));
        assert_eq!(goals.cancel(None, None, s(1)), Ok(vec![]), "all are being ended already");
    }

    proptest! {
        #[test]
        fn when_anything_is_asked_expect_little_kept_and_every_end_final(
            steps in prop::collection::vec((0_u8..6, 0_u8..40, 0_u64..4), 0..400),
        ) {
            let (mut goals, mut now, mut ended) = (Goals::<u8, u8>::new(), s(0), std::collections::HashMap::new());
            for (step, id, wait) in steps {
                now += s(wait);
                let id = [id; 16];
                match step {
                    // Whoever accepts goals has one at a time.
                    0 => {
                        let live: Vec<_> = goals.list().filter(|(_, _, status)| !status.is_over()).collect();
                        for (id, ..) in live {
                            let _ = goals.finish(&id, GoalStatus::Aborted, 1, now);
                            ended.insert(id, GoalStatus::Aborted);
                        }
                        if !goals.knows(&id) {
                            goals.accept(id, now);
                            ended.remove(&id);
                        }
                    }
                    1 => drop(goals.execute(&id)),
                    2 => drop(goals.cancel(Some(&id), None, now)),
                    3 => drop(goals.ask(&id, 1, now)),
                    4 => drop(goals.cancel(None, Some(now), now)),
                    _ => {
                        let live = goals.list().any(|(known, _, status)| known == id && !status.is_over());
                        let _ = goals.finish(&id, GoalStatus::Succeeded, 0, now);
                        if live {
                            ended.insert(id, GoalStatus::Succeeded);
                        }
                    }
                }
                prop_assert!(goals.goals.len() <= MOST_OVER + 1);
                prop_assert!(goals.goals.iter().all(|goal| goal.waiting.len() <= MOST_WAITING));
                for (id, _, status) in goals.list().filter(|(_, _, status)| status.is_over()) {
                    prop_assert_eq!(ended.get(&id), Some(&status));
                }
            }
        }
    }
}
