//! Random drives: what a driver does with stick, body and gaits, and on what ground.

use super::random::Random;
use super::shipped::{GAITS, KINDS, Kind};
use super::{Rig, Setting, TICK_S, gait};
use hexapod_gait::{BodyOffset, Input, Twist};
use hexapod_sim::{FLAT_M, Ground, Terrain};
use nalgebra::Vector3;

/// The stick's ends.
const LINEAR_M_S: f64 = 0.15;
const ANGULAR_RAD_S: f64 = 0.8;
/// The farthest a body is put from the middle of its pose.
const SHIFT_M: f64 = 0.06;
const TURN_RAD: f64 = 0.35;

/// Ramps and stairs are this long.
const LONG_M: f64 = 20.0;

/// Ground to drive on: a terrain's name; the height of its stones or steps, the width of its gaps, or its rise for each
/// metre, m; its friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    pub name: &'static str,
    pub size: f64,
    pub friction: f64,
}

/// Grounds on which odometry is compared with the truth.
pub const FLOORS: [Floor; 4] = [
    Floor { name: "flat", size: 0.0, friction: 0.8 },
    Floor { name: "rubble", size: 0.015, friction: 0.8 },
    Floor { name: "steps", size: 0.015, friction: 0.8 },
    Floor { name: "ramp", size: 0.15, friction: 0.8 },
];

/// Grounds that are rougher than those: ramps of 15 and 20 degrees.
pub const ROUGH_FLOORS: [Floor; 7] = [
    Floor { name: "steps", size: 0.015, friction: 0.8 },
    Floor { name: "steps", size: 0.03, friction: 0.8 },
    Floor { name: "rubble", size: 0.025, friction: 0.8 },
    Floor { name: "rubble", size: 0.04, friction: 0.8 },
    Floor { name: "ramp", size: 0.267_949, friction: 0.8 },
    Floor { name: "ramp", size: 0.363_970, friction: 0.8 },
    Floor { name: "gaps", size: 0.02, friction: 0.8 },
];

impl Floor {
    /// The same with a friction coefficient between 0.5 and 1.
    pub fn with_any_friction(self, seed: u64) -> Self {
        Self { friction: Random(seed.rotate_left(32)).within(0.5, 1.0), ..self }
    }

    /// What it is called in tables.
    pub fn words(&self) -> String {
        match self.name {
            "flat" => "flat".into(),
            "ramp" => format!("ramp of {:.1} degrees", self.size.atan().to_degrees()),
            name => format!("{name} of {:.0} mm", 1e3 * self.size),
        }
    }

    /// The ground. Ramps and stairs go on for as long as the robot does.
    pub fn ground(&self, seed: u64) -> Ground {
        let size = self.size;
        let terrain = match self.name {
            "ramp" => Terrain::Ramp { start: FLAT_M, slope: size.atan(), length: LONG_M },
            "steps" => Terrain::Steps { start: FLAT_M, rise: size, tread: 0.25, count: (4.0 * LONG_M) as usize },
            _ => Terrain::named(self.name, (size > 0.0).then_some(size), seed).unwrap(),
        };
        Ground::of(terrain).with_friction(self.friction)
    }

    /// Whether what is rough lies ahead of the robot.
    fn leads_ahead(&self) -> bool {
        matches!(self.name, "ramp" | "steps" | "gaps")
    }
}

/// How a random drive goes.
#[derive(Clone, Debug)]
pub struct Course {
    pub floor: Floor,
    pub kind: Kind,
    pub gait: &'static str,
    pub seed: u64,
    /// Whether the body is moved as well, and gaits are changed.
    pub restless: bool,
}

impl Course {
    /// A drive of a seed on some ground, with any gait and any servo.
    pub fn random(floor: Floor, seed: u64) -> Self {
        let mut random = Random(seed);
        Self { floor, kind: random.pick(&KINDS), gait: random.pick(&GAITS), seed, restless: true }
    }

    pub fn setting(&self) -> Setting {
        let ground = self.floor.ground(self.seed);
        Setting { gait: self.gait, kind: self.kind, ground, seed: self.seed }
    }

    /// Drives for some seconds; when and why the robot fell, if it did.
    pub fn drive(&self, seconds: f64) -> Option<Fall> {
        let mut rig = Rig::standing(&self.setting());
        let mut driver = Driver::new(self);
        (0..(seconds / TICK_S) as usize).find_map(|tick| {
            let input = driver.input(&mut rig.engine);
            rig.tick(&input);
            let finite = rig.base().translation.vector.iter().all(|x| x.is_finite() && x.abs() < 100.0);
            let why = if finite { rig.fall()?.to_string() } else { "is thrown off by the physics".into() };
            Some(Fall { seconds: tick as f64 * TICK_S, why })
        })
    }
}

/// A fall.
#[derive(Clone, Debug)]
pub struct Fall {
    pub seconds: f64,
    pub why: String,
}

/// Somebody with a stick.
pub struct Driver {
    random: Random,
    restless: bool,
    ahead: bool,
    input: Input,
    /// Ticks until they think of something else.
    left: usize,
}

impl Driver {
    pub fn new(course: &Course) -> Self {
        let ahead = course.floor.leads_ahead();
        Self { random: Random(!course.seed), restless: course.restless, ahead, input: Input::default(), left: 0 }
    }

    /// The command of a tick; now and then another gait.
    pub fn input(&mut self, engine: &mut hexapod_gait::Engine) -> Input {
        if self.left == 0 {
            self.left = (self.random.within(0.3, 5.0) / TICK_S) as usize;
            self.input.twist = self.twist();
            if self.restless {
                self.input.body_offset = self.body();
                if self.random.chance(0.1) {
                    engine.set_gait(gait(self.random.pick(&GAITS)));
                }
            }
        }
        self.left -= 1;
        self.input
    }

    /// One axis, or all of them, or none.
    fn twist(&mut self) -> Twist {
        let on = self.random.pick(&[[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 0]]);
        let [x, y, turn] = on.map(|on| f64::from(on) * self.random.within(-1.0, 1.0));
        let x = if self.ahead { x.abs() } else { x };
        Twist::new(LINEAR_M_S * x, LINEAR_M_S * y, ANGULAR_RAD_S * turn)
    }

    /// Half of the time in the middle.
    fn body(&mut self) -> BodyOffset {
        if self.random.chance(0.5) {
            return BodyOffset::default();
        }
        let mut any = |most: f64| Vector3::from_fn(|_, _| self.random.within(-most, most));
        BodyOffset { translation: any(SHIFT_M), rotation: any(TURN_RAD) }
    }
}
