//! What a board with enjoykin's firmware answers.

use super::frame::CHANNELS;
use super::packet::{DONE, INPUTS, REPORT, SET_TARGETS, STATE, STATE_BYTES, each};
use super::reading::{Reading, Touched};
use super::trip::Trip;

/// Flags of the state.
const WATCHDOG: u8 = 1;
const VOLTAGE: u8 = 1 << 1;
const CURRENT: u8 = 1 << 2;
const SERVO: u8 = 1 << 3;
const ANY_OFF: u8 = 1 << 4;
const RELAY_ON: u8 = 1 << 6;
/// Reports: a pulse was cut to what the board lets through; they draw too much; their supply is low.
const CUT: u8 = 0x10;
const TOO_MUCH: u8 = 0x21;
const TOO_LOW: u8 = 0x30;
/// A low supply that is no trip yet is reported of this servo.
const WARNING: u8 = 0xFF;

/// What was asked, by the numbers of the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The state.
    pub state: u8,
    /// What is to be acknowledged before it: the first, and how many.
    pub orders: (u8, u8),
}

/// The answer to that, once the state is among what has come in: a board answers in the order it was asked.
pub(super) fn answer(bytes: &[u8], asked: Asked) -> Option<Reading> {
    let (mut reading, mut is_there, mut done) = (Reading::default(), false, 0);
    let (mut amperes, mut volts) = (None, None);
    each(bytes, |heard| match (heard.command, heard.payload) {
        (STATE, payload) if heard.number == asked.state => {
            if let Some(payload) = payload.first_chunk::<STATE_BYTES>().filter(|_| payload.len() == STATE_BYTES) {
                read_state(payload, (amperes, volts), &mut reading);
                is_there = true;
            }
        }
        (INPUTS, &[closed]) => reading.touch = Some(Touched::Closed(closed)),
        (REPORT, &[TOO_MUCH, _, low, high]) => amperes = Some(thousandth(low, high)),
        (REPORT, &[TOO_LOW, servo, low, high]) if servo != WARNING => volts = Some(thousandth(low, high)),
        (DONE, &[order]) if is_one_of(heard.number, asked.orders) => {
            done += 1;
            reading.is_cut =
                reading.is_cut.filter(|_| order != SET_TARGETS).or((order == SET_TARGETS).then_some(false));
        }
        (DONE, &[]) if is_one_of(heard.number, asked.orders) => done += 1,
        (REPORT, &[CUT, ..]) if is_one_of(heard.number, asked.orders) => {
            (done, reading.is_cut) = (done + 1, Some(true))
        }
        _ => {}
    });
    reading.is_heard = done >= asked.orders.1;
    is_there.then_some(reading)
}

fn is_one_of(number: u8, (first, count): (u8, u8)) -> bool {
    number.wrapping_sub(first) < count
}

fn thousandth(low: u8, high: u8) -> f64 {
    f64::from(u16::from_le_bytes([low, high])) * 1e-3
}

fn read_state(payload: &[u8; STATE_BYTES], reported: (Option<f64>, Option<f64>), reading: &mut Reading) {
    let word = |index: usize| [payload[2 * index], payload[2 * index + 1]];
    let pulses = std::array::from_fn(|channel| i16::from_le_bytes(word(channel)).try_into().unwrap_or(0));
    // The board measures all of them together, and says so of the first servo.
    let amperes = (CHANNELS..2 * CHANNELS).map(|index| thousandth(word(index)[0], word(index)[1])).sum();
    let [low, high] = word(2 * CHANNELS);
    let (volts, flags) = (thousandth(low, high), payload[STATE_BYTES - 1]);
    reading.pulses = Some(pulses);
    reading.supply = Some((amperes, volts));
    reading.is_supplied = Some(flags & RELAY_ON != 0);
    reading.any_off = flags & ANY_OFF != 0;
    let has = |flag: u8| flags & flag != 0;
    // The first cause is what matters: a board that has let go hears too little afterwards, and measures no voltage.
    reading.trip = if has(CURRENT) {
        Some(Trip::Current(reported.0.unwrap_or(amperes)))
    } else if has(SERVO) {
        Some(Trip::Servo)
    } else if has(VOLTAGE) {
        Some(Trip::Voltage(reported.1.unwrap_or(volts)))
    } else {
        has(WATCHDOG).then_some(Trip::Watchdog)
    };
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "a test fails so")]
mod tests {
    use super::super::packet::{Packets, REFUSED};
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn state(flags: u8) -> Vec<u8> {
        let mut payload = [1500_u16.to_le_bytes(); CHANNELS].concat();
        payload.extend([2500_u16.to_le_bytes()].concat());
        payload.extend([0; 2 * (CHANNELS - 1)]);
        payload.extend(7400_u16.to_le_bytes());
        payload.push(flags);
        payload
    }

