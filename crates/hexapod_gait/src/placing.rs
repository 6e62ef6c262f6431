//! Bringing legs to their places one by one, before the body rises on them.

use crate::engine::Engine;
use crate::joints::turn_time;
use crate::mode::{Goal, Mode, Placing, Stage};
use crate::posture::Glide;
use crate::state::State;
use crate::support::SupportPolygon;
use crate::walk::Foot;
use hexapod_kinematics::{Effort, LegAngles};
use nalgebra::Vector3;

/// How far from its place a foot may be when the body rises on it, m.
const PLACED_M: f64 = 1e-4;
/// Seconds each stage of placing a leg takes.
const STAGE_TIME_S: f64 = 0.25;

impl Engine {
    /// Starts to bring a leg that is not in its place there, of those the one without which the robot stands best;
    /// rises when there is none. `placed` has a bit for each leg that has had its turn.
    pub(crate) fn place_from(&mut self, start: &mut State, placed: u32) -> Mode {
        let waiting = (0..self.legs().len()).filter(|&leg| placed & (1 << leg) == 0 && !self.is_placed(start, leg));
        let best = waiting.max_by(|&a, &b| self.margin_without(start, a).total_cmp(&self.margin_without(start, b)));
        let Some(leg) = best else { return self.rise(start) };
        start.packed &= !(1 << leg);
        let from = start.angles_of(leg);
        let (stage, to) = self.deciding(|engine, effort| match engine.lifted(leg, &from, effort) {
            Some(to) => (Stage::Lifting, to),
            None => {
                (Stage::Carrying, engine.angles_in_place(start, leg, engine.plant.stance.spec().step_height, effort))
            }
        });
        let placed = placed | (1 << leg);
        let part = self.stage_glide(leg, &from, &to);
        Mode::Placing(Placing { leg, stage, from, to, part, placed, goal: Goal::Stand })
    }

    /// The stage after one that is done.
    pub(crate) fn after_placing(&mut self, start: &mut State, done: Placing) -> Mode {
        let (stage, lift) = match done.stage {
            Stage::Lifting if done.goal == Goal::Pack => return self.folding(start, done),
            Stage::Lifting => (Stage::Carrying, self.plant.stance.spec().step_height),
            Stage::Carrying => (Stage::Putting, 0.0),
            Stage::Putting if let Goal::Land(then) = done.goal => return self.landed(start, done.leg, then),
            Stage::Putting if done.goal == Goal::Sit => return self.lower_as_found(start),
            Stage::Putting if done.goal == Goal::Pack => {
                start.packed |= 1 << done.leg;
                return self.fold_from(start, done.placed);
            }
            Stage::Putting => return self.place_from(start, done.placed),
        };
        let to = self.deciding(|engine, effort| engine.angles_in_place(start, done.leg, lift, effort));
        let part = self.stage_glide(done.leg, &done.to, &to);
        Mode::Placing(Placing { stage, from: done.to, to, part, ..done })
    }

    /// Starts to fold a leg of those that are not folded, front to rear on either side in turn; sits when all are.
    pub(crate) fn fold_from(&mut self, start: &State, folded: u32) -> Mode {
        let waits = |leg: &usize| folded & (1 << leg) == 0 && *start.walk.foot(*leg) != Foot::Missing;
        let (Some(leg), Some(packed)) = ((0..self.legs().len()).find(waits), self.plant.packed) else {
            self.now.control.then_pack = false;
            return Mode::Sitting;
        };
        let from = start.angles_of(leg);
        let lifted = self.deciding(|engine, effort| engine.lifted(leg, &from, effort));
        let (stage, to) = match lifted {
            Some(to) => (Stage::Lifting, to),
            None => (Stage::Putting, packed.get(leg).copied().unwrap_or(from)),
        };
        let part = self.stage_glide(leg, &from, &to);
        Mode::Placing(Placing { leg, stage, from, to, part, placed: folded | (1 << leg), goal: Goal::Pack })
    }

