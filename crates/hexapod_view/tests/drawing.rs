//! The view on a terminal in memory.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hexapod_view::{
    FootLoad, Footfalls, LegView, Level, LoadSource, MIN_HEIGHT, MIN_WIDTH, Snapshot, Teleop, Truth, draw, status_line,
};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

fn text(width: u16, height: u16, snapshot: &Snapshot, teleop: &Teleop) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, snapshot, teleop)).unwrap();
    terminal.backend().to_string()
}

fn robot() -> Snapshot {
    let leg = |(index, name): (usize, &str)| {
        let side = if name.starts_with("left") { 1.0 } else { -1.0 };
        let along = 0.1 - 0.1 * (index % 3) as f64;
        LegView {
            name: name.into(),
            down: index % 2 == 0,
            foot_xy: [along * 2.0, 0.2 * side],
            hip_xy: [along, 0.05 * side],
            knee_xy: [along * 1.5, 0.12 * side],
            load: None,
        }
    };
    let names = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];
    let mut footfalls = Footfalls::default();
    (0..40).for_each(|step| footfalls.record(Duration::from_millis(step * 50), [step % 8 < 4; 6]));
    Snapshot {
        gait_state: "walking".into(),
        servo_state: "enabled".into(),
        gait: "tripod".into(),
        twist_commanded: [0.06, 0.0, -0.2],
        twist_walked: [0.05, 0.0, -0.1],
        legs: names.into_iter().enumerate().map(leg).collect(),
        margin_m: Some(0.042),
        centre_of_mass_xy: Some([0.0, 0.01]),
        support: vec![[0.2, 0.2], [-0.2, 0.2], [0.0, -0.2]],
        body_outline: vec![[0.1, 0.05], [-0.1, 0.05], [-0.1, -0.05], [0.1, -0.05]],
        odom: [1.234, -0.5, 0.5],
        path: vec![[1.0, -0.5], [1.1, -0.5], [1.234, -0.5]],
        height_m: 0.095,
        loop_rate_hz: 100.0,
        lateness_p99_us: Some(85.0),
        overruns: 3,
        limited_by: "stride of right_front".into(),
        messages: vec![(Level::Ok, "servo boards found".into()), (Level::Warn, "SCHED_FIFO not allowed".into())],
        hints: vec!["ros2 topic hz /joint_commands".into()],
        footfalls,
        ..Snapshot::default()
    }
}

/// A robot of which every number is `value`.
fn robot_of(value: f64) -> Snapshot {
    let mut snapshot = robot();
    let point = [value; 2];
    for leg in &mut snapshot.legs {
        (leg.foot_xy, leg.hip_xy, leg.knee_xy) = (point, point, point);
        leg.load = Some(FootLoad { up_n: value, source: LoadSource::Estimated });
    }
    let points = vec![[0.1, value], point, [value, 0.1]];
    Snapshot {
        twist_commanded: [value; 3],
        twist_walked: [value; 3],
        top_speed: [value; 3],
        margin_m: Some(value),
        centre_of_mass_xy: Some(point),
        support: points.clone(),
        body_outline: points.clone(),
        odom: [value; 3],
        truth: Some(Truth { place: [value; 3], lean: value }),
        path: points,
        height_m: value,
        loop_rate_hz: value,
        lateness_p99_us: Some(value),
        overruns: u64::MAX,
        ..snapshot
    }
}

const SIZES: [(u16, u16); 10] =
    [(1, 1), (2, 1), (1, 40), (59, 20), (60, 19), (60, 20), (80, 24), (100, 36), (240, 70), (400, 20)];

#[test]
fn when_the_terminal_has_any_size_expect_a_picture() {
    for (width, height) in SIZES {
        text(width, height, &robot(), &Teleop::default());
        text(width, height, &Snapshot::default(), &Teleop::default());
    }
}

#[test]
fn when_the_terminal_has_no_cells_expect_no_panic() {
    let mut terminal = Terminal::new(TestBackend::new(0, 0)).unwrap();
    terminal.draw(|frame| draw(frame, &robot(), &Teleop::default())).unwrap();
}

