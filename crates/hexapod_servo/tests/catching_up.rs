//! After a time without writes joints go the way they were commanded, a little faster, and do not jump to its end.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use std::time::Duration;

use crate::common::{JOINTS, Rig, ms};
use hexapod_servo::State;
use hexapod_servo::simulated::BusFault;
use proptest::prelude::*;

/// A count of a board, in radians.
const COUNT_RAD: f64 = 0.0077;
/// What a servo of 6 rad/s does within a frame at half its speed.
const NO_JUMP_RAD: f64 = 0.06;
/// A quarter more than was commanded.
const PACE: f64 = 1.25;
/// A tick.
const TICK_S: f64 = 0.01;

/// Why nothing gets through.
#[derive(Clone, Copy, Debug)]
enum Gap {
    /// The thread is stuck in a transaction, and commands wait.
    Hang,
    /// Commands are lost.
    Lost,
    /// The second board acknowledges nothing, for less than makes it count as lost.
    Silent,
}

/// Every joint on its own sine.
#[derive(Clone, Copy, Debug)]
struct Walk {
    amplitude_rad: f64,
    speed_rad_s: f64,
}

impl Walk {
    fn at(self, now: Duration) -> impl Fn(usize) -> f64 {
        let phase = now.as_secs_f64() * self.speed_rad_s / self.amplitude_rad;
        move |joint| self.amplitude_rad * (phase + 0.7 * joint as f64).sin()
    }
}

/// A robot that walks, and the greatest step that any joint was commanded.
struct Walking {
    rig: Rig,
    walk: Walk,
    commanded: Vec<f64>,
    step_rad: f64,
}

impl Walking {
    fn new(walk: Walk) -> Self {
        let mut rig = Rig::armed();
        let begin = rig.now;
        // Into the walk at the speed of the first motion.
        while rig.now < begin + ms(3000) {
            let target = walk.at(rig.now);
            let fraction = (rig.now - begin).as_secs_f64() / 3.0;
            rig.step(|joint| fraction * target(joint));
        }
        let mut walking = Self { rig, walk, commanded: vec![0.0; JOINTS], step_rad: 0.0 };
        walking.go(10);
        assert_eq!(walking.rig.driver.counters().catch_ups, 0);
        walking.step_rad = 0.0;
        walking
    }

    fn go(&mut self, ticks: u64) {
        for _ in 0..ticks {
            let target = self.walk.at(self.rig.now + ms(10));
            self.rig.step(target);
            self.look();
        }
    }

    fn look(&mut self) {
        self.rig.check_outputs();
        for (joint, last) in self.commanded.iter_mut().enumerate() {
            let Some(commanded) = self.rig.driver.commanded(joint) else { continue };
            self.step_rad = self.step_rad.max((commanded - *last).abs());
            *last = commanded;
        }
    }

    /// So many ticks in which nothing gets through.
    fn miss(&mut self, gap: Gap, ticks: u64) {
        let address = 0x41;
        match gap {
            Gap::Hang => (0..ticks).for_each(|_| {
                self.rig.now += ms(10);
                self.rig.send(self.walk.at(self.rig.now));
            }),
            Gap::Lost => (0..ticks).for_each(|_| {
                self.rig.tick();
                self.look();
            }),
            Gap::Silent => {
                self.rig.bus.inject(BusFault::Dead { address });
                self.go(ticks);
                self.rig.bus.inject(BusFault::Alive { address });
            }
        }
    }

    /// How far any joint is from where it is commanded, rad.
    fn away(&self) -> f64 {
        let target = self.walk.at(self.rig.now);
        let away = |joint: usize| {
            let servo = &self.rig.driver.servos()[joint];
            let limited = servo.limit_angle(target(joint)).expect("finite").value;
            (self.rig.driver.commanded(joint).expect("on") - limited).abs()
        };
        (0..JOINTS).map(away).fold(0.0, f64::max)
    }
}

prop_compose! {
    /// Also beyond the limits, 0.94 rad.
    fn any_walk()(amplitude_rad in 0.3..1.2f64, speed_rad_s in 0.1..4.6f64) -> Walk {
        Walk { amplitude_rad, speed_rad_s }
    }
}

