//! In which order servos are asked, and which of them answered.

use std::ops::Range;

/// What came of asking a servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It was not asked.
    Unasked,
    /// It did not answer.
    Missed,
    /// It answered.
    Answered,
}

/// The order, from one exchange to the next.
#[derive(Debug)]
pub(super) struct Rounds {
    /// Servos that answered when they were last asked, those that wait longest first; then those that did not.
    order: Vec<usize>,
    next: Vec<usize>,
    heard: Vec<Heard>,
    missing: Vec<bool>,
}

impl Rounds {
    pub fn new(count: usize) -> Self {
        let order: Vec<_> = (0..count).collect();
        Self { next: order.clone(), order, heard: vec![Heard::Unasked; count], missing: vec![false; count] }
    }

    /// Begins an exchange: nobody has been asked.
    pub fn begin(&mut self) {
        self.heard.fill(Heard::Unasked);
    }

    /// All are asked, or taken for asked, and nobody has answered.
    pub fn ask_all(&mut self) {
        self.heard.fill(Heard::Missed);
    }

    /// The line failed: nobody else answers.
    pub fn fail(&mut self) {
        for heard in self.heard.iter_mut().filter(|heard| **heard == Heard::Unasked) {
            *heard = Heard::Missed;
        }
    }

    /// A stop came in between: silence says nothing of a servo.
    pub fn forgive(&mut self) {
        for heard in self.heard.iter_mut().filter(|heard| **heard == Heard::Missed) {
            *heard = Heard::Unasked;
        }
    }

    /// Notes what came of asking one.
    pub fn note(&mut self, index: usize, answered: bool) {
        self.heard[index] = if answered { Heard::Answered } else { Heard::Missed };
    }

    pub fn heard(&self, index: usize) -> Heard {
        self.heard[index]
    }

    /// Whether any did not answer when it was last asked.
    pub fn any_missing(&self) -> bool {
        self.missing.contains(&true)
    }

    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Places in the order of those to be asked if they are asked one by one: `most` and one of the missing, or more of them
    /// if there are not so many others.
    pub fn turn(&self, most: usize) -> impl Iterator<Item = usize> + use<> {
        let there = self.order.iter().filter(|index| !self.missing[**index]).count();
        let asked: Range<usize> = 0..there.min(most);
        let missing = there..self.order.len().min(there + most + 1 - asked.len());
        asked.chain(missing)
    }

    /// Ends an exchange: those that answered are behind those that wait, and those that are missing at the end, each time
    /// with another one first: some servos answer only once the one that is named before them has.
    pub fn end(&mut self) {
        for (missing, heard) in self.missing.iter_mut().zip(&self.heard) {
            *missing = *heard == Heard::Missed || (*missing && *heard == Heard::Unasked);
        }
        self.next.clear();
        let class = |index: usize| (self.missing[index], self.heard[index] == Heard::Answered);
        for wanted in [(false, false), (false, true), (true, false)] {
            self.next.extend(self.order.iter().filter(|index| class(**index) == wanted));
        }
        std::mem::swap(&mut self.order, &mut self.next);
        let there = self.missing.iter().filter(|missing| !**missing).count();
        let asked_missing = self.order[there..].iter().any(|index| self.heard[*index] == Heard::Missed);
        if let [_, _, ..] = self.order[there..]
            && asked_missing
        {
            self.order[there..].rotate_left(1);
        }
    }
}
