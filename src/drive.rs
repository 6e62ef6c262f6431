//! `hexapod drive`: what a running robot does, in the terminal, and keys that drive it. A ROS node like any other:
//! it knows the robot by its topics.

use crate::cli::FileArgs;
use crate::discovery_hint::{DRIVE, DiscoveryHint, Reach};
use crate::exit::{Failure, say};
use crate::watch::Watch;
use hexapod_config::ros_params::{ParamSpec, Params};
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::geometry_msgs::msg::{Pose, Twist};
use hexapod_ros::r2r::std_msgs::msg::String as StringMsg;
use hexapod_ros::r2r::std_srvs::srv::Trigger;
use hexapod_ros::{
    Caller, Enabler, Graph, Publisher, Ros, RosError, RosNode, Shutdown, Stage, StandstillWatch, monotonic_now,
};
use hexapod_setup::{Description, Files, params};
use hexapod_view::{Action, Snapshot, is_terminal, run_loop, status_line};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// How often robots are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Without a terminal, a robot that is not heard for so long is not waited for.
const UNHEARD: Duration = Duration::from_secs(10);

/// A node that watches a robot and commands it.
pub struct Driver {
    /// What is seen of the robot.
    pub watch: Watch,
    discovery_hint: DiscoveryHint,
    looked: Option<Instant>,
    graph: Graph,
    spinner: Option<std::thread::JoinHandle<()>>,
    stop: Shutdown,
    cmd_vel: Publisher<Twist>,
    body_pose: Publisher<Pose>,
    gait: Publisher<StringMsg>,
    motion: Publisher<StringMsg>,
    stand: Caller<Trigger::Service>,
    sit: Caller<Trigger::Service>,
    halt: Caller<Trigger::Service>,
    emergency_stop: Caller<Trigger::Service>,
    enable: Enabler,
    standstill: StandstillWatch,
    height: f64,
}

impl Driver {
    /// Opens the node and starts to watch. Arguments for ROS may also set parameters of nodes `beside` it.
    ///
    /// # Errors
    /// The robot's files do not hold, or ROS is not to be had.
    pub fn open(arguments: &FileArgs, beside: &[ParamSpec]) -> Result<Self, Failure> {
        let files = Files::find(&arguments.config, &arguments.urdf)?;
        let description = Description::read(&files)?;
        let stop = Shutdown::default();
        let ros = Ros::init()?.with_sibling_params(beside);
        let mut node = RosNode::create(&ros, "hexapod_drive", params::common(), Params::new())?;
        let watch = Watch::open(&mut node, description.robot)?;
        let mut driver = Self {
            watch,
            discovery_hint: DiscoveryHint::new(Reach::of_process(), node.namespace(), DRIVE),
            looked: None,
            graph: node.graph(),
            stop: stop.clone(),
            cmd_vel: node.publisher("cmd_vel", QosProfile::default())?,
            body_pose: node.publisher("body_pose", QosProfile::default())?,
            gait: node.publisher("gait", QosProfile::default())?,
            motion: node.publisher("motion", QosProfile::default())?,
            stand: node.caller("stand")?,
            sit: node.caller("sit")?,
            halt: node.caller("stop")?,
            emergency_stop: node.caller("emergency_stop")?,
            enable: Enabler::new(node.caller("enable")?),
            standstill: StandstillWatch::start().map_err(|error| Failure::Running(error.to_string()))?,
            height: 0.0,
            spinner: None,
        };
        let spin = move || node.spin(&stop, Stage::Stopping);
        let spinner = std::thread::Builder::new().name("drive-spin".into()).spawn(spin)?;
        driver.spinner = Some(spinner);
        Ok(driver)
    }

