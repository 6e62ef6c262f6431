//! Who drives, how long a command counts, and what a stop holds: the safety of the web teleop, without I/O and without a
//! clock. All that comes in carries the time of its receipt; what is to be published comes out.
//!
//! - At most one client drives at a time: it has the lease.
//! - A motion counts for the dead-man time after its receipt; then a zero is published. Nothing is repeated but zeros. Its driver
//!   has to send a zero then: the published one released no stick, and lifts the bar that somebody's stop has set meanwhile.
//! - A motion whose sender has not seen a recent state is stale: it has waited somewhere.
//! - A stop acts whoever sends it. It holds until the servos are enabled again (an emergency stop) and the driver has sent
//!   zero, having seen the stop.

use crate::intents::{ClientId, Hold, Intent, Motion, Order, Refusal, Seen, Stop, Want};
use crate::protocol::{Ask, Service};
use crate::state_age::StateAge;
use std::time::Duration;

/// Intents whose sender's newest state is older than this are stale.
pub const STALE_AFTER: Duration = Duration::from_millis(500);
/// The same of whatever else sets the robot in motion. Together with the way to the driver it is less than the time for which that
/// is quiet after a stop, of which nobody may have heard here.
const ASKED_LATE: Duration = Duration::from_millis(600);
/// Zeros are published so often, for `cmd_vel` may lose one.
const ZEROS: u8 = 3;
/// Time between two of them.
const ZERO_EVERY: Duration = Duration::from_millis(40);
/// Diagnostics that say so late after an emergency stop that the servos are on were made after it.
const REPORTED_AFTER: Duration = Duration::from_millis(1500);

/// The state of all that.
#[derive(Clone, Debug)]
pub struct DriveLease {
    dead_man: Duration,
    state_age: StateAge,
    driver: Option<ClientId>,
    /// Since when the driver has to send zero before anything else; zeros from before do not count.
    release: Option<Duration>,
    /// What the last stop holds yet.
    hold: Hold,
    /// When that was, and the number of the newest state then: who has seen none later does not know of it. Zero if there was none.
    stopped: Duration,
    stopped_at: u64,
    /// What is walked, and since when it is not renewed.
    moving: Option<(Motion, Duration)>,
    /// Zeros to be published yet: what, how many, when.
    zeros: Option<(Motion, u8, Duration)>,
}

impl DriveLease {
    /// A lease that nobody holds.
    #[must_use]
    pub fn new(dead_man: Duration) -> Self {
        Self {
            dead_man,
            state_age: StateAge::default(),
            driver: None,
            release: None,
            hold: Hold::Nothing,
            stopped: Duration::ZERO,
            stopped_at: 0,
            moving: None,
            zeros: None,
        }
    }

    /// Who drives.
    #[must_use]
    pub fn driver(&self) -> Option<ClientId> {
        self.driver
    }

    /// What holds the robot since the last stop.
    #[must_use]
    pub fn hold(&self) -> Hold {
        self.hold
    }

    /// Takes down that a state was made at `now`, and returns its number.
    pub fn show(&mut self, now: Duration) -> u64 {
        self.state_age.show(now)
    }

    /// A client asks for the lease, or gives it back. True if that changed who drives.
    ///
    /// # Errors
    /// Somebody else drives.
    pub fn lease(
        &mut self,
        client: ClientId,
        want: Want,
        now: Duration,
        orders: &mut Vec<Order>,
    ) -> Result<bool, Refusal> {
        match (want, self.driver) {
            (Want::Take | Want::TakeOver, Some(driver)) if driver == client => Ok(false),
            (Want::Take, Some(driver)) => Err(Refusal::HasDriver(driver)),
            (Want::Release, driver) if driver != Some(client) => Ok(false),
            (Want::Release, _) => {
                self.driver = None;
                self.rest(now, orders);
                Ok(true)
            }
            (Want::Take | Want::TakeOver, _) => {
                self.driver = Some(client);
                self.release = Some(now);
                self.rest(now, orders);
                Ok(true)
            }
        }
    }

