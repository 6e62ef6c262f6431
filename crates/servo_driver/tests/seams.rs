//! May pulses flow? A small model of that against the real service layer, state machine and servos of each wire, through random
//! interleavings of everything that starts and stops. No ROS, no threads: one step after the other, on a clock turned by
//! hand, so that a failing run shrinks to the few steps that matter.
//!
//! `SEAMS_STEPS` says how many steps (a million by default), `SEAMS_SEED` where to start; half of the steps come from a
//! fresh seed that is printed.
#![allow(clippy::unwrap_used, clippy::panic)]

mod sources;
mod steps;
mod wire;
mod world;

pub(crate) use wire::serial_servos;

use crate::common::from;
use hexapod_servo::State;
use hexapod_servo::servo2040::Dialect;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use servo_driver::Action;
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use steps::{HERE, Step, step};
use wire::Kind;
use world::World;

/// The states that were seen with pulses let through, and without; and how many enables of other processes were granted
/// after a stop.
type Seen = (HashSet<(State, bool)>, u64);

/// Plays the steps.
fn run(kind: Kind, steps: &[Step]) -> Seen {
    let mut world = World::new(kind);
    let mut seen = HashSet::new();
    for step in steps {
        world.play(step);
        world.check(step);
        seen.insert((world.looping.state(), world.wires.outputs.load(Ordering::SeqCst)));
    }
    settle(&mut world);
    (seen, world.remote.load(Ordering::SeqCst))
}

/// With everything healthy again and nobody asking for anything, a stop ends every pulse, and every call has its answer.
fn settle(world: &mut World) {
    world.wire.kill(false);
    world.wires.stop.store(false, Ordering::SeqCst);
    world.wires.battery.store(false, Ordering::SeqCst);
    let now = world.now();
    world.ask(Action::EmergencyStop, &from(HERE, now), now, Arc::default());
    world.play(&Step::Wait(10));
    for _ in 0..500 {
        for step in [Step::Wait(10), Step::Pass, Step::Answers] {
            world.play(&step);
            world.check(&step);
        }
    }
    assert_eq!((world.asked, world.wire.holding()), (world.answered, 0));
    assert_eq!(world.looping.state(), State::EmergencyStop);
}

fn interleave(kind: Kind, steps: u32, seed: u64) -> Seen {
    const RUN: usize = 200;
    let cases = steps / u32::try_from(RUN).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = proptest::collection::vec(step(), RUN);
    let seen = Mutex::new((HashSet::new(), 0));
    let result = TestRunner::new_with_rng(config, rng).run(&steps, |steps| {
        let (states, granted) = run(kind, &steps);
        let mut seen = seen.lock().unwrap();
        seen.0.extend(states);
        seen.1 += granted;
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    seen.into_inner().unwrap()
}

/// Asked of the draw that is the same in each run: another may miss a state that lasts for moments.
fn check_all_were_seen(seen: &HashSet<(State, bool)>) {
    let live = [State::Arming, State::Armed, State::Holding, State::Retiring, State::Fault];
    let off = [State::Disarmed, State::EmergencyStop];
    for state in live.map(|state| (state, true)).into_iter().chain(off.map(|state| (state, false))) {
        assert!(seen.contains(&state), "never {state:?}: these steps prove little");
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn interleave_on(kind: Kind) {
    let steps = u32::try_from(number("SEAMS_STEPS").unwrap_or(1_000_000)).unwrap();
    let fresh = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = number("SEAMS_SEED").unwrap_or(fresh);
    println!("SEAMS_SEED={seed}");
    let (seen, granted) = interleave(kind, steps / 2, 1);
    check_all_were_seen(&seen);
    let (_, more) = interleave(kind, steps / 2, seed);
    println!("{granted} and {more} enables of other processes granted after a stop");
    assert!(granted > u64::from(steps / 100_000), "hardly anybody is let in: this proves little");
}

#[test]
fn when_everything_starts_and_stops_in_any_order_expect_pulses_only_after_the_newest_enable() {
    interleave_on(Kind::Boards);
}

#[test]
fn when_feetech_servos_are_started_and_stopped_in_any_order_expect_goals_only_after_the_newest_enable() {
    interleave_on(wire::FEETECH);
}

#[test]
fn when_dynamixel_servos_are_started_and_stopped_in_any_order_expect_goals_only_after_the_newest_enable() {
    interleave_on(wire::DYNAMIXEL);
}

#[test]
fn when_lx16a_servos_are_started_and_stopped_in_any_order_expect_goals_only_after_the_newest_enable() {
    interleave_on(wire::LX16A);
}

#[test]
fn when_dynamixel_servos_of_protocol_1_are_started_and_stopped_in_any_order_expect_goals_only_after_the_newest_enable()
{
    interleave_on(wire::DYNAMIXEL_1);
}

#[test]
fn when_a_servo2040_with_chicas_firmware_is_started_and_stopped_in_any_order_expect_pulses_only_after_the_newest_enable()
 {
    interleave_on(Kind::Servo2040(Dialect::Chica));
}

#[test]
fn when_a_servo2040_with_olli_ios_firmware_is_started_and_stopped_in_any_order_expect_pulses_only_after_the_newest_enable()
 {
    interleave_on(Kind::Servo2040(Dialect::Olli));
}

#[test]
fn when_a_servo2040_with_enjoykins_firmware_is_started_and_stopped_in_any_order_expect_pulses_only_after_the_newest_enable()
 {
    interleave_on(Kind::Servo2040(Dialect::Enjoykin));
}
