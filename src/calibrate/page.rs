//! What the keys of a calibration mean, and what is seen of simulated servos.

use hexapod_calibration::{Key, Pace};
use hexapod_servo::SimulatedBus;
use hexapod_servo::simulated::Mounting;
use hexapod_view::PageKey;

/// What a key means.
pub(super) fn meaning(key: PageKey) -> Option<Key> {
    Some(match key {
        PageKey::Up => Key::Push(1.0, Pace::Slow),
        PageKey::Down => Key::Push(-1.0, Pace::Slow),
        PageKey::Right => Key::Push(1.0, Pace::Count),
        PageKey::Left => Key::Push(-1.0, Pace::Count),
        PageKey::PageUp => Key::Push(1.0, Pace::Fast),
        PageKey::PageDown => Key::Push(-1.0, Pace::Fast),
        PageKey::Enter => Key::Accept,
        PageKey::Backspace => Key::Back,
        PageKey::Char(' ') => Key::Hold,
        PageKey::Char('y') => Key::Yes,
        PageKey::Char('r') => Key::Wrong,
        PageKey::Char('o') => Key::Other,
        PageKey::Char('c') => Key::Cannot,
        PageKey::Char('n') => Key::Joint(1),
        PageKey::Char('p') => Key::Joint(-1),
        PageKey::Char('x') => Key::Off,
        _ => return None,
    })
}

/// What a person would see of simulated servos.
pub(super) fn seen(mounting: &Mounting, bus: &SimulatedBus) -> String {
    let words = |(joint, angle_rad, pressed_rad): (&str, f64, f64)| {
        let stands = format!("{joint} stands at {:.1} deg", angle_rad.to_degrees() + 0.0);
        if pressed_rad > 0.0 { format!("{stands}, at its stop") } else { stands }
    };
    let standing: Vec<_> = mounting.standing(bus).into_iter().map(words).collect();
    if standing.is_empty() { "simulated: no pulse".into() } else { format!("simulated: {}", standing.join("; ")) }
}
