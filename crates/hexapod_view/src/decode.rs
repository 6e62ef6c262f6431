//! Bytes of a terminal to keys.
//!
//! crossterm's own reader is not used: it loses a key that comes together with a resize until the next key is pressed,
//! it never returns once the terminal hangs up, and it takes an arrow key cut in two by the network for Escape and `[`.
//! None of these may happen to an emergency stop.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

const ESCAPE: u8 = 0x1b;
/// A sequence longer than this is noise.
const LONGEST: usize = 64;

/// What a terminal says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Input {
    Key(KeyEvent),
    FocusLost,
    PasteStart,
    PasteEnd,
    /// Understood to be of no interest.
    Nothing,
}

/// Puts together what comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
    in_paste: bool,
}

impl Decoder {
    /// Takes bytes, gives the keys they complete. Pasted text is no keys: it is dropped.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.pending.extend_from_slice(bytes);
        let mut inputs = Vec::new();
        let mut used = 0;
        while let Some((length, input)) = self.pending.get(used..).and_then(next) {
            used += length;
            match input {
                Input::PasteStart => self.in_paste = true,
                Input::PasteEnd => self.in_paste = false,
                Input::Nothing => {}
                _ if self.in_paste => {}
                input => inputs.push(input),
            }
        }
        self.pending.drain(..used);
        inputs
    }

    /// Whether more bytes are expected soon.
    pub(crate) fn is_waiting(&self) -> bool {
        self.in_paste || !self.pending.is_empty()
    }

    /// No more bytes came: a lone escape byte was the Escape key, and an unfinished sequence or paste is given up.
    pub(crate) fn give_up(&mut self) -> Vec<Input> {
        self.in_paste = false;
        let pending = std::mem::take(&mut self.pending);
        if pending == [ESCAPE] { vec![press(KeyCode::Esc)] } else { Vec::new() }
    }
}

fn press(code: KeyCode) -> Input {
    Input::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

/// The first input of `bytes` and its length; `None` when more bytes are needed.
fn next(bytes: &[u8]) -> Option<(usize, Input)> {
    match bytes {
        [] => None,
        [ESCAPE, b'[', rest @ ..] => control_sequence(rest).map(|(length, input)| (length + 2, input)),
        [ESCAPE, b'O', letter, ..] => Some((3, arrow(*letter).map_or(Input::Nothing, press))),
        [ESCAPE] | [ESCAPE, b'O'] => None,
        [ESCAPE, ESCAPE, ..] => Some((1, press(KeyCode::Esc))),
        // The Alt key with another: no command.
        [ESCAPE, _, ..] => Some((2, Input::Nothing)),
        [byte @ (0..=0x1f | 0x7f), ..] => Some((1, control_key(*byte))),
        _ => letter(bytes),
    }
}

fn control_key(byte: u8) -> Input {
    match byte {
        0x03 => Input::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)),
        0x08 | 0x7f => press(KeyCode::Backspace),
        b'\r' | b'\n' => press(KeyCode::Enter),
        _ => Input::Nothing,
    }
}

/// One letter in UTF-8; a byte that begins none is skipped.
fn letter(bytes: &[u8]) -> Option<(usize, Input)> {
    let length = match bytes.first()? {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((1, Input::Nothing)),
    };
    let Some(text) = bytes.get(..length) else {
        let is_broken = bytes.iter().skip(1).any(|byte| byte & 0xc0 != 0x80);
        return is_broken.then_some((1, Input::Nothing));
    };
    let letter = std::str::from_utf8(text).ok().and_then(|text| text.chars().next());
    Some(letter.map_or((1, Input::Nothing), |letter| (length, press(KeyCode::Char(letter)))))
}

