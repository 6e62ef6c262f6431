//! `hexapod demo`: the robot on simulated servos, with a view of it. The robot is a process of its own, as on the real
//! thing, so the view knows it by its topics only.

use crate::cli::{DemoArgs, FileArgs};
use crate::drive::{Driver, show};
use crate::exit::{Failure, say};
use crate::parameters::all_specs;
use crate::setups::parameters_of;
use hexapod_ros::{Shutdown, Stage};
use hexapod_view::{Action, is_terminal, status_line};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the robot and shows it until a key or a signal ends both; without a terminal, until it has walked a short tour.
///
/// # Errors
/// The robot's files do not hold, or it could not be started.
pub fn demo(DemoArgs { files: arguments, terrain }: &DemoArgs) -> Result<(), Failure> {
    let shutdown = Shutdown::on_signals()?;
    let port = page_port(arguments)?;
    let robot = RobotProcess::start(arguments, terrain, port)?;
    let mut driver = Driver::open(arguments, &all_specs())?;
    let hints = hints(port);
    ready(&mut driver, &shutdown)?;
    if is_terminal() {
        show(&mut driver, &shutdown, &hints)?;
    } else {
        hints.iter().try_for_each(say)?;
        tour(&mut driver, &shutdown)?;
        say("the tour is over")?;
    }
    drop(driver);
    say("sitting down")?;
    robot.end(&shutdown)
}

/// A port for the page: the one that is configured, or one of the next where another program has it.
fn page_port(arguments: &FileArgs) -> Result<u16, Failure> {
    let all = parameters_of(arguments)?;
    let address = web_teleop::Setup::load(&all.web)?.address;
    let is_free = |port: &u16| TcpListener::bind((address.ip(), *port)).is_ok();
    Ok((address.port()..=address.port().saturating_add(9)).find(is_free).unwrap_or(address.port()))
}

/// What else to try, in a browser or another shell.
fn hints(port: u16) -> Vec<String> {
    let page = format!("drive it in a browser:  http://localhost:{port}");
    [
        page.as_str(),
        "in another shell, first: eval \"$(cargo xtask env)\"",
        "watch:    ros2 topic echo /odom        (where ros2 is installed; else python3 with rclpy)",
        "drive:    ros2 run teleop_twist_keyboard teleop_twist_keyboard",
        "this view of any robot:  target/release/hexapod drive",
    ]
    .map(String::from)
    .to_vec()
}

/// Waits for the robot, switches its servos on and has it stand.
fn ready(driver: &mut Driver, shutdown: &Shutdown) -> Result<(), Failure> {
    let heard = |driver: &Driver| !driver.watch.snapshot().legs.is_empty();
    if !wait_for(driver, shutdown, Duration::from_secs(20), heard) && shutdown.is_running() {
        return Err(Failure::Running("the robot was not heard within 20 s".into()));
    }
    let armed = |driver: &Driver| matches!(driver.watch.snapshot().servo_state.as_str(), "arming" | "armed");
    for _ in 0..5 {
        driver.act(Action::Enable(true));
        if wait_for(driver, shutdown, Duration::from_secs(3), armed) {
            break;
        }
    }
    let standing = |driver: &Driver| driver.watch.snapshot().gait_state == "standing";
    for _ in 0..3 {
        driver.act(Action::Stand);
        if wait_for(driver, shutdown, Duration::from_secs(4), standing) {
            return say("the robot stands and is ready to walk");
        }
    }
    if shutdown.is_running() { Err(Failure::Running("the robot did not stand up".into())) } else { Ok(()) }
}

fn wait_for(driver: &Driver, shutdown: &Shutdown, timeout: Duration, done: impl Fn(&Driver) -> bool) -> bool {
    let deadline = Instant::now() + timeout;
    while !done(driver) {
        if Instant::now() > deadline || shutdown.wait(Stage::Stopping, Duration::from_millis(20)) {
            return false;
        }
    }
    true
}

/// Forward, sideways, an arc, on the spot, and a rest: seconds and twist of each leg of the tour.
const TOUR: [(f64, [f64; 3]); 5] = [
    (4.0, [0.08, 0.0, 0.0]),
    (3.0, [0.0, 0.06, 0.0]),
    (4.0, [0.06, 0.0, 0.3]),
    (3.0, [0.0, 0.0, -0.4]),
    (1.5, [0.0, 0.0, 0.0]),
];
const COMMAND_PERIOD: Duration = Duration::from_millis(50);

/// Walks the tour and prints a line a second.
fn tour(driver: &mut Driver, shutdown: &Shutdown) -> Result<(), Failure> {
    for (seconds, twist) in TOUR {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let mut next_line = Instant::now();
        while Instant::now() < end {
            let [linear_x, linear_y, angular_z] = twist;
            driver.act(Action::Drive { linear_x, linear_y, angular_z });
            if Instant::now() >= next_line {
                say(status_line(&driver.watch.snapshot()))?;
                next_line += Duration::from_secs(1);
            }
            if shutdown.wait(Stage::Stopping, COMMAND_PERIOD) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The robot's process. It ends in order when asked to, and by itself when this process dies.
struct RobotProcess {
    child: Child,
}

impl RobotProcess {
    fn start(files: &FileArgs, terrain: &str, port: u16) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        let bus = if terrain.is_empty() { "simulated" } else { "physics" };
        command.args(["run", "--attached", "--web", "--bus", bus, "--terrain", terrain, "-p"]);
        command.arg(format!("web_teleop.port:={port}"));
        for (flag, value) in [("--config", &files.config), ("--urdf", &files.urdf)] {
            if !value.is_empty() {
                command.args([flag, value]);
            }
        }
        let ros = std::env::args().skip_while(|argument| argument != "--ros-args");
        // A group of its own: Ctrl-C reaches this process, which tells the robot once.
        let child = command.args(ros).stdin(Stdio::piped()).process_group(0);
        let child = if is_terminal() { child.stdout(Stdio::null()).stderr(Stdio::null()) } else { child };
        Ok(Self { child: child.spawn()? })
    }

    /// Tells the robot to end, and waits until it has sat down; a second signal to this process hurries it.
    fn end(mut self, shutdown: &Shutdown) -> Result<(), Failure> {
        drop(self.child.stdin.take());
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if shutdown.stage() == Stage::Now {
                self.hurry();
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        if status.success() { Ok(()) } else { Err(Failure::Running(format!("the robot ended with {status}"))) }
    }

    /// Tells the robot to end at once, which a signal does that comes some time after its input was closed.
    fn hurry(&self) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
    }
}

impl Drop for RobotProcess {
    fn drop(&mut self) {
        // Closing its standard input is the signal to end; the wait is bounded by the robot's own goodbye.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
