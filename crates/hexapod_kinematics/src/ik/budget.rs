//! What an inverse by iteration may cost.

/// Steps that iterations may still take: shared by all that is solved in one tick of a control loop, it bounds that tick
/// whatever the legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationBudget {
    steps: u32,
}

impl IterationBudget {
    /// As many as it takes.
    #[must_use]
    pub const fn unbounded() -> Self {
        Self::new(u32::MAX)
    }

    /// So many steps.
    #[must_use]
    pub const fn new(steps: u32) -> Self {
        Self { steps }
    }

    /// Steps that are left.
    #[must_use]
    pub fn left(&self) -> u32 {
        self.steps
    }

    /// So many steps of it, or what is left.
    pub(super) fn at_most(&self, steps: u32) -> Self {
        Self::new(self.steps.min(steps))
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.steps == 0
    }

    /// Takes some steps; false, and nothing is left, where there are not that many.
    pub fn take(&mut self, steps: u32) -> bool {
        let enough = self.steps >= steps;
        self.steps = self.steps.saturating_sub(steps);
        enough
    }
}
