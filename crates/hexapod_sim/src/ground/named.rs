//! Terrain by name, as people ask for it.

use super::Terrain;

/// Names of terrain; see [`Terrain::named`].
pub const TERRAINS: [&str; 8] = ["flat", "ramp", "steps", "stairs", "rubble", "stepfield", "gaps", "stones"];

/// How far ahead of the middle of the robot ramps, steps and stairs begin, m, and of its feet if those reach far.
const AHEAD_M: f64 = 0.6;
const AHEAD_OF_FEET_M: f64 = 0.3;

impl Terrain {
    /// The terrain of a name. `size`, in m, is the greatest height of rubble's stones or of a stepfield's posts, the height
    /// of a step or of a ramp's end, or the width of a gap or of a stepping stone; none for the usual one. A seed gives the same stones every time.
    ///
    /// ```
    /// use hexapod_sim::Terrain;
    ///
    /// let steps = Terrain::named("steps", Some(0.03), 1).expect("a name of TERRAINS");
    /// assert!(matches!(steps, Terrain::Steps { rise: 0.03, .. }));
    /// assert_eq!(Terrain::named("swamp", None, 1), None);
    /// ```
    pub fn named(name: &str, size: Option<f64>, seed: u64) -> Option<Self> {
        let size = |usual: f64| size.unwrap_or(usual);
        Some(match name {
            "flat" => Self::Flat,
            "ramp" => {
                let length = 1.0;
                Self::Ramp { start: AHEAD_M, slope: hexapod_kinematics::math::atan2(size(0.15), length), length }
            }
            "steps" => Self::Steps { start: AHEAD_M, rise: size(0.015), tread: 0.25, count: 5 },
            "stairs" => Self::Stairs { start: AHEAD_M, rise: size(0.02), tread: 0.15, count: 10 },
            "stepfield" => Self::Stepfield { height: size(0.05), cell: 0.08, reach: 3.0, seed },
            "stones" => Self::Stones { stone: size(0.06), pitch: 0.1, reach: 3.0 },
            "rubble" => Self::Rubble { height: size(0.015), stone: 0.05, reach: 3.0, seed },
            "gaps" => Self::Gaps { plank: 0.15, gap: size(0.02), count: 10 },
            _ => return None,
        })
    }

    /// The same for a robot whose feet reach so far ahead, m: it stands before a ramp, steps or stairs, not in them.
    #[must_use]
    pub fn before(mut self, feet_m: f64) -> Self {
        if let Self::Ramp { start, .. } | Self::Steps { start, .. } | Self::Stairs { start, .. } = &mut self {
            *start = start.max(feet_m + AHEAD_OF_FEET_M);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_terrain_is_named_expect_one_for_each_name_and_no_two_alike() {
        let all: Vec<_> = TERRAINS.iter().map(|name| Terrain::named(name, None, 1)).collect();
        for (index, terrain) in all.iter().enumerate() {
            assert!(terrain.is_some() && !all[..index].contains(terrain), "{}", TERRAINS[index]);
        }
    }

    #[test]
    fn when_a_ramp_leads_down_expect_its_end_below_and_its_start_level() {
        let ramp = crate::Ground::of(Terrain::named("ramp", Some(-0.2), 1).unwrap());
        let height = |x: f64| ramp.highest_within([x, x], [0.0, 0.0]);
        assert_eq!((height(0.0), height(0.5)), (0.0, 0.0));
        assert!(
            (height(1.1) + 0.1).abs() < 1e-9 && (height(3.0) + 0.2).abs() < 1e-9,
            "{} {}",
            height(1.1),
            height(3.0)
        );
    }

    #[test]
    fn when_feet_reach_far_ahead_expect_ramps_steps_and_stairs_beyond_them_and_the_rest_as_it_was() {
        for name in TERRAINS {
            let terrain = Terrain::named(name, None, 1).unwrap();
            assert_eq!(terrain.clone().before(0.25), terrain, "{name}");
            let far = crate::Ground::of(terrain.clone().before(2.0));
            let has_start = ["ramp", "steps", "stairs"].contains(&name);
            assert_eq!(terrain.clone().before(2.0) != terrain, has_start, "{name}");
            assert!(!has_start || far.highest_within([-2.2, 2.2], [-0.5, 0.5]) == 0.0, "{name}");
        }
    }

    #[test]
    fn when_a_ramp_is_named_expect_its_end_as_high_as_its_size() {
        let Some(Terrain::Ramp { slope, length, .. }) = Terrain::named("ramp", Some(0.2), 1) else { panic!() };
        assert!((slope.tan() * length - 0.2).abs() < 1e-12);
    }
}
