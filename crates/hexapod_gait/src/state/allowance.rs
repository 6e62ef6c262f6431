//! What may be worked out between two points of the grid, so that a tick ends in time whatever the robot.
//!
//! A robot that walks needs a fraction of it. Where a leg hangs at an edge of what it can do, an event that never comes
//! nearer would be planned for again and again, and every way on would be tried with an iteration for each leg: there
//! the robot holds its pose to the next point of the grid instead, and goes on from there.

use hexapod_kinematics::IterationBudget;

/// Segments from one point of the grid to the next. Swings that the joints draw out come down by segments each of which
/// takes a part of what is left, a fifth at least.
const ROUNDS: u32 = 48;
/// Steps of the legs' iterations, for the decisions at a point of the grid, for segments as they are planned, for what
/// is tried where no segment is found, and for the pose within a segment.
const DECIDING: u32 = 240;
const GOING_ON: u32 = 640;
const GOING_BACK: u32 = 120;
pub(crate) const WITHIN: u32 = 80;
/// What all legs solved at once cost, in such steps.
pub(crate) const BATCH_IK: u32 = 3;

/// What is left of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub rounds: u32,
    pub deciding: IterationBudget,
    pub going_on: IterationBudget,
    pub going_back: IterationBudget,
}

impl Allowance {
    /// All of it, at a point of the grid.
    pub(crate) const FULL: Self = Self {
        rounds: ROUNDS,
        deciding: IterationBudget::new(DECIDING),
        going_on: IterationBudget::new(GOING_ON),
        going_back: IterationBudget::new(GOING_BACK),
    };

    fn used(&self) -> Work {
        let left = self.deciding.left() + self.going_on.left() + self.going_back.left();
        Work { rounds: ROUNDS - self.rounds, steps: DECIDING + GOING_ON + GOING_BACK - left }
    }

    /// What has been done since there was so much left.
    pub(crate) fn since(&self, before: &Self) -> Work {
        let (now, then) = (self.used(), before.used());
        Work { rounds: now.rounds - then.rounds, steps: now.steps - then.steps }
    }
}

/// What a tick has taken, in numbers that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Segments that were planned.
    pub rounds: u32,
    /// Steps of the legs' iterations; a closed form counts as a few.
    pub steps: u32,
}

impl Work {
    /// The most between two points of the grid, 10 ms.
    pub const MOST: Self = Self { rounds: ROUNDS, steps: DECIDING + GOING_ON + GOING_BACK + WITHIN };
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.rounds += other.rounds;
        self.steps += other.steps;
    }
}
