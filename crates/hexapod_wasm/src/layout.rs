//! Where each number of a robot's state lies in the one array that the page reads.

use hexapod_kinematics::{Leg, MAX_LEGS};
use serde::Serialize;
use std::collections::BTreeMap;

/// The part of the array that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Part {
    at: usize,
    length: usize,
}

/// The parts by the names of their fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Layout {
    parts: BTreeMap<&'static str, Part>,
    #[serde(skip)]
    length: usize,
}

impl Layout {
    /// The layout for a robot with these legs.
    pub(crate) fn of(legs: &[Leg]) -> Self {
        let joints: usize = legs.iter().map(Leg::joint_count).sum();
        let count = legs.len();
        let mut layout = Self { parts: BTreeMap::new(), length: 0 };
        for (name, length) in [
            ("time", 1),
            ("state", 1),
            ("limitedBy", 1),
            ("gait", 1),
            ("motion", 1),
            ("motionProgress", 1),
            ("packed", 1),
            ("phase", 1),
            ("margin", 1),
            ("travelled", 1),
            ("turned", 1),
            ("twist", 3),
            ("wantedTwist", 3),
            ("joints", joints),
            ("velocities", joints),
            ("feet", 3 * count),
            ("feetInOdom", 3 * count),
            ("contacts", count),
            ("body", 7),
            ("odom", 7),
            ("footprint", 3),
            ("legPoints", 3 * (joints + count)),
            ("centre", 2),
            ("corners", 1),
            ("support", 2 * MAX_LEGS),
        ] {
            layout.parts.insert(name, Part { at: layout.length, length });
            layout.length += length;
        }
        layout.parts.insert("all", Part { at: 0, length: layout.length });
        layout
    }

    /// How many numbers there are.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The numbers of a field; none of one that is not there.
    pub(crate) fn part<'a>(&self, name: &str, numbers: &'a mut [f64]) -> &'a mut [f64] {
        let part = self.parts.get(name).copied().unwrap_or(Part { at: 0, length: 0 });
        numbers.get_mut(part.at..part.at + part.length).unwrap_or_default()
    }
}
