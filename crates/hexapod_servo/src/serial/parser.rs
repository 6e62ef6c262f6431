//! Replies out of a stream of bytes, whatever else is in it.

use super::crc::crc16;
use super::frame::{Protocol, checksum};

/// More than the longest frame.
const ROOM: usize = 512;

/// A reply of one servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Whose it is.
    pub id: u8,
    /// What the servo complains of, or why it refused.
    pub error: u8,
    /// The registers that were read.
    pub values: &'a [u8],
}

/// Finds frames whose checksum holds. A byte that begins none is skipped, and one alone, so that garbage never takes the
/// frame after it along.
#[derive(Clone, Debug)]
pub struct Parser {
    protocol: Protocol,
    bytes: [u8; ROOM],
    from: usize,
    to: usize,
    skipped: u64,
}

/// What bytes begin with.
enum Beginning {
    /// No frame.
    Nothing,
    /// Perhaps one: more must come.
    Unclear,
    /// One of so many bytes, as far as can be seen.
    Frame(usize),
}

impl Parser {
    /// Finds frames of this protocol.
    pub fn new(protocol: Protocol) -> Self {
        Self { protocol, bytes: [0; ROOM], from: 0, to: 0, skipped: 0 }
    }

    /// Forgets what has come in so far.
    pub fn clear(&mut self) {
        (self.from, self.to) = (0, 0);
    }

    /// Bytes that belonged to no frame.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Where bytes that come in are to be put; never empty once [`next_frame`](Self::next_frame) has returned `None`.
    pub fn room(&mut self) -> &mut [u8] {
        self.bytes.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        &mut self.bytes[self.to..]
    }

    /// Takes `count` bytes that were put into [`room`](Self::room).
    pub fn take(&mut self, count: usize) {
        self.to = (self.to + count).min(ROOM);
    }

    /// Gives up a frame that is not complete: what looked like its header may have been none. False if there is nothing left.
    pub fn give_up(&mut self) -> bool {
        let any = self.from < self.to;
        self.from += usize::from(any);
        self.skipped += u64::from(any);
        any
    }

    fn beginning(&self) -> Beginning {
        let bytes = &self.bytes[self.from..self.to];
        match (self.protocol, bytes) {
            (Protocol::One, [0xFF, 0xFF, 0xFF, ..]) => Beginning::Nothing,
            (Protocol::One, [0xFF, 0xFF, _, 2..=0xFF, ..]) => Beginning::Frame(usize::from(bytes[3]) + 4),
            (Protocol::Two, [0xFF, 0xFF, 0xFD, 0x00, _, low, high, ..]) => {
                match usize::from(u16::from_le_bytes([*low, *high])) + 7 {
                    length @ 10..ROOM => Beginning::Frame(length),
                    _ => Beginning::Nothing,
                }
            }
            // None of their frames is longer.
            (Protocol::Lx, [0x55, 0x55, _, 3..=16, ..]) => Beginning::Frame(usize::from(bytes[3]) + 3),
            (Protocol::Lx, [] | [0x55] | [0x55, 0x55] | [0x55, 0x55, _])
            | (Protocol::One | Protocol::Two, [] | [0xFF] | [0xFF, 0xFF])
            | (Protocol::One, [0xFF, 0xFF, _])
            | (Protocol::Two, [0xFF, 0xFF, 0xFD] | [0xFF, 0xFF, 0xFD, 0x00] | [0xFF, 0xFF, 0xFD, 0x00, _])
            | (Protocol::Two, [0xFF, 0xFF, 0xFD, 0x00, _, _]) => Beginning::Unclear,
            _ => Beginning::Nothing,
        }
    }

    /// The next frame that is complete, from its header to its check. What protocol 2 put between its bytes is taken out again,
    /// so that length and check do not fit any more.
    pub fn next_frame(&mut self) -> Option<&[u8]> {
        loop {
            match self.beginning() {
                Beginning::Unclear => return None,
                Beginning::Frame(length) if self.from + length > self.to => return None,
                Beginning::Frame(length) if holds(self.protocol, &self.bytes[self.from..self.from + length]) => {
                    let (from, mut end) = (self.from, self.from + length);
                    self.from = end;
                    if self.protocol == Protocol::Two {
                        end = from + unstuff(&mut self.bytes[from..end]);
                    }
                    return self.bytes.get(from..end);
                }
                Beginning::Frame(_) | Beginning::Nothing => {
                    self.from += 1;
                    self.skipped += 1;
                }
            }
        }
    }
}

