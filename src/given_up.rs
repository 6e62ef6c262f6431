//! Walks that are given up, for commands that drive the planner without its node.

use hexapod_gait::Engine;

/// How many are told; beyond, that there were more.
const MOST: u32 = 5;

/// Tells of each walk that is given up, once.
#[derive(Debug, Default)]
pub struct GivenUp {
    is_told: bool,
    count: u32,
}

impl GivenUp {
    /// What to say of a walk that has been given up by now, `seconds` from the start.
    pub fn note(&mut self, engine: &Engine, seconds: f64) -> Option<String> {
        let by = engine.gave_up();
        let before = std::mem::replace(&mut self.is_told, by.is_some());
        let by = by.filter(|_| !before)?;
        self.count += 1;
        match self.count {
            ..=MOST => Some(format!("at {seconds:.2} s {}", gait_planner::given_up(by))),
            count if count == MOST + 1 => Some("walks were given up after that, too".into()),
            _ => None,
        }
    }
}
