#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::*;
use hexapod_ros::Gid;

const MS: fn(u64) -> Duration = Duration::from_millis;
/// What a clock shows when ours shows nothing.
const SHOWN: Duration = Duration::from_secs(1_700_000_000);

#[derive(Clone, Copy)]
struct Client {
    process: u8,
    endpoint: u8,
    number: u64,
}

impl Client {
    fn new(process: u8) -> Self {
        Self { process, endpoint: 1, number: 0 }
    }

    /// Sent and taken at this time, ms.
    fn call(&mut self, at: u64) -> Received {
        self.late(at, at)
    }

    /// Sent when its clock had shown so many ms, and taken at this time.
    fn late(&mut self, sent: u64, taken: u64) -> Received {
        let mut gid = [self.process; 16];
        gid[15] = self.endpoint;
        self.number += 1;
        Received {
            sender: Sender::Remote(Gid(gid)),
            at: MS(taken),
            taken: MS(taken),
            sent: SHOWN + MS(sent),
            sequence: Some(self.number),
        }
    }
}

fn why(judged: Result<(), Doubt>) -> Option<Why> {
    judged.err().map(|doubt| doubt.why)
}

fn wait(judged: Result<(), Doubt>) -> Duration {
    judged.unwrap_err().wait
}

fn here(taken: u64) -> Received {
    Received { sender: Sender::Local(3), ..Client::new(1).call(taken) }
}

#[test]
fn when_nobody_has_stopped_expect_every_enable_granted() {
    assert_eq!(UnderWay::default().enable(&Client::new(1).call(5000), None), Ok(()));
}

#[test]
fn when_a_stop_has_just_come_expect_every_enable_refused_with_the_time_to_wait() {
    let under_way = UnderWay::default();
    let reported = under_way.enable(&Client::new(1).call(1120), Some((1, MS(1000)))).unwrap_err().to_string();
    assert!(reported.contains("0.12 s ago") && reported.contains("wait 0.75 s and call enable again"), "{reported}");
}

#[test]
fn when_a_client_calls_again_as_it_is_asked_to_expect_it_granted_unless_a_stop_came_in_between() {
    let stop = Some((1, MS(1000)));
    for first in [1001, 1400, 1749, 1751, 9000] {
        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        assert_eq!(wait(under_way.enable(&client.call(first), stop)), QUIET, "called at {first}");
        assert!(under_way.enable(&client.call(first + 749), stop).is_err(), "called at {first}");
        assert_eq!(under_way.enable(&client.call(first + 750), stop), Ok(()), "called at {first}");

        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        assert!(under_way.enable(&client.call(first), stop).is_err());
        let newer = Some((2, MS(first + 1)));
        // Whoever asked for it did not know of the newer stop.
        assert_eq!(why(under_way.enable(&client.call(first + 1000), newer)), Some(Why::Second), "called at {first}");
        assert_eq!(under_way.enable(&client.call(first + 2000), newer), Ok(()), "called at {first}");
    }
}

#[test]
fn when_a_client_calls_in_the_quiet_time_expect_it_to_wait_from_its_first_call() {
    let (under_way, mut client, stop) = (UnderWay::default(), Client::new(1), Some((1, MS(1000))));
    assert_eq!(wait(under_way.enable(&client.call(1200), stop)), QUIET);
    assert_eq!(wait(under_way.enable(&client.call(1300), stop)), MS(650));
    assert_eq!(under_way.enable(&client.call(1950), stop), Ok(()));
}

#[test]
fn when_this_process_calls_expect_it_to_wait_for_quiet_alone() {
    let (under_way, stop) = (UnderWay::default(), Some((1, MS(1000))));
    assert_eq!(wait(under_way.enable(&here(1001), stop)), MS(749), "whoever pressed may be far away");
    assert_eq!(why(under_way.enable(&here(1780), Some((2, MS(1020))))), Some(Why::Second));
    assert_eq!(UnderWay::default().enable(&here(1751), stop), Ok(()));
}

#[test]
fn when_an_enable_arrives_after_a_stop_expect_it_refused_whatever_its_client_called_before() {
    for (earlier, arrives) in (0..4).flat_map(|earlier| [5751, 6000, 9000, 24_000].map(|arrives| (earlier, arrives))) {
        let (under_way, mut client, stop) = (UnderWay::default(), Client::new(1), Some((1, MS(5000))));
        for number in 0..earlier {
            assert_eq!(under_way.enable(&client.call(1000 * number), None), Ok(()));
        }
        let held_up = client.call(arrives);
        assert_eq!(why(under_way.enable(&held_up, stop)), Some(Why::Unknown), "{earlier} calls, arrives at {arrives}");
        let once_more = Received { taken: MS(arrives + 800), ..held_up };
        assert!(under_way.enable(&once_more, stop).is_err(), "the same call, that arrives twice, at {arrives}");
    }
}

