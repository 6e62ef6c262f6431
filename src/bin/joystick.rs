//! `joystick` as a process of its own.

fn main() {
    hexapod::nodes::joystick()
}
