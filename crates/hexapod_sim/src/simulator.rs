//! The robot with its servos and their supply: pulses in, motion out.

use crate::boards::Boards;
use crate::body::Hinge;
use crate::engine::{Drive, World};
use crate::resting::onto_feet;
use crate::servo::{Battery, Breakage, Servo, Servos, Shaft, Supply};
use hexapod_kinematics::Robot;
use nalgebra::{Isometry3, UnitQuaternion};

/// A robot in the world, driven by servos.
pub struct Simulator {
    world: World,
    servos: Vec<Servo>,
    joints: Vec<String>,
    boards: Option<Boards>,
    supply: Supply,
    work_j: f64,
}

impl Simulator {
    /// Puts servos into a robot.
    pub fn new(mut world: World, robot: &Robot, servos: &Servos, battery: Battery) -> Self {
        let hinges = world.assembly().hinges.iter();
        let servos: Vec<Servo> = hinges.filter_map(|hinge| servo(robot, hinge.joint, servos, battery.open_v)).collect();
        for (hinge, servo) in servos.iter().enumerate() {
            world.set_rotor(hinge, servo.kind().rotor);
        }
        let name = |hinge: &Hinge| robot.model().joints().get(hinge.joint).map_or("", |joint| joint.name()).to_owned();
        let joints = world.assembly().hinges.iter().map(name).collect();
        Self { world, servos, joints, boards: None, supply: Supply::new(battery), work_j: 0.0 }
    }

    /// Plugs the servos into boards: from now on they follow what the registers say, and nothing else.
    pub fn plug_into(&mut self, boards: Boards) {
        self.boards = Some(boards);
    }

    /// Names of the hinges' joints, in the order of [`Assembly::hinges`](crate::Assembly).
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// The robot.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The robot, to be pushed.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The supply.
    pub fn supply(&self) -> &Supply {
        &self.supply
    }

    /// The supply, to be loaded by others than the servos.
    pub fn supply_mut(&mut self) -> &mut Supply {
        &mut self.supply
    }

    /// A hinge's servo.
    pub fn servo(&self, hinge: usize) -> Option<&Servo> {
        self.servos.get(hinge)
    }

    /// Puts the robot into a pose, at rest.
    pub fn put(&mut self, base: &Isometry3<f64>, positions: &[f64]) {
        self.world.put(base, positions);
    }

    /// Puts the robot onto the ground at the origin, at rest: a hair above what is highest below it.
    pub fn put_on_ground(&mut self, positions: &[f64]) {
        self.world.land(&UnitQuaternion::identity(), positions);
    }

    /// Puts the robot back onto the ground at the origin, at rest, as it was at the start. Joints whose servos hold an angle
    /// are there, so that they do not throw it; where all servos do, the body leans over its feet as they have it.
    pub fn put_back(&mut self, start: &[f64]) {
        let held: Vec<_> = (0..start.len()).map(|hinge| self.servos.get(hinge).and_then(Servo::held)).collect();
        let positions: Vec<f64> = held.iter().zip(start).map(|(held, &start)| held.unwrap_or(start)).collect();
        let is_held = |(held, hinge): (&Option<f64>, &Hinge)| held.is_some() || hinge.mimic.is_some();
        let leans = held
            .iter()
            .zip(&self.world.assembly().hinges)
            .all(is_held)
            .then(|| self.lean_onto_feet(&positions))
            .flatten();
        self.world.land(&leans.unwrap_or_default(), &positions);
    }

    /// How a body whose joints are there lies on its feet.
    fn lean_onto_feet(&mut self, positions: &[f64]) -> Option<UnitQuaternion<f64>> {
        self.put(&Isometry3::identity(), positions);
        let feet: Vec<_> = (0..self.world.assembly().feet.len()).map(|leg| self.world.foot(leg)).collect();
        onto_feet(&feet, &self.world.centre_of_mass())
    }

    /// Tells a hinge's servo an angle, as a pulse would that has just come; `None` for no pulse any more. For servos that
    /// are plugged into no boards.
    pub fn tell(&mut self, hinge: usize, angle: Option<f64>) {
        if let Some(servo) = self.servos.get_mut(hinge) {
            servo.tell(angle);
        }
    }

