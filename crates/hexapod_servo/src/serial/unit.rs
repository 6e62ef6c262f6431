//! One servo as the driver knows it: what it was commanded, what it measures, whether it answers.

use std::time::Duration;

use super::block::Block;
use super::config::Servo;
use super::pace::TICK;
use super::port::PortError;
use super::sensed::Sensed;
use super::series::{Field, Series};
use super::standing::{SLOW_RAD_S, Standing};
use super::trouble::Trouble;
use crate::backend::{Measured, Service};

/// A servo that has not answered for so long is lost, and a line that does not work, once it was missed so often.
pub(super) const LOST_AFTER: Duration = Duration::from_millis(80);
/// The same of all servos at once, which go on holding: a bus that hangs for less is followed.
pub(super) const ALL_LOST_AFTER: Duration = Duration::from_millis(150);
pub(super) const MISSES: u8 = 3;
/// A servo that was switched off, and did not say that it is, is switched off again after this time; one that did, after the
/// longer one: nobody else may switch it on unseen.
const OFF_RETRY: Duration = Duration::from_millis(20);
const OFF_AGAIN: Duration = Duration::from_millis(400);

#[derive(Debug)]
pub(super) struct ServoUnit {
    pub servo: Servo,
    /// Lowest and highest goal that it takes, if it has such limits.
    pub own_limits: Option<(i64, i64)>,
    /// Of the bits that it may complain by, those that end its torque.
    pub shutdown: u8,
    /// It gives no torque before its supply was off.
    pub is_shut_down: bool,
    /// To be limp, and kept so.
    pub(super) off: bool,
    /// It says that it is limp.
    pub(super) limp: bool,
    next_off: Duration,
    /// The step it shall go to; `None`: limp.
    wanted: Option<u16>,
    /// The last goal, whether it is to be sent once more, and whether torque was switched on.
    pub(super) commanded: Option<u16>,
    pub(super) repeat: bool,
    /// It says that it has that goal.
    confirmed: bool,
    pub(super) holds: bool,
    /// Whether it has come to rest since then, and has been given its full speed.
    pub(super) standing: Standing,
    pub(super) quick: bool,
    /// How far it may be from its goal, and since when it has been farther.
    pub(super) strays_rad: f64,
    pub(super) strays_since: Option<Duration>,
    /// How often it was missed since it answered last, and since when it has been silent: some are asked but now and then.
    misses: u8,
    silent_since: Duration,
    /// How often in a row it said that it has let go, and that it has another goal.
    pub(super) limp_itself: u8,
    pub(super) altered: u8,
    /// In how many exchanges it has waited for its goal.
    waited: u32,
    /// Which block of its state is read next.
    pub(super) visit: usize,
    pub(super) sensed: Sensed,
    pub lost: Option<Trouble>,
}

impl ServoUnit {
    /// One that may be so far from its goal, rad.
    pub fn new(servo: Servo, strays_rad: f64) -> Self {
        Self {
            servo,
            strays_rad,
            own_limits: None,
            shutdown: 0,
            is_shut_down: false,
            off: true,
            limp: false,
            next_off: Duration::ZERO,
            wanted: None,
            commanded: None,
            repeat: false,
            confirmed: false,
            holds: false,
            standing: Standing::default(),
            quick: false,
            strays_since: None,
            misses: 0,
            silent_since: Duration::ZERO,
            limp_itself: 0,
            altered: 0,
            waited: 0,
            visit: 0,
            sensed: Sensed::default(),
            lost: None,
        }
    }

    pub fn service(&self) -> Service {
        match (self.off, self.misses > 0, self.holds || self.wanted.is_some()) {
            (true, ..) => Service::Off,
            (false, true, _) => Service::Failing,
            (false, false, true) if self.settles() => Service::Settling,
            (false, false, true) => Service::Holding,
            (false, false, false) => Service::Ready,
        }
    }

    /// Where it is, in steps.
    pub fn position(&self) -> f64 {
        self.sensed.steps()
    }

    /// The step that it last said, believed or not.
    pub fn said(&self) -> f64 {
        self.sensed.said
    }

    pub fn measured(&self) -> Measured {
        self.sensed.measured
    }

    /// The step it was commanded and holds.
    pub fn commanded(&self) -> Option<u16> {
        self.commanded.filter(|_| self.holds)
    }

    /// Where it shall go; `None`: limp.
    pub fn set(&mut self, target_rad: Option<f64>) {
        self.wanted = target_rad.map(|target_rad| self.servo.step(target_rad));
        if self.wanted.is_none() {
            self.next_off = Duration::ZERO;
        }
    }

    /// The goal to be sent now, if it is another than before.
    pub fn due(&self) -> Option<u16> {
        self.wanted.filter(|wanted| !self.off && (!self.holds || self.repeat || self.commanded != Some(*wanted)))
    }

    /// Whether it goes to its first goal, slowly.
    fn settles(&self) -> bool {
        !self.standing.is_over()
    }

    /// Its goal, if it is to be given its full speed with it.
    pub fn to_quicken(&self) -> Option<u16> {
        let is_due = self.holds && !self.off && self.standing.is_over() && !self.quick;
        self.wanted.filter(|_| is_due && self.servo.series.speed != Field::NONE)
    }

    /// Whether its torque is to be switched on, once it says that it has its goal.
    pub fn is_to_hold(&self) -> bool {
        !self.off && !self.holds && self.wanted.is_some() && self.commanded == self.wanted
    }

