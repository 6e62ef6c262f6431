//! The wires that the same steps are played on, each with its simulated servos and what can befall them.

use crate::common::{names, pulses, servo2040_servos, servos};
use embedded_hal::i2c::I2c;
use hexapod_servo::backend::Effect;
use hexapod_servo::serial::{Family, Fault, Port, PortError, RawSerial, RawServo, SerialConfig, Series, Simulated};
use hexapod_servo::servo2040::Dialect;
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{JointConfig, SimulatedBus};
use hexapod_servo::{dynamixel, feetech, lx16a, servo2040};
use servo_driver::Gate;
use servo_driver::bus::{Servos, on_boards, on_line, on_servo2040};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Boards,
    /// Of a family and series.
    Serial(&'static Family, &'static Series),
    /// With a firmware.
    Servo2040(Dialect),
}

pub(super) const FEETECH: Kind = Kind::Serial(&feetech::FAMILY, &feetech::STS);
pub(super) const DYNAMIXEL: Kind = Kind::Serial(&dynamixel::FAMILY, &dynamixel::X);
pub(super) const LX16A: Kind = Kind::Serial(&lx16a::FAMILY, &lx16a::LX16A);
pub(super) const DYNAMIXEL_1: Kind = Kind::Serial(&dynamixel::FAMILY, &dynamixel::AX);

pub(super) enum Wire {
    Boards(SimulatedBus),
    Serial { series: &'static Series, line: Simulated, hang: Hang },
    Servo2040 { board: servo2040::Simulated, hang: Hang },
}

/// A line that can hang: a write then takes its time and fails.
struct Line<P> {
    line: P,
    hang: Hang,
    now: Arc<AtomicU64>,
}

/// For how long the next write hangs.
type Hang = Arc<Mutex<Option<Duration>>>;

impl<P: Port> Port for Line<P> {
    fn now(&self) -> Duration {
        self.line.now()
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), PortError> {
        match self.hang.lock().unwrap().take() {
            Some(time) => {
                self.now.fetch_add(u64::try_from(time.as_nanos()).unwrap(), Ordering::SeqCst);
                Err(PortError::Failed(None))
            }
            None => self.line.write(frame),
        }
    }

    fn read(&mut self, into: &mut [u8], until: Duration) -> Result<usize, PortError> {
        self.line.read(into, until)
    }

    fn pause(&mut self, until: Duration) {
        self.line.pause(until);
    }

    fn discard(&mut self) -> Result<(), PortError> {
        self.line.discard()
    }
}

pub(crate) fn serial_servos(family: &'static Family, series: &Series) -> SerialConfig {
    let raw = |(index, name)| {
        let (id, group) = (index as i64 + 1, Some("all".to_owned()));
        let servo = RawServo {
            id,
            direction: 1,
            zero_step: None,
            min_step: 0,
            max_step: None,
            speed_limit_rad_s: 6.0,
            torque_nm_per_a: None,
            torque_nm_per_rad: None,
            group,
        };
        (name, servo)
    };
    let servos_by_name = names().into_iter().enumerate().map(raw).collect();
    let raw = RawSerial { series: Some(series.name.into()), servos: servos_by_name };
    SerialConfig::check(family, &raw, servos().timing()).unwrap()
}

/// Opens servos behind a gate.
type Open = Box<dyn FnOnce(&Gate) -> Servos>;

impl Wire {
    /// Servos of joints, and what opens them behind a gate.
    pub(super) fn new(kind: Kind, now: &Arc<AtomicU64>) -> (Self, JointConfig, Open) {
        let now = Arc::clone(now);
        match kind {
            Kind::Boards => {
                let servos = servos();
                let bus = SimulatedBus::for_config(&servos);
                let driven = bus.clone().with_hang_hook(move |time| {
                    now.fetch_add(u64::try_from(time.as_nanos()).unwrap(), Ordering::SeqCst);
                });
                let joints = servos.joints();
                (Self::Boards(bus), joints, Box::new(move |gate: &Gate| on_boards(&servos, driven)(gate)))
            }
            Kind::Serial(family, series) => {
                let servos = serial_servos(family, series);
                let (line, hang) = (Simulated::new(series, 1..=18, family.usual_rate), Hang::default());
                let port = Line { line: line.clone(), hang: Arc::clone(&hang), now };
                let joints = servos.joints().clone();
                let open = Box::new(move |gate: &Gate| on_line(&servos, port, family.usual_rate)(gate));
                (Self::Serial { series, line, hang }, joints, open)
            }
            Kind::Servo2040(dialect) => {
                let servos = servo2040_servos();
                let (board, hang) = (servo2040::Simulated::new(dialect, servo2040::BAUD), Hang::default());
                let port = Line { line: board.clone(), hang: Arc::clone(&hang), now };
                let joints = servos.joints();
                let open = Box::new(move |gate: &Gate| on_servo2040(&servos, None, port, servo2040::BAUD)(gate));
                (Self::Servo2040 { board, hang }, joints, open)
            }
        }
    }

