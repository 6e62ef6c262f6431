//! Requests of the protocols that servos speak.
//!
//! Protocol 1 (Feetech, Dynamixel 1.0): `FF FF ID LENGTH INSTRUCTION PARAMETERS.. CHECKSUM`, LENGTH counting from INSTRUCTION
//! to CHECKSUM, CHECKSUM the complement of the sum from ID on. A reply has an error byte in the place of the instruction.
//!
//! Protocol 2 (Dynamixel 2.0): `FF FF FD 00 ID LENGTH(2) INSTRUCTION PARAMETERS.. CRC(2)`, addresses and counts of two bytes,
//! low byte first. After each `FF FF FD` behind LENGTH one more `FD` is put, which LENGTH and CRC count. The instruction of a
//! reply is 0x55, and an error byte comes after it.
//!
//! LX (LewanSoul, Hiwonder): `55 55 ID LENGTH COMMAND PARAMETERS.. CHECKSUM`, LENGTH counting itself, too, CHECKSUM as in
//! protocol 1. It has no registers, but commands that read, and one below each of them the command that writes the same
//! ([`commands`](super::commands)).

use super::block::Block;
use super::commands::{self, Command};
use super::crc::crc16;

/// Every servo hears it, and none answers.
pub const BROADCAST: u8 = 0xFE;
/// Parameters that a frame has room for: the length of protocol 1 is one byte.
pub const MAX_PARAMETERS: usize = 253;
/// Protocol 2 adds at most a byte to three, and has ten besides the parameters.
const LONGEST: usize = MAX_PARAMETERS + MAX_PARAMETERS / 3 + 11;

/// How requests and replies look on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Feetech, and Dynamixel 1.0.
    One,
    /// Dynamixel 2.0.
    Two,
    /// LewanSoul and Hiwonder.
    Lx,
}

/// What a frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Instruction {
    /// Answer.
    Ping = 0x01,
    /// Read registers.
    Read = 0x02,
    /// Write registers.
    Write = 0x03,
    /// Read the same registers of several servos, which answer one after another.
    SyncRead = 0x82,
    /// Write the same registers of several servos, which do not answer.
    SyncWrite = 0x83,
}

impl Protocol {
    /// Bytes of a reply besides the registers that were read.
    pub const fn overhead(self) -> usize {
        match self {
            Self::One | Self::Lx => 6,
            Self::Two => 11,
        }
    }

    /// Where the instruction is.
    const fn instruction(self) -> usize {
        match self {
            Self::One | Self::Lx => 4,
            Self::Two => 7,
        }
    }

    const fn check_bytes(self) -> usize {
        match self {
            Self::One | Self::Lx => 1,
            Self::Two => 2,
        }
    }

    /// Whether a frame may be the reply to a request, as far as its command shows.
    pub(super) fn answers(self, request: &[u8], reply: &[u8]) -> bool {
        let at = self.instruction();
        request != reply && (self != Self::Lx || request.get(at) == reply.get(at))
    }
}

/// A frame being built. Of fixed size, so that a tick allocates nothing.
#[derive(Clone, Debug)]
pub struct Frame {
    protocol: Protocol,
    /// Instruction and parameters.
    body: [u8; MAX_PARAMETERS + 1],
    count: usize,
    id: u8,
    wire: [u8; LONGEST],
}

impl Frame {
    fn new(protocol: Protocol, id: u8, instruction: Instruction) -> Self {
        let mut frame = Self { protocol, body: [0; MAX_PARAMETERS + 1], count: 1, id, wire: [0; LONGEST] };
        frame.body[0] = instruction as u8;
        frame
    }

    /// A ping.
    pub fn ping(protocol: Protocol, id: u8) -> Self {
        Self::new(protocol, id, Instruction::Ping)
    }

    /// Reads registers of a servo.
    pub fn read(protocol: Protocol, id: u8, block: Block) -> Self {
        Self::on(protocol, id, Instruction::Read, block)
    }

    /// Writes registers from `first` on.
    pub fn write(protocol: Protocol, id: u8, first: u16, values: &[u8]) -> Self {
        let mut frame = Self::new(protocol, id, Instruction::Write);
        match protocol {
            Protocol::Lx => frame.body[0] = commands::writing(first),
            Protocol::One | Protocol::Two => frame.extend_number(first),
        }
        frame.extend(values);
        frame
    }

    /// Reads registers of servos that are still to be named.
    pub fn sync_read(protocol: Protocol, block: Block) -> Self {
        Self::on(protocol, BROADCAST, Instruction::SyncRead, block)
    }

    /// Writes registers of servos that are still to be named.
    pub fn sync_write(protocol: Protocol, block: Block) -> Self {
        Self::on(protocol, BROADCAST, Instruction::SyncWrite, block)
    }

