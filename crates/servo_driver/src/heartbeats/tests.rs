use super::*;
use hexapod_ros::Gid;

const MS: fn(u64) -> Duration = Duration::from_millis;
const BOX: Sender = Sender::Local(1);
const OTHER: Sender = Sender::Local(2);

fn say(heartbeats: &Heartbeats, sender: Sender, stop: bool, at: u64) -> bool {
    heartbeats.hear(sender, stop, Some(at + 1), MS(at))
}

#[test]
fn when_a_source_goes_on_saying_true_expect_it_to_hold_the_stop_until_it_lets_go() {
    let heartbeats = Heartbeats::default();
    say(&heartbeats, BOX, true, 5);
    say(&heartbeats, BOX, true, 105);
    assert_eq!(heartbeats.cause(MS(106)), None, "twice, to be sure");
    say(&heartbeats, BOX, true, 205);
    say(&heartbeats, OTHER, false, 206);
    assert_eq!(heartbeats.cause(MS(504)), Some(Cause::Held));
    assert_eq!(heartbeats.cause(MS(505)), None, "it has gone");
    say(&heartbeats, BOX, true, 600);
    assert_eq!(heartbeats.cause(MS(601)), Some(Cause::Held));
    say(&heartbeats, BOX, false, 602);
    assert_eq!(heartbeats.cause(MS(603)), None, "it has let go");
}

#[test]
fn when_one_of_two_sources_falls_silent_expect_the_other_not_to_hide_it() {
    let heartbeats = Heartbeats::default();
    heartbeats.want(MS(200));
    assert_eq!(heartbeats.cause(MS(0)), Some(Cause::Silent(None)));
    say(&heartbeats, BOX, false, 1000);
    for beat in 0..5 {
        say(&heartbeats, OTHER, false, 1000 + 50 * beat);
    }
    assert_eq!(heartbeats.cause(MS(1200)), None);
    assert_eq!(heartbeats.cause(MS(1201)), Some(Cause::Silent(Some(MS(201)))));
    heartbeats.forget_gone(MS(1201), |_| Present::of([(OTHER, Some("/other".to_owned()))]));
    assert_eq!(heartbeats.cause(MS(1201)), None, "whoever enables again does without it");
    heartbeats.forget_gone(MS(1201), |_| Present::default());
    assert_eq!(heartbeats.cause(MS(1201)), Some(Cause::Silent(None)), "but not without any");
}

#[test]
fn when_a_source_is_started_anew_expect_the_old_one_forgotten_and_no_other_that_has_died() {
    let heartbeats = Heartbeats::default();
    heartbeats.want(MS(200));
    let remote = |process, endpoint| {
        let mut gid = [process; 16];
        gid[15] = endpoint;
        Sender::Remote(Gid(gid))
    };
    let (first, beside, again) = (remote(1, 1), remote(1, 2), remote(2, 1));
    say(&heartbeats, first, false, 1000);
    say(&heartbeats, OTHER, false, 2000);
    let names = |heard: &[Sender]| {
        let name = |sender| if sender == OTHER { "/other" } else { "/box" };
        Present::of(heard.iter().map(|sender| (*sender, Some(name(*sender).to_owned()))))
    };
    heartbeats.forget_gone(MS(2001), names);
    assert!(heartbeats.cause(MS(2001)).is_some(), "/box is still dead");
    say(&heartbeats, beside, false, 2010);
    heartbeats.forget_gone(MS(2011), names);
    assert!(heartbeats.cause(MS(2011)).is_some(), "one of two senders of a process has died");
    heartbeats.forget_gone(MS(2011), |heard| {
        let there = heard.iter().filter(|sender| **sender != beside);
        names(&there.copied().collect::<Vec<_>>())
    });
    say(&heartbeats, again, false, 2010);
    assert!(heartbeats.cause(MS(2011)).is_some(), "nobody has enabled the servos since");
    heartbeats.forget_gone(MS(2011), names);
    assert_eq!(heartbeats.cause(MS(2011)), None, "it beats again");
    say(&heartbeats, OTHER, false, 2400);
    heartbeats.forget_gone(MS(2401), names);
    assert!(heartbeats.cause(MS(2401)).is_some(), "it has died again, and nobody beats in its place");
}

#[test]
fn when_a_source_only_says_true_expect_its_silence_to_mean_nothing() {
    let heartbeats = Heartbeats::default();
    heartbeats.want(MS(200));
    say(&heartbeats, BOX, false, 1000);
    say(&heartbeats, OTHER, true, 1001);
    say(&heartbeats, BOX, false, 5000);
    assert_eq!(heartbeats.cause(MS(5100)), None);
}

