//! Solutions as a tree of choices: an angle for the first joint, then for the next, and so on (S5).

use crate::closed_form::{Solution, Solutions, same};

/// One choice of a joint's angle, and what may follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Joint, 0 at the hip.
    pub joint: usize,
    /// Its angle, rad.
    pub angle: f64,
    /// True when a solution behind this choice is inside all limits.
    pub within_limits: bool,
    /// Choices for the next joint; empty after the last.
    pub then: Vec<Choice>,
}

impl Solutions {
    /// The solutions as a tree: choices of the first joint, each with those of the next joint that go with it. Their
    /// order is that of the list, so that the first choice at each level leads to the solution nearest to the seed.
    pub fn tree(&self) -> Vec<Choice> {
        branches(&self.iter().collect::<Vec<_>>(), 0)
    }
}

fn branches(solutions: &[&Solution], joint: usize) -> Vec<Choice> {
    let mut choices: Vec<(f64, Vec<&Solution>)> = Vec::new();
    for &solution in solutions {
        let Some(&angle) = solution.angles.get(joint) else { continue };
        match choices.iter_mut().find(|(known, _)| same(*known, angle)) {
            Some((_, behind)) => behind.push(solution),
            None => choices.push((angle, vec![solution])),
        }
    }
    choices
        .into_iter()
        .map(|(angle, behind)| Choice {
            joint,
            angle,
            within_limits: behind.iter().any(|solution| solution.within_limits),
            then: branches(&behind, joint + 1),
        })
        .collect()
}
