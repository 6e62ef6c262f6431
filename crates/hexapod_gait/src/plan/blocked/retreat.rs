//! No way on for now: the path waits. Where it is to go on, the body goes back towards the place straight above its feet,
//! where they have the most room, as fast as the joints can, and by whichever way is open; and where that is of no use,
//! because it leans for its balance or a leg on the ground is stretched, feet in the air go on without it, come in towards
//! it, or come down. So nothing bars the path for ever: every step of the stance is within reach of a body straight above it.

use crate::gait::posture::{BodyOffset, WayBack};
use crate::path::{Blocked, Path};
use crate::plan::blocked::pacing::{hold, stay};
use crate::plane::grid::GRID_S;
use crate::plane::limits::LimitedBy;
use crate::state::State;
use crate::state::mode::Mode;
use crate::state::segment::{Advance, Pace, Segment};
use hexapod_kinematics::{IterationBudget, Look};

/// Parts of the way back that are tried.
const RETREATS: usize = 4;

/// Ways out for feet in the air, by speed: on along their swings, in under the body, and down.
const WAYS: [fn(f64) -> Pace; 3] = [
    |speed| Pace { swing: speed, ..Pace::FULL }.body_slower(STILL),
    |speed| Pace { draw_in: speed, ..Pace::FULL.slower(0.0) },
    |speed| Pace { lower: speed, ..Pace::FULL.slower(0.0) },
];
/// The pace of a body that all but stands still: swings have theirs in parts of it.
const STILL: f64 = 1e-9;

