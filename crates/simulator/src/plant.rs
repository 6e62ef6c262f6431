//! The robot in physics, its wires to the boards, and its time.

use hexapod_kinematics::{LegAngles, Robot};
use hexapod_servo::simulated::BusFault;
use hexapod_servo::{ServoConfig, SimulatedBus};
use hexapod_sim::{BuildError, Config, Ground, Mount, Simulator, Terrain, World};
use nalgebra::Isometry3;

/// Height above the ground that the robot is put at, m.
const CLEAR_M: f64 = 0.001;

/// A servo's plug: which hinge it turns, and by which pulses.
#[derive(Clone, Copy, Debug)]
struct Wire {
    hinge: usize,
    /// The servo in the map.
    servo: usize,
    address: u8,
    channel: u8,
}

/// The robot in physics, wired to boards.
pub(crate) struct Plant {
    simulator: Simulator,
    boards: SimulatedBus,
    map: ServoConfig,
    wires: Vec<Wire>,
    /// Angles of the hinges at the start.
    start: Vec<f64>,
    /// How often the supply had reset the boards when that was looked at last.
    resets: u32,
}

impl Plant {
    /// A robot on the ground, its legs at `angles`, its servos without pulses.
    pub(crate) fn new(
        robot: &Robot,
        angles: &[LegAngles],
        terrain: Terrain,
        config: &Config,
        (map, boards): (ServoConfig, SimulatedBus),
    ) -> Result<Self, BuildError> {
        let ground = Ground { terrain, surface: config.surface, patches: Vec::new() };
        let world = World::new(robot, &ground, &Mount::Free(Isometry3::identity()), config.engine)?;
        let simulator = Simulator::new(world, robot, &config.servos, config.battery);
        let wires = wires(&simulator, robot, &map);
        let start = start(&simulator, angles);
        let mut plant = Self { simulator, boards, map, wires, start, resets: 0 };
        plant.put();
        Ok(plant)
    }

    /// Puts the robot back to where it was at the start, at rest.
    pub(crate) fn put(&mut self) {
        self.simulator.put(&Isometry3::identity(), &self.start);
        let height = CLEAR_M - self.simulator.world().lowest();
        self.simulator.put(&Isometry3::translation(0.0, 0.0, height), &self.start);
    }

    /// Moves on by one step, by the pulses that the boards put out now.
    pub(crate) fn step(&mut self) {
        for wire in &self.wires {
            let pulse = self.boards.pulse_us(wire.address, wire.channel);
            let servo = self.map.servos().get(wire.servo);
            let angle = servo.zip(pulse).map(|(servo, pulse)| servo.angle_rad(pulse));
            self.simulator.tell(wire.hinge, angle);
        }
        self.simulator.step();
        let resets = self.simulator.supply().resets();
        if resets != self.resets {
            self.resets = resets;
            self.map
                .boards()
                .iter()
                .for_each(|board| self.boards.inject(BusFault::BrownOut { address: board.address() }));
        }
    }

    /// The robot.
    pub(crate) fn simulator(&self) -> &Simulator {
        &self.simulator
    }
}

/// A wire for each servo whose joint is a hinge.
fn wires(simulator: &Simulator, robot: &Robot, map: &ServoConfig) -> Vec<Wire> {
    let joints = robot.model().joints();
    let hinge_of = |joint: &str| {
        let hinges = &simulator.world().assembly().hinges;
        hinges.iter().position(|hinge| joints.get(hinge.joint).is_some_and(|known| known.name() == joint))
    };
    let wire = |(servo, of): (usize, &hexapod_servo::calibration::Servo)| {
        let address = map.boards().get(of.board())?.address();
        Some(Wire { hinge: hinge_of(of.joint())?, servo, address, channel: of.channel() })
    };
    map.servos().iter().enumerate().filter_map(wire).collect()
}

/// Angles of the hinges for those of the legs; zero for what is no leg's.
fn start(simulator: &Simulator, angles: &[LegAngles]) -> Vec<f64> {
    let assembly = simulator.world().assembly();
    let mut positions = vec![0.0; assembly.hinges.len()];
    for (hinges, angles) in assembly.legs.iter().zip(angles) {
        for (&hinge, &angle) in hinges.iter().zip(angles.iter()) {
            if let Some(position) = positions.get_mut(hinge) {
                *position = angle;
            }
        }
    }
    positions
}