#[test]
fn when_values_are_not_finite_or_huge_expect_a_picture() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, -1e9, 0.0] {
        for (width, height) in SIZES {
            let shown = text(width, height, &robot_of(value), &Teleop::default());
            assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
        }
        assert!(!status_line(&robot_of(value)).contains("NaN"));
    }
}

#[test]
fn when_the_terminal_is_of_the_least_size_expect_all_that_matters() {
    let shown = text(MIN_WIDTH, MIN_HEIGHT, &robot(), &Teleop::default());
    let words = ["walking", "tripod", "enabled", "X EMERGENCY STOP", "Space stop", "Esc quit", "LF", "RR", "42 mm"];
    for word in words.into_iter().chain(["stable", "limited by stride", "100.0 Hz", "85 µs", "overruns 3", "1.23", "✚"])
    {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
    assert!(shown.contains("SCHED_FIFO not allowed"), "the newest message is missing in\n{shown}");
}

#[test]
fn when_the_terminal_is_large_expect_titles_and_hints() {
    let shown = text(120, 40, &robot(), &Teleop::default());
    for word in
        ["stability margin", "control loop", "keys at 50 %", "try in another shell", "ros2 topic hz", "height 95 mm"]
    {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
}

#[test]
fn when_the_terminal_is_too_small_expect_it_reported() {
    let shown = text(40, 12, &robot(), &Teleop::default());
    assert!(shown.contains("too small") && shown.contains("walking") && shown.contains("EMERGENCY STOP"), "{shown}");
}

#[test]
fn when_help_is_open_expect_every_key() {
    let mut teleop = Teleop::default();
    teleop.key(&KeyEvent::new(KeyCode::Char('h'), KeyModifiers::NONE), Duration::ZERO);
    let shown = text(MIN_WIDTH, MIN_HEIGHT, &robot(), &teleop);
    for word in ["forward, back", "sideways", "EMERGENCY STOP", "servos on, off", "stand up", "sit down", "quit"] {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
}

#[test]
fn when_the_robot_is_in_trouble_expect_the_header_to_say_how_to_go_on() {
    for (state, servos) in [("fault", "enabled"), ("standing", "emergency stop")] {
        let snapshot = Snapshot { gait_state: state.into(), servo_state: servos.into(), ..robot() };
        assert_eq!(snapshot.level(), Level::Error);
        let shown = text(80, 24, &snapshot, &Teleop::default());
        assert!(shown.contains("■") && shown.contains("R: servos on again"), "{shown}");
    }
}

#[test]
fn when_nothing_is_known_yet_expect_waiting() {
    let shown = text(80, 24, &Snapshot::default(), &Teleop::default());
    assert!(shown.contains("waiting") && shown.contains("not known"), "{shown}");
}

fn silent() -> Snapshot {
    let discovery_hint = ["namespace / of domain 7 (ROS_DOMAIN_ID)".into(), "is it running?".into()].into();
    Snapshot { silence: Some(Duration::from_millis(3210)), discovery_hint, ..robot() }
}

/// The colours of all cells between the header and the footer.
fn colours(snapshot: &Snapshot) -> Vec<Color> {
    let mut terminal = Terminal::new(TestBackend::new(100, 36)).unwrap();
    terminal.draw(|frame| draw(frame, snapshot, &Teleop::default())).unwrap();
    let cells = terminal.backend().buffer().content().chunks(100).take(25).skip(2).flatten();
    let mut colours: Vec<_> = cells.filter(|cell| cell.symbol() != " ").map(|cell| cell.fg).collect();
    colours.sort_by_key(|colour| format!("{colour:?}"));
    colours.dedup();
    colours
}

#[test]
fn when_the_robot_falls_silent_expect_its_age_and_no_colour_that_says_it_is_well() {
    for (width, height) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
        let shown = text(width, height, &silent(), &Teleop::default());
        assert!(shown.contains("no data for 3.2 s"), "{shown}");
    }
    let shown = text(80, 24, &silent(), &Teleop::default());
    assert!(shown.contains("last walking") && shown.contains("domain 7") && shown.contains("is it running"), "{shown}");
    let well = Color::Indexed(39);
    assert!(colours(&robot()).contains(&well));
    let past = colours(&Snapshot { discovery_hint: vec![], ..silent() });
    assert_eq!(past.len(), 1, "{past:?}");
    assert!(status_line(&silent()).starts_with("no data for 3.2 s; what it said last | walking"));
    assert_eq!(silent().level(), Level::Stale);
}

#[test]
fn when_no_robot_was_heard_yet_expect_where_it_is_looked_for() {
    let snapshot = Snapshot { discovery_hint: silent().discovery_hint, ..Snapshot::default() };
    let shown = text(MIN_WIDTH, MIN_HEIGHT, &snapshot, &Teleop::default());
    assert!(shown.contains("no robot is heard") && shown.contains("domain 7"), "{shown}");
    assert_eq!(status_line(&snapshot), "no robot is heard | namespace / of domain 7 (ROS_DOMAIN_ID) | is it running?");
    assert!(
        !text(80, 24, &Snapshot { discovery_hint: silent().discovery_hint, ..robot() }, &Teleop::default())
            .contains("domain 7")
    );
}

#[test]
fn when_there_is_an_alarm_expect_it_at_any_size() {
    let snapshot = Snapshot { alarm: "EMERGENCY STOP NOT ANSWERED for 1.2 s: cut the power".into(), ..robot() };
    for (width, height) in [(60, 10), (60, 20), (100, 36)] {
        for snapshot in [snapshot.clone(), Snapshot { alarm: snapshot.alarm.clone(), ..silent() }] {
            let shown = text(width, height, &snapshot, &Teleop::default());
            assert!(shown.contains("EMERGENCY STOP NOT ANSWERED for 1.2 s: cut the power"), "{shown}");
        }
    }
    assert!(status_line(&snapshot).starts_with("EMERGENCY STOP NOT ANSWERED"));
}

#[test]
fn when_the_list_of_motions_is_open_expect_their_names_around_the_cursor() {
    let names = (0..60).map(|index| format!("motion_{index}")).collect();
    let snapshot = Snapshot { motions: names, ..robot() };
    let mut teleop = Teleop::default();
    teleop.observe(&snapshot);
    let press = |teleop: &mut Teleop, code| teleop.key(&KeyEvent::new(code, KeyModifiers::NONE), Duration::ZERO);
    press(&mut teleop, KeyCode::Char('m'));
    let shown = text(MIN_WIDTH, MIN_HEIGHT, &snapshot, &teleop);
    assert!(shown.contains("> 1  motion_0") && shown.contains("Enter plays"), "{shown}");
    for _ in 0..45 {
        press(&mut teleop, KeyCode::Down);
    }
    let shown = text(MIN_WIDTH, MIN_HEIGHT, &snapshot, &teleop);
    assert!(shown.contains(">    motion_45") && !shown.contains("motion_0 "), "{shown}");
    for (width, height) in SIZES {
        text(width, height, &snapshot, &teleop);
    }
    let none = text(MIN_WIDTH, MIN_HEIGHT, &robot(), &teleop);
    assert!(none.contains("has not listed any"), "{none}");
}

#[test]
fn when_the_servos_are_to_go_off_expect_the_question_shown_at_any_size() {
    let mut teleop = Teleop::default();
    teleop.observe(&robot());
    teleop.key(&KeyEvent::new(KeyCode::Char('o'), KeyModifiers::NONE), Duration::ZERO);
    for (width, height) in [(MIN_WIDTH, MIN_HEIGHT), (120, 40), (59, 19)] {
        let shown = text(width, height, &robot(), &teleop);
        assert!(shown.contains("Y switches off") && shown.contains("falls"), "{shown}");
    }
}

#[test]
fn when_a_name_holds_control_characters_expect_them_gone() {
    let snapshot = Snapshot { gait: "a\n\u{1b}[2Jb".into(), ..robot() };
    let line = status_line(&snapshot);
    assert!(line.chars().all(|letter| !letter.is_control()), "{line:?}");
    assert!(!text(80, 24, &snapshot, &Teleop::default()).contains('\u{1b}'));
}

#[test]
fn when_written_as_a_line_expect_the_state_first_and_all_figures() {
    assert_eq!(
        status_line(&robot()),
        "walking, servos enabled, gait tripod | wanted (0.060, 0.000, -0.20) walked (0.050, 0.000, -0.10) | \
         3 of 6 feet down: LF LR RM | margin 42 mm | at (1.23, -0.50) m 29° | \
         loop 100.0 Hz, late 85 µs, overruns 3 | limited by stride of right_front"
    );
}

#[test]
fn when_there_are_many_legs_and_messages_expect_a_picture() {
    let legs = (0..40).map(|index| LegView { name: format!("leg_{index}"), ..LegView::default() }).collect();
    let messages =
        (0..500).map(|index| (Level::from_diagnostic(index as u8), format!("{index} ").repeat(200))).collect();
    let snapshot = Snapshot { legs, messages, hints: vec!["long ".repeat(100); 20], ..robot() };
    for (width, height) in SIZES {
        text(width, height, &snapshot, &Teleop::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn when_size_and_numbers_are_random_expect_a_picture(
        width in 1..200u16, height in 1..80u16, value in any::<f64>(), scale in -3.0..3.0f64,
    ) {
        text(width, height, &robot_of(value), &Teleop::default());
        text(width, height, &robot_of(scale), &Teleop::default());
    }
}

#[test]
fn when_feet_bear_forces_expect_a_bar_each_and_what_they_rest_on() {
    let mut snapshot = robot();
    let plain = text(100, 30, &snapshot, &Teleop::default());
    assert!(!plain.contains(" N") && plain.contains("feet, 3 of 6 down"), "{plain}");
    let source = LoadSource::Predicted;
    for (leg, up_n) in snapshot.legs.iter_mut().zip([10.0, 0.0, 5.0, 0.0, 5.0, 0.0]) {
        leg.load = Some(FootLoad { up_n, source });
    }
    for (width, height) in [(60, 20), (100, 30)] {
        let drawn = text(width, height, &snapshot, &Teleop::default());
        assert!(height < 30 || drawn.contains("predicted forces, 3 of 6 down"), "{drawn}");
        assert!(drawn.contains(" ━━━━━ 10.0 N p") && drawn.contains(" ─────  0.0 N p"), "{drawn}");
        assert!(drawn.contains(" ━━━──  5.0 N p"), "{drawn}");
    }
    snapshot.legs[0].load = Some(FootLoad { up_n: 9.0, source: LoadSource::Estimated });
    snapshot.legs[1].load = None;
    let mixed = text(100, 30, &snapshot, &Teleop::default());
    assert!(mixed.contains("partly predicted forces") && mixed.contains("—"), "{mixed}");
}

#[test]
fn when_it_is_known_where_the_body_truly_is_expect_it_drawn_and_reported_beside_the_odometry() {
    let truth = Truth { place: [1.134, -0.5, 0.3], lean: 0.07 };
    let (without, with) = (robot(), Snapshot { truth: Some(truth), ..robot() });
    let drawn = |snapshot: &Snapshot| text(140, 40, snapshot, &Teleop::new([0.1, 0.08, 0.6]));
    assert!(drawn(&with).contains("true x 1.13  y -0.50 m  yaw 17°  lean 4°"), "{}", drawn(&with));
    let dots = |picture: &str| picture.chars().filter(|sign| ('\u{2801}'..='\u{28ff}').contains(sign)).count();
    assert!(dots(&drawn(&with)) > dots(&drawn(&without)) + 5, "an outline of its own");
    assert!(status_line(&with).contains("truly at (1.13, -0.50) m 17°, leaning 4°"), "{}", status_line(&with));
    assert!(!status_line(&without).contains("truly"));
}
