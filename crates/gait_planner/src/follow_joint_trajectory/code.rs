//! What the action calls the ways in which a goal can end.

/// The `error_code` of a result; r2r's own constants are of a type each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It was reached, or its client has canceled it.
    Successful = 0,
    /// It does not hold, or the robot could not go on.
    InvalidGoal = -1,
    /// It names joints wrongly.
    InvalidJoints = -2,
    /// It should have been over when it came.
    OldHeaderTimestamp = -3,
    /// A joint was too far off on the way.
    PathToleranceViolated = -4,
    /// A joint was too far off at the end.
    GoalToleranceViolated = -5,
}
