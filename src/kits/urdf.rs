//! A robot of a kit as URDF: links as boxes of their length, so that it walks, stands in physics and can be seen.

use crate::kits::kit::{Joint, Kit, Place};
use std::fmt::Write as _;

/// How wide and high a link of a leg is, m: about a servo.
const LINK_M: [f64; 2] = [0.024, 0.03];
/// How high the body is, m.
const BODY_HEIGHT_M: f64 = 0.04;
/// What a bracket and a piece of leg weigh beside their servo, kg.
const BRACKET_KG: f64 = 0.02;
const LEGS: [&str; 6] = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];
const FOOT_RADIUS_M: f64 = 0.008;

/// The description of the robot, with where its dimensions are from.
pub fn urdf(kit: &Kit) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\"?>\n<!--\n  {}.\n  Dimensions: {}.\n  The rest: {}. Masses of links are estimates. Measure yours.\n\n  \
         base_link lies amid the hips, at the height of the coxa axes. With all joints at zero a leg is straight and level.\n  \
         Positive coxa turns the leg anticlockwise seen from above, positive femur lifts the knee, positive tibia the foot.\n-->\n\
         <robot name=\"{}\">\n",
        kit.title, kit.source, kit.estimates, kit.name
    );
    let _ = write!(out, "{}", body(kit));
    for (index, name) in LEGS.into_iter().enumerate() {
        let hip = kit.hips[index % 3];
        let hip = if index < 3 { hip } else { mirrored(hip) };
        let _ = write!(out, "{}", leg(kit, name, hip));
    }
    out + "</robot>\n"
}

fn mirrored(hip: Place) -> Place {
    Place { y: -hip.y, yaw_deg: -hip.yaw_deg, ..hip }
}

/// A plate that reaches to the hips, with the servos of the coxae and what drives them.
fn body(kit: &Kit) -> String {
    let reach = |of: fn(&Place) -> f64| kit.hips.iter().map(|hip| of(hip).abs()).fold(0.0, f64::max);
    // Corners are cut off: a box as wide as the middle hips are apart would lie about the legs at its corners.
    let width = kit.hips[0].y.abs().min(kit.hips[2].y.abs());
    let size = [2.0 * reach(|hip| hip.x), 2.0 * width, BODY_HEIGHT_M];
    format!("  <link name=\"base_link\">\n{}  </link>\n", solid(size, [0.0; 3], kit.body_kg))
}

fn leg(kit: &Kit, name: &str, hip: Place) -> String {
    let lengths = [kit.coxa_m, kit.femur_m, kit.tibia_m];
    let joints = [kit.coxa, kit.femur, kit.tibia];
    let mut out = String::new();
    let mut parent = "base_link".to_owned();
    for (index, part) in ["coxa", "femur", "tibia"].into_iter().enumerate() {
        let [x, y, yaw] = match index {
            0 => [hip.x, hip.y, hip.yaw_deg.to_radians()],
            _ => [lengths[index - 1], 0.0, 0.0],
        };
        let axis = if index == 0 { "0 0 1" } else { "0 -1 0" };
        let Joint { lower_deg, upper_deg } = joints[index];
        let (link, servo) = (format!("{name}_{part}_link"), &kit.servo);
        let _ = write!(
            out,
            "  <joint name=\"{name}_{part}\" type=\"revolute\">\n    <parent link=\"{parent}\"/>\n    <child link=\"{link}\"/>\n    \
             <origin xyz=\"{x} {y} 0\" rpy=\"0 0 {yaw:.6}\"/>\n    <axis xyz=\"{axis}\"/>\n    \
             <limit lower=\"{:.4}\" upper=\"{:.4}\" velocity=\"{}\" effort=\"{}\"/>\n  </joint>\n",
            lower_deg.to_radians(),
            upper_deg.to_radians(),
            servo.speed_rad_s,
            servo.torque_nm,
        );
        // The last link carries no servo.
        let mass = if index == 2 { BRACKET_KG } else { servo.mass_kg + BRACKET_KG };
        let size = [lengths[index], LINK_M[0], LINK_M[1]];
        let _ =
            writeln!(out, "  <link name=\"{link}\">\n{}  </link>", solid(size, [0.5 * lengths[index], 0.0, 0.0], mass));
        parent = link;
    }
    let _ = write!(
        out,
        "  <joint name=\"{name}_foot_joint\" type=\"fixed\">\n    <parent link=\"{parent}\"/>\n    <child link=\"{name}_foot\"/>\n    \
         <origin xyz=\"{} 0 0\"/>\n  </joint>\n  <link name=\"{name}_foot\">\n    <collision><geometry><sphere radius=\"{FOOT_RADIUS_M}\"/>\
         </geometry></collision>\n    <visual><geometry><sphere radius=\"{FOOT_RADIUS_M}\"/></geometry></visual>\n  </link>\n",
        lengths[2]
    );
    out
}

/// A box about a point that fills a link, as it is seen, meets others and weighs.
fn solid([x, y, z]: [f64; 3], [cx, cy, cz]: [f64; 3], mass: f64) -> String {
    let shape = format!("<origin xyz=\"{cx} {cy} {cz}\"/><geometry><box size=\"{x} {y} {z}\"/></geometry>");
    let moment = |a: f64, b: f64| mass / 12.0 * (a * a + b * b);
    format!(
        "    <inertial>\n      <origin xyz=\"{cx} {cy} {cz}\"/>\n      <mass value=\"{mass:.3}\"/>\n      \
         <inertia ixx=\"{:.3e}\" ixy=\"0\" ixz=\"0\" iyy=\"{:.3e}\" iyz=\"0\" izz=\"{:.3e}\"/>\n    </inertial>\n    \
         <visual>{shape}</visual>\n    <collision>{shape}</collision>\n",
        moment(y, z),
        moment(x, z),
        moment(x, y),
    )
}
