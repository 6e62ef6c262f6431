use super::*;
use crate::outputs::OutputEnable;
use crate::pins::{Inputs, Pins};
use crate::stop::Outcome;
use std::fs;

/// A bus that no machine has.
const BUS: u8 = 250;
const NOW: Duration = Duration::from_secs(10);

#[test]
fn when_driver_and_guard_are_linked_expect_life_both_ways_and_a_cut_to_become_a_stop_that_is_known() {
    let (line, liveness) = (StopLine::default(), Liveness::default());
    liveness.begin(true, NOW);
    let mut guard = ToDriver::new(Device::i2c(BUS));
    assert_eq!(guard.listen(), Heard::default(), "there is no driver");
    let mut driver = ToGuards::open(Device::i2c(BUS)).unwrap();
    let linked = Heard { is_linked: true, ..Heard::default() };
    assert_eq!(guard.listen(), linked, "it has said nothing yet");
    driver.attend(true, (&line, &liveness), NOW);
    assert_eq!(guard.listen(), Heard { is_alive: true, ..linked });
    driver.attend(false, (&line, &liveness), NOW);
    assert!(guard.listen() == linked && liveness.misses_guard(NOW), "a thread does not come round");
    guard.say_alive();
    guard.say_cut(Cut::Silent);
    driver.attend(true, (&line, &liveness), NOW);
    assert!(!liveness.misses_guard(NOW) && line.by() == By::Guard);
    let (_, number) = line.take().unwrap();
    assert!(!guard.listen().knows, "the boards have not been switched off");
    line.done(number, Outcome { acknowledged: true, latched: true });
    driver.attend(true, (&line, &liveness), NOW);
    assert!(guard.listen().knows);
    drop(driver);
    assert_eq!(guard.listen(), Heard::default());
}

#[test]
fn when_a_driver_comes_while_a_guard_waits_expect_it_linked_and_a_second_guard_beside_it() {
    const OTHER: u8 = 249;
    let (line, liveness) = (StopLine::default(), Liveness::default());
    let mut guards = [ToDriver::new(Device::i2c(OTHER)), ToDriver::new(Device::i2c(OTHER))];
    for _ in 0..3 {
        let mut driver = ToGuards::open(Device::i2c(OTHER)).unwrap();
        guards.iter_mut().for_each(|guard| assert!(guard.listen().is_linked));
        (0..2).for_each(|_| driver.attend(true, (&line, &liveness), NOW));
        guards.iter_mut().for_each(|guard| assert!(guard.listen().is_alive));
        drop(driver);
        guards.iter_mut().for_each(|guard| assert!(!guard.listen().is_linked));
    }
}

#[test]
fn when_many_guards_watch_expect_each_to_hear_that_the_driver_lives() {
    const SIXTH: u8 = 245;
    let (line, liveness) = (StopLine::default(), Liveness::default());
    let mut driver = ToGuards::open(Device::i2c(SIXTH)).unwrap();
    let mut guards: Vec<_> = (0..12).map(|_| ToDriver::new(Device::i2c(SIXTH))).collect();
    guards.iter_mut().for_each(|guard| assert!(guard.listen().is_linked));
    guards.iter().for_each(|_| driver.attend(true, (&line, &liveness), NOW));
    assert!(guards.iter_mut().all(|guard| guard.listen().is_alive), "who hears nothing switches everything off");
}

#[test]
fn when_a_driver_hands_its_lines_over_expect_the_guard_to_have_the_same_until_it_ends_in_order() {
    const THIRD: u8 = 248;
    let line = StopLine::default();
    let liveness = Liveness::default();
    let mut guard = ToDriver::new(Device::i2c(THIRD));
    let mut driver = ToGuards::open(Device::i2c(THIRD)).unwrap();
    let [one, other] = [(); 2].map(|()| UnixStream::pair().unwrap());
    let file = |end: &UnixStream| Arc::new(File::from(OwnedFd::from(end.try_clone().unwrap())));
    line.pins().connect(Handing(Lines { output_enable: Some(file(&one.0)), stop: Some(file(&other.0)) }));
    guard.listen();
    driver.attend(true, (&line, &liveness), NOW);
    (0..3).for_each(|_| assert!(guard.listen().is_linked));
    let handed = guard.take_handed();
    for (held, mut far) in [(handed.output_enable, &one.1), (handed.stop, &other.1)] {
        File::from(held.unwrap()).write_all(b"!").unwrap();
        let mut byte = [0];
        far.read_exact(&mut byte).unwrap();
        assert_eq!(byte, *b"!");
    }
    assert!(!handed.is_over && !guard.is_gone());
    drop(driver);
    guard.listen();
    assert!(guard.take_handed().is_over, "it ended in order");
}

