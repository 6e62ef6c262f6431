//! A driver on a simulated bus, without ROS.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use embedded_hal::i2c::I2c;
use hexapod_ros::{Received, Sender, monotonic_now};
use hexapod_servo::calibration::SERVO2040_CHANNELS;
use hexapod_servo::{RawServoConfig, ServoConfig, SimulatedBus, State};
use servo_driver::bus::on_boards;
use servo_driver::io::{Ends, Io};
use servo_driver::io_thread::IoThread;
use servo_driver::pins::{Inputs, Pins};
use servo_driver::{Action, Answer, OutputEnable, Snapshot};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

pub const BOARDS: [u8; 2] = [0x40, 0x41];
pub const CHANNELS: u8 = 9;
/// Who sends the commands of these tests.
pub const PLANNER: Sender = Sender::Local(1);

/// Joints `a0` to `a8` on board 0x40 and `b0` to `b8` on 0x41; 500 us a radian about 1500 us.
pub fn servos() -> ServoConfig {
    servos_with("")
}

/// The same with more of `timing`.
pub fn servos_with(timing: &str) -> ServoConfig {
    ServoConfig::try_from(raw_servos(timing)).unwrap()
}

/// The same joints on a Servo2040, in their order.
pub fn servo2040_servos() -> ServoConfig {
    let mut raw = raw_servos("");
    raw.boards.truncate(1);
    raw.boards[0].channels = SERVO2040_CHANNELS;
    for (channel, (_, servo)) in (0..).zip(&mut raw.servos.0) {
        (servo.board, servo.channel) = (0, channel);
    }
    ServoConfig::try_from(raw).unwrap()
}

fn raw_servos(timing: &str) -> RawServoConfig {
    let mut yaml = String::from("boards: [{ address: 0x40 }, { address: 0x41 }]\nservos:\n");
    for joint in names() {
        let (board, channel) = (u8::from(joint.starts_with('b')), &joint[1..]);
        yaml += &format!(
            "  {joint}: {{ board: {board}, channel: {channel}, min_pulse_us: 900, max_pulse_us: 2100, \
             speed_limit_rad_s: 6.0, group: all, points: [{{ angle_rad: -1, pulse_us: 1000 }}, {{ angle_rad: 1, pulse_us: 2000 }}] }}\n"
        );
    }
    yaml += &format!("timing: {{ group_interval_s: 0.01, soft_start_rad_s: 5.0, {timing} }}\n");
    serde_yaml::from_str(&yaml).unwrap()
}

pub fn names() -> Vec<String> {
    ["a", "b"].iter().flat_map(|board| (0..CHANNELS).map(move |channel| format!("{board}{channel}"))).collect()
}

/// Pins a test can press and look at.
#[derive(Clone, Default)]
pub struct Wires {
    pub outputs: Arc<AtomicBool>,
    pub stop: Arc<AtomicBool>,
    pub battery: Arc<AtomicBool>,
}

impl Pins for Wires {
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
        (Some(Box::new(self.clone())), Box::new(self))
    }
}

impl OutputEnable for Wires {
    fn let_through(&mut self, on: bool) {
        self.outputs.store(on, Ordering::SeqCst);
    }
}

impl Inputs for Wires {
    fn stop_pressed(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn battery_low(&self) -> bool {
        self.battery.load(Ordering::SeqCst)
    }
}

pub struct Rig {
    pub bus: SimulatedBus,
    pub ends: Ends,
    pub thread: IoThread,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(|bus| bus)
    }

    pub fn with_pins(pins: impl Pins + 'static) -> Self {
        Self::built(|io| io.with_pins(pins))
    }

    /// A driver that is more than a bus.
    pub fn built(more: impl FnOnce(Io) -> Io) -> Self {
        let servos = servos();
        let bus = SimulatedBus::for_config(&servos);
        let (io, ends) = Io::new(servos.joints());
        let thread = more(io).spawn(on_boards(&servos, bus.clone()), 100.0).unwrap();
        Self { bus, ends, thread }
    }

    /// The driver gets what `wrap` makes of the simulated bus.
    pub fn with<B: I2c + Send + 'static>(wrap: impl FnOnce(SimulatedBus) -> B) -> Self {
        let servos = servos();
        let bus = SimulatedBus::for_config(&servos);
        let (io, ends) = Io::new(servos.joints());
        let driven = wrap(bus.clone().with_hang_hook(std::thread::sleep));
        let thread = io.spawn(on_boards(&servos, driven), 100.0).unwrap();
        Self { bus, ends, thread }
    }

    pub fn command(&mut self, angle_rad: f64) {
        let names = names();
        self.ends.intake.take(PLANNER, &names, &vec![angle_rad; names.len()], monotonic_now()).unwrap();
    }

    /// Commands `angle_rad` at 100 Hz until `done` says so, at most two seconds.
    pub fn drive(&mut self, angle_rad: f64, mut done: impl FnMut(&Snapshot) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(2);
        while Instant::now() < deadline {
            self.command(angle_rad);
            std::thread::sleep(Duration::from_millis(10));
            if self.newest().is_some_and(|newest| done(&newest)) {
                return;
            }
        }
        panic!("still {:?}", self.newest());
    }

    /// Switches the servos on, as soon as it is quiet after a stop.
    pub fn arm(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(2);
        loop {
            self.command(0.0);
            let answer = self.ask(Action::Enable);
            if answer.success {
                break;
            }
            assert!(answer.message.contains("call enable again") && Instant::now() < deadline, "{}", answer.message);
            std::thread::sleep(Duration::from_millis(20));
        }
        self.drive(0.0, |snapshot| snapshot.state == State::Armed);
    }

    /// Asks as a user would, and waits for the answer.
    pub fn ask(&mut self, action: Action) -> Answer {
        ask(&mut self.ends, action)
    }

    /// The newest of the snapshots that wait.
    pub fn newest(&mut self) -> Option<Snapshot> {
        std::iter::from_fn(|| self.ends.snapshots.pop().ok()).last()
    }

    pub fn pulses(&self) -> usize {
        pulses(&self.bus)
    }
}

/// What comes from somebody of this process at that time.
pub fn from(sender: u64, at: Duration) -> Received {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let sequence = Some(NUMBER.fetch_add(1, Ordering::Relaxed));
    Received { sender: Sender::Local(sender), at, taken: at, sent: at, sequence }
}

/// Asks, and serves the call queue until there is an answer.
pub fn ask(ends: &mut Ends, action: Action) -> Answer {
    let (send, answers) = channel();
    ends.front.ask(action, &from(9, monotonic_now()), move |answer| send.send(answer).unwrap());
    let deadline = Instant::now() + Duration::from_secs(6);
    while Instant::now() < deadline {
        ends.call_queue.attend(monotonic_now());
        if let Ok(answer) = answers.try_recv() {
            return answer;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    panic!("{action:?} was never answered");
}

/// Channels that have a pulse.
pub fn pulses(bus: &SimulatedBus) -> usize {
    BOARDS
        .iter()
        .flat_map(|&board| (0..16).map(move |channel| (board, channel)))
        .filter(|&(board, channel)| bus.pulse_us(board, channel).is_some())
        .count()
}

/// Waits until `done`, at most a second; returns how long it took.
pub fn wait(mut done: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(1), "never done");
        std::thread::sleep(Duration::from_micros(200));
    }
    start.elapsed()
}
