//! The list of motions, and the keys that play one of them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A list that is open, and where its cursor stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Menu {
    pub(crate) cursor: usize,
}

/// What a key does to the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It moves the cursor.
    Stay,
    /// It closes the list.
    Close,
    /// It plays this motion, the empty one to end what plays; the list closes.
    Play(String),
    /// It is none of the list's: the list closes, and the key does what it always does.
    Leave,
}

impl Menu {
    /// What a key pressed does to a list of these motions.
    pub(crate) fn key(&mut self, key: &KeyEvent, motions: &[String]) -> Choice {
        let last = motions.len().saturating_sub(1);
        self.cursor = self.cursor.min(last);
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META)
        {
            return Choice::Leave;
        }
        match key.code {
            KeyCode::Up => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Down => self.cursor = (self.cursor + 1).min(last),
            KeyCode::Enter => return play(motions, self.cursor),
            KeyCode::Char('0') => return Choice::Play(String::new()),
            KeyCode::Char(digit @ '1'..='9') => return play(motions, digit as usize - '1' as usize),
            KeyCode::Char('m' | 'M') | KeyCode::Esc => return Choice::Close,
            _ => return Choice::Leave,
        }
        Choice::Stay
    }
}

/// The motion of this number; a number that none has changes nothing.
fn play(motions: &[String], index: usize) -> Choice {
    motions.get(index).map_or(Choice::Stay, |name| Choice::Play(name.clone()))
}