#[test]
fn when_lines_do_not_get_through_expect_them_owed_and_the_guard_not_counted_until_they_do() {
    const FOURTH: u8 = 247;
    let (line, liveness) = (StopLine::default(), Liveness::default());
    liveness.begin(true, NOW);
    let mut guard = ToDriver::new(Device::i2c(FOURTH));
    let mut driver = ToGuards::open(Device::i2c(FOURTH)).unwrap();
    let pair = UnixStream::pair().unwrap();
    let file = Arc::new(File::from(OwnedFd::from(pair.0)));
    guard.listen();
    driver.attend(false, (&line, &liveness), NOW);
    let mut attend = |owed: Option<&Arc<File>>| {
        let ours = &mut driver.guards[0];
        // As full as a guard that stands still leaves it.
        while owed.is_some() && ours.says(ALIVE) {}
        ours.owed.extend(owed.map(|file| (OUTPUT_ENABLE, file.clone())));
        driver.attend(false, (&line, &liveness), NOW);
    };
    guard.say_alive();
    attend(Some(&file));
    assert!(liveness.misses_guard(NOW), "it could not set OE");
    for _ in 0..1000 {
        guard.listen();
    }
    assert!(guard.take_handed().output_enable.is_none());
    guard.say_alive();
    attend(None);
    guard.listen();
    assert!(guard.take_handed().output_enable.is_some() && !liveness.misses_guard(NOW));
    // The file is lost on the way: this end cannot have it.
    assert!(driver.guards[0].says(OUTPUT_ENABLE));
    assert_eq!(guard.listen(), Heard::default());
    assert!(guard.listen().is_linked, "linked anew, with what belongs to it");
}

#[test]
fn when_guards_and_drivers_come_and_go_a_thousand_times_expect_no_more_open_files() {
    const FIFTH: u8 = 246;
    let open = |files: &[&str]| {
        let every = fs::read_dir("/proc/self/fd").unwrap().flatten().filter_map(|each| fs::read_link(each.path()).ok());
        every.filter(|target| files.iter().any(|file| target.ends_with(file))).count()
    };
    let name = format!("hexapod-lines-{}", std::process::id());
    let path = std::env::temp_dir().join(&name);
    let file = Arc::new(File::create(&path).unwrap());
    let line = StopLine::default();
    line.pins().connect(Handing(Lines { output_enable: Some(file.clone()), stop: Some(file.clone()) }));
    drop(file);
    let mut driver = ToGuards::open(Device::i2c(FIFTH)).unwrap();
    for round in 0..1000 {
        if round % 10 == 9 {
            drop(driver);
            driver = ToGuards::open(Device::i2c(FIFTH)).unwrap();
        }
        let mut guard = ToDriver::new(Device::i2c(FIFTH));
        guard.listen();
        driver.attend(true, (&line, &Liveness::default()), NOW);
        (0..2).for_each(|_| assert!(guard.listen().is_linked));
        let handed = guard.take_handed();
        assert!(handed.output_enable.is_some() && handed.stop.is_some() && open(&[&name]) == 3, "round {round}");
    }
    fs::remove_file(path).unwrap();
    assert_eq!(open(&[&name, &format!("{name} (deleted)")]), 1, "the driver's own");
    line.pins().disconnect();
    assert_eq!(open(&[&format!("{name} (deleted)")]), 0);
}

struct Handing(Lines);

impl Pins for Handing {
    fn split(self) -> (Option<Box<dyn OutputEnable>>, Box<dyn Inputs>) {
        None::<Self>.split()
    }

    fn lines(&self) -> Lines {
        self.0.clone()
    }
}
