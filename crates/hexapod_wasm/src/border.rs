//! What the page calls: plain functions of numbers, and texts in one buffer that both sides know.
//!
//! The page asks for room, writes a text there, and says what it is ([`hexapod_take`]). What is answered in words lies in
//! another buffer until the next call. Nothing here takes an address: each side only ever reads and writes its own, or
//! where the other has asked it to. `binding/hexapod.js` is the other side.

#![allow(unsafe_code, reason = "a name for a page to call it by counts as unsafe; there is no unsafe block")]

use crate::description::Description;
use crate::hexapod::Hexapod;
use crate::info;
use crate::state::State;
use hexapod_config::Source;
use std::cell::RefCell;

/// Both buffers, what was given so far, and the robot.
#[derive(Default)]
struct Border {
    given: Vec<u8>,
    answer: String,
    name: String,
    description: Description,
    robot: Option<(Hexapod, State)>,
}

thread_local! {
    static BORDER: RefCell<Border> = RefCell::default();
}

/// Works on the one border there is.
fn at<R: Default>(work: impl FnOnce(&mut Border) -> R) -> R {
    let worked = BORDER.try_with(|border| border.try_borrow_mut().ok().map(|mut border| work(&mut border)));
    worked.ok().flatten().unwrap_or_default()
}

impl Border {
    /// What the page has written.
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.given).into_owned()
    }

    /// Keeps why something is refused; 1 where it is not.
    fn answer(&mut self, result: Result<(), String>) -> u32 {
        self.answer = result.err().unwrap_or_default();
        u32::from(self.answer.is_empty())
    }

    /// Asks something of the robot.
    fn ask(&mut self, command: impl FnOnce(&mut Hexapod) -> Result<(), String>) -> u32 {
        let result = match &mut self.robot {
            Some((hexapod, _)) => command(hexapod),
            None => Err("no robot is loaded".into()),
        };
        self.answer(result)
    }

    /// The same of what is never refused.
    fn tell(&mut self, command: impl FnOnce(&mut Hexapod)) -> u32 {
        self.ask(|hexapod| {
            command(hexapod);
            Ok(())
        })
    }

    /// The same with what the page has written.
    fn ask_with_text(&mut self, command: impl FnOnce(&mut Hexapod, &str) -> Result<(), String>) -> u32 {
        let text = self.text();
        self.ask(|hexapod| command(hexapod, &text))
    }

    fn take(&mut self, kind: u32) {
        let (name, given) = (self.name.clone(), std::mem::take(&mut self.given));
        let text = |given: Vec<u8>| String::from_utf8_lossy(&given).into_owned();
        match kind {
            NAME => self.name = text(given),
            URDF => self.description.urdf = Some(Source::new(name, text(given))),
            FILE => drop(self.description.files.insert(name, text(given))),
            MESH => drop(self.description.meshes.insert(name, given)),
            _ => {}
        }
    }

    fn load(&mut self) -> u32 {
        let description = std::mem::take(&mut self.description);
        match description.load() {
            Ok(hexapod) => {
                self.answer = info::text(&hexapod);
                let state = State::of(&hexapod);
                self.robot = Some((hexapod, state));
                1
            }
            Err(error) => {
                self.answer = info::problems(&error);
                0
            }
        }
    }
}

/// What a text is that the page gives: the name of what comes next, or that.
const NAME: u32 = 0;
const URDF: u32 = 1;
const FILE: u32 = 2;
const MESH: u32 = 3;

/// Room for `length` bytes from the page; where it is.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_room(length: usize) -> *const u8 {
    let room = |border: &mut Border| {
        border.given.clear();
        border.given.resize(length, 0);
        border.given.as_ptr().addr()
    };
    std::ptr::without_provenance(at(room))
}

/// Takes what the page has written: 0 a name, 1 the URDF, 2 a configuration file, 3 a mesh, of the name before.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_take(kind: u32) {
    at(|border| border.take(kind));
}

/// Loads the robot of what was given, the shipped one of nothing; 1, with [`info::text`] in answer, or 0, with
/// [`info::problems`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_load() -> u32 {
    at(Border::load)
}

/// Where the answer lies.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_answer() -> *const u8 {
    std::ptr::without_provenance(at(|border| border.answer.as_ptr().addr()))
}

/// How many bytes of UTF-8 it has.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_answer_length() -> usize {
    at(|border| border.answer.len())
}

/// Writes the robot's state down; where its numbers are, null without a robot.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_state() -> *const f64 {
    let look = |border: &mut Border| {
        let Some((hexapod, state)) = &mut border.robot else { return 0 };
        state.take(hexapod);
        state.numbers().as_ptr().addr()
    };
    std::ptr::without_provenance(at(look))
}

/// Answers with the remark: why a motion was dropped.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_remark() {
    at(|border| border.answer = border.robot.as_ref().map_or("", |(hexapod, _)| hexapod.remark()).into());
}

/// Moves on by `dt` seconds.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_step(dt: f64) {
    at(|border| border.robot.iter_mut().for_each(|(hexapod, _)| hexapod.step(dt)));
}

/// As [`Hexapod::reset`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_reset() -> u32 {
    at(|border| border.tell(Hexapod::reset))
}

/// As [`Hexapod::set_twist`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_set_twist(vx: f64, vy: f64, wz: f64) -> u32 {
    at(|border| border.ask(|hexapod| hexapod.set_twist(vx, vy, wz)))
}

/// As [`Hexapod::set_arc`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_set_arc(velocity: f64, curvature: f64) -> u32 {
    at(|border| border.ask(|hexapod| hexapod.set_arc(velocity, curvature)))
}

/// As [`Hexapod::set_body_pose`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_set_body_pose(x: f64, y: f64, z: f64, roll: f64, pitch: f64, yaw: f64) -> u32 {
    at(|border| border.ask(|hexapod| hexapod.set_body_pose([x, y, z], [roll, pitch, yaw])))
}

/// As [`Hexapod::set_gait`], by the name the page has written.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_set_gait() -> u32 {
    at(|border| border.ask_with_text(Hexapod::set_gait))
}

/// As [`Hexapod::set_step_height`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_set_step_height(height: f64) -> u32 {
    at(|border| border.ask(|hexapod| hexapod.set_step_height(height)))
}

/// As [`Hexapod::set_contact`]: 1 felt, 0 not, else nothing known.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_set_contact(leg: usize, felt: i32) -> u32 {
    let felt = (0..=1).contains(&felt).then_some(felt == 1);
    at(|border| border.tell(|hexapod| hexapod.set_contact(leg, felt)))
}

/// As [`Hexapod::play`], by the name the page has written.
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_play() -> u32 {
    at(|border| border.ask_with_text(Hexapod::play))
}

/// As [`Hexapod::finish_motion`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_finish_motion() -> u32 {
    at(|border| border.tell(Hexapod::finish_motion))
}

/// As [`Hexapod::stand`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_stand() -> u32 {
    at(|border| border.tell(Hexapod::stand))
}

/// As [`Hexapod::sit`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_sit() -> u32 {
    at(|border| border.tell(Hexapod::sit))
}

/// As [`Hexapod::pack`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_pack() -> u32 {
    at(|border| border.ask(Hexapod::pack))
}

/// As [`Hexapod::stop`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_stop() -> u32 {
    at(|border| border.tell(Hexapod::stop))
}

/// As [`Hexapod::freeze`].
#[unsafe(no_mangle)]
pub extern "C" fn hexapod_freeze() -> u32 {
    at(|border| border.tell(Hexapod::freeze))
}
