//! What is published of the robot in physics: its clock, the truth, and what its sensors say.

use crate::messages::{pose, vector};
use crate::plant::Plant;
use crate::sensors::SensorTopics;
use crate::setup::Setup;
use crate::terrain;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::{TransformStamped, WrenchStamped};
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::rosgraph_msgs::msg::Clock;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use hexapod_ros::r2r::tf2_msgs::msg::TFMessage;
use hexapod_ros::r2r::visualization_msgs::msg::MarkerArray;
use hexapod_ros::{Publisher, RosClock, RosError, RosNode, SharedPublisher, bounds, warn_if_lost};
use hexapod_sim::TruePace;
use nalgebra::Isometry3;
use std::time::Duration;

/// The terrain is drawn this often, for those who come later.
const TERRAIN_PERIOD: Duration = Duration::from_secs(1);

/// The publishers, and messages that are kept and filled anew.
pub(crate) struct Teller {
    clock: Publisher<Clock>,
    stamps: RosClock,
    joints: (SharedPublisher<JointState>, JointState),
    odometry: (Publisher<Odometry>, Odometry, TruePace),
    /// A topic for each leg whose name can be one.
    forces: Vec<Option<Publisher<WrenchStamped>>>,
    markers: (Publisher<MarkerArray>, MarkerArray, Duration),
    world_frame: String,
    /// Kept, so that those who come later hear it, too.
    _fixed: Option<Publisher<TFMessage>>,
    sensors: SensorTopics,
    base_frame: String,
    root_from_base: Isometry3<f64>,
}

impl Teller {
    pub(crate) fn new(node: &mut RosNode, setup: &Setup, plant: &Plant) -> Result<Self, RosError> {
        let robot = &setup.description.robot;
        let frames = setup.frames.clone().in_namespace(&node.namespace());
        let world_frame = frames.name(&setup.world_frame);
        let mut forces = Vec::new();
        for leg in robot.legs() {
            let topic = format!("foot_forces_true/{}", leg.name());
            let known = bounds::is_ros_name(leg.name());
            forces.push(known.then(|| node.publisher(&topic, QosProfile::default())).transpose()?);
        }
        let odom_frame = setup.odom_frame.as_ref().map(|odom| frames.name(odom));
        let fixed = odom_frame.map(|odom| tell_odometry(node, &world_frame, &odom)).transpose()?;
        let sensors = SensorTopics::new(node, setup, plant, &frames)?;
        let mut odometry = Odometry { child_frame_id: frames.base(), ..Odometry::default() };
        odometry.header.frame_id.clone_from(&world_frame);
        odometry.pose.covariance = vec![0.0; 36];
        odometry.twist.covariance = vec![0.0; 36];
        let pace = TruePace::new(plant.simulator().world(), *frames.root_from_base());
        let names = plant.simulator().joints().to_vec();
        let blank = vec![0.0; names.len()];
        let joints = JointState {
            name: names,
            position: blank.clone(),
            velocity: blank.clone(),
            effort: blank,
            ..JointState::default()
        };
        Ok(Self {
            clock: node.publisher("/clock", QosProfile::default().keep_last(10))?,
            stamps: node.stamps(),
            joints: (node.shared_publisher("joint_states_true", QosProfile::default())?, joints),
            odometry: (node.publisher("odom_true", QosProfile::default())?, odometry, pace),
            forces,
            markers: (
                node.publisher("markers", QosProfile::default())?,
                terrain::markers(&setup.ground(), &world_frame),
                Duration::ZERO,
            ),
            _fixed: fixed,
            world_frame,
            sensors,
            base_frame: frames.base(),
            root_from_base: *frames.root_from_base(),
        })
    }

    /// Tells the simulated time, by which the nodes go that were set to.
    pub(crate) fn tell_time(&self, time: Duration) {
        self.stamps.set(time);
        warn_if_lost(self.clock.publish(&Clock { clock: to_stamp(time) }));
    }

