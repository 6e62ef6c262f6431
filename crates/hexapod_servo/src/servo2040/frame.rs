//! Frames to the board.

pub use crate::calibration::SERVO2040_CHANNELS as CHANNELS;

/// Bytes that USB carries at once (full speed, bulk). What is longer may come in pieces.
pub(super) const PACKET: usize = 64;
/// A frame to the UART of olli-io's board fits its buffer of 32 bytes with so many values.
const UART_VALUES: usize = 13;

const SET: u8 = 0xD3;
pub(super) const GET: u8 = 0xC7;
const SET_ALL: u8 = 0xD5;
/// Pulses of `SET_ALL` count from here, us, and have so many bits.
const BASE_US: u16 = 500;
const BITS: u32 = 11;
const GREATEST: u16 = 2000;
/// Bytes of `SET_ALL` behind the first.
const ALL_BYTES: usize = 29;

/// The first touch input.
pub(super) const TOUCH: u8 = 18;
/// Current.
pub(super) const CURRENT: u8 = 24;
/// The relay.
pub(super) const RELAY: u8 = 26;
/// Values that a board has.
pub(super) const VALUES: usize = 28;

/// Frames that go out in one write, in the order they were added.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    bytes: [u8; PACKET],
    length: usize,
}

impl Frame {
    const EMPTY: Self = Self { bytes: [0; PACKET], length: 0 };

    /// Nothing yet.
    pub fn empty() -> Self {
        Self::EMPTY
    }

    /// Switches the relay, which all servos are supplied by.
    pub fn relay(on: bool) -> Self {
        let mut frame = Self::EMPTY;
        frame.push(&[SET, RELAY, 1, u8::from(on), 0]);
        frame
    }

    /// Asks for values.
    pub fn get(first: u8, count: u8) -> Self {
        let mut frame = Self::EMPTY;
        frame.push(&[GET, first, count]);
        frame
    }

    /// And then the pulses of consecutive servos, us.
    #[must_use]
    pub fn and_pulses(mut self, first: usize, pulses: &[u16]) -> Self {
        self.push(&[SET, first as u8, pulses.len() as u8]);
        pulses.iter().for_each(|pulse| self.push(&halves(*pulse)));
        self
    }

    /// The pulses of a run of servos from `first` on, us, and how many of them; a longer run needs another frame.
    pub fn run(first: usize, pulses: &[u16]) -> (Self, usize) {
        let some = &pulses[..pulses.len().min(UART_VALUES)];
        (Self::EMPTY.and_pulses(first, some), some.len())
    }

    /// The pulses of all servos, us, in the shortest frame there is.
    pub fn all(pulses: &[u16; CHANNELS]) -> Self {
        let mut frame = Self::EMPTY;
        frame.push(&[SET_ALL]);
        let (mut bits, mut count) = (0_u32, 0);
        for pulse in pulses {
            bits = bits << BITS | u32::from(pulse.saturating_sub(BASE_US).min(GREATEST));
            count += BITS;
            while count >= 7 {
                count -= 7;
                frame.push(&[(bits >> count) as u8 & 0x7F]);
            }
        }
        frame.push(&[(bits << (7 - count)) as u8 & 0x7F]);
        frame
    }

    /// What goes over the wire.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// What does not fit is left out; nothing here is that long.
    fn push(&mut self, bytes: &[u8]) {
        let room = self.bytes.get_mut(self.length..self.length + bytes.len());
        self.length += room.map_or(0, |room| {
            room.copy_from_slice(bytes);
            room.len()
        });
    }
}

/// A value of 14 bits as it is sent, low half first.
pub(super) fn halves(value: u16) -> [u8; 2] {
    [value as u8 & 0x7F, (value >> 7) as u8 & 0x7F]
}

/// A value of 14 bits from its halves.
pub(super) fn whole(halves: &[u8]) -> u16 {
    halves.iter().rev().fold(0, |value, half| value << 7 | u16::from(half & 0x7F))
}

/// What a frame asks of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// Values are set, each in two bytes.
    Set {
        /// The first.
        first: u8,
        /// Their bytes.
        halves: &'a [u8],
    },
    /// The pulses of all servos are set, us.
    All([u16; CHANNELS]),
    /// Values are asked for.
    Get {
        /// The first.
        first: u8,
        /// How many.
        count: u8,
    },
}

impl<'a> Request<'a> {
    /// The request that bytes begin with, and the bytes behind it; `None` where they begin with none, or with part of one.
    pub fn first_of(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (&command, rest) = bytes.split_first()?;
        if command == SET_ALL {
            let (packed, rest) = rest.split_at_checked(ALL_BYTES)?;
            return is_plain(packed).then(|| (Self::All(unpacked(packed)), rest));
        }
        let (&[first, count], rest) = rest.split_first_chunk()?;
        let (halves, rest) = match command {
            GET => (&[][..], rest),
            SET => rest.split_at_checked(2 * usize::from(count))?,
            _ => return None,
        };
        let request = if command == GET { Self::Get { first, count } } else { Self::Set { first, halves } };
        (is_plain(&[first, count]) && is_plain(halves)).then_some((request, rest))
    }
}

/// Whether no byte begins a frame.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte & 0x80 == 0)
}

fn unpacked(packed: &[u8]) -> [u16; CHANNELS] {
    let (mut bits, mut count, mut left) = (0_u32, 0, packed.iter());
    std::array::from_fn(|_| {
        while count < BITS {
            bits = bits << 7 | u32::from(left.next().copied().unwrap_or_default());
            count += 7;
        }
        count -= BITS;
        BASE_US + ((bits >> count) as u16 & ((1 << BITS) - 1)).min(GREATEST)
    })
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, reason = "a test fails so")]
mod tests {
    use super::*;

    /// The examples of olli-io/hexapod-servo2040-driver, `protocol.md`.
    #[test]
    fn when_frames_are_made_expect_the_bytes_of_the_protocol() {
        assert_eq!(Frame::get(24, 2).bytes(), [0xC7, 0x18, 0x02]);
        assert_eq!(Frame::relay(true).bytes(), [0xD3, 0x1A, 0x01, 0x01, 0x00]);
        assert_eq!(Frame::run(4, &[1500]).0.bytes(), [0xD3, 4, 1, 0x5C, 0x0B]);
        let all = Frame::all(&[500; CHANNELS]);
        assert_eq!((all.bytes().len(), all.bytes()[0]), (30, 0xD5));
        assert!(all.bytes()[1..].iter().all(|byte| *byte == 0));
        assert_eq!(Frame::relay(true).and_pulses(0, &[1500; CHANNELS]).bytes().len(), 44, "one packet of USB");
        let (run, count) = Frame::run(0, &[1500; CHANNELS]);
        assert!(run.bytes().len() <= 32 && count == 13, "the buffer of the UART");
    }

    #[test]
    fn when_all_pulses_are_packed_expect_them_back() {
        let pulses = std::array::from_fn(|channel| 500 + 117 * channel as u16);
        let frame = Frame::all(&pulses);
        assert_eq!(Request::first_of(frame.bytes()), Some((Request::All(pulses), &[][..])));
        let cut = &frame.bytes()[..29];
        assert_eq!(Request::first_of(cut), None);
    }
}