    pub(super) fn advance_to(&self, now: Duration) {
        match self {
            Self::Boards(bus) => bus.advance_to(now),
            Self::Serial { line, .. } => line.advance_to(now),
            Self::Servo2040 { board, .. } => board.advance_to(now),
        }
    }

    /// Servos that have a pulse, or torque.
    pub(super) fn holding(&self) -> usize {
        match self {
            Self::Boards(bus) => pulses(bus),
            Self::Serial { line, .. } => (1..=18).filter(|&id| line.holds(id)).count(),
            Self::Servo2040 { board, .. } => board.holding(),
        }
    }

    /// Frames since this was last asked that may move a servo; boards are looked at by their pulses alone.
    pub(super) fn take_motions(&self) -> usize {
        match self {
            Self::Boards(_) => 0,
            Self::Serial { series, line, .. } => {
                line.take_frames().iter().filter(|frame| series.effect(frame) == Effect::Motion).count()
            }
            Self::Servo2040 { board, .. } => {
                board.take_writes().iter().filter(|write| servo2040::effect(write) == Effect::Motion).count()
            }
        }
    }

    /// The servos of the second half of the joints neither hear nor answer, or all of one board.
    pub(super) fn kill(&self, dead: bool) {
        let address = 0x41;
        match self {
            Self::Boards(bus) if dead => bus.inject(BusFault::Dead { address }),
            Self::Boards(bus) => bus.inject(BusFault::Alive { address }),
            Self::Serial { line, .. } => (10..=18).for_each(|id| line.inject(Fault::Silent(id, dead))),
            Self::Servo2040 { board, .. } => board.inject(servo2040::Fault::Silent(dead)),
        }
    }

    pub(super) fn brown_out(&self) {
        match self {
            Self::Boards(bus) => bus.inject(BusFault::BrownOut { address: 0x40 }),
            Self::Serial { line, .. } => (1..=9).for_each(|id| line.inject(Fault::BrownOut(id))),
            Self::Servo2040 { board, .. } => board.inject(servo2040::Fault::Reset),
        }
    }

    pub(super) fn hang(&self, time: Duration) {
        match self {
            Self::Boards(bus) => bus.inject(BusFault::Hang { time }),
            Self::Serial { hang, .. } | Self::Servo2040 { hang, .. } => *hang.lock().unwrap() = Some(time),
        }
    }

    /// The guard of another machine, or a tool: the first half of the servos off.
    pub(super) fn switch_off_by_another(&self) {
        match self {
            Self::Boards(bus) => drop(bus.clone().write(0x40, &[0xFD, 0x10])),
            Self::Serial { series, line, .. } => {
                (1..=9).for_each(|id| line.inject(Fault::Written(id, series.torque, 0)))
            }
            Self::Servo2040 { board, .. } => board.inject(servo2040::Fault::Opened),
        }
    }
}
