//! Robots of kits that people own: dimensions as data, with their sources, for `hexapod new --kit`.

mod bus;
mod kit;
mod table;
mod urdf;

pub use bus::bus_text;
pub use kit::{Joint, Kit, Place, Servo};
pub use table::KITS;
pub use urdf::urdf;

/// The kit of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Kit> {
    KITS.iter().find(|kit| kit.name == name || kit.also.contains(&name))
}
