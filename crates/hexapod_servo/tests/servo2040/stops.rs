//! Stops, and lines on which nothing that moves may pass.

use std::time::Duration;

use hexapod_servo::State;
use hexapod_servo::backend::Effect;
use hexapod_servo::serial::{Port, PortError};
use hexapod_servo::servo2040::{Dialect, Simulated, effect};

use super::{Rig, on_each};

#[test]
fn when_stopped_or_shut_down_expect_the_relay_open_and_nothing_that_moves_until_enabled_again() {
    on_each(|dialect| {
        let mut rig = Rig::armed(dialect);
        rig.board.take_writes();
        rig.driver.emergency_stop().expect("the line works");
        assert_eq!((rig.board.holding(), rig.board.is_supplied()), (0, false));
        let writes = rig.board.take_writes();
        assert!(writes.len() == 1 && effect(&writes[0]) == Effect::Stop, "{writes:02x?}");
        if dialect != Dialect::Enjoykin {
            assert_eq!(writes, [[0xD3, 0x1A, 0x01, 0x00, 0x00]]);
        }
        (0..200).for_each(|_| assert_eq!(rig.step(), State::EmergencyStop));
        assert_eq!(rig.motions(), 0);
        rig.arm();
        assert_eq!(rig.board.holding(), 18);
        assert!(rig.driver.shutdown());
        assert_eq!((rig.board.holding(), rig.board.is_supplied()), (0, false));
    });
}

#[test]
fn when_enabled_at_any_time_after_a_stop_expect_it_granted() {
    on_each(|dialect| {
        let mut rig = Rig::new(dialect);
        for ticks in (0..8).chain([12, 33, 55]) {
            assert_eq!(rig.enable(), "", "{ticks} ticks after a stop");
            rig.steps(30);
            rig.driver.emergency_stop().expect("the line works");
            assert_eq!(rig.board.holding(), 0);
            rig.steps(ticks);
        }
    });
}

/// A line that a stop interrupts in all that moves a servo.
struct Barred(Simulated);

impl Port for Barred {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        if effect(frame) == Effect::Motion { Err(PortError::GaveWay) } else { self.0.write(frame) }
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        self.0.read(into, until)
    }

    fn pause(&mut self, until: Duration) {
        self.0.pause(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.0.discard()
    }
}

#[test]
fn when_nothing_that_moves_may_pass_expect_the_board_asked_all_the_same_and_no_fault() {
    on_each(|dialect| {
        let mut rig = Rig::behind(dialect, Barred);
        assert_eq!(rig.enable(), "");
        for _ in 0..300 {
            assert!(rig.step().is_live(), "{}", rig.says());
            assert_eq!((rig.board.holding(), rig.board.is_supplied()), (0, false));
        }
        assert!(rig.driver.shutdown());
    });
}
