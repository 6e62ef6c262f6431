use super::*;

fn chip(path: &str, label: &str, names: &[&str]) -> Candidate {
    let lines = names.iter().map(|name| ((*name).to_owned(), None)).collect();
    Candidate { chip: path.into(), label: label.into(), lines }
}

/// The lines of a header, as the device trees of the firmware name them.
fn header() -> Vec<String> {
    (0..28).map(|number| format!("GPIO{number}")).collect()
}

fn found(candidates: &[Candidate], number: u8) -> Result<(String, u32), String> {
    named(candidates, number).map(|place| (place.chip.display().to_string(), place.offset))
}

#[test]
fn when_chips_have_other_numbers_expect_the_line_of_the_header_all_the_same() {
    let names = header();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for label in CHIPS {
        for number in [0, 4, 11] {
            let path = format!("/dev/gpiochip{number}");
            let chips = [
                chip("/dev/gpiochip1", "raspberrypi-exp-gpio", &["BT_ON", "GPIO17"]),
                chip(&path, label, &names),
                chip("/dev/gpiochip12", "gpio-brcmstb@107d508500", &["-", "GPIO17"]),
            ];
            assert_eq!(found(&chips, 17), Ok((path.clone(), 17)), "{label}");
            assert_eq!(found(&chips, 27), Ok((path, 27)), "{label}");
        }
    }
}

#[test]
fn when_a_header_names_lines_by_their_use_or_not_at_all_expect_the_one_of_the_number() {
    let chips = [chip("/dev/gpiochip0", "pinctrl-bcm2711", &["ID_SDA", "", "SDA1", "GPIO9", "GPIO_GCLK"])];
    for number in [0_u8, 1, 2, 4] {
        assert_eq!(found(&chips, number), Ok(("/dev/gpiochip0".into(), u32::from(number))));
    }
    assert_eq!(found(&chips, 9), Ok(("/dev/gpiochip0".into(), 3)), "its name comes first");
    assert!(found(&chips, 3).is_err() && found(&chips, 5).is_err(), "that line is another, or there is none");
}

#[test]
fn when_it_is_no_raspberry_pi_expect_the_one_line_of_that_name() {
    let chip = |path: &str| chip(path, "rk3588-gpio", &["PIN_3", "GPIO17"]);
    let (one, other) = (chip("/dev/gpiochip1"), chip("/dev/gpiochip2"));
    assert!(found(&[], 17).unwrap_err().contains("there is no /dev/gpiochip*"));
    assert!(found(std::slice::from_ref(&one), 4).unwrap_err().contains("no GPIO chip has a line GPIO4"));
    assert_eq!(found(std::slice::from_ref(&one), 17), Ok(("/dev/gpiochip1".into(), 1)));
    assert!(found(&[one, other], 17).unwrap_err().contains("both have a line GPIO17"));
}

#[test]
fn when_a_chip_cannot_be_looked_at_expect_no_line_of_that_name_but_on_a_header() {
    let refused = PinError { what: "/dev/gpiochip0".into(), reason: "no".into(), remedy: "ask".into(), holder: None };
    let other = chip("/dev/gpiochip1", "raspberrypi-exp-gpio", &["GPIO17"]);
    let on_header = chip("/dev/gpiochip2", "pinctrl-rp1", &["GPIO17"]);
    let choose = |chips: &[Candidate], refused| choose(chips, 17, refused).map(|place| place.label);
    let alone = std::slice::from_ref(&other);
    assert_eq!(choose(alone, None).unwrap(), "raspberrypi-exp-gpio");
    assert_eq!(choose(alone, Some(&refused)).unwrap_err().what, "/dev/gpiochip0", "that may be the header");
    assert_eq!(choose(&[other, on_header], Some(&refused)).unwrap(), "pinctrl-rp1");
    assert!(choose(&[], Some(&refused)).is_err() && choose(&[], None).is_err());
}

#[test]
fn when_others_have_a_line_expect_only_readers_of_an_input_to_share_it() {
    let place = |name: &str, drives| {
        let user = Some(User { name: name.into(), drives });
        Place { number: 17, chip: "/dev/gpiochip0".into(), label: "pinctrl-rp1".into(), offset: 17, user }
    };
    for (drives, output, holder) in [
        (false, false, Holder::Reader),
        (true, false, Holder::Stranger),
        (false, true, Holder::Stranger),
        (true, true, Holder::Stranger),
    ] {
        let error = place("gpiozero", drives).stranger(output).unwrap();
        assert_eq!(error.holder, Some(holder), "drives: {drives}, for an output: {output}");
        assert!(error.to_string().contains("gpiozero has it"));
    }
    assert!(place("hexapod 1234", true).stranger(true).is_none(), "it may be given back");
    assert!(place("hexapods", true).stranger(true).is_some());
}

#[test]
fn when_the_kernel_refuses_expect_where_and_what_to_do() {
    for (code, words) in [(13, "usermod"), (2, "gpioinfo"), (22, "5.10"), (5, "dmesg")] {
        let error = refusal("GPIO17".into(), &io::Error::from_raw_os_error(code).into()).to_string();
        assert!(error.starts_with("GPIO17 cannot be used") && error.contains(words), "{error}");
    }
}
