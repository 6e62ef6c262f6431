//! Feetech's bus servos: registers after its sheets "ST3215 memory table", "SMS memory table" and "SCS15 & SCS115 manual", decimal
//! addresses as there.
//! They answer writes with alarms, not refusals; bit 4 of the error byte says that torque is on. 128 in the torque register
//! would shift a servo's zero, and is never written.

use std::f64::consts::TAU;

use crate::serial::{Block, Family, Field, Model, Order, Protocol, Rule, Series, Sign};

/// Their bus.
pub static FAMILY: Family = Family {
    name: "feetech",
    about: "Feetech STS, SMS and SCS servos",
    series: &[&STS, &SCS, &SCS15],
    rates: "1000000, 500000, 250000, 128000 or 115200",
    usual_rate: 1_000_000,
    factory_rate: 1_000_000,
};

const MODE: Field = Field::new(33, 1);
const RESOLUTION: Field = Field::new(30, 1);

/// STS and SMS servos: 4096 steps a turn.
pub static STS: Series = Series {
    name: "sts",
    protocol: Protocol::One,
    order: Order::LowFirst,
    max_id: 0xFD,
    models: &[
        Model { number: 777, name: "STS3215", amperes: None },
        Model { number: 2825, name: "STS3250", amperes: None },
    ],
    foreign: &[],
    last_step: 4095,
    middle_step: 2048,
    rad_per_step: TAU / 4096.0,
    speed_rad_s: TAU / 4096.0,
    greatest_speed: 32767,
    sync_write: true,
    sync_read: true,
    refuses_goals: false,
    torque_with_goal: false,
    zero_is_unlimited: true,
    setting: &[Block::new(2, 33)],
    id: 5,
    lock: Some(55),
    model: Field::new(3, 2),
    high_first: Some(2),
    limits: (Field::new(9, 2), Field::new(11, 2)),
    rules: &[
        Rule { field: MODE, mask: 0xFF, most: 0, least: 0, does: "is in mode", right: "0, position" },
        // It is what each step is multiplied by.
        Rule { field: RESOLUTION, mask: 0xFF, most: 1, least: 0, does: "has the angular resolution", right: "1" },
    ],
    shutdown: None,
    torque: 40,
    first: Block::new(41, 7),
    goal: Field::new(42, 2),
    speed: Field::new(46, 2),
    move_time: None,
    watchdog: None,
    force: Some(Field::new(48, 2)),
    present: Block::new(56, 4),
    state: &[Block::new(40, 31)],
    position: Field::signed(56, 2, Sign::Bit(15)),
    velocity: Field::signed(58, 2, Sign::Bit(15)),
    load: Field::signed(60, 2, Sign::Bit(10)),
    current: Some((Field::signed(69, 2, Sign::Bit(15)), 6.5e-3)),
    voltage: (Field::new(62, 1), 0.1),
    temperature: Field::new(63, 1),
    alarm: None,
    alarms: &[(0, "voltage"), (1, "position sensor"), (2, "temperature"), (3, "current"), (5, "overload")],
    barring: 0b111,
};

/// SCS servos with 1024 steps for 300 degrees, as SCS0009: high byte first, and no request that many answer. Register 48 is
/// their lock, where STS ones have a limit of torque; 41 is not used.
pub static SCS: Series = Series {
    name: "scs",
    order: Order::HighFirst,
    models: &[Model { number: 1284, name: "SCS0009", amperes: None }],
    last_step: 1023,
    middle_step: 512,
    rad_per_step: TAU * 300.0 / 360.0 / 1024.0,
    speed_rad_s: TAU * 300.0 / 360.0 / 1024.0,
    greatest_speed: 1023,
    sync_read: false,
    setting: &[Block::new(2, 14)],
    lock: Some(48),
    force: None,
    // Both at 0 would be wheel mode.
    zero_is_unlimited: false,
    rules: &[],
    // Goal, time (0: as fast as the speed allows), speed.
    first: Block::new(42, 6),
    present: Block::new(56, 8),
    state: &[Block::new(40, 24)],
    current: None,
    ..STS
};

/// SCS15 and SCS115, which turn by 200 degrees.
pub static SCS15: Series = Series {
    name: "scs15",
    models: &[],
    rad_per_step: TAU * 200.0 / 360.0 / 1024.0,
    speed_rad_s: TAU * 200.0 / 360.0 / 1024.0,
    ..SCS
};
