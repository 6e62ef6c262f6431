//! What a servo replies, and whether it does what it was commanded.

use std::time::Duration;

use super::block::Block;
use super::series::Field;
use super::standing::SLOW_RAD_S;
use super::trouble::Trouble;
use super::unit::ServoUnit;

/// A servo that so often reports another goal than it was commanded is not ours any more.
const ALTERED: u8 = 3;
/// A servo that holds is far from its goal for so long only where it cannot get there: at stall torque it is a few degrees
/// away, and at top speed it follows within a tenth of a second.
const STRAYS: Duration = Duration::from_secs(2);

impl ServoUnit {
    /// Takes in what a reply says. What it says of the servo's commands is compared with those. False if it is no such reply.
    pub fn hear(&mut self, now: Duration, error: u8, block: Block, values: &[u8]) -> bool {
        if values.len() != usize::from(block.count) {
            return false;
        }
        let series = self.servo.series;
        let number = |field: Field| series.number(field, block, values);
        self.sensed.take(&self.servo, now, error, (block, values));
        if let Some(goal) = self.commanded() {
            self.sensed.take_error(&self.servo, now, goal);
        }
        // What was sent may have been lost on the way.
        let slow = i64::from(series.speed_limit(SLOW_RAD_S));
        self.quick &= number(series.speed).is_none_or(|speed| speed != slow);
        if self.holds && number(series.position).is_some() && !self.sensed.doubts_place() {
            let speed = self.sensed.measured.velocity_rad_s.filter(|speed| speed.at == now);
            let speed_rad_s = speed.map_or(0.0, |speed| speed.value);
            self.standing.see(series, self.sensed.steps(), speed_rad_s, now);
            self.check_place(now);
        }
        let alarm = series.alarm.and_then(number).map(|bits| bits as u8 & self.shutdown != 0);
        let force = series.force.and_then(number).map(|force| force == 0);
        self.is_shut_down = alarm.or(force).unwrap_or(self.is_shut_down);
        let is_stopped = series
            .watchdog
            .is_some_and(|watchdog| number(Field::new(watchdog.at, 1)) == Some(i64::from(watchdog.tripped)));
        let torque = number(Field::new(series.torque, 1));
        let doubt = self.check_torque(torque, is_stopped) | self.check_goal(number(series.goal));
        // What is in doubt is read again at once.
        self.visit = if doubt { self.visit } else { self.visit.wrapping_add(1) };
        true
    }

    /// Looks how far it is from its goal. Servos follow at once; one that is far from its goal for long cannot.
    fn check_place(&mut self, now: Duration) {
        let away_rad = self.commanded().map_or(0.0, |goal| (f64::from(goal) - self.position()).abs())
            * self.servo.series.rad_per_step;
        if self.off || !self.standing.is_over() || away_rad <= self.strays_rad {
            self.strays_since = None;
        } else if now.saturating_sub(*self.strays_since.get_or_insert(now)) >= STRAYS {
            self.lost = Some(Trouble::Strays { id: self.servo.id, degrees: away_rad.to_degrees().round() as u16 });
        }
    }

    /// Looks at what it says of its torque; true if that is not as commanded.
    fn check_torque(&mut self, torque: Option<i64>, is_stopped: bool) -> bool {
        let Some(torque) = torque else { return false };
        if !self.holds {
            // Nobody else may switch it on unseen.
            self.limp = torque == 0;
        }
        if self.off || !self.holds {
            return false;
        }
        let id = self.servo.id;
        let trouble = if torque != 1 || self.is_shut_down {
            Some(Trouble::LetGo { id, alarm: self.sensed.measured.alarm })
        } else {
            is_stopped.then_some(Trouble::Stopped { id })
        };
        self.limp_itself = if trouble.is_some() { self.limp_itself + 1 } else { 0 };
        if self.limp_itself >= ALTERED {
            self.lost = trouble;
        }
        trouble.is_some()
    }

    /// Looks at what goal it says it has; true if that is another than it was given.
    fn check_goal(&mut self, goal: Option<i64>) -> bool {
        let Some((goal, expected)) = goal.zip(self.commanded) else { return false };
        if self.off || !self.holds || self.limp_itself > 0 {
            return false;
        }
        let (id, read) = (self.servo.id, goal as u16);
        let is_other = read != expected;
        self.altered = if is_other { self.altered + 1 } else { 0 };
        // A frame may have been lost on the way, once.
        self.repeat |= is_other;
        if self.altered >= ALTERED {
            self.lost = Some(Trouble::Altered { id, read, expected });
        }
        is_other
    }
}
