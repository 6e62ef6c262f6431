//! The executables as `colcon test` runs them: on the ROS 2 in use, the shipped files, and the simulated bus. How the
//! robot behaves is tested in `tests/ros`, by `cargo xtask test`.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod::kits::KITS;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

const HEXAPOD: &str = env!("CARGO_BIN_EXE_hexapod");
const SHARE: &str = env!("CARGO_MANIFEST_DIR");
const SOON: Duration = Duration::from_secs(20);

/// An executable that does not see the files of whoever runs the tests.
fn alone(executable: &str) -> Command {
    let mut command = Command::new(executable);
    command.env("XDG_CONFIG_HOME", "/dev/null/config").env("HEXAPOD_SYSTEM_CONFIG", "/dev/null/etc");
    command
}

fn check(config: &Path) -> Output {
    let urdf = Path::new(SHARE).join("urdf/hexapod.urdf");
    alone(HEXAPOD).arg("check").arg("--config").arg(config).arg("--urdf").arg(urdf).output().unwrap()
}

/// A copy of the shipped configuration, one piece of a file replaced.
fn config_with(file: &str, piece: &str, other: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hexapod-{}-{file}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(Path::new(SHARE).join("config")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let text = fs::read_to_string(folder.join(file)).unwrap();
    assert!(text.contains(piece), "{piece} in {file}");
    fs::write(folder.join(file), text.replacen(piece, other, 1)).unwrap();
    folder
}

/// Waits until the condition holds.
fn wait<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(began.elapsed() < SOON, "not within {SOON:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A ROS domain in which nobody on this machine listens: a robot may be walking beside. The ports of domain d begin at
/// 7400 + 250 d, with the first participant's own 10 further (DDSI-RTPS 9.6.2.3).
fn free_domain() -> u32 {
    let is_free = |domain: &u32| UdpSocket::bind(("0.0.0.0", (7400 + 250 * domain + 10).try_into().unwrap())).is_ok();
    let first = 1 + std::process::id() % 100;
    (first..=100).chain(1..first).find(is_free).unwrap()
}

/// A process on a ROS domain of its own, ready to be ended in order.
fn start(executable: &str, arguments: &[&str], domain: u32) -> Child {
    let mut command = alone(executable);
    command.args(arguments).env("ROS_DOMAIN_ID", domain.to_string()).env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait("a handler for SIGTERM", || {
        assert!(child.try_wait().unwrap().is_none(), "{executable} ended: {}", words(&mut child));
        catches_sigterm(child.id()).then_some(())
    });
    child
}

fn words(child: &mut Child) -> String {
    child.stderr.take().map(|stderr| std::io::read_to_string(stderr).unwrap()).unwrap_or_default()
}

fn catches_sigterm(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    caught & (1 << (Signal::SIGTERM as u32 - 1)) != 0
}

fn terminate(child: &mut Child) -> ExitStatus {
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
    wait("the end", || child.try_wait().unwrap())
}

#[test]
fn when_the_shipped_files_are_checked_expect_status_0_and_every_leg_named() {
    let checked = check(&Path::new(SHARE).join("config"));
    let reported = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    for leg in ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"] {
        assert!(reported.contains(leg), "{reported}");
    }
}

#[test]
fn when_check_is_given_parameters_expect_them_tried_as_a_robot_would_take_them() {
    let check = |given: &[&str]| {
        let output = alone(HEXAPOD).arg("check").args(given).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
    };
    let [(status, shipped), (_, slower)] = [check(&[]), check(&["-p", "gait_planner.sit_time:=9.0"])];
    let ends = |words: &str| words.lines().find(|line| line.starts_with("ends ")).map(str::to_owned);
    assert!(status == Some(0) && ends(&shipped) != ends(&slower), "{slower}");
    let (status, words) = check(&["-p", "gait_planner.sit_tim:=9.0"]);
    assert!(status == Some(2) && words.contains("sit_time"), "{words}");
    let (status, words) = check(&["--bus", "feetech"]);
    assert!(status == Some(2) && words.contains("servos.yaml"), "{words}");
}

/// An installed package holds one executable, and the nodes as links to it.
#[test]
fn when_hexapod_is_called_by_the_name_of_a_node_expect_that_node() {
    let folder = std::env::temp_dir().join(format!("hexapod-called-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for node in ["gait_planner", "joystick", "servo_driver", "state_publisher", "web_teleop"] {
        let link = folder.join(node);
        std::os::unix::fs::symlink(HEXAPOD, &link).unwrap();
        let help = |program: &Path| {
            let output = Command::new(program).arg("--help").output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        let (status, words) = help(&link);
        assert_eq!(status, Some(0));
        assert!(words.contains(&format!("Usage: {node} ")), "{words}");
        assert_eq!(help(&Path::new(HEXAPOD).with_file_name(node)), (status, words), "as its own executable");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn when_the_middleware_is_not_there_expect_that_said_with_its_cure_where_ros_is_needed_alone() {
    let with_nonsense = |arguments: &[&str]| {
        let output = alone(HEXAPOD).args(arguments).env("RMW_IMPLEMENTATION", "rmw_nonsense").output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(with_nonsense(&["check"]), (Some(0), String::new()));
    for command in [["run"], ["stop"]] {
        let (status, words) = with_nonsense(&command);
        assert!(status == Some(1) && words.contains("unset RMW_IMPLEMENTATION"), "{status:?} {words}");
    }
}

#[test]
fn when_the_doctor_sees_a_simulated_robot_expect_status_0_and_a_hopeless_one_1() {
    let doctor = |arguments: &[&str]| {
        let output = alone(HEXAPOD).arg("doctor").args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, words) = doctor(&[]);
    assert!(status == Some(0) && words.contains("simulated: no real servo moves"), "{words}");
    let (status, words) = doctor(&["--bus", "i2c", "-p", "servo_driver.i2c_device:=250"]);
    assert!(status == Some(1) && words.contains("/dev/i2c-250 cannot be opened"), "{words}");
    let (status, words) = doctor(&["-p", "servo_driver.rate:=7"]);
    assert!(status == Some(1) && words.contains("rate") && words.contains("-> correct that"), "{words}");
}

#[test]
fn when_a_folder_is_made_for_a_robot_expect_it_to_hold_and_nothing_of_it_written_over() {
    let folder = std::env::temp_dir().join(format!("hexapod-new-{}", std::process::id()));
    let hexapod = |arguments: &[&str]| Command::new(HEXAPOD).args(arguments).current_dir(SHARE).output().unwrap();
    let into = folder.to_str().unwrap();
    let made = hexapod(&["new", "urdf/hexapod.urdf", "--into", into]);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    let picture = folder.join("legs.svg");
    let checked = hexapod(&["check", "--config", into, "--picture", picture.to_str().unwrap()]);
    let reported = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    assert!(reported.contains("urdf/hexapod.urdf") && reported.contains("by its name"), "{reported}");
    assert!(fs::read_to_string(&picture).unwrap().contains("right_rear (right)"));
    fs::write(folder.join("robot.yaml"), "limits: {}\n").unwrap();
    let again = hexapod(&["new", "urdf/hexapod.urdf", "--into", into]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(fs::read_to_string(folder.join("robot.yaml")).unwrap(), "limits: {}\n");
    fs::remove_dir_all(&folder).unwrap();
    let refused = hexapod(&["new", "Cargo.toml", "--into", into]);
    assert!(refused.status.code() == Some(2) && !folder.exists());
}

#[test]
fn when_a_kit_is_named_expect_a_robot_that_holds_and_walks_in_physics_and_a_wrong_name_refused_with_those_there_are() {
    let folder = std::env::temp_dir().join(format!("hexapod-kit-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("walk.csv"), "0,0.04,0,0\n8,0,0,0\n9,0,0,0\n").unwrap();
    let hexapod = |arguments: &[&str]| {
        let done = alone(HEXAPOD).args(arguments).current_dir(&folder).output().unwrap();
        let said = [&done.stdout[..], &done.stderr].map(|said| String::from_utf8_lossy(said).into_owned()).concat();
        (done.status.code(), said)
    };
    let (refused, said) = hexapod(&["new", "--kit", "phantom"]);
    assert!(refused == Some(2) && said.contains("phantomx_mk4"), "{said}");
    for kit in KITS {
        let (made, said) = hexapod(&["new", "--kit", kit.name, "--into", kit.name]);
        assert!(made == Some(0) && said.contains(kit.servo.title), "{said}");
        let (checked, said) = hexapod(&["check", "--config", kit.name]);
        assert!(checked == Some(0) && said.contains(&format!("{}.urdf", kit.name)), "{said}");
        let servos = fs::read_to_string(folder.join(kit.name).join("servos.yaml")).unwrap();
        let femurs = servos.lines().filter(|line| kit.name == "phantomx" && line.contains("_femur'"));
        let mounted: BTreeSet<_> =
            femurs.filter_map(|line| line.split("mounted_at_rad").nth(1)?.split(", group").next()).collect();
        assert!(mounted.len() <= 1, "legs alike, horns alike: {mounted:?}");
        let walk = ["sim", "--headless", "--config", kit.name, "--commands", "walk.csv", "--out", "run.csv"];
        assert_eq!(hexapod(&walk).0, Some(0), "{}", kit.name);
        let table = fs::read_to_string(folder.join("run.csv")).unwrap();
        let columns = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let [names, last] = [table.lines().next(), table.lines().last()].map(|line| columns(line.unwrap()));
        let at = |name: &str| last[names.iter().position(|each| each == name).unwrap()].parse::<f64>().unwrap();
        let ratio = at("x") / at("x_planned");
        assert!((0.9..1.1).contains(&ratio) && at("falls") < 0.5, "{}: {ratio} of the way", kit.name);
        if let Some((bus, _)) = kit.servo.bus {
            let parameters = folder.join(kit.name).join("hexapod.yaml");
            let text = fs::read_to_string(&parameters).unwrap();
            fs::write(&parameters, text.replace("bus: simulated", &format!("bus: {bus}\n    port: /dev/ttyUSB0")))
                .unwrap();
            let (checked, said) = hexapod(&["check", "--config", kit.name]);
            assert!(
                checked == Some(0) && kit.servo.setting_up.contains(&format!("bus: {bus}")),
                "{}: {said}",
                kit.name
            );
        }
        // With the kind of servo that it was printed to write.
        let Some(kind) = kit.servo.setting_up.split("all: ").nth(1).and_then(|rest| rest.split('}').next()) else {
            continue;
        };
        let servos = folder.join(kit.name).join("servos.yaml");
        let text = fs::read_to_string(&servos).unwrap();
        fs::write(&servos, text.replace("all: {kind: simulated}", &format!("all: {kind}}}"))).unwrap();
        let (checked, said) = hexapod(&["check", "--config", kit.name]);
        assert!(checked == Some(0) && !text.contains("simulated_far"), "{}, {kind}}}: {said}", kit.name);
    }
    let (made, said) = hexapod(&["new", "--kit", "chica"]);
    assert!(made == Some(0) && said.contains("makeyourpet_config"), "{said}");
    let (_, said) = hexapod(&["new"]);
    assert!(said.contains("hexapod new [OPTIONS] --kit <NAME>"), "{said}");
    let (_, said) = hexapod(&["new", "Freenove"]);
    assert!(said.contains("did you mean --kit freenove?"), "{said}");
    let (_, said) = hexapod(&["new", "--kit", "freenove", "--into", "phantomx"]);
    assert!(said.contains("phantomx/hexapod.yaml was there and names another robot"), "{said}");
    let (_, said) = hexapod(&["new", "--kit", "freenove", "--into", "my robot"]);
    assert!(!said.contains("note") && said.contains("--config 'my robot'"), "{said}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn when_a_gait_is_asked_for_that_is_not_taken_expect_that_said_and_nothing_left_of_a_wrong_one() {
    let folder = std::env::temp_dir().join(format!("hexapod-gait-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let new = |gait: &str, into: &str| {
        let arguments = ["new", "--kit", "freenove", "--gait", gait, "--into", into];
        let done = alone(HEXAPOD).args(arguments).current_dir(&folder).output().unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let (made, said) = new("crawl", "kit");
    assert!(made == Some(0) && said.contains("it does not walk on \"crawl\" and starts with"), "{said}");
    let (made, said) = new("ripple", "kit");
    assert!(made == Some(0) && said.contains("write `gait: ripple` there"), "{said}");
    assert_eq!((new("nope", "none").0, folder.join("none").exists()), (Some(2), false));
    let (_, said) = new("ripple", "other");
    assert!(!said.contains("note"), "{said}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn when_a_file_is_bad_expect_status_2_and_the_place_named() {
    for (file, piece, other) in
        [("hexapod.yaml", "rate: 100.0", "rate: .nan"), ("gaits.yaml", "duty_factor: 0.5", "duty_factor: 5")]
    {
        let folder = config_with(file, piece, other);
        let checked = check(&folder);
        let reported = String::from_utf8_lossy(&checked.stderr).into_owned();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(checked.status.code(), Some(2), "{reported}");
        assert!(
            reported.contains(&format!("{file}:")) && reported.contains(piece.split(':').next().unwrap()),
            "{reported}"
        );
    }
}

#[test]
fn when_started_on_ros_and_terminated_expect_every_executable_to_end_in_order() {
    let executables: [(&str, &[&str]); 7] = [
        (HEXAPOD, &["run"]),
        // A port that is free.
        (HEXAPOD, &["run", "--web", "-p", "web_teleop.port:=0"]),
        (env!("CARGO_BIN_EXE_web_teleop"), &["--ros-args", "-p", "port:=0"]),
        (env!("CARGO_BIN_EXE_gait_planner"), &[]),
        (env!("CARGO_BIN_EXE_servo_driver"), &[]),
        (env!("CARGO_BIN_EXE_state_publisher"), &[]),
        (env!("CARGO_BIN_EXE_joystick"), &[]),
    ];
    for (executable, arguments) in executables {
        let mut child = start(executable, arguments, free_domain());
        std::thread::sleep(Duration::from_millis(500));
        assert!(child.try_wait().unwrap().is_none(), "{executable} ended: {}", words(&mut child));
        assert_eq!(terminate(&mut child).code(), Some(0), "{executable}: {}", words(&mut child));
    }
}
