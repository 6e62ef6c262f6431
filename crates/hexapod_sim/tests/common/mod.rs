//! Robots to simulate.

pub use crate::rig::shipped::{battery, config, document, robot as shipped, servos};
use crate::rig::{planner, positions};
use hexapod_gait::{Engine, Gait, GaitSpec, Input, Twist, leg_places};
use hexapod_kinematics::{JointFriction, Robot};
use hexapod_sim::{
    Assembly, Battery, Ground, Hinge, HingeKind, Mount, Part, ServoKind, ServoModel, Settings, Simulator, World,
};
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::sync::Arc;

pub const G: f64 = 9.806_65;

/// The figures of a shipped kind.
pub fn kind(name: &str) -> ServoKind {
    match servos(name).of("") {
        ServoModel::Own(kind) | ServoModel::OfJoint(kind) => *kind,
    }
}

pub fn settings(step_s: f64) -> Settings {
    Settings { step_s, ..Settings::default() }
}

pub fn free() -> Mount {
    Mount::Free(Isometry3::identity())
}

/// A rod of a mass on a fixed hinge about y, hanging at zero; its centre is `length` below the hinge.
pub fn pendulum(mass: f64, length: f64, inertia: f64, step_s: f64) -> World {
    let part = |link, mass, centre, inertia| Part { link, mass, centre, inertia, shapes: Vec::new() };
    let hinge = Hinge {
        joint: 0,
        parent: 0,
        child: 1,
        kind: HingeKind::Turning,
        parent_from_joint: Isometry3::identity(),
        axis: Vector3::y_axis(),
        stops: None,
        friction: JointFriction::default(),
        mimic: None,
    };
    let of_rod = Matrix3::from_diagonal_element(inertia);
    let assembly = Assembly {
        parts: vec![
            part(0, 1.0, Vector3::zeros(), Matrix3::identity()),
            part(1, mass, Vector3::new(0.0, 0.0, -length), of_rod),
        ],
        hinges: vec![hinge],
        feet: Vec::new(),
        legs: Vec::new(),
        links: vec![
            Some((0, Isometry3::identity())),
            // At the rod's centre of mass.
            Some((1, Isometry3::translation(0.0, 0.0, -length))),
        ],
        notes: Vec::new(),
    };
    let mount = Mount::Fixed(Isometry3::identity());
    World::with_assembly(assembly, |_| "hinge".into(), &Ground::nothing(), &mount, settings(step_s)).unwrap()
}

/// The shipped robot and the engine that walks it.
pub struct Walker {
    pub engine: Engine,
    pub simulator: Simulator,
}

impl Walker {
    /// Just above the ground, its servos where the engine sits.
    pub fn new(ground: &Ground, kind: &str, of: Settings) -> Self {
        Self::on(ground, kind, of, battery())
    }

    pub fn on(ground: &Ground, kind: &str, of: Settings, battery: Battery) -> Self {
        let robot = shipped();
        let engine = engine(&robot);
        let world = World::new(&robot, ground, &free(), of).unwrap();
        let mut simulator = Simulator::new(world, &robot, &servos(kind), battery);
        let positions = positions(&engine, simulator.world());
        simulator.put(&Isometry3::translation(0.0, 0.0, 0.06), &positions);
        Self { engine, simulator }
    }

    /// What the engine wants next: the twist walked, and the angles of the hinges.
    pub fn plan(&mut self, twist: Twist, dt: f64) -> (Twist, Vec<f64>) {
        let twist = self.engine.step(&Input { twist, ..Input::default() }, dt).twist;
        (twist, positions(&self.engine, self.simulator.world()))
    }

    pub fn step(&mut self, twist: Twist) -> Twist {
        self.tick(&Input { twist, ..Input::default() })
    }

    pub fn tick(&mut self, input: &Input) -> Twist {
        let step_s = self.simulator.world().settings().step_s;
        let tick = *self.engine.step(input, step_s);
        for leg in 0..self.engine.legs().len() {
            self.simulator.tell_leg(leg, &tick.angles[leg]);
        }
        self.simulator.step();
        tick.twist
    }

    /// For some seconds; how far the engine went ahead, m.
    pub fn go(&mut self, twist: Twist, seconds: f64) -> f64 {
        let step_s = self.simulator.world().settings().step_s;
        (0..(seconds / step_s).round() as usize).map(|_| self.step(twist).vx * step_s).sum()
    }

    pub fn stand(mut self) -> Self {
        self.engine.stand();
        self.go(Twist::ZERO, 4.0);
        self
    }

    pub fn base(&self) -> Isometry3<f64> {
        self.simulator.world().base()
    }

    pub fn weight(&self) -> f64 {
        self.simulator.world().assembly().mass() * G
    }

    pub fn foot_forces(&self) -> Vector3<f64> {
        (0..self.engine.legs().len()).map(|leg| self.simulator.world().foot_force(leg)).sum()
    }
}

fn engine(robot: &Arc<Robot>) -> Engine {
    let spec = GaitSpec { duty_factor: 0.5, cycle_time: 0.8, lag: 0.5, side_lag: 0.5, ..GaitSpec::default() };
    let gait = Gait::try_new(&spec, &leg_places(robot)).unwrap();
    Engine::new(robot.clone(), gait, planner()).unwrap()
}
