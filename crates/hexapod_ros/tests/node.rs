//! Nodes as the robot uses them, with the middleware in between.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]

use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::std_msgs::msg::{Bool, Int64, UInt8MultiArray};
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{Received, Reply, Ros, RosNode, Sender, Shutdown, Stage, monotonic_now};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// Discovery takes a moment, on a busy machine a long one.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);
const MS: Duration = Duration::from_millis(1);

fn ros() -> Ros {
    Ros::init().unwrap()
}

fn node(ros: &Ros, name: &str) -> RosNode {
    RosNode::create(ros, name, vec![], Default::default()).unwrap()
}

fn keep(depth: usize) -> QosProfile {
    QosProfile::default().reliable().keep_last(depth)
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < TEST_TIMEOUT, "{what}: not within {TEST_TIMEOUT:?}");
        sleep(2 * MS);
    }
}

/// A node that spins on a thread of its own until it is dropped.
struct Spinning {
    shutdown: Shutdown,
    thread: Option<JoinHandle<()>>,
}

impl Spinning {
    fn start(node: RosNode) -> Self {
        let shutdown = Shutdown::default();
        let until = shutdown.clone();
        Self { shutdown, thread: Some(spawn(move || node.spin(&until, Stage::Stopping))) }
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        self.shutdown.ask();
        let _ = self.thread.take().unwrap().join();
    }
}

#[test]
fn when_the_nodes_thread_is_held_up_expect_its_lane_to_go_on() {
    let mut hears = node(&ros(), "hears");
    let (held, release) = mpsc::channel::<()>();
    let (busy, is_busy) = mpsc::channel();
    hears
        .subscribe("slow", keep(10), move |_: Bool| {
            busy.send(()).unwrap();
            let _ = release.recv_timeout(TEST_TIMEOUT);
        })
        .unwrap();
    let (urgent, is_urgent) = mpsc::channel();
    let (asked, is_asked) = mpsc::channel();
    let mut lane = hears.lane("urgent", 20).unwrap();
    lane.subscribe_from("urgent", keep(10), move |message: Bool, from| urgent.send((message.data, *from)).unwrap())
        .unwrap();
    lane.serve_later_from("stop", move |_, reply: Reply<Trigger::Service>, from| {
        let thread = std::thread::current().name().unwrap().to_owned();
        asked.send((thread, *from)).unwrap();
        reply.send(Trigger::Response { success: true, message: String::new() });
    })
    .unwrap();
    let graph = hears.graph();
    let spinning = Spinning::start(hears);

    let mut says = node(&ros(), "says");
    let slow = says.publisher::<Bool>("slow", keep(10)).unwrap();
    let fast = says.publisher::<Bool>("urgent", keep(10)).unwrap();
    let stop = says.caller::<Trigger::Service>("stop").unwrap();
    let _says = Spinning::start(says);
    until("discovery", || slow.is_heard() && fast.is_heard());
    slow.publish(&Bool { data: true }).unwrap();
    is_busy.recv_timeout(TEST_TIMEOUT).unwrap();

    let before = monotonic_now();
    fast.publish(&Bool { data: true }).unwrap();
    let (data, from) = is_urgent.recv_timeout(TEST_TIMEOUT).unwrap();
    assert!(data && from.at + 50 * MS >= before && from.at <= monotonic_now(), "{from:?}, sent at {before:?}");
    assert_eq!(graph.name_of(from.sender).as_deref(), Some("/says"));
    assert_eq!(
        graph.senders("urgent").iter().map(|sender| Sender::Remote(sender.gid)).collect::<Vec<_>>(),
        [from.sender]
    );
    assert_eq!(graph.listeners("urgent").len(), 1);

    let (answered, is_answered) = mpsc::channel();
    stop.call(&Trigger::Request {}, move |answer| answered.send(answer.success).unwrap()).unwrap();
    let (thread, from) = is_asked.recv_timeout(TEST_TIMEOUT).unwrap();
    assert_eq!((thread.as_str(), graph.name_of(from.sender).as_deref()), ("urgent", Some("/says")));
    assert!(is_answered.recv_timeout(TEST_TIMEOUT).unwrap());
    held.send(()).unwrap();
    drop(spinning);
    assert!(graph.senders("urgent").is_empty(), "the node is gone");
}

#[test]
fn when_asked_to_end_expect_a_node_and_its_lanes_to_end_at_once() {
    let ros = ros();
    for _ in 0..5 {
        let mut sleeps = node(&ros, "sleeps");
        let dropped = Arc::new(());
        let watched = Arc::downgrade(&dropped);
        let mut lane = sleeps.lane("lane", 5).unwrap();
        lane.subscribe_from("nothing", keep(1), move |_: Bool, _| drop(Arc::clone(&dropped))).unwrap();
        let spinning = Spinning::start(sleeps);
        // The parameter services are open then, and the next turn takes a second if nobody wakes it.
        sleep(150 * MS);
        let asked = Instant::now();
        drop(spinning);
        assert!(asked.elapsed() < 500 * MS, "{:?}", asked.elapsed());
        assert!(watched.upgrade().is_none(), "the lane's handlers are gone");
    }
    // A lane that never spins ends with its node.
    let mut idle = node(&ros, "idle");
    idle.lane("lane", 5).unwrap();
    drop(idle);
}

