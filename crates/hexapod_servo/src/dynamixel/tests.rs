//! Frames against those printed in the ROBOTIS e-Manual (emanual.robotis.com/docs/en/dxl/protocol2 and protocol1).

use super::*;
use crate::backend::Effect;
use crate::serial::{BROADCAST, Frame, Parser, Reply};

fn built(mut frame: Frame) -> Vec<u8> {
    frame.finish().to_vec()
}

fn naming(mut frame: Frame, servos: &[(u8, &[u8])]) -> Vec<u8> {
    servos.iter().for_each(|(id, values)| assert!(frame.name(*id, values)));
    built(frame)
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hex")).collect()
}

/// What a stream says, with the frame taken apart.
fn heard(stream: &[u8]) -> Vec<(u8, u8, Vec<u8>)> {
    let mut parser = Parser::new(Protocol::Two);
    let mut found = vec![];
    for piece in stream.chunks(7) {
        parser.room()[..piece.len()].copy_from_slice(piece);
        parser.take(piece.len());
        while let Some(frame) = parser.next_frame() {
            found.extend(Reply::of(Protocol::Two, frame).map(|reply| (reply.id, reply.error, reply.values.to_vec())));
        }
    }
    found
}

#[test]
fn when_requests_of_protocol_2_are_built_expect_those_of_the_manual() {
    let two = Protocol::Two;
    assert_eq!(built(Frame::ping(two, 1)), bytes("FF FF FD 00 01 03 00 01 19 4E"));
    let position = Block::new(132, 4);
    assert_eq!(built(Frame::read(two, 1, position)), bytes("FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"));
    let goal = Frame::write(two, 1, 116, &[0x00, 0x02, 0x00, 0x00]);
    assert_eq!(built(goal), bytes("FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89"));
    let read = naming(Frame::sync_read(two, position), &[(1, &[]), (2, &[])]);
    assert_eq!(read, bytes("FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA"));
    let goals: [(u8, &[u8]); 2] = [(1, &[0x96, 0, 0, 0]), (2, &[0xAA, 0, 0, 0])];
    let written = naming(Frame::sync_write(two, Block::new(116, 4)), &goals);
    assert_eq!(written, bytes("FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87"));
}

#[test]
fn when_replies_of_the_manual_come_expect_what_they_say() {
    let ping = bytes("FF FF FD 00 01 07 00 55 00 06 04 26 65 5D");
    let read = bytes("FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0");
    let replies = [(1, 0, vec![0x06, 0x04, 0x26]), (1, 0, vec![0xA6, 0, 0, 0])];
    assert_eq!(heard(&[&ping[..], &[0xFF, 0xFF, 0xFD, 0x00, 3], &read].concat()), replies);
    let garbled: Vec<u8> = ping.iter().map(|byte| if *byte == 0x26 { 0x27 } else { *byte }).collect();
    assert_eq!(heard(&garbled), []);
}

#[test]
fn when_values_look_like_a_header_expect_them_stuffed_and_unstuffed() {
    let values = bytes("FF FF FD FD FF FF FF FD 00 FF FF FD FF FF");
    let written = built(Frame::write(Protocol::Two, 1, 116, &values));
    let stuffed = bytes("FF FF FD FD FD FF FF FF FD FD 00 FF FF FD FD FF FF");
    assert_eq!(written[10..written.len() - 2], stuffed);
    assert_eq!(usize::from(written[5]), 5 + stuffed.len());
    // The same parameters in a reply: the instruction differs, and an error comes first.
    let mut reply = bytes("FF FF FD 00 01 00 00 55 00");
    reply.extend(&stuffed);
    reply[5] = (reply.len() - 5) as u8;
    let crc = crate::serial::crc16(&reply).to_le_bytes();
    reply.extend(crc);
    assert_eq!(heard(&reply), [(1, 0, values)]);
}

#[test]
fn when_requests_of_protocol_1_are_built_expect_those_of_the_manual() {
    let one = Protocol::One;
    let temperature = Frame::read(one, 1, Block::new(43, 1));
    assert_eq!(built(temperature), bytes("FF FF 01 04 02 2B 01 CC"));
    let id = Frame::write(one, BROADCAST, 3, &[1]);
    assert_eq!(built(id), bytes("FF FF FE 04 03 03 01 F6"));
    let entries: [(u8, &[u8]); 4] = [
        (0, &[0x10, 0x00, 0x50, 0x01]),
        (1, &[0x20, 0x02, 0x60, 0x03]),
        (2, &[0x30, 0x00, 0x70, 0x01]),
        (3, &[0x20, 0x02, 0x80, 0x03]),
    ];
    let expected = "FF FF FE 18 83 1E 04 00 10 00 50 01 01 20 02 60 03 02 30 00 70 01 03 20 02 80 03 12";
    assert_eq!(naming(Frame::sync_write(one, AX.first), &entries), bytes(expected));
}

#[test]
fn when_a_frame_may_move_a_servo_expect_it_told_from_stops_and_reads() {
    for series in FAMILY.series {
        let write = |id, first, values: &[u8]| series.effect(&built(Frame::write(series.protocol, id, first, values)));
        let sync = |first, count, values: &[u8]| {
            let frame = Frame::sync_write(series.protocol, Block::new(first, count));
            series.effect(&naming(frame, &[(1, values), (2, values)]))
        };
        let torque = series.torque;
        assert_eq!(write(BROADCAST, torque, &[0]), Effect::Stop);
        assert_eq!((write(3, torque, &[0]), sync(torque, 1, &[0])), (Effect::Other, Effect::Other));
        assert_eq!(series.effect(&built(Frame::sync_read(series.protocol, series.present))), Effect::Other);
        assert_eq!((write(3, torque, &[1]), sync(torque, 1, &[1])), (Effect::Motion, Effect::Motion));
        let goal = vec![0; usize::from(series.goal.bytes)];
        assert_eq!(
            (write(3, series.goal.at, &goal), sync(series.goal.at, series.goal.bytes, &goal)),
            (Effect::Motion, Effect::Motion)
        );
        assert_eq!(write(3, torque, &[0, 0]), Effect::Motion);
        // Where Feetech servos have their torque there is something else.
        assert_eq!(write(BROADCAST, 40, &[0]), Effect::Motion);
    }
}

#[test]
fn when_angles_become_steps_expect_the_units_of_each_series() {
    let quarter = std::f64::consts::FRAC_PI_2 / 3.0 * 5.0;
    assert!((f64::from(AX.last_step + 1) * AX.rad_per_step - 2.0 * quarter).abs() < 1e-12);
    assert_eq!([X.speed_limit(4.0), AX.speed_limit(4.0), MX.speed_limit(4.0)], [167, 345, 336]);
    assert_eq!((AX.speed_limit(100.0), AX.speed_limit(1e-9)), (1023, 1));
    for series in FAMILY.series {
        let counts = [series.present, series.state[0], series.setting[0], series.goal.block()].map(|block| block.count);
        let distinct: std::collections::BTreeSet<u8> = counts.into_iter().chain([1]).collect();
        assert_eq!(
            distinct.len(),
            if series.sync_read { 5 } else { 4 },
            "{}: replies are recognised by their length",
            series.name
        );
        assert!(series.models.iter().all(|model| FAMILY.of_model(series.protocol, model.number) == Some(*series)));
    }
}
