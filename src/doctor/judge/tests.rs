use super::*;
use crate::doctor::facts::{Adapter, Bus, Config, Limits, Page, Power, Ros, User};
use crate::doctor::finding::Level;
use servo_driver::{Part, Probed};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn part(name: &str, answer: Result<&str, &str>) -> Part {
    Part { name: name.into(), answer: answer.map(Into::into).map_err(Into::into) }
}

/// A Raspberry Pi 5 with both boards, that lacks nothing.
fn healthy() -> Facts {
    let groups = strings(&["pi", "i2c", "gpio", "dialout"]);
    Facts {
        system: "Ubuntu 24.04.1 LTS, aarch64, Raspberry Pi 5 Model B Rev 1.0".into(),
        ros: Ros {
            built_with: Some("jazzy".into()),
            sourced: Some("jazzy".into()),
            rmw: "rmw_fastrtps_cpp".into(),
            has_rmw: true,
            lost_profile: None,
            domain: "0".into(),
            reach: "discovery range SUBNET".into(),
            range: String::new(),
        },
        user: User { is_root: false, groups: groups.clone(), listed: groups },
        limits: Limits { rtprio: Some(80), memlock: None },
        config: Ok(Config {
            bus: "i2c".into(),
            device: Some("/dev/i2c-1".into()),
            is_serial: false,
            has_pins: true,
            joints: 18,
            uncalibrated: 0,
            at_middle: 0,
            stop_pin: Some(27),
            clock_hz: Some(400_000),
        }),
        faults: String::new(),
        files: " --config mine".into(),
        is_as_checked: true,
        bus: Bus::Answered(Probed::Asked(vec![
            part("board 0x40", Ok("MODE1 0x11")),
            part("board 0x41", Ok("MODE1 0x11")),
        ])),
        pins: Some(Ok("GPIO17 (line 17 of /dev/gpiochip0, pinctrl-rp1)".into())),
        adapters: vec![],
        power: Power {
            pi: Some("Raspberry Pi 5 Model B Rev 1.0".into()),
            throttled: Some(0),
            max_current_ma: Some(5000),
        },
        page: Page { is_built: true, port: 8080, ..Page::default() },
        log: Ok("/home/pi/.ros/log".into()),
        disk_mb: Some(20_000),
        memory_mb: Some(3000),
    }
}

/// The same with servos on a serial port.
fn serial() -> Facts {
    let mut facts = healthy();
    let config = Config {
        bus: "feetech".into(),
        device: Some("/dev/ttyUSB0".into()),
        is_serial: true,
        has_pins: false,
        joints: 18,
        uncalibrated: 0,
        at_middle: 0,
        stop_pin: None,
        clock_hz: None,
    };
    facts.config = Ok(config);
    facts.bus = Bus::Answered(Probed::Asked(vec![part("servo 1 (left_front_coxa)", Ok("STS3215"))]));
    facts.adapters = vec![Adapter { name: "ttyUSB0".into(), by_id: Some("usb-CH340".into()), latency_ms: Some(1) }];
    facts
}

fn config(facts: &mut Facts) -> &mut Config {
    facts.config.as_mut().expect("holds")
}

/// Judges a healthy machine after a change: all that is not ok is one finding of this level, with these words and cure.
fn check(mut facts: Facts, change: impl FnOnce(&mut Facts), (level, words, cure): (Level, &str, &str)) {
    change(&mut facts);
    let found: Vec<Finding> = judge(&facts).into_iter().filter(|finding| finding.level != Level::Ok).collect();
    let [finding] = &found[..] else { panic!("expected one finding with {words:?}: {found:#?}") };
    assert!(finding.level == level && finding.says.contains(words) && finding.cure.contains(cure), "{finding:#?}");
}

#[test]
fn when_nothing_is_missing_expect_each_line_ok() {
    for facts in [healthy(), serial()] {
        let findings = judge(&facts);
        assert!(findings.iter().all(|finding| finding.level == Level::Ok && finding.cure.is_empty()), "{findings:#?}");
        for about in
            ["system", "ROS 2", "middleware", "network", "real time", "power", "files", "groups", "bus", "page"]
        {
            assert!(findings.iter().any(|finding| finding.about == about), "{about}");
        }
    }
}

