//! Sensors that measure points: what rays meet of the ground and of the robot.

use super::moment::Moment;
use crate::engine::{Seen, World};
use crate::random::Random;
use nalgebra::{Isometry3, Point3, Unit, Vector3};
use std::time::Duration;

/// How far measurements are off, as standard deviations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// The same at any distance, m.
    Constant(f64),
    /// Of a distance of a metre, m; it grows with the square of the distance.
    Squared(f64),
}

impl Noise {
    fn deviation_m(self, distance_m: f64) -> f64 {
        match self {
            Self::Constant(deviation_m) => deviation_m,
            Self::Squared(of_a_metre_m) => of_a_metre_m * distance_m * distance_m,
        }
    }
}

/// Where a sensor looks, and how well it measures.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSensorModel {
    /// Its frame on its link.
    pub link_from_sensor: Isometry3<f64>,
    /// Where it looks, in its frame. What it measures along each is in units of the ray's length.
    pub rays: Vec<Vector3<f64>>,
    /// What is nearer is not measured.
    pub nearest_m: f64,
    /// Nor is what is farther.
    pub farthest_m: f64,
    /// How far measurements are off.
    pub noise: Noise,
    /// Clouds each second; none at 0.
    pub rate_hz: f64,
}

/// A sensor of points on a link of the robot.
#[derive(Clone, Debug)]
pub struct PointSensor {
    model: PointSensorModel,
    link: Option<usize>,
    /// The part that carries it, and its frame there.
    part: usize,
    part_from_sensor: Isometry3<f64>,
    /// When the next cloud is due.
    next: Duration,
    random: Random,
}

impl PointSensor {
    /// One on a link (an index of the robot's model), or on the base where there is no such link.
    #[must_use]
    pub fn new(model: PointSensorModel, link: Option<usize>, world: &World, seed: u64) -> Self {
        let seat = link.and_then(|link| world.assembly().links.get(link).copied().flatten());
        let (part, part_from_link) = seat.unwrap_or((0, Isometry3::identity()));
        let part_from_sensor = part_from_link * model.link_from_sensor;
        Self { model, link, part, part_from_sensor, next: Duration::ZERO, random: Random(seed) }
    }

    /// The link that carries it; none: the base.
    #[must_use]
    pub fn link(&self) -> Option<usize> {
        self.link
    }

    /// What it is.
    #[must_use]
    pub fn model(&self) -> &PointSensorModel {
        &self.model
    }

    /// Where its frame is in the world, in truth.
    #[must_use]
    pub fn pose(&self, world: &World) -> Isometry3<f64> {
        let now = Moment::now(world, self.part, &self.part_from_sensor);
        Isometry3::from_parts(now.place.into(), now.orientation)
    }

    /// Whether a cloud is due at this time, which the next one then counts from.
    pub fn is_due(&mut self, now: Duration) -> bool {
        let is_due = self.model.rate_hz > 0.0 && now >= self.next;
        if is_due {
            self.next = now + Duration::try_from_secs_f64(self.model.rate_hz.recip()).unwrap_or(Duration::MAX / 2);
        }
        is_due
    }

    /// The points that it sees now, in its frame, m, in place of those in `points`: of the ground, and of the robot.
    pub fn read(&mut self, world: &World, points: &mut Vec<[f32; 3]>) {
        let pose = self.pose(world);
        let from = Point3::from(pose.translation.vector);
        points.clear();
        for ray in &self.model.rays {
            let (along, length) = Unit::new_and_get(pose.rotation * ray);
            let Some(distance) = world.distance(&from, &along, self.model.farthest_m * length, Seen::AllBut(self.part))
            else {
                continue;
            };
            let measured = distance / length;
            let measured = measured + self.model.noise.deviation_m(measured) * self.random.normal();
            if (self.model.nearest_m..=self.model.farthest_m).contains(&measured) {
                points.push((ray * measured).map(|value| value as f32).into());
            }
        }
    }
}