#[test]
fn when_nothing_is_numbered_or_stamped_or_a_clock_stands_expect_the_second_call_granted() {
    let unnumbered = |call: Received| Received { sequence: None, ..call };
    let unstamped = |call: Received| Received { sent: Duration::ZERO, ..call };
    let standing = |call: Received| Received { sent: SHOWN, ..call };
    for as_it_comes in [unnumbered, unstamped, standing] {
        let (under_way, mut client, stop) = (UnderWay::default(), Client::new(1), Some((1, MS(1000))));
        assert!(under_way.enable(&as_it_comes(client.call(2000)), stop).is_err());
        assert!(under_way.enable(&as_it_comes(client.call(2700)), stop).is_err());
        assert_eq!(under_way.enable(&as_it_comes(client.call(2750)), stop), Ok(()));
    }
}

#[test]
fn when_a_clock_was_set_ahead_by_as_much_as_a_call_is_held_up_expect_it_refused() {
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    for at in [0, 1000, 2000] {
        under_way.called(&client.call(at), None);
        assert_eq!(under_way.enable(&client.call(at + 10), None), Ok(()));
    }
    let held_up = client.late(3000 + 3000, 6000);
    assert_eq!(why(under_way.enable(&held_up, Some((1, MS(5000))))), Some(Why::Unknown));
}

#[test]
fn when_two_enables_were_held_up_expect_neither_granted_however_far_apart_they_arrive() {
    let (under_way, mut client, stop) = (UnderWay::default(), Client::new(1), Some((1, MS(1000))));
    assert!(under_way.enable(&client.late(900, 2000), stop).is_err());
    assert!(under_way.enable(&client.late(910, 4000), stop).is_err());
}

#[test]
fn when_a_process_called_another_service_since_expect_its_enable_granted_unless_it_left_before_that() {
    let (under_way, mut client, stop) = (UnderWay::default(), Client::new(1), Some((1, MS(1010))));
    let mut stops = Client { endpoint: 2, ..client };
    under_way.called(&stops.late(1000, 1010), stop);
    assert!(under_way.enable(&client.late(900, 4000), stop).is_err(), "held up");
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    under_way.called(&stops.late(1000, 1010), stop);
    assert!(under_way.enable(&client.late(990, 2000), stop).is_err(), "its clock was set");
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    under_way.called(&stops.late(1000, 1010), stop);
    assert_eq!(under_way.enable(&client.call(2000), stop), Ok(()), "it waited for quiet alone");
}

#[test]
fn when_a_client_disables_and_enables_expect_no_wait_but_for_the_stops_of_others() {
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    let before = client.call(1200);
    under_way.off(&client.call(1001), 1, None);
    under_way.off(&client.call(1011), 2, Some((1, MS(1001))));
    let stop = Some((2, MS(1011)));
    assert_eq!(under_way.enable(&client.call(1021), stop), Ok(()));
    assert!(under_way.enable(&before, stop).is_err(), "it was sent before");
    assert!(under_way.enable(&Client::new(2).call(1022), stop).is_err(), "another client");
    assert!(under_way.enable(&client.call(1031), Some((3, MS(1025)))).is_err(), "another stop came after it");
    under_way.off(&client.call(1040), 4, Some((3, MS(1025))));
    assert!(under_way.enable(&client.call(1051), Some((4, MS(1040)))).is_err(), "another stop came before it");
    under_way.off(&client.call(1070), 6, Some((4, MS(1040))));
    assert!(under_way.enable(&client.call(1081), Some((6, MS(1070)))).is_err(), "another stop came in between");
}

#[test]
fn when_a_process_came_after_the_stop_expect_its_first_enable_granted() {
    let (under_way, mut old, mut new) = (UnderWay::default(), Client::new(1), Client::new(2));
    under_way.present(1, vec![old.call(0).sender.process()]);
    let stop = Some((1, MS(1000)));
    assert_eq!(wait(under_way.enable(&new.call(1200), stop)), MS(550));
    assert_eq!(under_way.enable(&new.call(2001), stop), Ok(()));
    assert_eq!(why(under_way.enable(&old.call(2001), stop)), Some(Why::Unknown));
    let judged = under_way.enable(&Client::new(3).call(3001), Some((2, MS(2010))));
    assert_eq!(why(judged), Some(Why::Unknown), "nobody has looked who was there since");
}

#[test]
fn when_the_stop_is_longer_ago_than_anything_is_held_back_expect_any_enable_granted() {
    assert_eq!(UnderWay::default().enable(&Client::new(1).call(21_001), Some((1, MS(1000)))), Ok(()));
}

#[test]
fn when_very_many_call_expect_the_latest_known() {
    let under_way = UnderWay::default();
    for process in 0..=255 {
        under_way.enable(&Client::new(process).call(u64::from(process)), None).unwrap();
    }
    assert_eq!(under_way.known().callers.len(), MOST);
    assert!(under_way.known().callers.iter().all(|caller| caller.heard >= MS(192)));
}
