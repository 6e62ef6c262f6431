//! What a write does to servos, by its bytes.

use super::frame::{CHANNELS, RELAY, Request};
use super::packet;
use crate::backend::Cargo;

/// What a write does to servos. Whatever sets a value counts as motion, unless all it does is to take pulses or the relay away;
/// so does what cannot be read.
pub fn cargo(write: &[u8]) -> Cargo {
    // No frame of values begins with a zero, and each write of packets does.
    if write.first() == Some(&0) {
        return of_packets(write);
    }
    let (mut rest, mut requests, mut stops) = (write, 0, 0);
    while !rest.is_empty() {
        let Some((request, behind)) = Request::first_of(rest) else { return Cargo::Motion };
        match request {
            Request::Get { .. } => {}
            Request::Set { first: RELAY, halves: [0, 0] } => stops += 1,
            Request::Set { first, halves } => {
                let is_of_servos = usize::from(first) + halves.len() / 2 <= CHANNELS;
                if !is_of_servos || halves.iter().any(|half| *half != 0) {
                    return Cargo::Motion;
                }
            }
            Request::All(_) => return Cargo::Motion,
        }
        (rest, requests) = (behind, requests + 1);
    }
    if stops == requests && requests > 0 { Cargo::Stop } else { Cargo::Other }
}

fn of_packets(write: &[u8]) -> Cargo {
    let (mut moves, mut stops, mut count) = (false, 0, 0);
    let is_plain = packet::all(write, |heard| {
        count += 1;
        match (heard.command, heard.payload) {
            (packet::RELAY, [0]) | (packet::RESET, []) => stops += 1,
            (packet::GET_STATE | packet::GET_INPUTS, []) | (packet::ENABLE, [_, 0]) => {}
            _ => moves = true,
        }
    });
    match (is_plain && !moves && count > 0, stops == count) {
        (false, _) => Cargo::Motion,
        (true, true) => Cargo::Stop,
        (true, false) => Cargo::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::*;

    #[test]
    fn when_a_write_may_move_a_servo_expect_motion_and_of_the_relay_off_alone_a_stop() {
        assert_eq!(cargo(Frame::relay(false).bytes()), Cargo::Stop);
        assert_eq!(cargo(Frame::relay(true).bytes()), Cargo::Motion);
        assert_eq!(cargo(Frame::run(3, &[1500]).0.bytes()), Cargo::Motion);
        assert_eq!(cargo(Frame::run(3, &[0, 0]).0.bytes()), Cargo::Other);
        assert_eq!(cargo(Frame::all(&[1500; CHANNELS]).bytes()), Cargo::Motion);
        assert_eq!(cargo(Frame::get(0, 18).bytes()), Cargo::Other);
        let both = Frame::relay(false).and_pulses(0, &[1500]);
        assert_eq!(cargo(both.bytes()), Cargo::Motion, "whatever stands before it");
        let of = |orders: &[(u8, &[u8])]| {
            let mut packets = packet::Packets::none();
            orders.iter().for_each(|(command, payload)| packets.push(3, *command, payload));
            cargo(packets.bytes())
        };
        assert_eq!(of(&[(packet::RELAY, &[0]), (packet::RESET, &[])]), Cargo::Stop);
        assert_eq!(of(&[(packet::RELAY, &[0]), (packet::GET_STATE, &[])]), Cargo::Other);
        assert_eq!(of(&[(packet::ENABLE, &[3, 0])]), Cargo::Other);
        for moving in
            [(packet::RELAY, &[1][..]), (packet::ENABLE, &[3, 1]), (packet::SET_TARGETS, &[0; 36]), (0x10, &[])]
        {
            assert_eq!(of(&[(packet::RELAY, &[0]), moving]), Cargo::Motion, "{moving:02x?}");
        }
        for garbage in [
            &[0xD3, 0x1A, 1, 0][..],
            &[0xFF],
            &[0x00],
            &[0x00, 1],
            &[0, 3, 1, 2, 1, 9, 9, 0],
            &[0xD3, 0x1A, 2, 0, 0, 0, 0],
        ] {
            assert_eq!(cargo(garbage), Cargo::Motion, "{garbage:02x?}");
        }
        assert_eq!(cargo(&[]), Cargo::Other);
    }
}
