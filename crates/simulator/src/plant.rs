//! The robot in physics, plugged into the boards, and where it starts.

use hexapod_kinematics::{LegAngles, Robot};
use hexapod_servo::{ServoConfig, SimulatedBus};
use hexapod_sim::{Boards, BuildError, Config, Ground, Mount, Simulator, World};
use nalgebra::Isometry3;

/// Height above the ground that the robot is put at, m.
const CLEAR_M: f64 = 0.001;

/// The robot in physics, plugged into boards.
pub(crate) struct Plant {
    simulator: Simulator,
    /// Angles of the hinges at the start.
    start: Vec<f64>,
}

impl Plant {
    /// A robot on the ground, its legs at `angles`, its servos without pulses. The seed is that of the boards' frames.
    pub(crate) fn new(
        robot: &Robot,
        angles: &[LegAngles],
        ground: &Ground,
        config: &Config,
        (servos, boards): (&ServoConfig, SimulatedBus),
        seed: u64,
    ) -> Result<Self, BuildError> {
        let world = World::new(robot, ground, &Mount::Free(Isometry3::identity()), config.engine)?;
        let mut simulator = Simulator::new(world, robot, &config.servos, config.battery);
        simulator.plug_into(Boards::new(boards, servos, simulator.joints(), seed));
        let start = start(&simulator, angles);
        let mut plant = Self { simulator, start };
        plant.put();
        Ok(plant)
    }

    /// Puts the robot back to where it was at the start, at rest.
    pub(crate) fn put(&mut self) {
        self.simulator.put(&Isometry3::identity(), &self.start);
        let height = CLEAR_M - self.simulator.world().lowest();
        self.simulator.put(&Isometry3::translation(0.0, 0.0, height), &self.start);
    }

    /// Moves on by one step, by the pulses that the boards put out.
    pub(crate) fn step(&mut self) {
        self.simulator.step();
    }

    /// The robot.
    pub(crate) fn simulator(&self) -> &Simulator {
        &self.simulator
    }
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
