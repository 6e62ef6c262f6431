//! A scripted owner calibrates a robot whose 18 servos are mounted wrongly: horns that are off by up to 25 degrees, four
//! servos the other way round, two plugs swapped, stops before and beyond the URDF's limits. The owner sees where the
//! joints really stand, to half a degree or so, presses keys as a terminal repeats them, and is interrupted.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

use hexapod_calibration::{Dialogue, Key, Mode, Outcome, Pace, Progress, STEP_DEG, Stage};
use hexapod_kinematics::{Leg, Robot};
use hexapod_servo::simulated::{Mounting, RawMount, RawMounting};
use hexapod_servo::{RawServoConfig, ServoConfig};
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(33);

/// A quarter of a second.
const REACTION: usize = 8;

struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * self.next()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize % count
    }

    fn chosen(&mut self, of: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..of).collect();
        (0..count).map(|_| all.remove(self.below(all.len()))).collect()
    }
}

fn robot() -> Robot {
    Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf")).expect("the shipped robot")
}

fn shipped() -> RawServoConfig {
    serde_yaml::from_str(include_str!("../../../config/servos.yaml")).expect("the shipped servos")
}

fn checked(raw: &RawServoConfig, robot: &Robot) -> ServoConfig {
    let mut config = ServoConfig::try_from(raw.clone()).expect("a servo map that holds");
    for joint in robot.legs().iter().flat_map(Leg::joints) {
        assert!(config.limit_joint(joint.name(), joint.limits().lower, joint.limits().upper), "{}", joint.name());
    }
    config
}

fn mounted(robot: &Robot, map: &ServoConfig, dice: &mut Dice) -> Mounting {
    let (reversed, swapped) = (dice.chosen(18, 4), dice.chosen(18, 2));
    let name = |joint: usize| map.servos()[joint].joint().to_owned();
    let mut raw = RawMounting::default();
    for (index, servo) in map.servos().iter().enumerate() {
        let mut joints = robot.legs().iter().flat_map(Leg::joints);
        let limits = joints.find(|joint| joint.name() == servo.joint()).expect("its joint").limits();
        let plug_of = swapped.iter().position(|&other| other == index).map(|place| name(swapped[1 - place]));
        let mut stop = |limit: f64| limit + dice.between(-8.0, 8.0).to_radians();
        let stops_rad = Some((stop(limits.lower), stop(limits.upper)));
        let offset_rad = dice.between(-25.0, 25.0).to_radians();
        raw.0.insert(name(index), RawMount { offset_rad, reversed: reversed.contains(&index), plug_of, stops_rad });
    }
    Mounting::try_new(map, &raw).expect("a mounting")
}

/// What is on the disk: the only thing that outlives the process.
struct Disk {
    servos: RawServoConfig,
    progress: String,
}

struct Owner<'a> {
    robot: &'a Robot,
    mounting: &'a Mounting,
    disk: Disk,
    dice: Dice,
    /// How well angles are seen, in degrees.
    eye_deg: f64,
    dialogue: Dialogue,
    /// The most that any servo has been beyond its stop, in degrees.
    beyond_deg: f64,
    /// The chance of being interrupted, and of being killed, at each tick.
    chances: (f64, f64),
    kills: usize,
    held: usize,
    /// What was seen of late, the newest last: an owner reacts to what was there a quarter of a second ago.
    seen: Vec<f64>,
    touched: bool,
}

impl<'a> Owner<'a> {
    fn new(robot: &'a Robot, mounting: &'a Mounting, disk: Disk, seed: u64, chances: (f64, f64)) -> Self {
        let dialogue = opened(robot, &disk);
        let dice = Dice(seed);
        Self {
            robot,
            mounting,
            disk,
            dice,
            eye_deg: 0.4,
            dialogue,
            beyond_deg: 0.0,
            chances,
            kills: 0,
            held: 0,
            seen: vec![],
            touched: false,
        }
    }

