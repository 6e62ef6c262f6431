//! Bytes between zeros: consistent overhead byte stuffing (Cheshire and Baker, 1999), and the checksum of enjoykin's packets.

/// The longest run of bytes that one count stands for.
const RUN: usize = 254;

/// Writes bytes so that none is zero; returns how many that makes, or 0 where they have no room.
pub(super) fn encode(plain: &[u8], into: &mut [u8]) -> usize {
    let (mut length, mut parts) = (0, plain.split(|byte| *byte == 0).peekable());
    while let Some(mut rest) = parts.next() {
        loop {
            let run = &rest[..rest.len().min(RUN)];
            let Some(room) = into.get_mut(length..length + run.len() + 1) else { return 0 };
            room[0] = run.len() as u8 + 1;
            room[1..].copy_from_slice(run);
            (length, rest) = (length + run.len() + 1, &rest[run.len()..]);
            // A full run says nothing of a zero behind it.
            if run.len() < RUN || (rest.is_empty() && parts.peek().is_none()) {
                break;
            }
        }
    }
    length
}

/// The bytes that were written so, and how many; `None` where no such bytes can have been, or there is no room.
pub(super) fn decode(stuffed: &[u8], into: &mut [u8]) -> Option<usize> {
    let (mut rest, mut length, mut is_first, mut was_full) = (stuffed, 0, true, false);
    while let Some((count, behind)) = rest.split_first() {
        if !is_first && !was_full {
            *into.get_mut(length)? = 0;
            length += 1;
        }
        let (run, behind) = behind.split_at_checked(usize::from(*count).checked_sub(1)?)?;
        if run.contains(&0) {
            return None;
        }
        into.get_mut(length..length + run.len())?.copy_from_slice(run);
        (rest, length, is_first, was_full) = (behind, length + run.len(), false, run.len() == RUN);
    }
    (!is_first).then_some(length)
}

/// CRC-16/CCITT-FALSE.
pub(super) fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| crc << 1 ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn encoded(plain: &[u8]) -> Vec<u8> {
        let mut wire = [0; 600];
        let length = encode(plain, &mut wire);
        wire[..length].to_vec()
    }

    fn decoded(wire: &[u8]) -> Option<Vec<u8>> {
        let mut plain = [0; 600];
        decode(wire, &mut plain).map(|length| plain[..length].to_vec())
    }

    #[test]
    fn when_known_bytes_are_encoded_expect_the_bytes_of_the_paper_and_the_check_of_the_checksum() {
        assert_eq!(encoded(&[0]), [1, 1]);
        assert_eq!(encoded(&[0x11, 0x22, 0, 0x33]), [3, 0x11, 0x22, 2, 0x33]);
        assert_eq!(encoded(&[0x11, 0, 0, 0]), [2, 0x11, 1, 1, 1]);
        assert_eq!(crc16(b"123456789"), 0x29B1);
        assert_eq!([decoded(&[]), decoded(&[3, 1]), decoded(&[2, 0]), decoded(&[0])], [(); 4].map(|()| None));
        assert_eq!(encode(&[1, 2, 3], &mut [0; 3]), 0, "no room");
        assert_eq!(decode(&[4, 1, 2, 3], &mut [0; 2]), None, "no room");
    }

    proptest! {
        #[test]
        fn when_any_bytes_are_encoded_expect_no_zero_and_the_bytes_back(
            plain in prop_oneof![vec(any::<u8>(), 0..520), vec(0_u8..2, 0..520), vec(1_u8..3, 240..520)],
        ) {
            let wire = encoded(&plain);
            prop_assert!(!wire.contains(&0) && wire.len() <= plain.len() + plain.len() / RUN + 1);
            prop_assert_eq!(decoded(&wire), Some(plain));
        }

        #[test]
        fn when_garbage_is_decoded_expect_no_panic_and_no_more_bytes_than_came(wire in vec(any::<u8>(), 0..300)) {
            let plain = decoded(&wire);
            prop_assert!(plain.is_none_or(|plain| plain.len() < wire.len()));
        }
    }
}