    fn on(protocol: Protocol, id: u8, instruction: Instruction, block: Block) -> Self {
        let mut frame = Self::new(protocol, id, instruction);
        if protocol == Protocol::Lx {
            frame.body[0] = commands::reading(block.first);
            return frame;
        }
        frame.extend_number(block.first);
        frame.extend_number(u16::from(block.count));
        frame
    }

    /// Names a servo of a sync read, or a servo and its values of a sync write. False, and no change, where there is no more
    /// room.
    pub fn name(&mut self, id: u8, values: &[u8]) -> bool {
        let fits = self.count + 1 + values.len() <= self.body.len();
        if fits {
            self.extend(&[id]);
            self.extend(values);
        }
        fits
    }

    fn extend_number(&mut self, number: u16) {
        match self.protocol {
            Protocol::One | Protocol::Lx => self.extend(&[number as u8]),
            Protocol::Two => self.extend(&number.to_le_bytes()),
        }
    }

    fn extend(&mut self, values: &[u8]) {
        let values = values.get(..self.body.len() - self.count).unwrap_or(values);
        self.body[self.count..self.count + values.len()].copy_from_slice(values);
        self.count += values.len();
    }

    /// The bytes on the wire.
    pub fn finish(&mut self) -> &[u8] {
        let start = self.protocol.instruction();
        let mut end = start;
        for &byte in &self.body[..self.count] {
            self.wire[end] = byte;
            end += 1;
            if self.protocol == Protocol::Two && end >= start + 3 && self.wire[end - 3..end] == [0xFF, 0xFF, 0xFD] {
                self.wire[end] = 0xFD;
                end += 1;
            }
        }
        match self.protocol {
            Protocol::One => {
                self.wire[..4].copy_from_slice(&[0xFF, 0xFF, self.id, (end - start + 1) as u8]);
                self.wire[end] = checksum(&self.wire[2..end]);
            }
            Protocol::Lx => {
                self.wire[..4].copy_from_slice(&[0x55, 0x55, self.id, (end - start + 2) as u8]);
                self.wire[end] = checksum(&self.wire[2..end]);
            }
            Protocol::Two => {
                let [low, high] = ((end - start + 2) as u16).to_le_bytes();
                self.wire[..7].copy_from_slice(&[0xFF, 0xFF, 0xFD, 0x00, self.id, low, high]);
                let crc = crc16(&self.wire[..end]).to_le_bytes();
                self.wire[end..end + 2].copy_from_slice(&crc);
            }
        }
        &self.wire[..end + self.protocol.check_bytes()]
    }
}

/// Complement of the sum of all bytes between header and checksum.
pub fn checksum(bytes: &[u8]) -> u8 {
    !bytes.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte))
}

/// A frame, read as a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    protocol: Protocol,
    /// Whose it is.
    pub id: u8,
    /// What it asks for.
    pub instruction: u8,
    address: Option<u16>,
    /// What with.
    pub parameters: &'a [u8],
}

impl<'a> Request<'a> {
    /// What a frame says; its check is not looked at.
    pub fn of(protocol: Protocol, frame: &'a [u8]) -> Option<Self> {
        let (id, instruction, parameters) = match (protocol, frame) {
            (Protocol::Two, [0xFF, 0xFF, 0xFD, 0x00, id, _, _, instruction, parameters @ .., _, _])
            | (Protocol::One, [0xFF, 0xFF, id, 2..=0xFF, instruction, parameters @ .., _])
            | (Protocol::Lx, [0x55, 0x55, id, 3..=0xFF, instruction, parameters @ .., _]) => {
                (*id, *instruction, parameters)
            }
            _ => return None,
        };
        if protocol == Protocol::Lx {
            let (instruction, address) = match commands::meaning(instruction) {
                Command::Read(address) => (Instruction::Read as u8, Some(address)),
                Command::Write(address) => (Instruction::Write as u8, Some(address)),
                Command::Other => (0xFF, None),
            };
            return Some(Self { protocol, id, instruction, address, parameters });
        }
        let mut request = Self { protocol, id, instruction, address: None, parameters };
        request.address = request.number_at(0);
        Some(request)
    }