#[test]
fn when_a_message_comes_by_two_subscriptions_expect_it_once_and_every_other_one_new() {
    let heartbeats = Heartbeats::default();
    // (number, whether it is new); the last comes so late that nobody knows any more.
    for (number, new) in
        [(10, true), (11, true), (10, false), (11, false), (3, true), (3, false), (80, true), (3, true)]
    {
        assert_eq!(heartbeats.hear(BOX, true, Some(number), MS(1)), new, "{number}");
    }
}

#[test]
fn when_messages_have_no_numbers_expect_every_true_new_and_copies_at_once_to_hold_nothing() {
    let heartbeats = Heartbeats::default();
    for at in [5, 6, 7, 8] {
        assert!(heartbeats.hear(BOX, true, None, MS(at)));
    }
    assert_eq!(heartbeats.cause(MS(9)), None, "one press, by several subscriptions");
    for at in [105, 205] {
        assert!(heartbeats.hear(BOX, true, None, MS(at)));
    }
    assert_eq!(heartbeats.cause(MS(206)), Some(Cause::Held));
}

#[test]
fn when_an_old_message_arrives_behind_a_newer_one_expect_it_to_stop_and_to_hold_nothing() {
    let heartbeats = Heartbeats::default();
    heartbeats.want(MS(200));
    assert!(heartbeats.hear(BOX, false, Some(9), MS(1000)));
    for number in 1..8 {
        assert!(heartbeats.hear(BOX, true, Some(number), MS(1100)), "{number}");
    }
    assert_eq!(heartbeats.cause(MS(1101)), None);
    assert!(matches!(heartbeats.cause(MS(1201)), Some(Cause::Silent(_))), "nor is it a sign of life");
}

#[test]
fn when_there_are_hundreds_of_sources_expect_each_watched() {
    for silent in [0, 16, 17, 500, 1023] {
        let heartbeats = Heartbeats::default();
        heartbeats.want(MS(200));
        let beat = |at, but| {
            for number in (0..1024).filter(|number| Some(*number) != but) {
                say(&heartbeats, Sender::Local(number), false, at);
            }
        };
        beat(1000, None);
        beat(1150, Some(silent));
        assert_eq!(heartbeats.cause(MS(1200)), None);
        assert_eq!(heartbeats.cause(MS(1201)), Some(Cause::Silent(Some(MS(201)))), "{silent}");
        assert_eq!(heartbeats.quietest(), Some(Sender::Local(silent)));
        beat(1210, None);
        for at in [1220, 1230, 1240] {
            say(&heartbeats, Sender::Local(silent), true, at);
        }
        assert_eq!(heartbeats.cause(MS(1250)), Some(Cause::Held), "{silent}");
        assert_eq!(heartbeats.stopper(), Some(Sender::Local(silent)));
    }
}

#[test]
fn when_there_are_more_sources_than_are_watched_expect_no_servos_on_until_some_have_gone() {
    let heartbeats = Heartbeats::default();
    heartbeats.want(MS(200));
    for number in 0..=1024 {
        assert!(say(&heartbeats, Sender::Local(number), false, 1000));
    }
    assert_eq!(heartbeats.cause(MS(1001)), Some(Cause::Unwatched));
    let names = |gone| {
        move |heard: &[Sender]| {
            let there = heard.iter().filter(|sender| **sender != Sender::Local(gone));
            Present::of(there.map(|sender| (*sender, Some("/box".to_owned()))))
        }
    };
    heartbeats.forget_gone(MS(1002), names(2000));
    assert_eq!(heartbeats.cause(MS(1003)), Some(Cause::Unwatched), "all are there");
    heartbeats.forget_gone(MS(1004), names(3));
    assert_eq!(heartbeats.cause(MS(1005)), None);
    assert!(say(&heartbeats, Sender::Local(1024), false, 1006), "there is room for it now");
    assert_eq!(heartbeats.cause(MS(1007)), None);
    assert_eq!(heartbeats.heard().sources.len(), MAX_SOURCES);
}

#[test]
fn when_thousands_press_once_over_time_expect_room_made_by_those_who_are_done() {
    let heartbeats = Heartbeats::default();
    for number in 0..5000 {
        assert!(say(&heartbeats, Sender::Local(number), true, 100 * number));
        assert_eq!(heartbeats.cause(MS(100 * number)), None);
    }
    assert!(heartbeats.heard().sources.len() <= MAX_SOURCES);
}

#[test]
fn when_nodes_are_looked_up_expect_stops_heard_meanwhile() {
    let heartbeats = Heartbeats::default();
    say(&heartbeats, BOX, false, 1000);
    heartbeats.forget_gone(MS(1001), |_| {
        assert_eq!(heartbeats.try_hear(OTHER, true, Some(1), MS(1002)), Some(true), "it waits for nobody");
        Present::default()
    });
    assert_eq!(heartbeats.stopper(), Some(OTHER));
    assert_eq!(heartbeats.heard().sources.len(), 1, "who has just come is not gone");
}
