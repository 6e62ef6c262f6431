//! Legs detected in a model: chains from the base to a foot, named and put in order.

mod agreement;
mod arms;
mod ball;
mod branch;
mod bulk;
mod enlarged;
mod find;
mod foot;
mod forward;
mod given_feet;
mod hips;
mod limits;
mod locked;
mod mimics;
mod names;
mod odd;
mod options;
mod order;
mod posture;
mod sizes;

pub use branch::NOT_A_LEG;
pub use options::{Front, LegOptions, LegSpec, MAX_LEGS, MIN_LEGS, MeshReader};

use crate::chain::LegJoint;
use crate::error::{ModelError, ModelFault, Place};
use crate::leg::Leg;
use crate::model::{JointLimits, Model};
use nalgebra::Isometry3;

/// A model with its legs.
///
/// Legs are ordered left front to rear, then right front to rear, about the middle of their hips.
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    model: Model,
    legs: Vec<Leg>,
    base_from_hips: Isometry3<f64>,
}

impl Robot {
    /// Reads a URDF and finds the legs in it.
    ///
    /// # Errors
    /// [`ModelError`], see [`Model::from_urdf`]; and when there are fewer than 3 or more than 8 legs, or a leg has a
    /// joint that legs may not have.
    pub fn from_urdf(text: &str) -> Result<Self, ModelError> {
        Self::from_urdf_with(text, &LegOptions::default())
    }

    /// The same with legs, names, order and feet given where they cannot be found.
    pub fn from_urdf_with(text: &str, options: &LegOptions) -> Result<Self, ModelError> {
        Self::from_model(Model::from_urdf_with(text, &options.limits)?, options)
    }

    /// The same; `read` is asked for the meshes (STL) of collision shapes, whose [`Bulk`](crate::Bulk) is kept, and where only
    /// a mesh shows a leg's foot, which is then the vertex farthest from the last joint. This crate opens no files.
    pub fn from_urdf_and_meshes(text: &str, options: &LegOptions, read: MeshReader<'_>) -> Result<Self, ModelError> {
        Self::build(Model::from_urdf_with(text, &options.limits)?, options, read)
    }

    /// Finds the legs of a model.
    pub fn from_model(model: Model, options: &LegOptions) -> Result<Self, ModelError> {
        Self::build(model, options, &mut |_| None)
    }

    fn build(mut model: Model, options: &LegOptions, read: MeshReader<'_>) -> Result<Self, ModelError> {
        bulk::measure(&mut model, read);
        let mut chains = if options.legs.is_empty() {
            find::by_themselves(&mut model, options, read)?
        } else {
            find::as_given(&model, options, read)?
        };
        check_count(&model, chains.len())?;
        locked::settle(&mut model, &chains)?;
        let widened = limits::change(&mut model, &chains, options)?;
        model.notes.extend(first_of(widened, "joints"));
        let names = names::names(&model, &chains);
        given_feet::put_in(&model, &mut chains, &names, options)?;
        model.notes.extend(agreement::agree(&model, &mut chains, read));
        if let Some(fault) = chains.iter().find_map(|chain| chain.foot.fault.clone()) {
            return Err(fault);
        }
        let guessed = chains.iter().zip(&names).filter(|(chain, _)| chain.foot.guessed);
        let remarks: Vec<String> = guessed
            .map(|(chain, name)| format!("foot of {name}: {}{}", chain.foot.reason, chain.foot.advice))
            .collect();
        model.notes.extend(first_of(remarks, "legs"));
        let mut legs = Vec::with_capacity(chains.len());
        for (chain, name) in chains.iter().zip(names) {
            let leg = find::leg(&model, chain, name)?;
            agreement::check_guess(&model, &chain.foot, &leg)?;
            legs.push(leg);
        }
        let base_from_hips = hips::base_from_hips(&legs, options.front);
        let in_hips = |legs: &[Leg]| legs.iter().map(|leg| leg.in_frame(&base_from_hips)).collect::<Vec<Leg>>();
        let about = in_hips(&legs);
        for (leg, in_hips) in legs.iter_mut().zip(&about) {
            leg.posture = posture::natural(in_hips);
        }
        sizes::check_scale(&model, &legs)?;
        if options.legs.is_empty() {
            sizes::check_alike(&model, &legs, options)?;
            order::sort(&mut legs, &base_from_hips);
            model.notes.extend(odd::odd_legs(&model, &legs));
        }
        model.notes.extend(odd::odd_axes(&in_hips(&legs)));
        model.notes.extend(first_of(sizes::odd_parts(&model, &legs, options), "parts of legs"));
        model.notes.extend(sizes::too_heavy(&model, &legs));
        model.notes.extend(sizes::too_light(&model, &legs));
        model.notes.extend(limits::without_effort(&legs));
        model.notes.extend(forward::contradiction(&legs));
        Ok(Self { model, legs, base_from_hips })
    }

