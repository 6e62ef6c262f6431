#![doc = include_str!("../README.md")]
#![cfg_attr(not(control_msgs), allow(dead_code, reason = "only the action uses it"))]

pub mod command;
mod condition_response;
mod control;
mod control_watchdog;
pub mod core;
mod driver_identity;
mod driving;
mod ending;
mod fall_release;
mod fault;
mod felt;
mod follow_joint_trajectory;
mod foothold_intake;
mod inbox;
mod intake;
mod joint_views;
pub mod life;
mod markers;
mod motion_intake;
mod names;
mod offer;
mod outbox;
mod paused;
mod planned_footholds;
mod progress;
mod publish;
mod pulse;
mod reach;
mod remarks;
mod requests;
mod run;
mod senses;
mod services;
mod servos;
mod setup;
mod sight;
mod simulated;
mod sources;
mod stamp;
mod status;
mod steering;
mod subscriptions;
mod trajectory;
pub mod walked;

pub use condition_response::ConditionResponse;
pub use ending::Slowest;
pub use params::specs;
pub use reach::check as check_reach;
pub use remarks::given_up;
pub use run::run;
pub use setup::Setup;

/// Name of the node.
pub const NAME: &str = hexapod_setup::planner::NODE;

/// What the node can be set to.
mod params {
    pub use hexapod_setup::planner::*;

    /// The defaults, for the shipped robot and its files.
    #[cfg(test)]
    pub(crate) fn shipped() -> hexapod_config::ros_params::Params {
        use hexapod_config::ros_params::{ParamValue, Params};
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut params: Params = specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.insert("config", ParamValue::String(format!("{root}/config")));
        params.insert("urdf", ParamValue::String(format!("{root}/urdf/hexapod.urdf")));
        params
    }
}
