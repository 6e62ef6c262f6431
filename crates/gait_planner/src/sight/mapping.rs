//! The mapping thread: clouds and poses in, maps out.

use super::elevation::Elevation;
use super::exchange::{LastRefusal, Pose, Refusal, Seen};
use super::intake::Cloud;
use crate::control_watchdog::spawn;
use hexapod_gait::{Engine, size_of};
use hexapod_ros::{RosClock, RosError};
use hexapod_terrain::{Mapper, Taken};
use rtrb::Consumer;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Poses are kept for so long, which is more than clouds may be late.
const KEPT: Duration = Duration::from_secs(1);
/// A cloud was taken this near to a tick, or the loop did not tick then.
const NEAR: Duration = Duration::from_millis(60);
/// Poses are taken in at least so often.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// What to say of clouds in the frame of the body.
const NO_SENSOR: &str = "points come in the frame of the body: an edge with no bottom in sight is not noticed; give the URDF a \
                         link where the camera is, and publish them in it (depth_camera_link for the simulator)";
/// A cloud of which less counts is not of the ground, 1 in so many points.
const LEAST_OF: usize = 50;

/// The thread, which ends with this: it publishes, and publishers are to end before their node does.
pub(crate) struct MappingThread {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for MappingThread {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// Starts the thread; where clouds go.
pub(super) fn start(
    engine: &Engine,
    ends: (Consumer<Pose>, triple_buffer::Input<Seen>),
    mut elevation: Elevation,
    (clock, refusal): (&RosClock, &Arc<LastRefusal>),
) -> Result<(SyncSender<Cloud>, MappingThread), RosError> {
    let ((clouds, taken), over) = (sync_channel(1), Arc::new(AtomicBool::new(false)));
    let (clock, refusal, end) = (clock.clone(), Arc::clone(refusal), Arc::clone(&over));
    let mut mapping = Mapping::new(engine.clone(), ends);
    let thread = spawn("planner-map", move || {
        while !end.load(Ordering::Relaxed) && mapping.turn(&taken, &mut elevation, &refusal, &clock) {}
    })?;
    Ok((clouds, MappingThread { over, thread: Some(thread) }))
}

/// The map, and where the robot was lately.
struct Mapping {
    engine: Engine,
    mapper: Mapper,
    epoch: u32,
    poses: Consumer<Pose>,
    lately: VecDeque<Pose>,
    maps: triple_buffer::Input<Seen>,
    said_frame: bool,
}

impl Mapping {
    fn new(engine: Engine, (poses, maps): (Consumer<Pose>, triple_buffer::Input<Seen>)) -> Self {
        let mapper = Mapper::new(size_of(engine.robot()));
        Self { engine, mapper, epoch: 0, poses, lately: VecDeque::new(), maps, said_frame: false }
    }

    /// Takes in what comes within a while; false once no more clouds can come.
    fn turn(
        &mut self,
        clouds: &Receiver<Cloud>,
        elevation: &mut Elevation,
        refusal: &LastRefusal,
        clock: &RosClock,
    ) -> bool {
        let cloud = clouds.recv_timeout(LOOK_EVERY);
        self.take_poses();
        match cloud.as_ref().map(|cloud| self.take(cloud)) {
            Ok(Ok(pose)) => elevation.tell(self.mapper.map(), &pose.odom_from_body, clock.now()),
            Ok(Err(refused)) => refusal.set(refused),
            Err(_) => {}
        }
        !matches!(cloud, Err(RecvTimeoutError::Disconnected))
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
    fn take(&mut self, cloud: &Cloud) -> Result<Pose, Refusal> {
        let nearest = self.lately.iter().min_by_key(|pose| pose.at.abs_diff(cloud.at));
        let pose = *nearest.filter(|pose| pose.at.abs_diff(cloud.at) <= NEAR).ok_or(Refusal::NoPose)?;
        let Pose { angles, footprint_from_body, odom_from_body, .. } = pose;
        let odom_from_sensor = odom_from_body * cloud.body_from_sensor;
        let taken = Taken { angles: &angles, footprint_from_body, odom_from_body, odom_from_sensor };
        if !taken.is_from_sensor() && !std::mem::replace(&mut self.said_frame, true) {
            tracing::warn!("{NO_SENSOR}");
        }
        let counted = self.mapper.see(&self.engine, &cloud.points, &taken);
        if counted < cloud.points.len().div_ceil(LEAST_OF) {
            return Err(Refusal::NoGround);
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
