use super::*;
use crate::params::shipped;
use crate::setup::Setup;
use hexapod_kinematics::LegAngles;
use nalgebra::{Isometry3, Point2, Vector3};
use rtrb::{Producer, RingBuffer};

const MS: fn(u64) -> Duration = Duration::from_millis;
/// The body above flat ground, m.
const HIGH_M: f64 = 0.1;

struct Bench {
    mapping: Mapping,
    poses: Producer<Pose>,
    seen: triple_buffer::Output<Seen>,
    angles: [LegAngles; hexapod_kinematics::MAX_LEGS],
}

impl Bench {
    fn new() -> Self {
        let engine = Setup::load(&shipped()).unwrap().engine;
        let angles = engine.last().angles;
        let ((poses, taken), (maps, seen)) = (RingBuffer::new(64), triple_buffer::triple_buffer(&Seen::default()));
        Self { mapping: Mapping::new(engine, (taken, maps)), poses, seen, angles }
    }

    /// The robot is at `x_m` at this time, and epoch.
    fn stands(&mut self, at: Duration, epoch: u32, x_m: f64) {
        let odom_from_body = Isometry3::translation(x_m, 0.0, HIGH_M);
        let (footprint_from_body, angles) = (Isometry3::translation(0.0, 0.0, HIGH_M), self.angles);
        self.poses.push(Pose { at, epoch, odom_from_body, footprint_from_body, angles }).unwrap();
        self.mapping.take_poses();
    }

    /// A cloud of flat ground 0.3 m ahead of the body, taken at this time.
    fn sees(&mut self, at: Duration, rise_m: f64) -> Result<(), Refusal> {
        let body_from_sensor = Isometry3::from_parts(Vector3::new(0.1, 0.0, 0.0).into(), Default::default());
        let line = |k: u16| f32::from(k) * 0.005;
        let z = (rise_m - HIGH_M) as f32;
        let points = (0..400).map(|k| [0.15 + line(k % 20), line(k / 20) - 0.05, z]).collect();
        self.mapping.take(&Cloud { at, points, body_from_sensor }).map(|_| ())
    }

    fn height_m(&mut self, x_m: f64) -> Option<f64> {
        self.seen.read().map.height(&Point2::new(x_m, 0.0)).map(|height| height.mean_m)
    }
}

#[test]
fn when_a_cloud_comes_late_expect_it_where_the_robot_was_when_it_was_taken() {
    let mut bench = Bench::new();
    (0..40).for_each(|tick| bench.stands(MS(10 * tick), 0, 0.01 * tick as f64));
    bench.sees(MS(100), 0.02).unwrap();
    assert_eq!(bench.seen.read().at, Some(MS(100)));
    // The points lie 0.25 to 0.35 m ahead of the body, which was at 0.1 m.
    let height_m = bench.height_m(0.4).unwrap();
    assert!((height_m - 0.02).abs() < 0.003, "{height_m}");
    assert_eq!(bench.height_m(0.65), None, "there they would be, had the robot not gone on");
}

#[test]
fn when_nobody_knows_where_the_robot_was_or_nothing_is_ground_expect_the_cloud_refused_and_the_map_as_it_was() {
    let mut bench = Bench::new();
    assert!(bench.sees(MS(0), 0.0).is_err(), "before the first tick");
    bench.stands(MS(1000), 0, 0.0);
    assert_eq!(bench.sees(MS(800), 0.0), Err(Refusal::NoPose));
    assert_eq!(bench.sees(MS(1000), 5.0), Err(Refusal::NoGround), "a ceiling");
    assert_eq!(bench.seen.read().at, None);
    assert!(bench.sees(MS(1000), 0.0).is_ok());
}

#[test]
fn when_a_refusal_is_left_expect_the_last_taken_once() {
    let last = LastRefusal::default();
    assert_eq!(last.take(), None);
    last.set(Refusal::NoPose);
    last.set(Refusal::NoGround);
    assert_eq!([last.take(), last.take()], [Some(Refusal::NoGround), None]);
}

#[test]
fn when_odometry_starts_anew_or_time_goes_back_expect_an_empty_map() {
    for (at, epoch) in [(1100, 1), (200, 0)] {
        let mut bench = Bench::new();
        bench.stands(MS(1000), 0, 0.0);
        bench.sees(MS(1000), 0.02).unwrap();
        assert!(bench.height_m(0.3).is_some());
        bench.stands(MS(at), epoch, 1.0);
        bench.sees(MS(at), 0.0).unwrap();
        assert_eq!((bench.height_m(0.3), bench.seen.read().epoch), (None, epoch));
        assert!(bench.height_m(1.3).is_some());
    }
}
