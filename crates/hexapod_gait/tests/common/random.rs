//! Robots and drives drawn from a seed.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part; a test says why it fails by failing")]

pub use super::numbers::Random;
use super::{LIMITS, gait};
use hexapod_gait::{BodyOffset, Engine, GaitSpec, Input, Pattern, Settings, StanceWish, Twist};
use hexapod_kinematics::Robot;
use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use std::fmt::Write;
use std::sync::Arc;

impl Random {
    /// Components in the range from minus to plus `size`.
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.range(-size, size))
    }
}

/// What is asked of an engine, and for how many ticks.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    Drive(Twist),
    Pose(BodyOffset),
    Gait(usize),
    Stand,
    Stop,
    Sit,
}

impl Act {
    pub fn any(random: &mut Random) -> Self {
        match random.index(16) {
            0..8 => {
                let linear = random.vector(0.12);
                Self::Drive(Twist::new(linear.x, linear.y, random.range(-0.7, 0.7)))
            }
            8..12 => Self::Pose(BodyOffset { translation: random.vector(0.04), rotation: random.vector(0.2) }),
            12 => Self::Gait(random.index(8)),
            13 => Self::Stand,
            14 => Self::Stop,
            _ => Self::Sit,
        }
    }

    /// Asks it of an engine, or of the input of its next ticks.
    pub fn ask(self, engine: &mut Engine, specs: &[GaitSpec], input: &mut Input) {
        match self {
            Self::Drive(twist) => input.twist = twist,
            Self::Pose(offset) => input.body_offset = offset,
            Self::Gait(index) => {
                let next = gait(engine.robot(), &specs[index % specs.len()]);
                engine.set_gait(engine.ready(next));
            }
            Self::Stand => engine.stand(),
            Self::Stop => {
                engine.stop();
                input.twist = Twist::ZERO;
            }
            Self::Sit => {
                engine.sit();
                input.twist = Twist::ZERO;
            }
        }
    }
}

/// Gaits that keep a robot of any number of legs on its feet.
pub fn gaits(legs: usize) -> Vec<GaitSpec> {
    let wave = |duty_factor, cycle_time, sway| GaitSpec {
        pattern: Some(Pattern::Wave),
        duty_factor,
        cycle_time,
        side_lag: 0.5,
        sway,
        ..GaitSpec::default()
    };
    let least = 1.0 - 1.0 / legs as f64;
    match legs {
        3 | 4 => vec![wave(0.85, 3.0, 1.0), wave(0.8, 2.0, 1.0)],
        _ => vec![wave(least, 2.4, 0.0), wave(1.0 - 0.9 / legs as f64, 2.0, 0.0)],
    }
}

/// A joint of a random leg.
struct Joint {
    origin: Isometry3<f64>,
    axis: Unit<Vector3<f64>>,
    limits: [f64; 2],
    velocity: f64,
}

/// Joints about any axes at any angles to each other, and where the foot is behind the last.
fn leg(joints: usize, random: &mut Random) -> (Vec<Joint>, Vector3<f64>) {
    let part = random.range(0.12, 0.3) / joints as f64;
    let way = |random: &mut Random| random.vector(1.0).normalize() * (part * random.range(0.5, 1.5));
    let chain = (0..joints).map(|_| {
        let (middle, half) = (random.range(-0.5, 0.5), random.range(0.8, 2.0));
        Joint {
            origin: Isometry3::new(way(random), random.vector(3.0)),
            axis: Unit::new_normalize(random.vector(1.0)),
            limits: [middle - half, middle + half],
            velocity: random.range(2.0, 8.0),
        }
    });
    let chain = chain.collect();
    (chain, way(random))
}

