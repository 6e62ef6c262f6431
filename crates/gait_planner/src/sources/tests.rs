use super::*;

const TIMEOUT: Duration = Duration::from_millis(500);
const LIFE: Life = Life { timeout: TIMEOUT };

fn at(ms: u64) -> Moment {
    Moment::real(Duration::from_millis(10_000 + ms))
}

fn sender(number: usize) -> Sender {
    Sender::Local(number as u64)
}

/// Sources on a fake clock.
struct Bench {
    sources: Sources,
    now: u64,
}

impl Bench {
    fn new() -> Self {
        Self { sources: Sources::new(), now: 0 }
    }

    fn say(&mut self, number: usize, pushes: bool) -> Heard {
        let word = Word { sender: sender(number), topic: "cmd_vel", at: at(self.now), pushes };
        self.sources.hear(word, LIFE)
    }

    fn push(&mut self, number: usize) -> Heard {
        self.say(number, true)
    }

    fn rest(&mut self, number: usize) -> Heard {
        self.say(number, false)
    }

    /// Lets time go by, as ticks do.
    fn wait(&mut self, ms: u64) {
        self.now += ms;
        if self.sources.seat().is_some() && !self.sources.is_held(at(self.now), LIFE) {
            self.sources.lose();
        }
    }

    fn stop(&mut self) {
        self.sources.stop(at(self.now), LIFE);
    }

    fn hold(&mut self) {
        self.sources.hold(at(self.now));
    }
}

fn ignored(why: Ignored) -> impl Fn(Heard) -> bool {
    move |heard| matches!(heard, Heard::Ignored { why: said, .. } if said == why)
}

#[test]
fn when_a_stick_is_pushed_while_another_one_drives_expect_it_ignored_until_it_was_let_go_and_the_other_rests() {
    let mut bench = Bench::new();
    assert_eq!(bench.push(1), Heard::Moves);
    assert_eq!(bench.push(2), Heard::Ignored { why: Ignored::Overruled, is_new: true });
    assert_eq!(bench.push(2), Heard::Ignored { why: Ignored::Overruled, is_new: false }, "reported once");
    assert_eq!((bench.push(1), bench.rest(1)), (Heard::Moves, Heard::Rests));
    assert!(ignored(Ignored::Overruled)(bench.push(2)), "it does not walk on by a stick that was held all along");
    assert_eq!((bench.rest(2), bench.push(2)), (Heard::Idles, Heard::Moves));
}

#[test]
fn when_the_driver_falls_silent_expect_whoever_pushes_to_go_on_and_no_sooner() {
    let mut bench = Bench::new();
    bench.push(1);
    for _ in 0..10 {
        bench.wait(50);
        assert!(ignored(Ignored::Overruled)(bench.push(2)));
    }
    bench.wait(10);
    assert_eq!(bench.push(2), Heard::Moves, "as a process that is started anew");
    assert!(ignored(Ignored::Overruled)(bench.push(1)));
}

#[test]
fn when_a_silence_is_seen_first_by_the_one_who_pushes_expect_it_to_end_the_drive_all_the_same() {
    let mut bench = Bench::new();
    bench.push(1);
    assert!(ignored(Ignored::Overruled)(bench.push(2)));
    bench.now += 501;
    assert_eq!(bench.push(2), Heard::Moves, "no tick came between");
}

#[test]
fn when_an_idle_stick_sends_zeros_expect_nothing_changed_by_them() {
    let mut bench = Bench::new();
    bench.push(1);
    assert_eq!((bench.rest(2), bench.push(1)), (Heard::Idles, Heard::Moves));
    bench.stop();
    assert_eq!(bench.rest(2), Heard::Idles);
    assert!(ignored(Ignored::Stopped)(bench.push(1)), "another one's zero lifts no bar");
    assert_eq!(bench.push(2), Heard::Moves);
}

#[test]
fn when_stopped_expect_those_who_pushed_or_were_there_to_send_a_zero_and_others_free() {
    let mut bench = Bench::new();
    bench.push(1);
    bench.rest(2);
    bench.wait(600);
    bench.rest(3);
    bench.stop();
    assert!(ignored(Ignored::Stopped)(bench.push(1)), "silent, but pushed when it was heard last");
    assert!(ignored(Ignored::Stopped)(bench.push(3)), "the push was under way when the stop came");
    assert_eq!((bench.push(2), bench.rest(2)), (Heard::Moves, Heard::Rests), "at rest, and silent");
    assert_eq!((bench.push(4), bench.rest(4)), (Heard::Moves, Heard::Rests), "new");
    bench.wait(60_000);
    assert!(ignored(Ignored::Stopped)(bench.push(1)), "silence is no zero");
    assert_eq!((bench.rest(1), bench.push(1)), (Heard::Idles, Heard::Moves));
}

