//! A stop that finds no way on for its feet ends all the same: feet in the air are put down one by one, the others stand
//! still meanwhile; then the robot stands, or its body comes down between its feet.

use crate::plan::sequence::descent::lower_as_found;
use crate::plant::Plant;
use crate::state::State;
use crate::state::foot::Foot;
use crate::state::mode::{Goal, LegSequence, LegStage, Mode, Stopping, Then};
use crate::state::rates::BodyRates;
use hexapod_kinematics::IterationBudget;

/// Puts down a foot in the air, or else sits down or stands as the robot has come to rest.
pub(crate) fn come_down(plant: &Plant, start: &State, then: Then, budget: &mut IterationBudget) -> State {
    let BodyRates { offset, sway, .. } = start.rates;
    let resting = State { rates: BodyRates { offset, sway, ..BodyRates::REST }, ..start.without_overlay() };
    match resting.walk.feet().iter().position(Foot::is_in_the_air) {
        Some(leg) => resting.in_mode(put_below(plant, start, leg, then, budget)),
        None if then == Then::Sit => lower_as_found(plant, &resting),
        None => resting.in_mode(Mode::Stopping(Stopping::now(start.ns))),
    }
}

/// Fractions of the way from below a foot to where it rests at which it is put down, the first to which its leg
/// reaches.
const TOWARDS_REST: [f64; 3] = [0.0, 0.5, 1.0];

/// Brings a foot to the ground straight below it, or nearer to where it rests, so that the robot can go on from there; else
/// as far as its leg goes.
fn put_below(plant: &Plant, start: &State, leg: usize, then: Then, budget: &mut IterationBudget) -> Mode {
    let from = start.angles_of(leg);
    let (below, rest) = (start.walk.foot(leg).position().xy(), start.walk.nominal.place(leg));
    let footprint_from_body = start.footprint_from_body();
    let in_body = |fraction: f64| {
        let place = below.lerp(&rest, fraction).push(0.0);
        footprint_from_body.inverse_transform_point(&place.into()).coords
    };
    let reached = TOWARDS_REST.into_iter().find_map(|fraction| plant.inverse(leg, &in_body(fraction), &from, budget));
    let to =
        reached.or_else(|| Some(plant.legs().get(leg)?.closest_within_budget(&in_body(0.0), &from, budget).angles));
    let to = to.unwrap_or(from);
    let profile = plant.leg_profile(leg, &from, &to);
    Mode::Sequencing(LegSequence {
        leg,
        stage: LegStage::Putting,
        from,
        to,
        profile,
        placed: 0,
        goal: Goal::Land(then),
    })
}

/// What follows when such a foot is down.
pub(super) fn landed(plant: &Plant, start: &State, leg: usize, then: Then, budget: &mut IterationBudget) -> State {
    let mut next = *start;
    if let (Some(solver), Some(foot)) = (plant.legs().get(leg), next.walk.feet.get_mut(leg)) {
        let in_body = solver.foot_in_body(&start.angles_of(leg));
        *foot = Foot::Planted { at: start.footprint_from_body().transform_point(&in_body.into()).coords };
    }
    come_down(plant, &next, then, budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::twist::Twist;
    use crate::state::body_motion::Rise;
    use crate::state::tests::{bent, on_its_feet, shipped};
    use crate::state::walk::Step;

    const BUDGET: u32 = 400;

    #[test]
    fn when_a_stop_finds_no_way_on_expect_feet_in_the_air_put_down_below_where_they_are() {
        let robot = shipped();
        let mut start = on_its_feet(&robot, Mode::Stopping(Stopping::now(0)));
        let (reach, twist) = (start.walk.nominal.reach, Twist::ZERO);
        start.walk.lift(&robot.1, 3, &Step::flat(twist, 0.03, reach));
        if let Foot::Swinging(swing) = &mut start.walk.feet[3] {
            swing.at.z = 0.02;
        }
        start = bent(&robot.0, start);
        (start.rates.height, start.rates.level) = (0.01, Rise { height: 0.01, ..Rise::NONE });
        let next = come_down(&robot.0, &start, Then::Sit, &mut IterationBudget::new(BUDGET));
        let Mode::Sequencing(put) = next.mode else { panic!("{:?}", next.mode) };
        assert_eq!((put.leg, put.goal), (3, Goal::Land(Then::Sit)));
        assert_eq!((next.rates.height, next.rates.level), (0.0, Rise::NONE));
        // Once its joints are there, it stands on the ground, and the body comes down between the feet.
        let mut there = next;
        there.angles[3] = put.to;
        let down = landed(&robot.0, &there, 3, Then::Sit, &mut IterationBudget::new(BUDGET));
        let Foot::Planted { at } = down.walk.foot(3) else { panic!("{:?}", down.walk.foot(3)) };
        assert!((at - start.walk.foot(3).position().xy().push(0.0)).norm() < 1e-9, "{at}");
        assert!(matches!(down.mode, Mode::Lowering(_)));
    }

    #[test]
    fn when_the_leg_does_not_reach_the_ground_straight_below_expect_the_foot_nearer_to_where_it_rests() {
        let robot = shipped();
        let mut start = on_its_feet(&robot, Mode::Stopping(Stopping::now(0)));
        let rest = start.walk.foot(2).position().xy();
        let reached = |far: f64| {
            let at = start.footprint_from_body().inverse_transform_point(&(rest * far).push(0.06).into()).coords;
            robot.0.inverse(2, &at, &start.angles[2], &mut IterationBudget::new(BUDGET))
        };
        let far = (100..200).map(|far| 0.01 * f64::from(far)).take_while(|&far| reached(far).is_some()).last();
        let (far, angles) = far.and_then(|far| Some((far, reached(far)?))).expect("the foot is in the air");
        start.walk.feet[2] = Foot::probing((rest * far).push(0.06));
        start.angles[2] = angles;
        let Mode::Sequencing(put) = put_below(&robot.0, &start, 2, Then::Stand, &mut IterationBudget::new(BUDGET))
        else {
            panic!("{:?}", start.mode)
        };
        let foot = start.footprint_from_body().transform_point(&robot.0.legs()[2].foot_in_body(&put.to).into());
        assert!(foot.z.abs() < 1e-9 && foot.x / rest.x > 1.0 && foot.x / rest.x < far - 0.01, "{foot} of {rest}");
        assert!((foot.x / rest.x - foot.y / rest.y).abs() < 1e-9, "on the way to its place");
    }

    #[test]
    fn when_all_feet_are_down_expect_what_was_to_follow() {
        let robot = shipped();
        let start = State { ns: 7, ..on_its_feet(&robot, Mode::Stopping(Stopping::now(0))) };
        let after = |then| come_down(&robot.0, &start, then, &mut IterationBudget::new(BUDGET)).mode;
        assert_eq!(after(Then::Stand), Mode::Stopping(Stopping::now(7)));
        assert!(matches!(after(Then::Sit), Mode::Lowering(_)));
    }
}
