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
    Settings {
        stance: STANCE,
        step_height: 0.03,
        limits: LIMITS,
        stand_time: 1.5,
        sit_time: 0.8,
        leg_clearance: hexapod_gait::LegClearance::default(),
    }
}

/// How a robot of two rows of legs is built.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    pub legs: usize,
    /// Half of what lies between two hips of a side and between the sides, m.
    pub spacing: f64,
    pub width: f64,
    /// Of coxa, femur and tibia, m and kg.
    pub lengths: [f64; 3],
    pub masses: [f64; 3],
    pub body_mass: f64,
    /// Radius of the links' collision shapes, m; none without.
    pub thickness: Option<f64>,
}

impl Build {
    pub const fn of(legs: usize) -> Self {
        let (lengths, masses) = ([0.052, 0.066, 0.133], [0.07, 0.03, 0.08]);
        Self { legs, spacing: 0.07, width: 0.07, lengths, masses, body_mass: 1.0, thickness: None }
    }
}

/// A robot of `legs` legs in two rows, with masses.
pub fn robot(legs: usize) -> Arc<Robot> {
    Arc::new(Robot::from_urdf(&urdf(legs)).unwrap())
}

/// Its description.
pub fn urdf(legs: usize) -> String {
    if legs == 6 { include_str!("../../../../urdf/hexapod.urdf").into() } else { built(&Build::of(legs)) }
}

/// The description of a robot built like that.
pub fn built(build: &Build) -> String {
    let inertial = |mass: f64, x: f64| {
        format!(
            r#"<inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>
            <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>"#
        )
    };
    let body = inertial(build.body_mass, 0.004);
    let shape = |length: f64| {
        build.thickness.map_or_else(String::new, |radius| {
            format!(
                r#"<collision><origin xyz="{} 0 0" rpy="0 {} 0"/><geometry>
                <cylinder radius="{radius}" length="{length}"/></geometry></collision>"#,
                0.5 * length,
                std::f64::consts::FRAC_PI_2
            )
        })
    };
    let mut text = format!("<robot name=\"test\"><link name=\"base_link\">{body}</link>");
    let turns = [(-0.8, 0.8), (-1.5, 1.5), (-2.6, 0.5)];
    for side in [1.0, -1.0] {
        let rows = if side > 0.0 { build.legs.div_ceil(2) } else { build.legs / 2 };
        for row in 0..rows {
            let along = 1.0 - 2.0 * row as f64 / (rows - 1) as f64;
            let (x, y) = (build.spacing * (rows - 1) as f64 * along, build.width * side);
            let yaw = side * (std::f64::consts::FRAC_PI_2 - 0.6 * along);
            let name = format!("{}_{row}", if side > 0.0 { "left" } else { "right" });
            let mut parent = "base_link".to_owned();
            let mut origin = format!("xyz=\"{x} {y} 0\" rpy=\"0 0 {yaw}\"");
            for (index, part) in ["coxa", "femur", "tibia"].into_iter().enumerate() {
                let (length, mass, (lower, upper)) = (build.lengths[index], build.masses[index], turns[index]);
                let axis = if part == "coxa" { "0 0 1" } else { "0 -1 0" };
                write!(
                    text,
                    r#"<link name="{name}_{part}_link">{}{}</link><joint name="{name}_{part}" type="revolute">
                    <parent link="{parent}"/><child link="{name}_{part}_link"/><origin {origin}/><axis xyz="{axis}"/>
                    <limit lower="{lower}" upper="{upper}" velocity="5.2" effort="1.8"/></joint>"#,
                    inertial(mass, length / 2.0),
                    shape(length)
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
