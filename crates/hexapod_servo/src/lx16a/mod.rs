//! Hiwonder (LewanSoul) LX-16A bus servos, after "LewanSoul Bus Servo Communication Protocol": 1000 steps for 240 degrees, at
//! 115200 bits a second. They have neither requests to many servos nor a speed limit: goals come with the time that they shall
//! take.

use std::f64::consts::TAU;

use crate::serial::{Block, Family, Field, Model, Order, Protocol, Rule, Series, Sign, register};

/// Their bus.
pub static FAMILY: Family = Family {
    name: "lx16a",
    about: "Hiwonder LX-16A servos",
    series: &[&LX16A],
    rates: "115200",
    usual_rate: 115_200,
    factory_rate: 115_200,
};

const GOAL: Block = Block::new(register(2), 4);
const LIMITS: Block = Block::new(register(21), 4);
const TEMPERATURE: Block = Block::new(register(26), 1);
const VOLTAGE: Block = Block::new(register(27), 2);
const POSITION: Block = Block::new(register(28), 2);
const MODE: Block = Block::new(register(30), 4);
const TORQUE: Block = Block::new(register(32), 1);

/// LX-16A, and LX-15D, LX-224 and HTS servos, which speak as it does.
pub static LX16A: Series = Series {
    name: "lx16a",
    protocol: Protocol::Lx,
    order: Order::LowFirst,
    max_id: 253,
    models: &[Model { number: 0, name: "LX-16A", amperes: None }],
    foreign: &[],
    last_step: 1000,
    middle_step: 500,
    rad_per_step: TAU * 240.0 / 360.0 / 1000.0,
    speed_rad_s: 1.0,
    greatest_speed: 1,
    sync_write: false,
    sync_read: false,
    refuses_goals: false,
    torque_with_goal: true,
    zero_is_unlimited: false,
    setting: &[LIMITS, MODE],
    id: register(14),
    lock: None,
    model: Field::NONE,
    high_first: None,
    limits: (Field::new(register(21), 2), Field::new(register(21) + 2, 2)),
    rules: &[Rule {
        field: Field::new(register(30), 1),
        mask: 0xFF,
        least: 0,
        most: 0,
        does: "is in mode",
        right: "0, servo",
    }],
    shutdown: None,
    torque: register(32),
    first: GOAL,
    goal: Field::new(register(2), 2),
    speed: Field::NONE,
    move_time: Some(Field::new(register(2) + 2, 2)),
    watchdog: None,
    force: None,
    present: POSITION,
    // Every other one the position: the rest changes slowly, but a servo that let go is to be seen within a second.
    state: &[
        POSITION,
        TORQUE,
        POSITION,
        GOAL,
        POSITION,
        VOLTAGE,
        POSITION,
        TORQUE,
        POSITION,
        GOAL,
        POSITION,
        TEMPERATURE,
    ],
    position: Field::signed(register(28), 2, Sign::Twos),
    velocity: Field::NONE,
    load: Field::NONE,
    current: None,
    voltage: (Field::new(register(27), 2), 1e-3),
    temperature: Field::new(register(26), 1),
    alarm: None,
    alarms: &[],
    barring: 0,
};

#[cfg(test)]
mod tests;
