//! The backend of PCA9685 boards on one I2C bus: joints to channels, angles to pulses.

mod board;
mod fault;

pub use fault::RESETS_A_BOARD;

use std::time::Duration;

use embedded_hal::i2c::{ErrorKind, I2c};

use crate::backend::{ArmReport, Backend, Off, Service, Tally, Trouble, Unacknowledged};
use crate::calibration::{Servo, ServoConfig};
use crate::machine::ServoDriver;
use crate::pca9685::{self, Level, Link, SETTLE, registers};
use board::{BoardUnit, READ_BACK};

/// Retries of one board in one tick.
const RETRIES: u8 = 2;

/// Servos on the channels of PCA9685 boards. Each board is a part.
#[derive(Debug)]
pub struct Pca9685Boards<B> {
    bus: B,
    boards: Vec<BoardUnit>,
    config: ServoConfig,
}

impl<B: I2c> Pca9685Boards<B> {
    /// The boards and servos of a configuration. Nothing goes over the bus yet.
    pub fn new(config: &ServoConfig, bus: B) -> Self {
        let mut boards: Vec<_> = config.boards().iter().map(BoardUnit::new).collect();
        for servo in config.servos() {
            boards[servo.board()].shadow.connect(servo.channel(), servo.range());
        }
        Self { bus, boards, config: config.clone() }
    }

    /// What the boards and servos are.
    pub fn config(&self) -> &ServoConfig {
        &self.config
    }

    /// The bus.
    pub fn bus(&self) -> &B {
        &self.bus
    }

    /// The bus, to configure it. Traffic of others on it is not seen here.
    pub fn bus_mut(&mut self) -> &mut B {
        &mut self.bus
    }
}

impl<B: I2c> ServoDriver<Pca9685Boards<B>> {
    /// The driver of the boards of a configuration on this bus.
    pub fn on_boards(config: ServoConfig, bus: B) -> Self {
        let boards = Pca9685Boards::new(&config, bus);
        Self::new(config.joints(), boards)
    }

    /// The servos in the order of joint indices.
    pub fn servos(&self) -> &[Servo] {
        self.backend().config.servos()
    }

    /// The bus.
    pub fn bus(&self) -> &B {
        self.backend().bus()
    }

    /// The bus, to configure it. Traffic of others on it is not seen by the driver.
    pub fn bus_mut(&mut self) -> &mut B {
        self.backend_mut().bus_mut()
    }
}

/// What an owner looks at where a board does not answer.
fn strapped(address: u8) -> String {
    match registers::jumpers(address).as_str() {
        "" => "is VCC connected, and no solder jumper of its address closed?".into(),
        closed => format!("is VCC connected, and of its address solder jumper {closed} closed?"),
    }
}

impl<B: I2c> Backend for Pca9685Boards<B> {
    fn part(&self, joint: usize) -> usize {
        self.config.servos()[joint].board()
    }

    fn service(&self, joint: usize) -> Service {
        self.boards[self.part(joint)].service()
    }

    fn commanded(&self, joint: usize) -> Option<f64> {
        let servo = self.config.servos().get(joint)?;
        match self.boards[servo.board()].shadow.commanded(servo.channel())? {
            Level::Counts(counts) => Some(servo.angle_of_counts(counts)),
            Level::Off => None,
        }
    }

    fn describe(&self, joint: usize) -> Option<String> {
        let (commanded_rad, servo) = (self.commanded(joint)?, self.config.servos().get(joint)?);
        let pulse_us = servo.pulse_us(commanded_rad)?.value;
        let (counts, channel) = (servo.counts(commanded_rad), servo.channel());
        let address = self.boards[servo.board()].address();
        Some(format!("{pulse_us:.0} us = {counts} counts on board {address:#04x} channel {channel}"))
    }

    /// About 2.5 ms a board at 400 kHz.
    fn prepare(&mut self, now: Duration, tally: &mut Tally, report: &mut ArmReport) {
        let (mut broken, mut silent, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        let count = self.boards.len() as u32;
        for (index, board) in (0..).zip(&mut self.boards) {
            let mut link = Link::new(&mut self.bus, tally, RETRIES);
            match board.prepare(now, READ_BACK / 2 * index / count, &mut link) {
                Ok(None) => {}
                Ok(Some(read)) => wrong.push(format!("board {:#04x} reads {read}", board.address())),
                Err(error) if matches!(error.kind, ErrorKind::NoAcknowledge(_)) => {
                    silent.push(format!("{error} ({})", strapped(board.address())))
                }
                Err(error) => broken.push(error.to_string()),
            }
        }
        let detail = |bad: &[String], good: &str| if bad.is_empty() { good.to_owned() } else { bad.join(", ") };
        report.add("bus", broken.is_empty(), detail(&broken, "it responds"));
        report.add("boards", silent.is_empty(), detail(&silent, "every board answers"));
        report.add("prescale", wrong.is_empty(), detail(&wrong, "every board that answers reads as written"));
    }

    fn settle(&self) -> Duration {
        SETTLE
    }

    fn stay_off(&mut self) {
        self.boards.iter_mut().for_each(BoardUnit::stay_off);
    }

    fn set(&mut self, joint: usize, target_rad: Option<f64>) {
        let servo = &self.config.servos()[joint];
        let level = target_rad.map_or(Level::Off, |target_rad| Level::Counts(servo.counts(target_rad)));
        self.boards[servo.board()].shadow.set(servo.channel(), level);
    }

    fn exchange(&mut self, now: Duration, tally: &mut Tally) -> u64 {
        let bus = &mut self.bus;
        let mut is_reached = |board: &mut BoardUnit| board.exchange(now, &mut Link::new(bus, tally, RETRIES));
        self.boards.iter_mut().map(|board| u64::from(!is_reached(board))).sum()
    }

    fn take_lost(&mut self) -> Option<(usize, Trouble)> {
        let mut boards = self.boards.iter_mut().enumerate();
        boards.find_map(|(part, board)| Some((part, Trouble::new(board.lost.take()?))))
    }

    fn let_go(&mut self, part: Option<usize>) {
        let meant = self.boards.iter_mut().enumerate().filter(|(index, _)| part.is_none_or(|part| part == *index));
        meant.for_each(|(_, board)| board.drop_pulses());
    }

    fn cut(&mut self, tally: &mut Tally) -> Result<(), Unacknowledged> {
        pca9685::all_call_off(&mut Link::new(&mut self.bus, tally, RETRIES)).map_err(|_| Unacknowledged)
    }

    fn all_off(&mut self, tally: &mut Tally) -> Off {
        let _ = self.cut(tally);
        let (bus, boards) = (&mut self.bus, &mut self.boards);
        boards.iter_mut().fold(Off::All, |off, board| {
            match board.shadow.all_off(&mut Link::new(bus, tally, RETRIES)).map_err(|error| error.kind) {
                Ok(()) => off,
                Err(ErrorKind::NoAcknowledge(_)) if off != Off::Failing => Off::Missing,
                Err(_) => Off::Failing,
            }
        })
    }
}
