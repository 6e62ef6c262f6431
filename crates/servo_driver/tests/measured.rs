//! What servos on a serial bus measure, and what a low supply does.

use crate::common::{PLANNER, from, names};
use crate::seams::serial_servos;
use hexapod_servo::State;
use hexapod_servo::feetech::{FAMILY, STS};
use hexapod_servo::serial::Simulated;
use servo_driver::bus::on_line;
use servo_driver::io::{Ends, Io};
use servo_driver::looping::Looping;
use servo_driver::{Action, Answer, Snapshot, SupplyLimits};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;

struct World {
    now: Arc<AtomicU64>,
    line: Simulated,
    ends: Ends,
    looping: Looping,
    newest: Option<Snapshot>,
}

impl World {
    fn new(least_v: Option<f64>) -> Self {
        Self::within(SupplyLimits { least_v, most_c: None })
    }

    fn within(limits: SupplyLimits) -> Self {
        let (now, servos) = (Arc::new(AtomicU64::new(1_000_000)), serial_servos(&FAMILY, &STS));
        let line = Simulated::new(&STS, 1..=18, 1_000_000);
        let (io, ends) = Io::new(servos.joints().clone());
        let clock = Arc::clone(&now);
        let io = io.with_clock(move || MS(clock.load(Ordering::SeqCst))).with_supply_limits(limits);
        let looping = Looping::new(io, on_line(&servos, line.clone(), 1_000_000), 100.0);
        let mut world = Self { now, line, ends, looping, newest: None };
        world.pass(500);
        world
    }

    fn now(&self) -> Duration {
        MS(self.now.load(Ordering::SeqCst))
    }

    fn pass(&mut self, time_ms: u64) {
        for _ in 0..time_ms / 10 {
            let (names, now) = (names(), self.now());
            self.ends.intake.take(PLANNER, &names, &vec![0.0; names.len()], now).unwrap();
            self.now.fetch_add(10, Ordering::SeqCst);
            self.line.advance_to(self.now());
            self.looping.pass();
            self.ends.call_queue.attend(self.now());
            while let Ok(snapshot) = self.ends.snapshots.pop() {
                self.newest = Some(snapshot);
            }
        }
    }

    fn enable(&mut self) -> Answer {
        let answered = Arc::new(Mutex::new(None));
        let answer = Arc::clone(&answered);
        self.ends.front.ask(Action::Enable, &from(9, self.now()), move |said| *answer.lock().unwrap() = Some(said));
        self.pass(2000);
        let answer = answered.lock().unwrap().take();
        answer.unwrap()
    }

    /// Servos measure so many tenths of a volt.
    fn supply(&self, ids: impl Iterator<Item = u8>, tenths: u8) {
        ids.for_each(|id| self.line.put(id, STS.voltage.0.at, &[tenths]));
    }
}

#[test]
fn when_the_servos_measure_a_low_supply_expect_the_battery_alarm_and_one_servo_alone_not_believed() {
    let mut world = World::new(Some(7.0));
    assert!(world.enable().success);
    assert_eq!(world.looping.state(), State::Armed);
    world.supply(1..=3, 52);
    world.pass(3000);
    assert_eq!(world.looping.state(), State::Armed, "three of 18");
    let supply = world.newest.unwrap().supply();
    assert_eq!((supply.voltage_v, supply.lowest_v.map(|(joint, _)| joint)), (Some(7.4), Some(0)));
    world.supply(1..=18, 66);
    world.pass(300);
    assert_eq!(world.looping.state(), State::Armed, "it may sag for a moment");
    world.pass(1000);
    // Without a planner nobody can make the robot sit.
    assert_eq!(world.looping.state(), State::Fault);
    world.pass(8000);
    let refused = world.enable();
    assert!(!refused.success && refused.message.contains("measure 6.6 V, and `low_voltage` is 7.0 V"), "{refused:?}");
    world.supply(1..=18, 78);
    world.pass(1000);
    assert!(world.enable().success);
}

#[test]
fn when_a_servo_is_hot_expect_the_robot_to_be_let_down_and_refused_until_it_has_cooled() {
    let mut world = World::within(SupplyLimits { least_v: None, most_c: Some(65.0) });
    let celsius = |world: &mut World, celsius: u8| {
        world.line.put(5, STS.temperature.at, &[celsius]);
        world.pass(4000);
    };
    assert!(world.enable().success);
    celsius(&mut world, 60);
    assert_eq!(world.looping.state(), State::Armed);
    celsius(&mut world, 66);
    assert_eq!(world.looping.state(), State::Fault, "without a planner nobody can make it sit");
    let refused = world.enable();
    assert!(!refused.success && refused.message.contains("is at 66 C, and `high_temperature` is 65 C"), "{refused:?}");
    world.pass(8000);
    celsius(&mut world, 50);
    assert!(world.enable().success);
}

#[test]
fn when_no_low_voltage_is_given_expect_none_to_count() {
    let mut world = World::new(None);
    assert!(world.enable().success);
    world.supply(1..=18, 46);
    world.pass(3000);
    assert_eq!(world.looping.state(), State::Armed);
}

#[test]
fn when_servos_measure_expect_it_in_the_snapshot_while_it_is_fresh() {
    let mut world = World::new(None);
    assert!(world.enable().success);
    let measured = world.newest.unwrap().measured(3);
    assert!(measured.position_rad.is_some_and(|sample| sample.value.abs() < 2.0 * STS.rad_per_step));
    assert!(measured.velocity_rad_s.is_some() && measured.temperature_c.is_some_and(|sample| sample.value == 31.0));
    world.line.inject(hexapod_servo::serial::Fault::Silent(4, true));
    world.pass(400);
    let measured = world.newest.unwrap().measured(3);
    assert_eq!((measured.position_rad, measured.velocity_rad_s), (None, None));
    assert!(world.newest.unwrap().measured(4).position_rad.is_some());
    world.pass(3000);
    assert_eq!(world.newest.unwrap().measured(3).voltage_v, None);
    // Else its end would be waited for, on a clock that stands.
    world.line.inject(hexapod_servo::serial::Fault::Silent(4, false));
}
