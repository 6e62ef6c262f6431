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

/// What to say of those of these keys that count for no servo, as each gives its own: whoever writes one expects it to
/// count. No fault: servos that were calibrated leave such defaults behind.
pub(crate) fn outranked(document: &Document, given: &[String], origins: &Origins) -> Vec<String> {
    let idle = given.iter().filter(|path| is_own(document, path) && !origins.are_in(path));
    let said = |path: &String| {
        let key = path.rsplit('.').next().unwrap_or_default();
        format!("{path} in servos.yaml counts for no servo: each has another `{key}`, of its own or from its kind")
    };
    idle.map(said).collect()
}

/// Those that are shipped may be for other robots.
fn is_own(document: &Document, path: &str) -> bool {
    document.layer(path).is_some_and(|layer| layer > 0)
}
