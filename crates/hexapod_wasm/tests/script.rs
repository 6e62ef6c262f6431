//! What a test asks of a robot, here and in Node.

use crate::random::Random;
use hexapod_wasm::{Hexapod, State};
use serde_json::{Value, json};

/// One call of the binding.
#[derive(Clone, Debug)]
pub enum Call {
    Twist([f64; 3]),
    Arc([f64; 2]),
    Body([f64; 6]),
    Gait(String),
    StepHeight(f64),
    Contact(usize, Option<bool>),
    Play(String),
    /// One of those without arguments, by its name in the binding.
    Plain(&'static str),
    Step(f64, usize),
}

const PLAIN: [&str; 7] = ["stand", "stop", "sit", "pack", "freeze", "finishMotion", "reset"];

impl Call {
    /// Any call to a robot of these gaits and motions.
    pub fn any(random: &mut Random, gaits: &[String], motions: &[String], legs: usize) -> Self {
        let name = |random: &mut Random, names: &[String]| names[random.index(names.len())].clone();
        match random.index(24) {
            0..7 => {
                let [vx, vy, _] = random.three(0.2);
                Self::Twist([vx, vy, random.range(-1.0, 1.0)])
            }
            7..9 => Self::Twist([0.0; 3]),
            9..12 => Self::Arc([random.range(-0.15, 0.15), random.range(-2.2, 2.2)]),
            12..15 => {
                let ([x, y, z], [roll, pitch, yaw]) = (random.three(0.04), random.three(0.25));
                Self::Body([x, y, z, roll, pitch, yaw])
            }
            15 => Self::Body([0.0; 6]),
            16..18 => Self::Gait(name(random, gaits)),
            18 => Self::StepHeight(random.range(0.0, 0.05)),
            19 => Self::Contact(random.index(legs), [None, Some(true), Some(false)][random.index(3)]),
            20 | 21 if !motions.is_empty() => Self::Play(name(random, motions)),
            // The robot is seldom put back to where it was: it would never get far.
            22 if random.index(8) > 0 => Self::Plain("stand"),
            _ => Self::Plain(PLAIN[random.index(PLAIN.len())]),
        }
    }

    /// Asks it of a robot; each step is shown with its number.
    pub fn ask(&self, hexapod: &mut Hexapod, mut stepped: impl FnMut(&Hexapod)) {
        let refused = match self {
            Self::Twist([vx, vy, wz]) => hexapod.set_twist(*vx, *vy, *wz),
            Self::Arc([velocity, curvature]) => hexapod.set_arc(*velocity, *curvature),
            Self::Body([x, y, z, roll, pitch, yaw]) => hexapod.set_body_pose([*x, *y, *z], [*roll, *pitch, *yaw]),
            Self::Gait(name) => hexapod.set_gait(name),
            Self::StepHeight(height) => hexapod.set_step_height(*height),
            Self::Play(name) => hexapod.play(name),
            Self::Plain("pack") => hexapod.pack(),
            others => {
                others.tell(hexapod, &mut stepped);
                Ok(())
            }
        };
        // What is refused is refused on both sides.
        drop(refused);
    }

    fn tell(&self, hexapod: &mut Hexapod, stepped: &mut impl FnMut(&Hexapod)) {
        match self {
            Self::Contact(leg, felt) => hexapod.set_contact(*leg, *felt),
            Self::Plain("stand") => hexapod.stand(),
            Self::Plain("stop") => hexapod.stop(),
            Self::Plain("sit") => hexapod.sit(),
            Self::Plain("freeze") => hexapod.freeze(),
            Self::Plain("finishMotion") => hexapod.finish_motion(),
            Self::Plain("reset") => hexapod.reset(),
            Self::Step(dt, count) => (0..*count).for_each(|_| {
                hexapod.step(*dt);
                stepped(hexapod);
            }),
            other => panic!("no call {other:?}"),
        }
    }

    /// The call as Node reads it.
    pub fn json(&self) -> Value {
        match self {
            Self::Twist([vx, vy, wz]) => json!(["setTwist", vx, vy, wz]),
            Self::Arc([velocity, curvature]) => json!(["setArc", velocity, curvature]),
            Self::Body([x, y, z, roll, pitch, yaw]) => json!(["setBodyPose", x, y, z, roll, pitch, yaw]),
            Self::Gait(name) => json!(["setGait", name]),
            Self::StepHeight(height) => json!(["setStepHeight", height]),
            Self::Contact(leg, felt) => json!(["setContact", leg, felt]),
            Self::Play(name) => json!(["play", name]),
            Self::Plain(name) => json!([name]),
            Self::Step(dt, count) => json!(["step", dt, count]),
        }
    }
}

/// Random calls with so many ticks between them.
pub fn calls(hexapod: &Hexapod, ticks: usize, random: &mut Random) -> Vec<Call> {
    let walker = hexapod.walker();
    let gaits: Vec<String> = walker.gaits.names().map(str::to_owned).collect();
    let motions: Vec<String> = walker.motions.names().map(|(name, _)| name.to_owned()).collect();
    let legs = walker.engine.legs().len();
    let (mut calls, mut left) = (vec![], ticks);
    while left > 0 {
        calls.push(Call::any(random, &gaits, &motions, legs));
        let count = (1 + random.index(250)).min(left);
        let dt = [0.01, 0.01, 0.02, 0.003, 0.013_7][random.index(5)];
        calls.push(Call::Step(dt, count));
        left -= count;
    }
    calls
}

/// The numbers after each step of the calls, given one after the other.
pub fn each_tick(hexapod: &mut Hexapod, calls: &[Call], mut tick: impl FnMut(&[f64])) {
    let mut state = State::of(hexapod);
    for call in calls {
        call.ask(hexapod, |hexapod| {
            state.take(hexapod);
            tick(state.numbers());
        });
    }
}