    /// From one end to the other.
    fn run(&mut self) {
        let mode = self.dialogue.mode();
        for _ in 0..4_000_000 {
            if self.dialogue.is_finished() && self.dialogue.mode() == mode {
                return;
            }
            let (pauses, killed) = (self.dice.next() < self.chances.0, self.dice.next() < self.chances.1);
            if killed {
                self.kill();
            } else if pauses {
                (0..400).for_each(|_| self.tick());
                assert!(!self.dialogue.is_on() || self.at_neutral(), "silence brings it to neutral");
            } else {
                self.act();
                self.tick();
            }
        }
        panic!(
            "no end: {:?} {:?} {:?} {:#?}",
            self.driven(),
            self.dialogue.finding(),
            self.dialogue.stage(),
            self.dialogue.view()
        );
    }

    fn kill(&mut self) {
        self.kills += 1;
        (self.touched, self.held) = (false, 0);
        self.seen.clear();
        let (before, finding, joint) = (self.dialogue.count(), self.dialogue.finding().clone(), self.dialogue.joint());
        self.dialogue = opened(self.robot, &self.disk);
        assert_eq!(self.dialogue.count(), before, "nothing that was done is lost");
        if self.dialogue.joint() == joint {
            assert_eq!(self.dialogue.finding(), &finding, "nor what was found");
        }
        assert_eq!(self.dialogue.commanded(), None);
    }

    fn tick(&mut self) {
        let before = self.dialogue.commanded();
        self.dialogue.tick(TICK);
        if let Some((joint, truth_rad)) = self.driven() {
            let (lower, upper) = self.mounting.stops_rad(&joint).expect("stops");
            self.beyond_deg = self.beyond_deg.max((lower - truth_rad).max(truth_rad - upper).to_degrees());
        }
        if let (Some(before), Some(after)) = (before, self.dialogue.commanded()) {
            let us_per_deg = 1000.0 / 90.0;
            assert!((after.pulse_us - before.pulse_us).abs() <= STEP_DEG * us_per_deg + 5.0);
        }
    }

    /// The joint that has a pulse, and where its servo wants to be.
    fn driven(&self) -> Option<(String, f64)> {
        let commanded = self.dialogue.commanded()?;
        let address = [0x40, 0x41][commanded.board];
        self.mounting
            .driven(address, commanded.channel, commanded.pulse_us)
            .map(|(joint, angle)| (joint.to_owned(), angle))
    }

    fn at_neutral(&self) -> bool {
        self.dialogue.commanded().is_some_and(|commanded| (commanded.pulse_us - commanded.rest_us).abs() < 5.0)
    }

    fn key(&mut self, key: Key) {
        let shown_us = self.dialogue.commanded().map(|commanded| commanded.pulse_us);
        let before = self.dialogue.commanded();
        let outcome = self.dialogue.key(key, shown_us);
        if let (Some(before), Some(after)) = (before, self.dialogue.commanded()) {
            let same_plug = (before.board, before.channel) == (after.board, after.channel);
            assert!(!same_plug || (before.pulse_us - after.pulse_us).abs() < 5.0, "keys move nothing by themselves");
        }
        // As the edge does: first the file, then where it was left; killed in between, too.
        if matches!(outcome, Outcome::Joint(_) | Outcome::Swapped(..)) {
            checked(self.dialogue.config(), self.robot);
            self.disk.servos = self.dialogue.config().clone();
            if self.dice.next() < 0.1 {
                self.dialogue = opened(self.robot, &self.disk);
                return;
            }
        }
        if outcome != Outcome::Same {
            self.disk.progress = self.dialogue.progress(true, true).to_string();
        }
    }

