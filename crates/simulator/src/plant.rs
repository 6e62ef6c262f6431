//! The robot in physics, plugged into the boards, and where it starts.

use crate::disturbances::Disturbances;
use hexapod_kinematics::{LegAngles, Robot};
use hexapod_servo::{ServoConfig, SimulatedBus};
use hexapod_sim::{Assembly, Boards, BuildError, Config, Ground, Mount, Patch, Push, Simulator, World};
use nalgebra::{Isometry3, Vector3};

/// The robot in physics, plugged into boards.
pub struct Plant {
    simulator: Simulator,
    /// Angles of the hinges at the start.
    start: Vec<f64>,
    /// Where its body hangs, if it does.
    hangs: Option<Isometry3<f64>>,
    done: Disturbances,
}

/// Time in which a robot without pulses comes to rest, s.
const SETTLE_S: f64 = 1.0;
/// The part that pushes and payloads act on.
const BASE: usize = 0;

impl Plant {
    /// A robot on the ground, of these parts, its legs at `angles`, its servos without pulses. The seed is that of the
    /// boards' frames.
    pub(crate) fn new(
        (robot, assembly): (&Robot, Assembly),
        angles: &[LegAngles],
        (ground, hangs): (&Ground, Option<Isometry3<f64>>),
        config: &Config,
        (servos, boards): (&ServoConfig, SimulatedBus),
        seed: u64,
    ) -> Result<Self, BuildError> {
        let mount = hangs.map_or(Mount::Free(Isometry3::identity()), Mount::Fixed);
        let world = World::of_robot(robot, assembly, ground, &mount, config.engine)?;
        let simulator = Simulator::new(world, robot, &config.servos, config.battery);
        let start = start(&simulator, angles);
        let mut plant = Self { simulator, start, hangs, done: Disturbances::default() };
        plant.put();
        // Legs without pulses give way: what the sensors tell first is of a robot that lies at rest. A driver that switches
        // servos on meanwhile is heard from then on.
        let step_s = plant.simulator.world().settings().step_s;
        (0..(SETTLE_S / step_s) as usize).for_each(|_| plant.step());
        let boards = Boards::new(boards, servos, plant.simulator.joints(), seed);
        plant.simulator.plug_into(boards);
        Ok(plant)
    }

    /// Puts the robot back to where it was at the start, at rest.
    pub fn put(&mut self) {
        self.put_joints(&self.start.clone());
    }

    /// Puts the robot onto the ground with its legs at these angles, at rest; servos that have pulses keep theirs.
    pub fn put_at(&mut self, angles: &[LegAngles]) {
        let at = start(&self.simulator, angles);
        self.put_joints(&at);
    }

    fn put_joints(&mut self, at: &[f64]) {
        match &self.hangs {
            Some(place) => self.simulator.put(place, at),
            None => self.simulator.put_back(at),
        }
    }

    /// Does to the robot what is to be done from now on, in place of what was before.
    pub fn disturb(&mut self, next: Disturbances) {
        let world = self.simulator.world_mut();
        world.unload(BASE);
        world.load(BASE, next.payload_kg, &Vector3::zeros());
        world.set_patches(next.patches.clone());
        let breakage = |of: &Disturbances, joint: &str| of.broken.iter().find(|(name, _)| name == joint).map(|of| of.1);
        for hinge in 0..self.simulator.joints().len() {
            let joint = &self.simulator.joints()[hinge];
            let [before, after] = [&self.done, &next].map(|of| breakage(of, joint));
            // A servo that is jammed already stays where it jammed.
            if before != after {
                self.simulator.break_servo(hinge, after);
            }
        }
        self.done = next;
    }

    /// Pushes the body, as was said last of what is done to it.
    pub fn push(&mut self) {
        let (force, seconds) = self.done.push;
        self.simulator.world_mut().push(Push { part: BASE, point: Vector3::zeros(), force, seconds });
    }

    /// Moves on by one step, by the pulses that the boards put out.
    pub fn step(&mut self) {
        self.simulator.step();
    }

    /// Places with another friction than the ground's.
    pub(crate) fn patches(&self) -> &[Patch] {
        &self.done.patches
    }

    /// The robot.
    #[must_use]
    pub fn simulator(&self) -> &Simulator {
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
