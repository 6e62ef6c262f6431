//! The node: buttons in, calls and names out.

use crate::action::Action;
use crate::buttons::Buttons;
use crate::params::Setup;
use hexapod_ros::bounds::reason;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::sensor_msgs::msg::Joy;
use hexapod_ros::r2r::std_msgs::msg::String as StringMsg;
use hexapod_ros::r2r::std_srvs::srv::Trigger;
use hexapod_ros::{
    Caller, Enabler, Publisher, Received, RosError, RosNode, Sender, Shutdown, Stage, StandstillWatch, monotonic_now,
    qos,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Joysticks whose buttons are kept; of more, those heard last.
const MOST_JOYSTICKS: usize = 8;
/// How often an emergency stop that is not answered is sent again.
const REPEAT_EVERY: Duration = Duration::from_millis(250);
/// For how long after its button was let go: whoever pressed it for a moment, before the driver was heard, meant it as well.
const REPEAT_FOR: Duration = Duration::from_secs(5);
/// Without an answer for so long, the log says so.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Why the node failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A topic or a service could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// A thread could not be started.
    #[error("a thread cannot be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Runs the node until `shutdown`.
///
/// # Errors
/// A topic or a service cannot be opened, a thread not be started.
pub fn run(setup: Setup, mut node: RosNode, shutdown: &Shutdown) -> Result<(), RunError> {
    let mut calls = ButtonCalls::open(&mut node, setup)?;
    // A press is lost with a message, and comes again with the next: joy_node repeats. What came late by being sent again
    // would be a press of the past.
    node.subscribe_from("joy", qos::stream(), move |message: Joy, from| calls.take(&message.buttons, from))?;
    node.spin(shutdown, Stage::Stopping);
    Ok(())
}

/// Who turns buttons into calls.
struct ButtonCalls {
    setup: Setup,
    joysticks: BTreeMap<Sender, Buttons>,
    stop: Stop,
    calls: Vec<(Action, Caller<Trigger::Service>)>,
    enable: Enabler,
    standstill: StandstillWatch,
    motion: Publisher<StringMsg>,
    gait: Publisher<StringMsg>,
}

impl ButtonCalls {
    fn open(node: &mut RosNode, setup: Setup) -> Result<Self, RunError> {
        let mut calls = vec![];
        for action in [Action::Stop, Action::Stand, Action::Sit, Action::Pack] {
            let caller = node.caller(&action.to_string())?;
            calls.push((action, caller));
        }
        tell_assigned(&setup);
        Ok(Self {
            setup,
            joysticks: BTreeMap::new(),
            stop: Stop { caller: node.caller("emergency_stop")?, asked: None, answered: Arc::default(), reported: 0 },
            calls,
            enable: Enabler::new(node.caller("enable")?),
            standstill: StandstillWatch::start()?,
            motion: node.publisher("motion", QosProfile::default())?,
            gait: node.publisher("gait", QosProfile::default())?,
        })
    }

    fn take(&mut self, pressed: &[i32], from: &Received) {
        if !self.joysticks.contains_key(&from.sender) {
            self.tell_found(pressed.len());
            self.make_room();
        }
        let buttons = self.joysticks.entry(from.sender).or_default();
        let actions = buttons.take(pressed, &self.setup.meaning, from.at);
        let is_held = buttons.is_stop_held(&self.setup.meaning);
        if actions.iter().any(|(_, action)| **action == Action::EmergencyStop) {
            self.enable.cancel();
            self.stop.ask(monotonic_now());
        }
        self.enable.poll();
        self.stop.repeat(is_held, monotonic_now());
        let has_waited = self.standstill.is_recent();
        for (button, action) in actions {
            if has_waited && !action.stops() {
                tracing::warn!(
                    "button {button}: {action}: not done, since this node has just stood still; press it again"
                );
                continue;
            }
            tracing::info!("button {button}: {action}");
            if let Err(error) = self.carry_out(action) {
                tracing::error!("{action}: {error}");
            }
        }
    }

    /// Says what joystick it is, and which of the assigned buttons it lacks.
    fn tell_found(&self, count: usize) {
        tracing::info!("joystick found: {count} buttons");
        let missing = Buttons::missing(count, &self.setup.meaning);
        let missing: Vec<String> = missing.map(|(button, action)| format!("button_{button} ({action})")).collect();
        if !missing.is_empty() {
            tracing::warn!("the joystick has no {}; see `ros2 topic echo joy`", missing.join(", "));
        }
    }

    /// Forgets the joystick that has said nothing for longest, where there are too many.
    fn make_room(&mut self) {
        let oldest = self.joysticks.iter().min_by_key(|(_, buttons)| buttons.last_heard()).map(|(sender, _)| *sender);
        if let Some(oldest) = oldest.filter(|_| self.joysticks.len() >= MOST_JOYSTICKS) {
            self.joysticks.remove(&oldest);
        }
    }

    fn carry_out(&self, action: &Action) -> Result<(), RosError> {
        match action {
            Action::EmergencyStop => Ok(()),
            Action::Enable(data) => {
                let action = action.clone();
                self.enable.call(*data, monotonic_now(), move |a| tell(&action, a.success, &a.message))
            }
            Action::Motion(name) => self.motion.publish(&StringMsg { data: name.clone() }),
            Action::Gait(name) => self.gait.publish(&StringMsg { data: name.clone() }),
            Action::Stop | Action::Stand | Action::Sit | Action::Pack => {
                let Some((_, caller)) = self.calls.iter().find(|(known, _)| known == action) else { return Ok(()) };
                let action = action.clone();
                caller.call(&Trigger::Request {}, move |a| tell(&action, a.success, &a.message))
            }
        }
    }
}

/// Says how many buttons do something, and what is missed among them.
fn tell_assigned(setup: &Setup) {
    match setup.meaning.len() {
        0 => tracing::warn!("no button is assigned: pressing them does nothing; see joystick.yaml"),
        1 => tracing::info!("1 button is assigned"),
        count => tracing::info!("{count} buttons are assigned"),
    }
    if !setup.stops() {
        tracing::warn!("no button is an emergency stop; write `button_N: emergency_stop` in joystick.yaml");
    }
}

/// Says what a service has answered.
fn tell(action: &Action, success: bool, message: &str) {
    let message = reason(message);
    if success {
        tracing::info!("{action}: {message}");
    } else {
        tracing::warn!("{action} refused: {message}");
    }
}

/// The emergency stop, from its press to its answer.
struct Stop {
    caller: Caller<Trigger::Service>,
    asked: Option<PendingStop>,
    /// The number of the last one that was answered.
    answered: Arc<AtomicU64>,
    /// The number of the last one of which the log says that nobody answers.
    reported: u64,
}

#[derive(Clone, Copy)]
struct PendingStop {
    number: u64,
    first: Duration,
    last: Duration,
    /// When its button was last seen held.
    held: Duration,
}

impl Stop {
    fn ask(&mut self, now: Duration) {
        let number = self.asked.map_or(0, |asked| asked.number) + 1;
        self.asked = Some(PendingStop { number, first: now, last: now, held: now });
        self.send(number);
    }

    /// Sends it again while its button is held, and for [`REPEAT_FOR`], until it is answered, and says where it is not.
    fn repeat(&mut self, is_held: bool, now: Duration) {
        let Some(asked) = &mut self.asked else { return };
        if self.answered.load(Ordering::Relaxed) >= asked.number {
            return;
        }
        let number = asked.number;
        if now.saturating_sub(asked.first) >= ANSWER_TIME && self.reported < number {
            self.reported = number;
            tracing::error!("the emergency stop is not answered: cut the power");
        }
        if is_held {
            asked.held = now;
        }
        let is_due = now.saturating_sub(asked.last) >= REPEAT_EVERY;
        if is_due && now.saturating_sub(asked.held) <= REPEAT_FOR {
            asked.last = now;
            self.send(number);
        }
    }

    fn send(&self, number: u64) {
        let answered = Arc::clone(&self.answered);
        let sent = self.caller.call(&Trigger::Request {}, move |answer| {
            if answer.success {
                answered.fetch_max(number, Ordering::Relaxed);
                tracing::info!("emergency stop: {}", reason(&answer.message));
            } else {
                tracing::error!("the emergency stop FAILED: {}: cut the power", reason(&answer.message));
            }
        });
        if let Err(error) = sent {
            tracing::error!("the emergency stop was not sent: {error}: cut the power");
        }
    }
}
