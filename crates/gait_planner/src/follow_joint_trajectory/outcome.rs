//! What comes of a goal, from how far its request is and how far its joints are off.

use super::code::Code;
use super::goal::Followed;
use super::tolerances::{Compared, violation};
use crate::progress::Stage;
use crate::requests::Seen;
use crate::trajectory::HOLD_S;
use hexapod_ros::GoalStatus;

/// How a goal goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// It has not begun.
    Waits,
    /// It is played, so many seconds of it are over.
    Goes(f64),
    /// It is over.
    Ends(End),
}

/// What a client gets in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// As the action calls it.
    pub status: GoalStatus,
    /// The same in the words of the result.
    pub code: Code,
    /// The reason.
    pub text: String,
}

impl End {
    /// Of a goal that was not reached.
    #[must_use]
    pub fn aborted(code: Code, text: impl Into<String>) -> Self {
        Self { status: GoalStatus::Aborted, code, text: text.into() }
    }

    /// Of one that another takes the place of.
    #[must_use]
    pub fn of_preempted(is_canceling: bool) -> Self {
        if is_canceling { Self::canceled() } else { Self::aborted(Code::InvalidGoal, "ended by another goal") }
    }

    fn canceled() -> Self {
        Self { status: GoalStatus::Canceled, code: Code::Successful, text: "canceled by its client".into() }
    }

    fn reached() -> Self {
        Self { status: GoalStatus::Succeeded, code: Code::Successful, text: "the last point was reached".into() }
    }
}

/// How a goal goes whose request is `seen` so far, its client having asked to cancel it or not. `joints` are its joints where
/// the servos measure them, else nothing is known of any.
#[must_use]
pub fn course(seen: Option<&Seen>, is_canceling: bool, goal: &Followed, joints: &[Compared]) -> Course {
    let Some(Seen { stage, why, remaining_s }) = seen else {
        return Course::Ends(End::aborted(
            Code::InvalidGoal,
            "what came of it is not known: there were too many requests",
        ));
    };
    let canceled = |by: &str| End::aborted(Code::InvalidGoal, format!("ended by {by}"));
    match stage {
        Stage::Accepted => Course::Waits,
        // On the way to a first point that is the last one, too, all of its hold remains.
        Stage::Executing if *remaining_s >= HOLD_S => {
            let elapsed_s = (goal.end_s + HOLD_S - remaining_s).max(0.0);
            let broken = violation(&goal.tolerances.path, &goal.names, joints).filter(|_| !is_canceling);
            let end = broken.map(|words| End::aborted(Code::PathToleranceViolated, words));
            end.map_or(Course::Goes(elapsed_s), Course::Ends)
        }
        Stage::Executing | Stage::Succeeded => arrival(HOLD_S - remaining_s, goal, joints),
        Stage::Canceling if is_canceling => Course::Goes((goal.end_s + HOLD_S - remaining_s).clamp(0.0, goal.end_s)),
        Stage::Canceled if is_canceling => Course::Ends(End::canceled()),
        Stage::Canceling | Stage::Canceled => Course::Ends(canceled(why)),
        Stage::Aborted | Stage::Rejected => Course::Ends(End::aborted(Code::InvalidGoal, why.clone())),
    }
}

/// What comes of a goal whose last point has been commanded for so many seconds.
fn arrival(held_s: f64, goal: &Followed, joints: &[Compared]) -> Course {
    let Some(words) = violation(&goal.tolerances.goal, &goal.names, joints) else {
        return Course::Ends(End::reached());
    };
    let time_s = goal.tolerances.time_s;
    let most_s = if time_s > 0.0 { time_s.min(HOLD_S) } else { HOLD_S };
    if held_s < most_s {
        return Course::Goes(goal.end_s);
    }
    Course::Ends(End::aborted(Code::GoalToleranceViolated, words))
}

#[cfg(test)]
mod tests {
    use super::super::tolerances::{Tolerance, Tolerances};
    use super::*;
    use crate::joint_views::Reading;

    fn goal(path: f64, at_end: f64, time_s: f64) -> Followed {
        let tolerance = |most| vec![Tolerance { joint: 0, position: Some(most), velocity: None }];
        let tolerances = Tolerances { path: tolerance(path), goal: tolerance(at_end), time_s };
        Followed { names: vec!["a".into()], places: vec![(0, 0)], end_s: 2.0, tolerances }
    }

