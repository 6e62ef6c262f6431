#![doc = include_str!("../README.md")]

mod base;
mod contact;
mod force;
mod identification;
mod inertia;
mod inverse;
mod leg;
mod mass;
mod momentum;
mod normal;
mod regressor;

pub use base::{BaseMotion, STANDARD_GRAVITY};
pub use contact::{Contact, ContactDetector, ContactEvidence, ContactSettings, LegState};
pub use force::{ForceEstimate, ForceEstimator, ForceSettings, LegForces, MomentumObserver, SettingsError};
pub use identification::{
    BaseParameters, Excitation, Friction, Identified, IdentifyError, LegSample, SmoothError, identify, smooth_motion,
};
pub use inertia::{Inertia, LINK_PARAMETERS, PARAMETER_NAMES};
pub use leg::{JointMatrix, JointVector, LegDynamics, PlacedLeg};
pub use mass::MasslessLeg;
pub use momentum::Momentum;
pub use regressor::Regressor;
