use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use crate::keys::{Command, Heading, command};
use crate::menu::{Choice, Menu};
use crate::{Action, Snapshot};

/// How long a first press counts as held. Auto-repeat sets in after 0.25 s to 0.66 s on usual desktops; shorter than
/// that and the robot would hesitate once.
pub const FIRST_HOLD: Duration = Duration::from_millis(700);
/// How long a repeated press counts as held: repeats come every 30 ms to 100 ms, and may be late over a network.
pub const REPEAT_HOLD: Duration = Duration::from_millis(200);
/// How long a key counts as held with a terminal that reports releases, while no key is heard at all: long enough to
/// steer with a second key, short enough when the release is lost with the connection.
pub const SILENT_HOLD: Duration = Duration::from_secs(2);
/// Presses of one key closer than this are auto-repeat: it shortens a hold, and does not repeat a command such as the
/// next gait.
const REPEAT_GAP: Duration = Duration::from_millis(150);
/// One press of a height key, metres.
const HEIGHT_STEP_M: f64 = 0.005;
const PERCENT_STEP: u32 = 10;

/// A drive key that counts as pressed until a time.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    code: KeyCode,
    heading: Heading,
    until: Duration,
}

/// Keys and time in, twist and actions out; like `teleop_twist_keyboard`, but it stops when the key is let go.
///
/// A plain terminal tells presses and auto-repeat, never releases, so a key counts as held for [`FIRST_HOLD`] after
/// its first press and [`REPEAT_HOLD`] after each repeat. With a terminal that tells releases a key is held until it
/// is let go, and never longer than [`SILENT_HOLD`] without any sign from the keyboard.
///
/// While keys are held every [`tick`](Self::tick) drives; after them one zero twist follows and then silence, so that
/// another publisher may drive. Times are on any clock that only goes forward.
#[derive(Clone, Debug)]
pub struct Teleop {
    held: Vec<Held>,
    last_press: Option<(KeyCode, Duration)>,
    tells_releases: bool,
    driving: bool,
    percent: u32,
    help: bool,
    menu: Option<Menu>,
    /// Whether the servos are to be switched off once the person has said so twice.
    asks_off: bool,
    /// Whether the robot sits, as far as it is heard.
    sits: bool,
    top_speed: [f64; 3],
    gait: String,
    gaits: Vec<String>,
    motions: Vec<String>,
}

impl Default for Teleop {
    fn default() -> Self {
        Self::new(Snapshot::default().top_speed)
    }
}

impl Teleop {
    /// Keys that drive at half of `top_speed` (m/s, m/s, rad/s) until changed.
    pub fn new(top_speed: [f64; 3]) -> Self {
        Self {
            held: Vec::new(),
            last_press: None,
            tells_releases: false,
            driving: false,
            percent: 50,
            help: false,
            menu: None,
            asks_off: false,
            sits: false,
            top_speed,
            gait: String::new(),
            gaits: Vec::new(),
            motions: Vec::new(),
        }
    }

    /// Takes what it needs of the snapshot: top speeds, and the gaits and motions to choose from. Keys held while the
    /// robot is not heard drive it only when they are pressed again.
    pub fn observe(&mut self, snapshot: &Snapshot) {
        self.top_speed = snapshot.top_speed;
        self.sits = snapshot.is_live() && snapshot.gait_state == "sitting";
        self.gait.clone_from(&snapshot.gait);
        self.gaits.clone_from(&snapshot.gaits);
        self.motions.clone_from(&snapshot.motions);
        if snapshot.silence.is_some() {
            self.release_all();
        }
    }

    /// Takes a key event; returns what it asks for at once. Driving comes out of [`tick`](Self::tick).
    pub fn key(&mut self, event: &KeyEvent, now: Duration) -> Option<Action> {
        if event.kind == KeyEventKind::Release {
            self.tells_releases = true;
            self.held.retain(|held| held.code != fold(event.code));
            return None;
        }
        let is_repeat = self.is_repeat(event, now);
        if let Some(chosen) = self.choose(event, is_repeat) {
            return chosen;
        }
        // Any other key than the one that says so means no, and does what it always does.
        if !is_repeat && std::mem::take(&mut self.asks_off) && fold(event.code) == KeyCode::Char('y') {
            self.release_all();
            return Some(Action::Enable(false));
        }
        match command(event)? {
            Command::Drive(heading) => {
                self.hold(fold(event.code), heading, now, is_repeat);
                None
            }
            command @ (Command::Faster | Command::Slower | Command::Higher | Command::Lower) => self.step(command),
            _ if is_repeat => None,
            command => self.once(command),
        }
    }

    /// What the held keys ask for now: a twist while any is held, one zero twist after them, then nothing.
    pub fn tick(&mut self, now: Duration) -> Option<Action> {
        self.held.retain(|held| held.until > now);
        let was_driving = std::mem::replace(&mut self.driving, !self.held.is_empty());
        (self.driving || was_driving).then(|| Action::drive(self.twist(now)))
    }

