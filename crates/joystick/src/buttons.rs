//! Messages of a joystick to presses of its buttons.

use crate::action::Action;
use std::collections::BTreeMap;
use std::time::Duration;

/// A joystick that has said nothing for so long is found anew: its buttons may have been pressed for any reason meanwhile.
pub const SILENCE: Duration = Duration::from_secs(1);

/// What is known of a button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    #[default]
    Nothing,
    Up,
    Down,
}

/// The buttons of one joystick.
#[derive(Clone, Debug, Default)]
pub struct Buttons {
    known: BTreeMap<usize, Known>,
    last: Option<Duration>,
}

impl Buttons {
    /// Takes what the joystick says at `now`, on a clock that only goes forward; gives the buttons pressed since then and
    /// what they mean. An emergency stop leaves nothing else to do.
    pub fn take<'a>(
        &mut self,
        pressed: &[i32],
        meaning: &'a BTreeMap<usize, Action>,
        now: Duration,
    ) -> Vec<(usize, &'a Action)> {
        let is_found = self.last.replace(now).is_none_or(|last| now.saturating_sub(last) >= SILENCE);
        let mut actions = vec![];
        for (&button, action) in meaning {
            let before = self.known.entry(button).or_default();
            let stops = *action == Action::EmergencyStop;
            if is_found && !stops {
                *before = Known::Nothing;
            }
            let state = match pressed.get(button) {
                Some(0) => Known::Up,
                Some(_) => Known::Down,
                // Nobody lets go of an emergency stop by a message that lacks it, and nobody presses it by the next.
                None if stops => continue,
                None => Known::Nothing,
            };
            if std::mem::replace(before, state) == Known::Up && state == Known::Down {
                actions.push((button, action));
            }
        }
        if self.is_stop_held(meaning) {
            actions.retain(|(_, action)| **action == Action::EmergencyStop);
        }
        actions
    }

    /// Whether an emergency stop is pressed.
    #[must_use]
    pub fn is_stop_held(&self, meaning: &BTreeMap<usize, Action>) -> bool {
        let is_held = |button| self.known.get(button) == Some(&Known::Down);
        meaning.iter().any(|(button, action)| *action == Action::EmergencyStop && is_held(button))
    }

    /// Those that have a meaning and are not on a joystick with so many buttons.
    pub fn missing(count: usize, meaning: &BTreeMap<usize, Action>) -> impl Iterator<Item = (usize, &Action)> {
        meaning.range(count..).map(|(button, action)| (*button, action))
    }

    /// When the joystick was heard last.
    #[must_use]
    pub fn last_heard(&self) -> Duration {
        self.last.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn meaning() -> BTreeMap<usize, Action> {
        BTreeMap::from([(0, Action::Stand), (1, Action::EmergencyStop), (3, Action::Motion("wave".into()))])
    }

    /// What comes of messages, each so many milliseconds after the one before.
    fn play(messages: &[(u64, &[i32])]) -> Vec<Action> {
        let (meaning, mut buttons, mut now) = (meaning(), Buttons::default(), Duration::from_secs(100));
        let mut done = vec![];
        for (wait, pressed) in messages {
            now += Duration::from_millis(*wait);
            done.extend(buttons.take(pressed, &meaning, now).into_iter().map(|(_, action)| action.clone()));
        }
        done
    }

    #[test]
    fn when_a_button_is_pressed_expect_its_deed_once_however_long_it_is_held() {
        let up: &[i32] = &[0, 0, 0, 0];
        let stand: &[i32] = &[1, 0, 0, 0];
        let repeats = [(50, up), (50, stand), (50, stand), (900, stand), (50, up), (50, stand)];
        assert_eq!(play(&repeats), [Action::Stand, Action::Stand]);
        assert_eq!(play(&[(0, up), (50, &[1, 0, 0, 1])]), [Action::Stand, Action::Motion("wave".into())]);
        assert_eq!(play(&[(0, up), (50, &[0, 0, 1, 0, 1, 1])]), [], "buttons without a meaning");
        assert_eq!(play(&[(0, up), (50, &[-7, 0, 0, 0])]), [Action::Stand], "whatever a press is counted as");
    }

    #[test]
    fn when_a_button_is_held_as_the_joystick_is_found_expect_nothing_until_it_is_pressed_again() {
        let (up, stand): (&[i32], &[i32]) = (&[0, 0], &[1, 0]);
        assert_eq!(play(&[(0, stand), (50, stand)]), []);
        assert_eq!(play(&[(0, stand), (50, up), (50, stand)]), [Action::Stand]);
        assert_eq!(play(&[(0, up), (1000, stand), (50, stand)]), [], "lost and found");
        assert_eq!(play(&[(0, up), (999, stand)]), [Action::Stand]);
        assert_eq!(play(&[(0, up), (50, &[]), (50, stand)]), [], "its messages lacked the button");
        assert_eq!(play(&[(0, &[1, 1]), (50, &[1, 1])]), [], "an emergency stop, too");
    }

    #[test]
    fn when_an_emergency_stop_is_pressed_in_a_silence_expect_it_and_not_one_held_from_before() {
        let (up, stop): (&[i32], &[i32]) = (&[0, 0], &[0, 1]);
        assert_eq!(play(&[(0, up), (5000, stop), (50, stop)]), [Action::EmergencyStop]);
        assert_eq!(play(&[(0, up), (50, stop), (5000, stop)]), [Action::EmergencyStop]);
        assert_eq!(play(&[(0, up), (50, &[]), (50, stop), (50, &[]), (50, stop)]), [Action::EmergencyStop]);
    }

    #[test]
    fn when_an_emergency_stop_is_pressed_with_others_expect_it_alone_until_it_is_let_go() {
        let messages: [(u64, &[i32]); 5] = [(0, &[0, 0]), (50, &[1, 1]), (50, &[0, 1]), (50, &[1, 1]), (50, &[0, 0])];
        assert_eq!(play(&messages), [Action::EmergencyStop]);
        assert_eq!(play(&[(0, &[0, 0]), (50, &[1, 0]), (50, &[1, 1])]), [Action::Stand, Action::EmergencyStop]);
    }

    #[test]
    fn when_a_joystick_lacks_buttons_expect_those_that_have_a_meaning() {
        let meaning = meaning();
        let missing = |count| Buttons::missing(count, &meaning).map(|(button, _)| button).collect::<Vec<_>>();
        assert_eq!((missing(0), missing(2), missing(4)), (vec![0, 1, 3], vec![3], vec![]));
    }

    proptest! {
        #[test]
        fn when_messages_are_nonsense_expect_the_next_press_of_the_emergency_stop_to_act(
            messages in prop::collection::vec((0..3000u64, prop::collection::vec(any::<i32>(), 0..6)), 0..40),
        ) {
            let (meaning, mut buttons, mut now) = (meaning(), Buttons::default(), Duration::ZERO);
            for (wait, pressed) in messages {
                now += Duration::from_millis(wait);
                buttons.take(&pressed, &meaning, now);
            }
            prop_assert!(buttons.known.len() <= meaning.len());
            prop_assert!(buttons.take(&[0, 0], &meaning, now).is_empty());
            prop_assert_eq!(buttons.take(&[0, 1], &meaning, now), [(1, &Action::EmergencyStop)]);
        }
    }
}
