//! A simulated clock that stands.

use super::*;

/// A robot in mid-stride whose clock has just stopped.
fn in_mid_stride() -> Bench {
    let mut bench = Bench::standing();
    bench.say(Held::Pose(bench.core.last().angles));
    for _ in 0..60 {
        bench.send(Command::Twist(Twist::new(0.06, 0.0, 0.1)));
        bench.now += DT;
        bench.core.clock(Moment::real(bench.now));
        bench.core.tick(Moment::real(bench.now), DT.as_secs_f64());
    }
    assert_eq!(bench.state(), GaitState::Walking);
    bench
}

impl Bench {
    /// So much later, with the clock where it was; the state, if it is another one.
    fn tick_paused(&mut self, seconds: u64) -> Option<GaitState> {
        self.core.tick_paused(self.now + Duration::from_secs(seconds)).map(|tick| tick.state)
    }
}

#[test]
fn when_the_clock_stands_expect_an_emergency_stop_and_released_servos_to_end_the_walk_where_the_robot_is() {
    let stops: [fn(&mut Bench); 2] =
        [|bench| bench.send(Command::Freeze("emergency stop")), |bench| bench.say(Held::Nothing)];
    for stop in stops {
        let mut bench = in_mid_stride();
        let angles = bench.core.last().angles;
        assert_eq!(bench.tick_paused(1), None);
        stop(&mut bench);
        assert_eq!(bench.tick_paused(2), Some(GaitState::Standing));
        assert!(bench.core.watch.shown().angles == angles, "nothing moves");
        assert_eq!(bench.tick_paused(3), None, "it is reported once");
    }
}

#[test]
fn when_commands_come_while_the_clock_stands_expect_room_for_a_stop_that_holds_when_it_goes_on() {
    let mut bench = in_mid_stride();
    for _ in 0..200 {
        for _ in 0..20 {
            bench.send(Command::Twist(Twist::new(0.06, 0.0, 0.1)));
        }
        let is_crowded = bench.core.is_crowded();
        assert_eq!(bench.tick_paused(1), None);
        assert!(!is_crowded && !bench.core.is_crowded(), "all are taken in");
    }
    bench.send(Command::Stop);
    assert_eq!(bench.tick_paused(1), None, "it takes time");
    for _ in 0..300 {
        bench.send(Command::Twist(Twist::new(0.06, 0.0, 0.1)));
        bench.now += DT;
        bench.core.clock(Moment::real(bench.now));
        bench.core.tick(Moment::real(bench.now), DT.as_secs_f64());
    }
    assert_eq!(bench.state(), GaitState::Standing, "the stick is still pushed");
}
