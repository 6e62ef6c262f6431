//! Where a series of servos has its registers, and what it counts in.

use std::time::Duration;

use super::block::Block;
use super::frame::Protocol;

/// How a number says that it is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Never.
    None,
    /// This bit is set, and the bits below it are the magnitude.
    Bit(u8),
    /// Two's complement.
    Twos,
}

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The low one.
    LowFirst,
    /// The high one.
    HighFirst,
}

/// A number in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Address of its first byte.
    pub at: u16,
    /// Its bytes, at most four.
    pub bytes: u8,
    /// How it says that it is negative.
    pub sign: Sign,
}

/// What a servo's settings must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The setting.
    pub field: Field,
    /// The bits of it that count.
    pub mask: i64,
    /// Greatest value that will do.
    pub most: i64,
    /// Least value that will do.
    pub least: i64,
    /// What a servo that breaks it does, before the value.
    pub does: &'static str,
    /// What is right.
    pub right: &'static str,
}

/// A model of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// What its servos report.
    pub number: u16,
    /// What people call it.
    pub name: &'static str,
    /// Amperes of one count where the register of the load counts current.
    pub amperes: Option<f64>,
}

/// A register that has a servo stop when nothing is heard from the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    /// Its address.
    pub at: u16,
    /// What it is set to.
    pub value: u8,
    /// What it reads once it has stopped the servo; only 0 ends that.
    pub tripped: u8,
}

/// A series of servos with the same registers. Angles are in radians.
#[derive(Debug, PartialEq)]
pub struct Series {
    /// What `series` in `servos.yaml` calls it.
    pub name: &'static str,
    /// What its servos speak.
    pub protocol: Protocol,
    /// Which byte of a number comes first.
    pub order: Order,
    /// Greatest ID.
    pub max_id: u8,
    /// The models that are known.
    pub models: &'static [Model],
    /// Models that speak the same and have other registers: they are not driven.
    pub foreign: &'static [Model],
    /// Greatest position.
    pub last_step: u16,
    /// The position in the middle.
    pub middle_step: u16,
    /// Angle of one step.
    pub rad_per_step: f64,
    /// Speed of one count of a speed, rad/s.
    pub speed_rad_s: f64,
    /// Greatest speed limit.
    pub greatest_speed: u16,
    /// Whether many servos hear one frame of goals. If not, each gets frames of its own, as many in a tick as there is time for.
    pub sync_write: bool,
    /// Whether many servos answer one request. If not, a few servos are asked in each tick.
    pub sync_read: bool,
    /// Whether goals beyond a servo's own limits are refused, and leave the goal before them.
    pub refuses_goals: bool,
    /// Whether a goal is all it takes: torque comes with it.
    pub torque_with_goal: bool,
    /// Whether both limits at 0 are none.
    pub zero_is_unlimited: bool,

    /// What a servo is set to. Blocks are recognised by their length.
    pub setting: &'static [Block],
    /// Its ID.
    pub id: u16,
    /// 1: what it is set to is kept as it is; 0: it can be written.
    pub lock: Option<u16>,
    /// Model number.
    pub model: Field,
    /// The register that is 1 where a number's high byte comes first.
    pub high_first: Option<u16>,
    /// Lowest and highest goal.
    pub limits: (Field, Field),
    /// What settings must be.
    pub rules: &'static [Rule],
    /// Of the bits of [`alarm`](Self::alarm), those that end a servo's torque until its supply was off.
    pub shutdown: Option<Field>,

    /// 0: limp, 1: it holds. The first of the registers that a servo loses with its supply.
    pub torque: u16,
    /// What is written with the first goal: it has goal and speed in it, and all else is 0.
    pub first: Block,
    /// Goal.
    pub goal: Field,
    /// Greatest speed on the way to it.
    pub speed: Field,
    /// How long the way to a goal shall take, ms, written with each.
    pub move_time: Option<Field>,
    /// Its watchdog.
    pub watchdog: Option<Watchdog>,
    /// 0: it gives no torque, whatever it is commanded.
    pub force: Option<Field>,

    /// What is read in each tick.
    pub present: Block,
    /// What a servo is commanded and measures, read of one servo after another; of several blocks one at a time, the first of
    /// which has the position.
    pub state: &'static [Block],
    /// Position.
    pub position: Field,
    /// Speed.
    pub velocity: Field,
    /// Load, 0.1 % of full duty; of models with [`amperes`](Model::amperes) current.
    pub load: Field,
    /// Current and amperes of one count, where it has a register of its own.
    pub current: Option<(Field, f64)>,
    /// Supply, and volts of one count.
    pub voltage: (Field, f64),
    /// Degrees Celsius.
    pub temperature: Field,
    /// What a servo complains of; `None`: the error byte of its replies.
    pub alarm: Option<Field>,
    /// The bits of that.
    pub alarms: &'static [(u8, &'static str)],
    /// Those of a servo that is not brought into service: it misreads where it stands, or would let go at once.
    pub barring: u8,
}

impl Field {
    /// What a series does not have.
    pub const NONE: Self = Self::new(u16::MAX, 0);

