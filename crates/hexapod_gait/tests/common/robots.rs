//! Robots of any number of legs, and what engines for them are set up with.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part; a test says why it fails by failing")]

use hexapod_gait::{Settings, StanceSpec, TwistLimits};
use hexapod_kinematics::Robot;
use std::fmt::Write;
use std::sync::Arc;

/// The defaults of the planner's parameters.
pub const LIMITS: TwistLimits = TwistLimits {
    linear_velocity: 0.15,
    angular_velocity: 0.8,
    linear_acceleration: 0.3,
    angular_acceleration: 1.5,
    linear_jerk: 7.5,
    angular_jerk: 37.5,
};

/// The stance of the shipped robot.
pub const STANCE: StanceSpec = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };

pub fn settings() -> Settings {
    Settings { stance: STANCE, step_height: 0.03, limits: LIMITS, stand_time: 1.5, sit_time: 0.8 }
}

/// A robot of `legs` legs (an even number) in two rows, with masses.
pub fn robot(legs: usize) -> Arc<Robot> {
    Arc::new(Robot::from_urdf(&urdf(legs)).unwrap())
}

/// Its description.
pub fn urdf(legs: usize) -> String {
    if legs == 6 {
        return include_str!("../../../../urdf/hexapod.urdf").into();
    }
    let inertial = |mass: f64, x: f64| {
        format!(
            r#"<inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>
            <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>"#
        )
    };
    let mut text = format!("<robot name=\"test\"><link name=\"base_link\">{}</link>", inertial(1.0, 0.004));
    let rows = legs / 2;
    for side in [1.0, -1.0] {
        for row in 0..rows {
            let along = 1.0 - 2.0 * row as f64 / (rows - 1) as f64;
            let (x, y) = (0.07 * (rows - 1) as f64 * along, 0.07 * side);
            let yaw = side * (std::f64::consts::FRAC_PI_2 - 0.6 * along);
            let name = format!("{}_{row}", if side > 0.0 { "left" } else { "right" });
            let parts = [
                ("coxa", 0.052, 0.07, (-0.8, 0.8)),
                ("femur", 0.066, 0.03, (-1.5, 1.5)),
                ("tibia", 0.133, 0.08, (-2.6, 0.5)),
            ];
            let mut parent = "base_link".to_owned();
            let mut origin = format!("xyz=\"{x} {y} 0\" rpy=\"0 0 {yaw}\"");
            for (part, length, mass, (lower, upper)) in parts {
                let axis = if part == "coxa" { "0 0 1" } else { "0 -1 0" };
                write!(
                    text,
                    r#"<link name="{name}_{part}_link">{}</link><joint name="{name}_{part}" type="revolute">
                    <parent link="{parent}"/><child link="{name}_{part}_link"/><origin {origin}/><axis xyz="{axis}"/>
                    <limit lower="{lower}" upper="{upper}" velocity="5.2" effort="1.8"/></joint>"#,
                    inertial(mass, length / 2.0)
                )
                .unwrap();
                parent = format!("{name}_{part}_link");
                origin = format!("xyz=\"{length} 0 0\"");
            }
            write!(
                text,
                r#"<link name="{name}_foot"/><joint name="{name}_foot_fixed" type="fixed"><parent link="{parent}"/>
                <child link="{name}_foot"/><origin {origin}/></joint>"#
            )
            .unwrap();
        }
    }
    text + "</robot>"
}
