//! The plugs of a bench: at most one of them has a pulse, which changes slowly.

use embedded_hal::i2c::{ErrorKind, I2c};
use hexapod_ros::monotonic_now;
use hexapod_servo::calibration::{PULSE_US, PwmClock};
use hexapod_servo::pca9685::registers::{MODE1, MODE1_RUNNING, PRE_SCALE};
use hexapod_servo::pca9685::{self, BusError, Level, Link, PulseRange, Shadow, Tally};
use hexapod_servo::{RESETS_A_BOARD, ServoConfig};
use std::time::Duration;

/// The fastest a pulse changes; 27 degrees a second for most servos.
const SPEED_US_S: f64 = 300.0;
pub(crate) const PERIOD: Duration = Duration::from_millis(20);
/// MODE1 and PRE_SCALE are read back in turn this often.
const READ_BACK: Duration = Duration::from_millis(125);
const RETRIES: u8 = 2;

/// What one plug is to put out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// Number of the board in the file.
    pub board: usize,
    /// Its channel.
    pub channel: u8,
    /// Pulse in microseconds.
    pub pulse_us: f64,
    /// The pulse to go back to when nothing more is heard.
    pub rest_us: f64,
}

impl Pulse {
    fn plug(&self) -> (usize, u8) {
        (self.board, self.channel)
    }
}

/// Which plug is to have which pulse; none: everything off.
pub type PulseRequest = Option<Pulse>;

/// What is written to the boards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readout {
    /// Pulse in microseconds and in counts.
    pub commanded: Option<(f64, u16)>,
    /// What is wrong with the bus.
    pub trouble: Option<String>,
}

struct BenchBoard {
    shadow: Shadow,
    clock: PwmClock,
    ready: bool,
}

pub(crate) struct Serving<B> {
    bus: B,
    boards: Vec<BenchBoard>,
    /// Board and channel of each servo.
    plugs: Vec<(usize, u8)>,
    commanded: PulseRequest,
    trouble: Option<String>,
    read_at: Duration,
    register: u8,
}

impl<B: I2c> Serving<B> {
    pub fn new(servos: &ServoConfig, bus: B) -> Self {
        let mut boards: Vec<_> = servos
            .boards()
            .iter()
            .map(|board| BenchBoard { shadow: Shadow::new(board.address()), clock: board.clock(), ready: false })
            .collect();
        for servo in servos.servos() {
            let board = &mut boards[servo.board()];
            let counts = |pulse_us: f64| (pulse_us * board.clock.counts_per_us()).min(4095.0) as u16;
            if let Some(range) = PulseRange::try_new(counts(*PULSE_US.start()) + 1, counts(*PULSE_US.end())) {
                board.shadow.connect(servo.channel(), range);
            }
        }
        let plugs = servos.servos().iter().map(|servo| (servo.board(), servo.channel())).collect();
        let read_at = monotonic_now();
        Self { bus, boards, plugs, commanded: None, trouble: None, read_at, register: MODE1 }
    }

    pub fn bus_mut(&mut self) -> &mut B {
        &mut self.bus
    }

    pub fn readout(&self) -> Readout {
        let commanded = self.commanded.and_then(|commanded| {
            match self.boards[commanded.board].shadow.commanded(commanded.channel)? {
                Level::Counts(counts) => {
                    Some((f64::from(counts) / self.boards[commanded.board].clock.counts_per_us(), counts))
                }
                Level::Off => None,
            }
        });
        Readout { commanded, trouble: self.trouble.clone() }
    }

    pub fn tick(&mut self, wanted: PulseRequest) {
        let step_us = SPEED_US_S * PERIOD.as_secs_f64();
        self.commanded = wanted.filter(|wanted| self.plugs.contains(&wanted.plug())).map(|wanted| {
            let before = self.commanded.filter(|before| before.plug() == wanted.plug());
            let before_us = before.map_or(wanted.pulse_us, |before| before.pulse_us);
            Pulse { pulse_us: before_us + (wanted.pulse_us - before_us).clamp(-step_us, step_us), ..wanted }
        });
        self.trouble = self.exchange().err();
        if self.trouble.is_some() {
            // Never back to the old pose by itself: it begins anew with what is wanted then.
            self.boards.iter_mut().for_each(|board| board.ready = false);
        }
    }