    /// The twist the held keys ask for: m/s forward, m/s to the left, rad/s to the left.
    pub fn twist(&self, now: Duration) -> [f64; 3] {
        let held = self.held.iter().filter(|held| held.until > now);
        let sum = held.fold([0.0; 3], |sum: Heading, held| [0, 1, 2].map(|axis| sum[axis] + held.heading[axis]));
        let scale = f64::from(self.percent) / 100.0;
        [0, 1, 2].map(|axis| sum[axis].clamp(-1.0, 1.0) * scale * finite_or_zero(self.top_speed[axis]))
    }

    /// Lets go of all keys, as when the terminal loses the focus.
    pub fn release_all(&mut self) {
        self.held.clear();
    }

    /// Speed of the keys in percent of the top speed.
    pub fn percent(&self) -> u32 {
        self.percent
    }

    /// Whether the page of keys is asked for.
    pub fn shows_help(&self) -> bool {
        self.help
    }

    /// The list of motions, if it is open.
    pub(crate) fn menu(&self) -> Option<Menu> {
        self.menu
    }

    /// Whether the person is asked to say once more that the servos are to be switched off.
    pub(crate) fn asks_off(&self) -> bool {
        self.asks_off
    }

    /// Whether the terminal has shown that it tells releases.
    pub fn tells_releases(&self) -> bool {
        self.tells_releases
    }

    /// What a key does while the list of motions is open; `None` if it does what it always does.
    fn choose(&mut self, event: &KeyEvent, is_repeat: bool) -> Option<Option<Action>> {
        let choice = self.menu.as_mut()?.key(event, &self.motions);
        if choice == Choice::Stay || (is_repeat && choice != Choice::Leave) {
            // A key that is held on from before the list was opened chooses nothing.
            return Some(None);
        }
        self.menu = None;
        match choice {
            Choice::Play(motion) => Some(Some(Action::Motion(motion))),
            Choice::Leave => None,
            Choice::Stay | Choice::Close => Some(None),
        }
    }

    fn is_repeat(&mut self, event: &KeyEvent, now: Duration) -> bool {
        let last = self.last_press.replace((event.code, now));
        let is_soon = last.is_some_and(|(code, time)| code == event.code && now.saturating_sub(time) < REPEAT_GAP);
        event.kind == KeyEventKind::Repeat || (is_soon && !self.tells_releases)
    }

    fn hold(&mut self, code: KeyCode, heading: Heading, now: Duration, is_repeat: bool) {
        let hold = match is_repeat {
            _ if self.tells_releases => SILENT_HOLD,
            true => REPEAT_HOLD,
            false => FIRST_HOLD,
        };
        let until = now + hold;
        if self.tells_releases {
            self.held.iter_mut().for_each(|held| held.until = until);
        }
        self.held.retain(|held| held.code != code);
        self.held.push(Held { code, heading, until });
    }

    fn step(&mut self, command: Command) -> Option<Action> {
        match command {
            Command::Faster => self.percent = (self.percent + PERCENT_STEP).min(100),
            Command::Slower => self.percent = self.percent.saturating_sub(PERCENT_STEP).max(PERCENT_STEP),
            Command::Higher => return Some(Action::BodyHeight(HEIGHT_STEP_M)),
            Command::Lower => return Some(Action::BodyHeight(-HEIGHT_STEP_M)),
            _ => {}
        }
        None
    }

    fn once(&mut self, command: Command) -> Option<Action> {
        let action = match command {
            Command::Help => {
                self.help = !self.help;
                return None;
            }
            Command::Motions => {
                self.menu = Some(Menu::default());
                self.release_all();
                return None;
            }
            Command::NextGait => return self.next_gait().map(Action::Gait),
            Command::Stop => Action::Stop,
            Command::Stand => Action::Stand,
            Command::Sit => Action::Sit,
            Command::EmergencyStop => Action::EmergencyStop,
            // A robot that stands falls; so does one of which nobody knows what it does.
            Command::Enable(false) if !self.sits => {
                self.asks_off = true;
                self.release_all();
                return None;
            }
            Command::Enable(on) => Action::Enable(on),
            Command::Quit => Action::Quit,
            _ => return None,
        };
        self.release_all();
        Some(action)
    }

    /// The gait after the one in use; it is remembered, so that two quick presses move on by two.
    fn next_gait(&mut self) -> Option<String> {
        let next = self.gaits.iter().position(|gait| *gait == self.gait).map_or(0, |index| index + 1);
        let gait = self.gaits.get(next).or(self.gaits.first())?.clone();
        self.gait.clone_from(&gait);
        Some(gait)
    }
}

/// A letter pressed without and released with shift is one key.
fn fold(code: KeyCode) -> KeyCode {
    match code {
        KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
        other => other,
    }
}

fn finite_or_zero(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}
