//! Drives a robot in the physics engine and prints what came of it:
//! `drive GAIT VX VY WZ [SECONDS] [STEP_MS] [SUBSTEPS] [SWEEPS] [TRACE.csv] [Z ROLL PITCH] [ROBOT.urdf]`, with a gait from
//! 0 (tripod) to 3, the body so much higher (m) and leant (rad), and the shipped robot where no other is named.
//!
//! The trace has a line each 10 ms: the twist that the engine walked, the base's place and yaw, and the joint angles
//! commanded, by which another physics engine can walk the same.

#[path = "../tests/rig/planner.rs"]
mod planner;

use hexapod_gait::{BodyOffset, Engine, Gait, GaitSpec, Input, Pattern, Twist, leg_places};
use hexapod_kinematics::Robot;
use hexapod_sim::{Drive, Ground, Mount, Settings, World};
use nalgebra::{Isometry3, Vector3};
use planner::planner;
use std::fmt::Write;
use std::sync::Arc;

/// Rate at which joints are commanded, as the planner's, s.
const TICK_S: f64 = 0.01;
/// The servo of the project's other physics tests.
const SERVO: Drive = Drive { torque: 0.0, stiffness: 20.0, rest: 0.0, damping: 0.41, friction: 0.03 };
const ROTOR: f64 = 0.003;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |n: usize, default: f64| std::env::args().nth(n).map_or(Ok(default), |text| text.parse());
    let settings = Settings {
        step_s: number(6, 5.0)? / 1000.0,
        substeps: number(7, 1.0)? as usize,
        sweeps: number(8, 4.0)? as usize,
        ..Settings::default()
    };
    let shipped = || Ok(include_str!("../../../urdf/hexapod.urdf").to_owned());
    let robot = Arc::new(Robot::from_urdf(&std::env::args().nth(13).map_or_else(shipped, std::fs::read_to_string)?)?);
    let mut run = Run::new(&robot, number(1, 0.0)? as usize, settings)?;
    run.offset = BodyOffset {
        translation: Vector3::new(0.0, 0.0, number(10, 0.0)?),
        rotation: Vector3::new(number(11, 0.0)?, number(12, 0.0)?, 0.0),
    };
    run.engine.stand();
    run.go(Twist::ZERO, 4.0);
    println!("standing: {:.4} N on the feet of a weight of {:.4} N", run.ground(), run.weight());
    run.trace = run.header();
    let twist = Twist::new(number(2, 0.08)?, number(3, 0.0)?, number(4, 0.0)?);
    let (seconds, start, clock) = (number(5, 20.0)?, run.world.base(), std::time::Instant::now());
    run.go(twist, seconds);
    let us = clock.elapsed().as_secs_f64() * 1e6 * settings.step_s / seconds;
    let moved = start.inv_mul(&run.world.base());
    let yaw = moved.rotation.euler_angles().2;
    println!("{us:.1} us a step; moved {:.4} {:.4} m, {yaw:.4} rad", moved.translation.x, moved.translation.y);
    println!("mean force {:.4} N, greatest lean {:.4} rad, bits {:016x}", run.mean(), run.lean, run.bits());
    if let Some(file) = std::env::args().nth(9) {
        std::fs::write(file, run.trace)?;
    }
    Ok(())
}

struct Run {
    engine: Engine,
    world: World,
    offset: BodyOffset,
    trace: String,
    force: (f64, u32),
    lean: f64,
}

impl Run {
    fn new(robot: &Arc<Robot>, gait: usize, settings: Settings) -> Result<Self, Box<dyn std::error::Error>> {
        let gait = Gait::try_new(&gaits()[gait.min(3)], &leg_places(robot))?;
        let engine = Engine::new(robot.clone(), gait, planner())?;
        let world = World::new(robot, &Ground::flat(), &Mount::Free(Isometry3::identity()), settings)?;
        let offset = BodyOffset::default();
        let mut run = Self { engine, world, offset, trace: String::new(), force: (0.0, 0), lean: 0.0 };
        let angles = run.angles();
        run.world.put(&Isometry3::translation(0.0, 0.0, 0.06), &angles);
        (0..angles.len()).for_each(|hinge| run.world.set_rotor(hinge, ROTOR));
        Ok(run)
    }

    fn go(&mut self, twist: Twist, seconds: f64) {
        let per_tick = (TICK_S / self.world.settings().step_s).round().max(1.0) as usize;
        self.force = (0.0, 0);
        for _ in 0..(seconds / TICK_S).round() as usize {
            let input = Input { twist, body_offset: self.offset, ..Input::default() };
            let walked = self.engine.step(&input, TICK_S).twist;
            let angles = self.angles();
            for (hinge, &rest) in angles.iter().enumerate() {
                self.world.drive(hinge, Drive { rest, ..SERVO });
            }
            (0..per_tick).for_each(|_| self.world.step());
            self.note(&walked, &angles);
        }
    }

    fn note(&mut self, walked: &Twist, angles: &[f64]) {
        let (base, ground) = (self.world.base(), self.ground());
        self.force = (self.force.0 + ground, self.force.1 + 1);
        self.lean = self.lean.max((base.rotation * Vector3::z()).z.clamp(-1.0, 1.0).acos());
        let (at, yaw) = (base.translation, base.rotation.euler_angles().2);
        let _ = write!(self.trace, "{},{},{},{},{},{yaw}", walked.vx, walked.vy, walked.wz, at.x, at.y);
        angles.iter().for_each(|angle| self.trace.push_str(&format!(",{angle}")));
        self.trace.push('\n');
    }

    fn header(&self) -> String {
        let joints = self.engine.robot().model().joints();
        let names = self.world.assembly().hinges.iter().map(|hinge| format!(",{}", joints[hinge.joint].name()));
        format!("vx,vy,wz,x,y,yaw{}\n", names.collect::<String>())
    }

    /// The engine's angles in the order of the world's hinges.
    fn angles(&self) -> Vec<f64> {
        let mut angles = vec![0.0; self.world.assembly().hinges.len()];
        for (leg, hinges) in self.world.assembly().legs.iter().enumerate() {
            for (&hinge, &angle) in hinges.iter().zip(self.engine.last().angles[leg].iter()) {
                angles[hinge] = angle;
            }
        }
        angles
    }

    fn ground(&self) -> f64 {
        (0..self.engine.legs().len()).map(|leg| self.world.foot_force(leg).z).sum()
    }

    fn mean(&self) -> f64 {
        self.force.0 / f64::from(self.force.1.max(1))
    }

    fn weight(&self) -> f64 {
        self.world.assembly().mass() * self.world.settings().gravity
    }

    fn bits(&self) -> u64 {
        let base = self.world.base();
        let all = base.translation.vector.iter().chain(base.rotation.coords.iter());
        all.fold(0, |bits, x| bits ^ x.to_bits().rotate_left(bits.count_ones()))
    }
}

/// Tripod, ripple, wave and a gait between them, as shipped.
fn gaits() -> [GaitSpec; 4] {
    let spec = |duty_factor, cycle_time, lag, side_lag| GaitSpec {
        duty_factor,
        cycle_time,
        lag,
        side_lag,
        ..GaitSpec::default()
    };
    let wave = GaitSpec { pattern: Some(Pattern::Wave), ..spec(5.0 / 6.0, 2.4, 0.0, 0.5) };
    let ripple = spec(2.0 / 3.0, 1.4, 1.0 / 3.0, 0.5);
    [spec(0.5, 0.8, 0.5, 0.5), ripple, wave, spec(2.0 / 3.0, 1.2, 1.0 / 3.0, 1.0 / 3.0)]
}
