//! A recording of the session as MCAP, bounded in size, in a file that nobody else sees: it is gone with the process.

use crate::definitions::DEFINITIONS;
use crate::protocol::{Recording, Rounded};
use crate::tls;
use hexapod_ros::r2r::WrappedTypesupport;
use mcap::WriteOptions;
use mcap::records::MessageHeader;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Messages that wait at most for the writing thread.
const WAITING: usize = 512;
/// What is held back until it is written.
const CHUNK: u64 = 256 * 1024;
/// What a message takes beside its content: its header and its index.
const OVERHEAD: u64 = 31 + 16;
/// One of so many bytes is of the records that a chunk brings with it, index and summary included: 1 KiB at most.
const CHUNK_SHARE: u64 = CHUNK / 1024;
/// What a channel takes beside its names and the definition of its type.
const CHANNEL_OVERHEAD: u64 = 128;

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is a topic")]
pub enum Topic {
    JointStates,
    Odom,
    FootContacts,
    CommandedTwist,
    GaitState,
    Gaits,
    Motions,
    RobotDescription,
    Diagnostics,
    MotionStatus,
    Rosout,
    Camera,
    Battery,
    Tf,
    TfStatic,
    Markers,
    CmdVel,
    CmdVelStamped,
}

impl Topic {
    /// The topic's name, and the type of its messages.
    fn name_and_type(self) -> (&'static str, &'static str) {
        match self {
            Self::JointStates => ("joint_states", "sensor_msgs/msg/JointState"),
            Self::Odom => ("odom", "nav_msgs/msg/Odometry"),
            Self::FootContacts => ("foot_contacts", "std_msgs/msg/UInt8MultiArray"),
            Self::CommandedTwist => ("commanded_twist", "geometry_msgs/msg/Twist"),
            Self::GaitState => ("gait_state", "std_msgs/msg/String"),
            Self::Gaits => ("gaits", "std_msgs/msg/String"),
            Self::Motions => ("motions", "std_msgs/msg/String"),
            Self::RobotDescription => ("robot_description", "std_msgs/msg/String"),
            Self::Diagnostics => ("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"),
            Self::MotionStatus => ("motion_status", "diagnostic_msgs/msg/DiagnosticArray"),
            Self::Rosout => ("/rosout", "rcl_interfaces/msg/Log"),
            Self::Camera => ("image_raw/compressed", "sensor_msgs/msg/CompressedImage"),
            Self::Battery => ("battery", "sensor_msgs/msg/BatteryState"),
            Self::Tf => ("/tf", "tf2_msgs/msg/TFMessage"),
            Self::TfStatic => ("/tf_static", "tf2_msgs/msg/TFMessage"),
            Self::Markers => ("markers", "visualization_msgs/msg/MarkerArray"),
            Self::CmdVel => ("cmd_vel", "geometry_msgs/msg/Twist"),
            Self::CmdVelStamped => ("cmd_vel", "geometry_msgs/msg/TwistStamped"),
        }
    }
}

/// What is written once for all messages of a topic.
struct Channel {
    topic: String,
    kind: &'static str,
    definition: &'static str,
}

impl Channel {
    /// That of a topic; of one without a slash before it, below `prefix`.
    fn of(topic: Topic, prefix: &str) -> Self {
        let (name, kind) = topic.name_and_type();
        let definition = DEFINITIONS.iter().find(|(known, _)| *known == kind).map_or("", |(_, text)| text);
        let topic = if name.starts_with('/') { name.to_owned() } else { format!("{prefix}{name}") };
        Self { topic, kind, definition }
    }

    /// Bytes that it takes: once where it begins and once in the summary.
    fn size(&self) -> u64 {
        2 * ((self.topic.len() + self.kind.len() + self.definition.len()) as u64 + CHANNEL_OVERHEAD)
    }
}

/// A message to be written.
struct Item {
    topic: Topic,
    data: Vec<u8>,
    at_ns: u64,
}

