//! The robot in the world, and what is set of it.

use super::build::{self, Built};
use super::settings::{Drive, Mount, Push, Settings};
use crate::body::{Assembly, BuildError, Hinge, Part};
use crate::ground::Ground;
use hexapod_kinematics::Robot;
use nalgebra::{Isometry3, Vector3};
use rapier::prelude::{
    BroadPhaseBvh, IntegrationParameters, IslandManager, Multibody, NarrowPhase, PhysicsPipeline, SpringCoefficients,
};

/// A robot in the world.
pub struct World {
    pub(super) assembly: Assembly,
    /// The parts without loads.
    pub(super) bare: Vec<Part>,
    pub(super) built: Built,
    pub(super) drives: Vec<Drive>,
    pub(super) gravity: Vector3<f64>,
    pub(super) ground: Ground,
    pub(super) settings: Settings,
    pub(super) parameters: IntegrationParameters,
    pub(super) pipeline: PhysicsPipeline,
    pub(super) islands: IslandManager,
    pub(super) broad_phase: BroadPhaseBvh,
    pub(super) narrow_phase: NarrowPhase,
    pub(super) pushes: Vec<Push>,
    /// How far the ground has given way below each part, m; none where nothing of it is soft.
    pub(super) sinks: Vec<f64>,
    /// Of the ground on each part, in the parts of this step but the last, N s.
    pub(super) impulses: Vec<Vector3<f64>>,
    pub(super) steps: u64,
    pub(super) placed: Placed,
}

/// The last time that the robot was put somewhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    /// How often it has been, this time included.
    pub count: u64,
    /// When.
    pub time_s: f64,
    /// Where its parts were.
    pub parts: Vec<Isometry3<f64>>,
}

impl World {
    /// A robot with its joints at zero.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn new(robot: &Robot, ground: &Ground, mount: &Mount, settings: Settings) -> Result<Self, BuildError> {
        Self::of_robot(robot, Assembly::new(robot)?, ground, mount, settings)
    }

    /// The same where the robot's parts are known already.
    ///
    /// # Errors
    /// [`BuildError::Loop`].
    pub fn of_robot(
        robot: &Robot,
        assembly: Assembly,
        ground: &Ground,
        mount: &Mount,
        settings: Settings,
    ) -> Result<Self, BuildError> {
        let model = robot.model();
        let name = |joint: usize| model.joints().get(joint).map_or_else(String::new, |joint| joint.name().to_owned());
        Self::with_assembly(assembly, name, ground, mount, settings)
    }

    /// The same with parts that need not be a walking robot's.
    ///
    /// # Errors
    /// [`BuildError::Loop`].
    pub fn with_assembly(
        assembly: Assembly,
        names: impl Fn(usize) -> String,
        ground: &Ground,
        mount: &Mount,
        settings: Settings,
    ) -> Result<Self, BuildError> {
        let built = build::build(&assembly, names, ground, mount)?;
        let bearing = |hinge: &Hinge| Drive {
            damping: hinge.friction.viscous,
            friction: hinge.friction.coulomb,
            ..Drive::default()
        };
        Ok(Self {
            drives: assembly.hinges.iter().map(bearing).collect(),
            parameters: parameters(&settings),
            pushes: Vec::new(),
            sinks: if ground.is_soft() { vec![0.0; assembly.parts.len()] } else { Vec::new() },
            bare: assembly.parts.clone(),
            impulses: vec![Vector3::zeros(); assembly.parts.len()],
            assembly,
            built,
            ground: ground.clone(),
            gravity: Vector3::new(0.0, 0.0, -settings.gravity),
            settings,
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            steps: 0,
            placed: Placed::default(),
        })
    }

    /// The parts.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    /// What it stands on.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// How it steps.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.steps as f64 * self.settings.step_s
    }

    /// When and where the robot was put last.
    pub(crate) fn placed(&self) -> &Placed {
        &self.placed
    }

    /// What acts on a hinge from now on.
    pub fn drive(&mut self, hinge: usize, drive: Drive) {
        if let Some(slot) = self.drives.get_mut(hinge) {
            *slot = drive;
        }
    }

    /// What acts on a hinge.
    pub fn driven(&self, hinge: usize) -> Drive {
        self.drives.get(hinge).copied().unwrap_or_default()
    }

    /// Gives a hinge the inertia of a rotor, felt through its gears, kg m².
    pub fn set_rotor(&mut self, hinge: usize, inertia: f64) {
        let Some((multibody, dof)) = self.dof(hinge) else { return };
        if let Some(armature) = multibody.armature_mut().get_mut(dof) {
            *armature = inertia;
        }
    }

    /// Turns gravity as a ground that rises by `slope` rad along x would, about the world's origin; the ground stays.
    pub fn tilt(&mut self, slope: f64) {
        let (sin, cos) = hexapod_kinematics::math::sin_cos(slope);
        self.gravity = self.settings.gravity * Vector3::new(-sin, 0.0, -cos);
    }

    /// Acceleration of free fall, in the world's axes, m/s².
    pub fn gravity(&self) -> &Vector3<f64> {
        &self.gravity
    }

    /// The engine's multibody and the index of a hinge's coordinate in it.
    pub(super) fn dof(&mut self, hinge: usize) -> Option<(&mut Multibody, usize)> {
        let handle = *self.built.hinges.get(hinge)?;
        let (multibody, link) = self.built.joints.get_mut(handle)?;
        let dof = multibody.link(link)?.assembly_id();
        Some((multibody, dof))
    }
}

/// The ground, as hard as the engine can have it. Its own default takes 50 ms to lift a foot out of the ground whatever
/// bears on it, and gives way the more the shorter a step is: feet bear other loads than their servos press them down by.
const HARD: SpringCoefficients<f64> = SpringCoefficients { natural_frequency: 1000.0, damping_ratio: 1.0 };

fn parameters(settings: &Settings) -> IntegrationParameters {
    IntegrationParameters {
        dt: settings.part_s(),
        num_solver_iterations: 1,
        // The first sweeps hold feet up, the others hold them by friction as well.
        num_internal_pgs_iterations: settings.sweeps,
        num_internal_stabilization_iterations: settings.sweeps,
        // A foot is smaller than the distances within which the engine would reuse its contacts.
        contact_recycling: false,
        // Else impulses are not where contacts are.
        contact_clustering: false,
        max_ccd_substeps: 0,
        normalized_prediction_distance: 0.005,
        static_contact_softness: HARD,
        ..IntegrationParameters::default()
    }
}
