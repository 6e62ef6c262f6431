//! Keys and time in, twist and actions out.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use hexapod_view::{Action, FIRST_HOLD, REPEAT_HOLD, SILENT_HOLD, Snapshot, Teleop};
use proptest::prelude::*;

const TOP: [f64; 3] = [0.1, 0.08, 0.6];
const STILL: Action = Action::Drive { linear_x: 0.0, linear_y: 0.0, angular_z: 0.0 };

fn at(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn event(code: KeyCode, kind: KeyEventKind) -> KeyEvent {
    KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind)
}

fn press(teleop: &mut Teleop, code: KeyCode, milliseconds: u64) -> Option<Action> {
    teleop.key(&event(code, KeyEventKind::Press), at(milliseconds))
}

fn release(teleop: &mut Teleop, code: KeyCode, milliseconds: u64) {
    assert_eq!(teleop.key(&event(code, KeyEventKind::Release), at(milliseconds)), None);
}

#[test]
fn when_a_drive_key_is_pressed_expect_its_twist_at_half_speed() {
    let check = |code, expect: [f64; 3]| {
        let mut teleop = Teleop::new(TOP);
        assert_eq!(press(&mut teleop, code, 0), None);
        assert_eq!(teleop.tick(at(1)), Some(Action::drive(expect)), "{code}");
    };
    for letter in ['w', 'W', '8'] {
        check(KeyCode::Char(letter), [0.05, 0.0, 0.0]);
    }
    check(KeyCode::Up, [0.05, 0.0, 0.0]);
    check(KeyCode::Down, [-0.05, 0.0, 0.0]);
    check(KeyCode::Char('s'), [-0.05, 0.0, 0.0]);
    check(KeyCode::Left, [0.0, 0.0, 0.3]);
    check(KeyCode::Char('a'), [0.0, 0.0, 0.3]);
    check(KeyCode::Right, [0.0, 0.0, -0.3]);
    check(KeyCode::Char('d'), [0.0, 0.0, -0.3]);
    check(KeyCode::Char('q'), [0.0, 0.04, 0.0]);
    check(KeyCode::Char('e'), [0.0, -0.04, 0.0]);
    check(KeyCode::Char('7'), [0.05, 0.0, 0.3]);
    check(KeyCode::Char('9'), [0.05, 0.0, -0.3]);
    check(KeyCode::Char('1'), [-0.05, 0.0, -0.3]);
    check(KeyCode::Char('3'), [-0.05, 0.0, 0.3]);
}

#[test]
fn when_a_command_key_is_pressed_expect_its_action() {
    let check = |code, expect| assert_eq!(press(&mut Teleop::new(TOP), code, 0), expect, "{code}");
    check(KeyCode::Char(' '), Some(Action::Stop));
    check(KeyCode::Char('5'), Some(Action::Stop));
    check(KeyCode::Char('u'), Some(Action::Stand));
    check(KeyCode::Char('j'), Some(Action::Sit));
    check(KeyCode::Char('x'), Some(Action::EmergencyStop));
    check(KeyCode::Char('X'), Some(Action::EmergencyStop));
    check(KeyCode::Backspace, Some(Action::EmergencyStop));
    check(KeyCode::Char('r'), Some(Action::Enable(true)));
    check(KeyCode::Char(']'), Some(Action::BodyHeight(0.005)));
    check(KeyCode::Char('['), Some(Action::BodyHeight(-0.005)));
    check(KeyCode::Esc, Some(Action::Quit));
    check(KeyCode::Char('g'), None);
    check(KeyCode::Char('z'), None);
    check(KeyCode::F(1), None);
}

/// Keys for a robot that does this, as far as it is heard.
fn robot_that(gait_state: &str) -> Teleop {
    let mut teleop = Teleop::new(TOP);
    teleop.observe(&Snapshot { gait_state: gait_state.into(), ..Snapshot::default() });
    teleop
}