    /// A client's connection has ended. True if it drove.
    pub fn leave(&mut self, client: ClientId, now: Duration, orders: &mut Vec<Order>) -> bool {
        let drove = self.driver == Some(client);
        if drove {
            self.driver = None;
            self.rest(now, orders);
        }
        drove
    }

    /// A client's intent to move.
    ///
    /// # Errors
    /// Why it is not followed.
    pub fn drive(
        &mut self,
        client: ClientId,
        intent: Intent,
        now: Duration,
        orders: &mut Vec<Order>,
    ) -> Result<(), Refusal> {
        if self.driver != Some(client) {
            return Err(Refusal::NoLease);
        }
        if intent.motion.is_zero() {
            self.released(&intent);
            self.end_other(&intent.motion, orders);
            self.moving = None;
            self.zeros = Some((intent.motion, ZEROS - 1, now + ZERO_EVERY));
            orders.push(Order::Move(intent.motion));
            return Ok(());
        }
        self.may_move(&intent)?;
        // It may have waited here, too.
        if now.saturating_sub(intent.received) >= self.dead_man {
            return Err(Refusal::Stale);
        }
        self.end_other(&intent.motion, orders);
        self.zeros = None;
        self.moving = Some((intent.motion, intent.received));
        orders.push(Order::Move(intent.motion));
        Ok(())
    }

    /// Ends a motion that is walked by other topics than `next` comes on.
    fn end_other(&self, next: &Motion, orders: &mut Vec<Order>) {
        if let Some((last, _)) = self.moving
            && std::mem::discriminant(&last) != std::mem::discriminant(next)
        {
            orders.push(Order::Move(last.at_rest()));
        }
    }

    /// Whether an intent that is not zero may be followed.
    fn may_move(&self, intent: &Intent) -> Result<(), Refusal> {
        self.is_released()?;
        self.is_fresh(intent.seen, intent.received)
    }

    /// Whether neither a stop nor a new lease holds the robot.
    fn is_released(&self) -> Result<(), Refusal> {
        match (self.hold, self.release) {
            (Hold::Enable, _) => Err(Refusal::Stopped),
            (Hold::Zero, _) | (Hold::Nothing, Some(_)) => Err(Refusal::ReleaseFirst),
            (Hold::Nothing, None) => Ok(()),
        }
    }

    /// Takes a zero for the release of the stick, if its sender knew what it was for.
    fn released(&mut self, intent: &Intent) {
        let knew = |since: Duration| self.state_age.made(intent.seen).is_some_and(|made| made >= since);
        if self.release.is_some_and(knew) {
            self.release = None;
            if self.hold == Hold::Zero {
                self.hold = Hold::Nothing;
            }
        }
    }

    /// Whether a client may ask for something else than motion: a pose, a gait, a service.
    ///
    /// # Errors
    /// It does not drive.
    pub fn may_ask(&self, client: ClientId) -> Result<(), Refusal> {
        if self.driver == Some(client) { Ok(()) } else { Err(Refusal::NoLease) }
    }

    /// Whether a client may move the robot otherwise than with the stick: a pose, a motion.
    ///
    /// # Errors
    /// It does not drive, or a stop holds.
    pub fn may_pose(&self, client: ClientId) -> Result<(), Refusal> {
        self.may_ask(client)?;
        self.is_released()
    }

    /// Whether what a client asks for is done. What sets the robot in motion has to come of somebody who knew of the last stop: it
    /// may have been under way since before.
    ///
    /// # Errors
    /// Why it is not.
    pub fn may(&self, client: ClientId, what: &Ask, received: Duration) -> Result<(), Refusal> {
        match what {
            Ask::Lease(_) | Ask::Record(_) | Ask::StopAll => return Ok(()),
            Ask::Motion(name, _) if !name.is_empty() => self.may_pose(client)?,
            Ask::Gait(_) | Ask::Call(..) | Ask::Motion(..) => self.may_ask(client)?,
        }
        match *what {
            Ask::Motion(ref name, seen) if !name.is_empty() => self.is_recent(seen, received),
            Ask::Call(Service::Enable | Service::Stand | Service::Pack, seen) => self.is_recent(seen, received),
            Ask::Call(Service::Sit, seen) => self.knew_stop(seen),
            _ => Ok(()),
        }
    }

