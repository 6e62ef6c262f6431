//! Stops, and lines on which nothing that moves may pass.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use hexapod_servo::backend::{Backend, Effect};
use hexapod_servo::serial::{Fault, Port, PortError, SerialServos, Series, Simulated};
use hexapod_servo::{ServoDriver, State};

use super::{Rig, Wire, oldest, on_each, pose, servos};
use crate::common::ms;

#[test]
fn when_stopped_relaxed_or_shut_down_expect_servos_limp_and_seen_to_be_so() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        rig.arm(pose);
        rig.line.take_frames();
        rig.driver.emergency_stop().expect("the line works");
        assert_eq!(rig.limp(), 18);
        let frame: &[u8] = match wire.1.name {
            "sts" | "scs" => &[0xFF, 0xFF, 0xFE, 0x04, 0x03, 0x28, 0x00, 0xD2],
            "lx16a" => &[0x55, 0x55, 0xFE, 0x04, 0x1F, 0x00, 0xDE],
            "x" => &[0xFF, 0xFF, 0xFD, 0x00, 0xFE, 0x06, 0x00, 0x03, 0x40, 0x00, 0x00, 0x2E, 0x16],
            _ => &[0xFF, 0xFF, 0xFE, 0x04, 0x03, 0x18, 0x00, 0xE2],
        };
        assert_eq!(rig.line.take_frames(), [frame]);
        (0..200).for_each(|_| assert_eq!(rig.step(pose), State::EmergencyStop));
        let moves = |frame: &Vec<u8>| wire.1.effect(frame) == Effect::Motion;
        assert!(!rig.line.take_frames().iter().any(moves));
        rig.arm(pose);
        assert!(rig.driver.relax(1, true));
        rig.step(pose);
        rig.step(pose);
        assert!((1..=18).all(|id| rig.line.holds(id) != (4..=6).contains(&id)));
        // Posed by hand meanwhile, it is led back from there.
        rig.turn(5, 2500.0);
        let heard = oldest(wire.1).as_millis() as u32 / 10 + 2;
        rig.steps(heard, pose);
        rig.driver.relax(1, false);
        let before = rig.angle(4);
        rig.steps(10.max(heard), pose);
        assert!(
            rig.line.holds(5) && (rig.angle(4) - before).abs() < 0.005 * f64::from(12.max(heard + 2)),
            "{before} {}",
            rig.angle(4)
        );
        // Wanted again before it has said that it is limp, it is given torque anew.
        rig.driver.relax(1, true);
        rig.line.inject(Fault::Late(ms(9)));
        rig.step(pose);
        rig.line.inject(Fault::Late(Duration::ZERO));
        rig.driver.relax(1, false);
        rig.steps(300, pose);
        assert!(rig.driver.state() == State::Armed && rig.limp() == 0, "{}", rig.says());
        assert!(rig.driver.shutdown());
        assert_eq!(rig.limp(), 18);
    });
}

#[test]
fn when_enabled_at_any_time_after_a_stop_expect_it_granted_whoever_was_asked_by_then() {
    on_each(|wire| {
        let mut rig = Rig::new(wire);
        for ticks in (0..8).chain([12, 20, 33, 41, 55]) {
            assert_eq!(rig.enable(pose), "", "{ticks} ticks after a stop");
            rig.steps(30, pose);
            rig.driver.emergency_stop().expect("the line works");
            rig.steps(ticks, pose);
        }
    });
}

/// A line that a stop interrupts: at once with all that moves a servo, or when replies are read.
struct Interrupted {
    line: Simulated,
    series: &'static Series,
    bars_motion: bool,
    bars_reading: Rc<Cell<bool>>,
}

impl Port for Interrupted {
    fn now(&self) -> Duration {
        self.line.now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        let is_barred = self.bars_motion && self.series.effect(frame) == Effect::Motion;
        if is_barred { Err(PortError::GaveWay) } else { self.line.write(frame) }
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        if self.bars_reading.get() { Err(PortError::GaveWay) } else { self.line.read(into, until) }
    }

    fn pause(&mut self, until: Duration) {
        self.line.pause(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.line.discard()
    }
}

fn interrupted(wire: Wire, bars_motion: bool) -> (ServoDriver<SerialServos<Interrupted>>, Simulated, Rc<Cell<bool>>) {
    let (config, line, bars_reading) = (servos(wire), Simulated::new(wire.1, 1..=18, wire.0.usual_rate), Rc::default());
    let bars = Rc::clone(&bars_reading);
    let port = Interrupted { line: line.clone(), series: wire.1, bars_motion, bars_reading: bars };
    let backend = SerialServos::new(&config, port, wire.0.usual_rate);
    (ServoDriver::new(config.joints().clone(), backend), line, bars_reading)
}

/// All have been asked where they are and whether they are limp; then the driver is enabled.
fn enable(driver: &mut ServoDriver<SerialServos<Interrupted>>, line: &Simulated) -> (Duration, Vec<(usize, f64)>) {
    let mut now = ms(1000);
    for _ in 0..20 {
        now += ms(10);
        line.advance_to(now);
        driver.tick(now);
    }
    let targets: Vec<_> = (0..18).map(|joint| (joint, 0.1)).collect();
    driver.command(now, &targets).expect("finite");
    let report = driver.enable(now);
    assert!(report.passed(), "{report}");
    (now, targets)
}

#[test]
fn when_a_stop_comes_while_servos_answer_expect_it_heard_all_the_same() {
    on_each(|wire| {
        let (mut driver, line, bars_reading) = interrupted(wire, false);
        let (mut now, targets) = enable(&mut driver, &line);
        while driver.state() != State::Armed {
            now = now.max(line.now()) + ms(10);
            line.advance_to(now);
            driver.command(now, &targets).expect("finite");
            driver.tick(now);
        }
        bars_reading.set(true);
        driver.tick(now + ms(10));
        let stopped = line.now();
        driver.emergency_stop().expect("the line works");
        assert!((1..=18).all(|id| !line.holds(id)));
        assert!(line.now() - stopped < ms(9), "{:?}", line.now() - stopped);
    });
}

#[test]
fn when_nothing_that_moves_may_pass_expect_preparing_measuring_and_letting_go_to_work_and_no_fault() {
    on_each(|wire| {
        let (mut driver, line, _) = interrupted(wire, true);
        let (mut now, targets) = enable(&mut driver, &line);
        for tick in 0..300 {
            now = now.max(line.now()) + ms(10);
            line.advance_to(now);
            driver.command(now, &targets).expect("finite");
            assert!(driver.tick(now).is_live());
            assert!((1..=18).all(|id| !line.holds(id)));
            // A tick of LX servos takes 18 ms here.
            let oldest = oldest(wire.1) * 3 / 2;
            let position = driver.backend().measured(17).position_rad;
            assert!(tick < 30 || position.is_some_and(|sample| sample.within(oldest, now).is_some()));
        }
        assert!(driver.shutdown());
    });
}