    /// Looks, and presses a key.
    fn act(&mut self) {
        let Some((moving, truth_rad)) = self.driven() else { return self.key(Key::Hold) };
        let drawn = self.dialogue.names()[self.dialogue.joint()].to_owned();
        if let Some(choice) = self.dialogue.choice() {
            let right = self.dialogue.names()[choice] == moving;
            return self.key(if right { Key::Accept } else { Key::Push(-1.0, Pace::Slow) });
        }
        match self.dialogue.stage() {
            Stage::Test => self.test(&moving, &drawn, truth_rad),
            Stage::Minus => self.seek(-1.0, truth_rad),
            Stage::Plus => self.seek(1.0, truth_rad),
            Stage::Set(angle_rad) => self.set(angle_rad, truth_rad),
        }
    }

    /// Turns it by 5 degrees and says what moved.
    fn test(&mut self, moving: &str, drawn: &str, truth_rad: f64) {
        self.held += 1;
        if self.held < 70 {
            return self.key(Key::Push(1.0, Pace::Slow));
        }
        self.held = 0;
        let commanded = self.dialogue.commanded().expect("a pulse");
        let (_, rest_rad) =
            self.mounting.driven([0x40, 0x41][commanded.board], commanded.channel, commanded.rest_us).expect("a joint");
        if (truth_rad - rest_rad).abs().to_degrees() < 3.0 {
            // It has gone back meanwhile: look again.
            return self.key(Key::Push(1.0, Pace::Slow));
        }
        self.key(match () {
            () if moving != drawn => Key::Other,
            () if truth_rad > rest_rad => Key::Yes,
            () => Key::Wrong,
        });
    }

    /// Goes on until it is seen to touch, or to be at the URDF's limit, or the servo gets no farther; then a little back.
    fn seek(&mut self, sign: f64, truth_rad: f64) {
        let name = self.dialogue.names()[self.dialogue.joint()].to_owned();
        let (lower, upper) = self.mounting.stops_rad(&name).expect("stops");
        let (least, most) = self.dialogue.urdf_rad();
        let end_rad = if sign > 0.0 { upper.min(most) } else { -lower.max(least) };
        let left_deg = (end_rad - sign * truth_rad).to_degrees();
        self.held += 1;
        self.seen.push(left_deg);
        let seen_deg = self.seen[self.seen.len().saturating_sub(1 + REACTION)];
        self.touched |= seen_deg <= 0.0;
        if !self.touched && self.held < 3000 {
            let pace = if seen_deg > 25.0 { Pace::Fast } else { Pace::Slow };
            return self.key(Key::Push(sign, pace));
        }
        if !self.dialogue.is_held() {
            (self.touched, self.held) = (false, 0);
            self.seen.clear();
            return self.key(Key::Hold);
        }
        if left_deg < 0.1 && self.held < 3000 {
            return self.key(Key::Push(-sign, Pace::Count));
        }
        if self.dialogue.is_still() {
            (self.touched, self.held) = (false, 0);
            self.seen.clear();
            self.key(Key::Accept);
        }
    }

    /// Holds it there and sets it by eye.
    fn set(&mut self, angle_rad: f64, truth_rad: f64) {
        let name = self.dialogue.names()[self.dialogue.joint()].to_owned();
        let (lower, upper) = self.mounting.stops_rad(&name).expect("stops");
        let (least, most) = self.dialogue.urdf_rad();
        assert!((lower.max(least)..=upper.min(most)).contains(&angle_rad), "{name} is asked for {angle_rad}");
        self.held += 1;
        if !self.dialogue.is_held() || self.held < 300 {
            return self.key(Key::Hold);
        }
        let off_deg = (angle_rad - truth_rad).to_degrees();
        if off_deg.abs() > self.eye_deg {
            let pace = if off_deg.abs() > 2.0 { Pace::Slow } else { Pace::Count };
            return self.key(Key::Push(off_deg, pace));
        }
        self.held = 0;
        self.key(Key::Accept);
    }
}

fn opened(robot: &Robot, disk: &Disk) -> Dialogue {
    let progress: Progress = disk.progress.parse().expect("our own text");
    Dialogue::new(disk.servos.clone(), robot, &progress, false).expect("servos of this robot")
}

