//! Joint states out of a bag (MCAP).

use hexapod_ros::r2r::WrappedTypesupport;
use hexapod_ros::r2r::sensor_msgs::msg::JointState;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest bag that is read, bytes: an hour at 200 Hz is a tenth of it.
const MOST_BYTES: u64 = 4 << 30;
/// Rows that gaps may add to the messages' own.
const MOST_ROWS: usize = 10_000_000;
/// How far a stamp's distance from when its message was recorded may be from that of most, s: a joint state is seldom
/// late by more, and a clock that was set is recognised by more.
const MISDATED_S: f64 = 10.0;
const TYPE: &str = "sensor_msgs/msg/JointState";

/// Joints at even steps: rows that the bag lacks hold NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointLog {
    /// The topic it is from.
    pub topic: String,
    /// Time between rows, s.
    pub step_s: f64,
    /// How many rows.
    pub rows: usize,
    /// Angle, rad, and effort, N m, per row, by the joint's name.
    pub joints: BTreeMap<String, Vec<[f64; 2]>>,
    /// Messages left out because their stamps are far from when they were recorded.
    pub misdated: usize,
    /// Why the rest of the bag could not be read.
    pub damage: Option<String>,
}

/// One message.
struct Row {
    stamp_s: f64,
    recorded_s: f64,
    joints: Vec<(String, [f64; 2])>,
}

/// Reads joint states of a topic, or of the first one that has measured efforts.
///
/// # Errors
/// What is wrong with the bag, and what would be right.
pub fn joint_log(path: &Path, topic: Option<&str>) -> Result<JointLog, String> {
    let file = mcap_file(path)?;
    let name = file.display();
    let size = std::fs::metadata(&file).map_err(|error| format!("{name}: {error}"))?.len();
    if size > MOST_BYTES {
        return Err(format!("{name} has {size} bytes; cut it to {MOST_BYTES} or less"));
    }
    let bytes = std::fs::read(&file).map_err(|error| format!("{name}: {error}"))?;
    let (mut topics, mut damage): (BTreeMap<String, Vec<Row>>, _) = (BTreeMap::new(), None);
    for message in mcap::MessageStream::new(&bytes).map_err(|error| format!("{name}: {error}"))? {
        let message = match message {
            Ok(message) => message,
            // A recorder that was cut off leaves an end that does not hold; what came before it does.
            Err(error) if !topics.is_empty() => {
                damage = Some(unreadable(&error));
                break;
            }
            Err(error) => return Err(format!("{name}: {}", unreadable(&error))),
        };
        let channel = &message.channel;
        if channel.schema.as_ref().is_none_or(|schema| schema.name != TYPE) || channel.message_encoding != "cdr" {
            continue;
        }
        let rows = topics.entry(channel.topic.clone()).or_default();
        // What does not hold is left out, as a gap.
        let recorded_s = 1e-9 * message.log_time as f64;
        rows.extend(JointState::from_serialized_bytes(&message.data).ok().and_then(|state| row(&state, recorded_s)));
    }
    let reported: Vec<String> = topics.keys().cloned().collect();
    let wanted = |name: &String, rows: &Vec<Row>| match topic {
        Some(topic) => name.trim_start_matches('/') == topic.trim_start_matches('/'),
        None => rows.iter().any(|row| row.joints.iter().any(|(_, [_, effort])| effort.is_finite())),
    };
    let Some((topic, rows)) = topics.into_iter().find(|(name, rows)| wanted(name, rows)) else {
        return Err(format!(
            "{name} has no {TYPE} with measured efforts{}; it has {TYPE} on: {}",
            topic.map_or(String::new(), |topic| format!(" on {topic}")),
            if reported.is_empty() { "no topic".into() } else { reported.join(", ") }
        ));
    };
    let (rows, misdated) = well_dated(rows);
    let log = even(topic, rows).map_err(|reason| format!("{name}: {reason}"))?;
    Ok(JointLog { misdated, damage, ..log })
}

/// An error of the bag's format, with the way round it where there is one.
fn unreadable(error: &mcap::McapError) -> String {
    match error {
        mcap::McapError::UnsupportedCompression(kind) => format!(
            "the bag is compressed with {kind}, which is not read; `mcap compress --compression none` of the MCAP tools \
             writes it without"
        ),
        error => error.to_string(),
    }
}

/// The messages whose stamps are as far from when they were recorded as most are, and how many others there were.
fn well_dated(mut rows: Vec<Row>) -> (Vec<Row>, usize) {
    let before = rows.len();
    let mut offsets: Vec<f64> = rows.iter().map(|row| row.stamp_s - row.recorded_s).collect();
    offsets.sort_by(f64::total_cmp);
    let usual = offsets.get(before / 2).copied().unwrap_or_default();
    rows.retain(|row| (row.stamp_s - row.recorded_s - usual).abs() <= MISDATED_S);
    let misdated = before - rows.len();
    (rows, misdated)
}

/// The file itself, of a file or of the folder that `ros2 bag record` writes.
fn mcap_file(path: &Path) -> Result<PathBuf, String> {
    let name = path.display();
    let has = |path: &Path, end: &str| path.extension().is_some_and(|extension| extension == end);
    if !path.exists() {
        return Err(format!("{name}: there is no such file or folder"));
    }
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|error| format!("{name}: {error}"))?;
        files = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
    }
    if let Some(file) = files.iter().find(|file| has(file, "mcap")) {
        return Ok(file.clone());
    }
    if let Some(file) = files.iter().find(|file| has(file, "zstd")) {
        return Err(format!("{} is compressed; unpack it first: zstd -d --rm {0}", file.display()));
    }
    if files.iter().any(|file| has(file, "db3")) {
        return Err(format!(
            "{name} is a sqlite3 bag; convert it first: write `output_bags: [{{uri: converted, storage_id: mcap, all: true}}]` \
             to out.yaml, then run ros2 bag convert -i {name} -o out.yaml, or rosbags-convert --src {name} --dst converted \
             --dst-storage mcap"
        ));
    }
    Err(format!(
        "{name} is no MCAP bag: give a file that ends in .mcap, or the folder that `ros2 bag record -s mcap` writes"
    ))
}

