//! What the control loop has done, on its way to the publishing thread.

use crate::progress::Progress;
use crate::remarks::{Refused, Remarks};
use hexapod_gait::Tick;
use hexapod_ros::Lateness;
use rtrb::{Consumer, Producer, RingBuffer};
use std::thread::Thread;
use std::time::Duration;

/// A tick or a report about the loop.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "it lives in a ring made once; boxing would allocate in the tick")]
pub enum Done {
    /// A tick, the ROS time it was made for, and what there is to say of it.
    Tick { tick: Tick, stamp: Duration, remarks: Remarks },
    /// How the loop kept its rate, over so many seconds.
    Lateness(Lateness, f64),
    /// A command that was refused when its turn came.
    Refused(Refused),
    /// What has become of the last requests.
    Progress(Progress),
}

const CAPACITY: usize = 256;

/// The control loop's end.
pub struct Outbox {
    queue: Producer<Done>,
    reader: Option<Thread>,
}

/// The two ends.
#[must_use]
pub fn outbox() -> (Outbox, Consumer<Done>) {
    let (queue, done) = RingBuffer::new(CAPACITY);
    (Outbox { queue, reader: None }, done)
}

impl Outbox {
    /// The thread to wake when there is something to publish.
    pub fn wakes(&mut self, reader: Thread) {
        self.reader = Some(reader);
    }

    /// Hands over; what does not fit because the reader hangs is dropped, the robot goes on. Whether it was taken.
    pub fn push(&mut self, done: Done) -> bool {
        let taken = self.queue.push(done).is_ok();
        if let Some(reader) = &self.reader {
            reader.unpark();
        }
        taken
    }
}
