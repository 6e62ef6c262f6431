//! `state_publisher` as a process of its own.

fn main() {
    hexapod::nodes::state_publisher()
}
