//! Frames of the maker's protocol sheet, byte by byte.

use std::time::Duration;

use super::{FAMILY, LX16A};
use crate::backend::Effect;
use crate::serial::{
    Answer, BROADCAST, Block, Fault, Frame, Line, Parser, Protocol, Reply, Simulated, checksum, look_for,
};

const LX: Protocol = Protocol::Lx;

fn built(mut frame: Frame) -> Vec<u8> {
    frame.finish().to_vec()
}

/// A frame with any command, as this project does not build them.
fn raw(id: u8, command: u8, values: &[u8]) -> Vec<u8> {
    let mut bytes = [&[0x55, 0x55, id, values.len() as u8 + 3, command], values].concat();
    bytes.push(checksum(&bytes[2..]));
    bytes
}

#[test]
fn when_frames_are_built_expect_those_of_the_sheet() {
    // To 500 within 1000 ms.
    let goal = Frame::write(LX, 1, LX16A.goal.at, &[0xF4, 0x01, 0xE8, 0x03]);
    assert_eq!(built(goal), [0x55, 0x55, 0x01, 0x07, 0x01, 0xF4, 0x01, 0xE8, 0x03, 0x16]);
    let position = Frame::read(LX, 1, LX16A.present);
    assert_eq!(built(position), [0x55, 0x55, 0x01, 0x03, 0x1C, 0xDF]);
    let torque = |id, value| built(Frame::write(LX, id, LX16A.torque, &[value]));
    assert_eq!(torque(BROADCAST, 0), [0x55, 0x55, 0xFE, 0x04, 0x1F, 0x00, 0xDE]);
    assert_eq!(torque(1, 1), [0x55, 0x55, 0x01, 0x04, 0x1F, 0x01, 0xDA]);
    let id = Frame::write(LX, 1, LX16A.id, &[7]);
    assert_eq!(built(id), [0x55, 0x55, 0x01, 0x04, 0x0D, 0x07, 0xE6]);
}

#[test]
fn when_any_command_comes_expect_motion_unless_it_reads_or_takes_torque_away() {
    const READS: [u8; 14] = [2, 8, 14, 19, 21, 23, 25, 26, 27, 28, 30, 32, 34, 36];
    for command in 0..=u8::MAX {
        let expected = if READS.contains(&command) { Effect::Other } else { Effect::Motion };
        assert_eq!(LX16A.effect(&raw(3, command, &[1, 0, 0, 0])), expected, "command {command}");
    }
    assert_eq!(LX16A.effect(&raw(3, 31, &[0])), Effect::Other);
    assert_eq!(LX16A.effect(&raw(BROADCAST, 31, &[0])), Effect::Stop);
    assert_eq!(LX16A.effect(&raw(3, 31, &[1])), Effect::Motion);
}

#[test]
fn when_a_servo_stands_beyond_its_range_expect_a_negative_position() {
    let mut parser = Parser::new(LX);
    let reply = raw(4, 28, &(-12_i16).to_le_bytes());
    let room = parser.room();
    room[..reply.len()].copy_from_slice(&reply);
    parser.take(reply.len());
    let found = parser.next_frame().and_then(|frame| Reply::of(LX, frame)).expect("a reply");
    assert_eq!((found.id, LX16A.number(LX16A.position, LX16A.present, found.values)), (4, Some(-12)));
}

#[test]
fn when_replies_are_as_long_as_each_other_expect_each_taken_for_that_of_its_own_command() {
    let servos = Simulated::new(&LX16A, [1], 115_200);
    servos.turn(1, 321.0);
    let mut line = Line::new(servos.clone(), LX, 115_200);
    let mut read = |block: Block| {
        let mut values = vec![];
        let heard = line.ask(&mut Frame::read(LX, 1, block), (1, 2), &mut <_>::default(), |reply| {
            values = reply.values.to_vec();
            true
        });
        (heard, values)
    };
    // The voltage comes when it is no longer waited for, and before the position.
    servos.inject(Fault::Slow(Duration::from_micros(3800)));
    assert_eq!(read(LX16A.voltage.0.block()).0, Ok(0));
    servos.inject(Fault::Slow(Duration::from_millis(1)));
    assert_eq!(read(LX16A.present), (Ok(1), 321_u16.to_le_bytes().to_vec()));
    let Ok(Answer::Servo(found)) = look_for(&mut line, (&FAMILY, LX), 1) else { panic!("no servo") };
    assert_eq!(found.to_string(), "LX-16A, step 321, 7.4 V, 31 C");
}
