//! A walk that changes on rough ground by itself, and back: higher lifts, less speed, a gait with more feet on the ground, as
//! `config/gaits.yaml` says. What the driver has chosen stays what he has chosen: the engine is set to it, or beyond it while
//! the ground is rough, by the same calls that he could make, so feet finish their swings.

use crate::engine::Engine;
use crate::gait::Gait;
use crate::gait::rough::{RoughLevel, RoughSpec};
use crate::plane::twist::Twist;
use crate::state::tick::GaitState;

/// Duty factors nearer than this are one.
const ALIKE: f64 = 1e-3;

/// Watches the ground, and sets an engine to what suits it.
#[derive(Clone, Debug)]
pub struct RoughGait {
    levels: Box<[RoughLevel]>,
    memory: f64,
    /// The gaits that it may go on with, those with more feet on the ground later.
    gaits: Box<[Gait]>,
    is_on: bool,
    /// What the driver has chosen.
    chosen: Gait,
    step_height: f64,
    /// Of the unevenness, of late, m^2 for legs as long as the shipped robot's.
    mean_square: f64,
    /// How many levels are left behind.
    level: usize,
}

/// How rough the ground is, and what comes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Roughness {
    /// Root mean square of how far feet stand from a plane, of late, m.
    pub height_m: f64,
    /// Which level of `config/gaits.yaml` that is, from 1; 0 on ground that is not rough.
    pub level: usize,
    /// The gait that is walked in place of the chosen one, among those that were given.
    pub gait: Option<usize>,
}

impl RoughGait {
    /// One for an engine that is set to what the driver has chosen so far, and may go on with these gaits, which are made ready
    /// for it, those with more feet on the ground later. Without a specification nothing changes.
    #[must_use]
    pub fn new(engine: &Engine, spec: Option<&RoughSpec>, gaits: impl Iterator<Item = Gait>) -> Self {
        let none = RoughSpec { levels: Vec::new(), memory: 1.0 };
        let RoughSpec { levels, memory } = spec.filter(|spec| spec.faults().is_empty()).unwrap_or(&none).clone();
        Self {
            levels: levels.into(),
            memory,
            gaits: gaits.collect(),
            is_on: true,
            chosen: *engine.gait(),
            step_height: engine.step_height(),
            mean_square: 0.0,
            level: 0,
        }
    }

    /// Takes up another gait, as the driver chooses.
    pub fn set_gait(&mut self, engine: &mut Engine, gait: Gait) {
        self.chosen = gait;
        engine.set_gait(self.gait());
    }

    /// Sets the lift of a foot where the ground is not rough, m. NaN is ignored.
    pub fn set_step_height(&mut self, engine: &mut Engine, height: f64) {
        if !height.is_nan() {
            self.step_height = height;
            engine.set_step_height(self.lift(engine));
        }
    }

    /// Lets the walk change with the ground, or no more.
    pub fn switch(&mut self, engine: &mut Engine, is_on: bool) {
        self.is_on = is_on;
        if !is_on {
            self.forget(engine);
        }
    }

    /// What the ground was like is past, as for a robot that is carried.
    pub fn forget(&mut self, engine: &mut Engine) {
        self.mean_square = 0.0;
        self.turn_to(engine, 0);
    }

    /// Looks at the ground after a tick of the engine, `dt` seconds before the next. What is left of a twist that is wanted.
    pub fn adapt(&mut self, engine: &mut Engine, wanted: Twist, dt: f64) -> Twist {
        if self.levels.is_empty() || !self.is_on {
            return wanted;
        }
        match engine.last().state {
            GaitState::Walking => {
                self.take(engine.unevenness() / engine.plant.size, dt / (self.memory * engine.gait().cycle_time()));
                self.turn_to(engine, self.level_for(self.mean_square.sqrt()));
            }
            GaitState::Sitting => self.forget(engine),
            _ => {}
        }
        let speed = self.present().map_or(1.0, |level| level.speed);
        if speed < 1.0 { wanted.scaled(speed) } else { wanted }
    }

    /// How rough the ground is.
    #[must_use]
    pub fn roughness(&self, engine: &Engine) -> Roughness {
        let gait = self.calmer().map(|(index, _)| index);
        Roughness { height_m: self.mean_square.sqrt() * engine.plant.size, level: self.level, gait }
    }

    /// Takes how uneven the ground is now, which counts for so large a part of the time that is remembered.
    fn take(&mut self, uneven: f64, part: f64) {
        let next = self.mean_square + (uneven * uneven - self.mean_square) * part.clamp(0.0, 1.0);
        if next.is_finite() {
            self.mean_square = next;
        }
    }