    fn exchange(&mut self) -> Result<(), String> {
        let mut tally = Tally::default();
        let mut silent = Vec::new();
        for (index, board) in self.boards.iter_mut().enumerate().filter(|(_, board)| !board.ready) {
            match start(board, &mut Link::new(&mut self.bus, &mut tally, RETRIES)) {
                Ok(()) => board.ready = true,
                Err(error) if matches!(error.kind, ErrorKind::NoAcknowledge(_)) => silent.push((index, error)),
                Err(error) => return Err(error.to_string()),
            }
        }
        // Joints of the other boards can be worked on meanwhile.
        let wanted = self.commanded.map(|commanded| commanded.board);
        let all = silent.len() == self.boards.len();
        let missed = silent.iter().find(|(board, _)| wanted.map_or(all, |wanted| wanted == *board));
        self.set_levels();
        for board in self.boards.iter_mut().filter(|board| board.ready) {
            let mut link = Link::new(&mut self.bus, &mut tally, RETRIES);
            board.shadow.flush(&mut link).map_err(|error| error.to_string())?;
        }
        missed.map_or_else(|| self.read_back(&mut tally), |(_, error)| Err(error.to_string()))
    }

    fn set_levels(&mut self) {
        for plug in &self.plugs {
            let BenchBoard { shadow, clock, .. } = &mut self.boards[plug.0];
            let level = match self.commanded {
                Some(commanded) if commanded.plug() == *plug => {
                    Level::Counts((commanded.pulse_us * clock.counts_per_us() + 0.5) as u16)
                }
                _ => Level::Off,
            };
            shadow.set(plug.1, level);
        }
    }

    fn read_back(&mut self, tally: &mut Tally) -> Result<(), String> {
        if monotonic_now() < self.read_at {
            return Ok(());
        }
        self.read_at = monotonic_now() + READ_BACK;
        let register = self.register;
        self.register = if register == MODE1 { PRE_SCALE } else { MODE1 };
        for board in self.boards.iter().filter(|board| board.ready) {
            let expected = if register == MODE1 { MODE1_RUNNING } else { board.clock.prescale() };
            let mut link = Link::new(&mut self.bus, tally, RETRIES);
            let address = board.shadow.address();
            let found = pca9685::verify(address, register, expected, &mut link).map_err(|error| error.to_string())?;
            if let Some(value) = found {
                let what = format!("board {address:#04x} was reset: register {register:#04x} reads {value:#04x}");
                return Err(format!("{what}; {RESETS_A_BOARD}"));
            }
        }
        Ok(())
    }

    pub fn all_off(&mut self) {
        let mut tally = Tally::default();
        let _ = pca9685::all_call_off(&mut Link::new(&mut self.bus, &mut tally, RETRIES));
        for board in &mut self.boards {
            let _ = board.shadow.all_off(&mut Link::new(&mut self.bus, &mut tally, RETRIES));
        }
    }
}

