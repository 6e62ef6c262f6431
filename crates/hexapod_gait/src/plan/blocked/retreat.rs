//! No way on for now: the path waits. Where it is to go on, the body goes back towards the place straight above its feet,
//! where they have the most room, as fast as the joints can, and by whichever way is open; and where that is of no use,
//! because it leans for its balance, feet in the air come in towards it. So nothing bars the path for ever: every step of
//! the stance is within reach of a body straight above it.

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

/// The pace of a body that as good as stands still.
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
        // The knee of a leg that is nearly straight bends with the root of the way.
        let slower = |ratio: f64| (0.9 / (ratio * ratio)).max(0.1);
        let on = |speed: f64| Pace::FULL.body_slower(STILL).swings_slower(speed);
        let inwards = |speed: f64| Pace { draw_in: speed, ..still };
        let down = |speed: f64| Pace { lower: speed, ..still };
        for way in [&on as &dyn Fn(f64) -> Pace, &inwards, &down] {
            let mut speed = 1.0;
            for _ in 0..RETREATS {
                segment.advance.pace = way(speed);
                segment.end = *start;
                match path.go(start, segment, budget, look) {
                    Ok(()) if segment.end.walk.feet() != start.walk.feet() => return,
                    Err(Blocked::Unknown) => return hold(path, start, segment),
                    Err(Blocked::TooFast(ratio)) => speed *= slower(ratio),
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
    use crate::state::foot::{Foot, Swing};
    use crate::state::tests::{bent, on_its_feet, shipped};
    use crate::state::walk::Step;
    use nalgebra::Vector3;

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

    #[test]
    fn when_the_body_is_over_its_feet_expect_those_in_the_air_to_go_on() {
        let robot = shipped();
        let mut start = on_its_feet(&robot, Mode::Walking);
        let reach = start.walk.nominal.reach;
        let (twist, aim) = (crate::plane::twist::Twist::ZERO, crate::plane::twist::Twist::ZERO);
        let out = start.walk.foot(0).position() * 1.05;
        start.walk.feet[0] = Foot::Planted { at: out };
        start.walk.lift(&robot.1, 0, &Step { twist, aim, height: 0.03, reach, foothold: None });
        let start = bent(&robot.0, start);
        let segment = retreated(&start, false, 400);
        assert!(segment.advance.pace.body < 1e-6 && swing(&segment.end).progress > swing(&start).progress);
    }

    fn swing(state: &State) -> Swing {
        match *state.walk.foot(0) {
            Foot::Swinging(swing) => swing,
            _ => panic!("it is in the air"),
        }
    }

    #[test]
    fn when_the_effort_is_spent_expect_the_pose_held_and_the_reason_given() {
        let start = leant(Mode::Walking);
        let segment = retreated(&start, false, 0);
        assert_eq!((segment.end.angles, segment.by), (start.angles, LimitedBy::Planning));
    }
}
