//! Who sent something, and when.

use r2r_rcl::{rmw_message_info_t, rmw_service_info_t};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The middleware's number of an endpoint: a publisher, or the client of a service. No two are the same in a domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gid(pub [u8; 16]);

impl fmt::Debug for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Where a message comes from. Times are since 1970, on the system clocks of sender and receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageInfo {
    /// The publisher.
    pub sender: Gid,
    /// When it was published; zero if the middleware does not tell.
    pub sent: Duration,
    /// When the middleware received it; when it was taken, if the middleware does not tell.
    pub received: Duration,
    /// Its number among the messages of its publisher, if the middleware tells.
    pub sequence: Option<u64>,
}

/// Where a request comes from. When it was received is not reported: rmw_fastrtps puts the time of its sending there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestInfo {
    /// The client: the endpoint at which it takes its answers.
    pub client: Gid,
    /// When it was sent, since 1970 on the client's clock; zero if the middleware does not tell.
    pub sent: Duration,
    /// Its number among the requests of its client, if the middleware tells.
    pub sequence: Option<u64>,
}

impl From<&rmw_message_info_t> for MessageInfo {
    fn from(info: &rmw_message_info_t) -> Self {
        Self {
            sender: Gid(info.publisher_gid.data),
            sent: since_1970(info.source_timestamp).unwrap_or_default(),
            received: since_1970(info.received_timestamp).unwrap_or_else(system_now),
            sequence: numbered(info.publication_sequence_number),
        }
    }
}

impl From<&rmw_service_info_t> for RequestInfo {
    fn from(info: &rmw_service_info_t) -> Self {
        Self {
            client: Gid(info.request_id.writer_guid),
            sent: since_1970(info.source_timestamp).unwrap_or_default(),
            sequence: u64::try_from(info.request_id.sequence_number).ok().and_then(numbered),
        }
    }
}

/// A number that counts from 1; 0 and the greatest one (`RMW_MESSAGE_INFO_SEQUENCE_NUMBER_UNSUPPORTED`) mean that the
/// middleware does not count.
fn numbered(sequence: u64) -> Option<u64> {
    (sequence != 0 && sequence != u64::MAX).then_some(sequence)
}

/// A time of the middleware; zero and less mean that it does not tell.
fn since_1970(nanos: i64) -> Option<Duration> {
    u64::try_from(nanos).ok().filter(|&nanos| nanos > 0).map(Duration::from_nanos)
}

fn system_now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_middleware_tells_no_times_expect_the_time_of_the_take() {
        let before = system_now();
        let mut info = rmw_message_info_t::default();
        let unreported = MessageInfo::from(&info);
        assert_eq!(unreported.sent, Duration::ZERO);
        assert!((before..=system_now()).contains(&unreported.received));
        assert_eq!(unreported.sequence, None);
        info.publication_sequence_number = u64::MAX;
        assert_eq!(MessageInfo::from(&info).sequence, None);
        info.publication_sequence_number = 7;
        assert_eq!(MessageInfo::from(&info).sequence, Some(7));
        (info.source_timestamp, info.received_timestamp) = (1_500_000_000, 2_000_000_001);
        let reported = MessageInfo::from(&info);
        assert_eq!((reported.sent, reported.received), (Duration::from_millis(1500), Duration::new(2, 1)));
    }

    #[test]
    fn when_a_gid_is_shown_expect_its_bytes_in_hex() {
        let mut gid = Gid([0; 16]);
        (gid.0[0], gid.0[15]) = (0x01, 0xfe);
        assert_eq!(format!("{gid:?}"), "010000000000000000000000000000fe");
    }
}
