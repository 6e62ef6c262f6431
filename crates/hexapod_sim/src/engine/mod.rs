//! The physics engine, named in this folder and in `ground` alone.

mod build;
mod contacts;
pub(crate) mod convert;
mod motion;
mod settings;

pub use motion::{Momentum, Velocity};
pub use settings::{Drive, Mount, Settings};

use crate::body::{Assembly, BuildError};
use crate::ground::Ground;
use build::{Built, axis_index};
use hexapod_kinematics::Robot;
use nalgebra::Vector3;
use rapier::prelude::{
    BroadPhaseBvh, CCDSolver, ImpulseJointSet, IntegrationParameters, IslandManager, Multibody, NarrowPhase,
    PhysicsPipeline, SoftBodySet,
};

/// A torque that does not depend on the position is a spring as soft as this that is stretched far, N m/rad: the engine
/// takes torques on joints no other way, and over a step's motion such a spring changes by less than 1e-7 N m.
const SOFT: f64 = 1e-6;
/// A stop gives way by a third of a degree under 2 N m.
const STOP_STIFFNESS: f64 = 300.0;
const STOP_DAMPING: f64 = 3.0;

/// A robot in the world.
pub struct World {
    assembly: Assembly,
    built: Built,
    drives: Vec<Drive>,
    gravity: Vector3<f64>,
    ground: Ground,
    settings: Settings,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    steps: u64,
}

impl World {
    /// A robot with its joints at zero.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn new(robot: &Robot, ground: &Ground, mount: &Mount, settings: Settings) -> Result<Self, BuildError> {
        let model = robot.model();
        let name = |joint: usize| model.joints().get(joint).map_or_else(String::new, |joint| joint.name().to_owned());
        Self::with_assembly(Assembly::new(robot)?, name, ground, mount, settings)
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
        let bearing = |hinge: &crate::body::Hinge| Drive {
            damping: hinge.friction.viscous,
            friction: hinge.friction.coulomb,
            ..Drive::default()
        };
        Ok(Self {
            drives: assembly.hinges.iter().map(bearing).collect(),
            parameters: parameters(&settings),
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
        })
    }

    /// The parts.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    /// How it steps.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time since the start, s.
    pub fn time_s(&self) -> f64 {
        self.steps as f64 * self.settings.step_s
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

    /// Moves on by one step.
    pub fn step(&mut self) {
        for hinge in 0..self.drives.len() {
            self.apply(hinge);
        }
        if !self.ground.patches.is_empty() {
            self.slip();
        }
        let gravity = convert::vector(&self.gravity);
        let Built { bodies, colliders, joints, .. } = &mut self.built;
        self.pipeline.step(
            gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            bodies,
            colliders,
            &mut ImpulseJointSet::new(),
            joints,
            &mut SoftBodySet::new(),
            &mut CCDSolver::new(),
            &(),
            &(),
        );
        self.steps += 1;
    }

    /// Hands a hinge's drive to the engine.
    fn apply(&mut self, hinge: usize) {
        let (Some(&drive), Some(of)) = (self.drives.get(hinge), self.assembly.hinges.get(hinge)) else { return };
        let (kind, stops) = (of.kind, of.stops);
        let at = self.position(hinge);
        let [stiffness, pull, damping] = stop(stops, at);
        let pull = pull + drive.torque + drive.stiffness.max(0.0) * (drive.rest - at);
        let stiffness = stiffness + drive.stiffness.max(0.0) + SOFT;
        let Some((multibody, dof)) = self.dof(hinge) else { return };
        if let Some(slot) = multibody.damping_mut().get_mut(dof) {
            *slot = damping + drive.damping;
        }
        if let Some(slot) = multibody.frictions_mut().get_mut(dof) {
            *slot = drive.friction;
        }
        if let Some(link) = multibody.link_mut(hinge + 1) {
            link.joint.set_spring(axis_index(kind), stiffness, at + pull / stiffness);
        }
    }

    /// Lets parts with feet feel the surface that is below them.
    fn slip(&mut self) {
        let usual = self.ground.surface.friction.max(f64::MIN_POSITIVE);
        for (leg, foot) in self.assembly.feet.iter().enumerate() {
            let at = self.foot(leg);
            // The engine multiplies the two surfaces' coefficients.
            let factor = self.ground.friction(at.x, at.y) / usual;
            for &shape in self.built.shapes.get(foot.part).into_iter().flatten() {
                let Some(shape) = self.built.colliders.get_mut(shape).filter(|shape| shape.friction() != factor) else {
                    continue;
                };
                shape.set_friction(factor);
            }
        }
    }

    /// The engine's multibody and the index of a hinge's coordinate in it.
    fn dof(&mut self, hinge: usize) -> Option<(&mut Multibody, usize)> {
        let handle = *self.built.hinges.get(hinge)?;
        let (multibody, link) = self.built.joints.get_mut(handle)?;
        let dof = multibody.link(link)?.assembly_id();
        Some((multibody, dof))
    }
}

/// Stiffness, pull and damping of the stop that a hinge presses against. A spring of its own, not the engine's limit:
/// that costs a constraint, used or not, and throws back what has come beyond it.
fn stop(stops: Option<[f64; 2]>, at: f64) -> [f64; 3] {
    let Some([lower, upper]) = stops else { return [0.0; 3] };
    let beyond = at - at.clamp(lower, upper);
    if beyond == 0.0 { [0.0; 3] } else { [STOP_STIFFNESS, -STOP_STIFFNESS * beyond, STOP_DAMPING] }
}

fn parameters(settings: &Settings) -> IntegrationParameters {
    IntegrationParameters {
        dt: settings.step_s,
        num_solver_iterations: settings.substeps,
        num_internal_pgs_iterations: settings.sweeps,
        // A foot is smaller than the distances within which the engine would reuse its contacts.
        contact_recycling: false,
        // Else impulses are not where contacts are.
        contact_clustering: false,
        max_ccd_substeps: 0,
        normalized_prediction_distance: 0.005,
        ..IntegrationParameters::default()
    }
}
