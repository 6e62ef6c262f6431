//! Frames of protocol 2.0 beside those of another implementation, the crate dynamixel2.
//!
//! Its version 0.9.1 does not stuff `FF FF FD` where one more `FF` stands before it, as ROBOTIS's own library does
//! (`protocol2_packet_handler.cpp`, `addStuffing`): such values are left out here.

use dynamixel2::Bus;
use dynamixel2::instructions::SyncWriteData;
use hexapod_servo::dynamixel::X;
use hexapod_servo::serial::{Block, Frame, Port, Protocol, Simulated};
use serial2::SerialPort;
use std::time::Duration;

use super::fuzz::Draw;

type OtherBus = Bus<Vec<u8>, Vec<u8>>;

fn buses() -> (OtherBus, SerialPort) {
    let (theirs, ours) = SerialPort::pair().expect("a pseudo terminal");
    (Bus::with_buffers(theirs, vec![0; 1024], vec![0; 1024]).expect("opens"), ours)
}

/// Asserts that the other end sends this.
fn expect(line: &SerialPort, mut frame: Frame) {
    let frame = frame.finish();
    let (mut sent, mut piece) = (Vec::<u8>::new(), [0; 256]);
    while sent.len() < frame.len() {
        let count = line.read(&mut piece).unwrap_or_else(|error| panic!("{error}: {sent:02x?}, not {frame:02x?}"));
        sent.extend(&piece[..count]);
    }
    assert_eq!(sent, frame);
}

fn is_left_out(values: &[u8]) -> bool {
    values.windows(4).any(|values| values == [0xFF, 0xFF, 0xFF, 0xFD])
}

fn is_stuffed(values: &[u8]) -> bool {
    values.windows(3).any(|values| values == [0xFF, 0xFF, 0xFD])
}

#[test]
fn when_requests_are_built_at_random_expect_those_of_another_implementation() {
    let (mut bus, line) = buses();
    let (mut draw, mut stuffed) = (Draw::new(3), 0);
    for _ in 0..3000 {
        let (id, block) = (draw.below(253) as u8, Block::new(draw.below(200) as u16, 1 + draw.below(60) as u8));
        let values: Vec<u8> = (0..block.count).map(|_| draw.byte()).collect();
        let numbers = [block.first, u16::from(block.count)].map(u16::to_le_bytes).concat();
        bus.write_instruction(id, 2, 4, |buffer| buffer.copy_from_slice(&numbers)).expect("sent");
        expect(&line, Frame::read(Protocol::Two, id, block));
        let written = [&block.first.to_le_bytes()[..], &values].concat();
        if !is_left_out(&values) {
            bus.write_instruction(id, 3, written.len(), |buffer| buffer.copy_from_slice(&written)).expect("sent");
            expect(&line, Frame::write(Protocol::Two, id, block.first, &values));
            stuffed += u32::from(is_stuffed(&values));
        }
        let goals: Vec<_> = (0..1 + draw.below(18))
            .map(|motor_id| SyncWriteData {
                motor_id: motor_id as u8,
                data: (0..4).map(|_| draw.byte()).collect::<Vec<_>>(),
            })
            .collect();
        let parameters: Vec<u8> = goals.iter().flat_map(|goal| [&[goal.motor_id][..], &goal.data].concat()).collect();
        if is_left_out(&parameters) {
            continue;
        }
        bus.sync_write(block.first, 4, &goals).expect("sent");
        let mut ours = Frame::sync_write(Protocol::Two, Block::new(block.first, 4));
        assert!(goals.iter().all(|goal| ours.name(goal.motor_id, &goal.data)));
        expect(&line, ours);
    }
    assert!(stuffed > 300, "{stuffed}");
    let ids: Vec<u8> = (1..=18).collect();
    // Nobody answers.
    let _ = bus.sync_read(&ids, X.present.first, u16::from(X.present.count));
    let mut ours = Frame::sync_read(Protocol::Two, X.present);
    assert!(ids.iter().all(|id| ours.name(*id, &[])));
    expect(&line, ours);
}

#[test]
fn when_simulated_servos_answer_expect_another_implementation_to_read_what_they_hold() {
    let (mut bus, line) = buses();
    let mut servos = Simulated::new(&X, [1, 7], 1_000_000);
    let mut draw = Draw::new(4);
    for _ in 0..1000 {
        let (id, values) = ([1, 7][draw.below(2) as usize], (0..20).map(|_| draw.byte()).collect::<Vec<_>>());
        if is_left_out(&values) {
            continue;
        }
        servos.put(id, 200, &values);
        bus.write_instruction(id, 2, 4, |buffer| buffer.copy_from_slice(&[200, 0, 20, 0])).expect("sent");
        let mut request = Frame::read(Protocol::Two, id, Block::new(200, 20));
        expect(&line, request.clone());
        servos.write(request.finish()).expect("there");
        let (mut reply, mut piece, until) = (vec![], [0; 64], servos.now() + Duration::from_millis(2));
        while servos.now() < until {
            let count = servos.read(&mut piece, until).expect("there");
            reply.extend(&piece[..count]);
        }
        line.write_all(&reply).expect("sent");
        let heard = bus.read_status_response(20).expect("a reply");
        assert_eq!((heard.packet_id(), heard.error(), heard.parameters()), (id, 0, &values[..]));
    }
}