    /// The time by which messages are dated.
    pub(crate) fn now(&self) -> Duration {
        self.stamps.now()
    }

    /// What messages of this simulated time are dated, which was `real` on the system's clock.
    pub(crate) fn stamp(&self, simulated: Duration, real: Duration) -> Duration {
        if matches!(self.stamps, RosClock::Simulated(_)) { simulated } else { real }
    }

    /// Tells how the robot was at this time.
    pub(crate) fn tell(&mut self, plant: &Plant, now: Duration) {
        self.tell_truth(plant, now);
        self.tell_forces(plant, now);
        self.sensors.tell(plant, now);
        let (publisher, markers, reported) = &mut self.markers;
        if now.saturating_sub(*reported) >= TERRAIN_PERIOD && publisher.is_heard() {
            *reported = now;
            terrain::stamp(markers, now);
            warn_if_lost(publisher.publish(markers));
            let mut patches = terrain::patches(plant.patches(), &self.world_frame);
            if !patches.markers.is_empty() {
                terrain::stamp(&mut patches, now);
                warn_if_lost(publisher.publish(&patches));
            }
        }
    }

    /// Tells where the robot and its joints truly were at this time. Forces and sensors take a step to follow.
    pub(crate) fn tell_truth(&mut self, plant: &Plant, now: Duration) {
        self.tell_joints(plant, now);
        self.tell_place(plant, now);
    }

    fn tell_joints(&mut self, plant: &Plant, now: Duration) {
        let (publisher, message) = &mut self.joints;
        let world = plant.simulator().world();
        message.header.stamp = to_stamp(now);
        for hinge in 0..message.position.len() {
            message.position[hinge] = world.position(hinge);
            message.velocity[hinge] = world.speed(hinge);
            message.effort[hinge] = world.effort(hinge);
        }
        warn_if_lost(publisher.publish(message));
    }

    /// Pose in the world, mean velocity since the message before in the frame of the body (REP-105, nav_msgs/Odometry).
    fn tell_place(&mut self, plant: &Plant, now: Duration) {
        let (publisher, message, pace) = &mut self.odometry;
        let world = plant.simulator().world();
        let place = world.base() * self.root_from_base;
        let moves = pace.read(world);
        message.header.stamp = to_stamp(now);
        message.pose.pose = pose(&place);
        message.twist.twist.linear = vector(&moves.linear);
        message.twist.twist.angular = vector(&moves.angular);
        warn_if_lost(publisher.publish(message));
    }

    /// Forces of the ground on the feet, as `foot_forces` tells of estimated ones.
    fn tell_forces(&mut self, plant: &Plant, now: Duration) {
        let world = plant.simulator().world();
        let base_from_root = self.root_from_base.rotation.inverse();
        for (leg, publisher) in self.forces.iter().enumerate() {
            let Some(publisher) = publisher.as_ref().filter(|publisher| publisher.is_heard()) else { continue };
            let mut message = WrenchStamped::default();
            message.header.stamp = to_stamp(now);
            message.header.frame_id.clone_from(&self.base_frame);
            message.wrench.force = vector(&(base_from_root * world.foot_force_in_base(leg)));
            warn_if_lost(publisher.publish(&message));
        }
    }
}

/// Tells where odometry starts in the world: at its origin. From there it drifts, and the robot with it.
fn tell_odometry(node: &mut RosNode, world: &str, odom: &str) -> Result<Publisher<TFMessage>, RosError> {
    let publisher = node.publisher("/tf_static", QosProfile::default().keep_last(1).transient_local())?;
    let mut transform = TransformStamped { child_frame_id: odom.into(), ..TransformStamped::default() };
    transform.header.frame_id = world.into();
    transform.transform.rotation.w = 1.0;
    warn_if_lost(publisher.publish(&TFMessage { transforms: vec![transform] }));
    Ok(publisher)
}
