//! Defaults of `servos.yaml` that no servo takes.

use hexapod_config::ros_params::hint_for;
use hexapod_config::{Document, Faults};
use hexapod_servo::calibration::{Origins, ServoFile};

/// Refuses defaults that are for none of these joints.
pub(crate) fn refuse_misfits(document: &Document, file: &ServoFile, joints: &[&str], faults: &mut Faults) {
    let own = |key: &&str| is_own(document, &format!("defaults.{key}"));
    for key in file.idle_defaults(joints).filter(own) {
        let message = format!("no joint's name ends in `{key}` as a word; `all` stands for every joint");
        let bare = key.trim_start_matches(['_', '*']);
        let help = if bare != key && joints.iter().any(|joint| joint.ends_with(&format!("_{bare}"))) {
            format!("did you mean `{bare}`?")
        } else {
            let mut ends: Vec<&str> = joints.iter().filter_map(|joint| Some(joint.rsplit_once('_')?.1)).collect();
            ends.sort_unstable();
            ends.dedup();
            hint_for(key, &ends)
        };
        faults.add(document.error_at(&format!("defaults.{key}"), message, help));
    }
}

/// Refuses those of these keys that count for no servo, as each gives its own: whoever writes one expects it to count.
pub(crate) fn refuse_outranked(document: &Document, given: &[String], origins: &Origins, faults: &mut Faults) {
    for path in given.iter().filter(|path| is_own(document, path) && !origins.are_in(path)) {
        let key = path.rsplit('.').next().unwrap_or_default();
        let message = "it counts for no servo: each that it is for has another from `servos` or its kind";
        faults.add(document.error_at(path, message, format!("take `{key}` out of the servos, or change it there")));
    }
}

/// Those that are shipped may be for other robots.
fn is_own(document: &Document, path: &str) -> bool {
    document.layer(path).is_some_and(|layer| layer > 0)
}