/// A message's joints; none where they were predicted, or the message does not hold.
fn row(state: &JointState, recorded_s: f64) -> Option<Row> {
    let stamp = &state.header.stamp;
    let stamp_s = f64::from(stamp.sec) + 1e-9 * f64::from(stamp.nanosec);
    let measured = state.header.frame_id != hexapod_ros::PREDICTED;
    if state.position.len() != state.name.len() || !stamp_s.is_finite() {
        return None;
    }
    let effort = |at: usize| state.effort.get(at).copied().filter(|_| measured).unwrap_or(f64::NAN);
    let joints = state.name.iter().zip(&state.position).enumerate();
    let joints = joints.map(|(at, (name, angle))| (name.clone(), [*angle, effort(at)])).collect();
    Some(Row { stamp_s, recorded_s, joints })
}

/// Rows at even steps, of messages that come nearly so.
fn even(topic: String, mut rows: Vec<Row>) -> Result<JointLog, String> {
    rows.sort_by(|a, b| a.stamp_s.total_cmp(&b.stamp_s));
    let mut intervals: Vec<f64> = rows.windows(2).map(|pair| pair[1].stamp_s - pair[0].stamp_s).collect();
    intervals.retain(|interval| *interval > 0.0);
    intervals.sort_by(f64::total_cmp);
    let Some(&step_s) = intervals.get(intervals.len() / 2) else {
        return Err(format!("{topic} has {} messages with stamps; record half a minute", rows.len()));
    };
    let mut log = JointLog { topic, step_s, ..JointLog::default() };
    let mut last: Option<f64> = None;
    for Row { stamp_s, joints, .. } in rows {
        // Counted from the message before, so that a step which is not quite the median adds up to nothing.
        let steps = last.map_or(1.0, |last| ((stamp_s - last) / step_s).round());
        if steps < 1.0 {
            continue;
        }
        last = Some(stamp_s);
        log.rows += if steps < MOST_ROWS as f64 { steps as usize } else { MOST_ROWS };
        if log.rows > MOST_ROWS {
            return Err(format!("{} spans more than {MOST_ROWS} steps of {step_s} s; cut the bag", log.topic));
        }
        for (name, values) in joints {
            let column = log.joints.entry(name).or_default();
            column.resize(log.rows - 1, [f64::NAN; 2]);
            column.push(values);
        }
    }
    log.joints.values_mut().for_each(|column| column.resize(log.rows, [f64::NAN; 2]));
    Ok(log)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    fn row_at(stamp_s: f64, angle: f64) -> Row {
        Row { stamp_s, recorded_s: stamp_s, joints: vec![("a".into(), [angle, 0.1])] }
    }

    #[test]
    fn when_messages_are_lost_or_out_of_order_expect_even_rows_with_gaps() {
        let rows =
            [0.0, 0.0101, 0.0199, 0.05, 0.0601, 0.0602, 0.04].map(|stamp| row_at(stamp, stamp)).into_iter().collect();
        let log = even("t".into(), rows).unwrap();
        let angles: Vec<f64> = log.joints["a"].iter().map(|[angle, _]| *angle).collect();
        assert_eq!(log.rows, 7, "{angles:?}");
        assert!(angles[3].is_nan() && angles[4] == 0.04 && angles[6] == 0.0601, "{angles:?}");
        assert!(even("t".into(), vec![]).is_err());
        assert!(
            even("t".into(), vec![row_at(0.0, 0.0), row_at(1e-3, 0.0), row_at(2e-3, 0.0), row_at(1e9, 0.0)]).is_err()
        );
    }

    #[test]
    fn when_a_stamp_is_far_from_its_recording_expect_it_left_out_and_counted() {
        // Played back: recorded long after the stamps, and all by as much.
        let rows = (0..10).map(|at| Row { recorded_s: 5000.0 + at as f64, ..row_at(at as f64, 0.0) });
        let (rows, misdated) = well_dated(rows.chain([Row { recorded_s: 5003.0, ..row_at(4e9, 0.0) }]).collect());
        assert_eq!((rows.len(), misdated), (10, 1));
        assert_eq!(well_dated(vec![]).1, 0);
    }

    #[test]
    fn when_a_message_was_predicted_or_does_not_hold_expect_no_effort_of_it() {
        let name = vec!["a".to_owned()];
        let mut state = JointState { name, position: vec![0.5], effort: vec![0.2], ..Default::default() };
        assert_eq!(row(&state, 0.0).unwrap().joints[0].1, [0.5, 0.2]);
        state.header.frame_id = "predicted".into();
        assert!(row(&state, 0.0).unwrap().joints[0].1[1].is_nan());
        state.position.clear();
        assert!(row(&state, 0.0).is_none());
    }

    #[test]
    fn when_a_bag_cannot_be_read_expect_what_to_do() {
        let folder = std::env::temp_dir().join(format!("bags_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("old.db3"), "").unwrap();
        let words = joint_log(&folder, None).unwrap_err();
        assert!(words.contains("sqlite3") && words.contains("mcap"), "{words}");
        std::fs::write(folder.join("broken.mcap"), "no bag").unwrap();
        assert!(joint_log(&folder, None).unwrap_err().contains("broken.mcap"));
        assert!(joint_log(Path::new("/nowhere.mcap"), None).unwrap_err().contains("no such file"));
        assert!(joint_log(Path::new(file!()), None).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
