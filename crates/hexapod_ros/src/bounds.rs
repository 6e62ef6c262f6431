//! How much of a message may stay in the process: everything a message could make grow has its bound here.
//!
//! What a message itself takes while it is received cannot be helped, and is given back (`memory.rs`); what is kept of it,
//! logged, reported in `/diagnostics` or answered can.

pub use hexapod_config::MAX_NAME;
use std::borrow::Cow;
use std::time::Duration;

/// Longest excerpt of a text from outside, characters.
pub const MAX_EXCERPT: usize = 80;
/// Longest reason of a refusal, and longest value in a status, characters.
pub const MAX_REASON: usize = 600;
/// Most joints that a message names.
pub const MAX_JOINTS: usize = 64;
/// Most sources of motion (`cmd_vel`, `velocity`) that are distinguished; of more, those heard last.
pub const MAX_SOURCES: usize = 64;
/// Most sources of motion that a status names as ignored.
pub const MAX_NAMED_SOURCES: usize = 4;
/// Most senders of a curvature that are distinguished; of more, those heard last.
pub const MAX_CURVATURES: usize = 16;
/// Most senders of `servo_states` that are distinguished.
pub const MAX_SERVO_DRIVERS: usize = 8;
/// Longest list of names in one text, as in the label of `foot_contacts`, bytes.
pub const MAX_LABEL: usize = 1024;
/// Most names in a list of what can be asked for, as on `gaits` and `motions`.
pub const MAX_OFFERED: usize = 128;
/// Most points of a trajectory.
pub const MAX_POINTS: usize = 2000;
/// Most parameters that one call reads, describes or sets; a node has some dozens.
pub const MAX_PARAMETERS: usize = 256;
/// Longest text as a parameter's value, bytes: paths are the longest that make sense (`PATH_MAX`).
pub const MAX_TEXT: usize = 4096;
/// Largest `/diagnostics` message, bytes as serialized.
pub const MAX_DIAGNOSTICS: usize = 16 * 1024;
/// Longest line of the log, characters.
pub const MAX_LINE: usize = 2000;
/// Lines about one cause at most once in this time.
pub const LINE_EVERY: Duration = Duration::from_secs(1);

/// What [`is_ros_name`] asks for, in words.
pub const ROS_NAME: &str = "ROS names begin with a letter, and have letters, digits and single _ only";

/// Whether a name, such as a leg's, can be a part of a topic's or a service's name.
#[must_use]
pub fn is_ros_name(name: &str) -> bool {
    let letters = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    letters && !name.contains("__") && name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// What [`is_namespace`] asks for, in words.
pub const NAMESPACE: &str =
    "give letters, digits and _, as in left or fleet/left, no part of it beginning with a digit";
/// The longest namespace that the middleware takes (`RMW_NAMESPACE_MAX_LENGTH`).
const LONGEST_NAMESPACE: usize = 245;

/// Whether this can be the namespace of a node, as in `/left` or `/`, in which it has topics and services.
#[must_use]
pub fn is_namespace(name: &str) -> bool {
    let is_part = |part: &str| {
        let letters = part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        letters && !part.is_empty() && !part.starts_with(|first: char| first.is_ascii_digit())
    };
    let parts = name.strip_prefix('/').filter(|_| name.len() <= LONGEST_NAMESPACE);
    parts.is_some_and(|parts| parts.is_empty() || parts.split('/').all(is_part))
}

/// A text from outside as it may be shown: on one line, at most [`MAX_EXCERPT`] characters; of a longer one the
/// beginning, with its length.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    shorten(text, MAX_EXCERPT)
}

/// A reason as it may be kept and shown: at most [`MAX_REASON`] characters.
#[must_use]
pub fn reason(text: &str) -> Cow<'_, str> {
    shorten(text, MAX_REASON)
}

