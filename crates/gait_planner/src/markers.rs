//! Feet, footholds, support polygon and centre of mass for rviz.

use hexapod_gait::{Balance, Foothold, Standing, Tick};
use hexapod_kinematics::Robot;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::{Point, Vector3 as Vector3Msg};
use hexapod_ros::r2r::std_msgs::msg::ColorRGBA;
use hexapod_ros::r2r::visualization_msgs::msg::{Marker, MarkerArray};
use hexapod_ros::{Publisher, RosError, RosNode, warn_if_lost};
use hexapod_setup::Frames;
use nalgebra::{Isometry3, Point3, Vector3};
use std::sync::Arc;
use std::time::Duration;

/// The publisher of `markers`, all in the body's frame.
pub struct Markers {
    publisher: Publisher<MarkerArray>,
    frame: String,
    base_from_root: Isometry3<f64>,
    balance: Balance,
    legs: usize,
}

/// The namespace of the marker of footholds; all others have another.
const FOOTHOLDS: &str = "footholds";
const SPHERE: i32 = 2;
const LINE_STRIP: i32 = 4;
const SPHERE_LIST: i32 = 7;
const TEXT: i32 = 9;

impl Markers {
    /// Opens the topic.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn new(node: &mut RosNode, robot: &Arc<Robot>, frames: &Frames) -> Result<Self, RosError> {
        let frames = frames.clone().in_namespace(&node.namespace());
        Ok(Self {
            publisher: node.publisher("markers", QosProfile::default())?,
            frame: frames.base(),
            base_from_root: frames.root_from_base().inverse(),
            balance: Balance::new(robot),
            legs: robot.legs().len(),
        })
    }

    /// Publishes a tick's markers and returns the stability margin, m.
    pub fn publish(&self, tick: &Tick, footholds: &[Option<Foothold>], stamp: Duration) -> f64 {
        let standing = self.balance.of(tick);
        if self.publisher.is_wanted() {
            self.draw(tick, &standing, footholds, stamp);
        }
        standing.margin
    }

    fn draw(&self, tick: &Tick, standing: &Standing, footholds: &[Option<Foothold>], stamp: Duration) {
        let legs = self.legs;
        let (centre, polygon, margin) = (standing.centre, &standing.support, standing.margin);
        let base_from_footprint = self.base_from_root * tick.footprint_from_body.inverse();
        let mut array = MarkerArray::default();
        let mut add = |kind: i32, width: f64, colour: [f32; 4], points: Vec<Vector3<f64>>, text: String| {
            let id = i32::try_from(array.markers.len()).unwrap_or_default();
            let mut marker = marker(id, Shape { kind, width, colour, points, text }, &base_from_footprint);
            marker.header.frame_id.clone_from(&self.frame);
            marker.header.stamp = to_stamp(stamp);
            array.markers.push(marker);
        };
        let feet = |wanted: bool| (0..legs).filter(move |&leg| tick.contacts[leg] == wanted).map(|leg| tick.feet[leg]);
        add(SPHERE_LIST, 0.016, [0.1, 0.5, 0.9, 1.0], feet(true).collect(), String::new());
        add(SPHERE_LIST, 0.012, [1.0, 0.6, 0.1, 0.8], feet(false).collect(), String::new());
        let corners = polygon.corners().iter().chain(polygon.corners().first());
        add(
            LINE_STRIP,
            0.003,
            [0.1, 0.5, 0.9, 0.7],
            corners.map(|c| Vector3::new(c.x, c.y, 0.0)).collect(),
            String::new(),
        );
        add(SPHERE, 0.014, [0.9, 0.1, 0.3, 1.0], vec![Vector3::new(centre.x, centre.y, 0.0)], String::new());
        let text = if margin.is_finite() { format!("margin {:.0} mm", margin * 1000.0) } else { "no support".into() };
        add(TEXT, 0.03, [1.0, 1.0, 1.0, 1.0], vec![Vector3::new(0.0, 0.0, 0.25)], text);
        if let Some(turning) = tick.twist.turning_centre().filter(|centre| centre.norm() < 5.0) {
            add(SPHERE, 0.02, [0.6, 0.2, 0.8, 1.0], vec![Vector3::new(turning.x, turning.y, 0.0)], String::new());
        }
        if footholds.iter().any(Option::is_some) {
            let chosen = footholds.iter().flatten().map(|foothold| foothold.at).collect();
            add(SPHERE_LIST, 0.014, [0.2, 0.8, 0.3, 1.0], chosen, String::new());
            if let Some(marker) = array.markers.last_mut() {
                marker.ns = FOOTHOLDS.into();
            }
        }
        warn_if_lost(self.publisher.publish(&array));
    }
}

struct Shape {
    kind: i32,
    width: f64,
    colour: [f32; 4],
    points: Vec<Vector3<f64>>,
    text: String,
}

fn marker(id: i32, shape: Shape, base_from_footprint: &Isometry3<f64>) -> Marker {
    let mut marker = Marker { ns: "gait".into(), id, type_: shape.kind, text: shape.text, ..Marker::default() };
    marker.scale = Vector3Msg { x: shape.width, y: shape.width, z: shape.width };
    let [r, g, b, a] = shape.colour;
    marker.color = ColorRGBA { r, g, b, a };
    marker.pose.orientation.w = 1.0;
    marker.lifetime.nanosec = 500_000_000;
    let points = shape.points.iter().map(|point| base_from_footprint.transform_point(&Point3::from(*point)));
    let mut points = points.map(|p| Point { x: p.x, y: p.y, z: p.z });
    if matches!(shape.kind, SPHERE | TEXT) {
        if let Some(at) = points.next() {
            marker.pose.position = at;
        }
    } else {
        marker.points = points.collect();
    }
    marker
}
