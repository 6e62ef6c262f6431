//! What is done, at random.

use proptest::prelude::*;

/// Those who call and send: processes of their own, each with its clock.
pub(super) const SOURCES: usize = 40;
/// So many of them do most of it.
const BUSY: usize = 4;
/// Who is of the driver's own process: nothing is under way from there.
pub(super) const HERE: u64 = 7;

#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Enable,
    Disable,
    EmergencyStop,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// Set by so many seconds, perhaps by as much as a message is held up.
    Set(i64),
    Freeze,
    GoOn,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A call of a source; it does not call a service again before it has its answer.
    Call {
        source: usize,
        call: Call,
        delay_ms: u64,
    },
    /// A message of a source on the topic, by each of the subscriptions that get it at another time.
    Say {
        source: usize,
        stop: bool,
        delays_ms: Vec<u64>,
    },
    Clock {
        source: usize,
        clock: Clock,
    },
    /// The process of a source ends, and starts anew.
    Join(usize),
    /// An `enable` of this process that was received up to so many ms ago, and is handled only now.
    Enable {
        late_ms: u64,
    },
    Button(bool),
    Battery(bool),
    Relax {
        group: usize,
        relaxed: bool,
    },
    /// Commands of one of two planners; a planner that has died sends none.
    Commands {
        planner: u64,
        part: bool,
    },
    GaitState(&'static str),
    Dead(bool),
    BrownOut,
    Hang(u64),
    Foreign,
    Wait(u64),
    /// What is broken is mended, and this process enables the servos once it is quiet.
    Arm,
    /// The first planner commands all joints for so many periods, and everybody gets to run.
    Drive(u64),
    /// Armed, the same with a planner that can sit down, and a battery that is low from half way on for as long as the alarm must
    /// last.
    DriveUntilLow(u64),
    /// Armed, the same with a planner that commands nothing for as long in the middle.
    DriveWithPause(u64),
    Answers,
    Pass,
}

fn source() -> impl Strategy<Value = usize> {
    prop_oneof![3 => 0..BUSY, 2 => 0..SOURCES]
}

/// Most messages are quick; some are held up.
fn delay_ms() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..20u64, 1 => 20..8000u64]
}

fn clock() -> impl Strategy<Value = Clock> {
    let set = prop_oneof![Just(-3600), Just(3600), -10..10i64];
    prop_oneof![4 => set.prop_map(Clock::Set), 1 => Just(Clock::Freeze), 2 => Just(Clock::GoOn)]
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let call = |call| (source(), delay_ms()).prop_map(move |(source, delay_ms)| Step::Call { source, call, delay_ms });
    let say = (source(), any::<bool>(), proptest::collection::vec(delay_ms(), 1..4));
    prop_oneof![
        8 => call(Call::Enable),
        1 => call(Call::Disable),
        1 => call(Call::EmergencyStop),
        3 => say.prop_map(|(source, stop, delays_ms)| Step::Say { source, stop, delays_ms }),
        1 => (source(), clock()).prop_map(|(source, clock)| Step::Clock { source, clock }),
        1 => source().prop_map(Step::Join),
        3 => (0..3u64).prop_map(|late_ms| Step::Enable { late_ms }),
        1 => any::<bool>().prop_map(Step::Button),
        1 => any::<bool>().prop_map(Step::Battery),
        1 => (0..2usize, any::<bool>()).prop_map(|(group, relaxed)| Step::Relax { group, relaxed }),
        30 => (1..3u64, any::<bool>()).prop_map(|(planner, part)| Step::Commands { planner, part }),
        2 => prop_oneof![Just("sitting"), Just("standing"), Just("walking"), Just("fault")].prop_map(Step::GaitState),
        1 => any::<bool>().prop_map(Step::Dead),
        1 => Just(Step::BrownOut),
        1 => (0..800u64).prop_map(Step::Hang),
        1 => Just(Step::Foreign),
        20 => (0..12u64).prop_map(Step::Wait),
        1 => (12..400u64).prop_map(Step::Wait),
        4 => (400..3000u64).prop_map(Step::Wait),
        1 => Just(Step::Arm),
        3 => (1..80u64).prop_map(Step::Drive),
        2 => (1..80u64).prop_map(Step::DriveUntilLow),
        2 => (30..150u64).prop_map(Step::DriveWithPause),
        15 => Just(Step::Answers),
        40 => Just(Step::Pass),
    ]
}
