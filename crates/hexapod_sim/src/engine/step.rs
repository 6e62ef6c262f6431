//! One step: drives, stops and surfaces are handed to the engine, and it moves on.

use super::build::{Built, axis_index};
use super::convert;
use super::soft::Sinks;
use super::world::World;
use nalgebra::{Translation3, UnitQuaternion, Vector3};
use rapier::prelude::{CCDSolver, ImpulseJointSet, SoftBodySet};

/// A torque that does not depend on the position is a spring as soft as this that is stretched far, N m/rad: the engine
/// takes torques on joints no other way, and over a step's motion such a spring changes by less than 1e-7 N m.
const SOFT: f64 = 1e-6;
/// A stop gives way by a third of a degree under 2 N m.
const STOP_STIFFNESS: f64 = 300.0;
const STOP_DAMPING: f64 = 3.0;

impl World {
    /// Moves on by one step, with the drives as they are.
    pub fn step(&mut self) {
        self.begin();
        (0..self.settings.parts()).for_each(|part| self.advance(part));
        self.end();
    }

    /// Begins a step, which is then advanced by its parts.
    pub(crate) fn begin(&mut self) {
        if !self.ground.patches.is_empty() {
            self.slip();
        }
        if !self.pushes.is_empty() {
            self.apply_pushes();
        }
    }

    /// Ends a step.
    pub(crate) fn end(&mut self) {
        self.steps += 1;
        self.sink();
    }

    /// Moves on by a part of a step, the first being 0, with the drives as they are.
    pub(crate) fn advance(&mut self, part: usize) {
        match part {
            0 => self.impulses.fill(Vector3::zeros()),
            _ => self.keep_impulses(),
        }
        for hinge in 0..self.drives.len() {
            self.apply(hinge);
        }
        let (gravity, before) = (convert::vector(&self.gravity), self.base().rotation);
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
            &Sinks(&self.sinks),
            &(),
        );
        self.turn_base_about_its_centre(&before);
    }

    /// The engine moves the origin of a free root as far as its centre of mass goes, and so would have it turn about its
    /// origin: puts it where it has gone in turning about its centre since it was turned this way.
    fn turn_base_about_its_centre(&mut self, before: &UnitQuaternion<f64>) {
        let Some(centre) = self.assembly.parts.first().map(|base| base.centre) else { return };
        let base = self.base();
        let by = before * centre - base.rotation * centre;
        let root = self.built.parts.first().and_then(|&root| self.built.bodies.get_mut(root));
        if let Some(body) = root.filter(|_| by != Vector3::zeros()) {
            body.set_position(convert::pose(&(Translation3::from(by) * base)), true);
            self.refresh(|_| ());
        }
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
}

/// Stiffness, pull and damping of the stop that a hinge presses against. A spring of its own, not the engine's limit:
/// that costs a constraint, used or not, and throws back what has come beyond it.
fn stop(stops: Option<[f64; 2]>, at: f64) -> [f64; 3] {
    let Some([lower, upper]) = stops else { return [0.0; 3] };
    let beyond = at - at.clamp(lower, upper);
    if beyond == 0.0 { [0.0; 3] } else { [STOP_STIFFNESS, -STOP_STIFFNESS * beyond, STOP_DAMPING] }
}