#[test]
fn when_the_servos_are_to_go_off_below_a_robot_that_may_stand_expect_it_asked_first() {
    for state in ["standing", "walking", "playing", "fault", ""] {
        let mut teleop = robot_that(state);
        press(&mut teleop, KeyCode::Up, 0);
        assert_eq!(press(&mut teleop, KeyCode::Char('o'), 10), None, "{state}");
        assert_eq!(teleop.tick(at(10)), None, "the keys that drive are let go");
        // Held on, or pressed once more: still nothing.
        (1..5).for_each(|count| assert_eq!(press(&mut teleop, KeyCode::Char('o'), 10 + 30 * count), None));
        assert_eq!(press(&mut teleop, KeyCode::Char('o'), 1000), None);
        assert_eq!(press(&mut teleop, KeyCode::Char('y'), 2000), Some(Action::Enable(false)), "{state}");
        assert_eq!(press(&mut teleop, KeyCode::Char('y'), 3000), None, "asked again each time");
    }
}

#[test]
fn when_the_question_is_answered_with_another_key_expect_that_keys_action_and_the_servos_on() {
    for (code, expect) in [
        (KeyCode::Char('j'), Some(Action::Sit)),
        (KeyCode::Char('x'), Some(Action::EmergencyStop)),
        (KeyCode::Char('z'), None),
    ] {
        let mut teleop = robot_that("walking");
        press(&mut teleop, KeyCode::Char('o'), 0);
        assert_eq!(press(&mut teleop, code, 500), expect);
        assert_eq!(press(&mut teleop, KeyCode::Char('y'), 1000), None, "the question is gone");
    }
    let mut teleop = robot_that("sitting");
    assert_eq!(press(&mut teleop, KeyCode::Char('o'), 0), Some(Action::Enable(false)), "it cannot fall");
    teleop.observe(&Snapshot { gait_state: "sitting".into(), silence: Some(at(2000)), ..Snapshot::default() });
    assert_eq!(press(&mut teleop, KeyCode::Char('o'), 1000), None, "that it sits is past");
}

#[test]
fn when_control_is_held_expect_only_control_c_to_count() {
    let check = |letter, expect| {
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert_eq!(Teleop::new(TOP).key(&key, at(0)), expect);
    };
    check('c', Some(Action::Quit));
    check('w', None);
    check('x', None);
}

#[test]
fn when_a_key_is_tapped_expect_one_zero_twist_after_the_first_hold_and_then_silence() {
    let mut teleop = Teleop::new(TOP);
    assert_eq!(teleop.tick(at(0)), None);
    press(&mut teleop, KeyCode::Up, 0);
    assert_ne!(teleop.tick(FIRST_HOLD - at(1)), Some(STILL));
    assert_eq!(teleop.tick(FIRST_HOLD), Some(STILL));
    assert_eq!(teleop.tick(FIRST_HOLD + at(66)), None);
}

#[test]
fn when_auto_repeat_runs_expect_no_gap_and_a_soon_stop_after_it() {
    for (delay, period) in [(250, 33), (500, 40), (660, 92), (400, 140)] {
        let mut teleop = Teleop::new(TOP);
        let presses: Vec<u64> = std::iter::once(0).chain((0..30).map(|count| delay + count * period)).collect();
        let last = presses[30];
        for now in 0..last {
            if presses.contains(&now) {
                press(&mut teleop, KeyCode::Char('w'), now);
            }
            assert_eq!(teleop.twist(at(now)), [0.05, 0.0, 0.0], "delay {delay} period {period} at {now}");
        }
        press(&mut teleop, KeyCode::Char('w'), last);
        assert_eq!(teleop.twist(at(last) + REPEAT_HOLD), [0.0; 3]);
    }
}

#[test]
fn when_a_key_is_tapped_twice_quickly_expect_no_gap_before_auto_repeat() {
    let mut teleop = Teleop::new(TOP);
    press(&mut teleop, KeyCode::Up, 0);
    press(&mut teleop, KeyCode::Up, 180);
    assert_ne!(teleop.twist(at(690)), [0.0; 3]);
}

#[test]
fn when_the_terminal_tells_releases_expect_driving_from_press_to_release() {
    let mut teleop = Teleop::new(TOP);
    press(&mut teleop, KeyCode::Char('w'), 0);
    release(&mut teleop, KeyCode::Char('W'), 100);
    assert_eq!(teleop.twist(at(101)), [0.0; 3]);
    assert!(teleop.tells_releases());

    press(&mut teleop, KeyCode::Char('w'), 1000);
    press(&mut teleop, KeyCode::Char('a'), 1500);
    assert_eq!(teleop.twist(at(2500)), [0.05, 0.0, 0.3]);
    release(&mut teleop, KeyCode::Char('a'), 2600);
    assert_eq!(teleop.twist(at(2700)), [0.05, 0.0, 0.0]);
    assert_eq!(teleop.twist(at(1500) + SILENT_HOLD), [0.0; 3]);
}