    /// Notes the goal that it says it has.
    pub fn confirm(&mut self, goal: Option<i64>) {
        self.confirmed = goal.is_some() && goal == self.commanded.map(i64::from);
    }

    /// Whether it says that it has its goal.
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// Whether its torque is to be switched off now.
    pub fn is_to_go_limp(&self, now: Duration) -> bool {
        (self.off || (self.wanted.is_none() && !self.limp)) && now >= self.next_off
    }

    /// Notes what model it is.
    pub fn note_model(&mut self, number: Option<i64>) {
        let number = number.and_then(|number| u16::try_from(number).ok());
        self.sensed.model = number.and_then(|number| self.servo.series.model(number));
    }

    /// Notes what was sent.
    pub fn note_goal(&mut self) {
        (self.commanded, self.repeat, self.confirmed) = (self.due().or(self.commanded), false, false);
        self.waited = 0;
        self.limp &= !self.servo.series.torque_with_goal;
    }

    /// Notes that it was sent its full speed.
    pub fn note_quick(&mut self) {
        self.note_goal();
        self.quick = true;
    }

    /// An exchange begins: it waits, if a goal is due.
    pub fn wait(&mut self) {
        self.waited = if self.due().is_some() { self.waited.saturating_add(1) } else { 0 };
    }

    pub fn waited(&self) -> u32 {
        self.waited
    }

    /// Whether its torque was switched on.
    pub fn holds(&self) -> bool {
        self.holds
    }

    pub fn note_torque(&mut self) {
        (self.holds, self.limp) = (true, false);
    }

    /// Notes that its torque was switched off, and whether it says that it is. Whatever it says, it begins anew if it is wanted.
    pub fn note_limp(&mut self, now: Duration, limp: bool) {
        (self.limp, self.commanded, self.holds) = (limp, None, false);
        (self.standing, self.quick) = (Standing::default(), false);
        self.next_off = now + if limp { OFF_AGAIN } else { OFF_RETRY };
    }

    pub fn is_limp(&self) -> bool {
        self.limp
    }

    /// Whether it is meant to be limp, and did not say that it is.
    pub fn resists(&self) -> bool {
        self.off && !self.limp
    }

    /// Commands it limp from the next exchange on.
    pub fn let_go(&mut self) {
        if self.off {
            return;
        }
        (self.off, self.limp, self.wanted, self.commanded) = (true, false, None, None);
        (self.misses, self.limp_itself, self.altered, self.next_off) = (0, 0, 0, Duration::ZERO);
    }

    /// Has it switched off again at once if it has not said yet that it is limp.
    pub fn ask_again(&mut self) {
        if self.resists() {
            self.next_off = Duration::ZERO;
        }
    }

    /// Commands it limp at once, whatever it said before.
    pub fn demand_limp(&mut self) {
        self.let_go();
        (self.limp, self.next_off) = (false, Duration::ZERO);
    }

    /// In service from now on. One that holds goes on holding.
    pub fn enter_service(&mut self) {
        self.off = false;
        (self.misses, self.limp_itself, self.altered) = (0, 0, 0);
    }

    /// After a refused arming: limp again, unless it holds.
    pub fn stay_off(&mut self) {
        self.off |= !self.holds;
    }

    /// Judges an exchange in which it answered.
    pub fn note_answer(&mut self) {
        self.misses = 0;
    }

    /// Judges an exchange in which it did not answer, and others did.
    pub fn note_silence(&mut self, now: Duration) {
        if !self.off {
            self.note_miss(now);
            self.misses = self.misses.saturating_add(1);
            if self.misses >= MISSES && now.saturating_sub(self.silent_since) >= LOST_AFTER {
                self.lost = Some(Trouble::Silent { id: self.servo.id });
            }
        }
    }

    /// Judges an exchange in which nobody answered: that says nothing of it alone.
    pub fn note_dead_line(&mut self, now: Duration, is_lost: bool, error: Option<PortError>) {
        if !self.off {
            self.note_miss(now);
            self.misses = self.misses.max(1);
            if is_lost {
                self.lost = Some(error.map_or(Trouble::AllSilent, |error| Trouble::Line { error }));
            }
        }
    }

    fn note_miss(&mut self, now: Duration) {
        if self.misses == 0 {
            self.silent_since = now.saturating_sub(TICK);
        }
    }

    pub fn is_failing(&self) -> bool {
        !self.off && self.misses > 0
    }

    /// Its position is read next, and believed whatever it was before.
    pub fn begin_anew(&mut self) {
        self.visit = 0;
        self.sensed.forget_place();
    }

    /// What of its state is read next. One that does not hold has no goal that counts, but may be switched on by others.
    pub fn due_block(&self) -> Block {
        let Series { state, first, torque, present, .. } = *self.servo.series;
        let due = state.get(self.visit % state.len().max(1)).copied().unwrap_or(present);
        if due == first && !self.holds { Block::new(torque, 1) } else { due }
    }

    /// How long the way to its next goal shall take: until the one after that, or longer if it waited for longer or would be too
    /// fast.
    pub fn time_for(&self, speed_limit_rad_s: f64, every: Duration) -> Duration {
        if self.settles() {
            return self.servo.series.whole_way(SLOW_RAD_S);
        }
        let from = self.commanded().map_or(self.position(), f64::from);
        let away = self.wanted.map_or(0.0, |wanted| (f64::from(wanted) - from).abs());
        let least_s = away * self.servo.series.rad_per_step / speed_limit_rad_s.max(1e-3);
        let waited = TICK * self.waited;
        every.max(waited).max(Duration::try_from_secs_f64(least_s).unwrap_or(every))
    }
}
