//! Small generator of URDFs for the tests.
#![allow(dead_code, clippy::unwrap_used)]

use hexapod_kinematics::{Leg, LegAngles};

/// A yaw-pitch-pitch leg to write.
#[derive(Clone, Debug)]
pub struct LegText {
    pub name: String,
    pub hip: [f64; 3],
    pub yaw: f64,
    pub lengths: [f64; 3],
    pub limits: [[f64; 2]; 3],
}

impl LegText {
    pub fn write(&self, out: &mut String) {
        let Self { name, hip, yaw, lengths, limits } = self;
        for (i, part) in ["coxa", "femur", "tibia"].iter().enumerate() {
            let parent = match i {
                0 => "base_link".to_owned(),
                1 => format!("{name}_coxa_link"),
                _ => format!("{name}_femur_link"),
            };
            let origin = match i {
                0 => format!(r#"xyz="{} {} {}" rpy="0 0 {yaw}""#, hip[0], hip[1], hip[2]),
                _ => format!(r#"xyz="{} 0 0""#, lengths[i - 1]),
            };
            let axis = if i == 0 { "0 0 1" } else { "0 -1 0" };
            let [lower, upper] = limits[i];
            out.push_str(&format!(
                r#"  <link name="{name}_{part}_link"/>
  <joint name="{name}_{part}" type="revolute">
    <parent link="{parent}"/>
    <child link="{name}_{part}_link"/>
    <origin {origin}/>
    <axis xyz="{axis}"/>
    <limit lower="{lower}" upper="{upper}" velocity="5.0" effort="1.5"/>
  </joint>
"#
            ));
        }
        out.push_str(&format!(
            r#"  <link name="{name}_foot"/>
  <joint name="{name}_foot_fixed" type="fixed">
    <parent link="{name}_tibia_link"/>
    <child link="{name}_foot"/>
    <origin xyz="{} 0 0"/>
  </joint>
"#,
            lengths[2]
        ));
    }
}

/// A robot of these legs.
pub fn robot(legs: &[LegText]) -> String {
    let mut out = String::from("<robot name=\"test\">\n  <link name=\"base_link\"/>\n");
    legs.iter().for_each(|leg| leg.write(&mut out));
    out.push_str("</robot>\n");
    out
}

/// Six legs of these lengths and limits, hips on a ring.
pub fn hexapod(lengths: [f64; 3], limits: [[f64; 2]; 3]) -> String {
    let places = [
        ("right_rear", -0.1, -0.06, -2.356),
        ("left_front", 0.1, 0.06, 0.785),
        ("left_middle", 0.0, 0.08, 1.571),
        ("left_rear", -0.1, 0.06, 2.356),
        ("right_front", 0.1, -0.06, -0.785),
        ("right_middle", 0.0, -0.08, -1.571),
    ];
    let legs: Vec<LegText> = places
        .iter()
        .map(|(name, x, y, yaw)| LegText { name: (*name).to_owned(), hip: [*x, *y, 0.0], yaw: *yaw, lengths, limits })
        .collect();
    robot(&legs)
}

/// The shipped robot's sizes.
pub fn shipped() -> String {
    hexapod([0.052, 0.066, 0.133], [[-0.9, 0.9], [-1.6, 1.6], [-2.6, 0.3]])
}

/// Deterministic numbers in [0, 1): splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn range(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * self.unit()
    }
}

/// Any number at all, mostly one of a target's size.
pub fn any_number(random: &mut Random) -> f64 {
    match (random.unit() * 16.0) as u32 {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => f64::MAX,
        4 => f64::MIN_POSITIVE / 8.0,
        5 => 0.0,
        6 => 1e6 * (random.unit() - 0.5),
        _ => random.range(-0.4, 0.4),
    }
}

/// Angles anywhere inside a leg's limits.
pub fn random_angles(leg: &Leg, random: &mut Random) -> LegAngles {
    LegAngles::from_fn(leg.joint_count(), |i| {
        let limits = leg.joints()[i].limits();
        random.range(limits.lower, limits.upper)
    })
}

/// Kinds of random three-joint legs.
#[derive(Clone, Copy, Debug)]
pub enum RandomLegs {
    /// Outer axes parallel, lateral offsets, the first axis at any angle.
    Parallel,
    /// The same with the last axis off by this angle, rad, as a file that rounds has it.
    NearlyParallel(f64),
    /// Any axes and offsets.
    General,
    /// The first two axes parallel.
    InnerParallel,
    /// The first two axes meet.
    Meeting,
}

