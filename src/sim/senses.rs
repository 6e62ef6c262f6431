//! What the planner receives of what the robot feels, as its node is by topics.

use crate::sim::sight::Seen;
use hexapod_dynamics::ImuReader;
use hexapod_gait::{Engine, Input};
use hexapod_kinematics::{MAX_LEGS, Model, Robot};
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
    seen: Option<Seen>,
}

impl Senses {
    /// It listens to none.
    pub fn none() -> Self {
        Self { switches: None, imu: None, seen: None }
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
        let up = self.up(plant, engine.robot().model(), now);
        let (world, imu) = (plant.simulator().world(), self.imu.as_mut().map(|(_, reader, _)| reader));
        let seen = self.seen.as_mut().map(|seen| seen.footholds(world, engine, now, imu));
        let twist = self.seen.as_mut().map_or(input.twist, |seen| seen.allowed(input.twist, dt));
        Input { twist, contacts, contacts_late, up, footholds: seen.unwrap_or(input.footholds), ..*input }
    }

    /// Whether it is held back from where it sees the ground drop away.
    pub fn is_at_brink(&self) -> bool {
        self.seen.as_ref().is_some_and(Seen::is_at_brink)
    }

    /// Which way is up in the body, as far as its IMU is to be believed.
    fn up(&mut self, plant: &Plant, model: &Model, now: Duration) -> Option<Vector3<f64>> {
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
