/// What a key asks for. The caller carries it out: a topic, a service, or its own end.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Walk with this twist: `cmd_vel`.
    Drive {
        /// Forward, m/s.
        linear_x: f64,
        /// To the left, m/s.
        linear_y: f64,
        /// Turning to the left, rad/s.
        angular_z: f64,
    },
    /// Stand up.
    Stand,
    /// Sit down.
    Sit,
    /// Stop walking, feet planted.
    Stop,
    /// All servos off at once.
    EmergencyStop,
    /// Servos on or off.
    Enable(bool),
    /// Walk with the gait of this name.
    Gait(String),
    /// Play the motion of this name; an empty name ends the one that plays.
    Motion(String),
    /// Raise (or with a minus sign lower) the body by so many metres.
    BodyHeight(f64),
    /// End the program.
    Quit,
}

impl Action {
    /// Drive with a twist `[vx, vy, wz]`.
    pub fn drive([linear_x, linear_y, angular_z]: [f64; 3]) -> Self {
        Self::Drive { linear_x, linear_y, angular_z }
    }

    /// Whether it does nothing but stop: such an action is sent to a robot that is not heard, too.
    pub fn stops(&self) -> bool {
        match self {
            Self::Drive { linear_x, linear_y, angular_z } => [linear_x, linear_y, angular_z] == [&0.0; 3],
            Self::Stop | Self::EmergencyStop | Self::Enable(false) | Self::Quit => true,
            _ => false,
        }
    }
}
