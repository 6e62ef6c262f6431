//! What clients want of the robot, and the words in which that is granted or refused.

use std::time::Duration;

/// A connection, by a number that no other one of this process has.
pub type ClientId = u64;

/// How the robot is asked to move as long as it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// For `cmd_vel`: m/s ahead, m/s to the left, rad/s.
    Twist {
        /// Ahead, m/s.
        vx: f64,
        /// To the left, m/s.
        vy: f64,
        /// Anticlockwise, rad/s.
        wz: f64,
    },
    /// For `velocity` and `curvature`.
    Arc {
        /// Along the path, m/s.
        velocity: f64,
        /// Dimensionless, positive to the left.
        curvature: f64,
    },
}

impl Motion {
    /// Whether it asks the robot to stand.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match *self {
            Self::Twist { vx, vy, wz } => vx == 0.0 && vy == 0.0 && wz == 0.0,
            Self::Arc { velocity, .. } => velocity == 0.0,
        }
    }

    /// The same topics, at rest.
    #[must_use]
    pub fn at_rest(&self) -> Self {
        match *self {
            Self::Twist { .. } => Self::Twist { vx: 0.0, vy: 0.0, wz: 0.0 },
            Self::Arc { curvature, .. } => Self::Arc { velocity: 0.0, curvature },
        }
    }
}

/// A way to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All servos off at once.
    Emergency,
    /// With all feet planted.
    Halt,
}

/// What is to be published, now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// A motion, or a zero.
    Move(Motion),
    /// A stop.
    Stop(Stop),
}

/// Why something is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody drives, or somebody else.
    NoLease,
    /// Another client drives.
    HasDriver(ClientId),
    /// The intent has waited somewhere, or its sender sees an old picture.
    Stale,
    /// Whoever asked for it did not know of the last stop.
    Unseen,
    /// The stick has to be released first.
    ReleaseFirst,
    /// The servos have to be enabled first.
    Stopped,
}

/// What a client asks of the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// To drive, if nobody does.
    Take,
    /// To drive, whoever does.
    TakeOver,
    /// To drive no more.
    Release,
}

/// What holds the robot after a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Nothing.
    #[default]
    Nothing,
    /// The driver has to send zero.
    Zero,
    /// The servos have to be enabled, then [`Hold::Zero`].
    Enable,
}

/// What a client knew of when it asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// The state of this number, and none later.
    State(u64),
    /// It does not say: what was sent to it by then, for its connection answered a ping of that time.
    Until(Duration),
}

/// An intent to move, as it came in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intent {
    /// How.
    pub motion: Motion,
    /// Number of the newest state that its sender had seen.
    pub seen: u64,
    /// When it was received.
    pub received: Duration,
}