    fn number_at(&self, from: usize) -> Option<u16> {
        let bytes = self.parameters.get(from..from + self.number_bytes())?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u16::from(*byte)))
    }

    const fn number_bytes(&self) -> usize {
        match self.protocol {
            Protocol::One => 1,
            Protocol::Two => 2,
            Protocol::Lx => 0,
        }
    }

    /// The register that it begins at.
    pub fn address(&self) -> Option<u16> {
        self.address
    }

    /// What comes after the address.
    pub fn after_address(&self) -> &'a [u8] {
        self.parameters.get(self.number_bytes()..).unwrap_or_default()
    }

    /// Of what comes after the address, the count of registers and the servos that are named.
    pub fn named(&self, after_address: &'a [u8]) -> Option<(u16, &'a [u8])> {
        if self.protocol == Protocol::Lx {
            return Some((commands::count(self.address?), after_address));
        }
        Some((self.number_at(self.number_bytes())?, after_address.get(self.number_bytes()..)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Effect;
    use crate::feetech::STS;

    fn built(mut frame: Frame) -> Vec<u8> {
        frame.finish().to_vec()
    }

    fn naming(mut frame: Frame, servos: &[(u8, &[u8])]) -> Vec<u8> {
        servos.iter().for_each(|(id, values)| assert!(frame.name(*id, values)));
        built(frame)
    }

    #[test]
    fn when_frames_of_protocol_1_are_built_expect_its_bytes() {
        let one = Protocol::One;
        assert_eq!(built(Frame::ping(one, 1)), [0xFF, 0xFF, 0x01, 0x02, 0x01, 0xFB]);
        let read = Frame::read(one, 1, Block::new(56, 2));
        assert_eq!(built(read), [0xFF, 0xFF, 0x01, 0x04, 0x02, 0x38, 0x02, 0xBE]);
        let goal = [0x00, 0x00, 0x08, 0x00, 0x00, 0xE8, 0x03];
        let written = [0xFF, 0xFF, 0x01, 0x0A, 0x03, 0x29, 0x00, 0x00, 0x08, 0x00, 0x00, 0xE8, 0x03, 0xD5];
        assert_eq!(built(Frame::write(one, 1, 41, &goal)), written);
        let read = naming(Frame::sync_read(one, Block::new(56, 4)), &[(1, &[]), (2, &[])]);
        assert_eq!(read, [0xFF, 0xFF, 0xFE, 0x06, 0x82, 0x38, 0x04, 0x01, 0x02, 0x3A]);
        let goals: [(u8, &[u8]); 2] = [(1, &[0x00, 0x08]), (2, &[0xFF, 0x07])];
        let expected = [0xFF, 0xFF, 0xFE, 0x0A, 0x83, 0x2A, 0x02, 0x01, 0x00, 0x08, 0x02, 0xFF, 0x07, 0x37];
        assert_eq!(naming(Frame::sync_write(one, Block::new(42, 2)), &goals), expected);
    }

    #[test]
    fn when_a_frame_is_full_expect_no_more_servos_in_it() {
        let mut frame = Frame::sync_write(Protocol::One, Block::new(42, 2));
        let named = (0..=200).take_while(|&id| frame.name(id, &[0, 0])).count();
        assert_eq!(named, (MAX_PARAMETERS - 2) / 3);
        let bytes = frame.finish();
        assert_eq!(bytes.len(), usize::from(bytes[3]) + 4);
        let mut stuffed = Frame::sync_write(Protocol::Two, Block::new(116, 3));
        while stuffed.name(0xFF, &[0xFF, 0xFD, 0xFF]) {}
        let bytes = stuffed.finish();
        assert_eq!(bytes.len(), usize::from(bytes[5]) + 256 * usize::from(bytes[6]) + 7);
    }

    #[test]
    fn when_a_frame_may_move_a_servo_expect_it_told_from_stops_and_reads() {
        let effect = |frame| STS.effect(&built(frame));
        let write = |id, first, values: &[u8]| effect(Frame::write(Protocol::One, id, first, values));
        let sync = |first, count, values: &[u8]| {
            let frame = Frame::sync_write(Protocol::One, Block::new(first, count));
            STS.effect(&naming(frame, &[(1, values), (2, values), (3, values)]))
        };
        assert_eq!(write(BROADCAST, 40, &[0]), Effect::Stop);
        assert_eq!(write(3, 40, &[0]), Effect::Other);
        assert_eq!(sync(40, 1, &[0]), Effect::Other);
        assert_eq!(effect(Frame::sync_read(Protocol::One, Block::new(56, 4))), Effect::Other);
        for motion in [&[1][..], &[128], &[0, 0]] {
            assert_eq!(write(3, 40, motion), Effect::Motion, "{motion:?}");
        }
        assert_eq!(sync(40, 1, &[1]), Effect::Motion);
        assert_eq!(sync(42, 2, &[0, 8]), Effect::Motion);
        assert_eq!(write(3, 42, &[0, 8]), Effect::Motion);
        assert_eq!(
            STS.effect(&[0xFF, 0xFF, 0x01, 0x02, 0x05, 0xF7]),
            Effect::Motion,
            "ACTION carries out what was kept"
        );
        assert_eq!(STS.effect(&[1, 2, 3]), Effect::Motion, "nobody knows what this does");
        let other = Frame::write(Protocol::Two, BROADCAST, 40, &[0]);
        assert_eq!(effect(other), Effect::Motion, "another protocol");
    }
}
