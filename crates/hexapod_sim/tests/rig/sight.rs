//! A robot that sees the ground with a depth camera, and knows where it is.

use super::shipped::config;
use hexapod_gait::{Engine, Foothold};
use hexapod_kinematics::MAX_LEGS;
use hexapod_sim::{DepthCamera, World};
use hexapod_terrain::{Planning, Sensor, Sight};

pub struct Seeing {
    camera: DepthCamera,
    sight: Sight,
    points: Vec<[f32; 3]>,
    next_s: f64,
    period_s: f64,
}

impl Seeing {
    pub fn new(world: &World, seed: u64) -> Self {
        let model = config("").depth_camera;
        Self {
            camera: DepthCamera::new(model, None, world, seed),
            sight: Sight::new(Sensor::default(), Planning::default()),
            points: Vec::new(),
            next_s: world.time_s(),
            period_s: model.rate_hz.recip(),
        }
    }

    pub fn footholds(&mut self, engine: &Engine, world: &World) -> [Option<Foothold>; MAX_LEGS] {
        let base = world.base();
        if world.time_s() >= self.next_s {
            self.next_s += self.period_s;
            self.camera.read(world, &mut self.points);
            self.sight.see(engine, &self.points, &base, &self.camera.pose(world));
        }
        self.sight.footholds(engine, &base)
    }
}
