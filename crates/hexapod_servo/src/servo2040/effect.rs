//! What a write does to servos, by its bytes.

use super::frame::{CHANNELS, RELAY, Request};
use super::packet;
use crate::backend::Effect;

/// What a write does to servos. Whatever sets a value counts as motion, unless all it does is to take pulses or the relay away;
/// so does what cannot be read.
pub fn effect(write: &[u8]) -> Effect {
    // No frame of values begins with a zero, and each write of packets does.
    if write.first() == Some(&0) {
        return of_packets(write);
    }
    let (mut rest, mut requests, mut stops) = (write, 0, 0);
    while !rest.is_empty() {
        let Some((request, behind)) = Request::first_of(rest) else { return Effect::Motion };
        match request {
            Request::Get { .. } => {}
            Request::Set { first: RELAY, halves: [0, 0] } => stops += 1,
            Request::Set { first, halves } => {
                let is_of_servos = usize::from(first) + halves.len() / 2 <= CHANNELS;
                if !is_of_servos || halves.iter().any(|half| *half != 0) {
                    return Effect::Motion;
                }
            }
            Request::All(_) => return Effect::Motion,
        }
        (rest, requests) = (behind, requests + 1);
    }
    if stops == requests && requests > 0 { Effect::Stop } else { Effect::Other }
}

fn of_packets(write: &[u8]) -> Effect {
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
        (false, _) => Effect::Motion,
        (true, true) => Effect::Stop,
        (true, false) => Effect::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frame;
    use super::*;

    #[test]
    fn when_a_write_may_move_a_servo_expect_motion_and_of_the_relay_off_alone_a_stop() {
        assert_eq!(effect(Frame::relay(false).bytes()), Effect::Stop);
        assert_eq!(effect(Frame::relay(true).bytes()), Effect::Motion);
        assert_eq!(effect(Frame::run(3, &[1500]).0.bytes()), Effect::Motion);
        assert_eq!(effect(Frame::run(3, &[0, 0]).0.bytes()), Effect::Other);
        assert_eq!(effect(Frame::all(&[1500; CHANNELS]).bytes()), Effect::Motion);
        assert_eq!(effect(Frame::get(0, 18).bytes()), Effect::Other);
        let both = Frame::relay(false).and_pulses(0, &[1500]);
        assert_eq!(effect(both.bytes()), Effect::Motion, "whatever stands before it");
        let of = |orders: &[(u8, &[u8])]| {
            let mut packets = packet::Packets::none();
            orders.iter().for_each(|(command, payload)| packets.push(3, *command, payload));
            effect(packets.bytes())
        };
        assert_eq!(of(&[(packet::RELAY, &[0]), (packet::RESET, &[])]), Effect::Stop);
        assert_eq!(of(&[(packet::RELAY, &[0]), (packet::GET_STATE, &[])]), Effect::Other);
        assert_eq!(of(&[(packet::ENABLE, &[3, 0])]), Effect::Other);
        for moving in
            [(packet::RELAY, &[1][..]), (packet::ENABLE, &[3, 1]), (packet::SET_TARGETS, &[0; 36]), (0x10, &[])]
        {
            assert_eq!(of(&[(packet::RELAY, &[0]), moving]), Effect::Motion, "{moving:02x?}");
        }
        for garbage in [
            &[0xD3, 0x1A, 1, 0][..],
            &[0xFF],
            &[0x00],
            &[0x00, 1],
            &[0, 3, 1, 2, 1, 9, 9, 0],
            &[0xD3, 0x1A, 2, 0, 0, 0, 0],
        ] {
            assert_eq!(effect(garbage), Effect::Motion, "{garbage:02x?}");
        }
        assert_eq!(effect(&[]), Effect::Other);
    }
}
