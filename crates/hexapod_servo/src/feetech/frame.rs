//! Frames of Feetech's protocol: `FF FF ID LENGTH INSTRUCTION PARAMETERS.. CHECKSUM`, LENGTH counting from INSTRUCTION to
//! CHECKSUM, CHECKSUM the complement of the sum from ID on. A reply has an error byte in the place of the instruction.

use super::registers::{ACCELERATION, BROADCAST, TORQUE};
use crate::backend::Cargo;

const HEADER: [u8; 2] = [0xFF; 2];
/// Header, ID, length, instruction, checksum.
const OVERHEAD: usize = 6;
/// Parameters that a frame has room for: its length is one byte.
pub const MAX_PARAMETERS: usize = 253;

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

/// A frame being built. Of fixed size, so that a tick allocates nothing.
#[derive(Clone, Debug)]
pub struct Frame {
    bytes: [u8; MAX_PARAMETERS + OVERHEAD],
    parameters: usize,
}

impl Frame {
    fn new(id: u8, instruction: Instruction, parameters: &[u8]) -> Self {
        let mut frame = Self { bytes: [0; MAX_PARAMETERS + OVERHEAD], parameters: 0 };
        frame.bytes[..2].copy_from_slice(&HEADER);
        (frame.bytes[2], frame.bytes[4]) = (id, instruction as u8);
        frame.extend(parameters);
        frame
    }

    /// A ping.
    pub fn ping(id: u8) -> Self {
        Self::new(id, Instruction::Ping, &[])
    }

    /// Reads `count` registers from `first` on.
    pub fn read(id: u8, first: u8, count: u8) -> Self {
        Self::new(id, Instruction::Read, &[first, count])
    }

    /// Writes registers from `first` on.
    pub fn write(id: u8, first: u8, values: &[u8]) -> Self {
        let mut frame = Self::new(id, Instruction::Write, &[first]);
        frame.extend(values);
        frame
    }

    /// Reads `count` registers from `first` on of servos that are still to be named.
    pub fn sync_read(first: u8, count: u8) -> Self {
        Self::new(BROADCAST, Instruction::SyncRead, &[first, count])
    }

    /// Writes `count` registers from `first` on of servos that are still to be named.
    pub fn sync_write(first: u8, count: u8) -> Self {
        Self::new(BROADCAST, Instruction::SyncWrite, &[first, count])
    }

    /// Names a servo of a sync read, or a servo and its values of a sync write. False, and no change, where there is no more
    /// room.
    pub fn name(&mut self, id: u8, values: &[u8]) -> bool {
        let fits = self.parameters + 1 + values.len() <= MAX_PARAMETERS;
        if fits {
            self.extend(&[id]);
            self.extend(values);
        }
        fits
    }

    fn extend(&mut self, values: &[u8]) {
        let from = OVERHEAD - 1 + self.parameters;
        let room = MAX_PARAMETERS - self.parameters;
        let values = values.get(..room).unwrap_or(values);
        self.bytes[from..from + values.len()].copy_from_slice(values);
        self.parameters += values.len();
    }

    /// The bytes on the wire.
    pub fn finish(&mut self) -> &[u8] {
        let end = OVERHEAD - 1 + self.parameters;
        self.bytes[3] = (self.parameters + 2) as u8;
        self.bytes[end] = checksum(&self.bytes[2..end]);
        &self.bytes[..=end]
    }
}

/// Complement of the sum of all bytes between header and checksum.
pub fn checksum(bytes: &[u8]) -> u8 {
    !bytes.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte))
}

