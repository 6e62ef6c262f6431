//! How the robot is walked, as shipped: for tests and examples.

use hexapod_gait::{LegClearance, Settings, StanceSpec, TwistLimits};

pub fn planner() -> Settings {
    let limits = TwistLimits {
        linear_velocity: 0.15,
        angular_velocity: 0.8,
        linear_acceleration: 0.3,
        angular_acceleration: 1.5,
        linear_jerk: 7.5,
        angular_jerk: 37.5,
    };
    let stance = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
    let leg_clearance = LegClearance::default();
    Settings { stance, step_height: 0.03, limits, stand_time: 1.5, sit_time: 0.8, leg_clearance }
}
