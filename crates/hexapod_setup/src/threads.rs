//! Work for which nobody wants to wait piece by piece.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// Does each piece on a thread of its own, or here where no more threads are to be had; what came of each, in their order.
pub(crate) fn each<T: Copy + Send, R: Send>(
    pieces: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    scope(|scope| {
        let started: Vec<_> =
            pieces.into_iter().map(|piece| (piece, Builder::new().spawn_scoped(scope, move || work(piece)))).collect();
        let ended = started.into_iter().map(|(piece, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(piece),
        });
        ended.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_pieces_take_longer_the_earlier_they_come_expect_what_came_of_each_in_their_order() {
        let waits = |ms: u64| {
            std::thread::sleep(std::time::Duration::from_millis(ms));
            10 * ms
        };
        assert_eq!(each([20, 10, 0], waits), [200, 100, 0]);
    }
}
