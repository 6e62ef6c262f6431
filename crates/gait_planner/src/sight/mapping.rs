//! The mapping thread: clouds and poses in, maps out.

use super::elevation::Elevation;
use super::exchange::{POINTS, Pose, Seen};
use super::intake::Cloud;
use crate::control_watchdog::spawn;
use crate::inbox::Inbox;
use hexapod_gait::{Engine, size_of};
use hexapod_ros::{RosClock, RosError};
use hexapod_terrain::Mapper;
use rtrb::Consumer;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Poses are kept for so long, which is more than clouds may be late.
const KEPT: Duration = Duration::from_secs(1);
/// A cloud was taken this near to a tick, or the loop did not tick then.
const NEAR: Duration = Duration::from_millis(60);
/// Poses are taken in at least so often.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A cloud of which less counts is not of the ground, 1 in so many points.
const LEAST_OF: usize = 50;

/// Starts the thread; it ends when the sender is gone.
pub(super) fn start(
    engine: &Engine,
    ends: (Consumer<Pose>, triple_buffer::Input<Seen>),
    elevation: Elevation,
    inbox: &Inbox,
    clock: &RosClock,
) -> Result<SyncSender<Cloud>, RosError> {
    let (clouds, taken) = sync_channel(1);
    let (engine, inbox, clock) = (engine.clone(), inbox.clone(), clock.clone());
    let mut mapping = Mapping::new(engine, ends);
    spawn("planner-map", move || mapping.run(&taken, elevation, &inbox, &clock))?;
    Ok(clouds)
}

/// The map, and where the robot was lately.
struct Mapping {
    engine: Engine,
    mapper: Mapper,
    epoch: u32,
    poses: Consumer<Pose>,
    lately: VecDeque<Pose>,
    maps: triple_buffer::Input<Seen>,
}

impl Mapping {
    fn new(engine: Engine, (poses, maps): (Consumer<Pose>, triple_buffer::Input<Seen>)) -> Self {
        let mapper = Mapper::new(size_of(engine.robot()));
        Self { engine, mapper, epoch: 0, poses, lately: VecDeque::new(), maps }
    }

    fn run(&mut self, clouds: &Receiver<Cloud>, mut elevation: Elevation, inbox: &Inbox, clock: &RosClock) {
        loop {
            let cloud = clouds.recv_timeout(LOOK_EVERY);
            self.take_poses();
            match cloud {
                Ok(cloud) => match self.take(&cloud) {
                    Ok(pose) => elevation.tell(self.mapper.map(), &pose.odom_from_body, clock.now()),
                    Err(reason) => inbox.reject(POINTS, reason),
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn take_poses(&mut self) {
        while let Ok(pose) = self.poses.pop() {
            if pose.epoch != self.epoch || self.lately.back().is_some_and(|last| pose.at < last.at) {
                self.lately.clear();
                self.mapper.forget();
                self.epoch = pose.epoch;
            }
            while self.lately.front().is_some_and(|first| pose.at.saturating_sub(first.at) > KEPT) {
                self.lately.pop_front();
            }
            self.lately.push_back(pose);
        }
    }

    /// Adds a cloud to the map; where the robot was then.
    fn take(&mut self, cloud: &Cloud) -> Result<Pose, &'static str> {
        let nearest = self.lately.iter().min_by_key(|pose| pose.at.abs_diff(cloud.at));
        let pose = *nearest
            .filter(|pose| pose.at.abs_diff(cloud.at) <= NEAR)
            .ok_or("where the robot was when the cloud was taken is not known")?;
        let odom_from_sensor = pose.odom_from_body * cloud.body_from_sensor;
        let robot = (&self.engine, &pose.angles);
        let counted = self.mapper.see(robot, &cloud.points, &pose.odom_from_body, &odom_from_sensor);
        if counted < cloud.points.len().div_ceil(LEAST_OF) {
            return Err(
                "hardly a point of the cloud can be of the ground about the robot: look at the sensor's link in the \
                        URDF, its frame_id and its view",
            );
        }
        let seen = self.maps.input_buffer_mut();
        seen.map.clone_from(self.mapper.map());
        (seen.epoch, seen.at) = (pose.epoch, Some(cloud.at));
        self.maps.publish();
        Ok(pose)
    }
}

#[cfg(test)]
mod tests;
