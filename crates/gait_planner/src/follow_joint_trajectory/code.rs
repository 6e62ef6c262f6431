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

/// Why a goal cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// As the action calls it.
    pub code: Code,
    /// In words.
    pub reason: String,
}

impl Refusal {
    /// Of a goal that does not hold, or cannot be done.
    #[must_use]
    pub fn goal(reason: String) -> Self {
        Self { code: Code::InvalidGoal, reason }
    }

    /// Of one that names joints wrongly.
    #[must_use]
    pub fn joints(reason: String) -> Self {
        Self { code: Code::InvalidJoints, reason }
    }
}
