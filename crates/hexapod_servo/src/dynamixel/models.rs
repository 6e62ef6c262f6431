//! The numbers that Dynamixel servos report, and what one count of their current is.

use crate::serial::Model;

const fn by_current(number: u16, name: &'static str, amperes: f64) -> Model {
    Model { number, name, amperes: Some(amperes) }
}

const fn by_load(number: u16, name: &'static str) -> Model {
    Model { number, name, amperes: None }
}

/// Of protocol 2.0.
pub(super) const X: &[Model] = &[
    by_load(1060, "XL430-W250"),
    by_load(1090, "2XL430-W250"),
    by_load(1070, "XC430-W150"),
    by_load(1080, "XC430-W240"),
    by_load(1160, "2XC430-W250"),
    by_current(1190, "XL330-M077", 1e-3),
    by_current(1200, "XL330-M288", 1e-3),
    by_current(1210, "XC330-T181", 1e-3),
    by_current(1220, "XC330-T288", 1e-3),
    by_current(1230, "XC330-M181", 1e-3),
    by_current(1240, "XC330-M288", 1e-3),
    by_current(1000, "XH430-W350", 2.69e-3),
    by_current(1010, "XH430-W210", 2.69e-3),
    by_current(1020, "XM430-W350", 2.69e-3),
    by_current(1030, "XM430-W210", 2.69e-3),
    by_current(1040, "XH430-V350", 1.34e-3),
    by_current(1050, "XH430-V210", 1.34e-3),
    by_current(1100, "XH540-W270", 2.69e-3),
    by_current(1110, "XH540-W150", 2.69e-3),
    by_current(1120, "XM540-W270", 2.69e-3),
    by_current(1130, "XM540-W150", 2.69e-3),
    by_current(1170, "XW540-T260", 2.69e-3),
    by_current(1180, "XW540-T140", 2.69e-3),
    by_load(30, "MX-28 2.0"),
    by_current(311, "MX-64 2.0", 3.36e-3),
    by_current(321, "MX-106 2.0", 3.36e-3),
];

/// Of protocol 1.0.
pub(super) const AX: &[Model] = &[by_load(12, "AX-12"), by_load(18, "AX-18"), by_load(300, "AX-12W")];

/// Of protocol 1.0, 4096 steps a turn.
pub(super) const MX: &[Model] = &[by_load(29, "MX-28"), by_load(310, "MX-64"), by_load(320, "MX-106")];