/// The text on one line of at most `most` characters, control characters escaped; of a longer one the beginning, with
/// its length. `most` has room for the length: 32 or more.
#[must_use]
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    let short = text.len() <= most || text.chars().nth(most).is_none();
    if short && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let whole: String = escaped(text).take(most + 1).collect();
    if whole.chars().count() <= most {
        return Cow::Owned(whole);
    }
    let length = format!("... ({} bytes)", text.len());
    let beginning = escaped(text).take(most.saturating_sub(length.len()));
    Cow::Owned(beginning.chain(length.chars()).take(most).collect())
}

fn escaped(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(|character| {
        let escape = character.is_control().then(|| character.escape_default());
        let plain = escape.is_none().then_some(character);
        escape.into_iter().flatten().chain(plain)
    })
}

/// A name from outside, as something known may be called.
///
/// # Errors
/// It is longer than any name ([`MAX_NAME`]), or has a control character: a zero cannot even be sent on.
pub fn name<'a>(what: &str, name: &'a str) -> Result<&'a str, String> {
    let why = if name.len() > MAX_NAME {
        format!("names have at most {MAX_NAME} bytes")
    } else if name.contains(char::is_control) {
        "names have no control characters".into()
    } else {
        return Ok(name);
    };
    Err(format!("no {what} is called \"{}\": {why}", excerpt(name)))
}

/// The names of a list from outside, as on `gaits` and `motions`: at most [`MAX_OFFERED`], without those that are none.
#[must_use]
pub fn names(list: &str) -> Vec<String> {
    let known = list.split(", ").filter(|each| !each.is_empty() && name("name", each).is_ok());
    known.take(MAX_OFFERED).map(String::from).collect()
}

/// The number of elements of a list from outside.
///
/// # Errors
/// There are more than `most`.
pub fn count(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count <= most { Ok(()) } else { Err(format!("{count} {what} are too many; give at most {most}")) }
}

/// Lines in the log about one cause, of which messages could ask for any number: one in [`LINE_EVERY`], with how many
/// were left out.
#[derive(Clone, Debug, Default)]
pub struct RateLimited {
    last: Option<Duration>,
    left_out: u64,
}

impl RateLimited {
    /// What may be written of `line` at `now` (monotonic clock); `None` if nothing.
    pub fn admit(&mut self, line: &str, now: Duration) -> Option<String> {
        if self.last.is_some_and(|last| now.saturating_sub(last) < LINE_EVERY) {
            self.left_out = self.left_out.saturating_add(1);
            return None;
        }
        self.last = Some(now);
        let line = reason(line);
        Some(match std::mem::take(&mut self.left_out) {
            0 => line.into_owned(),
            left_out => format!("{line} (and {left_out} more like it)"),
        })
    }
}

/// Lines of which some may come together, but not many for long.
#[derive(Clone, Debug)]
pub struct Burst {
    at_once: u32,
    per_second: u32,
    room: f64,
    last: Option<Duration>,
}

impl Burst {
    /// Admits `at_once` lines, and `per_second` more from then on.
    #[must_use]
    pub fn new(at_once: u32, per_second: u32) -> Self {
        Self { at_once, per_second, room: f64::from(at_once), last: None }
    }