/// What a frame does to servos. Whatever writes a register that has to do with motion counts as motion, unless all it does
/// is to take torque away; so do instructions that this project does not send.
pub fn cargo(frame: &[u8]) -> Cargo {
    let [0xFF, 0xFF, id, _, instruction, parameters @ .., _] = frame else { return Cargo::Motion };
    const WRITE: u8 = Instruction::Write as u8;
    const SYNC_WRITE: u8 = Instruction::SyncWrite as u8;
    const READS: [u8; 3] = [Instruction::Ping as u8, Instruction::Read as u8, Instruction::SyncRead as u8];
    match (*instruction, parameters) {
        (WRITE, [TORQUE, 0]) if *id == BROADCAST => Cargo::Stop,
        (WRITE, [TORQUE, 0]) => Cargo::Other,
        (SYNC_WRITE, [TORQUE, 1, named @ ..]) if named.chunks(2).all(|servo| matches!(servo, [_, 0])) => Cargo::Other,
        // Acceleration alone moves nothing.
        (WRITE, [ACCELERATION, _]) => Cargo::Other,
        (instruction, _) if READS.contains(&instruction) => Cargo::Other,
        _ => Cargo::Motion,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_frames_are_built_expect_the_bytes_of_the_protocol() {
        assert_eq!(Frame::ping(1).finish(), [0xFF, 0xFF, 0x01, 0x02, 0x01, 0xFB]);
        assert_eq!(Frame::read(1, 56, 2).finish(), [0xFF, 0xFF, 0x01, 0x04, 0x02, 0x38, 0x02, 0xBE]);
        let goal = [0x00, 0x00, 0x08, 0x00, 0x00, 0xE8, 0x03];
        let written = [0xFF, 0xFF, 0x01, 0x0A, 0x03, 0x29, 0x00, 0x00, 0x08, 0x00, 0x00, 0xE8, 0x03, 0xD5];
        assert_eq!(Frame::write(1, 41, &goal).finish(), written);
        let mut read = Frame::sync_read(56, 4);
        assert!(read.name(1, &[]) && read.name(2, &[]));
        assert_eq!(read.finish(), [0xFF, 0xFF, 0xFE, 0x06, 0x82, 0x38, 0x04, 0x01, 0x02, 0x3A]);
        let mut write = Frame::sync_write(42, 2);
        assert!(write.name(1, &[0x00, 0x08]) && write.name(2, &[0xFF, 0x07]));
        let expected = [0xFF, 0xFF, 0xFE, 0x0A, 0x83, 0x2A, 0x02, 0x01, 0x00, 0x08, 0x02, 0xFF, 0x07, 0x37];
        assert_eq!(write.finish(), expected);
    }

    #[test]
    fn when_a_frame_is_full_expect_no_more_servos_in_it() {
        let mut frame = Frame::sync_write(42, 2);
        let named = (0..=200).take_while(|&id| frame.name(id, &[0, 0])).count();
        assert_eq!(named, (MAX_PARAMETERS - 2) / 3);
        let bytes = frame.finish();
        assert_eq!(bytes.len(), usize::from(bytes[3]) + 4);
    }

    #[test]
    fn when_a_frame_may_move_a_servo_expect_it_told_from_stops_and_reads() {
        let sync = |first, count, values: &[u8]| {
            let mut frame = Frame::sync_write(first, count);
            (1..4).for_each(|id| assert!(frame.name(id, values)));
            cargo(frame.finish())
        };
        assert_eq!(cargo(Frame::write(BROADCAST, TORQUE, &[0]).finish()), Cargo::Stop);
        assert_eq!(cargo(Frame::write(3, TORQUE, &[0]).finish()), Cargo::Other);
        assert_eq!(sync(TORQUE, 1, &[0]), Cargo::Other);
        assert_eq!(cargo(Frame::sync_read(56, 4).finish()), Cargo::Other);
        for motion in [&[1][..], &[128], &[0, 0]] {
            assert_eq!(cargo(Frame::write(3, TORQUE, motion).finish()), Cargo::Motion, "{motion:?}");
        }
        assert_eq!(sync(TORQUE, 1, &[1]), Cargo::Motion);
        assert_eq!(sync(42, 2, &[0, 8]), Cargo::Motion);
        assert_eq!(cargo(Frame::write(3, 42, &[0, 8]).finish()), Cargo::Motion);
        assert_eq!(cargo(&[0xFF, 0xFF, 0x01, 0x02, 0x05, 0xF7]), Cargo::Motion, "ACTION carries out what was kept");
        assert_eq!(cargo(&[1, 2, 3]), Cargo::Motion, "nobody knows what this does");
    }
}
