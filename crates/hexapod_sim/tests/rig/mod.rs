//! The whole robot as it is shipped, from planner to ground: for tests and examples.

pub mod condition;
pub mod contact;
pub mod course;
pub mod drift;
pub mod faults;
pub mod fit;
pub mod mishaps;
pub mod other;
mod planner;
pub mod random;
pub mod rough;
pub mod shipped;
pub mod sight;

use hexapod_gait::{Engine, Gait, GaitState, Input, Tick, leg_places};
use hexapod_kinematics::MAX_LEGS;
use hexapod_servo::{Pca9685Boards, ServoDriver, SimulatedBus};
use hexapod_sim::{Boards, Fall, FallWatch, Ground, Mount, Simulator, World, lean_beyond, on_its_belly};
use nalgebra::{Isometry3, Vector3};
pub use planner::planner;
use shipped::{Kind, battery, gait_spec, robot, servo_map, servos};
use std::time::Duration;

/// Length of a tick of planner and driver, s: two steps of the physics.
pub const TICK_S: f64 = 0.01;
pub const STEPS: usize = 2;
/// Longest that standing up takes, s.
const MOST_S: f64 = 12.0;
/// What a robot is driven with, and on what.
#[derive(Clone, Debug)]
pub struct Setting {
    /// A name of `gaits.yaml`.
    pub gait: &'static str,
    pub kind: Kind,
    pub ground: Ground,
    /// Of the boards' frames.
    pub seed: u64,
}

/// Planner, driver, boards, servos and physics.
pub struct Rig {
    pub engine: Engine,
    pub driver: ServoDriver<Pca9685Boards<SimulatedBus>>,
    pub simulator: Simulator,
    /// Of each joint of each leg, its place among the driver's.
    places: Vec<Vec<usize>>,
    watch: FallWatch,
    ticks: u64,
}

impl Rig {
    /// A robot that sits on the ground, its servos without pulses.
    pub fn sitting(setting: &Setting) -> Self {
        let robot = robot();
        let engine = Engine::new(robot.clone(), gait(setting.gait), planner()).unwrap();
        let config = shipped::config("");
        let world = World::new(&robot, &setting.ground, &Mount::Free(Isometry3::identity()), config.engine).unwrap();
        let mut simulator = Simulator::new(world, &robot, &servos(setting.kind), battery());
        let (bus, map) = (SimulatedBus::for_config(servo_map()), servo_map());
        let boards = Boards::new(bus.clone(), map, simulator.joints(), setting.seed);
        let positions = positions(&engine, simulator.world());
        simulator.put_on_ground(&positions);
        simulator.plug_into(boards);
        let driver = ServoDriver::on_boards(map.clone(), bus);
        let place = |name: &str| driver.joint_index(name).unwrap();
        let of_leg = |leg: &hexapod_kinematics::Leg| leg.joints().iter().map(|joint| place(joint.name())).collect();
        let places = engine.legs().iter().map(of_leg).collect();
        let watch = FallWatch::new(simulator.world());
        Self { engine, driver, simulator, places, watch, ticks: 0 }
    }

    /// The same once it has switched its servos on and stood up.
    pub fn standing(setting: &Setting) -> Self {
        let mut rig = Self::sitting(setting);
        rig.tick(&Input::default());
        let report = rig.driver.enable(rig.now());
        assert!(report.passed(), "{report}");
        // The legs are switched on one after the other.
        for _ in 0..100 {
            rig.tick(&Input::default());
        }
        rig.engine.stand();
        let stands = (0..(MOST_S / TICK_S) as usize).any(|_| rig.tick(&Input::default()).state == GaitState::Standing);
        assert!(stands, "{setting:?} does not come to stand");
        rig
    }

    /// Time since the start.
    pub fn now(&self) -> Duration {
        Duration::from_millis(10 * self.ticks)
    }

    /// A tick of planner and driver, and the physics until the next.
    pub fn tick(&mut self, input: &Input) -> Tick {
        let tick = self.plan(input);
        self.serve();
        self.pass();
        tick
    }

    /// A tick of the planner, and its angles to the driver.
    pub fn plan(&mut self, input: &Input) -> Tick {
        let tick = *self.engine.step(input, TICK_S);
        let now = self.now();
        for (places, angles) in self.places.iter().zip(&tick.angles) {
            for (&place, &angle) in places.iter().zip(angles.iter()) {
                self.driver.set_target(now, place, angle).unwrap();
            }
        }
        tick
    }

    /// A tick of the driver.
    pub fn serve(&mut self) {
        let now = self.now();
        self.driver.tick(now);
    }

    /// The physics until the next tick.
    pub fn pass(&mut self) {
        self.pass_watched(|_| ());
    }

    /// The same with each step seen.
    pub fn pass_watched(&mut self, mut watch: impl FnMut(&Simulator)) {
        for _ in 0..STEPS {
            self.simulator.step();
            watch(&self.simulator);
        }
        self.ticks += 1;
    }

    /// Feet in the body as commanded, as odometry hears of them.
    pub fn feet(&self) -> Vec<Vector3<f64>> {
        let legs = self.engine.legs().iter().zip(&self.engine.last().angles);
        legs.map(|(leg, angles)| leg.foot_in_body(angles)).collect()
    }

    /// How high the feet stand above the ground, with their balls on it, as odometry hears of them.
    pub fn feet_above_ground(&self, up_in_body: &Vector3<f64>) -> Vec<f64> {
        let legs = self.engine.legs().iter().zip(&self.engine.last().angles);
        legs.map(|(leg, angles)| leg.foot_above_ground(angles, up_in_body)).collect()
    }

    /// Feet planned to be on the ground.
    pub fn contacts(&self) -> [bool; MAX_LEGS] {
        self.engine.last().contacts
    }

    /// Where the body truly is.
    pub fn base(&self) -> Isometry3<f64> {
        self.simulator.world().base()
    }

    /// Weight, N.
    pub fn weight(&self) -> f64 {
        let world = self.simulator.world();
        world.assembly().mass() * world.settings().gravity
    }

    /// Where the body was planned to be over its footprint.
    fn planned(&self) -> &Isometry3<f64> {
        &self.engine.last().footprint_from_body
    }

    /// How much the body leans more than planned, rad.
    pub fn lean(&self) -> f64 {
        lean_beyond(&self.base(), self.planned())
    }

    /// Whether the body lies on the ground.
    pub fn touches(&self) -> bool {
        on_its_belly(self.simulator.world())
    }

    /// How it has fallen, if it has.
    pub fn fall(&self) -> Option<Fall> {
        self.watch.fall(self.simulator.world(), self.planned())
    }
}

/// A shipped gait on the shipped robot.
pub fn gait(name: &str) -> Gait {
    Gait::try_new(&gait_spec(name), &leg_places(&robot())).unwrap()
}

/// The engine's angles in the order of the hinges.
pub fn positions(engine: &Engine, world: &World) -> Vec<f64> {
    let mut positions = vec![0.0; world.assembly().hinges.len()];
    for (leg, hinges) in world.assembly().legs.iter().enumerate() {
        for (hinge, angle) in hinges.iter().zip(engine.last().angles[leg].iter()) {
            positions[*hinge] = *angle;
        }
    }
    positions
}
