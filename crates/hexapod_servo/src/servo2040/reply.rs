//! Replies of the board.

use super::dialect::Dialect;
use super::frame::{GET, VALUES, whole};

/// Values of one reply; as many as were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    values: [u16; VALUES],
    count: usize,
}

impl Values {
    /// The values.
    pub fn all(&self) -> &[u16] {
        &self.values[..self.count]
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<u16> {
        self.all().get(index).copied()
    }
}

/// Bytes of a reply.
pub(super) fn length(dialect: Dialect, first: u8, count: u8) -> usize {
    3 + 2 * dialect.answered(first, count) + usize::from(dialect.has_checksum())
}

/// The values of the first whole reply of a firmware to what was asked, wherever it stands; none if it is not there yet.
pub(super) fn find(bytes: &[u8], dialect: Dialect, first: u8, count: u8) -> Option<Values> {
    let length = length(dialect, first, count);
    bytes.windows(length).find_map(|reply| {
        let (body, checksum) = reply.split_at(length - usize::from(dialect.has_checksum()));
        let (head, halves) = body.split_at(3);
        let is_whole = match checksum {
            [] => true,
            [checksum, ..] => body.iter().fold(0, |sum, byte| sum ^ byte) | 0x80 == *checksum,
        };
        let is_ours = head == [GET, first, count] && is_whole && halves.iter().all(|half| half & 0x80 == 0);
        is_ours.then(|| {
            let mut values = Values { count: (halves.len() / 2).min(VALUES), ..Values::default() };
            values.values.iter_mut().zip(halves.chunks_exact(2)).for_each(|(value, half)| *value = whole(half));
            values
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLLI: [u8; 8] = [0xC7, 0x18, 0x02, 0x16, 0x01, 0x3E, 0x06, 0xF2];

    #[test]
    fn when_a_reply_stands_in_garbage_expect_its_values_and_none_of_part_of_one() {
        let bytes = [&[0x00, 0xC7, 0x18][..], &OLLI, &[0x12]].concat();
        let found = find(&bytes, Dialect::Olli, 24, 2);
        assert_eq!(found.map(|values| values.all().to_vec()), Some(vec![150, 830]));
        assert_eq!(find(&OLLI[..7], Dialect::Olli, 24, 2), None);
        assert_eq!(find(&OLLI, Dialect::Olli, 24, 3), None, "an answer to another request");
        let mut garbled = OLLI;
        garbled[4] ^= 0x02;
        assert_eq!(find(&garbled, Dialect::Olli, 24, 2), None);
        assert!(find(&OLLI[..7], Dialect::Chica, 24, 2).is_some());
    }
}
