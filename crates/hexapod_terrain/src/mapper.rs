//! From clouds of points to a map.

use crate::capsule::Capsule;
use crate::layout::Layout;
use crate::map::{Drift, ElevationMap, Travel};
use crate::sensor::Sensor;
use crate::slope::Slope;
use hexapod_gait::Engine;
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::{Isometry3, Point3, Vector3};

/// Half of the thickness of the shipped robot's legs, whose links count as lines, with a margin for joints that lag, m.
const LEG_RADIUS_M: f64 = 0.03;

/// No sensor is nearer to the origin of the body than this, m.
const NO_SENSOR_M: f64 = 0.01;

/// A robot as it was when a cloud was taken.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// Its joints.
    pub angles: &'a [LegAngles; MAX_LEGS],
    /// The pose of its body over the ground that it stands on.
    pub footprint_from_body: Isometry3<f64>,
    /// The pose of its body in the odometry frame.
    pub odom_from_body: Isometry3<f64>,
    /// The same of the sensor.
    pub odom_from_sensor: Isometry3<f64>,
}

impl Taken<'_> {
    /// Whether the cloud says from where it was seen: one that was carried into the frame of the body does not.
    #[must_use]
    pub fn is_from_sensor(&self) -> bool {
        let [sensor, body] = [&self.odom_from_sensor, &self.odom_from_body].map(|pose| pose.translation.vector);
        (sensor - body).norm() > NO_SENSOR_M
    }
}

/// Keeps a map of the ground about a robot that walks.
#[derive(Clone, Debug)]
pub struct Mapper {
    map: ElevationMap,
    sensor: Sensor,
    drift: Drift,
    leg_radius_m: f64,
    /// The legs, which clouds show, too.
    legs: Vec<Capsule>,
    last: Option<Isometry3<f64>>,
}

/// A body that leans by 9 degrees more or less than at the cloud before, by the cosine of that, has not moved so: odometry has
/// learnt how it leans.
const LEANS_ANEW: f64 = 0.9877;

impl Mapper {
    /// One that has seen nothing yet, for a robot so many times as large as the shipped one ([`hexapod_gait::size_of`]).
    #[must_use]
    pub fn new(size: f64) -> Self {
        Self {
            map: ElevationMap::new(Layout::default().enlarged(size)),
            sensor: Sensor::default().enlarged(size),
            drift: Drift::default(),
            leg_radius_m: LEG_RADIUS_M * size,
            legs: Vec::new(),
            last: None,
        }
    }

    /// What it knows of the ground.
    #[must_use]
    pub fn map(&self) -> &ElevationMap {
        &self.map
    }

    /// Forgets the ground, as where odometry starts anew.
    pub fn forget(&mut self) {
        self.map.forget();
        self.last = None;
    }

    /// Takes in a cloud of points in the frame of the sensor, m, of the engine's robot. How many points count: those of its own
    /// legs do not.
    pub fn see(&mut self, engine: &Engine, points: &[[f32; 3]], taken: &Taken) -> usize {
        let Taken { angles, footprint_from_body, odom_from_body, odom_from_sensor } = *taken;
        let step = self.last.unwrap_or(odom_from_body).inverse() * odom_from_body;
        // What was mapped as if the body were level lies elsewhere.
        let leans_anew = (step.rotation * Vector3::z()).z < LEANS_ANEW;
        if leans_anew {
            self.map.forget();
        }
        self.last = Some(odom_from_body);
        let travel = Travel { way_m: step.translation.vector.norm(), turn_rad: step.rotation.scaled_axis().z };
        self.map.follow(&odom_from_body.translation.vector.into(), travel, &self.drift);
        self.legs.clear();
        for (leg, angles) in engine.legs().iter().zip(angles) {
            let bends = || leg.bends(angles).map(|bend| odom_from_body * Point3::from(bend));
            self.legs.extend(bends().zip(bends().skip(1)).map(|(from, to)| Capsule::new(from, to, self.leg_radius_m)));
        }
        let counted = self.map.insert_aligned(points, &odom_from_sensor, &self.sensor, &self.legs);
        if taken.is_from_sensor() {
            let odom_from_footprint = odom_from_body * footprint_from_body.inverse();
            let slope = Slope::under(engine, &odom_from_footprint);
            self.map.miss(points, (&odom_from_sensor, &odom_from_body), &odom_from_footprint, slope);
        }
        counted
    }
}