    /// The frame of the hips in the base link's: in their middle, x along the body.
    pub fn base_from_hips(&self) -> &Isometry3<f64> {
        &self.base_from_hips
    }

    /// The same robot with its base frame moved to that of its hips.
    #[must_use]
    pub fn about_hips(&self) -> Self {
        let frame = self.base_from_hips;
        if frame == Isometry3::identity() {
            return self.clone();
        }
        let legs = self.legs.iter().map(|leg| leg.in_frame(&frame)).collect();
        Self { model: self.model.in_frame(&frame), legs, base_from_hips: Isometry3::identity() }
    }

    /// The same robot with other limits of its legs' joints.
    #[must_use]
    pub fn with_limits(&self, limits: impl Fn(&LegJoint) -> JointLimits) -> Self {
        let legs = self.legs.iter().map(|leg| leg.with_limits(&limits)).collect();
        Self { model: self.model.clone(), legs, ..*self }
    }

    /// The same robot without collision shapes.
    #[must_use]
    pub fn without_collisions(&self) -> Self {
        let mut robot = self.clone();
        robot.model.links.iter_mut().for_each(|link| link.collisions.clear());
        robot
    }

    /// The same robot without masses.
    #[must_use]
    pub fn without_masses(&self) -> Self {
        let mut robot = self.clone();
        robot.model.links.iter_mut().for_each(|link| link.inertial = None);
        robot
    }

    /// Legs, left front to rear, then right front to rear.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// Legs, to set their postures.
    pub fn legs_mut(&mut self) -> &mut [Leg] {
        &mut self.legs
    }

    /// The links and joints.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Index of the leg of that name.
    pub fn leg_index(&self, name: &str) -> Option<usize> {
        self.legs.iter().position(|leg| leg.name() == name)
    }

    /// Index of the leg that has the joint of that name, and of the joint in it.
    pub fn joint_place(&self, name: &str) -> Option<(usize, usize)> {
        let in_leg = |leg: &Leg| leg.joints().iter().position(|joint| joint.name() == name);
        self.legs.iter().enumerate().find_map(|(index, leg)| Some((index, in_leg(leg)?)))
    }

    /// Number of joints of all legs together.
    pub fn joint_count(&self) -> usize {
        self.legs.iter().map(Leg::joint_count).sum()
    }
}

/// The first of some remarks, with how many there are.
fn first_of(remarks: Vec<String>, of: &str) -> Option<String> {
    let count = remarks.len();
    let first = remarks.into_iter().next()?;
    Some(if count > 1 { format!("{first}; the same holds for {count} {of}") } else { first })
}

fn check_count(model: &Model, count: usize) -> Result<(), ModelError> {
    if (MIN_LEGS..=MAX_LEGS).contains(&count) {
        return Ok(());
    }
    let found = format!("has {count} legs");
    let mut hint = format!(
        "a leg is a chain of 3 to {} revolute joints from the base to a foot, and a robot has {MIN_LEGS} to {MAX_LEGS} of them (4 to walk)",
        crate::MAX_LEG_JOINTS
    );
    for note in model.notes() {
        hint.push_str("; ");
        hint.push_str(note);
    }
    let place = Place::named("robot", model.name(), None);
    Err(ModelError::new(ModelFault::Legs, place, found, hint))
}