    /// From a lifted leg to a folded one.
    fn folding(&self, start: &State, done: Placing) -> Mode {
        let packed = self.plant.packed.as_ref().and_then(|packed| packed.get(done.leg));
        let to = packed.copied().unwrap_or_else(|| start.angles_of(done.leg));
        let part = self.stage_glide(done.leg, &done.to, &to);
        Mode::Placing(Placing { stage: Stage::Putting, from: done.to, to, part, ..done })
    }

    /// Lowers the body with every foot where it is over the ground, in its place or not.
    pub(crate) fn lower_as_found(&self, start: &mut State) -> Mode {
        if start.height <= self.plant.stance.spec().sit_height {
            return Mode::Sitting;
        }
        let footprint_from_body = start.footprint_from_body();
        for (foot, (leg, angles)) in start.walk.feet.iter_mut().zip(self.plant.robot.legs().iter().zip(&start.angles)) {
            if let Foot::Planted { at } = foot {
                *at = footprint_from_body.transform_point(&leg.foot_in_body(angles).into()).coords;
            }
        }
        self.lower(start)
    }

    /// Ends on the belly. Legs that are not bent as walking bends them, with their feet on the ground near their places,
    /// are to be brought there before the body rises again.
    pub(crate) fn lie_down(&self, start: &mut State) {
        start.mode = Mode::Sitting;
        start.walk.footing = self.plant.stance.own_footing();
        let feet = start.walk.feet.iter_mut().zip(&start.angles).zip(self.plant.stance.rest());
        for (leg, ((foot, angles), rest)) in feet.enumerate() {
            let uses = self.plant.stance.uses(leg, angles);
            if let Foot::Planted { at } = foot
                && !(uses && at.z.abs() < PLACED_M && self.plant.stance.reach().part(at.xy() - rest) <= 1.0)
            {
                *at = Vector3::new(rest.x, rest.y, 0.0);
            }
        }
    }

    /// The margin by which the robot stands on the feet where they are, but for one.
    fn margin_without(&self, start: &State, without: usize) -> f64 {
        let legs = self.legs().iter().zip(&start.angles).enumerate().filter(|(leg, _)| *leg != without);
        let feet = legs.map(|(_, (leg, angles))| leg.foot_in_body(angles));
        let down = feet.filter(|foot| foot.z < 0.01 - start.height);
        SupportPolygon::new(down.map(|foot| foot.xy())).margin(self.plant.masses.centre(&start.angles).xy())
    }

    fn is_placed(&self, start: &State, leg: usize) -> bool {
        let (Foot::Planted { at }, Some(solver)) = (start.walk.foot(leg), self.legs().get(leg)) else { return true };
        let foot = solver.foot_in_body(&start.angles_of(leg));
        (foot - Vector3::new(at.x, at.y, -start.height)).norm() < PLACED_M
    }

    fn angles_in_place(&self, start: &State, leg: usize, lift: f64, effort: &mut Effort) -> LegAngles {
        let wanted = start.walk.foot(leg).position();
        let foot = Vector3::new(wanted.x, wanted.y, lift - start.height);
        let now = start.angles_of(leg);
        let Some(solver) = self.legs().get(leg) else { return now };
        // From the middle of the range, so that a knee found bent the wrong way is bent back.
        let seeds = [Some(solver.posture()), self.plant.sitting.get(leg).copied()];
        let angles = seeds.into_iter().flatten().find_map(|seed| self.plant.inverse(leg, &foot, &seed, effort));
        angles.unwrap_or_else(|| solver.approach(&foot, &now, effort).angles)
    }

    /// The angles with the foot straight above where it is, if the leg can lift it.
    fn lifted(&self, leg: usize, from: &LegAngles, effort: &mut Effort) -> Option<LegAngles> {
        let foot = self.legs().get(leg)?.foot_in_body(from);
        self.plant.inverse(leg, &(foot + Vector3::new(0.0, 0.0, self.plant.stance.spec().step_height)), from, effort)
    }

    pub(crate) fn stage_glide(&self, leg: usize, from: &LegAngles, to: &LegAngles) -> Glide {
        let turning = self.legs().get(leg).map_or(0.0, |leg| turn_time(leg, from, to));
        Glide::new(0.0, 1.0, turning.max(STAGE_TIME_S))
    }
}
