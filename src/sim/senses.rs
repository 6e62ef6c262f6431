//! What the planner receives of what the robot feels, as its node is by topics, and the odometry of `state_publisher`.

use crate::sim::sight::Seen;
use hexapod_dynamics::ImuReader;
use hexapod_gait::{Engine, Input};
use hexapod_kinematics::{MAX_LEGS, Model, Robot};
use hexapod_odometry::{Estimate, Odometry};
use nalgebra::Vector3;
use simulator::{FootSwitches, Imu, Plant, PointSensor};
use std::collections::VecDeque;
use std::time::Duration;

type Contacts = [Option<bool>; MAX_LEGS];

/// The sensors that the planner listens to.
pub struct Senses {
    switches: Option<Felt>,
    /// And the link it is on.
    imu: Option<(Imu, ImuReader, String)>,
    /// Which way is up in the body, as far as it is to be believed.
    up: Option<Vector3<f64>>,
    seen: Option<Seen>,
    odometry: Odometry,
}

impl Senses {
    /// Of a robot of so many legs that listens to none.
    pub fn none(legs: usize) -> Self {
        Self { switches: None, imu: None, up: None, seen: None, odometry: Odometry::new(legs) }
    }

    /// To switches under the feet, too, reported `late_s` seconds late to a planner of so many ticks per second.
    pub fn with_switches(self, switches: FootSwitches, late_s: f64, rate_hz: f64) -> Self {
        Self { switches: Some(Felt::new(switches, late_s, rate_hz)), ..self }
    }

    /// To an IMU, too.
    pub fn with_imu(self, imu: Imu, link: &str) -> Self {
        Self { imu: Some((imu, ImuReader::default(), link.to_owned())), ..self }
    }

    /// To a camera or a lidar, too, on whose map it chooses footholds.
    pub fn with_sight(self, sensors: Vec<PointSensor>, robot: &Robot) -> Self {
        Self { seen: Some(Seen::new(sensors, robot)), ..self }
    }

    /// The input of the next `dt` seconds with what the robot feels and sees now.
    pub fn tell(&mut self, plant: &Plant, engine: &Engine, (now, dt): (Duration, f64), input: &Input) -> Input {
        let (contacts, contacts_late) = match &mut self.switches {
            Some(felt) => (felt.read(plant), felt.late_s),
            None => ([None; MAX_LEGS], 0.0),
        };
        let (world, mut twist, mut footholds) = (plant.simulator().world(), input.twist, input.footholds);
        if let (Some(seen), Some(estimate)) = (&mut self.seen, self.odometry.last()) {
            footholds = seen.footholds(world, engine, now, &estimate.odom_from_body);
            twist = seen.allowed(input.twist, dt);
        }
        Input { twist, contacts, contacts_late, up: self.up, footholds, ..*input }
    }

    /// Goes on to `now`: odometry from the feet as they are commanded, as of a robot whose servos tell nothing, and from the IMU
    /// if there is one.
    pub fn follow(&mut self, plant: &Plant, engine: &Engine, now: Duration) {
        self.up = self.read_imu(plant, engine.robot().model(), now);
        if let Some((_, reader, _)) = &mut self.imu {
            self.odometry.sense_imu(reader, now);
        }
        let tick = engine.last();
        // A sample at the time of the one before says nothing new.
        let _ = self.odometry.update_joints(now, engine.legs(), &tick.angles, Some(&tick.contacts));
    }

    /// Where the robot is by that; none before it was followed.
    pub fn odometry(&self) -> Option<&Estimate> {
        self.odometry.last()
    }

    /// Whether it is held back from where it sees the ground drop away.
    pub fn is_at_brink(&self) -> bool {
        self.seen.as_ref().is_some_and(Seen::is_at_brink)
    }

    /// Which way is up in the body.
    fn read_imu(&mut self, plant: &Plant, model: &Model, now: Duration) -> Option<Vector3<f64>> {
        let (imu, reader, frame) = self.imu.as_mut()?;
        let read = imu.read(plant.simulator().world());
        reader.take(model, &read.sample(frame), now).ok()?;
        reader.up()
    }
}

/// What feet feel, reported as late as the planner takes it to be.
struct Felt {
    switches: FootSwitches,
    late_s: f64,
    /// The oldest first.
    reported: VecDeque<Contacts>,
    ticks_late: usize,
}

impl Felt {
    fn new(switches: FootSwitches, late_s: f64, rate_hz: f64) -> Self {
        Self { switches, late_s, reported: VecDeque::new(), ticks_late: (late_s * rate_hz).round() as usize }
    }

    fn read(&mut self, plant: &Plant) -> Contacts {
        let mut contacts = [None; MAX_LEGS];
        let closed = self.switches.read(plant.simulator().world());
        contacts.iter_mut().zip(closed).for_each(|(contact, &closed)| *contact = Some(closed));
        self.reported.push_back(contacts);
        if self.reported.len() > self.ticks_late {
            self.reported.pop_front().unwrap_or(contacts)
        } else {
            [None; MAX_LEGS]
        }
    }
}
