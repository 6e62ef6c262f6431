//! Whether each pin is given to one thing alone, and none to what the bus has.

use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_config::{ConfigError, Faults};
use hexapod_setup::params::wrong;

/// SDA and SCL of the buses that a Raspberry Pi has on its header, by the number of `/dev/i2c-N` (their default pins in
/// the firmware's device tree overlays).
const BUSES: [(i64, [i64; 2]); 6] = [(0, [0, 1]), (1, [2, 3]), (3, [4, 5]), (4, [8, 9]), (5, [12, 13]), (6, [22, 23])];
const USES: [(&str, &str); 3] =
    [("oe_pin", "OE"), ("stop_pin", "the stop button"), ("battery_pin", "the battery alarm")];

/// Checks the pins against each other and against the bus, whichever bus is chosen: a map of wires is right or wrong.
///
/// # Errors
/// Each pin that is given twice, or taken by the bus.
pub(crate) fn check(params: &Params) -> Result<(), ConfigError> {
    let mut faults = Faults::default();
    let integer = |name: &str| params.get(name).and_then(ParamValue::as_i64);
    let pin = |name: &str| integer(name).filter(|pin| *pin >= 0);
    let device = integer("i2c_device").unwrap_or(1);
    let usual = BUSES.iter().find(|(number, _)| *number == device).map(|(_, pins)| *pins);
    let wrong = |name: &str, reason: String, help: &str| wrong(crate::NAME, params, name, reason, help);
    let given = [pin("sda_pin"), pin("scl_pin")];
    if given.iter().flatten().count() == 1 {
        let name = if given[0].is_none() { "sda_pin" } else { "scl_pin" };
        faults.add(wrong(
            name,
            "one of sda_pin and scl_pin is given without the other".into(),
            "give both, or -1 for both",
        ));
    }
    if let ([Some(sda), Some(scl)], Some(usual)) = (given, usual)
        && [sda, scl] != usual
    {
        let reason = format!("/dev/i2c-{device} is on the pins {} (SDA) and {} (SCL)", usual[0], usual[1]);
        let help = format!("give sda_pin {} and scl_pin {}, or -1 for both", usual[0], usual[1]);
        faults.add(wrong(if sda == usual[0] { "scl_pin" } else { "sda_pin" }, reason, &help));
    }
    let bus = [given[0].or(usual.map(|pins| pins[0])), given[1].or(usual.map(|pins| pins[1]))];
    for (index, (name, _)) in USES.iter().enumerate() {
        let Some(number) = pin(name) else { continue };
        if let Some(line) = bus.iter().position(|taken| *taken == Some(number)) {
            let line = ["SDA", "SCL"][line];
            let reason = format!("pin {number} is {line} of the bus /dev/i2c-{device}");
            faults.add(wrong(name, reason, "wire it to another pin, such as 17, 22 or 27"));
        }
        if let Some((_, other)) = USES[..index].iter().find(|(other, _)| pin(other) == Some(number)) {
            faults.add(wrong(name, format!("pin {number} is already used for {other}"), "give each its own pin"));
        }
    }
    faults.into_result()
}

/// What a Raspberry Pi may use some pins for, whatever is wired to them.
const SHARED: [(i64, &str); 4] = [
    (0, "the ID EEPROM of HATs"),
    (1, "the ID EEPROM of HATs"),
    (14, "the serial console (UART TXD)"),
    (15, "the serial console (UART RXD)"),
];

/// Pins that the system may drive by itself, with what for.
#[must_use]
pub(crate) fn notes(params: &Params) -> Vec<String> {
    let pin = |name: &str| params.get(name).and_then(ParamValue::as_i64);
    let given = USES.iter().filter_map(|(name, _)| Some((name, pin(name)?)));
    let shared = given.filter_map(|(name, pin)| Some((name, SHARED.iter().find(|(shared, _)| *shared == pin)?)));
    let reported = shared.map(|(name, (pin, what))| {
        format!("{name}: pin {pin} is also used for {what}; switch that off (raspi-config), or use 17, 22 or 27")
    });
    reported.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(given: &[(&'static str, i64)]) -> Vec<String> {
        let mut params: Params = crate::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect();
        params.extend(given.iter().map(|&(name, value)| (name, ParamValue::Integer(value))));
        let error = check(&params).err();
        error.iter().flat_map(ConfigError::each).map(|error| format!("{error:#}")).collect()
    }

    #[test]
    fn when_each_pin_has_one_use_expect_it_taken() {
        assert_eq!(reported(&[]), [""; 0]);
        assert_eq!(
            reported(&[("oe_pin", 17), ("stop_pin", 27), ("battery_pin", 22), ("sda_pin", 2), ("scl_pin", 3)]),
            [""; 0]
        );
        assert_eq!(reported(&[("i2c_device", 3), ("oe_pin", 2)]), [""; 0], "that bus is elsewhere");
        assert_eq!(reported(&[("i2c_device", 11), ("sda_pin", 23), ("scl_pin", 24)]), [""; 0]);
    }

    #[test]
    fn when_the_system_may_drive_a_pin_expect_a_note() {
        let with = |name: &'static str, pin: i64| notes(&Params::from([(name, ParamValue::Integer(pin))]));
        assert!(with("oe_pin", 14)[0].contains("serial console") && with("stop_pin", 0)[0].contains("EEPROM"));
        assert_eq!((with("oe_pin", 17), with("oe_pin", -1)), (vec![], vec![]));
    }

    #[test]
    fn when_a_pin_has_two_uses_expect_both_named() {
        for (given, words) in [
            (vec![("oe_pin", 17), ("stop_pin", 17)], vec!["`stop_pin`: pin 17 is already used for OE"]),
            (vec![("oe_pin", 2)], vec!["`oe_pin`: pin 2 is SDA of the bus /dev/i2c-1"]),
            (vec![("i2c_device", 3), ("battery_pin", 5)], vec!["`battery_pin`: pin 5 is SCL"]),
            (vec![("i2c_device", 11), ("sda_pin", 23), ("scl_pin", 24), ("stop_pin", 24)], vec!["pin 24 is SCL"]),
            (vec![("sda_pin", 3), ("scl_pin", 2)], vec!["`sda_pin`: /dev/i2c-1 is on the pins 2 (SDA) and 3 (SCL)"]),
            (vec![("sda_pin", 2)], vec!["scl_pin: one of sda_pin and scl_pin"]),
            (
                vec![("oe_pin", 3), ("stop_pin", 3), ("battery_pin", 3)],
                vec!["`oe_pin`: pin 3 is SCL", "`stop_pin`: pin 3 is SCL", "`stop_pin`: pin 3 is already used for OE"],
            ),
        ] {
            let reported = reported(&given);
            assert!(
                words.iter().all(|word| reported.iter().any(|reported| reported.contains(word))),
                "{given:?}: {reported:#?}"
            );
        }
    }
}
