//! A calibration as a person does it, key by key.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

mod common;

use common::raw_config;
use hexapod_servo::ServoConfig;
use hexapod_servo::calibration::{Key, Outcome, Progress, Session, Step, TRIED_US};
use proptest::prelude::*;

fn session() -> Session {
    Session::new(raw_config(50.0, (900.0, 2100.0))).expect("18 servos")
}

#[test]
fn when_a_joint_is_calibrated_expect_its_steps_in_order_and_what_was_found() {
    let mut session = session();
    assert_eq!((session.servo().0, session.pulse_us()), ("left_front_coxa", None));
    assert_eq!(session.key(Key::Accept), Outcome::Same, "nothing is found while pulses are off");
    session.key(Key::Power);
    let expected = [
        (Step::Neutral, 1500.0, 15.0),
        (Step::Point(0), 1000.0, -150.0),
        (Step::Point(1), 2000.0, 20.0),
        (Step::Shortest, 850.0, -10.0),
        (Step::Longest, 2100.0, -25.0),
    ];
    for (number, (step, begins_us, nudge_us)) in (1..).zip(expected) {
        assert_eq!(session.step(), (step, number, 5));
        assert_eq!(session.pulse_us(), Some(begins_us), "{step:?}");
        session.key(Key::Nudge(nudge_us));
        assert_eq!(session.pulse_us(), Some(begins_us + nudge_us));
        let outcome = session.key(Key::Accept);
        assert_eq!(outcome, if number == 5 { Outcome::Joint(0) } else { Outcome::Found });
    }
    let found = &session.config().servos.0[0].1;
    assert_eq!(found.neutral_us, Some(1515.0));
    assert_eq!((found.points[0].pulse_us, found.points[1].pulse_us), (850.0, 2020.0));
    assert_eq!((found.min_pulse_us, found.max_pulse_us), (840.0, 2075.0));
    assert_eq!((session.servo().0, session.pulse_us()), ("left_front_femur", None), "the next one begins switched off");
    assert_eq!(session.count(), (1, 18));
    assert!(ServoConfig::try_from(session.config().clone()).is_ok());
}

#[test]
fn when_left_and_resumed_expect_the_same_place_and_findings() {
    let mut first = session();
    for _ in 0..7 {
        first.key(Key::Power);
        first.key(Key::Accept);
        first.key(Key::Nudge(3.5));
        first.key(Key::Power);
    }
    first.key(Key::Joint(3));
    first.key(Key::Flip);
    first.key(Key::Power);
    first.key(Key::Nudge(-7.0));
    first.key(Key::Accept);
    let text = first.progress().to_string();
    let mut second = Session::new(first.config().clone()).expect("18 servos");
    second.resume(&text.parse().expect("our own text"));
    assert_eq!(second.progress(), first.progress());
    assert_eq!(second.step(), first.step());
    assert_eq!(second.pulse_us(), None, "never with pulses on");
    let mut onto_the_old_file = session();
    onto_the_old_file.resume(&text.parse().expect("our own text"));
    assert_eq!(onto_the_old_file.servo(), first.servo(), "what was found for a joint under way is not lost");
}

#[test]
fn when_progress_does_not_fit_any_more_expect_the_rest_of_it() {
    let mut session = session();
    let progress: Progress = "# old\ndone left_front_coxa\ndone tail\nat tail 3\npoint_us 1\n".parse().expect("lines");
    session.resume(&progress);
    assert_eq!(session.servo().0, "left_front_femur");
    for bad in ["at left_front_coxa", "point_us NaN", "direction 2", "hello"] {
        assert!(bad.parse::<Progress>().is_err(), "{bad}");
    }
}

proptest! {
    /// Whatever keys are pressed: no pulse outside what may be tried, none on a joint that was just turned to.
    #[test]
    fn when_any_keys_are_pressed_expect_pulses_in_bounds(keys in proptest::collection::vec(0..9_u8, 0..200)) {
        let mut session = session();
        let mut joint = session.joint();
        for key in keys {
            session.key(match key {
                0 => Key::Nudge(25.0),
                1 => Key::Nudge(-400.0),
                2 => Key::Nudge(1e9),
                3 | 4 => Key::Accept,
                5 => Key::Back,
                6 => Key::Joint(-1),
                7 => Key::Flip,
                _ => Key::Power,
            });
            if session.joint() != joint {
                joint = session.joint();
                prop_assert_eq!(session.pulse_us(), None);
            }
            if let Some(pulse_us) = session.pulse_us() {
                prop_assert!((TRIED_US.0..=TRIED_US.1).contains(&pulse_us));
            }
            let text = session.progress().to_string();
            prop_assert_eq!(text.parse::<Progress>().expect("our own text"), session.progress());
        }
    }
}