/// A robot of three equal legs of a random geometry.
pub fn random_robot(kind: RandomLegs, random: &mut Random) -> String {
    let mut vector = |scale: f64| [0; 3].map(|_: i32| random.range(-scale, scale));
    let rpy: Vec<[f64; 3]> = (0..4).map(|_| vector(3.0)).collect();
    let xyz: Vec<[f64; 3]> = (0..4).map(|_| vector(0.15)).collect();
    let axes: Vec<[f64; 3]> = (0..3).map(|_| unit(vector(1.0))).collect();
    let (mut rpy, mut xyz, mut axes) = (rpy, xyz, axes);
    match kind {
        RandomLegs::General => {}
        RandomLegs::Parallel => {
            rpy[2] = [0.0; 3];
            axes[2] = axes[1].map(|a| -a);
        }
        RandomLegs::NearlyParallel(off) => {
            // About any axis that is not the last one itself.
            rpy[2] = unit([axes[1][1], -axes[1][0], 0.3]).map(|part| off * part);
            axes[2] = axes[1];
        }
        RandomLegs::InnerParallel => {
            rpy[1] = [0.0; 3];
            axes[1] = axes[0];
        }
        RandomLegs::Meeting => xyz[1] = axes[0].map(|a| 0.03 * a),
    }
    let text = |v: [f64; 3]| format!("{} {} {}", v[0], v[1], v[2]);
    let mut out = String::from("<robot name=\"random\">\n  <link name=\"base_link\"/>\n");
    for leg in ["a", "b", "c"] {
        for i in 0..4 {
            let parent = if i == 0 { "base_link".to_owned() } else { format!("{leg}_{}", i - 1) };
            let kind = if i == 3 { "fixed" } else { "revolute" };
            out.push_str(&format!(
                "<link name=\"{leg}_{i}\"/><joint name=\"{leg}_joint{i}\" type=\"{kind}\"><parent link=\"{parent}\"/>\
                 <child link=\"{leg}_{i}\"/><origin xyz=\"{}\" rpy=\"{}\"/>",
                text(xyz[i]),
                text(rpy[i])
            ));
            if i < 3 {
                out.push_str(&format!(
                    "<axis xyz=\"{}\"/><limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/>",
                    text(axes[i])
                ));
            }
            out.push_str("</joint>\n");
        }
    }
    out.push_str("</robot>\n");
    out
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// A robot of six legs with `n` joints each: yaw, then pitches, links of equal length.
pub fn many_jointed(n: usize) -> String {
    let mut out = String::from("<robot name=\"many\">\n  <link name=\"base_link\"/>\n");
    for (leg, x, y) in [
        ("lf", 0.1, 0.1),
        ("lm", 0.0, 0.1),
        ("lr", -0.1, 0.1),
        ("rf", 0.1, -0.1),
        ("rm", 0.0, -0.1),
        ("rr", -0.1, -0.1),
    ] {
        let yaw = if y > 0.0 { 1.57 } else { -1.57 };
        for i in 0..=n {
            let parent = if i == 0 { "base_link".to_owned() } else { format!("{leg}_{}", i - 1) };
            let kind = if i == n { "fixed" } else { "revolute" };
            let origin =
                if i == 0 { format!("xyz=\"{x} {y} 0\" rpy=\"0 0 {yaw}\"") } else { "xyz=\"0.07 0 0\"".to_owned() };
            out.push_str(&format!(
                "<link name=\"{leg}_{i}\"/><joint name=\"{leg}_joint{i}\" type=\"{kind}\"><parent link=\"{parent}\"/>\
                 <child link=\"{leg}_{i}\"/><origin {origin}/>"
            ));
            if i < n {
                let axis = if i == 0 { "0 0 1" } else { "0 -1 0" };
                out.push_str(&format!(
                    "<axis xyz=\"{axis}\"/><limit lower=\"-1.5\" upper=\"1.2\" velocity=\"5\" effort=\"1\"/>"
                ));
            }
            out.push_str("</joint>\n");
        }
    }
    out.push_str("</robot>\n");
    out
}

/// A robot of four upright legs (roll, pitch, pitch), as a dog's, with these limits; thigh and shank 0.16 m.
pub fn quadruped(limits: [[f64; 2]; 3]) -> String {
    let mut out = String::from("<robot name=\"dog\">\n  <link name=\"base_link\"/>\n");
    for (name, x, y) in [("lf", 0.2, 0.09), ("lh", -0.2, 0.09), ("rf", 0.2, -0.09), ("rh", -0.2, -0.09)] {
        let side = if y > 0.0 { 0.06 } else { -0.06 };
        let parts = [
            ("haa", "base_link".to_owned(), [x, y, 0.0], "1 0 0"),
            ("hfe", format!("{name}_haa_link"), [0.0, side, 0.0], "0 1 0"),
            ("kfe", format!("{name}_hfe_link"), [0.0, 0.0, -0.16], "0 1 0"),
        ];
        for ((part, parent, [x, y, z], axis), [lower, upper]) in parts.into_iter().zip(limits) {
            out.push_str(&format!(
                r#"  <link name="{name}_{part}_link"/>
  <joint name="{name}_{part}" type="revolute">
    <parent link="{parent}"/>
    <child link="{name}_{part}_link"/>
    <origin xyz="{x} {y} {z}"/>
    <axis xyz="{axis}"/>
    <limit lower="{lower}" upper="{upper}" velocity="8.0" effort="3"/>
  </joint>
"#
            ));
        }
        out.push_str(&format!(
            r#"  <link name="{name}_foot"/>
  <joint name="{name}_foot_fixed" type="fixed">
    <parent link="{name}_kfe_link"/>
    <child link="{name}_foot"/>
    <origin xyz="0 0 -0.16"/>
  </joint>
"#
        ));
    }
    out.push_str("</robot>\n");
    out
}
