//! Packets of enjoykin's firmware: a number, a command, how many bytes follow, those, and a checksum; stuffed, between zeros.

use super::cobs::{crc16, decode, encode};
use super::frame::CHANNELS;

pub(super) const SET_TARGETS: u8 = 0x01;
pub(super) const GET_STATE: u8 = 0x02;
pub(super) const STATE: u8 = 0x82;
pub(super) const ENABLE: u8 = 0x20;
pub(super) const GET_INPUTS: u8 = 0x40;
pub(super) const INPUTS: u8 = 0xC0;
pub(super) const RESET: u8 = 0x50;
pub(super) const RELAY: u8 = 0x51;
pub(super) const REPORT: u8 = 0x7F;
pub(super) const REFUSED: u8 = 0xFE;
pub(super) const DONE: u8 = 0xFF;

/// Bytes of the state: pulses and currents of all servos, the voltage, flags.
pub(super) const STATE_BYTES: usize = 4 * CHANNELS + 3;
/// What a packet has besides its payload.
const OVERHEAD: usize = 5;
/// The longest packet there is, before it is stuffed.
const LONGEST: usize = STATE_BYTES + OVERHEAD;
/// And with the count before it and the zeros about it.
pub(super) const LONGEST_STUFFED: usize = LONGEST + 3;
/// All that may go out at once: a reset, targets, the relay, and each servo on or off.
const ROOM: usize = 320;

/// Packets that go out in one write, in the order they were added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packets {
    bytes: [u8; ROOM],
    length: usize,
    /// How many there are.
    pub count: u8,
}

impl Packets {
    /// Nothing yet.
    pub fn none() -> Self {
        Self { bytes: [0; ROOM], length: 0, count: 0 }
    }

    /// And then this packet. The zero before it ends whatever a board that reads something else was sent.
    pub fn push(&mut self, number: u8, command: u8, payload: &[u8]) {
        let mut plain = [0; LONGEST];
        let size = 3 + payload.len();
        let Some(room) = plain.get_mut(3..size) else { return };
        room.copy_from_slice(payload);
        plain[..3].copy_from_slice(&[number, command, payload.len() as u8]);
        let crc = crc16(&plain[..size]).to_le_bytes();
        let Some(room) = plain.get_mut(size..size + 2) else { return };
        room.copy_from_slice(&crc);
        // What does not fit is left out whole; nothing here is that long.
        let Some(into) = self.bytes.get_mut(self.length + 1..ROOM - 1) else { return };
        match encode(&plain[..size + 2], into) {
            0 => {}
            stuffed => {
                self.bytes[self.length + 1 + stuffed] = 0;
                (self.length, self.count) = (self.length + stuffed + 2, self.count + 1);
            }
        }
    }

    /// And then a packet of which every byte lies below those that begin a frame of the other firmwares: whatever firmware a
    /// board has, it can be sent this. Its number is the first from `number` on that makes it so, and is returned.
    pub fn push_quiet(&mut self, number: u8, command: u8, payload: &[u8]) -> u8 {
        let is_quiet = |number: &u8| {
            let mut packet = Self::none();
            packet.push(*number, command, payload);
            packet.bytes().iter().all(|byte| byte & 0x80 == 0)
        };
        let found = (0..=u8::MAX).map(|step| number.wrapping_add(step)).find(is_quiet).unwrap_or(number);
        self.push(found, command, payload);
        found
    }

    /// What goes over the wire.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// A packet as it was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard<'a> {
    pub number: u8,
    pub command: u8,
    pub payload: &'a [u8],
}

/// Takes the stuffing from a packet without the zeros about it, and the checksum; `None` where it is none.
fn unpacked<'a>(stuffed: &[u8], plain: &'a mut [u8; LONGEST]) -> Option<Heard<'a>> {
    let length = decode(stuffed, plain)?;
    let (body, crc) = plain[..length].split_last_chunk()?;
    let (&[number, command, count], payload) = body.split_first_chunk()?;
    let is_whole = u16::from_le_bytes(*crc) == crc16(body) && usize::from(count) == payload.len();
    is_whole.then_some(Heard { number, command, payload })
}

/// Hands over each packet that bytes hold whole; what is garbled is passed over, up to the next zero.
pub(super) fn each(bytes: &[u8], mut hear: impl FnMut(Heard<'_>)) {
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let mut plain = [0; LONGEST];
        if let Some(heard) = unpacked(&rest[..end], &mut plain) {
            hear(heard);
        }
        rest = &rest[end + 1..];
    }
}