    /// Number, command and payload of each.
    fn wire(packets: &[(u8, u8, &[u8])]) -> Vec<u8> {
        let mut all = Packets::none();
        packets.iter().for_each(|(number, command, payload)| all.push(*number, *command, payload));
        all.bytes().to_vec()
    }

    #[test]
    fn when_a_state_is_read_expect_pulses_amperes_volts_and_the_relay() {
        let asked = Asked { state: 9, orders: (7, 2) };
        let said = wire(&[(7, DONE, &[SET_TARGETS]), (8, DONE, &[0x20]), (9, STATE, &state(0x50))]);
        let reading = answer(&said, asked).expect("whole");
        let (amperes, volts) = reading.supply.expect("measured");
        assert!((amperes - 2.5).abs() < 1e-9 && (volts - 7.4).abs() < 1e-9);
        assert_eq!((reading.pulses, reading.trip), (Some([1500; CHANNELS]), None));
        assert_eq!((reading.is_supplied, reading.any_off, reading.is_heard), (Some(true), true, true));
        let brief = wire(&[(7, DONE, &[]), (8, DONE, &[]), (9, STATE, &state(0x50))]);
        assert!(answer(&brief, asked).expect("whole").is_heard, "acknowledged without saying what");
        let lost = wire(&[(7, DONE, &[SET_TARGETS]), (9, STATE, &state(0x40))]);
        assert!(!answer(&lost, asked).expect("whole").is_heard, "one was not acknowledged");
        assert_eq!(answer(&said, Asked { state: 10, ..asked }), None, "the answer to another");
        assert_eq!(answer(&said[..said.len() - 1], asked), None, "part of one");
    }

    #[test]
    fn when_the_board_has_tripped_expect_the_cause_with_what_it_reported() {
        let trip = |flags: u8, report: &[u8]| {
            answer(&wire(&[(0, REPORT, report), (1, STATE, &state(flags))]), Asked { state: 1, orders: (0, 0) })
                .and_then(|reading| reading.trip)
        };
        let words = |flags, report: &[u8]| trip(flags, report).map_or(String::new(), |trip| trip.to_string());
        assert!(words(0x04, &[TOO_MUCH, 0, 0x0C, 0x30]).starts_with("at 12.3 A, too much"));
        assert!(words(0x02, &[TOO_LOW, 0, 0x68, 0x10]).starts_with("at 4.2 V, too little"));
        assert!(words(0x02, &[TOO_LOW, WARNING, 0x68, 0x10]).starts_with("at 7.4 V"), "a warning is no trip");
        assert!(words(0x08, &[]).contains("one of them drew too much"));
        assert!(words(0x01, &[]).contains("heard nothing"));
        assert_eq!(trip(0xF0, &[]), None);
    }

    #[test]
    fn when_inputs_are_refused_by_an_older_board_expect_its_state_all_the_same() {
        let asked = Asked { state: 3, orders: (2, 0) };
        let refused = answer(&wire(&[(2, REFUSED, &[0x40, 3]), (3, STATE, &state(0))]), asked);
        assert!(refused.is_some_and(|reading| reading.touch.is_none()));
        let inputs = answer(&wire(&[(2, INPUTS, &[0x05]), (3, STATE, &state(0))]), asked);
        assert_eq!(inputs.and_then(|reading| reading.touch), Some(Touched::Closed(5)));
    }

    proptest! {
        #[test]
        fn when_anything_comes_in_expect_no_panic_and_nothing_but_numbers_that_can_be(
            bytes in vec(prop_oneof![Just(0_u8), any::<u8>()], 0..300),
            number in any::<u8>(),
            payload in vec(any::<u8>(), 0..STATE_BYTES),
        ) {
            let asked = Asked { state: number, orders: (0, 0) };
            let said = [bytes, wire(&[(number, STATE, &payload)])].concat();
            prop_assert_eq!(answer(&said, asked), None, "too short to be a state");
        }
    }
}