#[test]
fn when_ros_does_not_fit_expect_which_would() {
    use Level::{Note, Problem};
    check(healthy(), |facts| facts.ros.sourced = None, (Note, "not sourced", "source /opt/ros/jazzy/setup.bash"));
    check(
        healthy(),
        |facts| facts.ros.sourced = Some("kilted".into()),
        (Problem, "kilted is sourced, and this program was built with jazzy", "/opt/ros/jazzy/setup.bash"),
    );
    let zenoh = |facts: &mut Facts| facts.ros.rmw = "rmw_zenoh_cpp".into();
    check(healthy(), zenoh, (Note, "tested with rmw_fastrtps_cpp only", "unset RMW_IMPLEMENTATION"));
    let missing = |facts: &mut Facts| (facts.ros.rmw, facts.ros.has_rmw) = ("rmw_cyclonedds_cpp".into(), false);
    check(healthy(), missing, (Problem, "not installed", "sudo apt install ros-jazzy-rmw-cyclonedds-cpp"));
    let lost = |facts: &mut Facts| facts.ros.lost_profile = Some(("FASTDDS_DEFAULT_PROFILES_FILE", "/nope.xml".into()));
    check(healthy(), lost, (Problem, "/nope.xml, which is not there", "unset FASTDDS_DEFAULT_PROFILES_FILE"));
    check(healthy(), |facts| facts.ros.domain = "150".into(), (Note, "ports", "ROS_DOMAIN_ID=1"));
    for domain in ["233", "-1", "left", ""] {
        check(healthy(), |facts| facts.ros.domain = domain.into(), (Problem, "no such domain", "ROS_DOMAIN_ID=1"));
    }
    let nonsense = |facts: &mut Facts| (facts.ros.rmw, facts.ros.has_rmw) = ("nonsense".into(), false);
    check(healthy(), nonsense, (Problem, "nonsense is no middleware", "unset RMW_IMPLEMENTATION"));
    let off = |facts: &mut Facts| facts.ros.reach = "discovery is off (ROS_AUTOMATIC_DISCOVERY_RANGE=OFF)".into();
    check(healthy(), off, (Note, "no other process", "LOCALHOST"));
    let far = |facts: &mut Facts| facts.ros.range = "FAR".into();
    check(healthy(), far, (Note, "=FAR is no range: ROS takes it for LOCALHOST", "=SUBNET   # SUBNET, LOCALHOST"));
}

#[test]
fn when_the_user_lacks_rights_expect_the_group_or_a_new_login() {
    use Level::{Note, Problem};
    let refused = |facts: &mut Facts| facts.bus = Bus::Unasked;
    let none = |facts: &mut Facts| {
        refused(facts);
        (facts.user.groups, facts.user.listed) = (vec![], vec![]);
    };
    check(
        healthy(),
        none,
        (
            Problem,
            "not in i2c and gpio",
            "sudo groupadd -f i2c && sudo groupadd -f gpio && sudo usermod -aG i2c,gpio $USER",
        ),
    );
    check(serial(), none, (Problem, "not in dialout", "sudo usermod -aG dialout $USER"));
    let listed = |facts: &mut Facts| {
        refused(facts);
        facts.user.groups.clear();
    };
    check(healthy(), listed, (Problem, "in this session", "log out"));
    let slow = |facts: &mut Facts| facts.limits = Limits { rtprio: Some(0), memlock: Some(8 << 20) };
    check(healthy(), slow, (Note, "priority 65 and locked memory", "limits.d/realtime.conf"));
    let root = |facts: &mut Facts| {
        slow(facts);
        facts.user = User { is_root: true, ..User::default() };
    };
    let mut facts = healthy();
    root(&mut facts);
    assert!(judge(&facts).iter().all(|finding| finding.level == Level::Ok), "root may do all of it");
    let open = |facts: &mut Facts| facts.user.groups.retain(|group| group != "dialout");
    let mut facts = serial();
    open(&mut facts);
    assert!(judge(&facts).iter().all(|finding| finding.level == Level::Ok), "a port that opens needs no group");
}

#[test]
fn when_a_bus_is_ill_expect_what_and_where_to_look() {
    use Level::{Note, Problem};
    let parts = |parts: Vec<Part>| move |facts: &mut Facts| facts.bus = Bus::Answered(Probed::Asked(parts));
    let (there, gone) = (part("board 0x40", Ok("")), part("board 0x41", Err("does not answer")));
    check(
        healthy(),
        parts(vec![there, gone.clone()]),
        (Problem, "board 0x41 on /dev/i2c-1: does not", "i2cdetect -y 1"),
    );
    let both = vec![part("board 0x40", Err("does not answer")), gone];
    check(healthy(), parts(both), (Problem, "nothing answers on /dev/i2c-1: each of 2", "check supply"));
    let hot = vec![part("servo 1 (left_front_coxa)", Err("STS3215, complains of temperature"))];
    check(
        serial(),
        parts(hot),
        (Problem, "complains of temperature", "hexapod servo scan --bus feetech -p servo_driver.port:=/dev/ttyUSB0"),
    );
    check(healthy(), |facts| facts.bus = Bus::Hangs, (Problem, "/dev/i2c-1 hangs", "servos' power"));
    let refused = |facts: &mut Facts| facts.bus = Bus::Refused("/dev/i2c-1 cannot be opened; enable I2C".into());
    check(healthy(), refused, (Problem, "cannot be opened", "enable I2C"));
    check(healthy(), |facts| config(facts).clock_hz = Some(100_000), (Note, "100 kHz", "i2c_arm_baudrate=400000"));
    let five = |facts: &mut Facts| config(facts).uncalibrated = 5;
    check(healthy(), five, (Problem, "5 of 18 joints are not calibrated", "hexapod calibrate --bus i2c --config mine"));
    check(
        serial(),
        |facts| config(facts).uncalibrated = 18,
        (
            Problem,
            "18 of 18 joints have no servo in your",
            "hexapod servo scan --bus feetech -p servo_driver.port:=/dev/ttyUSB0",
        ),
    );
    check(
        healthy(),
        |facts| facts.config = Err("servos.yaml:3: no such joint".into()),
        (Problem, ":3:", "hexapod check --config mine"),
    );
    let gait = |facts: &mut Facts| facts.faults = "gaits.yaml:7: no such leg".into();
    check(healthy(), gait, (Problem, "gaits.yaml:7:", "hexapod check --config mine"));
    let simulated = |facts: &mut Facts| {
        *config(facts) = Config { bus: "simulated".into(), ..Config::default() };
        facts.bus = Bus::Answered(Probed::Simulated);
    };
    check(healthy(), simulated, (Note, "no real servo moves", "hexapod doctor --bus i2c --config mine"));
    let mut facts = healthy();
    facts.bus = Bus::Answered(Probed::Driven("another servo_driver has the bus (process 7)".into()));
    assert!(judge(&facts).iter().all(|finding| finding.level == Level::Ok), "a robot that runs is well");
}