/// The most by which a joint's true angle differs from the one it is commanded, in degrees.
fn worst_deg(map: &ServoConfig, mounting: &Mounting) -> f64 {
    let mut worst = 0.0_f64;
    for servo in map.servos() {
        let (lower, upper) = servo.angle_limits_rad();
        for step in 0..=20 {
            let angle_rad = lower + (upper - lower) * f64::from(step) / 20.0;
            let pulse_us = servo.pulse_us(angle_rad).expect("finite").value;
            let address = map.boards()[servo.board()].address();
            let (joint, truth_rad) = mounting.driven(address, servo.channel(), pulse_us).expect("a joint");
            assert_eq!(joint, servo.joint(), "its plug");
            worst = worst.max((truth_rad - angle_rad).abs().to_degrees());
        }
    }
    worst
}

/// Calibrates, verifies, and says how it came out.
fn calibrated(seed: u64, chances: (f64, f64)) {
    println!("seed {seed}");
    let robot = robot();
    let map = checked(&shipped(), &robot);
    let mut dice = Dice(seed);
    let mounting = mounted(&robot, &map, &mut dice);
    let disk = Disk { servos: shipped(), progress: String::new() };
    let mut owner = Owner::new(&robot, &mounting, disk, seed ^ 0x5eed, chances);
    owner.run();
    let found = checked(&owner.disk.servos, &robot);
    let worst = worst_deg(&found, &mounting);
    println!("worst {worst:.2} deg, beyond a stop {:.2} deg, killed {} times", owner.beyond_deg, owner.kills);
    assert!(worst < 1.0, "{worst} degrees");
    assert!(owner.beyond_deg <= 2.0, "{} degrees beyond a stop", owner.beyond_deg);
    let disk = Disk { servos: owner.disk.servos.clone(), progress: owner.disk.progress.clone() };
    let mut second = Owner::new(&robot, &mounting, disk, seed ^ 0xface, chances);
    assert_eq!(second.dialogue.mode(), Mode::Verify);
    second.run();
    let verified = checked(&second.disk.servos, &robot);
    assert!(worst_deg(&verified, &mounting) < 1.0 && second.beyond_deg <= 2.0);
}

#[test]
fn when_18_servos_are_mounted_wrongly_expect_an_owner_to_end_with_the_right_file() {
    for seed in 1..=20 {
        calibrated(seed, (0.0005, 0.0));
    }
    calibrated(std::hash::RandomState::new().build_hasher().finish(), (0.0005, 0.0));
}

#[test]
fn when_killed_at_any_moment_expect_nothing_lost_and_the_same_end() {
    for seed in 101..=106 {
        calibrated(seed, (0.001, 0.0002));
    }
    calibrated(std::hash::RandomState::new().build_hasher().finish(), (0.001, 0.0002));
}

#[test]
fn when_nobody_holds_a_key_expect_a_tibia_to_stay_at_neutral() {
    let robot = robot();
    let mut dialogue = Dialogue::new(shipped(), &robot, &Progress::default(), false).unwrap();
    assert!(dialogue.go_to_joint("left_front_tibia"));
    dialogue.key(Key::Hold, None);
    dialogue.key(Key::Accept, Some(1500.0));
    for _ in 0..1000 {
        dialogue.tick(TICK);
        assert!((dialogue.commanded().unwrap().pulse_us - 1500.0).abs() < 3.0);
    }
}