    /// What is seen now, with where robots are looked for. An emergency stop that is not answered is sent again.
    pub fn snapshot(&mut self) -> Snapshot {
        if self.watch.stop_is_due() {
            self.stop_at_once();
        }
        self.enable.poll();
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
            self.looked = Some(Instant::now());
            self.discovery_hint.see(&self.graph.nodes());
        }
        let mut snapshot = self.watch.snapshot();
        if snapshot.is_live() {
            snapshot.hints = self.discovery_hint.heard();
        } else {
            snapshot.discovery_hint = self.discovery_hint.unheard(snapshot.silence.is_some());
        }
        snapshot
    }

    /// Carries out what a key asked for. A robot that is not heard is only stopped: what else a key would do, nobody sees.
    pub fn act(&mut self, action: Action) {
        if !action.stops() && !self.watch.is_heard() {
            self.watch.tell("keys", false, "not sent: the robot is not heard");
            return;
        }
        if !action.stops() && self.standstill.is_recent() {
            self.watch.tell("keys", false, "not sent, since this program has just stood still: press the key again");
            return;
        }
        if matches!(action, Action::Stop | Action::EmergencyStop) {
            self.enable.cancel();
        }
        let done = match action {
            Action::Drive { linear_x, linear_y, angular_z } => {
                self.watch.wants([linear_x, linear_y, angular_z]);
                let mut twist = Twist::default();
                (twist.linear.x, twist.linear.y, twist.angular.z) = (linear_x, linear_y, angular_z);
                self.cmd_vel.publish(&twist)
            }
            Action::Stand => self.trigger("stand", &self.stand),
            Action::Sit => self.trigger("sit", &self.sit),
            Action::Stop => self.trigger("stop", &self.halt),
            Action::EmergencyStop => {
                self.watch.stop_asked();
                self.stop_at_once();
                Ok(())
            }
            Action::Enable(data) => {
                let watch = self.watch.clone();
                self.enable
                    .call(data, monotonic_now(), move |answer| watch.tell("enable", answer.success, &answer.message))
            }
            Action::Gait(data) => {
                self.watch.wants_gait(&data);
                self.gait.publish(&StringMsg { data })
            }
            Action::Motion(data) => self.motion.publish(&StringMsg { data }),
            Action::BodyHeight(step) => {
                self.height = (self.height + step).clamp(-0.04, 0.04);
                let mut pose = Pose::default();
                pose.position.z = self.height;
                pose.orientation.w = 1.0;
                self.body_pose.publish(&pose)
            }
            Action::Quit => Ok(()),
        };
        if let Err(error) = done {
            self.watch.tell("drive", false, &error.to_string());
        }
    }

    fn stop_at_once(&self) {
        let watch = self.watch.clone();
        let sent = self.emergency_stop.call(&Trigger::Request {}, move |answer| {
            watch.stop_answered(answer.success, &answer.message);
        });
        if let Err(error) = sent {
            // Nobody has answered: it is sent again.
            self.watch.tell("emergency stop", false, &error.to_string());
        }
    }

    fn trigger(&self, name: &'static str, service: &Caller<Trigger::Service>) -> Result<(), RosError> {
        let watch = self.watch.clone();
        service.call(&Trigger::Request {}, move |answer| watch.tell(name, answer.success, &answer.message))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The node must not be left spinning when the process ends.
        self.stop.ask();
        if let Some(spinner) = self.spinner.take() {
            let _ = spinner.join();
        }
    }
}

/// Shows and drives a running robot; without a terminal tells of it once a second.
///
/// # Errors
/// The robot's files do not hold, ROS is not to be had, the terminal goes away, or nobody is there to see that no robot is
/// heard.
pub fn drive(arguments: &FileArgs) -> Result<(), Failure> {
    let shutdown = Shutdown::on_signals()?;
    let mut driver = Driver::open(arguments, &[])?;
    if is_terminal() {
        return show(&mut driver, &shutdown, &[]);
    }
    let mut heard = Instant::now();
    while !shutdown.wait(Stage::Stopping, Duration::from_secs(1)) {
        let snapshot = driver.snapshot();
        say(status_line(&snapshot))?;
        if snapshot.is_live() {
            heard = Instant::now();
        } else if heard.elapsed() >= UNHEARD {
            return Err(Failure::Running(format!("no robot is heard for {} s", UNHEARD.as_secs())));
        }
    }
    Ok(())
}

/// Shows the robot until a key or a signal ends it.
///
/// # Errors
/// The terminal goes away.
pub fn show(driver: &mut Driver, shutdown: &Shutdown, hints: &[String]) -> Result<(), Failure> {
    let driver = RefCell::new(driver);
    let source = || {
        let mut snapshot = driver.borrow_mut().snapshot();
        snapshot.hints.extend_from_slice(hints);
        snapshot
    };
    Ok(run_loop(source, |action| driver.borrow_mut().act(action), || !shutdown.is_running())?)
}