    /// Up to when a client knew what had happened.
    #[must_use]
    pub fn knew(&self, seen: Seen) -> Duration {
        match seen {
            Seen::State(number) => self.state_age.made(number).unwrap_or_default(),
            Seen::Until(time) => time,
        }
    }

    /// Whether a client knew of the last stop.
    fn knew_stop(&self, seen: Seen) -> Result<(), Refusal> {
        let knew = match seen {
            Seen::State(number) => number > self.stopped_at,
            Seen::Until(time) => time >= self.stopped,
        };
        if knew { Ok(()) } else { Err(Refusal::Unseen) }
    }

    fn is_recent(&self, seen: Seen, received: Duration) -> Result<(), Refusal> {
        self.knew_stop(seen)?;
        if received.saturating_sub(self.knew(seen)) <= ASKED_LATE { Ok(()) } else { Err(Refusal::Stale) }
    }

    /// Whether something that carries the state its sender saw is fresh.
    ///
    /// # Errors
    /// It is not.
    pub fn is_fresh(&self, seen: u64, received: Duration) -> Result<(), Refusal> {
        match self.state_age.age(seen, received) {
            Some(age) if age <= STALE_AFTER => Ok(()),
            _ => Err(Refusal::Stale),
        }
    }

    /// Anybody stops the robot.
    pub fn stop(&mut self, stop: Stop, now: Duration, orders: &mut Vec<Order>) {
        orders.push(Order::Stop(stop));
        self.release = Some(now);
        (self.stopped, self.stopped_at) = (now, self.state_age.newest());
        // A halt does not release an emergency stop.
        if stop == Stop::Emergency {
            self.hold = Hold::Enable;
        } else if self.hold != Hold::Enable {
            self.hold = Hold::Zero;
        }
        self.rest(now, orders);
    }

    /// The servos have been enabled at this client's wish.
    pub fn enabled(&mut self, now: Duration) -> bool {
        let was_held = self.hold == Hold::Enable;
        if was_held {
            self.hold = Hold::Zero;
            self.release = Some(now);
        }
        was_held
    }

    /// Diagnostics that came in at `said` say that the servos are on. True if that released a stop: somebody else has
    /// enabled them.
    pub fn reported_live(&mut self, said: Duration, now: Duration) -> bool {
        said >= self.stopped + REPORTED_AFTER && self.enabled(now)
    }

    /// What is due at `now`: the zero after the dead-man time, and its repetitions.
    pub fn tick(&mut self, now: Duration, orders: &mut Vec<Order>) {
        if self.moving.is_some_and(|(_, received)| now >= received + self.dead_man) {
            self.rest(now, orders);
            self.release = Some(now);
        }
        if let Some((zero, left, at)) = self.zeros
            && now >= at
        {
            orders.push(Order::Move(zero));
            self.zeros = (left > 1).then_some((zero, left - 1, now + ZERO_EVERY));
        }
    }

    /// When [`Self::tick`] has something to do next.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        let dead = self.moving.map(|(_, received)| received + self.dead_man);
        let zero = self.zeros.map(|(_, _, at)| at);
        dead.into_iter().chain(zero).min()
    }

    /// Ends what is walked.
    fn rest(&mut self, now: Duration, orders: &mut Vec<Order>) {
        if let Some((motion, _)) = self.moving.take() {
            orders.push(Order::Move(motion.at_rest()));
            self.zeros = Some((motion.at_rest(), ZEROS - 1, now + ZERO_EVERY));
        }
    }
}