    /// A number that is never negative.
    pub const fn new(at: u16, bytes: u8) -> Self {
        Self { at, bytes, sign: Sign::None }
    }

    /// A number with a sign.
    pub const fn signed(at: u16, bytes: u8, sign: Sign) -> Self {
        Self { at, bytes, sign }
    }

    /// Where it begins in the values of a block, if all of it is there.
    fn offset(self, block: Block) -> Option<usize> {
        let offset = usize::from(self.at.checked_sub(block.first)?);
        (offset + usize::from(self.bytes) <= usize::from(block.count)).then_some(offset)
    }

    /// It alone.
    pub const fn block(self) -> Block {
        Block::new(self.at, self.bytes)
    }
}

impl Series {
    /// A model by its number.
    pub fn model(&self, number: u16) -> Option<&'static Model> {
        self.models.iter().find(|model| model.number == number)
    }

    /// A number out of the values of a block; `None` if it is not in them.
    pub fn number(&self, field: Field, block: Block, values: &[u8]) -> Option<i64> {
        let from = field.offset(block)?;
        let bytes = values.get(from..from + usize::from(field.bytes))?;
        let join = |number: i64, byte: &u8| number << 8 | i64::from(*byte);
        let raw = match self.order {
            Order::LowFirst => bytes.iter().rev().fold(0, join),
            Order::HighFirst => bytes.iter().fold(0, join),
        };
        Some(match field.sign {
            Sign::None => raw,
            Sign::Bit(bit) if raw >> bit & 1 == 0 => raw & ((1 << bit) - 1),
            Sign::Bit(bit) => -(raw & ((1 << bit) - 1)),
            Sign::Twos => {
                let unused = 64 - 8 * u32::from(field.bytes);
                raw << unused >> unused
            }
        })
    }

    /// Puts a number that is not negative into the values of a block.
    pub fn put(&self, number: u32, field: Field, block: Block, values: &mut [u8]) {
        let Some(from) = field.offset(block) else { return };
        let Some(bytes) = values.get_mut(from..from + usize::from(field.bytes)) else { return };
        let count = bytes.len();
        for (index, byte) in bytes.iter_mut().enumerate() {
            let place = if self.order == Order::LowFirst { index } else { count - 1 - index };
            *byte = (number >> (8 * place)) as u8;
        }
    }

    /// What a goal is written with: it alone, or with the time that it shall take.
    pub fn goal_block(&self) -> Block {
        let bytes = self.goal.bytes + self.move_time.map_or(0, |time| time.bytes);
        Block::new(self.goal.at, bytes)
    }

    /// Speed limit at which a joint turns so fast; never 0, which would be no limit.
    pub fn speed_limit(&self, speed_rad_s: f64) -> u16 {
        (speed_rad_s / self.speed_rad_s).ceil().clamp(1.0, f64::from(self.greatest_speed)) as u16
    }

    /// Whether a servo can stand there: at a step it has or, where positions have a sign, somewhat beyond.
    pub(super) fn has_place(&self, step: i64) -> bool {
        let last = i64::from(self.last_step);
        let beyond = if self.position.sign == Sign::None { 0 } else { last / 8 };
        (-beyond..=last + beyond).contains(&step)
    }

    /// Whether any of its servos measures its current.
    pub(super) fn measures_current(&self) -> bool {
        self.current.is_some() || self.models.iter().any(|model| model.amperes.is_some())
    }

    /// How long a way takes that goes through all steps at this speed.
    pub(super) fn whole_way(&self, speed_rad_s: f64) -> Duration {
        Duration::from_secs_f64(f64::from(self.last_step) * self.rad_per_step / speed_rad_s)
    }

    /// What a servo complains of, by the bits that it reports.
    pub fn alarm(&self, bits: u8) -> Option<&'static str> {
        self.alarms.iter().filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, name)| *name).next_back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feetech::STS;

    #[test]
    fn when_numbers_have_a_sign_expect_them_signed() {
        let number = |sign, bytes: &[u8]| {
            let field = Field::signed(7, bytes.len() as u8, sign);
            STS.number(field, Block::new(5, 9), &[&[9, 9], bytes, &[9; 4]].concat())
        };
        assert_eq!(number(Sign::Bit(15), &[0x00, 0x08]), Some(2048));
        assert_eq!(number(Sign::Bit(15), &[0x05, 0x80]), Some(-5));
        assert_eq!(number(Sign::Bit(10), &[0x32, 0x04]), Some(-50));
        assert_eq!(number(Sign::Bit(10), &[0xFF, 0x03]), Some(1023));
        assert_eq!(number(Sign::Twos, &[0xFE, 0xFF, 0xFF, 0xFF]), Some(-2));
        assert_eq!(number(Sign::None, &[0xFE, 0xFF]), Some(0xFFFE));
        assert_eq!(STS.number(Field::new(13, 2), Block::new(5, 9), &[0; 9]), None);
    }

    #[test]
    fn when_the_error_byte_says_that_torque_is_on_expect_no_alarm() {
        assert_eq!(STS.alarm(0x10), None);
        assert_eq!(STS.alarm(0x21), Some("overload"));
    }
}
