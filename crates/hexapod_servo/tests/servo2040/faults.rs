//! What can go wrong with a board, and what comes of it.

use hexapod_servo::State;
use hexapod_servo::servo2040::{Dialect, Fault};

use super::{Rig, on_each};
use crate::common::ms;

/// So many ticks until a fault, at most 20.
fn until_fault(rig: &mut Rig) -> u32 {
    (1..=20).find(|_| rig.step() == State::Fault).unwrap_or(99)
}

/// A fault with these words within 200 ms, servos off, and all back by enable alone.
fn is_lost_and_comes_back(dialect: Dialect, wrong: Fault, right: Option<Fault>, words: &str) {
    let mut rig = Rig::armed(dialect);
    rig.board.inject(wrong);
    let ticks = until_fault(&mut rig);
    assert!(ticks <= 10 && rig.says().contains(words), "{ticks} ticks: {}", rig.says());
    if let Some(right) = right {
        rig.steps(20);
        rig.board.inject(right);
    }
    rig.steps(30);
    assert_eq!((rig.board.holding(), rig.board.is_supplied()), (0, false), "{wrong:?}");
    rig.arm();
    assert_eq!(rig.board.holding(), 18);
}

#[test]
fn when_the_board_is_silent_unplugged_reset_or_driven_by_another_expect_a_fault_that_says_so_and_enable_to_bring_it_back()
 {
    on_each(|dialect| {
        let back = Some(Fault::Silent(false));
        is_lost_and_comes_back(dialect, Fault::Silent(true), back, "the Servo2040 does not answer");
        let back = Some(Fault::Unplugged(false));
        is_lost_and_comes_back(dialect, Fault::Unplugged(true), back, "the Servo2040 cannot be reached");
        is_lost_and_comes_back(dialect, Fault::Reset, None, "the Servo2040 was reset");
    });
}

#[test]
fn when_the_board_trips_expect_a_fault_with_its_current_and_enable_to_bring_it_back() {
    for dialect in [Dialect::Olli, Dialect::Enjoykin] {
        is_lost_and_comes_back(dialect, Fault::Tripped(12.4), None, "switched its servos off at 12.4 A");
    }
    let (sinks, back) = (Fault::Supplied(3.5), Some(Fault::Supplied(7.4)));
    is_lost_and_comes_back(Dialect::Enjoykin, sinks, back, "switched its servos off at 3.5 V, too little");
}

#[test]
fn when_another_program_gives_a_servo_a_pulse_expect_it_corrected_and_a_fault_if_that_goes_on() {
    on_each(|dialect| {
        let mut rig = Rig::armed(dialect);
        rig.board.inject(Fault::Written(4, 2000));
        rig.steps(if dialect == Dialect::Enjoykin { 6 } else { 3 });
        assert!(rig.driver.state() == State::Armed && rig.off_by_us(13) < 0.6, "{}", rig.off_by_us(13));
        for _ in 0..6 {
            rig.board.inject(Fault::Written(4, 2000));
            rig.steps(1);
        }
        // Where pulses go no faster than the board lets them, it is seen on its way.
        let is_seen = if dialect == Dialect::Enjoykin { "" } else { "2000 us" };
        let says = format!("channel 4 of the Servo2040 has a pulse of {is_seen}");
        assert!(rig.says().contains(&says), "{}", rig.says());
    });
}

#[test]
fn when_writes_and_replies_are_lost_late_or_garbled_now_and_then_expect_no_fault_and_servos_where_they_are_to_be() {
    on_each(|dialect| {
        for wrong in [Fault::Deaf(0.03), Fault::Lost(0.002), Fault::Garbled(0.001), Fault::Late(ms(2))] {
            let mut rig = Rig::armed(dialect);
            rig.board.inject(wrong);
            rig.steps(2000);
            assert_eq!(rig.driver.state(), State::Armed, "{wrong:?}: {}", rig.says());
            rig.board.inject(Fault::Deaf(0.0));
            rig.steps(5);
            assert!((0..18).all(|joint| rig.off_by_us(joint) < 0.6), "{wrong:?}");
        }
    });
}

#[test]
fn when_nobody_or_another_firmware_answers_expect_enable_refused_with_what_to_check() {
    on_each(|dialect| {
        let mut rig = Rig::new(dialect);
        for wrong in [Fault::Silent(true), Fault::Garbled(1.0), Fault::Lost(0.5)] {
            rig.board.inject(wrong);
            let refused = rig.enable();
            assert!(
                refused.contains("FAILED board: no Servo2040 with Chica's, olli-io's or enjoykin's firmware"),
                "{refused}"
            );
            rig.steps(50);
            assert_eq!((rig.board.holding(), rig.motions()), (0, 0));
            rig.board.inject(Fault::Silent(false));
        }
        rig.board.inject(Fault::Unplugged(true));
        let refused = rig.enable();
        assert!(refused.contains("FAILED bus: its serial port is gone"), "{refused}");
    });
}

#[test]
fn when_bytes_are_lost_in_the_handshake_expect_no_firmware_taken_for_the_other() {
    on_each(|dialect| {
        for part in [0.01, 0.05, 0.1, 0.2] {
            let mut rig = Rig::new(dialect);
            rig.board.inject(Fault::Lost(part));
            for _ in 0..200 {
                rig.board.take_writes();
                let report = rig.driver.enable(rig.now).to_string();
                rig.now = rig.now.max(hexapod_servo::serial::Port::now(&rig.board));
                for other in Dialect::ALL.into_iter().filter(|other| *other != dialect) {
                    assert!(!report.contains(&format!("{} firmware,", other.name())), "{report}");
                }
            }
        }
    });
}
