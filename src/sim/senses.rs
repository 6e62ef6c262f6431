//! What the planner receives of what the robot feels, as its node is by topics, and the odometry of `state_publisher`.

use crate::sim::monitor::Monitor;
use crate::sim::sight::Seen;
use hexapod_dynamics::{Condition, ImuReader};
use hexapod_gait::{Engine, Input};
use hexapod_kinematics::{MAX_LEGS, Robot};
use hexapod_odometry::{Estimate, Odometry};
use nalgebra::Vector3;
use simulator::{FootSwitches, Imu, Plant, PointSensor};
use std::collections::VecDeque;
use std::time::Duration;

type Contacts = [Option<bool>; MAX_LEGS];

/// The sensors of the robot, and which of them the planner listens to.
pub struct Senses {
    switches: Felt,
    follows_switches: bool,
    /// And the link it is on.
    imu: (Imu, String),
    /// That of a planner which listens to the IMU.
    reader: Option<ImuReader>,
    /// Which way is up in the body, as far as it is to be believed.
    up: Option<Vector3<f64>>,
    seen: Option<Seen>,
    odometry: Odometry,
    monitor: Monitor,
}

impl Senses {
    /// Of a robot with such switches and an IMU on this link, of a planner that listens to neither.
    pub fn new(switches: Felt, imu: (Imu, &str), engine: &Engine) -> Self {
        Self {
            switches,
            follows_switches: false,
            imu: (imu.0, imu.1.to_owned()),
            reader: None,
            up: None,
            seen: None,
            odometry: Odometry::new(engine.legs().len()),
            monitor: Monitor::new(engine),
        }
    }

    /// Of one that listens to the switches, to the IMU.
    pub fn listening(self, to_switches: bool, to_imu: bool) -> Self {
        Self { follows_switches: to_switches, reader: to_imu.then(ImuReader::default), ..self }
    }

    /// To a camera or a lidar, too, on whose map it chooses footholds.
    pub fn with_sight(self, sensors: Vec<PointSensor>, robot: &Robot) -> Self {
        Self { seen: Some(Seen::new(sensors, robot)), ..self }
    }

    /// The input of the next `dt` seconds with what the robot feels and sees now.
    pub fn tell(&mut self, plant: &Plant, engine: &Engine, (now, dt): (Duration, f64), input: &Input) -> Input {
        let felt = self.switches.read(plant);
        self.monitor.feel(felt, now);
        let (contacts, contacts_late) =
            if self.follows_switches { (felt, self.switches.late_s) } else { ([None; MAX_LEGS], 0.0) };
        let (world, mut twist, mut footholds) = (plant.simulator().world(), input.twist, input.footholds);
        if let (Some(seen), Some(estimate)) = (&mut self.seen, self.odometry.last()) {
            footholds = seen.footholds(world, engine, now, &estimate.odom_from_body);
            twist = seen.allowed(input.twist, dt);
        }
        let twist = self.monitor.allowed(twist, dt);
        Input { twist, contacts, contacts_late, up: self.up, footholds, ..*input }
    }

    /// Goes on to `now`, `dt` seconds after the last time: odometry from the feet as they are commanded, as of a robot whose servos
    /// tell nothing, and from the IMU if the planner listens to it. What the robot has come to, if that is something else.
    pub fn follow(&mut self, plant: &Plant, engine: &Engine, (now, dt): (Duration, f64)) -> Option<Condition> {
        let (imu, frame) = &mut self.imu;
        let read = imu.read(plant.simulator().world());
        let sample = read.sample(frame);
        let model = engine.robot().model();
        if let Some(reader) = &mut self.reader {
            self.up = reader.take(model, &sample, now).ok().and_then(|()| reader.up());
            self.odometry.sense_imu(reader, now);
        }
        self.monitor.sense(model, &sample, now);
        let tick = engine.last();
        // A sample at the time of the one before says nothing new.
        let _ = self.odometry.update_joints(now, engine.legs(), &tick.angles, Some(&tick.contacts));
        self.monitor.look(tick, now, dt)
    }

    /// What to say of a `change` of that at `seconds` from the start.
    pub fn note(&mut self, change: Option<Condition>, seconds: f64) -> Option<String> {
        self.monitor.note(change, seconds)
    }

    /// Where the robot is by that; none before it was followed.
    pub fn odometry(&self) -> Option<&Estimate> {
        self.odometry.last()
    }

    /// Whether it is held back from where it sees the ground drop away.
    pub fn is_at_brink(&self) -> bool {
        self.seen.as_ref().is_some_and(Seen::is_at_brink)
    }
}

/// What feet feel, reported as late as the planner takes it to be.
pub struct Felt {
    switches: FootSwitches,
    late_s: f64,
    /// The oldest first.
    reported: VecDeque<Contacts>,
    ticks_late: usize,
}

impl Felt {
    /// By switches, reported `late_s` seconds late to a planner of so many ticks per second.
    pub fn new(switches: FootSwitches, late_s: f64, rate_hz: f64) -> Self {
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
