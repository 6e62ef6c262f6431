//! Small generator of URDFs for the tests.
#![allow(dead_code)]

use std::fmt::Write;

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
            write!(
                out,
                r#"  <link name="{name}_{part}_link"/>
  <joint name="{name}_{part}" type="revolute">
    <parent link="{parent}"/>
    <child link="{name}_{part}_link"/>
    <origin {origin}/>
    <axis xyz="{axis}"/>
    <limit lower="{lower}" upper="{upper}" velocity="5.0" effort="1.5"/>
  </joint>
"#
            )
            .unwrap();
        }
        write!(
            out,
            r#"  <link name="{name}_foot"/>
  <joint name="{name}_foot_fixed" type="fixed">
    <parent link="{name}_tibia_link"/>
    <child link="{name}_foot"/>
    <origin xyz="{} 0 0"/>
  </joint>
"#,
            lengths[2]
        )
        .unwrap();
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
