//! The node's services. Each says what is going to happen, or why it is not.

use crate::command::Command;
use crate::fault::Fault;
use crate::inbox::{Barrier, Inbox};
use crate::servos::RELEASED;
use crate::setup::Setup;
use crate::status::SharedState;
use hexapod_gait::GaitState;
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{RosError, RosNode, monotonic_now};
use std::sync::Arc;
use std::time::Duration;

/// A service that asks the robot for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Service {
    Stand,
    Sit,
    Pack,
    Stop,
    /// For the servo driver, which is about to switch the servos off.
    Retire,
}

impl Service {
    const ALL: [Self; 5] = [Self::Stand, Self::Sit, Self::Pack, Self::Stop, Self::Retire];

    fn name(self) -> &'static str {
        match self {
            Self::Stand => "stand",
            Self::Sit => "sit",
            Self::Pack => "pack",
            Self::Stop => "stop",
            Self::Retire => "retire",
        }
    }

    fn command(self) -> Command {
        match self {
            Self::Stand => Command::Stand,
            Self::Sit => Command::Sit,
            Self::Pack => Command::Pack,
            Self::Stop => Command::Stop,
            Self::Retire => Command::Retire,
        }
    }

    /// What comes of it.
    fn outcome(self, state: GaitState) -> &'static str {
        use GaitState::{Playing, Sitting, Standing, Stopping, Walking};
        match (self, state) {
            (Self::Stand, Sitting) => "standing up",
            (Self::Stand, Standing) => "standing; legs that are out of place step into it first",
            (Self::Stand, Walking | Stopping) => "stopping, then standing still",
            (Self::Stand, Playing) => "will stand when the transition ends",
            (Self::Sit | Self::Retire, Sitting) => "already sitting",
            (Self::Sit | Self::Retire, Walking | Stopping) => "stopping, then sitting down",
            (Self::Sit | Self::Retire, Standing | Playing) => "sitting down",
            (Self::Pack, Sitting) => "folding the legs",
            (Self::Pack, Walking | Stopping) => "stopping, then sitting down and folding the legs",
            (Self::Pack, Standing | Playing) => "sitting down, then folding the legs",
            (Self::Stop, Walking | Stopping) => "stopping with all feet planted; release the stick before walking on",
            (Self::Stop, Playing) => "ending the motion with all feet planted; release the stick before walking on",
            (Self::Stop, Sitting | Standing) => "not walking; release the stick before walking on",
        }
    }

    /// Asks the control loop for it.
    fn ask(self, robot: &Robot, shared: &SharedState, inbox: &Inbox) -> Result<String, String> {
        let fault = shared.fault();
        if let Some(fault) = fault.filter(|fault| fault.is_final()) {
            // What ends a motion is waiting for a loop that comes back after all.
            if fault == Fault::Lost && matches!(self, Self::Stop | Self::Sit | Self::Retire) {
                inbox.send(self.name(), self.command())?;
            } else {
                inbox.reject(self.name(), fault.reason());
            }
            return Err(fault.reason().into());
        }
        if let (Self::Pack, Some(reason)) = (self, &robot.cannot_pack) {
            inbox.reject(self.name(), reason.clone());
            return Err(reason.clone());
        }
        inbox.send(self.name(), self.command())?;
        let outcome = self.outcome(shared.get());
        tracing::debug!("{}: {outcome}", self.name());
        let besides = fault.map(Fault::reason).or_else(|| inbox.paused(monotonic_now()));
        Ok(besides.map_or(outcome.into(), |besides| format!("{outcome}; {besides}")))
    }
}

/// What the services know of the robot.
#[derive(Clone, Debug, Default)]
struct Robot {
    /// Why it cannot fold its legs, and what would let it.
    cannot_pack: Option<String>,
}

impl Robot {
    fn of(setup: &Setup) -> Self {
        let cannot_pack = (!setup.engine.can_pack()).then(|| {
            format!(
                "the robot has no packed pose: only legs of three joints fold by themselves; give the joint angles of each \
                 leg in rad as `packed` in {}, and restart the planner",
                setup.robot_file.display()
            )
        });
        Self { cannot_pack }
    }
}

