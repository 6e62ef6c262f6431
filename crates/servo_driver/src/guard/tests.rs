use super::*;

const NOW: Duration = Duration::from_secs(100);

#[test]
fn when_the_driver_goes_expect_one_switching_off_that_is_seen_to_work() {
    let mut watch = Watch::default();
    assert!(watch.sees(true, NOW), "no driver at the start");
    watch.tried(Off::Missing, false);
    assert!(watch.sees(true, NOW), "a board did not answer");
    watch.tried(Off::All, false);
    assert!(!watch.sees(true, NOW), "all are off");
    assert!(!watch.sees(false, NOW), "a driver has come");
    assert!(watch.sees(true, NOW), "it has gone");
}

#[test]
fn when_another_driver_follows_expect_the_guard_of_the_one_before_to_end_though_the_boards_never_answered() {
    let mut watch = Watch::default();
    assert!(!watch.sees(false, NOW) && !watch.is_followed(false, true), "its own driver");
    assert!(watch.sees(true, NOW) && !watch.is_followed(true, false), "it has gone");
    watch.tried(Off::Failing, false);
    assert!(!watch.sees(false, NOW) && !watch.is_followed(false, false), "a scan switches nothing off");
    assert!(watch.is_followed(false, true));
}

#[test]
fn when_the_machine_keeps_it_from_looking_expect_the_guard_to_know_for_how_long() {
    let mut watch = Watch::default();
    assert_eq!(watch.looks(NOW), None, "it begins to watch");
    assert_eq!(watch.looks(NOW + LOOK_EVERY), None);
    watch.sees(false, NOW + LOOK_EVERY);
    assert_eq!(watch.looks(NOW + LOOK_EVERY + 2 * LATE_AFTER), Some(2 * LATE_AFTER));
}

#[test]
fn when_a_guard_for_one_driver_can_do_no_more_expect_its_end() {
    let mut watch = Watch::default();
    watch.sees(true, NOW);
    for _ in 1..MISSING_AFTER {
        watch.tried(Off::Missing, false);
        watch.sees(true, NOW + LOOK_EVERY);
    }
    assert!(!watch.is_done(Off::Missing, NOW + LOOK_EVERY));
    watch.tried(Off::Missing, false);
    assert!(watch.is_done(Off::Missing, NOW + LOOK_EVERY));
    assert!(!watch.is_done(Off::Failing, NOW + LOOK_EVERY), "a bus that fails may come back");
    assert!(watch.is_done(Off::Failing, NOW + GIVEN_UP_AFTER));
    assert!(Watch::default().is_done(Off::All, NOW));
    let attempt = Attempt::default();
    assert!(!attempt.hangs(NOW));
    attempt.set(Some(NOW));
    assert!(!attempt.hangs(NOW + LOOK_EVERY));
    assert!(attempt.hangs(NOW + GIVEN_UP_AFTER + LOOK_EVERY));
}