#[test]
fn when_a_calibration_is_verified_expect_it_to_begin_with_the_first_joint_and_to_go_on_where_it_was_left() {
    let robot = robot();
    let names: Vec<String> = checked(&shipped(), &robot).servos().iter().map(|servo| servo.joint().into()).collect();
    let calibrated = Progress { done: names.clone(), joint: names[17].clone(), ..Progress::default() };
    for asked in [false, true] {
        let dialogue = Dialogue::new(shipped(), &robot, &calibrated, asked).unwrap();
        assert_eq!((dialogue.mode(), dialogue.joint()), (Mode::Verify, 0));
    }
    let left = Progress { verifying: true, verified: names[..5].to_vec(), joint: names[9].clone(), ..calibrated };
    assert_eq!(Dialogue::new(shipped(), &robot, &left, false).unwrap().joint(), 9);
}

#[test]
fn when_the_list_of_joints_is_shown_expect_how_many_more_there_are() {
    let mut dialogue = Dialogue::new(shipped(), &robot(), &Progress::default(), false).unwrap();
    dialogue.key(Key::Hold, None);
    dialogue.key(Key::Push(1.0, Pace::Fast), None);
    (0..20).for_each(|_| dialogue.tick(TICK));
    for _ in 0..8 {
        dialogue.key(Key::Push(1.0, Pace::Fast), None);
        (0..20).for_each(|_| dialogue.tick(TICK));
    }
    let shown_us = dialogue.commanded().map(|commanded| commanded.pulse_us);
    dialogue.key(Key::Other, shown_us);
    assert!(dialogue.choice().is_some(), "{:?}", dialogue.said());
    let words = dialogue.view().lines.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join("\n");
    assert!(words.contains("↓ 11 more"), "{words}");
}

#[test]
fn when_a_pulse_is_taken_expect_the_one_that_is_shown() {
    let robot = robot();
    let mut dialogue = Dialogue::new(shipped(), &robot, &Progress::default(), false).unwrap();
    let mut shown_us = None;
    let mut press = |dialogue: &mut Dialogue, key, times: usize| {
        for _ in 0..times {
            dialogue.key(key, shown_us);
            dialogue.tick(TICK);
            shown_us = dialogue.commanded().map(|commanded| commanded.pulse_us);
        }
    };
    press(&mut dialogue, Key::Hold, 1);
    press(&mut dialogue, Key::Push(1.0, Pace::Slow), 70);
    press(&mut dialogue, Key::Yes, 1);
    press(&mut dialogue, Key::Push(-1.0, Pace::Slow), 100);
    dialogue.key(Key::Push(-1.0, Pace::Fast), None);
    dialogue.tick(TICK);
    let commanded_us = dialogue.commanded().unwrap().pulse_us;
    assert_eq!(dialogue.key(Key::Accept, Some(commanded_us)), Outcome::Same, "it moves");
    assert_eq!(dialogue.key(Key::Accept, Some(commanded_us + 9.0)), Outcome::Same, "the boards say something else");
    assert_eq!(dialogue.key(Key::Accept, Some(commanded_us)), Outcome::Found);
    assert_eq!(dialogue.finding().minus_us, Some(commanded_us));
    dialogue.key(Key::Push(1.0, Pace::Fast), None);
    (0..200).for_each(|_| dialogue.tick(TICK));
    assert_eq!(
        dialogue.key(Key::Accept, dialogue.commanded().map(|commanded| commanded.pulse_us)),
        Outcome::Same,
        "it has gone back"
    );
}