/// Makes it the segment of a robot that cannot go on as planned, and that goes back only where it is about to go on, as
/// one does that stands and is `leaving`.
pub(crate) fn retreat(
    path: &Path,
    start: &State,
    segment: &mut Segment,
    leaving: bool,
    budget: &mut IterationBudget,
    look: &mut Look,
) {
    let still = Pace::FULL.slower(0.0);
    segment.by = segment.by.max(LimitedBy::Kinematics);
    if start.mode != Mode::Standing || leaving {
        for way in WayBack::ALL {
            segment.advance.rates.offset = start.offset.rate_to(&way.from(start.offset, GRID_S), GRID_S);
            segment.advance.pace = Pace { offset: 1.0, ..still };
            for _ in 0..RETREATS {
                segment.end = *start;
                let went = path.go(start, segment, budget, look);
                let Segment { advance: Advance { pace, .. }, end, .. } = &mut *segment;
                match went {
                    Ok(()) if end.offset != start.offset => return,
                    Err(Blocked::TooFast(ratio)) => pace.offset *= (0.95 / ratio).min(0.5),
                    Ok(()) | Err(Blocked::OutOfReach | Blocked::TooNear) => pace.offset *= 0.25,
                    Err(Blocked::Unknown) => return hold(path, start, segment),
                }
            }
        }
    }
    segment.advance.rates.offset = BodyOffset::default();
    if start.mode.steps() && !start.walk.all_planted() {
        for way in WAYS {
            let mut speed = 1.0;
            for _ in 0..RETREATS {
                segment.advance.pace = way(speed);
                segment.end = *start;
                match path.go(start, segment, budget, look) {
                    Ok(()) if segment.end.walk.feet() != start.walk.feet() => return,
                    Err(Blocked::Unknown) => return hold(path, start, segment),
                    // The knee of a leg that is nearly straight bends with the root of the way.
                    Err(Blocked::TooFast(ratio)) => speed *= (0.9 / (ratio * ratio)).max(0.1),
                    Ok(()) | Err(Blocked::OutOfReach | Blocked::TooNear) => speed *= 0.25,
                }
            }
        }
    }
    stay(path, start, segment);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::grid::GRID_NS;
    use crate::plane::twist::Twist;
    use crate::state::foot::{Foot, Swing};
    use crate::state::foothold::Foothold;
    use crate::state::tests::{bent, on_its_feet, shipped};
    use crate::state::walk::Step;
    use nalgebra::{Vector2, Vector3};

    fn retreated(start: &State, leaving: bool, budget: u32) -> Segment {
        let robot = shipped();
        let mut segment = Segment::from(start, GRID_NS);
        let path = Path { plant: &robot.0, gait: &robot.1 };
        retreat(&path, start, &mut segment, leaving, &mut IterationBudget::new(budget), &mut Look::default());
        segment
    }

    fn leant(mode: Mode) -> State {
        let robot = shipped();
        let mut start = on_its_feet(&robot, mode);
        start.offset.translation = Vector3::new(0.02, 0.0, 0.005);
        bent(&robot.0, start)
    }

    #[test]
    fn when_the_body_is_not_over_its_feet_expect_it_to_go_back_towards_them() {
        let start = leant(Mode::Walking);
        let segment = retreated(&start, false, 400);
        assert!(segment.end.offset.translation.norm() < start.offset.translation.norm());
        assert_eq!((segment.by, segment.advance.pace.body), (LimitedBy::Kinematics, 0.0));
        assert_eq!(segment.end.walk.feet(), start.walk.feet());
    }

    #[test]
    fn when_standing_expect_the_pose_kept_unless_the_robot_is_about_to_leave() {
        let start = leant(Mode::Standing);
        assert_eq!(retreated(&start, false, 400).end.offset, start.offset);
        assert_ne!(retreated(&start, true, 400).end.offset, start.offset);
    }

    /// Foot 0 lifted so high, and wanted far ahead of a body that leans back.
    fn lifted(height: f64, leans_m: f64) -> State {
        let robot = shipped();
        let mut start = on_its_feet(&robot, Mode::Walking);
        start.sway.x = -leans_m;
        let (reach, ahead) = (start.walk.nominal.reach, start.walk.nominal.place(0) + Vector2::new(1.0, 0.0));
        let place = Foothold { at: ahead.push(0.0), highest: 0.0 };
        let step = Step { foothold: Some(place), ..Step::flat(Twist::ZERO, height, reach) };
        start.walk.lift(&robot.1, 0, &step);
        bent(&robot.0, start)
    }

    /// The foot before and after the first step in which the way is of that kind.
    fn foot_when(mut start: State, is_way: impl Fn(&Pace) -> bool) -> [Swing; 2] {
        let swing = |state: &State| match *state.walk.foot(0) {
            Foot::Swinging(swing) => swing,
            _ => panic!("it is in the air"),
        };
        for _ in 0..500 {
            let segment = retreated(&start, false, 400);
            if is_way(&segment.advance.pace) {
                return [&start, &segment.end].map(swing);
            }
            start = segment.end;
        }
        panic!("no such way was tried")
    }

    #[test]
    fn when_the_body_is_over_its_feet_expect_those_in_the_air_to_go_on() {
        let [before, after] = foot_when(lifted(0.03, 0.0), |pace| pace.swing > 1.0);
        assert!(after.progress > before.progress);
    }

    #[test]
    fn when_a_foot_in_the_air_is_as_far_out_as_its_leg_goes_expect_it_to_come_in() {
        let [before, after] = foot_when(lifted(0.03, 0.05), |pace| pace.draw_in > 0.0);
        assert!((before.lift_off.xy() - after.lift_off.xy()).norm() > 1e-4, "{before:?} {after:?}");
        assert_eq!(after.progress, before.progress);
    }

    #[test]
    fn when_a_foot_in_the_air_is_as_high_as_its_leg_goes_expect_it_to_come_down() {
        let [before, after] = foot_when(lifted(0.5, 0.0), |pace| pace.lower > 0.0);
        assert!(after.at.z < before.at.z && after.progress == before.progress, "{before:?} {after:?}");
    }

    #[test]
    fn when_the_effort_is_spent_expect_the_pose_held_and_the_reason_given() {
        let start = leant(Mode::Walking);
        let segment = retreated(&start, false, 0);
        assert_eq!((segment.end.angles, segment.by), (start.angles, LimitedBy::Planning));
    }
}
