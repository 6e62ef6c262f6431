//! The control tick: commands in, one tick of the engine out. No allocation, lock, clock or ROS call.

use crate::command::{Command, Held, Incoming, Received};
use crate::condition_response::ConditionResponse;
use crate::fault::Watch;
use crate::intake::Intake;
use crate::life::{Life, Moment};
use crate::progress::{End, NOT_STANDING, Progress, Tracker};
use crate::remarks::{Refused, Remarks};
use crate::senses::Senses;
use crate::servos::{Change, Servos};
use crate::sight::Footing;
use crate::steering::{DriveCommand, IgnoredCommand, Steering};
use hexapod_dynamics::Condition;
use hexapod_gait::motion::{Dropped, Player};
use hexapod_gait::{Ending, Engine, Input, Tick};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use hexapod_ros::Sender;
use std::time::Duration;

/// The engine, what it plays, and what the driver wants of it.
pub struct Core {
    player: Player,
    intake: Intake,
    servos: Servos,
    steering: Steering,
    ticked: Moment,
    senses: Senses,
    condition_response: ConditionResponse,
    timeout: Duration,
    input: Input,
    moved: bool,
    refused: Option<Refused>,
    tracker: Tracker,
    watch: Watch,
}

impl Core {
    /// A core that takes its commands from `incoming`; a twist older than `timeout` stops the robot.
    #[must_use]
    pub fn new(engine: Engine, incoming: Incoming, timeout: Duration) -> Self {
        Self {
            watch: Watch::new(engine.last()),
            condition_response: ConditionResponse::new(&engine),
            intake: Intake::new(incoming.commands),
            servos: Servos::new(incoming.poses),
            steering: Steering::new(),
            ticked: Moment::default(),
            senses: Senses::new(&engine),
            player: Player::new(engine),
            timeout,
            input: Input::default(),
            moved: false,
            refused: None,
            tracker: Tracker::default(),
        }
    }

