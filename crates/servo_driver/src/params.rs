//! What `servo_driver` can be set to.

use crate::bus::{bus_names, buses};
use crate::pins::PinAccess;
use hexapod_config::ros_params::ParamSpec;
use hexapod_setup::params::common;
use std::sync::LazyLock;

/// Whether joint commands come from ros2_control, and the value for a source that is silent while nothing changes.
pub(crate) const ROS2_CONTROL: &str = "ros2_control";
pub(crate) const ON_CHANGE: &str = "on_change";

static ABOUT_BUSES: LazyLock<String> =
    LazyLock::new(|| buses().map(|(name, about)| format!("{name}: {about}")).collect::<Vec<_>>().join("; "));

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend([
        ParamSpec::new("bus", "simulated", &ABOUT_BUSES).choices(bus_names()).read_only(),
        ParamSpec::new(
            "load_feedback",
            false,
            "With bus simulated: servo_states have velocity and effort, as of bus servos",
        )
        .read_only(),
        ParamSpec::new("i2c_device", 1, "Number N of /dev/i2c-N").range(0.0, 255.0).read_only(),
        ParamSpec::new("port", "", "With servos on a serial bus: its port, best by its name in /dev/serial/by-id")
            .read_only(),
        ParamSpec::new(
            "baud_rate",
            0,
            "With servos on a serial bus: bits a second, as they are set to; 0: what is usual (lx16a 115200, servo2040 460800, else 1000000)",
        )
        .range(0.0, 4_500_000.0)
        .read_only(),
        ParamSpec::new(
            "guard",
            true,
            "With real servos: start a process that switches all channels off if this one dies",
        )
        .read_only(),
        ParamSpec::new(
            ROS2_CONTROL,
            "none",
            "Who sends joint_commands: none: a planner, all the time; always, on_change: ros2_control's \
            joint_state_topic_hardware_interface, in each cycle (trigger_joint_command_threshold -1) or only when a command changes",
        )
        .choices(&["none", "always", ON_CHANGE])
        .read_only(),
        ParamSpec::new("emergency_stop_timeout", 0.0, "Longest silence on the topic emergency_stop, s; 0: any")
            .range(0.0, 60.0)
            .read_only(),
        pin_access(),
        pin("oe_pin", "Output enable of the boards: BCM number, with real servos; -1: none"),
        pin("stop_pin", "Stop button: BCM number, with real servos; -1: none"),
        level("stop_pin_active", "high", "Level of a pressed stop button; high for one that opens a contact to ground"),
        pin("battery_pin", "Battery alarm: BCM number, with real servos; -1: none"),
        level("battery_pin_active", "low", "Level of the battery alarm"),
        low_voltage(),
        high_temperature(),
        pin("sda_pin", "SDA of the bus, 2 on a Pi: with scl_pin a bus held low is clocked free; -1: none"),
        pin("scl_pin", "SCL of the bus, 3 on a Pi; -1: none"),
        // The servo core wants ticks at most 20 ms apart, so that a silent board is noticed within 100 ms.
        ParamSpec::new("rate", 100.0, "Servo updates without new commands, Hz").range(50.0, 400.0).read_only(),
        ParamSpec::new("state_rate", 50.0, "Messages on servo_states, Hz").range(1.0, 200.0).read_only(),
    ]);
    specs
}

fn low_voltage() -> ParamSpec {
    ParamSpec::new(
        "low_voltage",
        0.0,
        "With servos that measure their supply: a lower one, V, is a battery alarm; 0: none is",
    )
    .range(0.0, 60.0)
    .read_only()
}

fn high_temperature() -> ParamSpec {
    ParamSpec::new(
        "high_temperature",
        65.0,
        "With servos that measure their temperature: one at so many degrees C or more is a battery alarm, too; 0: none is",
    )
    .range(0.0, 120.0)
    .read_only()
}

fn pin_access() -> ParamSpec {
    const ABOUT: &str = "How pins are reached: character_device: lines of /dev/gpiochip*, found by name or chip; registers: \
        the processor's, of a Raspberry Pi; auto: the former where the lines are found, else the latter";
    ParamSpec::new("gpio", PinAccess::default().name(), ABOUT).choices(&PinAccess::NAMES).read_only()
}

fn pin(name: &'static str, description: &'static str) -> ParamSpec {
    ParamSpec::new(name, -1, description).range(-1.0, 27.0).read_only()
}

fn level(name: &'static str, default: &'static str, description: &'static str) -> ParamSpec {
    ParamSpec::new(name, default, description).choices(&["high", "low"]).read_only()
}