#[test]
fn when_an_adapter_is_slow_or_may_change_its_name_expect_how_to_mend_it() {
    let slow = |facts: &mut Facts| facts.adapters[0].latency_ms = Some(16);
    check(
        serial(),
        slow,
        (Level::Note, "for 16 ms", "echo 1 | sudo tee /sys/bus/usb-serial/devices/ttyUSB0/latency_timer"),
    );
    let second = |facts: &mut Facts| {
        facts.adapters.push(Adapter { name: "ttyUSB1".into(), ..Adapter::default() });
    };
    check(serial(), second, (Level::Note, "ttyUSB0 may be another", "/dev/serial/by-id/usb-CH340"));
}

#[test]
fn when_power_page_disk_or_memory_run_short_expect_it() {
    use Level::{Note, Problem};
    check(healthy(), |facts| facts.power.throttled = Some(0x5_0001), (Problem, "now", "supply of their own"));
    check(healthy(), |facts| facts.power.throttled = Some(0x5_0000), (Note, "has been below", "get_throttled"));
    check(healthy(), |facts| facts.power.throttled = Some(0x8), (Note, "slowed down", "fan"));
    check(healthy(), |facts| facts.power.throttled = None, (Note, "does not say", "video"));
    check(healthy(), |facts| facts.power.max_current_ma = Some(3000), (Note, "offers 3 A", "usb_max_current_enable"));
    let mut other = healthy();
    other.power = Power { pi: Some("Raspberry Pi 4 Model B".into()), throttled: Some(0), max_current_ma: Some(3000) };
    assert!(judge(&other).iter().all(|finding| finding.level == Level::Ok), "a Pi 4 asks for 3 A");
    other.power = Power::default();
    assert!(judge(&other).iter().all(|finding| finding.about != "power"), "a computer that reports nothing");
    check(
        healthy(),
        |facts| facts.log = Err("HOME is not set".into()),
        (Note, "HOME is not set", "export ROS_LOG_DIR="),
    );
    check(healthy(), |facts| facts.page.is_built = false, (Note, "not built", "cargo xtask page"));
    let foreign = |facts: &mut Facts| {
        facts.page.refused = "Cannot assign requested address".into();
        facts.page.foreign_address = Some("1.2.3.4".into());
    };
    check(healthy(), foreign, (Note, "bind_address 1.2.3.4 is no address", "ip -brief address"));
    check(healthy(), |facts| facts.page.refused = "address in use".into(), (Note, "port 8080", "ss -ltnp"));
    check(healthy(), |facts| facts.disk_mb = Some(20), (Problem, "20 MB free", "du"));
    check(healthy(), |facts| facts.disk_mb = Some(500), (Note, "500 MB free", "du"));
    check(healthy(), |facts| facts.memory_mb = Some(50), (Problem, "50 MB free", "ps"));
    check(healthy(), |facts| facts.memory_mb = Some(200), (Note, "200 MB free", "ps"));
}

#[test]
fn when_a_line_is_printed_expect_its_cure_below_and_colours_only_where_they_are_welcome() {
    let finding = Finding::problem("bus", "it hangs", "cut\nlook");
    assert_eq!(
        finding.line(false),
        "problem  bus        it hangs\n                    -> cut\n                    -> look"
    );
    assert!(finding.line(true).starts_with("\x1b[1;31mproblem \x1b[0m bus"));
}

#[test]
fn when_a_pin_cannot_be_had_expect_the_reason_and_its_cure() {
    let mut facts = healthy();
    facts.pins =
        Some(Err("GPIO17 (line 17 of /dev/gpiochip0, pinctrl-rp1) cannot be used (spi0 has it); use another".into()));
    let found = judge(&facts).into_iter().find(|finding| finding.about == "pins").unwrap();
    assert_eq!((found.level, found.cure.as_str()), (Level::Problem, "use another"));
    assert!(found.says.ends_with("(spi0 has it)"));
    facts.pins = None;
    assert!(judge(&facts).iter().all(|finding| finding.about != "pins"));
}
