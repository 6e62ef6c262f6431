//! What the planner sees of the ground, with a camera or a lidar and the odometry of `state_publisher`.

use hexapod_dynamics::ImuReader;
use hexapod_gait::{Engine, Foothold, Twist, size_of};
use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_odometry::Odometry;
use hexapod_terrain::Sight;
use simulator::{PointSensor, World};
use std::time::Duration;

/// Sensors, a map and footholds on it.
pub struct Seen {
    sensors: Vec<PointSensor>,
    sight: Sight,
    odometry: Odometry,
    points: Vec<[f32; 3]>,
}

impl Seen {
    pub fn new(sensors: Vec<PointSensor>, robot: &Robot) -> Self {
        let (sight, odometry) = (Sight::new(size_of(robot)), Odometry::new(robot.legs().len()));
        Self { sensors, sight, odometry, points: Vec::new() }
    }

    /// Where the feet are to be put down, as far as the ground has been seen.
    pub fn footholds(
        &mut self,
        world: &World,
        engine: &Engine,
        now: Duration,
        imu: Option<&mut ImuReader>,
    ) -> [Option<Foothold>; MAX_LEGS] {
        let up = imu.as_deref().and_then(ImuReader::up);
        self.follow(engine, now, imu);
        let Some(estimate) = self.odometry.last() else { return [None; MAX_LEGS] };
        let odom_from_body = estimate.upright(up);
        for sensor in self.sensors.iter_mut() {
            if sensor.is_due(now) {
                sensor.read(world, &mut self.points);
                let body_from_sensor = world.base().inverse() * sensor.pose(world);
                self.sight.see(engine, &self.points, &odom_from_body, &(odom_from_body * body_from_sensor));
            }
        }
        self.sight.footholds(engine, &odom_from_body)
    }

    /// What is left of a twist that is wanted: nothing on the way to where the ground drops away.
    pub fn allowed(&mut self, wanted: Twist, dt: f64) -> Twist {
        self.sight.allowed(wanted, dt)
    }

    /// Whether it is held back from there.
    pub fn is_at_brink(&self) -> bool {
        self.sight.is_at_brink()
    }

    /// Odometry from the feet as they are commanded, and from the IMU if there is one.
    fn follow(&mut self, engine: &Engine, now: Duration, imu: Option<&mut ImuReader>) {
        if let Some(reader) = imu {
            self.odometry.sense_imu(reader, now);
        }
        let tick = engine.last();
        // A sample at the time of the one before says nothing new.
        let _ = self.odometry.update_joints(now, engine.legs(), &tick.angles, Some(&tick.contacts));
    }
}
