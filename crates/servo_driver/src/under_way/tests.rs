#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::*;
use hexapod_ros::Gid;

const MS: fn(u64) -> Duration = Duration::from_millis;
/// What a clock shows when ours shows nothing.
const SHOWN: Duration = Duration::from_secs(1_700_000_000);

/// A client and its clock.
#[derive(Clone, Copy)]
struct Client {
    process: u8,
    endpoint: u8,
    shown: Duration,
    number: u64,
}

impl Client {
    fn new(process: u8) -> Self {
        Self { process, endpoint: 1, shown: SHOWN, number: 0 }
    }

    fn ahead(self, hours: u64) -> Self {
        Self { shown: SHOWN + Duration::from_secs(3600 * hours), ..self }
    }

    /// Sent and taken at these times, ms.
    fn call(&mut self, sent: u64, taken: u64) -> Received {
        let mut gid = [self.process; 16];
        gid[15] = self.endpoint;
        self.number += 1;
        Received {
            sender: Sender::Remote(Gid(gid)),
            at: MS(taken),
            taken: MS(taken),
            sent: self.shown + MS(sent),
            sequence: Some(self.number),
        }
    }
}

fn why(judged: Result<(), Doubt>) -> Option<Why> {
    judged.err().map(|doubt| doubt.why)
}

#[test]
fn when_nobody_has_stopped_expect_every_enable_granted() {
    let under_way = UnderWay::default();
    assert_eq!(under_way.enable(&Client::new(1).call(0, 5000), None), Ok(()));
}

#[test]
fn when_a_stop_has_just_come_expect_every_enable_refused_with_the_time_to_wait() {
    let under_way = UnderWay::default();
    let reported = under_way.enable(&Client::new(1).call(1119, 1120), Some((1, MS(1000)))).unwrap_err().to_string();
    assert!(reported.contains("0.12 s ago") && reported.contains("wait 0.75 s and call enable again"), "{reported}");
}

#[test]
fn when_a_client_calls_again_as_it_is_asked_to_expect_it_granted_unless_a_stop_came_in_between() {
    for (sent, stopped) in [(1001, 1000), (1400, 1000), (1749, 1000), (1751, 1000), (9000, 1000)] {
        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        let doubt = under_way.enable(&client.call(sent, sent), Some((1, MS(stopped)))).unwrap_err();
        let later = sent + u64::try_from(doubt.wait.as_millis()).unwrap();
        let (second, newer) = (client.call(later, later), Some((2, MS(later - 1))));
        assert!(under_way.enable(&second, Some((1, MS(stopped)))).is_ok(), "called at {sent}");
        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        for at in [100, 900] {
            under_way.heard(&client.call(at, at));
        }
        assert!(under_way.enable(&client.call(700, sent), Some((1, MS(stopped)))).is_err());
        // By its clock it was surely sent after the newer stop; whoever asked for it did not know of that.
        let second = client.call(later + 1000, later + 1000);
        assert_eq!(why(under_way.enable(&second, newer)), Some(Why::Second), "called at {sent}");
        let third = client.call(later + 2000, later + 2000);
        assert!(under_way.enable(&third, newer).is_ok(), "called at {sent}");
    }
}

#[test]
fn when_a_known_sender_enables_just_after_a_stop_expect_it_refused_until_it_is_quiet_and_no_longer() {
    let stop = Some((1, MS(1000)));
    let known = || {
        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        under_way.heard(&client.call(10, 11));
        under_way.called(&client.call(900, 905), None);
        (under_way, client)
    };
    let wait = |judged: Result<(), Doubt>| judged.unwrap_err().wait;
    let (under_way, mut client) = known();
    assert_eq!(wait(under_way.enable(&client.call(1050, 1052), stop)), QUIET, "so close that nobody can tell");
    let (under_way, mut client) = known();
    assert_eq!(wait(under_way.enable(&client.call(1200, 1202), stop)), MS(548));
    assert_eq!(under_way.enable(&client.call(1760, 1761), stop), Ok(()));
    let (under_way, mut client) = known();
    assert_eq!(wait(under_way.enable(&client.call(990, 1300), stop)), QUIET);
    let here = |taken| Received { sender: Sender::Local(3), taken: MS(taken), ..Client::new(1).call(0, 0) };
    assert_eq!(wait(under_way.enable(&here(1001), stop)), MS(749), "whoever pressed may be far away");
    assert_eq!(why(under_way.enable(&here(1780), Some((2, MS(1020))))), Some(Why::Second));
}

#[test]
fn when_quiet_is_over_expect_a_call_of_the_same_process_and_one_of_a_known_sender_granted() {
    let under_way = UnderWay::default();
    assert_eq!(
        under_way.enable(&Received { sender: Sender::Local(3), ..Client::new(1).call(0, 1751) }, Some((1, MS(1000)))),
        Ok(())
    );
    for hours in [0, 1, 1000] {
        let (under_way, mut client) = (UnderWay::default(), Client::new(1).ahead(hours));
        under_way.heard(&client.call(10, 11));
        under_way.called(&client.call(900, 905), None);
        assert_eq!(under_way.enable(&client.call(1990, 2000), Some((1, MS(1000)))), Ok(()), "{hours}");
    }
}