fn holds(protocol: Protocol, frame: &[u8]) -> bool {
    match (protocol, frame) {
        (Protocol::One | Protocol::Lx, [_, _, checked @ .., sum]) => checksum(checked) == *sum,
        (Protocol::Two, [checked @ .., low, high]) => crc16(checked) == u16::from_le_bytes([*low, *high]),
        _ => false,
    }
}

/// Takes out each `FD` after `FF FF FD` behind the length; returns how many bytes are left.
fn unstuff(frame: &mut [u8]) -> usize {
    const BODY: usize = 7;
    const CHECK: usize = 2;
    let (mut to, mut after) = (BODY, 0);
    for from in BODY..frame.len() {
        let byte = frame[from];
        let is_body = from < frame.len() - CHECK;
        if is_body && after == 3 && byte == 0xFD {
            after = 0;
            continue;
        }
        after = match (after, byte) {
            (2, 0xFD) => 3,
            (2, 0xFF) => 2,
            (0 | 1, 0xFF) => after + 1,
            (_, 0xFF) => 1,
            _ => 0,
        };
        frame[to] = byte;
        to += 1;
    }
    to
}

impl<'a> Reply<'a> {
    /// What a frame says, if it is a reply. In protocol 1 a request looks no different.
    pub fn of(protocol: Protocol, frame: &'a [u8]) -> Option<Self> {
        match (protocol, frame) {
            (Protocol::One, [_, _, id, _, error, values @ .., _])
            | (Protocol::Two, [_, _, _, _, id, _, _, 0x55, error, values @ .., _, _]) => {
                Some(Self { id: *id, error: *error, values })
            }
            (Protocol::Lx, [_, _, id, _, _, values @ .., _]) => Some(Self { id: *id, error: 0, values }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All frames of a stream that comes in pieces.
    fn frames(protocol: Protocol, stream: &[u8], piece: usize) -> Vec<Vec<u8>> {
        let (mut parser, mut found) = (Parser::new(protocol), vec![]);
        for mut bytes in stream.chunks(piece.max(1)) {
            while !bytes.is_empty() {
                let room = parser.room();
                let count = room.len().min(bytes.len());
                assert!(count > 0, "no room");
                room[..count].copy_from_slice(&bytes[..count]);
                parser.take(count);
                bytes = &bytes[count..];
                while let Some(frame) = parser.next_frame() {
                    found.push(frame.to_vec());
                }
            }
        }
        found
    }

    fn frame(id: u8, values: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0xFF, 0xFF, id, values.len() as u8 + 2, 0];
        bytes.extend(values);
        bytes.push(checksum(&bytes[2..]));
        bytes
    }

    #[test]
    fn when_garbage_or_half_a_frame_comes_before_a_reply_expect_the_reply() {
        let reply = frame(7, &[1, 2, 3]);
        for garbage in
            [&[][..], &[0xFF], &[0xFF, 0xFF], &[0xFF; 9], &[0xFF, 0xFF, 7, 5, 0, 1], &[0, 0xFF, 0xFF, 1, 2, 0, 0]]
        {
            let stream = [garbage, &reply[..]].concat();
            assert_eq!(frames(Protocol::One, &stream, 1).last(), Some(&reply), "{garbage:02x?}");
        }
        assert_eq!(Reply::of(Protocol::One, &reply), Some(Reply { id: 7, error: 0, values: &[1, 2, 3] }));
    }

    proptest! {
        /// Frames between which there is anything that does not look like the beginning of one come through in order.
        #[test]
        fn when_garbage_stands_between_frames_expect_all_of_them_however_they_are_cut(
            parts in proptest::collection::vec((0..0xFE_u8, proptest::collection::vec(any::<u8>(), 0..20), proptest::collection::vec(0..0xFF_u8, 0..9)), 1..20),
            piece in 1..40_usize,
        ) {
            let wanted: Vec<_> = parts.iter().map(|(id, values, _)| frame(*id, values)).collect();
            let stream: Vec<u8> = parts.iter().zip(&wanted).flat_map(|((_, _, garbage), frame)| [garbage.clone(), frame.clone()].concat()).collect();
            prop_assert_eq!(frames(Protocol::One, &stream, piece), wanted);
        }

        /// Any bytes at all: no panic, and every frame that is found holds.
        #[test]
        fn when_any_bytes_come_expect_only_frames_that_hold(stream in proptest::collection::vec(prop_oneof![Just(0xFF_u8), 0..6_u8, any::<u8>()], 0..2000), piece in 1..700_usize) {
            for frame in frames(Protocol::One, &stream, piece) {
                prop_assert_eq!(frame.len(), usize::from(frame[3]) + 4);
                prop_assert_eq!(checksum(&frame[2..frame.len() - 1]), frame[frame.len() - 1]);
            }
        }
    }
}