/// What follows `ESC [`: parameter bytes up to a final byte.
fn control_sequence(bytes: &[u8]) -> Option<(usize, Input)> {
    // The Linux console calls its function keys `ESC [ [ A`.
    if let [b'[', rest @ ..] = bytes {
        return rest.first().map(|_| (2, Input::Nothing));
    }
    let Some(end) = bytes.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return (bytes.len() > LONGEST).then_some((bytes.len(), Input::Nothing));
    };
    let (parameters, last) = (bytes.get(..end)?, *bytes.get(end)?);
    if !(0x40..=0x7e).contains(&last) {
        // Broken off; what broke it is read anew.
        return Some((end, Input::Nothing));
    }
    let input = std::str::from_utf8(parameters).ok().and_then(|text| named(text, last));
    Some((end + 1, input.unwrap_or(Input::Nothing)))
}

fn named(parameters: &str, last: u8) -> Option<Input> {
    let fields: Vec<Vec<u32>> = parameters.split(';').map(numbers).collect();
    let field = |index: usize, part: usize| fields.get(index).and_then(|parts| parts.get(part)).copied().unwrap_or(0);
    let code = match last {
        b'O' if parameters.is_empty() => return Some(Input::FocusLost),
        b'~' => match field(0, 0) {
            5 => KeyCode::PageUp,
            6 => KeyCode::PageDown,
            200 => return Some(Input::PasteStart),
            201 => return Some(Input::PasteEnd),
            _ => return None,
        },
        b'u' => unicode_key([field(0, 0), field(0, 1), field(0, 2)])?,
        letter => arrow(letter)?,
    };
    let kind = match field(1, 1) {
        2 => KeyEventKind::Repeat,
        3 => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    Some(Input::Key(KeyEvent::new_with_kind(code, modifiers(field(1, 0)), kind)))
}

fn numbers(field: &str) -> Vec<u32> {
    field.split(':').map(|number| number.parse().unwrap_or(0)).collect()
}

fn arrow(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        _ => return None,
    })
}

/// A key of the keyboard protocol (sw.kovidgoyal.net/kitty/keyboard-protocol): its code, its code with shift, and the
/// code in the same place of a US keyboard, which counts when the letter is not Latin.
fn unicode_key([code, shifted, base]: [u32; 3]) -> Option<KeyCode> {
    Some(match code {
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        57399..=57408 => KeyCode::Char(char::from_digit(code - 57399, 10)?),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        // A letter stays the same key with shift; '+' may only be reached with it.
        _ if code > 127 && (32..127).contains(&base) => KeyCode::Char(char::from_u32(base)?),
        97..=122 => KeyCode::Char(char::from_u32(code)?),
        32..=126 if shifted == u32::from('+') || shifted == u32::from('?') => KeyCode::Char(char::from_u32(shifted)?),
        32..=126 => KeyCode::Char(char::from_u32(code)?),
        _ => return None,
    })
}

