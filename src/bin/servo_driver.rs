//! `servo_driver` as a process of its own.

fn main() {
    hexapod::nodes::servo_driver()
}
