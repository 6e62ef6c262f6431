//! Faults of `docs/servos.md` and broken servos, played while the robot walks, and what becomes of it.

use super::{Rig, Setting, TICK_S};
use embedded_hal::i2c::I2c;
use hexapod_gait::{GaitState, Input, Twist};
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{SimulatedBus, State};
use hexapod_sim::{Boards, Breakage, FALLEN_RAD, Ground};
use nalgebra::Vector3;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A tenth of all transfers is not acknowledged.
    Nacks,
    /// The board of the right legs does not respond any more; its outputs go on as they are.
    BoardDead,
    /// It was reset by itself.
    BoardReset,
    /// The supply sank, and all boards were reset.
    SupplySank,
    /// The bus hangs for good; OE is not wired.
    BusHangs,
    /// It hangs, and OE is cut after `fault_off_after_s`.
    BusHangsOe,
    /// It hangs for 100 ms.
    BusHangsBriefly,
    /// Another program writes a pulse of 1 ms to a channel of the right legs, once.
    OtherWriter,
    /// The planner says nothing any more.
    PlannerGone,
    /// The planner says nothing for 2 s, then goes on.
    PlannerLate,
    /// What the planner says is lost for 200 ms.
    CommandsLost,
    /// A command is not a number.
    NoNumber,
    /// A joint is commanded far beyond its servo's limits, for good.
    BeyondLimits,
    /// The battery alarm.
    Battery,
    /// An emergency stop, a stop button.
    EmergencyStop,
    /// SIGTERM.
    Terminated,
    /// The driver is killed: the guard switches all off 50 ms later.
    Killed,
    /// A servo of a femur gives no torque any more.
    ServoLimp,
    /// It is stuck where it is.
    ServoJammed,
    /// All servos of a leg give no torque any more.
    LegLimp,
}

/// All of them, as `docs/simulation.md` names them.
pub const TROUBLES: [(Trouble, &str); 20] = [
    (Trouble::Nacks, "a tenth of all transfers is not acknowledged"),
    (Trouble::BoardDead, "a board does not respond, its pulses go on"),
    (Trouble::BoardReset, "a board was reset"),
    (Trouble::SupplySank, "the supply sinks: all boards reset"),
    (Trouble::BusHangs, "the bus hangs, OE not wired; the computer hangs"),
    (Trouble::BusHangsOe, "the bus hangs, OE wired"),
    (Trouble::BusHangsBriefly, "the bus hangs for 100 ms"),
    (Trouble::OtherWriter, "another program writes to a board's output"),
    (Trouble::PlannerGone, "no `joint_commands` any more"),
    (Trouble::PlannerLate, "no `joint_commands` for 2 s"),
    (Trouble::CommandsLost, "200 ms of `joint_commands` are lost"),
    (Trouble::NoNumber, "a command is not finite"),
    (Trouble::BeyondLimits, "a joint is commanded beyond its servo's limits, for good"),
    (Trouble::Battery, "the battery alarm"),
    (Trouble::EmergencyStop, "`emergency_stop`, the stop button"),
    (Trouble::Terminated, "SIGTERM"),
    (Trouble::Killed, "the driver is killed, the guard steps in"),
    (Trouble::ServoLimp, "a femur's servo gives no torque"),
    (Trouble::ServoJammed, "a femur's servo is jammed"),
    (Trouble::LegLimp, "all servos of a leg give no torque"),
];

/// What the robot does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// It goes on as if nothing were.
    WalksOn,
    /// It stays on its feet.
    Holds,
    /// It stays on some of its feet, and leans.
    Leans,
    /// It sits down first.
    Sits,
    /// Its body drops to the ground.
    Drops,
    /// It leans by more than 45 degrees.
    Falls,
}

impl Deed {
    pub fn words(self) -> &'static str {
        match self {
            Self::WalksOn => "walks on",
            Self::Holds => "holds",
            Self::Leans => "leans",
            Self::Sits => "sits down",
            Self::Drops => "drops",
            Self::Falls => "falls",
        }
    }
}

/// What came of a fault.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub deed: Deed,
    /// What the driver is at in the end, unless it hangs.
    pub driver: Option<State>,
    /// How much the body leant at most, rad.
    pub lean: f64,
    /// From the fault until the body lay, s.
    pub down: Option<f64>,
    /// How fast it was then, m/s.
    pub impact: f64,
}

const RIGHT: u8 = 0x41;
/// From LED1_ON_L on: a pulse of 205 counts, which are 1 ms at 50 Hz.
const CHANNEL_1_LOW: [u8; 5] = [0x0A, 0, 0, 205, 0];
/// How long it is watched, s: the driver lets go 5 s after a fault, a board that is lost may take 8 s to be sat down for.
const WATCHED_S: f64 = 14.0;
/// A robot that leans by this much in the end does not stand, rad.
const LEANS_RAD: f64 = 0.1;
/// It walks if it has come this far in the last 2 s, m.
const WALKS_M: f64 = 0.05;
impl Trouble {
    /// Has it happen to a robot with servos of a kind that walks with a tripod gait, so many ticks after it began.
    pub fn play(self, kind: &'static str, ticks: usize) -> Outcome {
        let setting = Setting { gait: "tripod", kind, ground: Ground::flat(), seed: ticks as u64 + 1 };
        let mut rig = Rig::standing(&setting);
        for _ in 0..150 + ticks {
            rig.tick(&ahead());
        }
        let mut scene =
            Scene { asked: rig.driver.counters().sit_requests, rig, trouble: self, silent: false, hung: false };
        scene.begin();
        scene.watch()
    }
}