/// Opens the services.
///
/// # Errors
/// One of them cannot be opened.
pub fn open(node: &mut RosNode, setup: &Setup, inbox: &Inbox, shared: &Arc<SharedState>) -> Result<(), RosError> {
    let robot = Robot::of(setup);
    for service in Service::ALL {
        let (robot, inbox, shared) = (robot.clone(), inbox.clone(), Arc::clone(shared));
        node.serve::<Trigger::Service>(service.name(), move |_| match service.ask(&robot, &shared, &inbox) {
            Ok(message) => Trigger::Response { success: true, message },
            Err(message) => Trigger::Response { success: false, message },
        })?;
    }
    freeze(node, inbox)
}

/// For the servo driver: true as long as it carries out no commands, false as soon as it does.
fn freeze(node: &mut RosNode, inbox: &Inbox) -> Result<(), RosError> {
    let inbox = inbox.clone();
    node.serve::<SetBool::Service>("freeze", move |request| {
        let frozen = set_frozen(&inbox, request.data, monotonic_now());
        let (success, message) = (frozen.is_ok(), frozen.err().unwrap_or_default());
        SetBool::Response { success, message }
    })
}

/// What was under way ends with the first word of a stop; later ones keep it so.
fn set_frozen(inbox: &Inbox, frozen: bool, now: Duration) -> Result<(), String> {
    match (frozen, inbox.barrier(now)) {
        (true, Some(Barrier::Frozen)) => inbox.bar(Barrier::Frozen, now),
        (true, _) => return inbox.send("freeze", Command::Freeze(RELEASED)),
        (false, Some(Barrier::Frozen)) => inbox.unbar(),
        (false, _) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Received, queues};
    use crate::params;
    use hexapod_gait::{Engine, Twist};
    use hexapod_ros::{Received as From, Sender, Shutdown};
    use rtrb::Consumer;

    fn inbox(shutdown: &Shutdown) -> (Inbox, Consumer<Received>) {
        let (commands, _, incoming) = queues();
        (Inbox::new(commands, Arc::new(|| Duration::ZERO), shutdown.clone()), incoming.commands)
    }

    fn standing() -> SharedState {
        let shared = SharedState::default();
        shared.set(GaitState::Standing, None);
        shared
    }

    #[test]
    fn when_the_planner_cannot_do_its_work_expect_every_service_to_say_why_and_the_way_out() {
        for fault in Fault::ALL {
            let (inbox, _queue) = inbox(&Shutdown::default());
            let shared = standing();
            shared.set(GaitState::Stopping, Some(fault));
            for service in Service::ALL {
                let answer = service.ask(&Robot::default(), &shared, &inbox);
                assert_eq!(answer.is_ok(), !fault.is_final(), "{service:?}: {answer:?}");
                let (Ok(message) | Err(message)) = answer;
                assert!(message.contains(fault.reason()), "{message}");
            }
        }
    }

    #[test]
    fn when_a_robot_has_no_packed_pose_expect_pack_refused_with_the_key_and_the_file() {
        let (inbox, mut queue) = inbox(&Shutdown::default());
        let mut setup = Setup::load(&params::shipped()).unwrap();
        let able = Robot::of(&setup);
        let robot = Arc::clone(setup.engine.robot());
        let (settings, stance) =
            params::settings(&setup.params, &robot, hexapod_gait::LegClearance::default()).unwrap();
        setup.engine = Engine::with_stance(robot, *setup.engine.gait(), settings, stance);
        let reason = Service::Pack.ask(&Robot::of(&setup), &standing(), &inbox).unwrap_err();
        assert!(reason.contains("`packed`") && reason.contains("config/robot.yaml"), "{reason}");
        assert!(queue.pop().is_err(), "nothing is asked of the robot");
        assert_eq!(inbox.rejected()["pack"].count, 1);
        assert!(Service::Pack.ask(&able, &standing(), &inbox).is_ok());
        assert!(matches!(queue.pop().unwrap().command, Command::Pack));
    }

    #[test]
    fn when_the_control_loop_takes_no_commands_expect_every_service_to_say_so() {
        let (inbox, queue) = inbox(&Shutdown::default());
        while inbox.send("stand", Command::Stand).is_ok() {}
        for service in Service::ALL {
            let reason = service.ask(&Robot::default(), &standing(), &inbox).unwrap_err();
            assert!(reason.contains("control loop"), "{service:?}: {reason}");
        }
        drop(queue);
    }

    #[test]
    fn when_the_control_loop_is_flooded_expect_room_for_a_stop() {
        let (inbox, mut queue) = inbox(&Shutdown::default());
        while inbox.send("cmd_vel", Command::Twist(Twist::new(0.1, 0.0, 0.0))).is_ok() {}
        assert!(Service::Stop.ask(&Robot::default(), &standing(), &inbox).is_ok());
        let last = std::iter::from_fn(|| queue.pop().ok()).last();
        assert!(last.is_some_and(|received| matches!(received.command, Command::Stop)));
    }

    #[test]
    fn when_the_process_ends_expect_what_would_keep_the_robot_up_refused() {
        let shutdown = Shutdown::default();
        let (inbox, _queue) = inbox(&shutdown);
        shutdown.ask();
        for (service, taken) in
            [(Service::Stand, false), (Service::Pack, false), (Service::Sit, true), (Service::Stop, true)]
        {
            let answer = service.ask(&Robot::default(), &standing(), &inbox);
            assert_eq!(answer.is_ok(), taken, "{service:?}: {answer:?}");
            assert!(taken || answer.is_err_and(|reason| reason.contains("end")));
        }
    }

    #[test]
    fn when_an_emergency_stop_lasts_expect_what_would_move_the_robot_refused_until_it_is_over() {
        let (inbox, mut queue) = inbox(&Shutdown::default());
        let stand = || Service::Stand.ask(&Robot::default(), &standing(), &inbox);
        let now = monotonic_now();
        set_frozen(&inbox, true, now).unwrap();
        assert!(matches!(queue.pop().unwrap().command, Command::Freeze(_)));
        assert!(stand().is_err_and(|reason| reason.contains("emergency stop") && reason.contains("enable")));
        for (speed, taken) in [(0.1, false), (0.0, true)] {
            assert_eq!(inbox.send("cmd_vel", Command::Twist(Twist::new(speed, 0.0, 0.0))).is_ok(), taken);
        }
        let ask = |service: Service| service.ask(&Robot::default(), &standing(), &inbox);
        assert!(ask(Service::Sit).is_err_and(|reason| reason.contains("emergency stop")));
        assert!(ask(Service::Stop).is_ok());
        while queue.pop().is_ok() {}
        set_frozen(&inbox, true, now + Duration::from_secs(1)).unwrap();
        assert!(queue.pop().is_err(), "it is frozen already");
        assert_eq!(inbox.barrier(now + Duration::from_secs(2)), Some(Barrier::Frozen));
        assert_eq!(inbox.barrier(now + Duration::from_secs(3)), None, "nobody says that it lasts");
        set_frozen(&inbox, false, now).unwrap();
        assert!(stand().is_ok() && ask(Service::Sit).is_ok());
        set_frozen(&inbox, true, now).unwrap();
        assert!(ask(Service::Retire).is_ok(), "the driver's own");
    }

    #[test]
    fn when_a_stick_is_pushed_while_nothing_may_move_expect_the_control_loop_to_know_whose() {
        let (inbox, mut queue) = inbox(&Shutdown::default());
        set_frozen(&inbox, true, monotonic_now()).unwrap();
        assert!(matches!(queue.pop().unwrap().command, Command::Freeze(_)));
        let at = monotonic_now();
        let from = From { sender: Sender::Local(7), at, taken: at, sent: Duration::ZERO, sequence: None };
        for (speed, expect) in [(0.1, true), (0.0, false)] {
            inbox.take("cmd_vel", Ok(Command::Twist(Twist::new(speed, 0.0, 0.0))), &from);
            let received = queue.pop().unwrap();
            let is_barred = matches!(received.command, Command::Barred("cmd_vel"));
            assert_eq!((is_barred, received.sender), (expect, Some(from.sender)));
        }
        assert!(queue.pop().is_err());
    }

    #[test]
    fn when_the_servos_are_about_to_be_switched_off_expect_what_would_keep_the_robot_up_refused() {
        let (inbox, mut queue) = inbox(&Shutdown::default());
        assert!(Service::Retire.ask(&Robot::default(), &standing(), &inbox).is_ok());
        assert!(matches!(queue.pop().unwrap().command, Command::Retire));
        let answer = Service::Stand.ask(&Robot::default(), &standing(), &inbox);
        assert!(answer.is_err_and(|reason| reason.contains("switched off")));
        for (speed, taken) in [(0.1, false), (0.0, true)] {
            assert_eq!(inbox.send("velocity", Command::Velocity(speed)).is_ok(), taken);
            assert_eq!(inbox.send("cmd_vel", Command::Twist(Twist::new(speed, 0.0, 0.0))).is_ok(), taken);
        }
        assert!(Service::Stop.ask(&Robot::default(), &standing(), &inbox).is_ok());
    }
}
