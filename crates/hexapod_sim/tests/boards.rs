//! Boards: the driver's bytes, and what they make servos do.

use crate::common::{Walker, battery, free, servos, settings, shipped};
use crate::rig::shipped::servo_map;
use embedded_hal::i2c::I2c;
use hexapod_gait::Twist;
use hexapod_servo::simulated::{Mounting, RawMount, RawMounting};
use hexapod_servo::{Fault, Pca9685Boards, ServoConfig, ServoDriver, SimulatedBus, State};
use hexapod_sim::{Battery, Boards, Ground, Settings, Simulator, World};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

fn map() -> ServoConfig {
    servo_map().clone()
}

/// A board at 50 Hz whose first channel is written by hand, and what its servo has come to know of.
struct Bench {
    bus: SimulatedBus,
    boards: Boards,
    known: Option<f64>,
    reported: usize,
}

const CHANNEL_0_ON_L: u8 = 0x06;

impl Bench {
    fn new(seed: u64) -> Self {
        let mut bus = SimulatedBus::for_config(&map());
        for (register, value) in [(0xFE, 121), (0x00, 0x21)] {
            bus.write(0x40, &[register, value]).unwrap();
        }
        let boards = Boards::new(bus.clone(), &map(), &["left_front_coxa".to_owned()], seed);
        Self { bus, boards, known: None, reported: 0 }
    }

    fn write(&mut self, on: u16, counts: u16) {
        let [[on_l, on_h], [off_l, off_h]] = [on, (on + counts) % 4096].map(u16::to_le_bytes);
        self.bus.write(0x40, &[CHANNEL_0_ON_L, on_l, on_h, off_l, off_h]).unwrap();
    }

    fn advance(&mut self, now_ns: u64) {
        self.boards.advance(now_ns, |hinge, angle| {
            assert_eq!(hinge, 0);
            self.known = angle;
            self.reported += usize::from(angle.is_some());
        });
    }
}

/// Joint angle of the first servo at a pulse of so many counts.
fn angle(counts: u16) -> f64 {
    map().servos()[0].angle_of_counts(counts)
}

#[test]
fn when_a_pulse_is_in_the_registers_expect_it_known_once_a_frame_at_its_end() {
    let mut bench = Bench::new(3);
    bench.write(0, 300);
    let step_ns = 10_000;
    let known: Vec<u64> = (0..10_000)
        .filter_map(|step| {
            let before = bench.reported;
            bench.advance(step * step_ns);
            (bench.reported > before).then_some(step * step_ns)
        })
        .collect();
    let period_ns = 122.0 * 4096.0 / 25e6 * 1e9;
    assert_eq!(known.len(), 5, "{known:?}");
    for pair in known.windows(2) {
        assert!(((pair[1] - pair[0]) as f64 - period_ns).abs() <= step_ns as f64, "{pair:?}");
    }
    assert!((bench.known.unwrap() - angle(300)).abs() < 1e-9);
}

#[test]
fn when_a_pulse_runs_over_the_end_of_its_frame_expect_it_known_all_the_same() {
    let mut bench = Bench::new(3);
    bench.write(4000, 300);
    (0..100).for_each(|ms| bench.advance(ms * 1_000_000));
    assert!((bench.known.unwrap() - angle(300)).abs() < 1e-9);
    assert!(bench.reported >= 4, "{}", bench.reported);
}

