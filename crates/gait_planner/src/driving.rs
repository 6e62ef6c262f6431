//! Who moves the robot, in words.

use crate::names::Names;
use crate::sources::{DrivingSources, Ignored};
use hexapod_ros::bounds::excerpt;
use hexapod_ros::{Level, Sender, Status};

/// Whoever moves the robot or would, for the names behind them.
pub fn senders(driving: &DrivingSources) -> impl Iterator<Item = Sender> + Clone + '_ {
    let ignored = driving.ignored.iter().flatten().map(|(sender, ..)| *sender);
    driving.moved_by.iter().map(|(sender, _)| *sender).chain(ignored)
}

/// Says who moves the robot, and whose pushes do not count.
pub fn report(status: &mut Status, driving: &DrivingSources, names: &Names) {
    let named = |sender: Sender| match names.of(sender) {
        "" => "an unknown node".into(),
        name => excerpt(name).into_owned(),
    };
    let moved_by = driving.moved_by.map(|(sender, topic)| format!("{} by {topic}", named(sender)));
    status.value("moved by", moved_by.unwrap_or_else(|| "nobody".into()));
    let mut ignored = vec![];
    for &(sender, topic, why) in driving.ignored.iter().flatten() {
        let name = named(sender);
        status.report(Level::Warn, words(&name, topic, why));
        ignored.push(format!("{topic} of {name} ({})", why.as_str()));
    }
    if driving.more > 0 {
        ignored.push(format!("{} more", driving.more));
    }
    if !ignored.is_empty() {
        status.value("ignored", ignored.join(", "));
    }
}

fn words(name: &str, topic: &str, why: Ignored) -> String {
    format!("{topic} of {name} is ignored: {}", why.reason())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_source_is_ignored_expect_its_name_the_reason_and_the_way_out() {
        for (why, reason) in [(Ignored::Overruled, "another source"), (Ignored::Stopped, "stopped")] {
            let reported = words("/pad", "cmd_vel", why);
            assert!(
                ["cmd_vel of /pad", reason, "release the stick"].iter().all(|words| reported.contains(words)),
                "{reported}"
            );
        }
    }
}