    fn off(rad: f64) -> [Compared; 1] {
        let reading = |position| Reading { position, velocity: None };
        [(reading(0.0), Some(reading(rad)))]
    }

    fn seen(stage: Stage, why: &'static str, remaining_s: f64) -> Seen {
        Seen { stage, why: why.into(), remaining_s }
    }

    #[test]
    fn when_a_request_goes_on_expect_the_goal_to_follow_and_each_end_by_its_name() {
        use GoalStatus::{Aborted, Canceled, Succeeded};
        let goal = goal(1.0, 1.0, 0.0);
        let ends = |status, code, text: &str| Course::Ends(End { status, code, text: text.into() });
        for (stage, why, remaining_s, is_canceling, expect) in [
            (Stage::Accepted, "", f64::INFINITY, false, Course::Waits),
            (Stage::Accepted, "", f64::INFINITY, true, Course::Waits),
            (Stage::Executing, "", 3.0, false, Course::Goes(0.0)),
            (Stage::Executing, "", 1.5, false, Course::Goes(1.5)),
            (Stage::Executing, "", 1.0, false, Course::Goes(2.0)),
            (Stage::Executing, "", 0.99, false, ends(Succeeded, Code::Successful, "the last point was reached")),
            (Stage::Executing, "", 0.0, true, ends(Succeeded, Code::Successful, "the last point was reached")),
            (Stage::Succeeded, "", 0.0, false, ends(Succeeded, Code::Successful, "the last point was reached")),
            (Stage::Canceling, "its client", 2.5, true, Course::Goes(0.5)),
            (Stage::Canceled, "its client", 0.0, true, ends(Canceled, Code::Successful, "canceled by its client")),
            (Stage::Canceling, "stop", 2.5, false, ends(Aborted, Code::InvalidGoal, "ended by stop")),
            (Stage::Canceled, "cmd_vel", 0.0, false, ends(Aborted, Code::InvalidGoal, "ended by cmd_vel")),
            (Stage::Aborted, "emergency stop", 0.0, false, ends(Aborted, Code::InvalidGoal, "emergency stop")),
            (Stage::Aborted, "emergency stop", 0.0, true, ends(Aborted, Code::InvalidGoal, "emergency stop")),
            (
                Stage::Rejected,
                "the robot is not standing",
                0.0,
                false,
                ends(Aborted, Code::InvalidGoal, "the robot is not standing"),
            ),
        ] {
            assert_eq!(
                course(Some(&seen(stage, why, remaining_s)), is_canceling, &goal, &off(0.5)),
                expect,
                "{stage:?} {why}"
            );
        }
        assert!(matches!(course(None, false, &goal, &[]), Course::Ends(End { status: Aborted, .. })));
    }

    #[test]
    fn when_joints_are_off_expect_the_tolerances_kept_on_the_way_and_at_the_end() {
        let code = |course: Course| match course {
            Course::Ends(end) => Some(end.code),
            _ => None,
        };
        let at = |remaining_s, goal: &Followed, rad| {
            code(course(Some(&seen(Stage::Executing, "", remaining_s)), false, goal, &off(rad)))
        };
        let strict = goal(0.1, 0.05, 0.0);
        assert_eq!(at(2.0, &strict, 0.09), None);
        assert_eq!(at(2.0, &strict, 0.11), Some(Code::PathToleranceViolated));
        assert_eq!(at(0.9, &strict, 0.04), Some(Code::Successful));
        assert_eq!(at(0.9, &strict, 0.06), None, "it has time");
        assert_eq!(at(0.0, &strict, 0.06), Some(Code::GoalToleranceViolated), "as long as it is held");
        for (time_s, remaining_s, expect) in [
            (0.3, 0.8, None),
            (0.3, 0.6, Some(Code::GoalToleranceViolated)),
            (60.0, 0.1, None),
            (60.0, 0.0, Some(Code::GoalToleranceViolated)),
        ] {
            assert_eq!(at(remaining_s, &goal(0.1, 0.05, time_s), 0.06), expect, "{time_s} {remaining_s}");
        }
        let unknown = [(off(0.0)[0].0, None)];
        let blind =
            |remaining_s| code(course(Some(&seen(Stage::Executing, "", remaining_s)), false, &strict, &unknown));
        assert_eq!((blind(2.0), blind(0.9)), (None, Some(Code::Successful)));
    }
}
