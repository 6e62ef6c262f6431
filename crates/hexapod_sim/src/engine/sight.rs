//! What a ray of light meets.

use super::convert;
use super::world::World;
use nalgebra::{Point3, Unit, Vector3};
use rapier::parry::query::QueryDispatcher;
use rapier::prelude::{QueryFilter, Ray};

/// What a ray may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The ground alone.
    Ground,
    /// The ground, and the robot but for the part of this index, which carries the eye.
    AllBut(usize),
}

/// How far down the ground is looked for, m.
const DEEPEST_M: f64 = 100.0;

impl World {
    /// How high the ground is below the base, m; none where there is none.
    #[must_use]
    pub fn ground_below_base(&self) -> Option<f64> {
        let base = self.base().translation.vector;
        let depth = self.distance(&base.into(), &-Vector3::z_axis(), DEEPEST_M, Seen::Ground)?;
        Some(base.z - depth)
    }

    /// The distance, m, from a point of the world to what is first in that direction; none where nothing is within
    /// `farthest_m`.
    #[must_use]
    pub fn distance(&self, from: &Point3<f64>, along: &Unit<Vector3<f64>>, farthest_m: f64, seen: Seen) -> Option<f64> {
        let filter = match seen {
            Seen::Ground => QueryFilter::exclude_dynamic(),
            Seen::AllBut(part) => match self.built.parts.get(part) {
                Some(carrier) => QueryFilter::default().exclude_rigid_body(*carrier),
                None => QueryFilter::default(),
            },
        };
        let (bodies, colliders) = (&self.built.bodies, &self.built.colliders);
        let dispatcher: &dyn QueryDispatcher = self.narrow_phase.query_dispatcher();
        let pipeline = self.broad_phase.as_query_pipeline(dispatcher, bodies, colliders, filter);
        let ray = Ray::new(convert::vector(&from.coords), convert::vector(along));
        pipeline.cast_ray(&ray, farthest_m, true).map(|(_, distance)| distance)
    }
}
