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
    /// Multiplier and offset, rad, of the joint in the middle of a tibia, which mimics the knee; the tip mimics it in turn.
    pub shin: Option<[f64; 2]>,
}

impl Build {
    pub const fn of(legs: usize) -> Self {
        let (lengths, masses) = ([0.052, 0.066, 0.133], [0.07, 0.03, 0.08]);
        Self { legs, spacing: 0.07, width: 0.07, lengths, masses, body_mass: 1.0, thickness: None, shin: None }
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

/// The description of one whose tibiae bend as their knees do.
pub fn mimicking(legs: usize) -> String {
    built(&Build { shin: Some([0.4, -0.1]), ..Build::of(legs) })
}

/// Name, length, mass, limits and mimic of a link and its joint.
type Link = (&'static str, f64, f64, (f64, f64), String);

/// Those of a leg, from its coxa on.
fn parts(build: &Build) -> Vec<Link> {
    let ([coxa, femur, tibia], [coxa_kg, femur_kg, tibia_kg]) = (build.lengths, build.masses);
    let mut parts = vec![
        ("coxa", coxa, coxa_kg, (-0.8, 0.8), String::new()),
        ("femur", femur, femur_kg, (-1.5, 1.5), String::new()),
        ("tibia", tibia, tibia_kg, (-2.6, 0.5), String::new()),
    ];
    if let Some([multiplier, offset]) = build.shin {
        let mimic = |of: &str, by: f64, offset: f64| {
            format!("<mimic joint=\"{{leg}}_{of}\" multiplier=\"{by}\" offset=\"{offset}\"/>")
        };
        (parts[2].1, parts[2].2) = (0.5 * tibia, 0.5 * tibia_kg);
        parts.push(("shin", 0.35 * tibia, 0.35 * tibia_kg, (-1.0, 1.0), mimic("tibia", multiplier, offset)));
        parts.push(("tip", 0.15 * tibia, 0.15 * tibia_kg, (-0.6, 0.6), mimic("shin", -0.5, 0.05)));
    }
    parts
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
    for side in [1.0, -1.0] {
        let rows = if side > 0.0 { build.legs.div_ceil(2) } else { build.legs / 2 };
        for row in 0..rows {
            let along = 1.0 - 2.0 * row as f64 / (rows - 1) as f64;
            let (x, y) = (build.spacing * (rows - 1) as f64 * along, build.width * side);
            let yaw = side * (std::f64::consts::FRAC_PI_2 - 0.6 * along);
            let name = format!("{}_{row}", if side > 0.0 { "left" } else { "right" });
            let mut parent = "base_link".to_owned();
            let mut origin = format!("xyz=\"{x} {y} 0\" rpy=\"0 0 {yaw}\"");
            for (part, length, mass, (lower, upper), mimic) in parts(build) {
                let mimic = mimic.replace("{leg}", &name);
                let axis = if part == "coxa" { "0 0 1" } else { "0 -1 0" };
                write!(
                    text,
                    r#"<link name="{name}_{part}_link">{}{}</link><joint name="{name}_{part}" type="revolute">
                    <parent link="{parent}"/><child link="{name}_{part}_link"/><origin {origin}/><axis xyz="{axis}"/>
                    <limit lower="{lower}" upper="{upper}" velocity="5.2" effort="1.8"/>{mimic}</joint>"#,
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
