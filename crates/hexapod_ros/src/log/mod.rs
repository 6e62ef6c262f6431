//! What happens, in words: every tracing event goes to standard output as ROS 2 nodes write theirs (or to the journal), and
//! to `/rosout` under the name of its node.
//!
//! An event is put into words on the thread it happens on and handed to the thread `log`, which writes and publishes it.
//! Nobody waits for that thread: what it cannot keep up with is counted. Neither the control loop nor the thread of the bus
//! logs; what they do is logged by the threads that publish it.

mod console;
mod entry;
mod layer;
mod levels;
mod names;
mod writer;

pub use levels::check as check_level;
pub(crate) use writer::publish_on;
pub use writer::{begin, flush, is_on};

use layer::ToWriter;
use levels::Levels;
use names::NAMES;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{EnvFilter, registry};

/// Lets events of this process be written. What is written is chosen by `--log-level` among the process's ROS
/// arguments; where `RUST_LOG` is set, by that alone. `name` is how events are called that belong to no node.
pub fn start(name: &str) {
    let levels = Levels::of(std::env::args());
    NAMES.call_others(name);
    writer::prepare();
    // Not `try_init`: what other crates log in their own way stays out.
    let _ = match EnvFilter::try_from_default_env() {
        Ok(filter) => {
            let reported = registry().with(filter).with(ToWriter::all());
            tracing::subscriber::set_global_default(reported)
        }
        Err(_) => {
            let reported = registry().with(LevelFilter::from(levels.lowest())).with(ToWriter::of(levels));
            tracing::subscriber::set_global_default(reported)
        }
    };
}

/// Lets events that come from the crate `target` be written under `name`.
pub fn call(target: &str, name: &str) {
    NAMES.call(target, name);
}

/// The name of a node's logger: its full name with dots, as rcl has it.
pub(crate) fn logger_name(full_name: &str) -> String {
    full_name.trim_start_matches('/').replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::logger_name;

    #[test]
    fn when_a_node_is_in_a_namespace_expect_its_logger_named_with_dots() {
        assert_eq!(logger_name("/gait_planner"), "gait_planner");
        assert_eq!(logger_name("/lab/robot1/gait_planner"), "lab.robot1.gait_planner");
    }
}
