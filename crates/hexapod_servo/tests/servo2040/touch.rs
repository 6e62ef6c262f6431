//! Touch inputs under feet.

use hexapod_servo::State;
use hexapod_servo::backend::Backend;
use hexapod_servo::calibration::RawTouch;
use hexapod_servo::servo2040::{Dialect, Fault, Servo2040};

use super::{BAUD, Rig, on_each, servos};
use crate::common::ms;
use hexapod_servo::ServoDriver;
use hexapod_servo::servo2040::Simulated;

/// Input 5 is that of the first foot, input 1 of the second.
fn with_touch(dialect: Dialect) -> Rig {
    let raw: RawTouch = serde_yaml::from_str("inputs: {b: 1, a: 5}").expect("holds");
    let (config, board) = (servos(), Simulated::new(dialect, BAUD));
    let backend = Servo2040::new(&config, board.clone(), BAUD).with_touch(Some(raw.of_legs(&["a", "b"])));
    let driver = ServoDriver::new(config.joints(), backend);
    Rig { driver, board, now: ms(1_000_000), longest: ms(0) }
}

/// What the feet said in the last tick, if they said anything.
fn said(rig: &Rig) -> Option<u32> {
    rig.driver.feet().filter(|feet| feet.at == rig.now).map(|feet| feet.pressed)
}

#[test]
fn when_feet_touch_down_expect_it_within_two_ticks_whether_servos_are_on_or_off() {
    on_each(|dialect| {
        for armed in [false, true] {
            let mut rig = with_touch(dialect);
            rig.steps(3);
            if armed {
                rig.arm();
            }
            for (input, pressed, expected) in [(5, true, 0b01), (1, true, 0b11), (5, false, 0b10), (3, true, 0b10)] {
                rig.board.inject(Fault::Pressed(input, pressed));
                rig.steps(2);
                assert_eq!(rig.driver.feet().map(|feet| feet.pressed), Some(expected), "armed: {armed}");
            }
            assert_eq!(rig.driver.state() == State::Armed, armed);
        }
    });
}

#[test]
fn when_replies_are_missing_expect_one_sample_lost_with_each_and_pulses_as_without_touch_inputs() {
    on_each(|dialect| {
        let mut rig = with_touch(dialect);
        rig.arm();
        rig.steps(10);
        let mut samples = 0;
        for step in 0..300 {
            let lost = step % 10 == 0;
            rig.board.inject(Fault::Silent(lost));
            rig.command(|joint| super::pose(joint) + 0.001 * f64::from(step % 5));
            rig.tick();
            samples += u32::from(said(&rig).is_some());
            assert!(lost || said(&rig).is_some(), "step {step}");
        }
        assert_eq!((samples, rig.driver.state()), (270, State::Armed), "{}", rig.says());
        assert!(rig.longest < ms(9), "{:?}", rig.longest);
    });
}

#[test]
fn when_no_input_is_mapped_expect_none_read() {
    on_each(|dialect| {
        let mut rig = Rig::armed(dialect);
        rig.board.inject(Fault::Pressed(0, true));
        rig.steps(5);
        assert_eq!(rig.driver.backend().feet(), None);
    });
}
