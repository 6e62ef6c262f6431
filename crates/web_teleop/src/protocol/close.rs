//! Ends of a connection, with the codes of RFC 6455 and the protocol's own.

/// Why a connection is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// The server ends.
    Leaving,
    /// Another version of the protocol.
    Version,
    /// No `hello` in time.
    NoHello,
    /// Not a message of the protocol.
    BadMessage,
    /// Text that is no UTF-8.
    BadText,
    /// A message that is too long.
    TooLong,
    /// Too many messages.
    TooMany,
    /// Silent for too long.
    Silent,
}

impl Close {
    /// Its code.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Self::Leaving => 1001,
            Self::BadText => 1007,
            Self::TooLong => 1009,
            Self::Version => 4000,
            Self::NoHello => 4001,
            Self::BadMessage => 4002,
            Self::TooMany => 4003,
            Self::Silent => 4005,
        }
    }

    /// In words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Leaving => "the server ends",
            Self::BadText => "not UTF-8",
            Self::TooLong => "the message is too long",
            Self::Version => "another version of the protocol: reload the page",
            Self::NoHello => "no hello in time",
            Self::BadMessage => "not a message of the protocol",
            Self::TooMany => "too many messages",
            Self::Silent => "silent for too long",
        }
    }
}
