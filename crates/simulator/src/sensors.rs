//! What the robot's sensors tell: `imu/data`, `foot_switches`, `points` and `battery`, as those of a real robot would.

use crate::messages::{quaternion, vector};
use crate::plant::Plant;
use crate::setup::Setup;
use hexapod_ros::clock::to_stamp;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::{BatteryState, Imu as ImuMessage, PointCloud2};
use hexapod_ros::r2r::std_msgs::msg::{MultiArrayDimension, UInt8MultiArray};
use hexapod_ros::{Publisher, RosError, RosNode, blank_cloud, clear_points, push_point, warn_if_lost};
use hexapod_setup::Frames;
use hexapod_sim::{FootSwitches, Imu, ImuReading, PointSensor, World};
use nalgebra::Point3;
use std::time::Duration;

/// Batteries are reported this often.
const BATTERY_PERIOD: Duration = Duration::from_secs(1);

/// The sensors and their publishers.
pub(crate) struct SensorTopics {
    imu: (Publisher<ImuMessage>, Imu, ImuMessage),
    switches: (Publisher<UInt8MultiArray>, FootSwitches, UInt8MultiArray),
    battery: (Publisher<BatteryState>, BatteryState, Charge),
    points: PointsTopic,
}

/// Camera and lidar, and their topic, each in the frame of its link.
struct PointsTopic {
    publisher: Publisher<PointCloud2>,
    sensors: Vec<(PointSensor, PointCloud2)>,
    seen: Vec<[f32; 3]>,
}

/// What was left in the battery when it was reported last.
#[derive(Clone, Copy, Debug, Default)]
struct Charge {
    reported: Duration,
    /// In simulated time, s.
    at_s: f64,
    left_ah: f64,
}

impl SensorTopics {
    pub(crate) fn new(node: &mut RosNode, setup: &Setup, plant: &Plant, frames: &Frames) -> Result<Self, RosError> {
        let (config, world, robot) = (&setup.config, plant.simulator().world(), &setup.description.robot);
        let mut imu = ImuMessage::default();
        imu.header.frame_id = frames.name(setup.imu_link());
        let legs: Vec<&str> = robot.legs().iter().map(|leg| leg.name()).collect();
        let size = u32::try_from(legs.len()).unwrap_or_default();
        let mut switches = UInt8MultiArray::default();
        switches.layout.dim = vec![MultiArrayDimension { label: legs.join(","), size, stride: size }];
        let capacity = config.battery.capacity_ah as f32;
        let unknown = f32::NAN;
        let battery = BatteryState {
            temperature: unknown,
            design_capacity: capacity,
            capacity,
            power_supply_status: 2,
            present: true,
            ..BatteryState::default()
        };
        Ok(Self {
            imu: (node.publisher("imu/data", QosProfile::default())?, setup.imu(world), imu),
            switches: (node.publisher("foot_switches", QosProfile::default())?, setup.switches(), switches),
            points: PointsTopic::open(node, setup, world, frames)?,
            battery: (node.publisher("battery", QosProfile::default())?, battery, Charge::default()),
        })
    }

    /// Reads all sensors, heard or not, so that their noise is the same, and tells what they say.
    pub(crate) fn tell(&mut self, plant: &Plant, now: Duration) {
        let world = plant.simulator().world();
        let (publisher, imu, message) = &mut self.imu;
        message.header.stamp = to_stamp(now);
        fill(message, &imu.read(world));
        warn_if_lost(publisher.publish(message));
        let (publisher, switches, message) = &mut self.switches;
        message.data.clear();
        message.data.extend(switches.read(world).iter().map(|&closed| u8::from(closed)));
        warn_if_lost(publisher.publish(message));
        self.tell_battery(plant, now);
        self.points.tell(world, now);
    }

    fn tell_battery(&mut self, plant: &Plant, now: Duration) {
        let (publisher, message, last) = &mut self.battery;
        if now.saturating_sub(last.reported) < BATTERY_PERIOD {
            return;
        }
        let supply = plant.simulator().supply();
        let charge = Charge { reported: now, at_s: plant.simulator().world().time_s(), left_ah: supply.charge_ah() };
        let hours = (charge.at_s - last.at_s) / 3600.0;
        // The mean since the message before: servos draw in bursts.
        let is_first = last.reported.is_zero() || hours <= 0.0;
        let current = if is_first { supply.current() } else { (last.left_ah - charge.left_ah) / hours };
        *last = charge;
        message.header.stamp = to_stamp(now);
        message.voltage = supply.volts() as f32;
        // A battery that is emptied has a negative current (sensor_msgs/BatteryState).
        message.current = -current as f32;
        message.charge = supply.charge_ah() as f32;
        message.percentage = (supply.charge_ah() / supply.battery().capacity_ah) as f32;
        warn_if_lost(publisher.publish(message));
    }
}

impl PointsTopic {
    fn open(node: &mut RosNode, setup: &Setup, world: &World, frames: &Frames) -> Result<Self, RosError> {
        let with_message = |sensor: PointSensor| {
            let mut message = blank_cloud(&["x", "y", "z"]);
            message.header.frame_id = frames.name(setup.link(sensor.link()));
            (sensor, message)
        };
        let sensors = setup.point_sensors(world).into_iter().map(with_message).collect();
        Ok(Self { publisher: node.publisher("points", QosProfile::default())?, sensors, seen: Vec::new() })
    }

    /// Takes the clouds that are due and publishes them if somebody listens: thousands of rays take their time.
    fn tell(&mut self, world: &World, now: Duration) {
        if !self.publisher.is_wanted() {
            return;
        }
        for (sensor, message) in &mut self.sensors {
            if !sensor.is_due(Duration::from_secs_f64(world.time_s())) {
                continue;
            }
            sensor.read(world, &mut self.seen);
            clear_points(message);
            for point in &self.seen {
                let in_link = sensor.model().link_from_sensor * Point3::from(point.map(f64::from));
                push_point(message, &[in_link.x, in_link.y, in_link.z].map(|value| value as f32));
            }
            message.header.stamp = to_stamp(now);
            warn_if_lost(self.publisher.publish(message));
        }
    }
}

fn fill(message: &mut ImuMessage, reading: &ImuReading) {
    message.orientation = quaternion(&reading.orientation);
    message.orientation_covariance = reading.orientation_covariance.to_vec();
    message.angular_velocity = vector(&reading.angular_velocity);
    message.angular_velocity_covariance = reading.angular_velocity_covariance.to_vec();
    message.linear_acceleration = vector(&reading.linear_acceleration);
    message.linear_acceleration_covariance = reading.linear_acceleration_covariance.to_vec();
}