#[test]
fn when_a_pulse_is_none_that_a_servo_takes_expect_none() {
    for (on, counts) in [(0, 20), (0, 2000), (7, 0)] {
        let mut bench = Bench::new(1);
        bench.write(on, counts);
        (0..100).for_each(|ms| bench.advance(ms * 1_000_000));
        assert_eq!(bench.known, None, "{counts} counts");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A frame puts out what was written last when it was looked at first, and is known once its pulse has ended.
    #[test]
    fn when_pulses_follow_each_other_expect_each_frame_to_put_out_the_last_one_before_it(
        step_us in 500..10_000u64, seed in any::<u64>(), on in 0..4096u16,
        written in prop::collection::vec(prop::option::weighted(0.3, 150..450u16), 1..200),
    ) {
        let (mut bench, count_us) = (Bench::new(seed), 122.0 / 25.0);
        // Where the first frame begins is what a steady pulse shows.
        let mut other = Bench::new(seed);
        other.write(0, 300);
        let first_end_us = (0..40_000u64).find(|us| { other.advance(us * 1000); other.reported > 0 }).unwrap() as f64;
        let first_us = first_end_us - 300.0 * count_us;
        let mut held: Vec<Option<u16>> = Vec::new();
        for (step, counts) in written.iter().enumerate() {
            counts.iter().for_each(|&counts| bench.write(on, counts));
            held.push(counts.or(held.last().copied().flatten()));
            let now_us = (step as u64 * step_us) as f64;
            bench.advance(step as u64 * step_us * 1000);
            let frames = (0..).map(|n| first_us + f64::from(n) * 4096.0 * count_us).take_while(|begins| *begins <= now_us);
            let pulses = frames.filter_map(|begins| {
                let counts = (*held.get((begins / step_us as f64).ceil() as usize)?)?;
                Some((begins + f64::from(on + counts) * count_us, angle(counts)))
            });
            let pulses: Vec<(f64, f64)> = pulses.collect();
            // Ends are known to a microsecond here.
            if pulses.iter().all(|(end, _)| (end - now_us).abs() > 2.0) {
                let expected = pulses.iter().rev().find(|(end, _)| *end < now_us).map(|(_, angle)| *angle);
                prop_assert_eq!(bench.known.is_some(), expected.is_some(), "at {} us", now_us);
                let off = bench.known.zip(expected).map_or(0.0, |(known, expected)| (known - expected).abs());
                prop_assert!(off < 1e-9, "at {} us: {:?} for {:?}", now_us, bench.known, expected);
            }
        }
    }
}

/// The whole stack below the planner: angles to a driver, its bytes to boards, their pulses to servos.
struct Stack {
    walker: Walker,
    driver: ServoDriver<Pca9685Boards<SimulatedBus>>,
    order: Vec<usize>,
    enabled: bool,
}

const STEP_S: f64 = 0.005;

impl Stack {
    fn new(battery: Battery, kind: &str, seed: u64) -> Self {
        let mut walker = Walker::on(&Ground::flat(), kind, settings(STEP_S), battery);
        let bus = SimulatedBus::for_config(&map());
        let boards = Boards::new(bus.clone(), &map(), walker.simulator.joints(), seed);
        walker.simulator.plug_into(boards);
        let driver = ServoDriver::on_boards(map(), bus);
        let place = |name: &String| driver.joint_index(name).unwrap();
        let order = walker.simulator.joints().iter().map(place).collect();
        Self { walker, driver, order, enabled: false }
    }

    /// Two steps of physics for each tick of planner and driver.
    fn tick(&mut self, twist: Twist) -> Twist {
        let now = Duration::from_secs_f64(self.walker.simulator.world().time_s());
        let (walked, angles) = self.walker.plan(twist, 2.0 * STEP_S);
        for (hinge, angle) in angles.iter().enumerate() {
            self.driver.set_target(now, self.order[hinge], *angle).unwrap();
        }
        if !self.enabled {
            self.enabled = true;
            let report = self.driver.enable(now);
            assert!(report.passed(), "{report:?}");
        }
        self.driver.tick(now);
        (0..2).for_each(|_| self.walker.simulator.step());
        walked
    }

    fn go(&mut self, twist: Twist, seconds: f64) -> f64 {
        (0..(seconds / (2.0 * STEP_S)) as usize).map(|_| self.tick(twist).vx * 2.0 * STEP_S).sum()
    }

    fn stand(mut self) -> Self {
        self.go(Twist::ZERO, 2.0);
        self.walker.engine.stand();
        self.go(Twist::ZERO, 5.0);
        self
    }
}

#[test]
fn when_the_driver_writes_bytes_expect_the_robot_to_walk_as_if_its_servos_heard_the_planner() {
    let ahead = Twist::new(0.08, 0.0, 0.0);
    for (kind, seed) in [("perfect", 1), ("perfect", 2), ("ds3218", 3)] {
        let mut stack = Stack::new(battery(), kind, seed).stand();
        assert_eq!(stack.driver.state(), State::Armed);
        let force = stack.walker.foot_forces();
        assert!((force.z / stack.walker.weight() - 1.0).abs() < 0.01, "{kind}: {force} N");
        let start = stack.walker.base();
        let reported = stack.go(ahead, 6.0);
        let by_bytes = start.inv_mul(&stack.walker.base()).translation.x / reported;
        let mut walker = Walker::new(&Ground::flat(), kind, settings(STEP_S)).stand();
        let start = walker.base();
        let reported = walker.go(ahead, 6.0);
        let heard = start.inv_mul(&walker.base()).translation.x / reported;
        assert!((by_bytes / heard - 1.0).abs() < 0.015, "{kind}: {by_bytes} of the way, not {heard}");
    }
}

#[test]
fn when_the_driver_relaxes_expect_no_pulse_and_the_robot_to_sink() {
    let mut stack = Stack::new(battery(), "perfect", 1).stand();
    let stood = stack.walker.base().translation.z;
    stack.driver.disable();
    for tick in 0..200 {
        let now = Duration::from_secs_f64(stack.walker.simulator.world().time_s());
        stack.driver.tick(now);
        (0..2).for_each(|_| stack.walker.simulator.step());
        let limp = (0..18).all(|hinge| stack.walker.simulator.servo(hinge).unwrap().target().is_none());
        // Its last frame ends within a period.
        assert!(limp || tick < 4, "tick {tick}");
    }
    let lies = stack.walker.base().translation.z;
    assert!(lies < 0.6 * stood, "{lies} m of {stood} m");
}

#[test]
fn when_the_supply_browns_out_expect_the_driver_to_find_its_boards_reset() {
    let mut stack = Stack::new(battery(), "perfect", 1).stand();
    assert_eq!(stack.driver.fault(), None);
    stack.walker.simulator.supply_mut().load(1000.0, STEP_S);
    stack.go(Twist::ZERO, 1.0);
    let fault = stack.driver.fault();
    assert!(matches!(fault, Some(Fault::Part(trouble)) if trouble.to_string().contains("was reset")), "{fault:?}");
    assert_eq!(stack.walker.simulator.supply().resets(), 1);
}

#[test]
fn when_servos_are_mounted_otherwise_expect_their_joints_where_the_bytes_take_them() {
    let raw = RawMounting(BTreeMap::from([
        ("left_front_coxa".to_owned(), RawMount { offset_rad: 0.1, ..RawMount::default() }),
        ("left_front_femur".to_owned(), RawMount { reversed: true, ..RawMount::default() }),
        ("left_front_tibia".to_owned(), RawMount { plug_of: Some("left_rear_tibia".into()), ..RawMount::default() }),
        ("left_rear_tibia".to_owned(), RawMount { plug_of: Some("left_front_tibia".into()), ..RawMount::default() }),
    ]));
    let (bus, map) = (SimulatedBus::for_config(&map()), map());
    let robot = shipped();
    let world = World::new(&robot, &Ground::nothing(), &free(), Settings { gravity: 0.0, ..settings(STEP_S) }).unwrap();
    let mut simulator = Simulator::new(world, &robot, &servos("perfect"), battery());
    let mounting = Mounting::try_new(&map, &raw).unwrap();
    let joints = simulator.joints().to_owned();
    simulator.plug_into(Boards::new(bus.clone(), &map, &joints, 1).mounted(mounting, &joints));
    let mut driver = ServoDriver::on_boards(map, bus);
    let reported =
        |joint: &str| if joint.ends_with("tibia") { if joint.contains("rear") { -1.2 } else { -0.7 } } else { 0.3 };
    for step in 0..600 {
        let now = Duration::from_secs_f64(simulator.world().time_s());
        for joint in &joints {
            let place = driver.joint_index(joint).unwrap();
            driver.set_target(now, place, reported(joint)).unwrap();
        }
        if step == 0 {
            assert!(driver.enable(now).passed());
        }
        driver.tick(now);
        (0..2).for_each(|_| simulator.step());
    }
    let at = |joint: &str| simulator.world().position(joints.iter().position(|name| name == joint).unwrap());
    for (joint, expected) in [
        ("left_front_coxa", 0.4),
        ("left_front_femur", -0.3),
        ("left_front_tibia", -1.2),
        ("left_rear_tibia", -0.7),
        ("right_rear_femur", 0.3),
    ] {
        assert!((at(joint) - expected).abs() < 0.01, "{joint}: {} rad for {expected} rad", at(joint));
    }
}
