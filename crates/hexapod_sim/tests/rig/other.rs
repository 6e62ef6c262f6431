//! Robots other than the shipped one, with servos made up for them as the nodes make them up.

use super::shipped::{Kind, battery, gait_spec, servos};
use super::{TICK_S, planner, positions};
use hexapod_gait::{Engine, Gait, Input, Settings, StanceSpec, Tick, Twist, leg_places};
use hexapod_kinematics::{Leg, Robot};
use hexapod_odometry::{Estimate, Odometry};
use hexapod_servo::calibration::{RawBoard, RawPoint, RawServo, RawServoConfig, RawTiming, ServoMap};
use hexapod_servo::{Pca9685Boards, ServoConfig, ServoDriver, SimulatedBus};
use hexapod_sim::{Boards, Ground, Mount, Settings as Steps, Simulator, World};
use nalgebra::{Isometry3, Rotation2, Vector2};
use std::f64::consts::PI;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// A robot with light legs.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// On each side.
    pub legs: usize,
    /// Of the body and of each of the links, kg.
    pub masses: [f64; 2],
    pub gait: &'static str,
    /// Radius of the balls that it stands on, m; feet without a shape where it is 0.
    pub ball: f64,
    pub kind: Kind,
    /// How many times as large it is; its masses and balls are given as they are.
    pub size: f64,
    /// Greatest torque of its joints, N m.
    pub effort: f64,
    /// Whether a shin ends the tibia, and mimics the knee.
    pub mimics: bool,
}

/// Four legs, 2.1 kg, strong servos.
pub const QUAD: Body = Body {
    legs: 2,
    masses: [1.5, 0.05],
    gait: "crawl",
    ball: 0.01,
    kind: "perfect",
    size: 1.0,
    effort: 3.0,
    mimics: false,
};
/// Six legs, 1 kg, strong servos.
pub const LIGHT: Body = Body { legs: 3, masses: [0.05, 0.05], gait: "tripod", ..QUAD };

