//! What the planner sees of the ground, with a depth camera and the odometry of `state_publisher`.

use hexapod_dynamics::ImuReader;
use hexapod_gait::{Engine, Foothold};
use hexapod_kinematics::MAX_LEGS;
use hexapod_odometry::{Inertial, Odometry};
use hexapod_terrain::{Planning, Sensor, Sight};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use simulator::{DepthCamera, World};
use std::time::Duration;

/// A depth camera, a map and footholds on it.
pub struct Seen {
    camera: DepthCamera,
    sight: Sight,
    odometry: Odometry,
    points: Vec<[f32; 3]>,
    /// When the next picture is due.
    next: Duration,
}

impl Seen {
    pub fn new(camera: DepthCamera, legs: usize) -> Self {
        let sight = Sight::new(Sensor::default(), Planning::default());
        Self { camera, sight, odometry: Odometry::new(legs), points: Vec::new(), next: Duration::ZERO }
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
        let odom_from_body = upright(&estimate.odom_from_body, up);
        if now >= self.next {
            self.next = now + self.camera.period();
            self.camera.read(world, &mut self.points);
            let body_from_camera = world.base().inverse() * self.camera.pose(world);
            self.sight.see(engine, &self.points, &odom_from_body, &(odom_from_body * body_from_camera));
        }
        self.sight.footholds(engine, &odom_from_body)
    }

    /// Odometry from the feet as they are commanded, and from the IMU if there is one.
    fn follow(&mut self, engine: &Engine, now: Duration, imu: Option<&mut ImuReader>) {
        let tick = engine.last();
        let legs = engine.legs().iter().zip(&tick.angles);
        let up = self.odometry.up_in_body();
        self.odometry.set_foot_heights(legs.clone().map(|(leg, angles)| leg.foot_above_ground(angles, &up)));
        if let Some(reader) = imu {
            let motion = reader.motion(now);
            if let Some(since_s) = reader.take_inertial().and_then(|last| last.since_s) {
                let felt =
                    Inertial { spin: motion.angular_velocity, acceleration: motion.acceleration, up: motion.up() };
                self.odometry.sense(&felt, since_s);
            }
        }
        let mut feet = [Vector3::zeros(); MAX_LEGS];
        feet.iter_mut().zip(legs).for_each(|(foot, (leg, angles))| *foot = leg.foot_in_body(angles));
        let count = engine.legs().len();
        let (feet, contacts) = (feet.get(..count).unwrap_or(&feet), tick.contacts.get(..count));
        // A sample at the time of the one before says nothing new.
        let _ = self.odometry.update(now, feet, contacts);
    }
}

/// A pose that leans as the IMU has it: feet that give way, and stand unevenly, say less of that.
fn upright(pose: &Isometry3<f64>, up_in_body: Option<Vector3<f64>>) -> Isometry3<f64> {
    let lean = up_in_body.and_then(|up| UnitQuaternion::rotation_between(&(pose.rotation * up), &Vector3::z()));
    Isometry3::from_parts(pose.translation, lean.unwrap_or_default() * pose.rotation)
}