#[test]
fn when_a_lane_panics_expect_the_whole_node_to_end_with_its_panic() {
    let mut fragile = node(&ros(), "fragile");
    fragile.lane("lane", 5).unwrap().subscribe_from("last", keep(1), |_: Bool, _| panic!("as it must not")).unwrap();
    let thread = spawn(move || fragile.spin(&Shutdown::default(), Stage::Stopping));
    let mut says = node(&ros(), "says");
    let last = says.publisher::<Bool>("last", keep(1)).unwrap();
    until("discovery", || last.is_heard());
    last.publish(&Bool { data: true }).unwrap();
    until("the end", || thread.is_finished());
    assert_eq!(thread.join().unwrap_err().downcast_ref::<&str>(), Some(&"as it must not"));
}

#[test]
fn when_one_topic_is_flooded_expect_nothing_dropped_and_the_others_to_have_their_turn() {
    const FLOOD: usize = 500;
    let mut hears = node(&ros(), "hears");
    let (count, seen_by_other) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(usize::MAX)));
    let counted = Arc::clone(&count);
    hears
        .subscribe("flood", keep(FLOOD), move |_: Int64| {
            counted.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    let (counted, seen) = (Arc::clone(&count), Arc::clone(&seen_by_other));
    hears
        .subscribe("other", keep(1), move |_: Bool| seen.store(counted.load(Ordering::SeqCst), Ordering::SeqCst))
        .unwrap();
    let mut says = node(&ros(), "says");
    let flood = says.publisher::<Int64>("flood", keep(FLOOD)).unwrap();
    let other = says.publisher::<Bool>("other", keep(1)).unwrap();
    until("discovery", || flood.is_heard() && other.is_heard());
    // Taken, by nobody yet: all of it is there when the node begins to spin.
    (0..FLOOD as i64).for_each(|data| flood.publish(&Int64 { data }).unwrap());
    other.publish(&Bool { data: true }).unwrap();
    sleep(1000 * MS);
    let _spinning = Spinning::start(hears);
    until("all of the flood", || count.load(Ordering::SeqCst) == FLOOD);
    assert!(seen_by_other.load(Ordering::SeqCst) <= 64, "{seen_by_other:?} before the other's turn");
}

#[test]
fn when_a_node_of_the_process_publishes_expect_a_local_sender_with_its_name() {
    let ros = ros().with_local_topics();
    let mut says = node(&ros, "says");
    let publishers = [0, 1].map(|_| says.shared_publisher::<UInt8MultiArray>("contacts", keep(1)).unwrap());
    let mut hears = node(&ros, "hears");
    let heard = Arc::new(Mutex::new(Vec::<Received>::new()));
    let hear = Arc::clone(&heard);
    hears
        .subscribe_shared_from("contacts", keep(1), move |_: &UInt8MultiArray, from| hear.lock().unwrap().push(*from))
        .unwrap();
    let before = monotonic_now();
    publishers.iter().for_each(|publisher| publisher.publish(&UInt8MultiArray::default()).unwrap());
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2);
    assert_ne!(heard[0].sender, heard[1].sender);
    for from in heard.iter() {
        assert!(matches!(from.sender, Sender::Local(_)) && (before..=monotonic_now()).contains(&from.at), "{from:?}");
        assert_eq!(hears.graph().name_of(from.sender).as_deref(), Some("/says"));
    }
}

#[test]
fn when_a_message_is_acted_on_expect_that_before_anybody_else_hears_of_it() {
    let ros = ros().with_local_topics();
    let mut says = node(&ros, "says");
    let [first, second] =
        ["first", "second"].map(|topic| says.shared_publisher::<UInt8MultiArray>(topic, keep(1)).unwrap());
    let calls = Arc::new(Mutex::new(vec![]));
    let note = |what: &'static str| {
        let calls = Arc::clone(&calls);
        move |_: &UInt8MultiArray, _: &Received| calls.lock().unwrap().push(what)
    };
    let mut hears = node(&ros, "hears");
    hears.subscribe_shared_from("second", keep(1), note("second sent")).unwrap();
    hears.subscribe_shared_from("first", keep(1), note("first sent")).unwrap();
    let mut acts = node(&ros, "acts");
    acts.subscribe_acting_from("second", keep(1), note("second done")).unwrap();
    let message = UInt8MultiArray::default();
    second.act(&message);
    first.publish(&message).unwrap();
    second.tell(&message).unwrap();
    second.publish(&message).unwrap();
    let expected = ["second done", "first sent", "second sent", "second done", "second sent"];
    assert_eq!(*calls.lock().unwrap(), expected);
}

