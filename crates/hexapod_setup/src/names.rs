//! Names by which gaits and motions are asked for, and which the topics `gaits` and `motions` list with commas between them.

use hexapod_config::{Document, Faults, MAX_NAME};

/// Notes why nothing in `mapping` can be called that.
pub(crate) fn check(document: &Document, mapping: &str, name: &str, faults: &mut Faults) {
    let why = if name.trim().is_empty() {
        "it is empty"
    } else if name.trim() != name {
        "it begins or ends with a space"
    } else if name.contains(',') {
        "it has a comma, which separates names in lists"
    } else if name.contains(char::is_control) {
        "it has a control character"
    } else if name.len() > MAX_NAME {
        "it is too long"
    } else {
        return;
    };
    let help = format!("give a name of 1 to {MAX_NAME} bytes without commas, such as `wave`");
    faults.add(document.error_at(mapping, format!("nothing can be called {name:?} here: {why}"), help));
}
