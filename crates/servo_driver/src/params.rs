//! What `servo_driver` can be set to.

use hexapod_config::ros_params::ParamSpec;
use hexapod_setup::params::common;

/// The node's parameters.
#[must_use]
pub fn specs() -> Vec<ParamSpec> {
    let mut specs = common();
    specs.extend([
        ParamSpec::new("bus", "simulated", "simulated: boards in memory; i2c: those on /dev/i2c-<i2c_device>")
            .choices(&["simulated", "i2c"])
            .read_only(),
        ParamSpec::new("i2c_device", 1, "Number N of /dev/i2c-N").range(0.0, 255.0).read_only(),
        ParamSpec::new("guard", true, "With bus i2c: start a process that switches all channels off if this one dies")
            .read_only(),
        // The servo core wants ticks at most 20 ms apart, so that a silent board is noticed within 100 ms.
        ParamSpec::new("rate", 100.0, "Servo updates without new commands, Hz").range(50.0, 400.0).read_only(),
        ParamSpec::new("state_rate", 50.0, "Messages on servo_states, Hz").range(1.0, 200.0).read_only(),
    ]);
    specs
}
