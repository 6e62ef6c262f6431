//! The control tick: commands in, one tick of the engine out. No allocation, lock, clock or ROS call.

use crate::command::{Asked, Command, Held, Incoming, Received};
use crate::fault::Watch;
use crate::felt::Felt;
use crate::intake::Intake;
use crate::life::{ClockRate, Moment, is_fresh};
use crate::progress::{End, Progress, Tracker};
use crate::remarks::{Refused, Remarks};
use crate::steering::{IGNORED_STICK, Ignored, Steering, Wanted};
use hexapod_gait::motion::{Dropped, Player};
use hexapod_gait::{Ending, Engine, GaitState, Input, Tick};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use rtrb::Consumer;
use std::time::Duration;

/// The engine, what it plays, and what the driver wants of it.
pub struct Core {
    player: Player,
    intake: Intake,
    poses: Consumer<Held>,
    started_at: Option<Duration>,
    speaks: bool,
    /// Some servo is told something.
    held: bool,
    steering: Steering,
    ticked_at: Duration,
    clock_rate: ClockRate,
    felt: Felt,
    timeout: Duration,
    input: Input,
    moved: bool,
    refused: Option<Refused>,
    tracker: Tracker,
    watch: Watch,
}

/// How long a planner that has just started waits for word of what the servos hold, if nothing comes.
const LISTEN_FIRST: Duration = Duration::from_millis(300);

/// Feet that have told nothing for longer feel nothing, and neither does an IMU: the gait's plan alone counts.
const FELT: Duration = Duration::from_millis(200);

impl Core {
    /// A core that takes its commands from `incoming`; a twist older than `timeout` stops the robot.
    #[must_use]
    pub fn new(engine: Engine, incoming: Incoming, timeout: Duration) -> Self {
        Self {
            watch: Watch::new(engine.last()),
            player: Player::new(engine),
            intake: Intake::new(incoming.commands),
            poses: incoming.poses,
            started_at: None,
            speaks: false,
            held: false,
            steering: Steering::new(),
            ticked_at: Duration::ZERO,
            clock_rate: ClockRate::default(),
            felt: Felt::default(),
            timeout,
            input: Input::default(),
            moved: false,
            refused: None,
            tracker: Tracker::default(),
        }
    }

    /// The same with feet that tell so many seconds late what they feel.
    #[must_use]
    pub fn told_late(mut self, seconds: f64) -> Self {
        self.input.contacts_late = seconds;
        self
    }

    /// What was done last.
    #[must_use]
    pub fn last(&self) -> &Tick {
        self.player.last()
    }

    /// A command refused since this was asked last.
    pub fn take_refused(&mut self) -> Option<Refused> {
        self.refused.take()
    }

    /// What there is to tell of requests after a tick of `dt` seconds; until [`Self::told`].
    pub fn news(&mut self, dt: f64) -> Option<&Progress> {
        self.tracker.news(dt)
    }

    /// Takes down that the news have been told.
    pub fn told(&mut self) {
        self.tracker.told();
    }

    /// What there is to say of the last tick.
    #[must_use]
    pub fn remarks(&self) -> Remarks {
        Remarks {
            fault: self.watch.fault(),
            ignores_stick: self.steering.ignores_stick(),
            gave_up: self.player.engine().gave_up(),
            switches: self.felt.faults(),
            knows_up: self.input.up.is_some(),
            sits_within_s: self.time_to_sit(),
        }
    }

    /// Whether what is done is to be told. A planner that is started anew under a robot that stands, its servos holding
    /// it, says nothing before it knows the pose they hold: its commands would begin with another one.
    #[must_use]
    pub fn speaks(&self) -> bool {
        self.speaks
    }