fn any_gap() -> impl Strategy<Value = (Gap, u64)> {
    prop_oneof![
        (2..=14u64).prop_map(|ticks| (Gap::Hang, ticks)),
        (2..=23u64).prop_map(|ticks| (Gap::Lost, ticks)),
        (2..=5u64).prop_map(|ticks| (Gap::Silent, ticks)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn when_nothing_gets_through_for_a_while_expect_small_steps_and_the_walk_again_soon(
        walk in any_walk(), (gap, missed) in any_gap(), between in 2..40u64, (next, then_missed) in any_gap()
    ) {
        let mut walking = Walking::new(walk);
        walking.miss(gap, missed);
        walking.go(between);
        walking.miss(next, then_missed);
        // A tenth of a second is made up for in four, and some ticks are needed to notice.
        walking.go(4 * (missed + then_missed) + 10);
        prop_assert_eq!(walking.rig.driver.state(), State::Armed);
        // Whatever the rest, no faster than within a frame.
        let most = NO_JUMP_RAD.max(PACE * walk.speed_rad_s * 2.0 * TICK_S) + COUNT_RAD;
        prop_assert!(walking.step_rad <= most, "{} rad, and {most} allowed", walking.step_rad);
        prop_assert!(walking.away() <= COUNT_RAD, "{} rad away in the end", walking.away());
    }
}

const BRISK: Walk = Walk { amplitude_rad: 0.5, speed_rad_s: 4.0 };

#[test]
fn when_the_bus_hangs_for_any_time_short_of_a_fault_expect_one_catch_up() {
    for ticks in 2..=14 {
        let mut walking = Walking::new(BRISK);
        walking.miss(Gap::Hang, ticks);
        walking.go(100);
        assert_eq!(walking.rig.driver.counters().catch_ups, 1, "{ticks} ticks");
        assert!(walking.step_rad <= PACE * BRISK.speed_rad_s * TICK_S + COUNT_RAD, "{} rad", walking.step_rad);
    }
}

#[test]
fn when_commands_waited_meanwhile_expect_the_way_they_describe() {
    let mut rig = Rig::armed();
    for _ in 0..20 {
        rig.step(|_| 0.0);
    }
    // There and back while the bus hangs.
    for angle_rad in [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.2, 0.15, 0.1, 0.05] {
        rig.now += ms(10);
        rig.send(|_| angle_rad);
    }
    let mut farthest = 0.0_f64;
    for _ in 0..60 {
        rig.step(|_| -0.3);
        farthest = farthest.max(rig.driver.commanded(0).expect("on"));
    }
    assert!(farthest > 0.22, "{farthest}");
    assert!((rig.driver.commanded(0).expect("on") + 0.3).abs() < COUNT_RAD);
}

#[test]
fn when_stopped_while_catching_up_expect_all_off_and_a_slow_start_from_there() {
    for stop in [0, 1] {
        let mut walking = Walking::new(BRISK);
        walking.miss(Gap::Hang, 14);
        walking.go(5);
        let held = walking.rig.driver.commanded(3).expect("on");
        match stop {
            0 => walking.rig.driver.emergency_stop().expect("boards answer"),
            _ => walking.rig.driver.disable(),
        }
        walking.rig.step(|_| held);
        assert!(walking.rig.all_low());
        for _ in 0..50 {
            walking.rig.step(|_| held);
            assert!(walking.rig.all_low());
        }
        assert!(walking.rig.driver.enable(walking.rig.now).passed());
        while walking.rig.driver.commanded(3).is_none() {
            walking.rig.step(|_| held);
        }
        let mut last = walking.rig.driver.commanded(3).expect("on");
        assert!((last - held).abs() < COUNT_RAD, "the first pulse is where it was");
        for _ in 0..200 {
            walking.rig.step(|_| -held);
            let commanded = walking.rig.driver.commanded(3).expect("on");
            assert!((commanded - last).abs() <= 0.5 * TICK_S + COUNT_RAD);
            last = commanded;
        }
        while walking.rig.step(|_| -held) != State::Armed {}
        walking.rig.step(|_| 0.04 - held);
        let commanded = walking.rig.driver.commanded(3).expect("on");
        assert!((commanded - 0.04 + held).abs() < COUNT_RAD, "what was missed before the stop is not made up for");
    }
}

#[test]
fn when_a_steady_source_is_slow_or_steps_are_wide_expect_them_as_commanded() {
    for interval in [1, 2, 5, 10, 20, 40, 100, 200] {
        let mut rig = Rig::armed();
        let step = |rig: &mut Rig, angle_rad: f64| {
            for tick in 0..interval.max(10) {
                if tick % interval == 0 {
                    rig.send(|_| angle_rad);
                }
                rig.now += ms(1);
                if tick % 10 == 9 {
                    rig.driver.tick(rig.now);
                }
            }
        };
        for n in 0..50 {
            step(&mut rig, 0.01 * f64::from(n % 2));
        }
        for n in 0..50 {
            step(&mut rig, 0.5 * f64::from(n % 2));
        }
        assert_eq!(rig.driver.counters().catch_ups, 0, "{interval} ms");
    }
}

#[test]
fn when_the_planner_itself_paused_expect_no_delay() {
    let mut rig = Rig::armed();
    let angle = |n: u32| 0.02 * f64::from(n % 20);
    for n in 0..20 {
        rig.step(|_| angle(n).min(0.3));
    }
    for _ in 0..10 {
        rig.tick();
    }
    rig.step(|_| 0.32);
    assert!((rig.driver.commanded(0).expect("on") - 0.32).abs() < COUNT_RAD);
    assert_eq!(rig.driver.counters().catch_ups, 0);
}