#[test]
fn when_answers_stay_away_expect_the_newest_request_sent_and_the_oldest_waited_for_no_longer() {
    let mut serves = node(&ros(), "serves");
    let kept = Arc::new(Mutex::new(Vec::<Reply<SetBool::Service>>::new()));
    let keep = Arc::clone(&kept);
    serves.serve_later("slow", move |_, reply| keep.lock().unwrap().push(reply)).unwrap();
    let _serves = Spinning::start(serves);
    let mut calls = node(&ros(), "calls");
    let caller = calls.caller::<SetBool::Service>("slow").unwrap();
    let calls = Spinning::start(calls);
    let answered = Arc::new(AtomicUsize::new(0));
    let call = || {
        let answered = Arc::clone(&answered);
        caller.call(&SetBool::Request { data: true }, move |_| {
            answered.fetch_add(1, Ordering::SeqCst);
        })
    };
    // The first tell when the service has been found.
    until("the first request", || {
        let _ = call();
        sleep(100 * MS);
        !kept.lock().unwrap().is_empty()
    });
    let before = kept.lock().unwrap().len();
    for sent in 1..=17 {
        call().unwrap();
        until("the next request", || kept.lock().unwrap().len() == before + sent);
    }
    let mut replies = kept.lock().unwrap().split_off(0);
    replies.remove(0).send(SetBool::Response::default());
    replies.pop().unwrap().send(SetBool::Response::default());
    until("an answer", || answered.load(Ordering::SeqCst) > 0);
    sleep(100 * MS);
    assert_eq!(answered.load(Ordering::SeqCst), 1, "nobody waits for the oldest");
    drop(calls);
    assert!(call().is_err(), "the node is gone");
}

#[test]
fn when_a_node_is_gone_expect_what_is_left_of_it_to_say_so() {
    let ros = ros();
    let mut gone = node(&ros, "gone");
    let publisher = gone.publisher::<Bool>("gone", keep(1).transient_local()).unwrap();
    assert!(publisher.is_heard(), "what is latched is of use to who comes later");
    drop(gone);
    assert!(!publisher.is_heard());
    assert!(publisher.publish(&Bool { data: true }).unwrap_err().to_string().contains("gone"));
}

#[test]
fn when_a_lane_is_opened_while_its_node_spins_expect_it_to_hear_until_it_is_dropped() {
    // Handed over in the process, and by the middleware.
    for ros in [ros().with_local_topics(), ros()] {
        let mut says = node(&ros, "says");
        let publisher = says.publisher::<Int64>("now_and_then", keep(10).transient_local()).unwrap();
        let hears = node(&ros, "hears");
        let opener = hears.lane_opener();
        let (_says, hears) = (Spinning::start(says), Spinning::start(hears));
        publisher.publish(&Int64 { data: 1 }).unwrap();
        for round in 1..4 {
            let (heard, is_heard) = mpsc::channel();
            let fill = |lane: &mut hexapod_ros::Lane<'_>| {
                lane.subscribe_from("now_and_then", keep(10).transient_local(), move |message: Int64, _| {
                    heard.send(message.data).unwrap();
                })
            };
            let lane = opener.open("now-and-then", 10, fill).unwrap();
            until("what was said before", || is_heard.try_iter().any(|data| data == round));
            publisher.publish(&Int64 { data: round + 1 }).unwrap();
            until("what is said now", || is_heard.try_iter().any(|data| data == round + 1));
            drop(lane);
            // Ends when its handlers are gone with it.
            is_heard.iter().for_each(drop);
        }
        drop(hears);
        assert!(opener.open("too-late", 10, |_| Ok(())).unwrap().is_none(), "the node is gone");
    }
}

#[test]
fn when_a_service_of_the_same_process_answers_later_expect_its_caller_to_hear_it_from_whoever_answers() {
    let ros = ros().with_local_topics();
    let mut serves = node(&ros, "serves");
    let kept: Arc<Mutex<Vec<Reply<Trigger::Service>>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let mut lane = serves.lane("stops", 20).unwrap();
    lane.serve_later_from("stop", move |_, reply, from| {
        assert!(matches!(from.sender, Sender::Local(_)), "{from:?}");
        keep.lock().unwrap().push(reply);
    })
    .unwrap();
    let mut calls = node(&ros, "calls");
    let stop = calls.caller::<Trigger::Service>("stop").unwrap();
    let (answered, is_answered) = mpsc::channel();
    // Nobody spins: the request is there when the call returns.
    stop.call(&Trigger::Request {}, move |answer| answered.send(answer.message).unwrap()).unwrap();
    let reply = kept.lock().unwrap().pop().unwrap();
    assert!(is_answered.try_recv().is_err());
    reply.send(Trigger::Response { success: true, message: "all off".into() });
    assert_eq!(is_answered.try_recv().unwrap(), "all off");
}
