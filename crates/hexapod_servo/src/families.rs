//! The families of servos on serial buses: where a new one is made known.

use crate::serial::Family;
use crate::{dynamixel, feetech, lx16a};

/// All of them.
pub static FAMILIES: [&Family; 3] = [&feetech::FAMILY, &dynamixel::FAMILY, &lx16a::FAMILY];

/// The family of this name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.into_iter().find(|family| family.name == name)
}