    /// The same with feet that tell so many seconds late what they feel, on ground that it sees.
    #[must_use]
    pub(crate) fn sensing(mut self, contacts_late: f64, footing: Option<Footing>) -> Self {
        (self.input.contacts_late, self.senses.footing) = (contacts_late, footing);
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

    /// What there is to tell of requests after a tick of `dt` seconds; until [`Self::mark_reported`].
    pub fn news(&mut self, dt: f64) -> Option<&Progress> {
        self.tracker.news(dt)
    }

    /// Notes that the news have been reported.
    pub fn mark_reported(&mut self) {
        self.tracker.mark_reported();
    }

    /// What there is to say of the last tick.
    #[must_use]
    pub fn remarks(&self) -> Remarks {
        Remarks {
            fault: self.watch.fault(),
            driving: self.steering.driving(self.ticked),
            gave_up: self.player.engine().gave_up(),
            switches: self.senses.felt.faults(),
            knows_up: self.input.up.is_some(),
            sees: self.senses.sees(),
            roughness: self.player.engine().roughness(),
            footholds: self.input.footholds,
            condition: self.condition_response.condition(),
            stopped_as_blocked: self.condition_response.has_stopped(),
            doubts_switches: self.condition_response.doubts_switches(),
            hold: self.servos.hold(),
            sits_within_s: self.time_to_sit(),
        }
    }

    /// Whether what is done is to be published: not before it is known in which pose servos hold a robot that stands.
    #[must_use]
    pub fn speaks(&self) -> bool {
        self.servos.are_known()
    }

    /// Takes in what has come since the last tick and moves on by `dt` seconds to `now`.
    pub fn tick(&mut self, now: Moment, dt: f64) -> &Tick {
        self.listen(now, dt);
        self.take_turns(now.at);
        let goes_back = now.at < self.ticked.at;
        if goes_back {
            // For good, whatever the clock says later.
            self.steering.lose();
        }
        self.steering.settle(now, self.life());
        let robot = (self.player.engine(), self.player.last());
        self.refused = self.senses.fill(&mut self.input, robot, now, goes_back).or(self.refused);
        self.ticked = now;
        let wanted = self.steering.twist(self.player.engine());
        self.input.twist = self.condition_response.allowed(self.senses.allowed(wanted, dt), dt);
        self.moved |= !self.input.twist.is_zero();
        self.player.step(&self.input, dt);
        self.senses.planned.carry(self.player.last());
        self.look_at_robot(&now, dt);
        let end = self.end_of_step();
        self.tracker.follow(&self.player, end);
        self.watch.look(self.player.last(), self.player.is_playing(), now.at, dt);
        if let Some(fault) = self.watch.fault().filter(|fault| fault.is_final()) {
            self.tracker.abort(fault.reason());
        }
        self.watch.shown()
    }

    /// Looks whether the robot is where it should be, and stops it if it is not.
    fn look_at_robot(&mut self, now: &Moment, dt: f64) {
        match self.condition_response.look(self.player.last(), now, dt) {
            Some(Condition::Fallen) => self.freeze("the robot has fallen", *now),
            Some(Condition::Lifted) => self.freeze("the robot was lifted", *now),
            _ => {}
        }
        self.watch.fell(self.condition_response.condition() == Condition::Fallen);
    }

    /// Takes in what may not wait while a simulated clock stands, at `real` on the monotonic one: no time passes, but a stop
    /// or released servos end what the robot does. Its state, if that is another one now.
    pub fn tick_paused(&mut self, real: Duration) -> Option<&Tick> {
        self.listen(Moment { at: self.ticked.at, real }, 0.0);
        self.intake.stand(real);
        self.take_turns(self.ticked.at);
        let (before, now) = (self.watch.shown().state, self.player.last());
        (now.state != before).then(|| self.watch.look(now, self.player.is_playing(), self.ticked.at, 0.0))
    }

    /// Whether more commands wait to be taken in than come between two messages on the clock.
    pub fn is_crowded(&self) -> bool {
        self.intake.is_crowded()
    }

    fn take_turns(&mut self, tick_at: Duration) {
        while self.servos.are_known()
            && let Some(received) = self.intake.next(tick_at)
        {
            self.take(received);
        }
    }

    /// What comes of a motion that was ended by a step and by no other command: it was dropped, or the robot is driven.
    fn end_of_step(&mut self) -> End {
        let driver = self.steering.topic();
        let Some(dropped) = self.player.take_dropped() else { return End::canceled_by(driver) };
        self.refuse("motion", dropped.reason());
        if dropped == Dropped::Driven { End::canceled_by(driver) } else { End::aborted(dropped.reason()) }
    }

    /// Takes down what a simulated clock says, before the ticks it brings.
    pub fn clock(&mut self, now: Moment) {
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
        self.servos.are_held()
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

    fn take(&mut self, Received { command, sender, at }: Received) {
        match command {
            _ if self.condition_response.refuses(&command) => self.reject(&command, self.condition_response.reason()),
            Command::Twist(twist) => self.steer(DriveCommand::Twist(twist), sender, at),
            Command::Velocity(velocity) => self.steer(DriveCommand::Arc { velocity }, sender, at),
            Command::Curvature(curvature) => sender.into_iter().for_each(|from| self.steering.bend(curvature, from)),
            Command::Barred(topic) => sender.into_iter().for_each(|from| self.steering.take_barred(topic, from, at)),
            Command::BodyOffset(offset) => self.input.body_offset = offset,
            Command::Contacts(contacts) => self.senses.felt.take(contacts, at),
            Command::Feet(by, feet) => self.condition_response.feel(by, feet, at),
            Command::Imu(reported, up) => {
                self.condition_response.sense(&reported, at);
                self.senses.take_imu(&reported, up, at);
            }
            Command::Foothold(leg, place) => {
                self.senses.planned.take(self.player.engine(), leg, &place, self.ticked.at)
            }
            Command::Gait(gait) => self.player.engine_mut().set_gait(gait),
            Command::Motion(motion) => {
                if motion.is_some() {
                    self.moved = true;
                    // The newest command counts: what was driven before the motion does not end it.
                    self.steering.forget();
                }
                self.tracker.play(&mut self.player, motion);
            }
            Command::Trajectory(_) | Command::Goal(_) => match self.tracker.take_up(&mut self.player, &command) {
                true => self.steering.forget(),
                false => self.reject(&command, NOT_STANDING),
            },
            Command::EndGoal(request, why) => self.tracker.end_goal(&mut self.player, request, why),
            Command::Stand => {
                self.moved = true;
                if self.condition_response.stand() {
                    self.senses.felt.doubt();
                }
                self.player.stand();
                self.ended_by("stand");
            }
            Command::Sit => {
                self.player.sit();
                self.ended_by("sit");
            }
            Command::Retire => self.sit_for("retire"),
            Command::Pack if self.player.pack() => {
                self.moved = true;
                self.ended_by("pack");
            }
            Command::Pack => self.refuse("pack", "the robot has no packed pose"),
            Command::Stop => self.stop(at),
            Command::Freeze(why) => self.freeze(why, at),
            Command::StepHeight(height) => self.player.engine_mut().set_step_height(height),
            Command::Limits(limits) => self.player.engine_mut().set_limits(limits),
            Command::Timeout(seconds) => self.timeout = Duration::from_secs_f64(seconds),
        }
    }

    /// Hears what the servos hold. Commands wait for it.
    fn listen(&mut self, now: Moment, dt: f64) {
        self.servos.wait(now.real, dt);
        while let Some((held, change)) = self.servos.next() {
            if let Some(sitting) = self.condition_response.hear_servos(self.servos.are_held(), change) {
                self.player.lie(sitting);
            }
            match change {
                Change::Released(why) => self.freeze(why, now),
                Change::Found => self.steering.start(now, self.life()),
                Change::Other => {}
            }
            if let (Held::Pose(angles), false) = (held, self.moved) {
                self.adopt(&angles);
            }
        }
    }

    /// What the robot was doing is over. It is left where it is, and walks again for who has sent a command of zero first.
    fn freeze(&mut self, why: &'static str, at: Moment) {
        self.player.freeze();
        self.senses.forget_ground();
        self.steering.hold(at);
        self.tracker.abort(why);
    }

    fn stop(&mut self, at: Moment) {
        self.steering.stop(at, self.life());
        self.player.stop();
        self.ended_by("stop");
    }

    /// What was played is ended by a service, or for this reason.
    fn ended_by(&mut self, why: &'static str) {
        self.tracker.follow(&self.player, End::canceled_by(why));
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

    /// Refuses a command, and with it the request it is for.
    fn reject(&mut self, command: &Command, reason: &'static str) {
        self.tracker.reject(command, reason);
        self.refuse(command.topic(), reason);
    }

    fn refuse(&mut self, topic: &'static str, reason: &'static str) {
        self.refused = Some(Refused { topic, reason });
    }

    fn steer(&mut self, wanted: DriveCommand, sender: Option<Sender>, at: Moment) {
        let Some(sender) = sender else { return };
        if self.condition_response.bars() && !wanted.is_rest() {
            return self.steering.take_barred(wanted.topic(), sender, at);
        }
        match self.steering.take(wanted, sender, at, self.life()) {
            Ok(()) => self.notice(),
            Err(IgnoredCommand { why, is_new: true }) => self.refuse(wanted.topic(), why.reason()),
            Err(_) => {}
        }
    }

    /// Shows the engine what is wanted between two commands of one tick: a stick that rested at a stop, or was let go.
    fn notice(&mut self) {
        let twist = self.steering.twist(self.player.engine());
        self.player.engine_mut().notice(twist);
    }

    /// How long a command that drives counts.
    fn life(&self) -> Life {
        Life { timeout: self.timeout.max(self.intake.least_timeout()) }
    }
}

#[cfg(test)]
mod tests;