#[test]
fn when_opposite_keys_are_held_expect_them_to_cancel() {
    let mut teleop = Teleop::new(TOP);
    press(&mut teleop, KeyCode::Char('w'), 0);
    press(&mut teleop, KeyCode::Char('s'), 10);
    assert_eq!(teleop.twist(at(20)), [0.0; 3]);
    press(&mut teleop, KeyCode::Up, 30);
    press(&mut teleop, KeyCode::Char('8'), 30);
    assert_eq!(teleop.twist(at(40)), [0.05, 0.0, 0.0]);
}

#[test]
fn when_stopped_or_out_of_focus_expect_zero_at_once() {
    for letter in [' ', 'x', 'j'] {
        let mut teleop = Teleop::new(TOP);
        press(&mut teleop, KeyCode::Up, 0);
        teleop.tick(at(1));
        assert!(press(&mut teleop, KeyCode::Char(letter), 10).is_some());
        assert_eq!(teleop.tick(at(10)), Some(STILL));
    }
    let mut teleop = Teleop::new(TOP);
    press(&mut teleop, KeyCode::Up, 0);
    teleop.release_all();
    assert_eq!(teleop.twist(at(1)), [0.0; 3]);
}

#[test]
fn when_speed_keys_are_pressed_expect_ten_to_a_hundred_percent() {
    let mut teleop = Teleop::new(TOP);
    let mut percents = |code, presses: u64| {
        (0..presses).for_each(|count| assert_eq!(press(&mut teleop, code, count), None));
        teleop.percent()
    };
    assert_eq!(percents(KeyCode::Char('+'), 1), 60);
    assert_eq!(percents(KeyCode::PageUp, 9), 100);
    assert_eq!(percents(KeyCode::Char('-'), 1), 90);
    assert_eq!(percents(KeyCode::PageDown, 20), 10);
}

#[test]
fn when_the_gait_key_is_pressed_expect_the_next_gait_and_no_auto_repeat() {
    let mut teleop = Teleop::new(TOP);
    let snapshot =
        Snapshot { gait: "ripple".into(), gaits: ["tripod", "ripple"].map(String::from).into(), ..Snapshot::default() };
    teleop.observe(&snapshot);
    assert_eq!(press(&mut teleop, KeyCode::Char('g'), 0), Some(Action::Gait("tripod".into())));
    assert_eq!(press(&mut teleop, KeyCode::Char('g'), 40), None);
    assert_eq!(press(&mut teleop, KeyCode::Char('g'), 80), None);
    assert_eq!(press(&mut teleop, KeyCode::Char('g'), 400), Some(Action::Gait("ripple".into())));
    let repeat = event(KeyCode::Char('g'), KeyEventKind::Repeat);
    assert_eq!(teleop.key(&repeat, at(900)), None);
}

/// Keys with the list of these motions open.
fn choosing(motions: &[&str]) -> Teleop {
    let mut teleop = Teleop::new(TOP);
    let motions = motions.iter().copied().map(String::from).collect();
    teleop.observe(&Snapshot { motions, ..Snapshot::default() });
    assert_eq!(press(&mut teleop, KeyCode::Char('m'), 0), None);
    teleop
}

#[test]
fn when_a_motion_is_chosen_expect_it_played_once_and_the_keys_back() {
    let play = |name: &str| Some(Action::Motion(name.into()));
    let mut teleop = choosing(&["bow", "twist", "wave"]);
    assert_eq!(press(&mut teleop, KeyCode::Char('3'), 500), play("wave"));
    assert_eq!(press(&mut teleop, KeyCode::Char('3'), 1000), None);
    assert_eq!(teleop.tick(at(1001)), Some(Action::drive([-0.05, 0.0, 0.3])), "a number drives again");
    let mut teleop = choosing(&["bow", "twist", "wave"]);
    for (code, milliseconds) in [(KeyCode::Down, 500), (KeyCode::Down, 530), (KeyCode::Up, 1000)] {
        assert_eq!(press(&mut teleop, code, milliseconds), None);
        assert_eq!(teleop.tick(at(milliseconds)), None, "an arrow does not drive");
    }
    assert_eq!(press(&mut teleop, KeyCode::Enter, 1500), play("twist"));
    assert_eq!(press(&mut choosing(&["bow"]), KeyCode::Char('0'), 500), play(""));
}

