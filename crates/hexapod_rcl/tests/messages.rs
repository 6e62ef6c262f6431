//! Messages and where they come from, through the middleware.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{keep, next, node, system_now, until};
use hexapod_rcl::{Publisher, Subscription, WaitSet};
use r2r::NativeMsg;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::{Bool, Int64, String as Text};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn when_two_publish_expect_their_gids_distinguished_and_their_nodes_named() {
    let (_hears, listener) = node("listener");
    let (_one, first) = node("first");
    let (_other, second) = node("second");
    let mut heard = Subscription::<Int64>::create(&listener, "count", keep(10)).unwrap();
    let mut set = WaitSet::create(&_hears).unwrap();
    set.add(&heard).unwrap();
    let publishers = [&first, &second].map(|node| Publisher::<Int64>::create(node, "count", keep(10)).unwrap());
    until("discovery", || publishers.iter().all(|publisher| publisher.subscription_count().unwrap() == 1));
    let graph = listener.graph();
    let names = ["/first", "/listener", "/second"].map(String::from);
    until("the nodes", || graph.nodes().is_ok_and(|nodes| names.iter().all(|name| nodes.contains(name))));
    until("the graph", || {
        let endpoints = graph.publishers("count").unwrap();
        endpoints.len() == 2 && endpoints.iter().all(|endpoint| endpoint.node.is_some())
    });
    for (publisher, (data, name)) in publishers.iter().zip([(1, "/first"), (2, "/second")]) {
        publisher.publish(&Int64 { data }).unwrap();
        let (message, info) = next(&mut set, &mut heard);
        assert_eq!((message.data, info.sender), (data, publisher.gid().unwrap()));
        assert_eq!(graph.node_of(info.sender).unwrap().as_deref(), Some(name));
        let endpoints = graph.publishers("count").unwrap();
        let endpoint = endpoints.iter().find(|endpoint| endpoint.gid == info.sender).unwrap();
        assert_eq!((endpoint.node.as_deref(), endpoint.message_type.as_str()), (Some(name), "std_msgs/msg/Int64"));
        assert!(endpoint.is_reliable && !endpoint.is_latched);
    }
    let listeners = graph.subscriptions("count").unwrap();
    assert_eq!(listeners.iter().map(|endpoint| endpoint.node.as_deref()).collect::<Vec<_>>(), [Some("/listener")]);
    drop((set, heard, listener));
    assert_eq!(graph.publishers("count").unwrap(), []);
}

#[test]
fn when_a_message_waits_before_it_is_taken_expect_the_time_it_was_received() {
    let (context, listener) = node("listener");
    let (_sends, sender) = node("sender");
    let mut heard = Subscription::<Bool>::create(&listener, "waits", keep(10)).unwrap();
    let mut set = WaitSet::create(&context).unwrap();
    set.add(&heard).unwrap();
    let publisher = Publisher::<Bool>::create(&sender, "waits", keep(10)).unwrap();
    until("discovery", || publisher.subscription_count().unwrap() == 1);
    let sent = system_now();
    publisher.publish(&Bool { data: true }).unwrap();
    assert_eq!(set.wait(Some(crate::common::TEST_TIMEOUT)).unwrap(), [0]);
    let there = system_now();
    std::thread::sleep(Duration::from_millis(200));
    let (_, info) = next(&mut set, &mut heard);
    let slack = Duration::from_millis(50);
    assert!(info.received + slack >= sent && info.received <= there, "{info:?}, sent at {sent:?}");
    assert!(info.sent + slack >= sent && info.sent <= info.received, "{info:?}, sent at {sent:?}");
}

#[test]
fn when_a_thousand_messages_come_in_a_burst_expect_each_of_them_once() {
    const COUNT: i64 = 1000;
    let (context, listener) = node("listener");
    let (_sends, sender) = node("sender");
    let mut heard = Subscription::<Int64>::create(&listener, "burst", keep(1000)).unwrap();
    let mut set = WaitSet::create(&context).unwrap();
    set.add(&heard).unwrap();
    let publisher = Publisher::<Int64>::create(&sender, "burst", keep(1000)).unwrap();
    until("discovery", || publisher.subscription_count().unwrap() == 1);
    (0..COUNT).for_each(|data| publisher.publish(&Int64 { data }).unwrap());
    let taken: Vec<_> = (0..COUNT).map(|_| next(&mut set, &mut heard).0.data).collect();
    assert_eq!(taken.iter().copied().collect::<BTreeSet<_>>().len(), 1000);
    assert!(taken.is_sorted());
    assert!(heard.take().unwrap().is_none());
}

#[test]
fn when_the_native_message_is_reused_expect_nothing_left_of_the_one_before() {
    let (context, listener) = node("listener");
    let (_sends, sender) = node("sender");
    let mut heard = Subscription::<JointState>::create(&listener, "joints", keep(10)).unwrap();
    let mut set = WaitSet::create(&context).unwrap();
    set.add(&heard).unwrap();
    let publisher = Publisher::<JointState>::create(&sender, "joints", keep(10)).unwrap();
    until("discovery", || publisher.subscription_count().unwrap() == 1);
    let long = JointState {
        name: (0..40).map(|joint| format!("a joint with a long name, number {joint}")).collect(),
        position: vec![1.5; 40],
        ..JointState::default()
    };
    let short = JointState { name: vec!["knee".into()], velocity: vec![-2.0], ..JointState::default() };
    for message in [&long, &short, &JointState::default(), &long] {
        publisher.publish_native(&NativeMsg::from(message)).unwrap();
        assert_eq!(&next(&mut set, &mut heard).0, message);
    }
    assert!(heard.take().unwrap().is_none());
}

#[test]
fn when_a_late_listener_asks_for_what_is_latched_expect_it_and_the_graph_to_say_so() {
    let (_sends, sender) = node("sender");
    let publisher = Publisher::<Text>::create(&sender, "state", keep(1).transient_local()).unwrap();
    publisher.publish(&Text { data: "walking".into() }).unwrap();
    let (context, listener) = node("listener");
    let mut heard = Subscription::<Text>::create(&listener, "state", keep(1).transient_local()).unwrap();
    let mut set = WaitSet::create(&context).unwrap();
    set.add(&heard).unwrap();
    assert_eq!(next(&mut set, &mut heard).0.data, "walking");
    until("the graph", || listener.graph().publishers("/state").unwrap().iter().any(|endpoint| endpoint.is_latched));
}
