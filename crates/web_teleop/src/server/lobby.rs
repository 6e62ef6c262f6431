//! Places for connections, kept apart: those that have shown the token do not compete with those that have not. Where
//! there is no room, the newcomer gets in, and the oldest connection of the address that holds the most places goes: a flood
//! pushes out itself.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Connections at a time that have not shown the token.
const MOST_STRANGERS: usize = 64;
/// As many of them from one address; a browser opens six.
const MOST_OF_AN_ADDRESS: usize = 32;
/// Connections at a time that have shown it, other than WebSockets.
const MOST_KNOWN: usize = 64;

/// All places. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Lobby(Arc<Mutex<Places>>);

#[derive(Default)]
struct Places {
    number: u64,
    /// The oldest first.
    strangers: Vec<Taken>,
    known: Vec<Taken>,
}

struct Taken {
    number: u64,
    from: IpAddr,
    end: Arc<Notify>,
}

/// A connection's place, until it is dropped.
pub(super) struct Place {
    lobby: Lobby,
    number: u64,
    end: Arc<Notify>,
}

impl Lobby {
    /// Takes a place, from another connection where there is no room.
    pub fn enter(&self, from: IpAddr) -> Place {
        let (mut places, end, from) = (self.lock(), Arc::new(Notify::new()), network(from));
        places.number += 1;
        let number = places.number;
        if places.strangers.iter().filter(|taken| taken.from == from).count() >= MOST_OF_AN_ADDRESS {
            evict(&mut places.strangers, from);
        } else if places.strangers.len() >= MOST_STRANGERS
            && let Some(busiest) = busiest(&places.strangers)
        {
            evict(&mut places.strangers, busiest);
        }
        places.strangers.push(Taken { number, from, end: Arc::clone(&end) });
        Place { lobby: self.clone(), number, end }
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The connection has shown the token: it is not counted with those that have not any more.
    pub fn is_known(&self) {
        let mut places = self.lobby.lock();
        let Some(index) = places.strangers.iter().position(|taken| taken.number == self.number) else { return };
        let taken = places.strangers.remove(index);
        if places.known.len() >= MOST_KNOWN {
            places.known.remove(0).end.notify_one();
        }
        places.known.push(taken);
    }

    /// Ends when another connection has got the place.
    pub async fn is_lost(&self) {
        self.end.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.lobby.lock();
        places.strangers.retain(|taken| taken.number != self.number);
        places.known.retain(|taken| taken.number != self.number);
    }
}

/// Ends the oldest connection from an address.
fn evict(taken: &mut Vec<Taken>, from: IpAddr) {
    if let Some(index) = taken.iter().position(|taken| taken.from == from) {
        taken.remove(index).end.notify_one();
    }
}

/// The address with the most connections, of equal ones that with the oldest.
fn busiest(taken: &[Taken]) -> Option<IpAddr> {
    let count = |from: IpAddr| taken.iter().filter(|taken| taken.from == from).count();
    // `max_by_key` returns the last of equal ones.
    taken.iter().rev().map(|taken| taken.from).max_by_key(|from| count(*from))
}

/// The address that is counted: one computer has a whole /64 of IPv6 to itself.
fn network(from: IpAddr) -> IpAddr {
    match from.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
        v4 => v4,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_lost(place: &Place) -> bool {
        pin!(place.is_lost()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn when_strangers_take_all_places_expect_those_with_the_token_and_other_addresses_undisturbed() {
        let lobby = Lobby::default();
        let member = lobby.enter(address(1));
        member.is_known();
        let client = lobby.enter(address(2));
        let flood: Vec<Place> = (0..500_u16).map(|number| lobby.enter(address(100 + (number % 3) as u8))).collect();
        assert!(!is_lost(&member) && !is_lost(&client));
        let open = flood.iter().filter(|place| !is_lost(place)).count();
        assert!(open < MOST_STRANGERS, "{open}");
        assert!(!is_lost(flood.last().unwrap()), "whoever comes gets in");
        let late = lobby.enter(address(3));
        (0..500).map(|_| lobby.enter(address(100))).for_each(drop);
        assert!(!is_lost(&late) && !is_lost(&client));
        drop((member, client, flood, late));
        let places = lobby.lock();
        assert!(places.strangers.is_empty() && places.known.is_empty());
    }

    #[test]
    fn when_one_address_takes_many_places_expect_its_oldest_connections_ended() {
        let lobby = Lobby::default();
        let flood: Vec<Place> = (0..40).map(|_| lobby.enter(address(1))).collect();
        let lost: Vec<bool> = flood.iter().map(is_lost).collect();
        assert!(lost[..8].iter().all(|lost| *lost) && lost[8..].iter().all(|lost| !lost), "{lost:?}");
        // All of a /64 is one computer.
        let v6 = |host: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, 1, 2, 3, host]);
        let flood: Vec<Place> = (0..40).map(|host| lobby.enter(v6(host))).collect();
        assert_eq!(flood.iter().filter(|place| is_lost(place)).count(), 8);
    }

    #[test]
    fn when_those_with_the_token_take_all_of_their_places_expect_the_newest_kept() {
        let lobby = Lobby::default();
        let known: Vec<Place> = (0..70)
            .map(|_| {
                let place = lobby.enter(address(1));
                place.is_known();
                place.is_known();
                place
            })
            .collect();
        let lost: Vec<bool> = known.iter().map(is_lost).collect();
        assert!(lost[..6].iter().all(|lost| *lost) && lost[6..].iter().all(|lost| !lost), "{lost:?}");
    }
}
