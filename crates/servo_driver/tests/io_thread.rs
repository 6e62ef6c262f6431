//! The I/O thread on a simulated bus: pulses, stop, hang, panic, end.

use crate::common::{Rig, pulses, wait};
use embedded_hal::i2c::{ErrorType, I2c, Operation};
use hexapod_ros::monotonic_now;
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{Fault, SimulatedBus, State};
use servo_driver::Action;
use servo_driver::io_thread::IoEnd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Each transaction takes its time at 100 kHz, and one panics when asked to.
struct Slow {
    bus: SimulatedBus,
    time: Duration,
    panic: Arc<AtomicBool>,
}

impl Slow {
    fn new(bus: SimulatedBus, time_ms: u64) -> Self {
        Self { bus, time: Duration::from_millis(time_ms), panic: Arc::default() }
    }
}

impl ErrorType for Slow {
    type Error = <SimulatedBus as ErrorType>::Error;
}

impl I2c for Slow {
    fn transaction(&mut self, address: u8, operations: &mut [Operation<'_>]) -> Result<(), Self::Error> {
        std::thread::sleep(self.time);
        assert!(!self.panic.swap(false, Ordering::SeqCst), "this bus was set to panic");
        self.bus.transaction(address, operations)
    }
}

#[test]
fn when_targets_come_expect_their_pulses_and_no_pulse_before_enable() {
    let mut rig = Rig::new();
    rig.drive(0.2, |snapshot| snapshot.counters.ticks > 5);
    assert_eq!(rig.pulses(), 0);
    rig.arm();
    rig.drive(0.3, |snapshot| snapshot.commanded(0).is_some_and(|commanded| (commanded - 0.3).abs() < 0.01));
    assert_eq!(rig.pulses(), 18);
    assert!((rig.bus.pulse_us(0x41, 4).unwrap() - 1650.0).abs() < 3.0);
}

#[test]
fn when_a_target_comes_expect_it_on_the_wire_at_once() {
    let mut rig = Rig::new();
    rig.arm();
    // Half a period apart at least, and never in step with the thread's own deadlines.
    let mut latencies: Vec<Duration> = (1..40_u32)
        .map(|step| {
            std::thread::sleep(Duration::from_millis(9));
            let before = rig.bus.tally().bytes;
            rig.command(f64::from(step) * 0.01);
            wait(|| rig.bus.tally().bytes > before)
        })
        .collect();
    latencies.sort();
    assert!(latencies[latencies.len() / 2] < Duration::from_millis(2), "{latencies:?}");
}

#[test]
fn when_nothing_was_commanded_expect_enable_refused_with_the_reason() {
    let mut rig = Rig::new();
    let answer = rig.ask(Action::Enable);
    assert!(!answer.success && answer.message.contains("FAILED commands"), "{}", answer.message);
    assert_eq!(rig.pulses(), 0);
}

#[test]
fn when_stopped_with_the_bus_saturated_expect_everything_off_within_20_ms_and_latched() {
    let mut rig = Rig::with(|bus| Slow::new(bus, 3));
    rig.arm();
    for round in 0..10 {
        let moving = std::thread::scope(|scope| {
            let (bus, Rig { ends, .. }) = (rig.bus.clone(), &mut rig);
            let asked = monotonic_now();
            let watch = scope.spawn(move || {
                wait(|| pulses(&bus) == 0);
                monotonic_now() - asked
            });
            assert!(crate::common::ask(ends, Action::EmergencyStop).success);
            watch.join().unwrap()
        });
        assert!(moving < Duration::from_millis(20), "{moving:?}");
        rig.drive(0.1, |snapshot| snapshot.state == State::EmergencyStop);
        rig.drive(0.1 * f64::from(round % 3), |snapshot| snapshot.counters.ticks % 7 == 0);
        assert_eq!(rig.pulses(), 0);
        rig.arm();
    }
}

#[test]
fn when_a_board_never_answers_expect_the_stop_ahead_of_its_retries() {
    let mut rig = Rig::with(|bus| Slow::new(bus, 8));
    rig.arm();
    rig.bus.inject(BusFault::Dead { address: 0x41 });
    rig.drive(0.2, |snapshot| snapshot.counters.wire.retries > 0);
    let bus = rig.bus.clone();
    let asked = Instant::now();
    let watch = std::thread::spawn(move || {
        wait(|| bus.pulse_us(0x40, 0).is_none());
        asked.elapsed()
    });
    let _ = rig.ask(Action::EmergencyStop);
    let took = watch.join().unwrap();
    assert!(took < Duration::from_millis(20), "{took:?}");
}

#[test]
fn when_the_bus_hangs_expect_an_answer_no_late_arming_and_a_fault() {
    let mut rig = Rig::new();
    rig.arm();
    assert!(rig.ask(Action::Disable).success);
    rig.drive(0.0, |snapshot| snapshot.state == State::Disarmed);
    rig.arm();
    rig.bus.inject(BusFault::Hang { time: Duration::from_millis(900) });
    rig.command(0.3);
    std::thread::sleep(Duration::from_millis(20));
    let asked = Instant::now();
    let answer = rig.ask(Action::Disable);
    assert!(!answer.success && answer.message.contains("as soon as it does"), "{}", answer.message);
    assert!(asked.elapsed() < Duration::from_millis(600));
    rig.drive(0.0, |snapshot| snapshot.state == State::Disarmed);
    assert_eq!(rig.pulses(), 0, "a stop that went unanswered is carried out all the same");
    rig.arm();
    rig.bus.inject(BusFault::Hang { time: Duration::from_millis(900) });
    rig.command(0.1);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!rig.ask(Action::Enable).success);
    std::thread::sleep(Duration::from_millis(300));
    let newest = rig.newest().unwrap();
    assert!(matches!(newest.fault, Some(Fault::Stalled(_))), "an enable that went unanswered is not carried out");
}