/// The protocol counts modifiers from one.
fn modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let flags = [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ];
    flags.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, flag)| flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes(inputs: &[Input]) -> Vec<(KeyCode, KeyEventKind)> {
        let key = |input: &Input| match input {
            Input::Key(key) => Some((key.code, key.kind)),
            _ => None,
        };
        inputs.iter().filter_map(key).collect()
    }

    fn check(bytes: &[u8], code: KeyCode, kind: KeyEventKind) {
        assert_eq!(codes(&Decoder::default().feed(bytes)), [(code, kind)], "{bytes:?}");
    }

    #[test]
    fn when_a_key_comes_in_any_dialect_expect_that_key() {
        use KeyEventKind::{Press, Release, Repeat};
        check(b"w", KeyCode::Char('w'), Press);
        check(b"\x7f", KeyCode::Backspace, Press);
        check(b"\x1b[A", KeyCode::Up, Press);
        check(b"\x1bOD", KeyCode::Left, Press);
        check(b"\x1b[1;1:3A", KeyCode::Up, Release);
        check(b"\x1b[5~", KeyCode::PageUp, Press);
        check(b"\x1b[27u", KeyCode::Esc, Press);
        check(b"\x1b[119;1:2u", KeyCode::Char('w'), Repeat);
        check(b"\x1b[119:87;2u", KeyCode::Char('w'), Press);
        check(b"\x1b[61:43;2u", KeyCode::Char('+'), Press);
        check(b"\x1b[1094::119;129:3u", KeyCode::Char('w'), Release);
        check(b"\x1b[57406;129u", KeyCode::Char('7'), Press);
        check("ц".as_bytes(), KeyCode::Char('ц'), Press);
    }

    #[test]
    fn when_control_c_comes_in_either_dialect_expect_control() {
        for bytes in [b"\x03".as_slice(), b"\x1b[99;5u"] {
            let inputs = Decoder::default().feed(bytes);
            assert_eq!(inputs, [Input::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL))]);
        }
    }

    #[test]
    fn when_a_sequence_is_cut_anywhere_expect_one_key() {
        let whole = b"\x1b[119;1:3u";
        for cut in 1..whole.len() {
            let mut decoder = Decoder::default();
            assert!(decoder.feed(&whole[..cut]).is_empty());
            assert!(decoder.is_waiting());
            assert_eq!(codes(&decoder.feed(&whole[cut..])), [(KeyCode::Char('w'), KeyEventKind::Release)]);
            assert!(!decoder.is_waiting());
        }
    }

    #[test]
    fn when_escape_stays_alone_expect_the_escape_key() {
        let mut decoder = Decoder::default();
        assert!(decoder.feed(b"\x1b").is_empty());
        assert_eq!(codes(&decoder.give_up()), [(KeyCode::Esc, KeyEventKind::Press)]);
        assert!(decoder.feed(b"\x1b[1;").is_empty());
        assert!(decoder.give_up().is_empty());
        assert_eq!(codes(&decoder.feed(b"x")).len(), 1);
    }

    #[test]
    fn when_text_is_pasted_expect_no_keys() {
        let mut decoder = Decoder::default();
        assert!(decoder.feed(b"\x1b[200~ros2 topic\x1b[A").is_empty());
        assert_eq!(codes(&decoder.feed(b" hz\x1b[201~x")), [(KeyCode::Char('x'), KeyEventKind::Press)]);
        assert!(decoder.feed(b"\x1b[200~lost end").is_empty());
        assert!(decoder.is_waiting());
        assert!(decoder.give_up().is_empty());
        assert_eq!(codes(&decoder.feed(b"x")).len(), 1);
    }

    #[test]
    fn when_the_focus_goes_or_answers_come_expect_no_keys() {
        assert_eq!(Decoder::default().feed(b"\x1b[O\x1b[I"), [Input::FocusLost]);
        assert!(Decoder::default().feed(b"\x1b[?62;22c\x1b[?0u\x1b[[A\x1bx\x01").is_empty());
    }

    proptest! {
        #[test]
        fn when_bytes_are_noise_expect_an_emergency_stop_to_be_heard_after_it(
            noise in prop::collection::vec(any::<u8>(), 0..200)
        ) {
            let mut decoder = Decoder::default();
            decoder.feed(&noise);
            prop_assert!(decoder.pending.len() <= noise.len());
            decoder.give_up();
            prop_assert_eq!(codes(&decoder.feed(b"x")), [(KeyCode::Char('x'), KeyEventKind::Press)]);
        }

        #[test]
        fn when_bytes_come_in_other_pieces_expect_the_same_keys(
            bytes in prop::collection::vec(prop::sample::select(b"\x1b[O;:~1u2Aw\xc3\xa4".to_vec()), 0..60),
            cut in 0..60usize,
        ) {
            let (mut whole, mut pieces) = (Decoder::default(), Decoder::default());
            let cut = cut.min(bytes.len());
            let expect = whole.feed(&bytes);
            let mut inputs = pieces.feed(&bytes[..cut]);
            inputs.extend(pieces.feed(&bytes[cut..]));
            prop_assert_eq!(inputs, expect);
        }
    }
}
