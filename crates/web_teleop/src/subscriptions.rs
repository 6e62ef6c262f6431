//! The robot's topics, listened to while a client is connected.

use crate::description::SharedDescription;
use crate::elevation::SharedElevation;
use crate::heard::Heard;
use crate::recording::{Recorder, Topic};
use hexapod_ros::r2r::diagnostic_msgs::msg::DiagnosticArray;
use hexapod_ros::r2r::geometry_msgs::msg::Twist;
use hexapod_ros::r2r::nav_msgs::msg::Odometry;
use hexapod_ros::r2r::rcl_interfaces::msg::Log;
use hexapod_ros::r2r::sensor_msgs::msg::{BatteryState, CompressedImage, JointState, PointCloud2};
use hexapod_ros::r2r::std_msgs::msg::{String as StringMsg, UInt8MultiArray};
use hexapod_ros::r2r::tf2_msgs::msg::TFMessage;
use hexapod_ros::r2r::visualization_msgs::msg::MarkerArray;
use hexapod_ros::r2r::{QosProfile, WrappedTypesupport};
use hexapod_ros::realtime::priority;
use hexapod_ros::{Lane, LaneOpener, OpenLane, RosError, qos};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What handlers write to. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Subscriptions {
    pub heard: Arc<Mutex<Heard>>,
    pub shared_description: SharedDescription,
    pub elevation: SharedElevation,
    pub recorder: Recorder,
}

impl Subscriptions {
    /// Listens until what is returned is dropped; `None` if the node is gone.
    pub fn listen(&self, opener: &LaneOpener) -> Result<Option<OpenLane>, RosError> {
        opener.open("web-hear", priority::MESSAGES, |lane| self.fill(lane))
    }

    /// Listens to what only a recording is made of.
    pub fn listen_to_frames(&self, opener: &LaneOpener) -> Result<Option<OpenLane>, RosError> {
        let each = || QosProfile::default().keep_last(100);
        opener.open("web-frames", priority::MESSAGES, |lane| {
            self.take(lane, "/tf", each(), Topic::Tf, |_: &TFMessage, _| ())?;
            self.take(lane, "/tf_static", each().transient_local(), Topic::TfStatic, |_: &TFMessage, _| ())?;
            self.take(lane, "markers", QosProfile::default(), Topic::Markers, |_: &MarkerArray, _| ())
        })
    }

    /// Listens to the map of the ground and the footholds on it.
    pub fn listen_to_ground(&self, opener: &LaneOpener) -> Result<Option<OpenLane>, RosError> {
        opener.open("web-ground", priority::MESSAGES, |lane| {
            let (heard, elevation) = (Arc::clone(&self.heard), self.elevation.clone());
            let newest = || QosProfile::default().keep_last(1).best_effort();
            lane.subscribe_from("elevation", newest(), move |map: PointCloud2, from| {
                let pose = heard.lock().unwrap_or_else(PoisonError::into_inner).pose_of(&map.header.frame_id);
                if let Some(pose) = pose {
                    elevation.take(&map, &pose, from.at);
                }
            })?;
            let heard = Arc::clone(&self.heard);
            lane.subscribe_from("markers", newest(), move |markers: MarkerArray, from| {
                heard.lock().unwrap_or_else(PoisonError::into_inner).take_markers(&markers, from.at);
            })
        })
    }

    /// Begins a recording, with what was said before and is not said again, or ends it.
    pub fn record(&self, on: bool, now: Duration) -> io::Result<()> {
        if !on {
            self.recorder.stop(now);
            return Ok(());
        }
        self.recorder.start(now)?;
        let state = self.heard.lock().unwrap_or_else(PoisonError::into_inner).gait_state().to_owned();
        self.recorder.put(Topic::GaitState, &StringMsg { data: state });
        if let Some(description) = self.shared_description.description() {
            let data = String::from_utf8_lossy(&description.text).into_owned();
            self.recorder.put(Topic::RobotDescription, &StringMsg { data });
        }
        Ok(())
    }

    fn fill(&self, lane: &mut Lane<'_>) -> Result<(), RosError> {
        let latched = || QosProfile::default().keep_last(1).transient_local();
        let each = || QosProfile::default().keep_last(50).best_effort();
        self.hear(lane, "joint_states", qos::stream(), Topic::JointStates, |heard, m: &JointState, at| {
            heard.take_joints(m, at);
        })?;
        self.hear(lane, "odom", qos::stream(), Topic::Odom, |heard, m: &Odometry, at| heard.take_odom(m, at))?;
        self.hear(lane, "foot_contacts", qos::stream(), Topic::FootContacts, |heard, m: &UInt8MultiArray, at| {
            heard.take_contacts(m, at);
        })?;
        self.hear(lane, "commanded_twist", qos::stream(), Topic::CommandedTwist, |heard, m: &Twist, at| {
            heard.take_twist(m, at);
        })?;
        self.hear(lane, "gait_state", latched(), Topic::GaitState, |heard, m: &StringMsg, at| {
            heard.take_gait_state(&m.data, at);
        })?;
        self.hear(lane, "gaits", latched(), Topic::Gaits, |heard, m: &StringMsg, _| heard.take_gaits(&m.data))?;
        self.hear(lane, "motions", latched(), Topic::Motions, |heard, m: &StringMsg, _| heard.take_motions(&m.data))?;
        self.hear(lane, "/diagnostics", each(), Topic::Diagnostics, |heard, m: &DiagnosticArray, at| {
            heard.take_diagnostics(m, at);
        })?;
        self.hear(lane, "motion_status", latched(), Topic::MotionStatus, |heard, m: &DiagnosticArray, _| {
            heard.take_motion(m);
        })?;
        self.hear(lane, "battery", qos::stream(), Topic::Battery, |heard, m: &BatteryState, _| heard.take_battery(m))?;
        self.hear(lane, "/rosout", each(), Topic::Rosout, |heard, m: &Log, at| heard.take_log(m, at))?;
        let shared_description = self.shared_description.clone();
        let newest = QosProfile::default().keep_last(1).best_effort();
        self.take(lane, "image_raw/compressed", newest, Topic::Camera, move |m: &CompressedImage, at| {
            shared_description.take_picture(&m.data, at);
        })?;
        let shared_description = self.shared_description.clone();
        self.take(lane, "robot_description", latched(), Topic::RobotDescription, move |m: &StringMsg, _| {
            shared_description.take_description(&m.data);
        })
    }

    fn hear<T: WrappedTypesupport + Send + 'static>(
        &self,
        lane: &mut Lane<'_>,
        topic: &str,
        qos: QosProfile,
        recorded: Topic,
        take: fn(&mut Heard, &T, Duration),
    ) -> Result<(), RosError> {
        let heard = Arc::clone(&self.heard);
        self.take(lane, topic, qos, recorded, move |message: &T, at| {
            take(&mut heard.lock().unwrap_or_else(PoisonError::into_inner), message, at);
        })
    }

    fn take<T: WrappedTypesupport + Send + 'static>(
        &self,
        lane: &mut Lane<'_>,
        topic: &str,
        qos: QosProfile,
        recorded: Topic,
        take: impl Fn(&T, Duration) + Clone + Send + 'static,
    ) -> Result<(), RosError> {
        let recorder = self.recorder.clone();
        lane.subscribe_from(topic, qos, move |message: T, from| {
            take(&message, from.at);
            recorder.put(recorded, &message);
        })
    }
}