/// The recording of a session. Cheap to clone; recording costs nothing while it is off.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

struct Shared {
    limit: u64,
    /// As in `/left/`; `/` where there is none.
    prefix: String,
    on: AtomicBool,
    bytes: AtomicU64,
    queue: Mutex<Option<SyncSender<Item>>>,
    reported: Mutex<Reported>,
}

#[derive(Default)]
struct Reported {
    started: Duration,
    length: Duration,
    message: String,
    file: Option<(Arc<File>, u64)>,
}

impl Recorder {
    /// Nothing recorded yet, of a robot in `namespace`; a recording has `limit` bytes at most.
    #[must_use]
    pub fn new(namespace: &str, limit: u64) -> Self {
        let namespace = namespace.trim_matches('/');
        let prefix = if namespace.is_empty() { "/".into() } else { format!("/{namespace}/") };
        Self(Arc::new(Shared {
            limit,
            prefix,
            on: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            queue: Mutex::default(),
            reported: Mutex::default(),
        }))
    }

    /// Begins a new recording at `now`, in place of the one there was.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn start(&self, now: Duration) -> io::Result<()> {
        self.stop(now);
        let file = unnamed_file()?;
        let (queue, items) = sync_channel(WAITING);
        *lock(&self.0.reported) = Reported { started: now, ..Reported::default() };
        self.0.bytes.store(0, Ordering::Relaxed);
        let recorder = self.clone();
        std::thread::Builder::new().name("web-record".into()).spawn(move || recorder.write(file, &items))?;
        *lock(&self.0.queue) = Some(queue);
        self.0.on.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether one is being made.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.on.load(Ordering::Acquire)
    }

    /// Ends the recording, which can be fetched a moment later.
    pub fn stop(&self, now: Duration) {
        if self.0.on.swap(false, Ordering::AcqRel) {
            let mut reported = lock(&self.0.reported);
            reported.length = now.saturating_sub(reported.started);
        }
        // With its only sender the thread ends.
        *lock(&self.0.queue) = None;
    }

    /// Records a message, if it is on. Never waits: what the writer cannot keep up with is left out.
    pub fn put<T: WrappedTypesupport>(&self, topic: Topic, message: &T) {
        if !self.0.on.load(Ordering::Acquire) {
            return;
        }
        let Ok(data) = message.to_serialized_bytes() else { return };
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let item = Item { topic, data, at_ns: u64::try_from(at.as_nanos()).unwrap_or_default() };
        if let Ok(queue) = self.0.queue.try_lock()
            && let Some(queue) = &*queue
        {
            let _ = queue.try_send(item);
        }
    }

    /// How far it is at `now`.
    #[must_use]
    pub fn reported(&self, now: Duration) -> Recording {
        let reported = lock(&self.0.reported);
        let on = self.0.on.load(Ordering::Acquire);
        let length = if on { now.saturating_sub(reported.started) } else { reported.length };
        Recording {
            on,
            bytes: reported.file.as_ref().map_or_else(|| self.0.bytes.load(Ordering::Relaxed), |(_, size)| *size),
            limit: self.0.limit,
            seconds: Rounded((length.as_secs_f64() * 10.0).round() / 10.0),
            ready: reported.file.is_some(),
            message: reported.message.clone(),
        }
    }

    /// The finished recording and its size; whether one is being written.
    #[must_use]
    pub fn file(&self) -> (Option<(Arc<File>, u64)>, bool) {
        let file = lock(&self.0.reported).file.clone();
        let is_written =
            file.is_none() && (self.0.on.load(Ordering::Acquire) || self.0.bytes.load(Ordering::Relaxed) > 0);
        (file, is_written)
    }

    /// The writing thread.
    fn write(&self, file: File, items: &Receiver<Item>) {
        let began = Instant::now();
        let (message, file) = match self.write_all(&file, items) {
            Ok(message) => {
                let size = file.metadata().map(|data| data.len()).unwrap_or_default();
                (message, Some((Arc::new(file), size)))
            }
            Err(error) => (format!("the recording failed: {error}"), None),
        };
        if !message.is_empty() {
            tracing::warn!("{message}");
        }
        let ends_itself = self.0.on.swap(false, Ordering::AcqRel);
        let mut reported = lock(&self.0.reported);
        if ends_itself {
            reported.length = began.elapsed();
        }
        (reported.message, reported.file) = (message, file);
    }

    /// Writes until the end or the limit, which it says.
    fn write_all(&self, file: &File, items: &Receiver<Item>) -> Result<String, mcap::McapError> {
        let options = WriteOptions::new().compression(None).chunk_size(Some(CHUNK)).profile("ros2").library("hexapod");
        let mut writer = options.create(BufWriter::new(file))?;
        let mut channels: BTreeMap<Topic, (u16, u32)> = BTreeMap::new();
        let mut message = String::new();
        for item in items {
            let new = (!channels.contains_key(&item.topic)).then(|| Channel::of(item.topic, &self.0.prefix));
            let size = item.data.len() as u64 + OVERHEAD + new.as_ref().map_or(0, Channel::size);
            let size = size + size.div_ceil(CHUNK_SHARE);
            if self.0.bytes.load(Ordering::Relaxed) + size > self.0.limit {
                message = format!("the recording has reached its {} MiB (recording_size)", self.0.limit >> 20);
                break;
            }
            self.0.bytes.fetch_add(size, Ordering::Relaxed);
            if let Some(Channel { topic, kind, definition }) = new {
                let schema = writer.add_schema(kind, "ros2msg", definition.as_bytes())?;
                channels.insert(item.topic, (writer.add_channel(schema, &topic, "cdr", &BTreeMap::new())?, 0));
            }
            let Some((channel_id, sequence)) = channels.get_mut(&item.topic) else { continue };
            *sequence += 1;
            let (log_time, publish_time) = (item.at_ns, item.at_ns);
            let header = MessageHeader { channel_id: *channel_id, sequence: *sequence, log_time, publish_time };
            writer.write_to_known_channel(&header, &item.data)?;
        }
        writer.finish()?;
        Ok(message)
    }
}

