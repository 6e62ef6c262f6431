//! ROBOTIS Dynamixel servos: registers after the control tables of the e-Manual (emanual.robotis.com), decimal addresses as
//! there. X servos speak protocol 2.0; AX and MX ones protocol 1.0, which has no request that many of them answer.

mod models;

use std::f64::consts::TAU;

use crate::serial::{Block, Family, Field, Order, Protocol, Rule, Series, Sign, Watchdog};

/// Their bus.
pub static FAMILY: Family = Family {
    name: "dynamixel",
    about: "Dynamixel X, AX and MX servos",
    series: &[&X, &AX, &MX],
    rates: "4000000, 3000000, 2000000, 1000000, 115200, 57600 or 9600",
    usual_rate: 1_000_000,
    // X servos; AX ones come with 1000000.
    factory_rate: 57_600,
};

/// Radians a second of so many turns a minute.
const fn rpm(turns: f64) -> f64 {
    turns * TAU / 60.0
}

/// Longer than 20 us, and not all replies of a tick come in time; it counts in 2 us.
const fn return_delay(at: u16) -> Rule {
    let (does, right) = ("answers late, by its return delay", "0, for all replies to come within a tick");
    Rule { field: Field::new(at, 1), mask: 0xFF, least: 0, most: 10, does, right }
}

/// XL330, XC330, XL430, XC430, XM, XH and XW servos, and MX ones with the firmware of protocol 2.0.
pub static X: Series = Series {
    name: "x",
    protocol: Protocol::Two,
    order: Order::LowFirst,
    max_id: 252,
    models: models::X,
    foreign: models::NOT_X,
    last_step: 4095,
    middle_step: 2048,
    rad_per_step: TAU / 4096.0,
    speed_rad_s: rpm(0.229),
    greatest_speed: 32767,
    sync_write: true,
    sync_read: true,
    refuses_goals: true,
    torque_with_goal: false,
    zero_is_unlimited: false,
    setting: &[Block::new(0, 64)],
    id: 7,
    lock: None,
    model: Field::new(0, 2),
    high_first: None,
    limits: (Field::new(52, 4), Field::new(48, 4)),
    rules: &[
        Rule { field: Field::new(11, 1), mask: 0xFF, least: 3, most: 3, does: "is in mode", right: "3, position" },
        // Else the profile velocity would be a time.
        Rule {
            field: Field::new(10, 1),
            mask: 0b100,
            least: 0,
            most: 0,
            does: "goes by time, its drive mode having the bit",
            right: "0, so that its speed can be limited",
        },
        return_delay(9),
    ],
    shutdown: Some(Field::new(63, 1)),
    torque: 64,
    // Profile acceleration (0: none), profile velocity, goal.
    first: Block::new(108, 12),
    goal: Field::new(116, 4),
    speed: Field::new(112, 4),
    move_time: None,
    // 0.5 s: longer than it takes to prepare 18 servos, and shorter than a guard may take. A servo that it stopped holds.
    watchdog: Some(Watchdog { at: 98, value: 25, tripped: 0xFF }),
    force: None,
    present: Block::new(126, 10),
    state: &[Block::new(64, 83)],
    position: Field::signed(132, 4, Sign::Twos),
    velocity: Field::signed(128, 4, Sign::Twos),
    load: Field::signed(126, 2, Sign::Twos),
    current: None,
    voltage: (Field::new(144, 2), 0.1),
    temperature: Field::new(146, 1),
    alarm: Some(Field::new(70, 1)),
    alarms: &[
        (0, "voltage"),
        (2, "temperature"),
        (3, "position sensor"),
        (4, "an electrical shock or too little supply"),
        (5, "overload"),
    ],
    barring: 0b1101,
};

/// AX-12, AX-18: 1024 steps over 300 degrees.
pub static AX: Series = Series {
    name: "ax",
    protocol: Protocol::One,
    order: Order::LowFirst,
    max_id: 253,
    models: models::AX,
    foreign: models::NOT_AX,
    last_step: 1023,
    middle_step: 512,
    rad_per_step: TAU * 300.0 / 360.0 / 1024.0,
    speed_rad_s: rpm(0.111),
    greatest_speed: 1023,
    sync_write: true,
    sync_read: false,
    refuses_goals: true,
    torque_with_goal: true,
    zero_is_unlimited: false,
    setting: &[Block::new(0, 18)],
    id: 3,
    lock: None,
    model: Field::new(0, 2),
    high_first: None,
    limits: (Field::new(6, 2), Field::new(8, 2)),
    rules: &[return_delay(5)],
    shutdown: None,
    torque: 24,
    first: Block::new(30, 4),
    goal: Field::new(30, 2),
    speed: Field::new(32, 2),
    move_time: None,
    watchdog: None,
    force: Some(Field::new(34, 2)),
    present: Block::new(24, 20),
    state: &[Block::new(24, 20)],
    position: Field::new(36, 2),
    velocity: Field::signed(38, 2, Sign::Bit(10)),
    load: Field::signed(40, 2, Sign::Bit(10)),
    current: None,
    voltage: (Field::new(42, 1), 0.1),
    temperature: Field::new(43, 1),
    alarm: None,
    alarms: &[(0, "voltage"), (1, "angle limits"), (2, "temperature"), (5, "overload")],
    barring: 0b101,
};

/// MX-28, MX-64 and MX-106 with the firmware of protocol 1.0: the registers of AX ones, and 4096 steps a turn.
pub static MX: Series = Series {
    name: "mx",
    models: models::MX,
    last_step: 4095,
    middle_step: 2048,
    rad_per_step: TAU / 4096.0,
    speed_rad_s: rpm(0.114),
    ..AX
};

#[cfg(test)]
mod tests;