    /// The level of such ground, coming from the present one.
    fn level_for(&self, rough: f64) -> usize {
        let is_left = |level: usize| level > 0 && self.levels.get(level - 1).is_some_and(|at| rough < at.below);
        let is_reached = |level: usize| self.levels.get(level).is_some_and(|next| rough > next.above);
        let mut level = self.level;
        while is_reached(level) {
            level += 1;
        }
        while is_left(level) {
            level -= 1;
        }
        level
    }

    fn turn_to(&mut self, engine: &mut Engine, level: usize) {
        if level == self.level {
            return;
        }
        let before = (self.lift(engine), self.calmer().map(|(index, _)| index));
        self.level = level;
        if self.lift(engine) != before.0 {
            engine.set_step_height(self.lift(engine));
        }
        if self.calmer().map(|(index, _)| index) != before.1 {
            engine.set_gait(self.gait());
        }
    }

    fn present(&self) -> Option<&RoughLevel> {
        self.level.checked_sub(1).and_then(|index| self.levels.get(index))
    }

    fn lift(&self, engine: &Engine) -> f64 {
        let left = (engine.stance().spec().step_height - self.step_height).max(0.0);
        self.step_height + self.present().map_or(0.0, |level| level.lift) * left
    }

    fn gait(&self) -> Gait {
        self.calmer().map_or(self.chosen, |(_, gait)| *gait)
    }

    /// The gait in place of the chosen one, if another one is: as many steps of the duty factor on as the level says, as far as
    /// there are any.
    fn calmer(&self) -> Option<(usize, &Gait)> {
        let mut steps = self.present()?.calmer;
        let mut found: Option<(usize, &Gait)> = None;
        for (index, gait) in self.gaits.iter().enumerate() {
            let duty_factor = found.map_or(self.chosen, |(_, gait)| *gait).duty_factor();
            if steps > 0 && gait.duty_factor() > duty_factor + ALIKE {
                (found, steps) = (Some((index, gait)), steps - 1);
            }
        }
        found
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::gait::GaitSpec;

    const LEVELS: [[f64; 2]; 3] = [[0.004, 0.003], [0.008, 0.0035], [0.016, 0.01]];

    fn rough() -> RoughGait {
        let level = |[above, below]: [f64; 2]| RoughLevel { above, below, lift: 0.0, speed: 1.0, calmer: 0 };
        RoughGait {
            levels: LEVELS.map(level).into(),
            memory: 1.0,
            gaits: [].into(),
            is_on: true,
            chosen: Gait::try_new(&GaitSpec::default(), &[]).unwrap(),
            step_height: 0.03,
            mean_square: 0.0,
            level: 0,
        }
    }

    #[test]
    fn when_ground_gets_rougher_and_smoother_again_expect_levels_to_follow_and_to_stay_between_their_bounds() {
        let mut rough = rough();
        let mut passed = vec![];
        let up = (0..200).map(|n| 1e-4 * f64::from(n));
        for height in up.clone().chain(up.rev()) {
            let level = rough.level_for(height);
            if level != rough.level {
                passed.push((level > rough.level, (height * 1e4).round() as i32));
            }
            rough.level = level;
        }
        assert_eq!(passed, [(true, 41), (true, 81), (true, 161), (false, 99), (false, 34), (false, 29)]);
        // However much at once, and from wherever it comes.
        assert_eq!((rough.level_for(1.0), rough.level_for(0.0)), (3, 0));
        rough.level = 3;
        assert_eq!(rough.level_for(0.0), 0);
    }

    #[test]
    fn when_ground_is_rougher_throughout_expect_no_lower_level_at_any_time() {
        let mut dice = 1_u64;
        let [mut smooth, mut rougher] = [rough(), rough()];
        for _ in 0..10_000 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let height = 0.03 * (dice >> 40) as f64 / (1_u64 << 24) as f64;
            for (rough, height) in [(&mut smooth, height), (&mut rougher, 1.5 * height + 0.001)] {
                rough.take(height, 0.05);
                rough.level = rough.level_for(rough.mean_square.sqrt());
            }
            assert!(rougher.level >= smooth.level && rougher.mean_square > smooth.mean_square);
        }
    }

    #[test]
    fn when_a_height_is_no_number_expect_it_ignored() {
        let mut rough = rough();
        rough.take(0.01, 0.5);
        let before = rough.mean_square;
        for (uneven, part) in [(f64::NAN, 0.5), (f64::INFINITY, 0.5), (0.01, f64::NAN)] {
            rough.take(uneven, part);
            assert_eq!(rough.mean_square, before);
        }
    }
}
