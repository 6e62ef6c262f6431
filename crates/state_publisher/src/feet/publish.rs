//! What is published of the feet: forces, contacts, and arrows for rviz.

use super::Feet;
use crate::messages::vector;
use hexapod_dynamics::{Contact, LegState, Source};
use hexapod_kinematics::Robot;
use hexapod_ros::bounds;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::{Point, Vector3 as Vector3Msg, WrenchStamped};
use hexapod_ros::r2r::std_msgs::msg::{ColorRGBA, MultiArrayDimension, UInt8MultiArray};
use hexapod_ros::r2r::visualization_msgs::msg::{Marker, MarkerArray};
use hexapod_ros::{Publisher, RosError, RosNode, SharedPublisher, warn_if_lost};
use hexapod_setup::Frames;
use nalgebra::{Isometry3, Vector3};
use std::time::Duration;

/// Arrows are so long per newton, m, that one with the weight of the robot is this long.
const ARROW_M: f64 = 0.15;
const ARROW: i32 = 0;
const DELETE: i32 = 2;

/// Where a leg's forces go; nowhere where its name is none for a topic.
struct Leg {
    estimated: Publisher<WrenchStamped>,
    predicted: Publisher<WrenchStamped>,
}

/// The publishers of all that concerns feet.
pub(crate) struct FeetPublishers {
    legs: Vec<Option<Leg>>,
    contacts: (SharedPublisher<UInt8MultiArray>, UInt8MultiArray),
    markers: Publisher<MarkerArray>,
    frame: String,
    base_from_root: Isometry3<f64>,
}

impl FeetPublishers {
    pub(crate) fn new(node: &mut RosNode, robot: &Robot, frames: &Frames) -> Result<Self, RosError> {
        let mut legs = vec![];
        for leg in robot.legs() {
            let name = leg.name();
            if !bounds::is_ros_name(name) {
                tracing::warn!("leg `{name}` has no topic for its force: {}", bounds::ROS_NAME);
                legs.push(None);
                continue;
            }
            let mut open = |topic: &str| node.publisher(&format!("{topic}/{name}"), QosProfile::default());
            legs.push(Some(Leg { estimated: open("foot_forces")?, predicted: open("predicted_foot_forces")? }));
        }
        let names: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
        Ok(Self {
            legs,
            contacts: (node.shared_publisher("sensed_contacts", QosProfile::default())?, blank_contacts(&names)),
            markers: node.publisher("markers", QosProfile::default())?,
            frame: frames.base(),
            base_from_root: frames.root_from_base().inverse(),
        })
    }

    /// Whether somebody listens to predictions.
    pub(crate) fn wants_predictions(&self) -> bool {
        self.markers.is_heard() || self.legs.iter().flatten().any(|leg| leg.predicted.is_heard())
    }

    /// Tells what has been sensed since the last time.
    pub(crate) fn publish_sensed(&mut self, feet: &mut Feet) {
        for (leg, news) in self.legs.iter().zip(feet.take_news()) {
            if let Some((leg, (force, stamp))) = leg.as_ref().filter(|leg| leg.estimated.is_heard()).zip(news) {
                warn_if_lost(leg.estimated.publish(&self.wrench(&force.force, stamp)));
            }
        }
        let (publisher, message) = &mut self.contacts;
        if feet.senses() {
            fill_contacts(message, feet.contacts());
            warn_if_lost(publisher.publish(message));
        }
    }

    /// Tells what is predicted at `stamp`, and draws what is known.
    pub(crate) fn publish_predicted(&self, feet: &Feet, places: &[Vector3<f64>], stamp: Duration, now: Duration) {
        let predicted = feet.predicted_forces(now);
        for (leg, force) in self.legs.iter().zip(predicted.iter().flatten()) {
            if let Some(leg) = leg.as_ref().filter(|leg| leg.predicted.is_heard()) {
                warn_if_lost(leg.predicted.publish(&self.wrench(force, stamp)));
            }
        }
        if self.markers.is_heard() {
            let forces =
                feet.forces(now).zip(predicted.map_or([None; hexapod_kinematics::MAX_LEGS], |all| all.map(Some)));
            let forces = forces.map(|(estimated, predicted)| match estimated {
                Some(force) => Some((force.force, Source::Estimated)),
                None => predicted.map(|force| (force, Source::Predicted)),
            });
            let arrows = forces.zip(places).enumerate().map(|(leg, (force, place))| {
                let mut marker = arrow(leg, force, place, &self.base_from_root, feet.weight_n);
                marker.header.frame_id.clone_from(&self.frame);
                marker.header.stamp = to_stamp(stamp);
                marker
            });
            warn_if_lost(self.markers.publish(&MarkerArray { markers: arrows.collect() }));
        }
    }

    fn wrench(&self, force: &Vector3<f64>, stamp: Duration) -> WrenchStamped {
        let mut message = WrenchStamped::default();
        message.header.stamp = to_stamp(stamp);
        message.header.frame_id.clone_from(&self.frame);
        message.wrench.force = vector(&(self.base_from_root.rotation * force));
        message
    }
}

/// A `sensed_contacts` message with the names of the legs.
pub(crate) fn blank_contacts(legs: &[&str]) -> UInt8MultiArray {
    let size = u32::try_from(legs.len()).unwrap_or_default();
    let dim = |label: String| MultiArrayDimension { label, size, stride: size };
    let mut message = UInt8MultiArray::default();
    message.layout.dim = vec![dim(legs.join(",")), dim(String::new())];
    message
}

/// Fills it: in the second label, what each contact rests on.
fn fill_contacts<'a>(message: &mut UInt8MultiArray, contacts: impl Iterator<Item = &'a Contact> + Clone) {
    message.data.clear();
    message.data.extend(contacts.clone().map(|contact| u8::from(contact.state == LegState::Support)));
    let source = |contact: &Contact| contact.source.unwrap_or(Source::Predicted).as_str();
    if let Some(dim) = message.layout.dim.get_mut(1) {
        dim.label = contacts.map(source).collect::<Vec<_>>().join(",");
    }
}

/// The arrow of a force on a foot: green where it was estimated, grey where it was predicted.
fn arrow(
    leg: usize,
    force: Option<(Vector3<f64>, Source)>,
    place: &Vector3<f64>,
    base_from_root: &Isometry3<f64>,
    weight_n: f64,
) -> Marker {
    let id = i32::try_from(leg).unwrap_or_default();
    let mut marker = Marker { ns: "foot_forces".into(), id, type_: ARROW, action: DELETE, ..Marker::default() };
    marker.pose.orientation.w = 1.0;
    let Some((force, source)) = force.filter(|(force, _)| force.norm() > 0.01 * weight_n) else { return marker };
    marker.action = 0;
    marker.lifetime.nanosec = 500_000_000;
    marker.scale = Vector3Msg { x: 0.006, y: 0.012, z: 0.015 };
    let (r, g, b) = if source == Source::Estimated { (0.1, 0.8, 0.3) } else { (0.6, 0.6, 0.6) };
    marker.color = ColorRGBA { r, g, b, a: 0.9 };
    marker.text = source.as_str().into();
    let tip = place + force * (ARROW_M / weight_n);
    marker.points = [*place, tip].iter().map(|at| base_from_root.transform_point(&(*at).into())).map(point).collect();
    marker
}

fn point(at: nalgebra::Point3<f64>) -> Point {
    Point { x: at.x, y: at.y, z: at.z }
}
