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
pub(super) const MX: &[Model] =
    &[by_load(29, "MX-28"), by_load(310, "MX-64"), by_load(320, "MX-106"), by_load(360, "MX-12W")];

/// Of protocol 2.0, with other registers.
pub(super) const NOT_X: &[Model] = &[
    by_load(350, "XL-320"),
    by_load(35072, "L42-10-S300-R"),
    by_load(37928, "L54-30-S400-R"),
    by_load(37896, "L54-30-S500-R"),
    by_load(38176, "L54-50-S290-R"),
    by_load(38152, "L54-50-S500-R"),
    by_load(43288, "M42-10-S260-R"),
    by_load(46096, "M54-40-S250-R"),
    by_load(46352, "M54-60-S250-R"),
    by_load(51200, "H42-20-S300-R"),
    by_load(53768, "H54-100-S500-R"),
    by_load(54024, "H54-200-S500-R"),
    by_load(2000, "PH42-020-S300-R"),
    by_load(2010, "PH54-100-S500-R"),
    by_load(2020, "PH54-200-S500-R"),
    by_load(2100, "PM42-010-S260-R"),
    by_load(2110, "PM54-040-S250-R"),
    by_load(2120, "PM54-060-S250-R"),
];

/// Of protocol 1.0, with as many steps for another angle.
pub(super) const NOT_AX: &[Model] = &[by_load(107, "EX-106+")];
