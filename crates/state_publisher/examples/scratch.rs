//! scratch
use hexapod_ros::{Ros, RosNode, Shutdown};
fn main() {
    let shutdown = Shutdown::on_signals().unwrap();
    let ros = Ros::init().unwrap();
    let node = RosNode::create(&ros, state_publisher::NAME, state_publisher::specs(), Default::default()).unwrap();
    let mut params = node.values().clone();
    for s in state_publisher::specs() { params.entry(s.name).or_insert(s.default); }
    let setup = state_publisher::Setup::load(&params).unwrap();
    state_publisher::run(setup, node, &shutdown).unwrap();
    eprintln!("ended");
}
