//! Stamps and frames of what comes in. A command counts from its receipt and for the body, whatever its header says; one
//! that says otherwise is reported, since its sender means something else.

use crate::bounds;
use crate::clock::{RosClock, from_stamp};
use crate::diagnostics::{Level, Status};
use crate::pacer::monotonic_now;
use r2r::std_msgs::msg::Header;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Stamps that are further from now are reported.
const MOST_OFF_S: f64 = 1.0;
/// How long a message's header is warned of.
const REPORTED_FOR: Duration = Duration::from_secs(3);

/// What headers have said, by topic. Cheap to clone.
#[derive(Clone)]
pub struct Headers {
    topics: Arc<Mutex<BTreeMap<&'static str, Topic>>>,
    node: String,
    clock: RosClock,
    base_frame: String,
}

/// What was wrong with a topic's headers.
#[derive(Clone, Debug, Default)]
struct Topic {
    stamps: Oddity,
    frames: Oddity,
}

#[derive(Clone, Debug, Default)]
struct Oddity {
    count: u64,
    /// The last one's, shortened.
    last: String,
    /// When it came, on the monotonic clock.
    at: Option<Duration>,
}

impl Oddity {
    /// Takes down one more; whether it comes after a while without.
    fn take(&mut self, last: String, now: Duration) -> bool {
        let new = !self.is_fresh(now);
        (self.count, self.last, self.at) = (self.count.saturating_add(1), last, Some(now));
        new
    }

    fn is_fresh(&self, now: Duration) -> bool {
        self.at.is_some_and(|at| now.saturating_sub(at) <= REPORTED_FOR)
    }
}

impl Headers {
    /// Headers of messages for `node` that count in `base_frame`, against `clock`.
    #[must_use]
    pub fn new(node: &str, clock: RosClock, base_frame: &str) -> Self {
        Self { topics: Arc::default(), node: node.into(), clock, base_frame: base_frame.into() }
    }

    /// Looks at the header of a message that has just come in on `topic`.
    pub fn look(&self, topic: &'static str, header: &Header) {
        self.look_at(topic, header, monotonic_now());
    }

    fn look_at(&self, topic: &'static str, header: &Header, now: Duration) {
        let (off_s, foreign) = (self.off_s(header), self.is_foreign(&header.frame_id));
        if off_s.is_none() && !foreign {
            return;
        }
        let mut topics = self.locked();
        let known = topics.entry(topic).or_default();
        if let Some(off_s) = off_s
            && known.stamps.take(format!("{off_s:.2}"), now)
        {
            tracing::warn!(node = self.node.as_str(), "{}", off_words(topic, &known.stamps.last));
        }
        if foreign && known.frames.take(bounds::excerpt(&header.frame_id).into_owned(), now) {
            let words = self.foreign_words(topic, &known.frames.last);
            tracing::warn!(node = self.node.as_str(), "{words}");
        }
    }

    /// Warns of what has been wrong lately, and tells the counts.
    pub fn report(&self, status: &mut Status) {
        self.report_at(status, monotonic_now());
    }

    fn report_at(&self, status: &mut Status, now: Duration) {
        for (topic, Topic { stamps, frames }) in self.locked().iter() {
            if stamps.is_fresh(now) {
                status.report(Level::Warn, off_words(topic, &stamps.last));
            }
            if frames.is_fresh(now) {
                status.report(Level::Warn, self.foreign_words(topic, &frames.last));
            }
            if stamps.count > 0 {
                status.value(&format!("stamps of {topic} more than 1 s off"), stamps.count);
                status.value(&format!("last stamp of {topic} (s)"), &stamps.last);
            }
            if frames.count > 0 {
                status.value(&format!("foreign frames of {topic}"), frames.count);
                status.value(&format!("last frame of {topic}"), &frames.last);
            }
        }
    }

    /// How far a stamp is ahead of now, if that is too far; zero is no stamp, and a simulation's zero no time.
    fn off_s(&self, header: &Header) -> Option<f64> {
        let (stamp, now) = (from_stamp(&header.stamp), self.clock.now());
        if stamp.is_zero() || now.is_zero() {
            return None;
        }
        Some(stamp.as_secs_f64() - now.as_secs_f64()).filter(|off_s| off_s.abs() > MOST_OFF_S)
    }

    /// Whether a frame is none of the body's; a prefix, as of a namespace, does not make it so.
    fn is_foreign(&self, frame: &str) -> bool {
        let name = frame.rsplit('/').next().unwrap_or(frame);
        !frame.is_empty() && frame != self.base_frame && name != self.base_frame
    }

    fn foreign_words(&self, topic: &str, frame: &str) -> String {
        format!("{topic} comes in frame {frame:?} and is taken for {}: commands are not transformed", self.base_frame)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<&'static str, Topic>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn off_words(topic: &str, off_s: &str) -> String {
    match off_s.strip_prefix('-') {
        Some(late) => {
            format!("{topic} is stamped {late} s ago and counts as new: set the sender's clock, or send in time")
        }
        None => format!("{topic} is stamped {off_s} s ahead of this clock: set the clocks of sender and robot"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::to_stamp;

    const NOW: Duration = Duration::from_secs(1000);

    fn headers() -> Headers {
        let clock = RosClock::simulated();
        clock.set(NOW);
        Headers::new("gait_planner", clock, "base_link")
    }

    fn header(stamp: Duration, frame: &str) -> Header {
        Header { stamp: to_stamp(stamp), frame_id: frame.into() }
    }

    fn warned(headers: &Headers, at: Duration) -> String {
        let mut status = Status::default();
        headers.report_at(&mut status, at);
        format!("{status:?}")
    }

    #[test]
    fn when_a_stamp_is_off_expect_a_warning_for_a_while_and_a_count() {
        for (stamp, words) in [(990, "10.00 s ago"), (1010, "10.00 s ahead")] {
            let headers = headers();
            headers.look_at("cmd_vel", &header(Duration::from_secs(stamp), ""), NOW);
            let reported = warned(&headers, NOW + REPORTED_FOR);
            assert!(reported.contains("Warn") && reported.contains(words), "{reported}");
            let later = warned(&headers, NOW + REPORTED_FOR + REPORTED_FOR);
            assert!(!later.contains("Warn") && later.contains("more than 1 s off"), "{later}");
        }
    }

    #[test]
    fn when_a_header_says_nothing_else_expect_no_warning() {
        let headers = headers();
        for (stamp, frame) in [(0, ""), (999, "base_link"), (1001, "robot1/base_link"), (1000, "/base_link")] {
            headers.look_at("cmd_vel", &header(Duration::from_secs(stamp), frame), NOW);
        }
        let reported = warned(&headers, NOW);
        assert!(!reported.contains("cmd_vel"), "{reported}");
    }

    #[test]
    fn when_a_frame_is_foreign_expect_it_named_shortened() {
        let headers = headers();
        headers.look_at("joint_trajectory", &header(NOW, "map"), NOW);
        assert!(warned(&headers, NOW).contains("frame \\\"map\\\""), "{}", warned(&headers, NOW));
        headers.look_at("joint_trajectory", &header(NOW, &"m".repeat(5_000_000)), NOW);
        assert!(warned(&headers, NOW).len() < 2000);
    }
}