#[test]
fn when_an_enable_was_held_up_while_a_stop_came_expect_it_refused_whatever_its_clock_shows() {
    for hours in [0, 1, 1000] {
        for (heard, arrives) in (0..4).flat_map(|heard| [5500, 6000, 9000, 24_000].map(|arrives| (heard, arrives))) {
            let (under_way, mut client) = (UnderWay::default(), Client::new(1).ahead(hours));
            for number in 0..heard {
                under_way.heard(&client.call(10 + 1000 * number, 12 + 1000 * number));
            }
            let (held_up, stop) = (client.call(4900, arrives), Some((1, MS(5000))));
            assert!(under_way.enable(&held_up, stop).is_err(), "{hours} h, heard {heard}, arrives at {arrives}");
            let again = Received { taken: MS(arrives + 800), ..held_up };
            assert!(arrives > 23_000 || under_way.enable(&again, stop).is_err(), "{hours} h, heard {heard}: once more");
        }
    }
}

#[test]
fn when_a_sender_is_refused_for_doubt_expect_its_next_call_granted_once_it_is_quiet() {
    let set = |client: &mut Client| client.shown += Duration::from_secs(30);
    let back = |client: &mut Client| client.shown -= Duration::from_secs(30);
    for change in [set, back] {
        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        under_way.heard(&client.call(10, 11));
        under_way.called(&client.call(900, 905), None);
        change(&mut client);
        let stop = Some((1, MS(1000)));
        assert!(matches!(why(under_way.enable(&client.call(2000, 2001), stop)), Some(Why::ClockSet | Why::Late(_))));
        assert!(under_way.enable(&client.call(2100, 2101), stop).is_err(), "one that was under way with it");
        assert_eq!(under_way.enable(&client.call(2800, 2801), stop), Ok(()));
    }
}

#[test]
fn when_nothing_is_stamped_or_a_clock_stands_expect_the_second_call_granted() {
    for stands in [false, true] {
        let (under_way, mut client) = (UnderWay::default(), Client::new(1));
        let mut call = |taken| Received { sent: if stands { SHOWN } else { Duration::ZERO }, ..client.call(0, taken) };
        let stop = Some((1, MS(1000)));
        under_way.called(&call(10), None);
        assert!(under_way.enable(&call(2000), stop).is_err());
        assert!(under_way.enable(&call(2700), stop).is_err());
        assert_eq!(under_way.enable(&call(2750), stop), Ok(()));
    }
}

#[test]
fn when_two_enables_were_held_up_expect_neither_granted_however_far_apart_they_arrive() {
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    let (first, second) = (client.call(900, 2000), client.call(910, 4000));
    let stop = Some((1, MS(1000)));
    assert_eq!(why(under_way.enable(&first, stop)), Some(Why::Unknown));
    assert!(matches!(why(under_way.enable(&second, stop)), Some(Why::Late(_))));
}

#[test]
fn when_a_process_called_another_service_since_expect_an_enable_that_left_before_that_refused() {
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    let mut stops = Client { endpoint: 2, ..client };
    let held_up = client.call(900, 4000);
    let stop = Some((1, MS(1010)));
    under_way.called(&stops.call(1000, 1010), stop);
    assert!(matches!(why(under_way.enable(&held_up, stop)), Some(Why::Late(_))));
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    under_way.called(&stops.call(1000, 1010), stop);
    assert_eq!(
        under_way.enable(&client.call(2000, 2002), stop),
        Ok(()),
        "one that stops and then enables waits for quiet alone"
    );
}

#[test]
fn when_a_client_disables_and_enables_expect_no_wait_but_for_the_stops_of_others() {
    let (under_way, mut client) = (UnderWay::default(), Client::new(1));
    let before = client.call(990, 1200);
    under_way.off(&client.call(1000, 1001), 1, None);
    under_way.off(&client.call(1010, 1011), 2, Some((1, MS(1001))));
    let stop = Some((2, MS(1011)));
    assert_eq!(under_way.enable(&client.call(1020, 1021), stop), Ok(()));
    assert!(under_way.enable(&before, stop).is_err(), "it was sent before");
    assert!(under_way.enable(&Client::new(2).call(1020, 1022), stop).is_err(), "another client");
    assert!(under_way.enable(&client.call(1030, 1031), Some((3, MS(1025)))).is_err(), "another stop came after it");
    under_way.off(&client.call(1030, 1040), 4, Some((3, MS(1025))));
    assert!(under_way.enable(&client.call(1050, 1051), Some((4, MS(1040)))).is_err(), "another stop came before it");
    assert_eq!(under_way.off(&client.call(1060, 1070), 6, Some((4, MS(1040)))), ());
    assert!(under_way.enable(&client.call(1080, 1081), Some((6, MS(1070)))).is_err(), "another stop came in between");
}

#[test]
fn when_a_process_came_after_the_stop_expect_its_first_enable_granted() {
    let (under_way, mut old, mut new) = (UnderWay::default(), Client::new(1), Client::new(2));
    under_way.present(1, vec![old.call(0, 0).sender.process()]);
    let stop = Some((1, MS(1000)));
    assert_eq!(under_way.enable(&new.call(2000, 2001), stop), Ok(()));
    assert_eq!(why(under_way.enable(&old.call(2000, 2001), stop)), Some(Why::Unknown));
    let judged = under_way.enable(&Client::new(3).call(3000, 3001), Some((2, MS(2010))));
    assert_eq!(why(judged), Some(Why::Unknown), "nobody has looked who was there since");
}

#[test]
fn when_the_stop_is_longer_ago_than_anything_is_held_back_expect_any_enable_granted() {
    let under_way = UnderWay::default();
    assert_eq!(under_way.enable(&Client::new(1).call(0, 21_001), Some((1, MS(1000)))), Ok(()));
}

#[test]
fn when_very_many_call_expect_the_latest_known() {
    let under_way = UnderWay::default();
    for process in 0..=255 {
        under_way.called(&Client::new(process).call(0, u64::from(process)), None);
    }
    assert_eq!(under_way.known().callers.len(), MOST);
    assert!(under_way.known().callers.iter().all(|caller| caller.heard >= MS(192)));
}
