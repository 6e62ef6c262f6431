//! Robots of other leg counts than the shipped one, made of the same legs.

use hexapod_kinematics::Robot;
use std::fmt::Write;
use std::sync::Arc;

/// A robot of `pairs` of legs along a body that is 0.24 m long.
pub fn of_pairs(pairs: usize) -> Arc<Robot> {
    let mut urdf = String::from("<robot name=\"many\"><link name=\"base_link\">");
    urdf += &inertial(0.9, 0.0);
    urdf += "</link>";
    for pair in 0..pairs {
        let forward = 1.0 - 2.0 * pair as f64 / (pairs - 1) as f64;
        for (side, y) in [("left", 0.08), ("right", -0.08)] {
            // The legs of the ends stand at an angle, as spread fingers do.
            let yaw = f64::signum(y) * (std::f64::consts::FRAC_PI_2 - 0.7 * forward);
            leg(&mut urdf, &format!("{side}_{pair}"), [0.13 * forward, y], yaw);
        }
    }
    urdf += "</robot>";
    Arc::new(Robot::from_urdf(&urdf).unwrap())
}

fn leg(urdf: &mut String, name: &str, [x, y]: [f64; 2], yaw: f64) {
    let joints = [
        ("coxa", format!("{x} {y} 0"), yaw, "0 0 1", (-0.7, 0.7)),
        ("femur", "0.052 0 0".into(), 0.0, "0 -1 0", (-1.5, 1.5)),
        ("tibia", "0.066 0 0".into(), 0.0, "0 -1 0", (-2.6, 0.5)),
    ];
    let mut parent = "base_link".to_owned();
    for (part, xyz, yaw, axis, (lower, upper)) in joints {
        let _ = write!(
            urdf,
            "<joint name=\"{name}_{part}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{name}_{part}_link\"/>\
             <origin xyz=\"{xyz}\" rpy=\"0 0 {yaw}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"{lower}\" upper=\"{upper}\" velocity=\"5.2\" effort=\"1.8\"/></joint>\
             <link name=\"{name}_{part}_link\">{}</link>",
            inertial(0.06, 0.03)
        );
        parent = format!("{name}_{part}_link");
    }
    let _ = write!(
        urdf,
        "<joint name=\"{name}_foot_joint\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{name}_foot\"/>\
         <origin xyz=\"0.133 0 0\" rpy=\"0 0 0\"/></joint><link name=\"{name}_foot\"/>"
    );
}

fn inertial(mass: f64, x: f64) -> String {
    format!(
        "<inertial><origin xyz=\"{x} 0 0\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"1e-3\" iyy=\"1e-3\" izz=\"1e-3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
    )
}