#[test]
fn when_the_robot_was_held_expect_everybody_to_send_a_zero_and_who_is_new_unless_it_begins_at_rest() {
    let mut bench = Bench::new();
    bench.rest(1);
    bench.wait(5000);
    bench.hold();
    assert!(ignored(Ignored::Held)(bench.push(1)));
    assert!(ignored(Ignored::Unrested)(bench.push(2)), "it may have been pushed all along");
    bench.stop();
    assert!(ignored(Ignored::Held)(bench.push(1)), "a stop after that does not make it a lesser one");
    assert_eq!((bench.rest(2), bench.push(2), bench.rest(2)), (Heard::Idles, Heard::Moves, Heard::Rests));
    bench.wait(60_000);
    assert_eq!((bench.rest(3), bench.push(3), bench.rest(3)), (Heard::Idles, Heard::Moves, Heard::Rests));
    assert!(ignored(Ignored::Unrested)(bench.push(4)), "however long ago that was");
}

#[test]
fn when_the_planner_starts_under_servos_that_are_on_expect_a_zero_of_those_who_push_at_once_and_others_free() {
    let mut bench = Bench::new();
    bench.sources.start(at(0), LIFE);
    assert!(ignored(Ignored::Unrested)(bench.push(1)));
    assert_eq!((bench.rest(2), bench.push(2), bench.rest(2)), (Heard::Idles, Heard::Moves, Heard::Rests));
    bench.wait(501);
    assert!(ignored(Ignored::Unrested)(bench.push(1)), "silence is no zero");
    assert_eq!((bench.push(3), bench.rest(3)), (Heard::Moves, Heard::Rests), "silent until now");
    assert_eq!((bench.rest(1), bench.push(1)), (Heard::Idles, Heard::Moves));
}

#[test]
fn when_a_zero_or_a_push_was_under_way_as_the_stop_came_expect_it_to_count_as_before_that() {
    let mut bench = Bench::new();
    bench.push(1);
    bench.now = 100;
    bench.stop();
    bench.now = 99;
    bench.rest(1);
    assert!(ignored(Ignored::Stopped)(bench.push(1)), "a zero that was received before the stop");
    assert!(ignored(Ignored::Stopped)(bench.push(2)), "a push of a new one that was, too");
    bench.now = 101;
    bench.rest(1);
    assert_eq!(bench.push(1), Heard::Moves);
}

#[test]
fn when_a_stick_was_pushed_while_nothing_might_move_expect_it_to_be_let_go_first() {
    let mut bench = Bench::new();
    bench.hold();
    bench.rest(1);
    let word = Word { sender: sender(1), topic: "cmd_vel", at: at(0), pushes: true };
    bench.sources.hear_barred(word);
    assert!(ignored(Ignored::Held)(bench.push(1)));
    bench.rest(1);
    assert_eq!(bench.push(1), Heard::Moves);
}

#[test]
fn when_hands_are_shown_expect_who_moves_the_robot_some_of_those_ignored_and_how_many_more() {
    let mut bench = Bench::new();
    for number in 0..10 {
        bench.push(number);
    }
    let driving = bench.sources.driving(at(bench.now));
    assert_eq!(driving.moved_by, Some((sender(0), "cmd_vel")));
    assert!(driving.ignored.iter().all(|each| each.is_some_and(|(_, _, why)| why == Ignored::Overruled)));
    assert_eq!(driving.more, 9 - MAX_NAMED_SOURCES);
    bench.wait(2001);
    let driving = bench.sources.driving(at(bench.now));
    assert!(driving.moved_by.is_none() && driving.ignored[0].is_none(), "what was long ago is not shown");
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Push(usize),
    Rest(usize),
    /// Lets go and pushes again.
    Retry(usize),
    Barred(usize),
    Wait(u64),
    Stop,
    Hold,
}

