//! What an inertial sensor puts right of the pose: feet take the ground as level, and turn with the body where they slip.
//!
//! To the feet the ground is a plane; that is unrolled. The accelerometer says how it is tilted below the robot, the gyroscope by
//! how much it has been turned, and each step goes along it as it lies then. So the height follows ramps and stairs.

use crate::unseen::Inertial;
use hexapod_dynamics::GRAVITY_S;
use hexapod_kinematics::math;
use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};

/// What the sensor said this long ago, s, does not count any more: the robot may be on other ground.
const HEARD_S: f64 = 0.2;
/// Time constant with which steps are smoothed before they go along a slope, s: the same as the accelerometer's, whose idea of up
/// leans as the body accelerates. Smoothed alike, what sways to and fro neither climbs nor sinks.
const SMOOTH_S: f64 = GRAVITY_S;

/// Where the plane of the feet lies in the odometry frame, and what has been walked with and without the sensor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guide {
    tilt: UnitQuaternion<f64>,
    yaw: f64,
    /// How the body stood over the plane at the last sample of the sensor.
    last: UnitQuaternion<f64>,
    /// Where the plane has taken its points to, m, and the part of the way over it that has not been tilted for good.
    shift: Vector3<f64>,
    ahead: Vector3<f64>,
    /// Up in the body as it said last, and for how long yet that counts, s.
    up: Vector3<f64>,
    heard_s: f64,
    /// Its gyroscope's bias is known.
    steers: bool,
    guided: Guided,
}

/// What has been walked with an inertial sensor, which knows slopes and turns, and without. Ways and turns are weighted by how
/// uncertain the feet were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guided {
    /// Whether the sensor says how the body leans.
    pub is_upright: bool,
    /// The way walked with it, m.
    pub way: f64,
    /// From where to where the robot has walked without, m.
    pub without: Vector2<f64>,
    /// For how long it has walked with a gyroscope whose bias is known, s, and the angle turned, rad.
    pub steered_s: f64,
    /// See `steered_s`.
    pub steered_turn: f64,
    /// The way walked without, m, and the angle turned, rad.
    pub unsteered_way: f64,
    /// See `unsteered_way`.
    pub unsteered_turn: f64,
}

/// What a sample of the gyroscope says.
pub(crate) struct Turned {
    /// By how much the body has turned over the plane of its feet since the one before, rad; none of a robot that stands, as its feet know
    /// better then.
    pub by: Option<f64>,
    /// Whether its bias is known.
    pub is_known: bool,
}

/// A step of the body over the plane of its feet.
pub(crate) struct Stride {
    /// m, and how much it counts for more than it is, as the feet are uncertain.
    pub over_ground: Vector2<f64>,
    pub doubt: f64,
    /// rad.
    pub turn: f64,
    pub seconds: f64,
    /// Way and turn that nobody has seen, m and rad.
    pub lost: (f64, f64),
}

impl Guide {
    /// Takes a sample of the sensor. `rotation` is that of the body over the plane of its feet.
    pub(crate) fn sense(&mut self, felt: &Inertial, rotation: &UnitQuaternion<f64>, turned: &Turned) {
        let by_feet = (rotation * self.last.inverse()).scaled_axis().z;
        self.last = *rotation;
        self.steers = turned.is_known;
        if let Some(by) = turned.by.filter(|_| self.steers) {
            self.yaw += by - by_feet;
        }
        (self.up, self.heard_s) = (felt.up, HEARD_S);
    }

    /// Goes on to where the body stands so over the plane.
    pub(crate) fn walk(
        &mut self,
        rotation: &UnitQuaternion<f64>,
        Stride { over_ground, doubt, turn, seconds, lost }: Stride,
    ) {
        self.heard_s -= seconds;
        let is_upright = self.heard_s > 0.0;
        if is_upright {
            let up = self.about() * rotation * self.up;
            // A body that is upside down leans any way.
            self.tilt = UnitQuaternion::rotation_between(&up, &Vector3::z()).unwrap_or(self.tilt);
        }
        let turned = self.about() * over_ground.push(0.0);
        self.ahead += turned;
        let taken = self.ahead * (1.0 - math::exp(-seconds / SMOOTH_S));
        self.ahead -= taken;
        self.shift += turned - over_ground.push(0.0) + (self.tilt * taken - taken);
        let way = doubt * over_ground.norm();
        let guided = &mut self.guided;
        guided.is_upright = is_upright;
        if is_upright {
            guided.way += way;
        } else {
            guided.without += over_ground;
        }
        if is_upright && self.steers {
            guided.steered_s += if way + turn > 0.0 { seconds } else { 0.0 };
            guided.steered_turn += turn;
        } else {
            guided.unsteered_way += way;
            guided.unsteered_turn += doubt * turn;
        }
        guided.unsteered_way += lost.0;
        guided.unsteered_turn += lost.1;
    }

    /// The pose in the odometry frame of a body that stands so over the plane.
    pub(crate) fn pose(&self, flat: &Isometry3<f64>) -> Isometry3<f64> {
        let (turn, at) = (self.tilt * self.about(), flat.translation.vector);
        let ground = at.xy().push(0.0) + self.shift + (self.tilt * self.ahead - self.ahead);
        Isometry3::from_parts((ground + turn * Vector3::new(0.0, 0.0, at.z)).into(), turn * flat.rotation)
    }

    pub(crate) fn guided(&self) -> Guided {
        self.guided
    }

    fn about(&self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), self.yaw)
    }
}
