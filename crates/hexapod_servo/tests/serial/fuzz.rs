//! Frames of all protocols through garbage, and garbage alone. `FUZZ_INPUTS` says how many inputs (a million by default).

use hexapod_servo::serial::{Block, Frame, Parser, Protocol, Reply, checksum, crc16};

pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Bytes that frames are made of more often than others.
    pub(super) fn byte(&mut self) -> u8 {
        match self.below(8) {
            0..3 => 0xFF,
            3 => [0xFD, 0x55][self.below(2) as usize],
            4 => [0, 1, 3, 4, 6, 0x55][self.below(6) as usize],
            _ => self.below(256) as u8,
        }
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.byte()).collect()
    }
}

/// A reply as a servo sends it, built otherwise than the driver builds requests.
fn reply(protocol: Protocol, id: u8, error: u8, values: &[u8]) -> Vec<u8> {
    match protocol {
        Protocol::One => {
            let mut bytes = vec![0xFF, 0xFF, id, values.len() as u8 + 2, error];
            bytes.extend(values);
            bytes.push(checksum(&bytes[2..]));
            bytes
        }
        Protocol::Lx => {
            let mut bytes = vec![0x55, 0x55, id, values.len() as u8 + 3, error];
            bytes.extend(values);
            bytes.push(checksum(&bytes[2..]));
            bytes
        }
        Protocol::Two => {
            let mut body = vec![0x55, error];
            for byte in values {
                body.push(*byte);
                if body.ends_with(&[0xFF, 0xFF, 0xFD]) {
                    body.push(0xFD);
                }
            }
            let mut bytes = vec![0xFF, 0xFF, 0xFD, 0, id];
            bytes.extend((body.len() as u16 + 2).to_le_bytes());
            bytes.extend(body);
            bytes.extend(crc16(&bytes).to_le_bytes());
            bytes
        }
    }
}

fn feed(parser: &mut Parser, stream: &[u8], draw: &mut Draw, mut found: impl FnMut(&[u8])) {
    let mut rest = stream;
    while !rest.is_empty() {
        let room = parser.room();
        assert!(!room.is_empty());
        let count = room.len().min(rest.len()).min(1 + draw.below(60) as usize);
        room[..count].copy_from_slice(&rest[..count]);
        parser.take(count);
        rest = &rest[count..];
        while let Some(frame) = parser.next_frame() {
            found(frame);
        }
    }
}

#[test]
fn when_a_million_streams_come_expect_every_reply_behind_garbage_and_only_frames_that_hold() {
    let inputs = std::env::var("FUZZ_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000_000_u64);
    let (mut draw, mut hidden) = (Draw::new(11), 0);
    for input in 0..inputs {
        let protocol = [Protocol::One, Protocol::Two, Protocol::Lx][input as usize % 3];
        let (id, error) = (draw.below(253) as u8, draw.below(256) as u8);
        let values = draw.bytes(if protocol == Protocol::Lx { 13 } else { 40 });
        let wanted = reply(protocol, id, error, &values);
        let mut stream = draw.bytes(20);
        // Part of a frame, a frame with one byte changed, then the reply.
        stream.extend(&wanted[..draw.below(wanted.len() as u64) as usize]);
        let mut garbled = wanted.clone();
        let place = draw.below(garbled.len() as u64) as usize;
        garbled[place] ^= 1 << draw.below(8);
        stream.extend(garbled);
        stream.extend(&wanted);
        let mut parser = Parser::new(protocol);
        let (mut heard, mut others) = (false, 0);
        let mut hear = |frame: &[u8]| {
            others += 1;
            if let Some(reply) = Reply::of(protocol, frame) {
                // LX servos report no error: the command stands in its place.
                let error = if protocol == Protocol::Lx { 0 } else { error };
                heard |= (reply.id, reply.error, reply.values) == (id, error, &values[..]);
            }
        };
        feed(&mut parser, &stream, &mut draw, &mut hear);
        // What looks like a longer frame is given up, as a request does when its time is over.
        while parser.give_up() {
            while let Some(frame) = parser.next_frame() {
                hear(frame);
            }
        }
        // A checksum of one byte holds for garbage, too, now and then; it may then take a reply along.
        assert!(heard || others > 0, "input {input}: {stream:02x?} hides {wanted:02x?}");
        hidden += u64::from(!heard);
    }
    println!("{hidden} replies of {inputs} hidden by garbage that holds");
    assert!(hidden < inputs / 50);
}

#[test]
fn when_any_values_are_written_expect_the_frame_to_be_found_again_and_nothing_of_it_lost() {
    let mut draw = Draw::new(5);
    for input in 0..100_000 {
        let protocol = if input % 2 == 0 { Protocol::One } else { Protocol::Two };
        let mut frame = Frame::sync_write(protocol, Block::new(draw.below(200) as u16, 7));
        let servos: Vec<(u8, Vec<u8>)> =
            (0..1 + draw.below(20)).map(|_| (draw.byte(), (0..7).map(|_| draw.byte()).collect())).collect();
        servos.iter().for_each(|(id, values)| assert!(frame.name(*id, values)));
        let mut parser = Parser::new(protocol);
        let mut found = vec![];
        feed(&mut parser, frame.finish(), &mut draw, |frame| found.push(frame.to_vec()));
        let sent: Vec<u8> = servos.iter().flat_map(|(id, values)| [&[*id][..], values].concat()).collect();
        let [frame] = &found[..] else { panic!("{} frames", found.len()) };
        let check = if protocol == Protocol::One { 1 } else { 2 };
        assert!(frame[..frame.len() - check].ends_with(&sent), "input {input}");
    }
}