/// Numbers that look like chance, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % most
    }

    fn event(&mut self, sources: usize) -> Event {
        let number = self.below(sources);
        match self.below(23) {
            0..8 => Event::Push(number),
            8..12 => Event::Rest(number),
            12..14 => Event::Retry(number),
            14 => Event::Barred(number),
            15..19 => Event::Wait(self.below(60) as u64),
            19 => Event::Wait(400 + self.below(200) as u64),
            20 => Event::Wait(600 + self.below(4400) as u64),
            21 => Event::Stop,
            _ => Event::Hold,
        }
    }
}

/// What is known of a source without the code: when it was heard, and what it owes.
#[derive(Clone, Copy, Debug, Default)]
struct Model {
    heard: Option<u64>,
    pushed: bool,
    /// It has to send a zero.
    owes: bool,
}

/// Who moves the robot, by what was heard alone.
fn follow(moves: &mut Option<usize>, number: usize, heard: Heard) {
    match heard {
        Heard::Moves => *moves = Some(number),
        Heard::Rests => *moves = None,
        Heard::Idles | Heard::Ignored { .. } => {}
    }
}

fn check(seed: u64, sources: usize) {
    let (mut bench, mut models, mut moves) = (Bench::new(), vec![Model::default(); sources], None);
    let mut dice = Dice(seed);
    for step in 0..400 {
        let event = dice.event(sources);
        match event {
            Event::Push(number) => push(&mut bench, &mut models, &mut moves, number),
            Event::Rest(number) => rest(&mut bench, &mut models, &mut moves, number),
            Event::Retry(number) => {
                rest(&mut bench, &mut models, &mut moves, number);
                let is_free = moves.is_none();
                push(&mut bench, &mut models, &mut moves, number);
                assert!(
                    !is_free || moves == Some(number),
                    "whoever lets go and pushes gets a robot that nobody drives"
                );
            }
            Event::Barred(number) => {
                let word = Word { sender: sender(number), topic: "cmd_vel", at: at(bench.now), pushes: true };
                bench.sources.hear_barred(word);
                models[number] = Model { heard: Some(bench.now), pushed: true, owes: true };
                moves = moves.filter(|mover| *mover != number);
            }
            Event::Wait(ms) => {
                // Anything else than a stop comes a little later than what was before it.
                bench.wait(ms + 1);
                let is_heard = |mover: &usize| models[*mover].heard.is_some_and(|at| bench.now - at <= 500);
                moves = moves.filter(is_heard);
            }
            Event::Stop => {
                bench.now += 1;
                bench.stop();
                for model in &mut models {
                    model.owes |= model.pushed || model.heard.is_some_and(|at| bench.now - at <= 500);
                }
                moves = None;
            }
            Event::Hold => {
                bench.now += 1;
                bench.hold();
                models.iter_mut().for_each(|model| model.owes = true);
                moves = None;
            }
        }
        assert_eq!(bench.sources.seat(), moves.map(sender), "seed {seed}, step {step}: after {event:?}");
    }
}

fn push(bench: &mut Bench, models: &mut [Model], moves: &mut Option<usize>, number: usize) {
    let before = *moves;
    let heard = bench.push(number);
    follow(moves, number, heard);
    if heard == Heard::Moves {
        assert!(!models[number].owes, "{number} has sent no zero since the stop");
        assert!(before.is_none_or(|mover| mover == number), "{number} has taken it from {before:?}, who drives");
    } else {
        assert_eq!(*moves, before);
        assert_ne!(before, Some(number), "whoever drives goes on");
    }
    models[number] = Model { heard: Some(bench.now), pushed: true, ..models[number] };
}

fn rest(bench: &mut Bench, models: &mut [Model], moves: &mut Option<usize>, number: usize) {
    let before = *moves;
    let heard = bench.rest(number);
    follow(moves, number, heard);
    assert_eq!(
        *moves,
        before.filter(|mover| *mover != number),
        "a zero ends what its own source does, and nothing else"
    );
    models[number] = Model { heard: Some(bench.now), pushed: false, owes: false };
}

#[test]
fn when_sources_stops_and_silences_interleave_expect_one_mover_a_zero_after_each_stop_and_no_lockout() {
    (0..2500).for_each(|seed| check(seed, 2 + seed as usize % 3));
}

#[test]
fn when_there_are_more_sources_than_are_kept_expect_the_same() {
    (0..200).for_each(|seed| check(seed, 2 * MAX_SOURCES));
}
