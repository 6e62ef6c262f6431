use crate::Snapshot;
use crate::format::{abbreviation, fixed, no_word, or_dash, plain};

/// The snapshot in one line of plain text, for a standard output that is no terminal.
///
/// ```
/// let line = hexapod_view::status_line(&hexapod_view::Snapshot { gait_state: "standing".into(), ..Default::default() });
/// assert!(line.starts_with("standing"));
/// ```
pub fn status_line(snapshot: &Snapshot) -> String {
    let mut parts: Vec<String> = vec![];
    parts.extend((!snapshot.alarm.is_empty()).then(|| plain(&snapshot.alarm)));
    parts.extend(snapshot.silence.map(|silence| format!("{}; what it said last", no_word(silence))));
    if !snapshot.is_live() && snapshot.silence.is_none() && !snapshot.discovery_hint.is_empty() {
        parts.push("no robot is heard".into());
        parts.extend(snapshot.discovery_hint.iter().map(|line| plain(line)));
        return parts.join(" | ");
    }
    parts.extend([
        format!(
            "{}, servos {}, gait {}",
            plain(or_dash(&snapshot.gait_state)),
            plain(or_dash(&snapshot.servo_state)),
            plain(or_dash(&snapshot.gait))
        ),
        format!("wanted {} walked {}", twist(snapshot.twist_commanded), twist(snapshot.twist_walked)),
        feet(snapshot),
        format!("margin {}", snapshot.margin_m.map_or("—".into(), |margin| fixed(margin * 1e3, 0, " mm"))),
        place(snapshot.odom),
    ]);
    parts.extend(
        snapshot
            .truth
            .map(|truth| format!("truly {}, leaning {}", place(truth.place), fixed(truth.lean.to_degrees(), 0, "°"))),
    );
    parts.push(timing(snapshot));
    if !snapshot.limited_by.is_empty() {
        parts.push(format!("limited by {}", plain(&snapshot.limited_by)));
    }
    parts.join(" | ")
}

fn twist([linear_x, linear_y, angular_z]: [f64; 3]) -> String {
    format!("({}, {}, {})", fixed(linear_x, 3, ""), fixed(linear_y, 3, ""), fixed(angular_z, 2, ""))
}

fn feet(snapshot: &Snapshot) -> String {
    let down: Vec<_> = snapshot.legs.iter().filter(|leg| leg.down).map(|leg| abbreviation(&leg.name)).collect();
    let names = if down.is_empty() { String::new() } else { format!(": {}", down.join(" ")) };
    format!("{} of {} feet down{names}", down.len(), snapshot.legs.len())
}

fn place([x, y, yaw]: [f64; 3]) -> String {
    format!("at ({}, {}) m {}", fixed(x, 2, ""), fixed(y, 2, ""), fixed(yaw.to_degrees(), 0, "°"))
}

fn timing(snapshot: &Snapshot) -> String {
    let lateness = snapshot.lateness_p99_us.map_or("—".into(), |late| fixed(late, 0, " µs"));
    format!("loop {}, late {lateness}, overruns {}", fixed(snapshot.loop_rate_hz, 1, " Hz"), snapshot.overruns)
}