    /// Takes in what has come since the last tick and moves on by `dt` seconds to `now`.
    pub fn tick(&mut self, now: Moment, dt: f64) -> &Tick {
        self.listen(now.real);
        self.take_turns(now.at);
        if now.at < self.ticked_at || !self.is_steered(now) {
            // For good, whatever the clock says later.
            self.steering.forget();
        }
        if now.at < self.ticked_at || !self.feels(now) {
            self.felt.forget();
        }
        self.input.contacts = self.felt.believed(&self.player.last().contacts);
        self.input.up = self.felt.up(|at| is_fresh(at, &now, FELT, self.clock_rate.is_slow()));
        self.ticked_at = now.at;
        self.input.twist = self.steering.twist(self.player.engine());
        self.moved |= !self.input.twist.is_zero();
        self.player.step(&self.input, dt);
        let end = self.end_of_step();
        self.tracker.follow(&self.player, end);
        self.watch.look(self.player.last(), self.player.is_playing(), now.at, dt);
        if let Some(fault) = self.watch.fault().filter(|fault| fault.is_final()) {
            self.tracker.abort(fault.reason());
        }
        self.watch.shown()
    }

    /// Takes in what may not wait while a simulated clock stands, at `real` on the monotonic one: no time passes, but a stop
    /// or released servos end what the robot does. Its state, if that is another one now.
    pub fn stand_by(&mut self, real: Duration) -> Option<&Tick> {
        self.listen(real);
        self.intake.stand(real);
        self.take_turns(self.ticked_at);
        let (before, now) = (self.watch.shown().state, self.player.last());
        (now.state != before).then(|| self.watch.look(now, self.player.is_playing(), self.ticked_at, 0.0))
    }

    /// Whether more commands wait to be taken in than come between two messages on the clock.
    pub fn is_crowded(&self) -> bool {
        self.intake.is_crowded()
    }

    fn take_turns(&mut self, tick_at: Duration) {
        while self.speaks
            && let Some(received) = self.intake.next(tick_at)
        {
            self.take(received);
        }
    }

    /// What comes of a motion that was ended by a step and by no other command: it was dropped, or the robot is driven.
    fn end_of_step(&mut self) -> End {
        let driver = self.steering.topic();
        let Some(dropped) = self.player.take_dropped() else { return End::canceled_by(driver) };
        let reason = dropped.reason();
        self.refuse("motion", reason);
        if dropped == Dropped::Driven { End::canceled_by(driver) } else { End::aborted(reason) }
    }

    /// Takes down how a simulated clock goes, before the ticks it brings.
    pub fn clock(&mut self, now: Moment) {
        self.clock_rate.take(now);
        self.intake.clock(now);
    }

    /// The longest time that the robot takes to sit, whatever it does now, s.
    #[must_use]
    pub fn time_to_sit(&self) -> f64 {
        Ending::of_player(&self.player).seconds()
    }

    /// Whether servos hold the robot.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Asks for the last posture, whatever was asked before.
    pub fn sit(&mut self) {
        self.sit_for("the end of the process");
    }

    fn sit_for(&mut self, why: &'static str) {
        self.steering.forget();
        self.player.sit();
        self.tracker.follow(&self.player, End::canceled_by(why));
    }

    fn take(&mut self, Received { command, at }: Received) {
        match command {
            Command::Twist(twist) => self.steer(Wanted::Twist(twist), at),
            Command::Velocity(velocity) => self.steer(Wanted::Arc { velocity }, at),
            Command::Curvature(curvature) => self.steering.bend(curvature),
            Command::BodyOffset(offset) => self.input.body_offset = offset,
            Command::Contacts(contacts) => self.felt.take(contacts, at),
            Command::Up(up) => self.felt.take_up(up, at),
            Command::Gait(gait) => self.player.engine_mut().set_gait(gait),
            Command::Motion(motion) => {
                if motion.is_some() {
                    self.moved = true;
                    // The newest command counts: what was driven before the motion does not end it.
                    self.steering.forget();
                }
                self.play(motion);
            }
            Command::Trajectory(asked) => {
                if self.last().state == GaitState::Standing && !self.player.job().is_busy() {
                    self.steering.forget();
                    self.play(Some(asked));
                } else {
                    let reason = "the robot is not standing";
                    self.tracker.reject(asked.request, reason);
                    self.refuse("joint_trajectory", reason);
                }
            }
            Command::Stand => {
                self.moved = true;
                self.player.stand();
                self.ended_by("stand");
            }
            Command::Sit => {
                self.player.sit();
                self.ended_by("sit");
            }
            Command::Retire => self.sit_for("retire"),
            Command::Pack => {
                if self.player.pack() {
                    self.moved = true;
                    self.ended_by("pack");
                } else {
                    self.refuse("pack", "the robot has no packed pose");
                }
            }
            Command::Stop => {
                self.player.stop();
                self.ended_by("stop");
            }
            Command::Freeze => self.freeze("emergency stop"),
            Command::StepHeight(height) => self.player.engine_mut().set_step_height(height),
            Command::Limits(limits) => self.player.engine_mut().set_limits(limits),
            Command::Timeout(seconds) => self.timeout = Duration::from_secs_f64(seconds),
        }
    }