/// A shin that turns against the knee that it mimics.
fn mimic(leg: &str) -> String {
    format!(r#"<mimic joint="{leg}_tibia" multiplier="-0.35" offset="0.2"/>"#)
}

impl Body {
    pub fn robot(&self) -> Arc<Robot> {
        let ([body, link], size) = (self.masses, self.size);
        let inertial = |x: f64, mass: f64, inertia: f64| {
            format!(
                r#"<inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/><inertia ixx="{inertia}" iyy="{inertia}"
                izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>"#
            )
        };
        let base = inertial(0.0, body, 0.00375 * body * size * size);
        // A belly that is 8 mm above the feet's points when the robot sits.
        let [length, width, thickness] = [0.16, 0.1, 0.044].map(|of| of * size);
        let belly =
            format!(r#"<collision><geometry><box size="{length} {width} {thickness}"/></geometry></collision>"#);
        let ball = format!(r#"<collision><geometry><sphere radius="{}"/></geometry></collision>"#, self.ball);
        let ball = if self.ball > 0.0 { ball } else { String::new() };
        let mut urdf = format!(r#"<robot name="other"><link name="base">{base}{belly}</link>"#);
        for (side, row) in [1.0, -1.0].into_iter().flat_map(|side| (0..self.legs).map(move |row| (side, row))) {
            let along = 1.0 - 2.0 * row as f64 / (self.legs - 1) as f64;
            let (name, yaw) = (format!("leg{side}{row}"), side * (0.5 * PI - 0.6 * along));
            let mut parent = "base".to_owned();
            let mut origin = format!(r#"xyz="{} {} 0" rpy="0 0 {yaw}""#, 0.12 * along * size, 0.09 * side * size);
            let tibia = if self.mimics { 0.08 } else { 0.12 };
            let shin = self.mimics.then_some(("shin", "0 1 0", [-1.0, 1.0], 0.04));
            let parts = [
                ("coxa", "0 0 1", [-0.9, 0.9], 0.04),
                ("femur", "0 1 0", [-1.4, 1.4], 0.08),
                ("tibia", "0 1 0", [-0.3, 2.5], tibia),
            ];
            for (joint, axis, [lower, upper], length) in parts.into_iter().chain(shin) {
                let length = length * size;
                let of_link = inertial(0.5 * length, link, 4e-4 * link * size * size);
                let _ = write!(
                    urdf,
                    r#"<joint name="{name}_{joint}" type="revolute"><parent link="{parent}"/><child link="{name}_{joint}_l"/>
                    <origin {origin}/><axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="{}" velocity="6"/>
                    {}</joint><link name="{name}_{joint}_l">{of_link}</link>"#,
                    self.effort,
                    if joint == "shin" { mimic(&name) } else { String::new() }
                );
                (parent, origin) = (format!("{name}_{joint}_l"), format!(r#"xyz="{length} 0 0""#));
            }
            let _ = write!(
                urdf,
                r#"<joint name="{name}_end" type="fixed"><parent link="{parent}"/><child link="{name}_foot"/>
                <origin {origin}/></joint><link name="{name}_foot">{}{ball}</link>"#,
                inertial(0.0, 0.1 * link, 2e-6 * link * size * size),
            );
        }
        Arc::new(Robot::from_urdf(&(urdf + "</robot>")).unwrap())
    }
}

/// What came of a walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Of the way planned.
    pub way: f64,
    pub work_j: f64,
    /// Where the body is at the end, as odometry has it and truly.
    pub estimate: Estimate,
    pub base: Isometry3<f64>,
}

/// Walks ahead for some seconds.
pub fn walk(body: &Body, ahead: Twist, seconds: f64, settings: Steps) -> Walk {
    let mut stack = Stack::new(body, settings);
    let (mut planned, mut walked, mut work_j, standing) = (0.0, 0.0, 0.0, 400);
    for tick in 0..standing + (seconds / TICK_S) as u64 {
        match tick {
            0 => stack.enable(),
            100 => stack.engine.stand(),
            _ => {}
        }
        let from = stack.base().translation.vector.xy();
        let (plan, work) = stack.tick(if tick < standing { Twist::ZERO } else { ahead });
        work_j += if tick < standing { 0.0 } else { work };
        let to = stack.base();
        let speed = Rotation2::new(to.rotation.euler_angles().2) * Vector2::new(plan.twist.vx, plan.twist.vy);
        planned += speed.norm() * TICK_S;
        walked += speed.try_normalize(0.0).map_or(0.0, |ahead| (to.translation.vector.xy() - from).dot(&ahead));
    }
    Walk { way: walked / planned, work_j, estimate: stack.estimate(), base: stack.base() }
}

/// Planner, driver, boards, servos, physics and odometry of such a robot.
pub struct Stack {
    pub engine: Engine,
    pub driver: ServoDriver<Pca9685Boards<SimulatedBus>>,
    pub simulator: Simulator,
    pub odometry: Odometry,
    robot: Arc<Robot>,
    ticks: u64,
}

impl Stack {
    /// One that sits on the ground, its servos without pulses.
    pub fn new(body: &Body, settings: Steps) -> Self {
        let robot = body.robot();
        let gait = Gait::try_new(&gait_spec(body.gait), &leg_places(&robot)).unwrap();
        let engine = Engine::new(robot.clone(), gait, planner_of(body.size)).unwrap();
        let world = World::new(&robot, &Ground::flat(), &Mount::Free(Isometry3::identity()), settings).unwrap();
        let mut simulator = Simulator::new(world, &robot, &servos(body.kind), battery());
        let map = made_up(&robot);
        let bus = SimulatedBus::for_config(&map);
        simulator.put_on_ground(&positions(&engine, simulator.world()));
        simulator.plug_into(Boards::new(bus.clone(), &map, simulator.joints(), 1));
        let (driver, odometry) = (ServoDriver::on_boards(map, bus), Odometry::new(robot.legs().len()));
        Self { engine, driver, simulator, odometry, robot, ticks: 0 }
    }

    /// Switches the servos on, with angles of the planner in hand.
    pub fn enable(&mut self) {
        let plan = *self.engine.last();
        self.aim(&plan);
        assert!(self.driver.enable(self.now()).passed());
    }

    /// A tick of planner, odometry and driver, and the physics until the next; the work of its servos, J.
    pub fn tick(&mut self, twist: Twist) -> (Tick, f64) {
        let plan = *self.engine.step(&Input { twist, ..Input::default() }, TICK_S);
        let now = self.now();
        hear(&mut self.odometry, &self.robot, &plan, now);
        self.aim(&plan);
        self.driver.tick(now);
        let steps = (TICK_S / self.simulator.world().settings().step_s).round() as usize;
        let work_j = (0..steps).map(|_| {
            self.simulator.step();
            self.simulator.work_j()
        });
        let work_j = work_j.sum();
        self.ticks += 1;
        (plan, work_j)
    }

    pub fn estimate(&self) -> Estimate {
        *self.odometry.last().unwrap()
    }

    pub fn base(&self) -> Isometry3<f64> {
        self.simulator.world().base()
    }

    /// Length of the longest leg, m.
    pub fn reach(&self) -> f64 {
        self.robot.legs().iter().map(Leg::length).fold(0.0, f64::max)
    }

    fn now(&self) -> Duration {
        Duration::from_millis(10 * self.ticks)
    }

    fn aim(&mut self, plan: &Tick) {
        let now = self.now();
        for (leg, angles) in self.robot.legs().iter().zip(&plan.angles) {
            for (joint, &angle) in leg.joints().iter().zip(angles.iter()) {
                let place = self.driver.joint_index(joint.name()).unwrap();
                self.driver.set_target(now, place, angle).unwrap();
            }
        }
    }
}

/// Has odometry hear of a tick of the planner.
fn hear(odometry: &mut Odometry, robot: &Robot, plan: &Tick, now: Duration) {
    let legs = || robot.legs().iter().zip(&plan.angles);
    let feet: Vec<_> = legs().map(|(leg, angles)| leg.foot_in_body(angles)).collect();
    let up = odometry.up_in_body();
    odometry.set_foot_heights(legs().map(|(leg, angles)| leg.foot_above_ground(angles, &up)));
    odometry.update(now, &feet, Some(&plan.contacts[..feet.len()])).unwrap();
}

/// The shipped planner for a robot so many times as large.
fn planner_of(size: f64) -> Settings {
    let of = planner();
    let StanceSpec { height, sit_height, step_height, max_stride } = of.stance;
    let stance = StanceSpec {
        height: size * height,
        sit_height: size * sit_height,
        step_height: size * step_height,
        max_stride: size * max_stride,
    };
    Settings { stance, step_height: size * of.step_height, ..of }
}

/// Boards of 333 Hz, so that three pulses come for each tick of the planner.
fn made_up(robot: &Robot) -> ServoConfig {
    let joints = robot.legs().iter().flat_map(|leg| leg.joints().iter().map(move |joint| (leg, joint)));
    let servos = (0..).zip(joints).map(|(n, (leg, joint))| {
        let limits = joint.limits();
        let points = [(limits.lower, 500.0), (limits.upper, 2500.0)];
        let servo = RawServo {
            board: n / 16,
            channel: n % 16,
            points: points.map(|(angle_rad, pulse_us)| RawPoint { angle_rad, pulse_us }).to_vec(),
            direction: 1,
            trim_rad: 0.0,
            min_pulse_us: 490.0,
            max_pulse_us: 2510.0,
            neutral_us: None,
            speed_limit_rad_s: limits.velocity,
            group: Some(Leg::name(leg).to_owned()),
        };
        (joint.name().to_owned(), servo)
    });
    let board = |address| RawBoard { address, pwm_frequency_hz: 333.0, oscillator_hz: 25e6, channels: 16 };
    let (servos, boards) = (ServoMap(servos.collect()), vec![board(0x40), board(0x41)]);
    ServoConfig::try_from(RawServoConfig { boards, servos, timing: RawTiming::default() }).unwrap()
}