#[test]
fn when_the_second_stop_is_taken_where_the_first_was_expect_it_refused_until_it_is_on_its_own_side() {
    let robot = robot();
    let mut dialogue = Dialogue::new(shipped(), &robot, &Progress::default(), false).unwrap();
    let press = |dialogue: &mut Dialogue, key, times: usize| {
        for _ in 0..times {
            let shown_us = dialogue.commanded().map(|commanded| commanded.pulse_us);
            dialogue.key(key, shown_us);
            (0..8).for_each(|_| dialogue.tick(TICK));
        }
    };
    let words = |dialogue: &Dialogue| dialogue.said().map(|(_, words)| words.clone()).unwrap_or_default();
    press(&mut dialogue, Key::Hold, 1);
    press(&mut dialogue, Key::Push(1.0, Pace::Slow), 14);
    press(&mut dialogue, Key::Yes, 1);
    press(&mut dialogue, Key::Push(-1.0, Pace::Fast), 20);
    press(&mut dialogue, Key::Accept, 1);
    assert!(dialogue.finding().minus_us.is_some(), "{}", words(&dialogue));
    press(&mut dialogue, Key::Accept, 1);
    assert!(words(&dialogue).contains("other side of neutral"), "{}", words(&dialogue));
    press(&mut dialogue, Key::Push(1.0, Pace::Fast), 12);
    press(&mut dialogue, Key::Accept, 1);
    assert!(words(&dialogue).contains("other side of neutral"), "{}", words(&dialogue));
    assert_eq!(dialogue.finding().plus_us, None);
    press(&mut dialogue, Key::Push(1.0, Pace::Fast), 25);
    press(&mut dialogue, Key::Accept, 1);
    assert!(dialogue.finding().plus_us > dialogue.finding().minus_us, "{}", words(&dialogue));
}

#[test]
fn when_the_third_angle_does_not_go_with_the_others_expect_it_asked_about_and_taken_if_it_is_given_again() {
    let robot = robot();
    let mut dialogue = Dialogue::new(shipped(), &robot, &Progress::default(), false).unwrap();
    let press = |dialogue: &mut Dialogue, key, times: usize| {
        let mut last = Outcome::Same;
        for _ in 0..times {
            let shown_us = dialogue.commanded().map(|commanded| commanded.pulse_us);
            last = dialogue.key(key, shown_us);
            (0..8).for_each(|_| dialogue.tick(TICK));
        }
        last
    };
    press(&mut dialogue, Key::Hold, 1);
    press(&mut dialogue, Key::Push(1.0, Pace::Slow), 14);
    press(&mut dialogue, Key::Yes, 1);
    for sign in [-1.0, 1.0] {
        press(&mut dialogue, Key::Push(sign, Pace::Fast), 20 + if sign > 0.0 { 20 } else { 0 });
        assert_eq!(press(&mut dialogue, Key::Accept, 1), Outcome::Found);
    }
    for mark in 1..=2 {
        press(&mut dialogue, Key::Hold, 40);
        assert_eq!(press(&mut dialogue, Key::Accept, 1), Outcome::Found, "{:?}", dialogue.said());
        assert_eq!(dialogue.finding().marks.len(), mark);
    }
    press(&mut dialogue, Key::Hold, 40);
    press(&mut dialogue, Key::Push(-1.0, Pace::Slow), 25);
    assert_eq!(press(&mut dialogue, Key::Accept, 1), Outcome::Same);
    let said = dialogue.said().map(|(_, words)| words.clone()).unwrap_or_default();
    assert!(said.contains("times as far on one side as on the other"), "{said}");
    assert_eq!(press(&mut dialogue, Key::Accept, 1), Outcome::Joint(0));
}

#[test]
fn when_nobody_touches_a_key_for_five_minutes_expect_the_servo_off_until_it_is_switched_on_again() {
    let mut dialogue = Dialogue::new(shipped(), &robot(), &Progress::default(), false).unwrap();
    let pass = |dialogue: &mut Dialogue, seconds: u64| (0..10 * seconds).for_each(|_| dialogue.tick(3 * TICK));
    dialogue.key(Key::Hold, None);
    pass(&mut dialogue, 250);
    assert!(dialogue.commanded().is_some());
    dialogue.key(Key::Hold, None);
    pass(&mut dialogue, 250);
    assert!(dialogue.commanded().is_some(), "a key was touched");
    pass(&mut dialogue, 60);
    assert!(dialogue.commanded().is_none());
    assert!(dialogue.said().is_some_and(|(_, words)| words.contains("no key for five minutes")));
    dialogue.key(Key::Hold, None);
    pass(&mut dialogue, 1);
    assert!(dialogue.commanded().is_some());
}
