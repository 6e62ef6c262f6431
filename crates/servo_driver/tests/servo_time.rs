//! The driver on a clock turned by hand: of a simulation that stands still, and held up by its bus.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::{CHANNELS, PLANNER, from, names, pulses, servos};
use hexapod_servo::{SimulatedBus, State};
use servo_driver::Action;
use servo_driver::bus::on_boards;
use servo_driver::io::{Ends, Io};
use servo_driver::looping::Looping;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;
const ALL: usize = 2 * CHANNELS as usize;

struct World {
    now: Arc<AtomicU64>,
    bus: SimulatedBus,
    ends: Ends,
    looping: Looping,
}

impl World {
    /// One that goes by the time of its physics, or by the computer's.
    fn new(goes_by_physics: bool) -> Self {
        let (now, servos) = (Arc::new(AtomicU64::new(1_000_000)), servos());
        let bus = SimulatedBus::for_config(&servos);
        let (io, ends) = Io::new(servos.joints());
        let clock = Arc::clone(&now);
        let mut io = io.with_clock(move || MS(clock.load(Ordering::SeqCst)));
        if goes_by_physics {
            io = io.with_servo_time(bus.servo_time().clone());
        }
        Self { now, looping: Looping::new(io, on_boards(&servos, bus.clone()), 100.0), bus, ends }
    }

    /// One whose servos are on.
    fn armed(goes_by_physics: bool) -> Self {
        let mut world = Self::new(goes_by_physics);
        world.pass(100, true);
        world.ends.front.ask(Action::Enable, &from(9, world.now()), |answer| {
            assert!(answer.success && !answer.message.contains("paused"), "{}", answer.message);
        });
        world.pass(1000, true);
        assert_eq!(world.seen(), (State::Armed, ALL));
        world
    }

    fn now(&self) -> Duration {
        MS(self.now.load(Ordering::SeqCst))
    }

    /// Lets the computer's time pass, and no thread of the process do anything.
    fn wait(&self, time_ms: u64) {
        self.now.fetch_add(time_ms, Ordering::SeqCst);
    }

    fn command(&mut self, angle_rad: f64) {
        let (names, now) = (names(), self.now());
        self.ends.intake.take(PLANNER, &names, &vec![angle_rad; names.len()], now).unwrap();
    }

    /// Lets time pass, with commands or without.
    fn pass(&mut self, time_ms: u64, commands: bool) {
        for _ in 0..time_ms / 10 {
            if commands {
                self.command(0.0);
            }
            self.wait(10);
            if !self.bus.servo_time().is_paused() {
                self.bus.servo_time().step(MS(10));
            }
            let now = self.now();
            self.bus.advance_to(now);
            self.looping.pass();
            self.ends.call_queue.attend(now);
            while self.ends.snapshots.pop().is_ok() {}
        }
    }

    fn seen(&self) -> (State, usize) {
        (self.looping.state(), pulses(&self.bus))
    }
}

#[test]
fn when_the_simulation_stands_still_for_a_minute_expect_the_servos_to_hold_until_it_has_gone_on_for_as_long_as_ever() {
    let mut world = World::armed(true);
    world.bus.servo_time().pause(true);
    world.pass(60_000, false);
    assert_eq!(world.seen(), (State::Armed, ALL));
    world.bus.servo_time().pause(false);
    world.pass(100, false);
    assert_eq!(world.seen(), (State::Armed, ALL), "commands are no older than before");
    world.pass(1000, false);
    assert_eq!(world.seen(), (State::Holding, ALL));
    world.pass(40_000, false);
    assert_eq!(world.seen().1, 0, "and the robot is let go as ever");
}

#[test]
fn when_the_simulation_is_held_up_with_all_threads_expect_nothing_stale_and_an_enable_granted() {
    let mut world = World::armed(true);
    for held_up_ms in [600, 1500, 60_000] {
        world.wait(held_up_ms);
        world.pass(200, false);
        assert_eq!(world.seen(), (State::Armed, ALL), "{held_up_ms} ms");
        world.pass(500, true);
    }
    world.ends.front.ask(Action::Disable, &from(9, world.now()), |answer| assert!(answer.success));
    world.pass(2000, true);
    world.wait(2000);
    world.ends.front.ask(Action::Enable, &from(9, world.now()), |answer| {
        assert!(answer.success, "{}", answer.message);
    });
    world.pass(1000, true);
    assert_eq!(world.seen(), (State::Armed, ALL));
}

#[test]
fn when_a_stop_or_an_enable_comes_while_the_simulation_stands_still_expect_it_heard() {
    let mut world = World::armed(true);
    world.bus.servo_time().pause(true);
    world.pass(5000, false);
    world
        .ends
        .front
        .ask(Action::EmergencyStop, &from(9, world.now()), |answer| assert!(answer.success, "{}", answer.message));
    world.pass(10, false);
    assert_eq!(world.seen(), (State::EmergencyStop, 0));
    world.pass(1000, false);
    world.ends.front.ask(Action::Enable, &from(9, world.now()), |answer| {
        assert!(answer.success && answer.message.contains("the simulation is paused"), "{}", answer.message);
    });
    world.pass(100, false);
    assert_eq!(world.looping.state(), State::Arming);
    world.bus.servo_time().pause(false);
    world.pass(1000, true);
    assert_eq!(world.seen(), (State::Armed, ALL));
}

#[test]
fn when_the_simulation_goes_on_step_by_step_expect_joints_to_follow_each() {
    let mut world = World::armed(true);
    world.bus.servo_time().pause(true);
    let pulse = |world: &World| world.bus.pulse_us(0x40, 0).unwrap();
    let before = pulse(&world);
    for _ in 0..20 {
        world.bus.servo_time().step(MS(10));
        world.command(0.8);
        world.pass(100, false);
    }
    assert!(pulse(&world) > before + 300.0, "{before} -> {}", pulse(&world));
    assert_eq!(world.seen(), (State::Armed, ALL));
}

#[test]
fn when_the_bus_hung_expect_joints_to_go_the_way_that_was_commanded_meanwhile() {
    let mut world = World::armed(false);
    // Out and some of the way back, with no pass of the thread.
    for angle_rad in [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.25, 0.2, 0.15] {
        world.command(angle_rad);
        world.wait(10);
    }
    let (mut last, mut farthest) = (1500.0, 0.0_f64);
    for _ in 0..60 {
        world.command(0.15);
        world.pass(10, false);
        let pulse_us = world.bus.pulse_us(0x40, 0).unwrap();
        assert!((pulse_us - last).abs() < 40.0, "a jump from {last} us to {pulse_us} us");
        (last, farthest) = (pulse_us, farthest.max(pulse_us));
    }
    assert!(farthest > last + 50.0, "up to {farthest} us, then {last} us");
}
