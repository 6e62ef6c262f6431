//! The control tick: commands in, one tick of the engine out. No allocation, lock, clock or ROS call.

use crate::command::{Command, Received};
use hexapod_gait::arc::ArcStep;
use hexapod_gait::{Engine, Input, Tick, Twist};
use rtrb::Consumer;
use std::time::Duration;

/// Which topics drive the robot: those that spoke last.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Steering {
    Twist(Twist),
    Arc { velocity: f64 },
}

/// The engine and what the driver wants of it.
pub struct Core {
    engine: Engine,
    commands: Consumer<Received>,
    steering: Steering,
    steered_at: Option<Duration>,
    curvature: f64,
    timeout: Duration,
    input: Input,
    moved: bool,
}

impl Core {
    /// A core that takes its commands from `commands`; a twist older than `timeout` stops the robot.
    #[must_use]
    pub fn new(engine: Engine, commands: Consumer<Received>, timeout: Duration) -> Self {
        Self {
            engine,
            commands,
            steering: Steering::Twist(Twist::ZERO),
            steered_at: None,
            curvature: 0.0,
            timeout,
            input: Input::default(),
            moved: false,
        }
    }

    /// The engine as it is after the last tick.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Takes in what has come since the last tick and moves on by `dt` seconds to `now`.
    pub fn tick(&mut self, now: Duration, dt: f64) -> &Tick {
        while let Ok(received) = self.commands.pop() {
            self.take(received);
        }
        self.input.twist = self.twist(now);
        self.moved |= !self.input.twist.is_zero();
        self.engine.step(&self.input, dt)
    }

    /// Asks for the last posture, whatever was asked before.
    pub fn sit(&mut self) {
        self.steered_at = None;
        self.engine.sit();
    }

    fn take(&mut self, Received { command, at }: Received) {
        match command {
            Command::Twist(twist) => self.steer(Steering::Twist(twist), at),
            Command::Velocity(velocity) => self.steer(Steering::Arc { velocity }, at),
            Command::Curvature(curvature) => self.curvature = curvature,
            Command::BodyOffset(offset) => self.input.body_offset = offset,
            Command::Gait(gait) => self.engine.set_gait(gait),
            Command::Stand => {
                self.moved = true;
                self.engine.stand();
            }
            Command::Sit => self.engine.sit(),
            Command::Stop => self.engine.stop(),
            Command::StepHeight(height) => self.engine.set_step_height(height),
            Command::Limits(limits) => self.engine.set_limits(limits),
            Command::Timeout(seconds) => self.timeout = Duration::from_secs_f64(seconds),
            Command::Found { angles, legs } => {
                if !self.moved {
                    self.moved = self.engine.adopt(&angles[..legs]);
                }
            }
        }
    }

    fn steer(&mut self, steering: Steering, at: Duration) {
        self.steering = steering;
        self.steered_at = Some(at);
    }

    /// What is wanted now: nothing when the last command is too old.
    fn twist(&self, now: Duration) -> Twist {
        let fresh = self.steered_at.is_some_and(|at| now.saturating_sub(at) <= self.timeout);
        match self.steering {
            _ if !fresh => Twist::ZERO,
            Steering::Twist(twist) => twist,
            Steering::Arc { velocity } => {
                let stance_time = self.engine.gait().stance_time();
                let step = ArcStep::new(velocity * stance_time, self.curvature, self.engine.rest_feet());
                step.twist(stance_time)
            }
        }
    }
}
