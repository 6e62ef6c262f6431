//! Ground as the physics engine takes it.

use super::blocks::{Block, FAR};
use super::{Ground, HeightMap, Terrain};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use rapier::geometry::HeightFieldFlags;
use rapier::math::Vector;
use rapier::parry::utils::Array2;
use rapier::prelude::SharedShape;
use std::f64::consts::FRAC_PI_2;

/// A piece of ground.
pub(crate) struct Piece {
    pub shape: SharedShape,
    pub pose: Isometry3<f64>,
    /// What of the robot meets it.
    pub meets: Meets,
}

/// Parts of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meets {
    All,
    /// Those with feet.
    Feet,
    Others,
}

/// All parts but those with feet meet hills in cells no smaller than this, m: finer ones take the engine ten times as long.
pub(super) const COARSE_M: f64 = 0.02;

/// A box that the robot stands on, for pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundBox {
    /// Its middle in the world.
    pub pose: Isometry3<f64>,
    /// Its edges, m.
    pub size: Vector3<f64>,
}

/// Blocks are this deep, m: nothing comes through.
const DEPTH: f64 = 1.0;

/// The floor around hills is this far below their lowest point, m, so that no foot stands on both.
pub(super) const BELOW_M: f64 = 0.001;

impl Ground {
    /// The boxes among its pieces: stairs, stones, planks, ramps.
    pub fn boxes(&self) -> Vec<GroundBox> {
        let as_box = |piece: &Piece| {
            let half = piece.shape.as_cuboid()?.half_extents;
            Some(GroundBox { pose: piece.pose, size: 2.0 * Vector3::new(half.x, half.y, half.z) })
        };
        self.pieces().iter().filter_map(as_box).collect()
    }

    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let blocks = || self.terrain.blocks();
        match &self.terrain {
            Terrain::Nothing => Vec::new(),
            Terrain::Flat => vec![floor(0.0)],
            Terrain::Ramp { start, slope, length } => ramp(*start, *slope, *length),
            Terrain::Steps { .. } | Terrain::Stairs { .. } | Terrain::Gaps { .. } | Terrain::Stones { .. } => {
                blocks().iter().map(upright).collect()
            }
            Terrain::Rubble { .. } | Terrain::Stepfield { .. } => {
                std::iter::once(floor(0.0)).chain(blocks().iter().map(upright)).collect()
            }
            Terrain::Heights(map) => {
                let coarse = map.coarser(map.cells_to(COARSE_M));
                let hills = match coarse {
                    Some(coarse) => vec![hills(map, Meets::Feet), hills(&coarse, Meets::Others)],
                    None => vec![hills(map, Meets::All)],
                };
                std::iter::once(floor(map.lowest() - BELOW_M)).chain(hills).collect()
            }
        }
    }
}

fn floor(height: f64) -> Piece {
    Piece {
        shape: SharedShape::halfspace(Vector::Z),
        pose: Isometry3::translation(0.0, 0.0, height),
        meets: Meets::All,
    }
}

fn upright(block: &Block) -> Piece {
    let middle = |[from, to]: [f64; 2]| 0.5 * (from + to);
    let half = |[from, to]: [f64; 2]| 0.5 * (to - from);
    let pose = Isometry3::translation(middle(block.x), middle(block.y), block.top - 0.5 * DEPTH);
    Piece { shape: SharedShape::cuboid(half(block.x), half(block.y), 0.5 * DEPTH), pose, meets: Meets::All }
}

/// A floor, a board that leads up or down from its edge, and a floor at the board's end.
fn ramp(start: f64, slope: f64, length: f64) -> Vec<Piece> {
    let (sin, cos) = hexapod_kinematics::math::sin_cos(slope);
    let board = length / cos.max(1e-3);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -slope);
    let surface_middle = Vector3::new(start + 0.5 * length, 0.0, 0.5 * board * sin);
    let middle = surface_middle - turn * Vector3::new(0.0, 0.0, 0.5 * DEPTH);
    let board = Piece {
        shape: SharedShape::cuboid(0.5 * board, FAR, 0.5 * DEPTH),
        pose: Isometry3::from_parts(middle.into(), turn),
        meets: Meets::All,
    };
    let level = |x: [f64; 2], top: f64| upright(&Block { x, y: [-FAR, FAR], top });
    vec![level([-FAR, start], 0.0), board, level([start + length, FAR], surface_middle.z * 2.0)]
}

/// The engine's heights are along its y, its rows along its z: turned about x, its y is up and its z to the right.
fn hills(map: &HeightMap, meets: Meets) -> Piece {
    let [columns, rows] = map.size();
    let mut heights = Array2::repeat(rows, columns, 0.0);
    for row in 0..rows {
        for column in 0..columns {
            heights[(rows - 1 - row, column)] = map.at(column, row);
        }
    }
    let [x, y] = map.extent();
    let shape =
        SharedShape::heightfield_with_flags(heights, Vector::new(x, 1.0, y), HeightFieldFlags::FIX_INTERNAL_EDGES);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let [x, y] = map.middle();
    Piece { shape, pose: Isometry3::from_parts(Vector3::new(x, y, 0.0).into(), turn), meets }
}