    /// Tells the hinges of a leg their angles, hip first.
    pub fn tell_leg(&mut self, leg: usize, angles: &[f64]) {
        for (place, &angle) in angles.iter().enumerate() {
            let hinge = self.world.assembly().legs.get(leg).and_then(|hinges| hinges.get(place)).copied();
            if let Some(hinge) = hinge {
                self.tell(hinge, Some(angle));
            }
        }
    }

    /// Breaks a hinge's servo where it is, or mends it.
    pub fn break_servo(&mut self, hinge: usize, breakage: Option<Breakage>) {
        let shaft = self.shaft(hinge);
        if let Some(servo) = self.servos.get_mut(hinge) {
            servo.break_as(breakage, &shaft);
        }
    }

    /// The same with all servos of a leg.
    pub fn break_leg(&mut self, leg: usize, breakage: Option<Breakage>) {
        let hinges = self.world.assembly().legs.get(leg).cloned().unwrap_or_default();
        hinges.into_iter().for_each(|hinge| self.break_servo(hinge, breakage));
    }

    /// Moves on by one step of the engine.
    pub fn step(&mut self) {
        let (step_s, part_s) = (self.world.settings().step_s, self.world.settings().part_s());
        self.hear();
        self.work_j = 0.0;
        self.world.begin();
        for part in 0..self.world.settings().parts() {
            self.drive(part_s);
            self.world.advance(part);
            self.work_j += self.watts() * part_s;
        }
        self.world.end();
        let current: f64 = (0..self.servos.len()).map(|hinge| self.current(hinge)).sum();
        self.supply.load(current, step_s);
    }

    /// Has each servo follow its pulse for some seconds and drive its joint.
    fn drive(&mut self, seconds: f64) {
        let volts = self.supply.volts();
        for hinge in 0..self.servos.len() {
            let shaft = self.shaft(hinge);
            let bearing = self.bearing(hinge);
            let Some(servo) = self.servos.get_mut(hinge) else { continue };
            servo.follow(&shaft, seconds);
            self.world.drive(hinge, with_bearing(servo.drive(&shaft, volts, seconds), bearing));
        }
    }

    /// Work of the servos at their joints over the last step, J: of those that drive; those that brake give nothing back.
    pub fn work_j(&self) -> f64 {
        self.work_j
    }

    /// Power of the servos that drive, at the end of a part of a step, for which the engine's forces hold.
    fn watts(&self) -> f64 {
        (0..self.servos.len()).map(|hinge| (self.world.effort(hinge) * self.world.speed(hinge)).max(0.0)).sum()
    }

    /// Lets the servos come to know of their pulses.
    fn hear(&mut self) {
        let now_ns = (self.world.time_s() * 1e9).round() as u64;
        if self.supply.in_reset() {
            self.servos.iter_mut().for_each(|servo| servo.tell(None));
            self.boards.iter_mut().for_each(Boards::brown_out);
        }
        if let Some(boards) = &mut self.boards {
            let servos = &mut self.servos;
            boards
                .advance(now_ns, |hinge, angle| servos.get_mut(hinge).into_iter().for_each(|servo| servo.tell(angle)));
        }
    }

    /// Current of a hinge's servo, A.
    pub fn current(&self, hinge: usize) -> f64 {
        let shaft = self.shaft(hinge);
        self.servos.get(hinge).map_or(0.0, |servo| servo.current(&shaft, self.supply.volts()))
    }

    fn shaft(&self, hinge: usize) -> Shaft {
        Shaft { position: self.world.position(hinge), speed: self.world.speed(hinge) }
    }

    /// Dry friction and damping of the joint as the description gives them.
    fn bearing(&self, hinge: usize) -> [f64; 2] {
        let friction = self.world.assembly().hinges.get(hinge).map(|hinge| hinge.friction).unwrap_or_default();
        [friction.coulomb, friction.viscous]
    }
}

/// The friction of a description is that of the joint as a whole: the greater of the two is taken.
fn with_bearing(drive: Drive, [dry, viscous]: [f64; 2]) -> Drive {
    Drive { friction: drive.friction.max(dry), damping: drive.damping + viscous, ..drive }
}

fn servo(robot: &Robot, joint: usize, servos: &Servos, open_v: f64) -> Option<Servo> {
    let joint = robot.model().joints().get(joint)?;
    Some(servos.of(joint.name()).fitted(joint.limits(), open_v))
}
