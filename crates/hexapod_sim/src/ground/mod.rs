//! What the robot stands on: terrain as data, its pieces as the engine takes them. With a seed it is the same on every
//! platform.

mod blocks;
mod heights;
mod named;
mod picture;
mod pieces;
mod tops;

pub use heights::{HeightMap, HeightMapError};
pub use named::TERRAINS;
pub use picture::PictureError;
pub use pieces::GroundBox;
pub(crate) use pieces::Meets;

/// What feet feel of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Friction coefficient between foot and ground.
    pub friction: f64,
    /// Force below a foot for each metre that the ground gives way, N/m; none where it does not.
    pub stiffness: Option<f64>,
}

impl Default for Surface {
    /// Rubber on a wooden floor.
    fn default() -> Self {
        Self { friction: 0.8, stiffness: None }
    }
}

/// A round place with another surface, as of oil or ice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Its centre, m.
    pub centre: [f64; 2],
    /// Its radius, m.
    pub radius: f64,
    /// Its surface.
    pub surface: Surface,
}

/// The shape of the ground. Lengths in m; x is ahead of the robot, which starts at the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Terrain {
    /// None: everything falls.
    Nothing,
    /// A plane at height zero.
    #[default]
    Flat,
    /// Flat up to `start`, then a ramp of a length seen from above, then level.
    Ramp {
        /// Where it begins.
        start: f64,
        /// Slope, rad; negative leads down.
        slope: f64,
        /// Length along x.
        length: f64,
    },
    /// Steps that begin at `start`; the last tread goes on.
    Steps {
        /// Where they begin.
        start: f64,
        /// Height of each.
        rise: f64,
        /// Length of each along x.
        tread: f64,
        /// How many.
        count: usize,
    },
    /// Stairs up that begin at `start`, a landing of four treads, and as many stairs down to the floor.
    Stairs {
        /// Where they begin.
        start: f64,
        /// Height of each.
        rise: f64,
        /// Length of each along x.
        tread: f64,
        /// How many lead up.
        count: usize,
    },
    /// A floor of square stones, each as high as chance will have it; flat about the origin.
    Rubble {
        /// Greatest height of a stone.
        height: f64,
        /// Length of a stone's edge.
        stone: f64,
        /// Half the edge of the field.
        reach: f64,
        /// Seed of the heights.
        seed: u64,
    },
    /// Square posts side by side, of five heights from zero up, as chance will have it: the stepfields by which NIST tests
    /// response robots (ASTM E2828). Flat about the origin.
    Stepfield {
        /// Greatest height of a post.
        height: f64,
        /// Length of a post's edge.
        cell: f64,
        /// Half the edge of the field.
        reach: f64,
        /// Seed of the heights.
        seed: u64,
    },
    /// Square stones of one height in rows, nothing between them; flat about the origin.
    Stones {
        /// Length of a stone's edge.
        stone: f64,
        /// From the middle of a stone to that of the next.
        pitch: f64,
        /// Half the edge of the field.
        reach: f64,
    },
    /// Planks across the way, gaps between them; flat about the origin.
    Gaps {
        /// Length of a plank along x.
        plank: f64,
        /// Length of a gap.
        gap: f64,
        /// How many gaps.
        count: usize,
    },
    /// Hills.
    Heights(HeightMap),
}

/// Half of the square about the origin that stays flat in rough terrain, m: the robot stands up there.
pub const FLAT_M: f64 = 0.35;

/// Half the length of a robot on its feet, m, as far as roughness below it goes.
const ROBOT_M: f64 = 0.2;

/// The ground: a shape, a surface, and places where the surface is another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// Its shape.
    pub terrain: Terrain,
    /// Its surface.
    pub surface: Surface,
    /// Places with another surface; the first that holds a foot counts.
    pub patches: Vec<Patch>,
}

impl Ground {
    /// Ground of a shape, with the usual surface.
    pub fn of(terrain: Terrain) -> Self {
        Self { terrain, ..Self::default() }
    }

    /// A floor.
    pub fn flat() -> Self {
        Self::default()
    }

    /// No ground.
    pub fn nothing() -> Self {
        Self::of(Terrain::Nothing)
    }

    /// The same with another friction coefficient.
    #[must_use]
    pub fn with_friction(mut self, friction: f64) -> Self {
        self.surface.friction = friction;
        self
    }

    /// Whether it gives way anywhere.
    pub fn is_soft(&self) -> bool {
        let mut patches = self.patches.iter().map(|patch| patch.surface);
        self.surface.stiffness.is_some() || patches.any(|surface| surface.stiffness.is_some())
    }

    /// Height from which a robot at the origin touches nothing of the ground, m. Only hills are not level there.
    pub fn height_at_start(&self) -> f64 {
        match &self.terrain {
            Terrain::Heights(map) => map.highest_within([-FLAT_M, FLAT_M], [-FLAT_M, FLAT_M]).unwrap_or_default(),
            _ => 0.0,
        }
    }

    /// How much the heights below a robot differ, m.
    pub fn roughness(&self) -> f64 {
        match &self.terrain {
            Terrain::Nothing | Terrain::Flat => 0.0,
            Terrain::Ramp { slope, .. } => ROBOT_M * hexapod_kinematics::math::tan(*slope).abs(),
            // Two of them, as the usual treads are half as long as the robot or longer.
            Terrain::Steps { rise, .. } | Terrain::Stairs { rise, .. } => 2.0 * rise.abs(),
            Terrain::Rubble { height, .. } | Terrain::Stepfield { height, .. } => *height,
            // A foot comes down by less in a gap that is narrower than it.
            Terrain::Gaps { gap, .. } => *gap,
            Terrain::Stones { stone, pitch, .. } => (pitch - stone).max(0.0),
            Terrain::Heights(map) => map.rise_over(ROBOT_M),
        }
    }

    /// Its surface at a place.
    pub fn surface_at(&self, x: f64, y: f64) -> Surface {
        let holds = |patch: &&Patch| {
            let [dx, dy] = [x - patch.centre[0], y - patch.centre[1]];
            dx * dx + dy * dy <= patch.radius * patch.radius
        };
        self.patches.iter().find(holds).map_or(self.surface, |patch| patch.surface)
    }
}