/// A file without a name, for this user alone.
fn unnamed_file() -> io::Result<File> {
    let random = tls::random().map_err(|_| io::Error::other("the system has no random numbers"))?;
    let path = std::env::temp_dir().join(format!("hexapod-{:016x}.mcap", u64::from_ne_bytes(random)));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use hexapod_ros::r2r::std_msgs::msg::String as StringMsg;

    #[test]
    fn when_a_recording_reaches_its_limit_expect_a_file_no_larger_and_how_long_it_took() {
        const LIMIT: u64 = 1 << 20;
        for length in [1, 300, 20_000] {
            let recorder = Recorder::new("left", LIMIT);
            recorder.start(Duration::ZERO).unwrap();
            let message = StringMsg { data: "a".repeat(length) };
            // The bytes are of any type; those of their definitions count, too.
            let topics = [
                Topic::GaitState,
                Topic::JointStates,
                Topic::Odom,
                Topic::Diagnostics,
                Topic::Rosout,
                Topic::Battery,
                Topic::Tf,
                Topic::Markers,
                Topic::CmdVelStamped,
            ];
            let began = Instant::now();
            while recorder.file().0.is_none() && began.elapsed() < Duration::from_secs(20) {
                topics.iter().for_each(|&topic| recorder.put(topic, &message));
                std::thread::sleep(Duration::from_micros(100));
            }
            let reported = recorder.reported(Duration::from_secs(1000));
            let size = recorder.file().0.unwrap().1;
            assert!(size <= LIMIT && size > LIMIT * 9 / 10, "{size} bytes of messages of {length}");
            assert!(!reported.on && reported.message.contains("recording_size"), "{}", reported.message);
            assert!(reported.seconds.0 <= began.elapsed().as_secs_f64() + 0.1, "{reported:?}");
        }
    }
}
