//! Several sticks, and stops between them.

use super::*;

const OTHER: Sender = Sender::Local(2);
const PAGE: Sender = Sender::Local(3);

/// A stick, and what it sends again and again.
type Sends = (Sender, fn() -> Command);

fn push() -> Command {
    Command::Twist(Twist::new(0.06, 0.0, 0.1))
}

fn aside() -> Command {
    Command::Twist(Twist::new(0.0, -0.04, 0.0))
}

fn zero() -> Command {
    Command::Twist(Twist::ZERO)
}

impl Bench {
    /// Lets several sticks send for a while.
    fn hold(&mut self, seconds: f64, sticks: &[Sends]) {
        for tick in 0..(seconds * 100.0) as usize {
            if tick % 5 == 0 {
                sticks.iter().for_each(|(sender, command)| self.send_by(*sender, command()));
            }
            self.tick(1);
        }
    }
}

#[test]
fn when_two_sticks_are_pushed_expect_the_first_walked_as_if_it_were_alone() {
    let (mut alone, mut both) = (Bench::standing(), Bench::standing());
    alone.hold(3.0, &[(STICK, push)]);
    both.hold(0.05, &[(STICK, push), (OTHER, zero)]);
    both.hold(2.95, &[(OTHER, aside), (STICK, push), (PAGE, zero)]);
    assert!(alone.core.last().angles == both.core.last().angles && alone.state() == GaitState::Walking);
    let remarks = both.core.remarks();
    assert_eq!(remarks.driving.moved_by, Some((STICK, "cmd_vel")));
    assert_eq!(remarks.driving.ignored[0].map(|(sender, ..)| sender), Some(OTHER));
}

#[test]
fn when_the_page_halts_while_a_stick_is_held_expect_no_walk_before_that_stick_was_let_go() {
    let mut bench = Bench::standing();
    bench.hold(1.0, &[(STICK, push), (OTHER, zero)]);
    bench.send(Command::Stop);
    bench.send_by(PAGE, zero());
    bench.hold(4.0, &[(STICK, push), (OTHER, zero), (PAGE, zero)]);
    assert_eq!(bench.state(), GaitState::Standing, "zeros of others, however many");
    let reported = bench.core.take_refused().map(|refused| refused.reason).unwrap_or_default();
    assert!(reported.contains("release the stick"), "{reported}");
    bench.hold(1.0, &[(STICK, push), (PAGE, aside)]);
    assert_eq!(bench.state(), GaitState::Walking, "the page drives");
    bench.hold(1.0, &[(STICK, push), (PAGE, zero)]);
    assert_eq!(bench.state(), GaitState::Standing);
    bench.hold(0.1, &[(STICK, zero)]);
    bench.hold(1.0, &[(STICK, push), (PAGE, zero)]);
    assert_eq!(bench.state(), GaitState::Walking);
}

#[test]
fn when_stopped_in_an_emergency_while_sticks_are_held_expect_each_to_be_let_go_before_it_counts() {
    let mut bench = Bench::standing();
    bench.hold(1.0, &[(STICK, push), (OTHER, aside)]);
    bench.send(Command::Freeze("emergency stop"));
    bench.hold(3.0, &[(STICK, push), (OTHER, aside), (PAGE, zero)]);
    assert_eq!(bench.state(), GaitState::Standing);
    // Let go, and pushed again while the emergency stop lasts.
    bench.send_by(OTHER, zero());
    bench.send_by(OTHER, Command::Barred("cmd_vel"));
    bench.hold(12.0, &[(STICK, push), (OTHER, aside), (PAGE, zero)]);
    assert_eq!(bench.state(), GaitState::Standing);
    bench.send_by(OTHER, zero());
    bench.hold(12.0, &[(STICK, push), (OTHER, aside)]);
    assert_eq!(bench.state(), GaitState::Walking);
    assert_eq!(bench.core.remarks().driving.moved_by, Some((OTHER, "cmd_vel")));
}

#[test]
fn when_a_robot_is_asked_to_sit_while_a_stick_is_held_expect_another_ones_zero_not_to_raise_it() {
    let mut bench = Bench::standing();
    bench.hold(1.0, &[(STICK, push)]);
    bench.send(Command::Sit);
    bench.hold(6.0, &[(PAGE, zero), (STICK, push)]);
    assert_eq!(bench.state(), GaitState::Sitting);
}

#[test]
fn when_another_stick_rests_after_a_walk_was_given_up_or_a_motion_plays_expect_nothing_ended() {
    let mut bench = Bench::standing();
    bench.send(Command::Motion(Some(motion("bow"))));
    bench.hold(2.0, &[(STICK, zero), (OTHER, zero)]);
    assert_eq!(bench.state(), GaitState::Playing);
}

#[test]
fn when_a_planner_starts_under_servos_that_are_on_while_a_stick_is_held_expect_no_step_before_its_zero() {
    let setup = Setup::load(&shipped()).unwrap();
    let mut before = Bench::standing();
    before.hold(1.0, &[(STICK, push)]);
    for late in [0, 40] {
        let mut bench = Bench::just_started(setup.engine.clone(), setup.timeout);
        bench.tick(late);
        bench.say(Held::Pose(before.core.last().angles));
        bench.hold(3.0, &[(STICK, push), (PAGE, zero)]);
        assert_eq!(bench.state(), GaitState::Standing);
        let reported = bench.core.take_refused().map(|refused| refused.reason).unwrap_or_default();
        assert!(reported.contains("new source") && reported.contains("release the stick"), "{reported}");
        bench.hold(12.0, &[(STICK, push), (PAGE, aside)]);
        assert_eq!(bench.core.remarks().driving.moved_by, Some((PAGE, "cmd_vel")), "it began at rest");
        bench.hold(1.0, &[(STICK, zero), (PAGE, zero)]);
        bench.hold(1.0, &[(STICK, push), (PAGE, zero)]);
        assert_eq!(bench.state(), GaitState::Walking);
    }
}