/// Has a board put out nothing, and count.
fn start<B: I2c>(board: &mut BenchBoard, link: &mut Link<'_, B>) -> Result<(), BusError> {
    pca9685::start(&mut board.shadow, board.clock.prescale(), link)?;
    pca9685::wake(board.shadow.address(), link)?;
    std::thread::sleep(pca9685::SETTLE);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_servo::simulated::BusFault;
    use hexapod_servo::{RawServoConfig, SimulatedBus};

    fn serving() -> (Serving<SimulatedBus>, SimulatedBus) {
        let yaml = "boards: [{ address: 0x40 }]\nservos:\n  a: { board: 0, channel: 2, min_pulse_us: 900, \
            max_pulse_us: 2100, speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, { angle_rad: 1, \
            pulse_us: 2000 }] }\n  b: { board: 0, channel: 3, min_pulse_us: 900, max_pulse_us: 2100, \
            speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, { angle_rad: 1, pulse_us: 2000 }] }\n";
        let raw: RawServoConfig = serde_yaml::from_str(yaml).unwrap();
        let config = ServoConfig::try_from(raw).unwrap();
        let bus = SimulatedBus::for_config(&config);
        (Serving::new(&config, bus.clone()), bus)
    }

    fn pulse(channel: u8, pulse_us: f64) -> PulseRequest {
        Some(Pulse { board: 0, channel, pulse_us, rest_us: 1500.0 })
    }

    #[test]
    fn when_a_pulse_is_wanted_expect_it_slowly_beyond_the_limits_and_one_joint_at_a_time() {
        let (mut serving, bus) = serving();
        serving.tick(None);
        assert_eq!(bus.pulse_us(0x40, 2), None);
        serving.tick(pulse(2, 1500.0));
        assert!((bus.pulse_us(0x40, 2).unwrap() - 1500.0).abs() < 3.0);
        for _ in 0..50 {
            serving.tick(pulse(2, 2400.0));
        }
        assert!((bus.pulse_us(0x40, 2).unwrap() - 1800.0).abs() < 3.0, "300 us a second");
        for _ in 0..150 {
            serving.tick(pulse(2, 2400.0));
        }
        assert!((bus.pulse_us(0x40, 2).unwrap() - 2400.0).abs() < 3.0);
        serving.tick(pulse(3, 1200.0));
        assert_eq!(bus.pulse_us(0x40, 2), None);
        assert!((bus.pulse_us(0x40, 3).unwrap() - 1200.0).abs() < 3.0);
        serving.all_off();
        assert_eq!(bus.pulse_us(0x40, 3), None);
    }

    #[test]
    fn when_one_board_is_not_there_expect_joints_of_the_other_to_work_and_its_own_to_say_so() {
        let servo = |board: usize| {
            format!(
                "{{ board: {board}, channel: 2, min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, \
                 points: [{{ angle_rad: -1, pulse_us: 1000 }}, {{ angle_rad: 1, pulse_us: 2000 }}] }}"
            )
        };
        let yaml = format!(
            "boards: [{{ address: 0x40 }}, {{ address: 0x41 }}]\nservos:\n  a: {}\n  b: {}\n",
            servo(0),
            servo(1)
        );
        let config = ServoConfig::try_from(serde_yaml::from_str::<RawServoConfig>(&yaml).unwrap()).unwrap();
        let bus = SimulatedBus::for_config(&config);
        bus.inject(BusFault::Dead { address: 0x40 });
        let mut serving = Serving::new(&config, bus.clone());
        let on = |board: usize| Some(Pulse { board, channel: 2, pulse_us: 1500.0, rest_us: 1500.0 });
        serving.tick(on(1));
        assert_eq!(serving.readout().trouble, None);
        assert!(bus.pulse_us(0x41, 2).is_some());
        serving.tick(on(0));
        assert!(serving.readout().trouble.unwrap().contains("0x40: no acknowledge"));
        assert_eq!(bus.pulse_us(0x41, 2), None, "one joint at a time");
        bus.inject(BusFault::Alive { address: 0x40 });
        serving.tick(on(0));
        assert!(bus.pulse_us(0x40, 2).is_some(), "{:?}", serving.readout());
    }

    #[test]
    fn when_the_board_is_reset_or_silent_expect_it_said_and_a_new_start() {
        let (mut serving, bus) = serving();
        serving.tick(pulse(2, 1500.0));
        bus.inject(BusFault::Dead { address: 0x40 });
        serving.tick(pulse(2, 1600.0));
        assert!(serving.readout().trouble.unwrap().contains("no acknowledge"));
        bus.inject(BusFault::BrownOut { address: 0x40 });
        bus.inject(BusFault::Alive { address: 0x40 });
        serving.tick(pulse(2, 1600.0));
        assert_eq!(serving.readout().trouble, None);
        assert!(bus.pulse_us(0x40, 2).is_some());
        bus.inject(BusFault::BrownOut { address: 0x40 });
        serving.read_at = Duration::ZERO;
        serving.register = MODE1;
        serving.tick(pulse(2, 1600.0));
        assert!(serving.readout().trouble.unwrap().contains("was reset"));
    }
}
