//! A height of the body that is streamed to a robot that walks, by millimetres: steps need not become shorter for it.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::streams::{Hand, Measured, Stream, reference, under_way};
use hexapod_gait::{Input, Twist};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_robot_that_walks_is_to_go_up_and_down_by_little_expect_it_followed_gently_and_soon(
        index in 0usize..4, size in 0.1..1.0f64, hertz in 0.1..0.5f64, vx in -0.08..0.08f64, wz in -0.3..0.3f64,
    ) {
        let (way, twist) = ([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], Twist::new(vx, 0.01, wz));
        let stream = Stream { hand: Hand::Sine(hertz), way, size, hertz: 50.0 };
        let input = Input { twist, ..Input::default() };
        let Measured { worst, lag, .. } = stream.drive(&mut under_way(6, index, twist), input, 24.0)?;
        let walks = reference(6, index, twist, &stream);
        prop_assert!(worst <= 1.5 * walks, "{worst} rad/s^2, of {walks} in walks without a stream");
        prop_assert!(lag.is_none_or(|lag| lag <= 0.13), "{lag:?} s");
    }
}
