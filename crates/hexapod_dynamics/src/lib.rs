#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod base;
mod condition;
mod contact;
mod foot;
mod force;
mod friction;
mod identification;
mod imu;
mod inertia;
mod inverse;
mod leg;
mod mass;
mod momentum;
mod normal;
mod prediction;
mod regressor;
mod swing;

pub use base::{BaseMotion, STANDARD_GRAVITY};
pub use condition::{Condition, ConditionWatch, Inertial, Planned};
pub use contact::{Contact, ContactDetector, ContactEvidence, ContactSettings, LegState, Source};
pub use foot::{FootEstimator, SampleCounts};
pub use force::{
    EffortSource, ForceEstimate, ForceEstimator, ForceSettings, LegForces, MomentumObserver, SettingsError,
};
pub use friction::Friction;
pub use identification::{
    BaseParameters, Excitation, Identified, IdentifyError, IdentifyOptions, LegSample, SmoothError, identify,
    smooth_motion,
};
pub use imu::{GRAVITY_S, ImuReader, ImuRefused, ImuSample};
pub use inertia::{Inertia, LINK_PARAMETERS, PARAMETER_NAMES};
pub use leg::{JointMatrix, JointVector, LegDynamics, PlacedLeg};
pub use mass::MasslessLeg;
pub use momentum::Momentum;
pub use prediction::{BalanceError, Ground, Load, LoadPredictor, Overload, Prediction, foot_forces};
pub use regressor::Regressor;