#[test]
fn when_enabled_as_a_hang_ends_expect_the_fault_first_and_then_armed() {
    let mut rig = Rig::new();
    rig.arm();
    rig.bus.inject(BusFault::Hang { time: Duration::from_millis(400) });
    rig.command(0.1);
    std::thread::sleep(Duration::from_millis(300));
    rig.command(0.1);
    let answer = rig.ask(Action::Enable);
    assert!(answer.success && !answer.message.contains("already"), "{}", answer.message);
    rig.drive(0.1, |snapshot| snapshot.state == State::Armed);
    rig.drive(0.1, |snapshot| snapshot.state == State::Armed && snapshot.counters.faults == 1);
}

#[test]
fn when_the_thread_ends_expect_every_output_off() {
    let mut rig = Rig::new();
    rig.arm();
    assert_eq!(rig.pulses(), 18);
    let Rig { bus, mut thread, .. } = rig;
    thread.end(Duration::from_secs(1)).unwrap();
    assert_eq!(pulses(&bus), 0);
}

#[test]
fn when_the_thread_is_dropped_expect_every_output_off() {
    let mut rig = Rig::new();
    rig.arm();
    let Rig { bus, thread, .. } = rig;
    drop(thread);
    wait(|| pulses(&bus) == 0);
}

#[test]
fn when_a_board_is_dead_at_the_end_expect_it_said_and_the_other_off() {
    let mut rig = Rig::new();
    rig.arm();
    rig.bus.inject(BusFault::Dead { address: 0x41 });
    let Rig { bus, mut thread, .. } = rig;
    assert_eq!(thread.end(Duration::from_secs(1)), Err(IoEnd::NotOff));
    assert_eq!(pulses(&bus), 9);
}

#[test]
fn when_the_thread_panics_expect_every_output_off_and_the_reason() {
    let panic = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&panic);
    let mut rig = Rig::with(|bus| Slow { panic: shared, ..Slow::new(bus, 0) });
    rig.arm();
    panic.store(true, Ordering::SeqCst);
    rig.command(0.2);
    wait(|| rig.thread.is_finished());
    assert_eq!(rig.pulses(), 0);
    let Rig { mut thread, .. } = rig;
    let end = thread.end(Duration::from_secs(1)).unwrap_err();
    assert!(end.to_string().contains("set to panic"), "{end}");
}

#[test]
fn when_the_bus_hangs_at_the_end_expect_no_wait_for_it() {
    let mut rig = Rig::new();
    rig.arm();
    rig.bus.inject(BusFault::Hang { time: Duration::from_millis(800) });
    rig.command(0.3);
    std::thread::sleep(Duration::from_millis(20));
    let Rig { bus, mut thread, .. } = rig;
    assert_eq!(thread.end(Duration::from_millis(300)), Err(IoEnd::Hung));
    wait(|| pulses(&bus) == 0);
}
