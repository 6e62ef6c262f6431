//! One step: the engine's, or what is played.

use super::state::{Dropped, Phase, Player};
use crate::gait::posture::BodyOffset;
use crate::plane::grid::tick_s;
use crate::state::pose::Target;
use crate::state::tick::{GaitState, Input, Tick};

/// How long the engine has to bring the body straight above its feet, s.
const MOST_STRAIGHTENING_S: f64 = 5.0;

impl Player {
    /// Moves on by `dt` seconds, as the engine does. A twist breaks off what is played.
    pub fn step(&mut self, input: &Input, dt: f64) -> &Tick {
        let dt = tick_s(dt);
        let driven = self.engine.is_command(input.twist);
        if driven && self.job.is_busy() {
            if matches!(self.phase, Phase::Idle | Phase::Settling(_)) {
                self.drop_motions(Dropped::Driven);
            }
            self.cancel();
        }
        if matches!(self.phase, Phase::Idle) && self.job.is_busy() && !driven {
            self.begin(dt);
        } else {
            self.straightening_s = 0.0;
        }
        match self.phase {
            Phase::Idle => {
                let straightens = self.straightening_s > 0.0;
                let straight = Input { body_offset: BodyOffset::default(), ..*input };
                self.engine.step(if straightens { &straight } else { input }, dt);
                return self.engine.last();
            }
            // The engine stands meanwhile, and sees when the driver lets go of the stick.
            Phase::Entering(_) | Phase::Running | Phase::Leaving(_) if !driven => {
                self.engine.step(&Input::default(), dt);
            }
            _ => {}
        }
        self.play_on(dt);
        self.last()
    }

    /// Starts to play once the engine stands, with the body about straight above its feet and at rest: the engine slows it down
    /// gently, and knows ways round the limits of joints that bar the straight one.
    fn begin(&mut self, dt: f64) {
        match self.engine.present_state() {
            GaitState::Sitting => self.engine.stand(),
            GaitState::Standing if self.engine.is_at_another_height() => {
                if std::mem::replace(&mut self.sent_home, true) {
                    self.sent_home = false;
                    self.drop_motions(Dropped::NoLegToSpare);
                } else {
                    self.engine.go_home();
                }
            }
            GaitState::Standing if self.straightening_s < MOST_STRAIGHTENING_S && !self.engine.is_straight() => {
                self.straightening_s += dt;
            }
            GaitState::Standing => {
                (self.sent_home, self.straightening_s) = (false, 0.0);
                self.tick = *self.engine.own_last();
                self.angles = self.tick.angles;
                self.home = self.engine.own_home();
                let mut pose = self.home.pose;
                (pose.offset, pose.feet) = (self.engine.offset(), self.tick.feet);
                self.now = Target::Feet(pose);
                self.phase = Phase::Settling(None);
                (self.pace, self.cancelled) = (1.0, false);
                self.choose();
            }
            _ => {}
        }
    }
}