/// Puts a leg's hip there, turned so that its foot is out and below with all joints in the middle of their ranges.
fn mount(leg: &mut (Vec<Joint>, Vector3<f64>), hip: Vector3<f64>, random: &mut Random) {
    let (joints, foot) = leg;
    let Some((first, others)) = joints.split_first_mut() else { return };
    let middle = |joint: &Joint| UnitQuaternion::from_axis_angle(&joint.axis, joint.limits.iter().sum::<f64>() / 2.0);
    let chain =
        others.iter().fold(middle(first) * Isometry3::identity(), |at, joint| at * joint.origin * middle(joint));
    let foot = (chain * Point3::from(*foot)).coords;
    let down = random.range(0.4, 1.3);
    let wanted = hip.normalize() * down.cos() - Vector3::z() * down.sin();
    let turn = UnitQuaternion::rotation_between(&foot, &wanted).unwrap_or_default();
    let spin = UnitQuaternion::from_scaled_axis(wanted * random.range(-3.0, 3.0));
    first.origin = Isometry3::from_parts(hip.into(), spin * turn);
}

/// A robot on a ring of hips.
pub fn urdf(legs: usize, joints: usize, random: &mut Random) -> String {
    let inertial = |mass: f64| {
        format!(
            r#"<inertial><mass value="{mass}"/>
            <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>"#
        )
    };
    let mut text = format!("<robot name=\"random\"><link name=\"base_link\">{}</link>", inertial(1.5));
    for index in 0..legs {
        let turn = std::f64::consts::TAU * (index as f64 + 0.5) / legs as f64;
        let mut made = leg(joints, random);
        mount(&mut made, Vector3::new(0.13 * turn.cos(), 0.1 * turn.sin(), 0.0), random);
        let mut parent = "base_link".to_owned();
        for (joint, Joint { origin, axis, limits: [lower, upper], velocity }) in made.0.iter().enumerate() {
            let (xyz, (roll, pitch, yaw)) = (origin.translation.vector, origin.rotation.euler_angles());
            write!(
                text,
                r#"<link name="l{index}_{joint}_link">{}</link><joint name="l{index}_{joint}" type="revolute">
                <parent link="{parent}"/><child link="l{index}_{joint}_link"/>
                <origin xyz="{} {} {}" rpy="{roll} {pitch} {yaw}"/><axis xyz="{} {} {}"/>
                <limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="2"/></joint>"#,
                inertial(0.08),
                xyz.x,
                xyz.y,
                xyz.z,
                axis.x,
                axis.y,
                axis.z
            )
            .unwrap();
            parent = format!("l{index}_{joint}_link");
        }
        write!(
            text,
            r#"<link name="l{index}_foot"/><joint name="l{index}_fixed" type="fixed"><parent link="{parent}"/>
            <child link="l{index}_foot"/><origin xyz="{} {} {}"/></joint>"#,
            made.1.x, made.1.y, made.1.z
        )
        .unwrap();
    }
    text + "</robot>"
}

/// An engine of any robot that can stand, with the first of its [`gaits`].
pub fn engine_of(robot: Robot) -> Option<Engine> {
    let robot = Arc::new(robot);
    let stance = StanceWish::default().stance(&robot).ok()?;
    let spec = stance.spec();
    let step_height = 0.6 * spec.step_height;
    let settings = Settings {
        stance: spec,
        step_height,
        limits: LIMITS,
        stand_time: 1.5,
        sit_time: 0.8,
        leg_clearance: hexapod_gait::LegClearance::default(),
    };
    let first = gait(&robot, &gaits(robot.legs().len())[0]);
    Some(Engine::with_stance(robot, first, settings, stance))
}

/// An engine of a random robot of 3 to 8 legs of 3 to 6 joints that can stand, and its gaits.
pub fn any_engine(random: &mut Random) -> (Engine, Vec<GaitSpec>) {
    loop {
        let (legs, joints) = (3 + random.index(6), 3 + random.index(4));
        let robot = Robot::from_urdf(&urdf(legs, joints, random)).ok().filter(|robot| robot.legs().len() == legs);
        if let Some(engine) = robot.and_then(engine_of) {
            return (engine, gaits(legs));
        }
    }
}
