//! Transforms in the middleware's form, filled in place.

use r2r::NativeMsg;
use r2r::tf2_msgs::msg::TFMessage;

/// Writes stamps and poses of a message into a copy of it in the middleware's form; frames stay as they are there. Of two
/// that differ in length only as many are written as both have.
pub fn refill_transforms(message: &TFMessage, kept: &mut NativeMsg<TFMessage>) {
    let sequence = &mut kept.transforms;
    if sequence.data.is_null() {
        return;
    }
    // SAFETY: a sequence of rosidl that is not null points to `size` initialised elements, which belong to the message
    // alone; that is borrowed mutably as long as the slice lives.
    let transforms = unsafe { std::slice::from_raw_parts_mut(sequence.data, sequence.size) };
    for (to, from) in transforms.iter_mut().zip(&message.transforms) {
        to.header.stamp.sec = from.header.stamp.sec;
        to.header.stamp.nanosec = from.header.stamp.nanosec;
        let (at, rotation) = (&from.transform.translation, &from.transform.rotation);
        (to.transform.translation.x, to.transform.translation.y, to.transform.translation.z) = (at.x, at.y, at.z);
        to.transform.rotation.x = rotation.x;
        to.transform.rotation.y = rotation.y;
        to.transform.rotation.z = rotation.z;
        to.transform.rotation.w = rotation.w;
    }
}
