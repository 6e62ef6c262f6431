//! Which key means what: one table for the state machine and for the help.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A direction of driving per axis, -1 to 1: forward, left, turning left.
pub(crate) type Heading = [f64; 3];

/// What a key means, whatever the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Command {
    Drive(Heading),
    Stop,
    Faster,
    Slower,
    Higher,
    Lower,
    Stand,
    Sit,
    NextGait,
    Motions,
    EmergencyStop,
    Enable(bool),
    Help,
    Quit,
}

/// Keys and what they do, as the help shows them: the most needed first.
pub(crate) const HELP: [(&str, &str); 14] = [
    ("W S ↑ ↓", "forward, back"),
    ("A D ← →", "turn left, right"),
    ("Q E", "sideways left, right"),
    ("Space", "stop"),
    ("X", "EMERGENCY STOP, also Backspace"),
    ("U", "stand up"),
    ("J", "sit down"),
    ("G", "next gait"),
    ("M", "motions: a list to play from"),
    ("+ -", "faster, slower, also PgUp PgDn"),
    ("R O", "servos on, off (which asks)"),
    ("[ ]", "body lower, higher"),
    ("7 9 1 3", "curves, as on a number pad"),
    ("Esc", "quit, also Ctrl-C; H closes this help"),
];

/// The same for the foot of the screen, where room is short.
pub(crate) const SHORT_HELP: [(&str, &str); 13] = [
    ("X", "EMERGENCY STOP"),
    ("Space", "stop"),
    ("WS↑↓", "walk"),
    ("AD←→", "turn"),
    ("QE", "sideways"),
    ("Esc", "quit"),
    ("H", "help"),
    ("U", "stand"),
    ("J", "sit"),
    ("M", "motions"),
    ("G", "gait"),
    ("+-", "speed"),
    ("R", "servos on"),
];

/// The command of a key press, if it has one. Letters count in either case.
pub(crate) fn command(key: &KeyEvent) -> Option<Command> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control || key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META) {
        let is_interrupt = control && matches!(key.code, KeyCode::Char('c' | 'C'));
        return is_interrupt.then_some(Command::Quit);
    }
    match key.code {
        KeyCode::Char(letter) => letter_command(letter.to_ascii_lowercase()),
        KeyCode::Up => Some(Command::Drive([1.0, 0.0, 0.0])),
        KeyCode::Down => Some(Command::Drive([-1.0, 0.0, 0.0])),
        KeyCode::Left => Some(Command::Drive([0.0, 0.0, 1.0])),
        KeyCode::Right => Some(Command::Drive([0.0, 0.0, -1.0])),
        KeyCode::PageUp => Some(Command::Faster),
        KeyCode::PageDown => Some(Command::Slower),
        KeyCode::Backspace => Some(Command::EmergencyStop),
        KeyCode::Esc => Some(Command::Quit),
        _ => None,
    }
}

fn letter_command(letter: char) -> Option<Command> {
    if let Some(heading) = heading(letter) {
        return Some(Command::Drive(heading));
    }
    Some(match letter {
        ' ' | '5' => Command::Stop,
        '+' | '=' => Command::Faster,
        '-' | '_' => Command::Slower,
        ']' => Command::Higher,
        '[' => Command::Lower,
        'u' => Command::Stand,
        'j' => Command::Sit,
        'g' => Command::NextGait,
        'm' => Command::Motions,
        'x' => Command::EmergencyStop,
        'r' => Command::Enable(true),
        'o' => Command::Enable(false),
        'h' | '?' => Command::Help,
        _ => return None,
    })
}

/// Backing in a curve turns as a car does, like `teleop_twist_keyboard`.
fn heading(letter: char) -> Option<Heading> {
    Some(match letter {
        'w' | '8' => [1.0, 0.0, 0.0],
        's' | '2' => [-1.0, 0.0, 0.0],
        'a' | '4' => [0.0, 0.0, 1.0],
        'd' | '6' => [0.0, 0.0, -1.0],
        'q' => [0.0, 1.0, 0.0],
        'e' => [0.0, -1.0, 0.0],
        '7' => [1.0, 0.0, 1.0],
        '9' => [1.0, 0.0, -1.0],
        '1' => [-1.0, 0.0, -1.0],
        '3' => [-1.0, 0.0, 1.0],
        _ => return None,
    })
}