#[test]
fn when_the_list_of_motions_is_open_expect_stops_to_stop_and_other_keys_to_close_it() {
    for (code, expect) in [
        (KeyCode::Char('x'), Some(Action::EmergencyStop)),
        (KeyCode::Backspace, Some(Action::EmergencyStop)),
        (KeyCode::Char(' '), Some(Action::Stop)),
        (KeyCode::Char('u'), Some(Action::Stand)),
        (KeyCode::Esc, None),
        (KeyCode::Char('m'), None),
    ] {
        let mut teleop = choosing(&["bow"]);
        assert_eq!(press(&mut teleop, code, 500), expect, "{code}");
        assert_eq!(press(&mut teleop, KeyCode::Enter, 1000), None, "{code} closes it");
        assert_eq!(press(&mut teleop, KeyCode::Esc, 1500), Some(Action::Quit), "{code} closes it");
    }
    let mut teleop = choosing(&[]);
    assert_eq!(press(&mut teleop, KeyCode::Enter, 500), None);
    assert_eq!(press(&mut teleop, KeyCode::Char('m'), 520), None);
    let mut held = Teleop::new(TOP);
    held.observe(&Snapshot { motions: vec!["bow".into()], ..Snapshot::default() });
    press(&mut held, KeyCode::Char('1'), 0);
    press(&mut held, KeyCode::Char('m'), 10);
    assert_eq!(held.tick(at(20)), None);
    let repeat = event(KeyCode::Char('1'), KeyEventKind::Repeat);
    assert_eq!(held.key(&repeat, at(30)), None, "held on from before");
}

#[test]
fn when_the_robot_falls_silent_expect_held_keys_let_go() {
    let mut teleop = Teleop::new(TOP);
    press(&mut teleop, KeyCode::Up, 0);
    teleop.tick(at(1));
    teleop.observe(&Snapshot { silence: Some(at(1000)), ..Snapshot::default() });
    assert_eq!(teleop.tick(at(2)), Some(STILL));
    assert_eq!(teleop.tick(at(3)), None);
}

#[test]
fn when_actions_are_sorted_expect_only_those_that_stop_to_be_sent_unheard() {
    for action in [STILL, Action::Stop, Action::EmergencyStop, Action::Enable(false), Action::Quit] {
        assert!(action.stops(), "{action:?}");
    }
    let moving = [Action::drive([0.0, 0.01, 0.0]), Action::Stand, Action::Sit, Action::Enable(true)];
    let named = [Action::Gait("wave".into()), Action::Motion("bow".into()), Action::BodyHeight(0.005)];
    assert!(!moving.iter().chain(&named).any(Action::stops));
}

#[test]
fn when_help_is_asked_for_expect_it_to_open_and_close() {
    let mut teleop = Teleop::new(TOP);
    press(&mut teleop, KeyCode::Char('h'), 0);
    assert!(teleop.shows_help());
    press(&mut teleop, KeyCode::Char('?'), 500);
    assert!(!teleop.shows_help());
}

proptest! {
    #[test]
    fn when_any_keys_come_expect_a_bounded_twist_that_ends(
        keys in prop::collection::vec((0..128u8, 0..3u8, 0..400u64), 0..60),
        top in prop::array::uniform3(prop::sample::select(vec![0.1, f64::NAN, f64::INFINITY, 0.5])),
    ) {
        let mut teleop = Teleop::new(top);
        let mut now = 0;
        for (code, kind, wait) in keys {
            let kind = [KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release][usize::from(kind)];
            teleop.key(&event(KeyCode::Char(char::from(code)), kind), at(now));
            now += wait;
            for (value, top) in teleop.twist(at(now)).into_iter().zip(top) {
                let bound = if top.is_finite() { top } else { 0.0 };
                prop_assert!(value.abs() <= bound);
            }
        }
        prop_assert_eq!(teleop.twist(at(now) + SILENT_HOLD), [0.0; 3]);
    }
}