/// Hands over the packets of a write that consists of nothing else; whether it does.
pub(super) fn all(write: &[u8], mut hear: impl FnMut(Heard<'_>)) -> bool {
    let mut parts = 0;
    each(write, |heard| {
        parts += 1;
        hear(heard);
    });
    let written = write.split(|byte| *byte == 0).filter(|part| !part.is_empty()).count();
    parts == written && write.last() == Some(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn heard(bytes: &[u8]) -> Vec<(u8, u8, Vec<u8>)> {
        let mut all = vec![];
        each(bytes, |heard| all.push((heard.number, heard.command, heard.payload.to_vec())));
        all
    }

    fn packet(number: u8, command: u8, payload: &[u8]) -> Vec<u8> {
        let mut packets = Packets::none();
        packets.push(number, command, payload);
        packets.bytes().to_vec()
    }

    /// Made by the tools of enjoykin's protocol, section 4: before it is stuffed `01 02 00`, and `02 20 02 05 01`.
    #[test]
    fn when_packets_are_made_expect_the_bytes_of_the_protocol() {
        let crc = |body: &[u8]| crc16(body).to_le_bytes();
        let [low, high] = crc(&[1, 2, 0]);
        assert_eq!(packet(1, GET_STATE, &[]), [0, 3, 1, 2, 3, low, high, 0]);
        let [low, high] = crc(&[2, 0x20, 2, 5, 1]);
        assert_eq!(packet(2, ENABLE, &[5, 1]), [0, 8, 2, 0x20, 2, 5, 1, low, high, 0]);
    }

    #[test]
    fn when_a_board_of_any_firmware_may_hear_it_expect_no_byte_that_begins_a_frame_of_another() {
        for number in 0..=u8::MAX {
            for (command, payload) in [(RELAY, &[0][..]), (RESET, &[]), (GET_STATE, &[]), (GET_INPUTS, &[])] {
                let mut packets = Packets::none();
                let chosen = packets.push_quiet(number, command, payload);
                assert!(packets.bytes().iter().all(|byte| byte & 0x80 == 0), "{number} {command:#x}");
                assert_eq!(heard(packets.bytes()), [(chosen, command, payload.to_vec())]);
            }
        }
    }

    #[test]
    fn when_all_that_goes_out_at_once_is_written_expect_room_for_it() {
        let mut packets = Packets::none();
        packets.push(0, RESET, &[]);
        packets.push(1, SET_TARGETS, &[0xDC; 2 * CHANNELS]);
        packets.push(2, RELAY, &[1]);
        (0..CHANNELS as u8).for_each(|channel| packets.push(3 + channel, ENABLE, &[channel, 0]));
        packets.push(40, GET_INPUTS, &[]);
        packets.push(41, GET_STATE, &[]);
        assert_eq!((packets.count, heard(packets.bytes()).len()), (23, 23));
    }

    proptest! {
        #[test]
        fn when_packets_stand_between_garbage_and_are_cut_expect_each_whole_one_heard_and_nothing_made_up(
            sent in vec((any::<u8>(), any::<u8>(), vec(any::<u8>(), 0..STATE_BYTES)), 1..5),
            garbage in vec(any::<u8>(), 0..40),
            cut in 0_usize..400,
        ) {
            let mut wire = garbage;
            let before = heard(&[&wire[..], &[0]].concat());
            wire.push(0);
            sent.iter().for_each(|(number, command, payload)| wire.extend(packet(*number, *command, payload)));
            let expected: Vec<_> = before.into_iter().chain(sent).collect();
            prop_assert_eq!(heard(&wire), expected.clone());
            let part = heard(&wire[..cut.min(wire.len())]);
            prop_assert!(expected.starts_with(&part));
        }

        #[test]
        fn when_a_byte_of_a_packet_is_another_expect_it_passed_over_and_the_next_heard(
            payload in vec(any::<u8>(), 0..STATE_BYTES), at in any::<prop::sample::Index>(), flip in 1_u8..=255,
        ) {
            let mut wire = packet(7, STATE, &payload);
            let at = at.index(wire.len());
            wire[at] ^= flip;
            wire.extend(packet(8, GET_STATE, &[]));
            let heard = heard(&wire);
            // The zeros at its ends may be lost: others stand beside them, at least before the packet that follows.
            let is_end = at == 0 || at == payload.len() + 7;
            prop_assert_eq!(heard.last(), Some(&(8, GET_STATE, vec![])));
            prop_assert!(is_end || heard.len() == 1, "{:?}", heard);
        }

        #[test]
        fn when_any_write_is_looked_at_expect_all_of_it_to_be_packets_only_if_it_is(write in vec(any::<u8>(), 0..60)) {
            let mut count = 0;
            let is_all = all(&write, |_| count += 1);
            prop_assert!(!is_all || (count > 0 || write.iter().all(|byte| *byte == 0)));
        }
    }
}
