//! Arguments, names, waiting, waking and the end of things in any order.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{keep, node};
use hexapod_rcl::{Context, Node, Publisher, RclError, Service, Subscription, WaitSet};
use r2r::ParameterValue::{Bool as Truth, DoubleArray, Integer, String as Word, StringArray};
use r2r::std_msgs::msg::Bool;
use r2r::std_srvs::srv::Trigger;
use std::time::{Duration, Instant};

#[test]
fn when_arguments_are_malformed_expect_an_error_in_rcls_words() {
    for (arguments, word) in [
        (vec!["test", "--ros-args", "-p", "rate"], "rate"),
        (vec!["test", "--ros-args", "--params-file", "/no/such/file"], "/no/such/file"),
        (vec!["test", "--ros-args", "-r"], "-r"),
    ] {
        match Context::create(&arguments).err() {
            Some(RclError::Arguments { words }) => assert!(words.contains(word), "{words}"),
            other => unreachable!("{arguments:?}: {other:?}"),
        }
    }
    assert!(matches!(Context::create(["te\0st"]), Err(RclError::Nul { .. })));
    let context = Context::create(["test", "--not-for-ros"]).unwrap();
    assert!(Node::create(&context, "no spaces", "").is_err());
    let node = Node::create(&context, "fine", "").unwrap();
    let error = Publisher::<Bool>::create(&node, "not a topic", keep(1)).err().unwrap();
    assert!(error.to_string().contains("topic name must not contain"), "{error}");
}

#[test]
fn when_arguments_set_parameters_and_names_expect_those_that_are_meant() {
    let file = std::env::temp_dir().join(format!("hexapod_rcl_{}.yaml", std::process::id()));
    let sections = "/**: {ros__parameters: {all: true}}\n/ns/walker: {ros__parameters: {full: [1.0, 2.5]}}\n\
                    walker: {ros__parameters: {short: [a, b]}}\nother: {ros__parameters: {wrong: 1}}\n";
    std::fs::write(&file, sections).unwrap();
    let path = file.to_str().unwrap();
    let arguments =
        ["test", "--ros-args", "-r", "__ns:=/ns", "--params-file", path, "-p", "rate:=7", "-p", "walker:gait:=wave"];
    let context = Context::create(arguments).unwrap();
    let node = Node::create(&context, "walker", "").unwrap();
    assert_eq!((node.name().as_str(), node.full_name().as_str()), ("walker", "/ns/walker"));
    let found = node.overrides().unwrap();
    let for_all: Vec<&str> = found.iter().filter(|set| set.for_all).map(|set| set.name.as_str()).collect();
    assert!(for_all.contains(&"rate") && !for_all.contains(&"gait"), "{for_all:?}");
    let mut found: Vec<_> = found.into_iter().map(|set| (set.name, set.value)).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let expect = [
        ("all", Truth(true)),
        ("full", DoubleArray(vec![1.0, 2.5])),
        ("gait", Word("wave".into())),
        ("rate", Integer(7)),
        ("short", StringArray(vec!["a".into(), "b".into()])),
    ];
    assert_eq!(found, expect.map(|(name, value)| (name.to_owned(), value)));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn when_a_wait_set_is_woken_expect_the_wait_ended_at_once_and_once() {
    let (context, node) = node("sleeper");
    let heard = Subscription::<Bool>::create(&node, "silence", keep(1)).unwrap();
    let mut set = WaitSet::create(&context).unwrap();
    set.add(&heard).unwrap();
    let waker = set.waker();
    let slept = |set: &mut WaitSet, timeout| {
        let started = Instant::now();
        assert_eq!(set.wait(Some(timeout)).unwrap(), [0; 0]);
        started.elapsed()
    };
    let (short, long) = (Duration::from_millis(50), Duration::from_secs(20));
    assert!(slept(&mut set, short) >= short);
    std::thread::scope(|scope| {
        let waker = waker.clone();
        scope.spawn(move || {
            std::thread::sleep(short);
            waker.wake();
        });
        assert!(slept(&mut set, long) < long / 2, "from another thread");
    });
    waker.wake();
    assert!(slept(&mut set, long) < long / 2, "before the wait");
    assert!(slept(&mut set, short) >= short, "one wake ends one wait");
    assert!(!waker.is_gone());
    drop(set);
    assert!(waker.is_gone());
    waker.wake();
}

#[test]
fn when_an_entity_is_in_a_wait_set_expect_no_other_to_take_it() {
    let (context, node) = node("shared");
    let heard = Subscription::<Bool>::create(&node, "shared", keep(1)).unwrap();
    let mut set = WaitSet::create(&context).unwrap();
    let mut other = WaitSet::create(&context).unwrap();
    set.add(&heard).unwrap();
    assert!(matches!(other.add(&heard), Err(RclError::AlreadyAwaited)));
    assert!(matches!(set.add(&heard), Err(RclError::AlreadyAwaited)));
    drop(set);
    assert_eq!(other.add(&heard).unwrap(), 0);
}

#[test]
fn when_things_end_in_any_order_expect_what_they_need_to_outlive_them() {
    for turn in 0..6 {
        let context = Context::create(["test"]).unwrap();
        let node = Node::create(&context, "order", "").unwrap();
        let publisher = Publisher::<Bool>::create(&node, "order", keep(1)).unwrap();
        let heard = Subscription::<Bool>::create(&node, "order", keep(1)).unwrap();
        let service = Service::<Trigger::Service>::create(&node, "ordered", keep(1)).unwrap();
        let mut set = WaitSet::create(&context).unwrap();
        set.add(&heard).unwrap();
        set.add(&service).unwrap();
        let mut parts: Vec<Box<dyn std::any::Any>> = vec![Box::new(context), Box::new(node), Box::new(set)];
        parts.extend([Box::new(publisher) as Box<dyn std::any::Any>, Box::new(heard), Box::new(service)]);
        parts.rotate_left(turn);
        while let Some(part) = parts.pop() {
            drop(part);
        }
    }
}

/// Bytes of resident memory, and the number of threads.
fn in_use() -> (usize, usize) {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let resident: usize = statm.split_whitespace().nth(1).unwrap().parse().unwrap();
    (resident * 4096, std::fs::read_dir("/proc/self/task").unwrap().count())
}

#[test]
fn when_nodes_come_and_go_expect_no_growth() {
    // A node that is left behind would keep its context, and that the middleware's threads.
    let round = || {
        let context = Context::create(["test"]).unwrap();
        let node = Node::create(&context, "guest", "").unwrap();
        let _publisher = Publisher::<Bool>::create(&node, "guest", keep(1)).unwrap();
        let heard = Subscription::<Bool>::create(&node, "guest", keep(1)).unwrap();
        let mut set = WaitSet::create(&context).unwrap();
        set.add(&heard).unwrap();
        set.wait(Some(Duration::from_millis(1))).unwrap();
    };
    (0..10).for_each(|_| round());
    let (bytes, threads) = in_use();
    (0..50).for_each(|_| round());
    let (bytes_after, mut threads_after) = in_use();
    // Other tests of this process have nodes, too, which end with them.
    for _ in 0..100 {
        if threads_after <= threads {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
        threads_after = in_use().1;
    }
    assert!(threads_after <= threads, "{threads} threads, then {threads_after}");
    let grown = bytes_after.saturating_sub(bytes);
    assert!(grown < 8 << 20, "50 nodes left {grown} bytes");
}