    /// Hears what the servos hold. Commands wait for it.
    fn listen(&mut self, now: Duration) {
        let waited = now.saturating_sub(*self.started_at.get_or_insert(now));
        self.speaks |= waited >= LISTEN_FIRST;
        while let Ok(held) = self.poses.pop() {
            self.speaks = true;
            let before = std::mem::replace(&mut self.held, !matches!(held, Held::Nothing));
            match held {
                Held::Nothing if before => self.freeze("the servos were released"),
                Held::Pose(angles) if !self.moved => self.adopt(&angles),
                _ => {}
            }
        }
    }

    /// The servos have been let go: what the robot was doing is over. It is left where it is, as they leave it, and walks
    /// again once a command of zero has come, and then another one.
    fn freeze(&mut self, why: &'static str) {
        self.player.freeze();
        self.steering.bar();
        self.tracker.abort(why);
    }

    /// Plays what was asked for, or ends what is played with its cycle.
    fn play(&mut self, asked: Option<Asked>) {
        let (why, request) = match &asked {
            Some(asked) => ("another motion", Some(asked.request)),
            None => ("an empty motion", None),
        };
        self.player.play(asked.map(|asked| asked.motion));
        self.tracker.follow(&self.player, End::canceled_by(why));
        if let Some(request) = request {
            self.tracker.accept(request, self.player.job().count());
        }
    }

    /// What was played is ended by a service.
    fn ended_by(&mut self, service: &'static str) {
        self.tracker.follow(&self.player, End::canceled_by(service));
        self.notice();
    }

    /// Takes the pose the servos hold for the robot's.
    fn adopt(&mut self, angles: &[LegAngles; MAX_LEGS]) {
        let engine = self.player.engine_mut();
        let legs = engine.robot().legs().len();
        self.moved = engine.adopt(&angles[..legs]);
        if !self.moved {
            self.refuse("servo_states", "a joint is beyond its limits: the robot will stand up from the sitting pose");
        }
    }

    fn refuse(&mut self, topic: &'static str, reason: &'static str) {
        self.refused = Some(Refused { topic, reason });
    }

    fn steer(&mut self, wanted: Wanted, at: Moment) {
        match self.steering.take(wanted, at) {
            Ok(()) => self.notice(),
            Err(Ignored { is_new: true }) => self.refuse(wanted.topic(), IGNORED_STICK),
            Err(_) => {}
        }
    }

    /// Lets the engine know what is wanted between two commands of one tick: whether a stop found the stick at rest, or
    /// it was let go before it was pushed again.
    fn notice(&mut self) {
        let twist = self.steering.twist(self.player.engine());
        self.player.engine_mut().notice(twist);
    }

    fn is_steered(&self, now: Moment) -> bool {
        let timeout = self.timeout.max(self.intake.least_timeout());
        self.steering.at().is_some_and(|at| is_fresh(&at, &now, timeout, self.clock_rate.is_slow()))
    }

    /// Whether what the feet told still counts.
    fn feels(&self, now: Moment) -> bool {
        self.felt.at().is_some_and(|at| is_fresh(&at, &now, FELT, self.clock_rate.is_slow()))
    }
}

#[cfg(test)]
mod tests;