fn ahead() -> Input {
    Input { twist: Twist::new(0.08, 0.0, 0.0), ..Input::default() }
}

/// A robot in trouble, and what its nodes do for one another.
struct Scene {
    rig: Rig,
    trouble: Trouble,
    /// The planner is not heard.
    silent: bool,
    /// The driver does not tick.
    hung: bool,
    /// Requests to sit that the planner has heard of.
    asked: u64,
}

impl Scene {
    fn begin(&mut self) {
        let now = self.rig.now();
        let femur = self.rig.simulator.world().assembly().legs[1][1];
        let Rig { driver, simulator, engine, .. } = &mut self.rig;
        match self.trouble {
            Trouble::Nacks => driver.bus().inject(BusFault::NackProbability(0.1)),
            Trouble::BoardDead => driver.bus().inject(BusFault::Dead { address: RIGHT }),
            Trouble::BoardReset => driver.bus().inject(BusFault::BrownOut { address: RIGHT }),
            Trouble::SupplySank => simulator.supply_mut().load(1000.0, 0.005),
            Trouble::OtherWriter => driver.bus_mut().write(RIGHT, &CHANNEL_1_LOW).unwrap(),
            Trouble::Battery => driver.retire(now, "the battery is low"),
            Trouble::EmergencyStop => driver.emergency_stop().unwrap(),
            Trouble::Terminated => engine.sit(),
            Trouble::ServoLimp => simulator.break_servo(femur, Some(Breakage::Limp)),
            Trouble::ServoJammed => simulator.break_servo(femur, Some(Breakage::Jammed)),
            Trouble::LegLimp => simulator.break_leg(1, Some(Breakage::Limp)),
            Trouble::BusHangs | Trouble::BusHangsOe | Trouble::BusHangsBriefly | Trouble::Killed => self.hung = true,
            Trouble::PlannerGone | Trouble::PlannerLate | Trouble::CommandsLost => self.silent = true,
            Trouble::NoNumber | Trouble::BeyondLimits => {}
        }
    }

    /// What happens so many seconds later.
    fn later(&mut self, seconds: f64) {
        let at = |then: f64| (seconds - then).abs() < 0.5 * TICK_S;
        let now = self.rig.now();
        let released = self.rig.driver.config().timing.fault_off_after.as_secs_f64();
        match self.trouble {
            Trouble::BusHangsBriefly if at(0.1) => self.hung = false,
            Trouble::BusHangsOe if at(released) => self.cut(),
            Trouble::Killed if at(0.05) => self.cut(),
            Trouble::PlannerLate if at(2.0) => self.silent = false,
            Trouble::CommandsLost if at(0.2) => self.silent = false,
            Trouble::Terminated if self.rig.engine.last().state == GaitState::Sitting => self.rig.driver.disable(),
            Trouble::NoNumber => assert!(self.rig.driver.set_target(now, 1, f64::NAN).is_err()),
            Trouble::BeyondLimits => assert!(self.rig.driver.set_target(now, 1, 3.0).unwrap().clamped),
            _ => {}
        }
    }

    /// No board puts anything out any more.
    fn cut(&mut self) {
        let map = self.rig.driver.backend().config().clone();
        let boards = Boards::new(SimulatedBus::for_config(&map), &map, self.rig.simulator.joints(), 1);
        self.rig.simulator.plug_into(boards);
    }

    /// A tick of the nodes: the planner sits down when the driver asks it to, and the driver hears of it.
    fn go(&mut self, seconds: f64) {
        if !self.silent {
            self.rig.plan(&ahead());
        } else if self.trouble == Trouble::CommandsLost {
            self.rig.engine.step(&ahead(), TICK_S);
        }
        self.later(seconds);
        let requests = self.rig.driver.counters().sit_requests;
        if requests != std::mem::replace(&mut self.asked, requests) {
            self.rig.engine.sit();
        }
        if self.rig.engine.last().state == GaitState::Sitting {
            let now = self.rig.now();
            self.rig.driver.sat_down(now);
        }
        if !self.hung {
            self.rig.serve();
        }
        self.rig.pass();
    }

    fn watch(mut self) -> Outcome {
        let (mut lean, mut down, mut impact, mut places) = (Vec::new(), None, 0.0_f64, Vec::new());
        let mut sat = false;
        for tick in 0..(WATCHED_S / TICK_S) as usize {
            let seconds = tick as f64 * TICK_S;
            let sinks = -self.rig.simulator.world().velocity(0).linear.z;
            self.go(seconds);
            let base = self.rig.base();
            lean.push((base.rotation * Vector3::z()).angle(&Vector3::z()));
            places.push(base.translation.vector);
            if down.is_none() && self.rig.touches() {
                (down, impact) = (Some(seconds), sinks);
            }
            sat |= down.is_none() && self.rig.engine.last().state == GaitState::Sitting;
        }
        let last = places.len() - 1;
        let way = (places[last] - places[last - (2.0 / TICK_S) as usize]).norm();
        let most = lean.iter().copied().fold(0.0, f64::max);
        let deed = match down {
            _ if most > FALLEN_RAD => Deed::Falls,
            _ if sat => Deed::Sits,
            Some(_) => Deed::Drops,
            None if lean[last] > LEANS_RAD => Deed::Leans,
            None if way > WALKS_M => Deed::WalksOn,
            None => Deed::Holds,
        };
        let driver = (!self.hung).then(|| self.rig.driver.state());
        Outcome { deed, driver, lean: most, down, impact }
    }
}