    /// Whether a line may be written at `now` (monotonic clock).
    pub fn admit(&mut self, now: Duration) -> bool {
        let since = now.saturating_sub(*self.last.get_or_insert(now));
        self.last = self.last.max(Some(now));
        self.room = (self.room + since.as_secs_f64() * f64::from(self.per_second)).min(f64::from(self.at_once));
        let admitted = self.room >= 1.0;
        self.room -= if admitted { 1.0 } else { 0.0 };
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn when_a_namespace_is_given_expect_those_refused_that_no_node_can_have() {
        for good in ["/", "/left", "/a/b_2", "/_x"] {
            assert!(is_namespace(good), "{good}");
        }
        for bad in ["", "left", "/a b", "/2nd", "/a//b", "/a/", "/a-b", "/\u{e9}", &format!("/{}", "a".repeat(300))] {
            assert!(!is_namespace(bad), "{bad}");
        }
    }

    #[test]
    fn when_a_text_is_short_expect_it_untouched() {
        for text in ["", "tripod", &"é".repeat(MAX_EXCERPT)] {
            assert!(matches!(excerpt(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn when_a_text_is_long_expect_its_beginning_and_its_length() {
        let text = "g".repeat(5_000_000);
        let shown = excerpt(&text);
        assert!(shown.starts_with("ggg") && shown.ends_with("... (5000000 bytes)"), "{shown}");
        assert_eq!(shown.chars().count(), MAX_EXCERPT);
    }

    #[test]
    fn when_a_text_would_forge_a_line_of_the_log_expect_it_on_one_line() {
        assert_eq!(excerpt("gait\nERROR all is lost\0"), "gait\\nERROR all is lost\\u{0}");
        assert!(!excerpt(&"\n".repeat(500)).contains('\n'));
    }

    #[test]
    fn when_a_name_or_a_list_is_too_long_expect_it_refused_with_the_bound() {
        assert_eq!(name("gait", "tripod"), Ok("tripod"));
        let refused = name("gait", &"g".repeat(MAX_NAME + 1)).unwrap_err();
        assert!(refused.contains("gggg") && refused.contains("at most 80"), "{refused}");
        assert!(refused.len() < 200);
        assert!(name("gait", "tri\0pod").unwrap_err().contains("control"));
        assert_eq!(count("points", 3, 3), Ok(()));
        assert!(count("points", 4, 3).unwrap_err().contains("at most 3"));
    }

    #[test]
    fn when_names_are_listed_expect_each_that_is_one_and_no_more_than_the_bound() {
        assert_eq!(names("tripod, wave"), ["tripod", "wave"]);
        assert_eq!(names(""), [""; 0]);
        assert_eq!(names(&format!("tri\0pod, {}, bow", "g".repeat(MAX_NAME + 1))), ["bow"]);
        assert_eq!(names(&"bow, ".repeat(1000)).len(), MAX_OFFERED);
    }

    #[test]
    fn when_lines_come_fast_expect_one_a_second_and_the_others_counted() {
        let mut lines = RateLimited::default();
        let admitted: Vec<String> =
            (0..250).filter_map(|step| lines.admit("refused", Duration::from_millis(10 * step))).collect();
        assert_eq!(admitted, ["refused", "refused (and 99 more like it)", "refused (and 99 more like it)"]);
    }

    #[test]
    fn when_lines_come_in_a_flood_expect_a_burst_and_then_so_many_a_second() {
        let mut burst = Burst::new(10, 2);
        let admitted = |burst: &mut Burst, from: u64| {
            (0..1000).filter(|step| burst.admit(Duration::from_millis(from + step))).count()
        };
        assert_eq!(admitted(&mut burst, 5000), 11);
        assert_eq!(admitted(&mut burst, 6000), 2);
        assert_eq!(admitted(&mut burst, 100_000), 11, "it was quiet for long");
        assert_eq!(admitted(&mut burst, 0), 0, "the clock goes back");
    }

    #[test]
    fn when_the_clock_goes_back_expect_no_burst() {
        let mut lines = RateLimited::default();
        assert!(lines.admit("a", Duration::from_secs(5)).is_some());
        assert!(lines.admit("b", Duration::from_secs(1)).is_none());
    }

    proptest! {
        #[test]
        fn when_any_text_is_shortened_expect_the_bound_one_line_and_no_panic(
            text in ".{0,700}", control in "\\PC{0,4}[\\x00-\\x1f\\x7f]{0,300}", most in 32_usize..700,
        ) {
            for text in [text.clone(), format!("{control}{text}"), text.repeat(3)] {
                let shown = shorten(&text, most);
                prop_assert!(shown.chars().count() <= most);
                prop_assert!(!shown.contains(char::is_control));
                prop_assert_eq!(shorten(&text, most), shorten(&shown, most).into_owned(), "twice is once");
            }
        }
    }
}
