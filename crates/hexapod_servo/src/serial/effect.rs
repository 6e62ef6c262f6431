//! What a frame does to servos.

use super::frame::{BROADCAST, Instruction, Request};
use super::series::Series;
use crate::backend::Effect;

impl Series {
    /// What a frame on the wire does to servos, by its bytes. Whatever writes a register counts as motion, unless all it does
    /// is to take torque away; so do instructions that this project does not send.
    pub fn effect(&self, frame: &[u8]) -> Effect {
        const WRITE: u8 = Instruction::Write as u8;
        const SYNC_WRITE: u8 = Instruction::SyncWrite as u8;
        const READS: [u8; 3] = [Instruction::Ping as u8, Instruction::Read as u8, Instruction::SyncRead as u8];
        let Some(request) = Request::of(self.protocol, frame) else { return Effect::Motion };
        match (request.instruction, request.address(), request.after_address()) {
            (WRITE, Some(address), [0]) if address == self.torque => match request.id {
                BROADCAST => Effect::Stop,
                _ => Effect::Other,
            },
            (SYNC_WRITE, Some(address), values) if address == self.torque => match request.named(values) {
                Some((1, named)) if named.chunks(2).all(|servo| matches!(servo, [_, 0])) => Effect::Other,
                _ => Effect::Motion,
            },
            (instruction, ..) if READS.contains(&instruction) => Effect::Other,
            _ => Effect::Motion,
        }
    }
}
