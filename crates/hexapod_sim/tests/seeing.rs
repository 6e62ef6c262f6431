//! A robot that sees the ground with a depth camera, and chooses its footholds.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use super::rig::TICK_S;
use super::rig::random::drawn;
use super::rig::rough::{Feels, Walker, each_seed};
use super::rig::shipped::{config, robot};
use hexapod_gait::Twist;
use hexapod_sim::{Ground, HeightMap, Mount, PointSensor, Terrain, World, lean};
use nalgebra::{Isometry3, Point3};

const WALK_S: f64 = 30.0;
const SPEED_M_S: f64 = 0.07;

fn ground(name: &str, size: f64) -> Ground {
    Ground::of(Terrain::named(name, (size != 0.0).then_some(size), 1).unwrap()).with_friction(0.8)
}

/// What comes of some walks, each a little faster than the one before, so that feet come down elsewhere.
struct Walks {
    /// Fractions of the commanded way, and their mean.
    fractions: Vec<f64>,
    mean: f64,
    /// The greatest lean of each, degrees.
    leans_deg: Vec<f64>,
}

impl Walks {
    fn over(name: &str, size: f64, gait: &str, feels: Feels, count: u64) -> Self {
        let walks = each_seed(0, count, |seed| walk(name, size, gait, feels, SPEED_M_S * (1.0 + 0.01 * seed as f64)));
        let (fractions, leans_deg): (Vec<f64>, _) = walks.into_iter().unzip();
        Self { mean: fractions.iter().sum::<f64>() / count as f64, fractions, leans_deg }
    }

    fn worst_lean_deg(&self) -> f64 {
        self.leans_deg.iter().copied().fold(0.0, f64::max)
    }
}

impl std::fmt::Display for Walks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2?} of the way, {:.0?} degrees", self.fractions, self.leans_deg)
    }
}

/// The fraction of the commanded way, and the greatest lean, degrees.
fn walk(name: &str, size: f64, gait: &str, feels: Feels, speed: f64) -> (f64, f64) {
    walk_on(&ground(name, size), gait, feels, speed)
}

fn walk_on(ground: &Ground, gait: &str, feels: Feels, speed: f64) -> (f64, f64) {
    let mut walker = Walker::standing(gait, ground, feels);
    walker.engine.set_step_height(0.05);
    let x = |walker: &Walker| walker.world.base().translation.vector.x;
    let (start, mut most) = (x(&walker), 0.0_f64);
    for _ in 0..(WALK_S / TICK_S) as usize {
        walker.tick(Twist::new(speed, 0.0, 0.0));
        most = most.max(lean(&walker.world.base()).to_degrees());
    }
    ((x(&walker) - start) / (speed * WALK_S), most)
}

#[test]
fn when_it_sees_the_ground_expect_it_over_steps_gaps_and_rubble() {
    let grounds = [
        ("steps", 0.05, 0.82, 20.0),
        ("stairs", 0.04, 0.75, 20.0),
        ("gaps", 0.04, 0.8, 15.0),
        ("gaps", 0.06, 0.6, 30.0),
        ("rubble", 0.06, 0.76, 15.0),
        ("stepfield", 0.05, 0.7, 12.0),
    ];
    for (name, size, least, most_deg) in drawn(&grounds, 2) {
        let walks = Walks::over(name, size, "tripod", Feels::Sees, 3);
        assert!(walks.mean > least && walks.worst_lean_deg() < most_deg, "{name} {size}: {walks}");
    }
}

#[test]
fn when_it_sees_a_steep_ramp_expect_it_up_there_with_its_body_along_the_slope_as_far_as_it_would_feel_its_way() {
    // 20, 25 and 30 degrees.
    for (rise, degrees, least) in drawn(&[(0.364, 20.0, 0.88), (0.466, 25.0, 0.72), (0.577, 30.0, 0.6)], 1) {
        let walks = Walks::over("ramp", rise, "tripod", Feels::Sees, 4);
        let follows = walks.leans_deg.iter().all(|lean| (lean - degrees).abs() < 3.0);
        assert!(walks.mean > least && follows, "{degrees} degrees: {walks}");
    }
}

/// Odometry learns how the body leans only after the camera has seen the slope, and on the upper side the ground is as high as
/// the camera.
#[test]
fn when_it_walks_across_a_steep_slope_or_down_one_in_sight_expect_it_not_to_stop_as_at_a_brink() {
    let across = |rise: f64| {
        let cells = (0..70).flat_map(|row| (0..200).map(move |_| rise * 0.03 * f64::from(row))).collect();
        Ground::of(Terrain::Heights(HeightMap::try_new(200, 70, 0.03, cells).unwrap())).with_friction(0.9)
    };
    for (ground, least) in [(across(0.4), 0.9), (across(0.5), 0.85), (ground("ramp", -0.577), 0.8)] {
        let ways = each_seed(0, 2, |seed| {
            walk_on(&ground, "tripod", Feels::Reckons, SPEED_M_S * (1.0 + 0.01 * seed as f64)).0
        });
        assert!(ways.iter().all(|way| *way > least), "{ways:.2?} of the way, at least {least}");
    }
}

#[test]
fn when_it_sees_the_ground_with_its_pose_by_odometry_expect_it_over_steps_and_gaps() {
    // Over gaps it gets 0.5 of the way where the map is not moved along x and y, and less than that blind.
    for (name, size, least) in drawn(&[("steps", 0.05, 0.65), ("gaps", 0.06, 0.6)], 1) {
        let walks = Walks::over(name, size, "tripod", Feels::Reckons, 6);
        assert!(walks.mean > least && walks.worst_lean_deg() < 30.0, "{name} {size}: {walks}");
    }
}

#[test]
fn when_the_ground_drops_away_expect_it_to_stop_before_it_falls_in_sight_of_a_bottom_or_not() {
    // Steps down, deeper than its feet go, an edge beyond which there is nothing, and trenches.
    for (name, size, farthest) in [("steps", -0.2, 0.25), ("gaps", 10.0, 0.2), ("gaps", 0.16, 0.2)] {
        let [tripod, ripple] =
            ["tripod", "ripple"].map(|gait| [Feels::Sees, Feels::Reckons].map(|feels| (gait, feels)));
        for (gait, feels) in drawn(&[tripod, ripple].concat(), 1) {
            let walks = Walks::over(name, size, gait, feels, 3);
            let stops = walks.fractions.iter().all(|fraction| (0.0..farthest).contains(fraction));
            assert!(stops && walks.worst_lean_deg() < 35.0, "{name} {size} {gait}: {walks}");
        }
    }
}

/// Steps down of a metre begin 0.6 m ahead of where the body starts. A foot that is put down past that bears nothing, which
/// shows in the lean as soon as the others are lifted.
#[test]
fn when_feet_feel_nothing_expect_them_on_the_near_side_of_a_brink_that_is_seen_and_the_robot_level_on_its_way_back() {
    let leans_deg = each_seed(0, 6, |seed| {
        let speed = 0.05 + 0.004 * seed as f64;
        let mut walker = Walker::standing("tripod", &ground("steps", -1.0), Feels::Looks);
        let mut most_deg = 0.0_f64;
        for (seconds, vx) in [(0.66 / speed, speed), (2.0, 0.0), (6.0, -speed)] {
            for _ in 0..(seconds / TICK_S) as usize {
                walker.tick(Twist::new(vx, 0.0, 0.0));
                most_deg = most_deg.max(lean(&walker.world.base()).to_degrees());
            }
        }
        most_deg
    });
    assert!(leans_deg.iter().all(|&lean_deg| lean_deg < 4.0), "{leans_deg:.1?}");
}

/// Where the camera does not look, a foot over a hollow is no edge.
#[test]
fn when_it_walks_in_a_circle_or_back_over_rubble_expect_it_not_to_stop_as_at_a_brink() {
    let walks = [([0.05, 0.0, 0.25], 401), ([0.05, 0.0, 0.25], 402), ([-0.06, 0.0, 0.0], 306), ([0.0, 0.05, 0.0], 306)];
    for (twist, seed) in drawn(&walks, 2) {
        let terrain = Terrain::named("rubble", Some(0.05), seed).unwrap();
        let mut walker = Walker::standing("tripod", &Ground::of(terrain).with_friction(0.8), Feels::Sees);
        walker.engine.set_step_height(0.05);
        let [vx, vy, wz] = twist;
        for tick in 0..(15.0 / TICK_S) as usize {
            walker.tick(Twist::new(vx, vy, wz));
            let stops = walker.seeing.as_ref().is_some_and(|seeing| seeing.sight.is_at_brink());
            assert!(!stops, "{twist:?} {seed}: after {:.1} s", tick as f64 * TICK_S);
        }
    }
}

#[test]
fn when_it_sees_flat_ground_expect_it_to_walk_as_blind() {
    let on_flat = |feels| walk("flat", 0.0, "tripod", feels, SPEED_M_S);
    let (seeing, blind) = (on_flat(Feels::Sees), on_flat(Feels::Imu));
    assert!((seeing.0 - blind.0).abs() < 0.02 && seeing.1 < blind.1 + 0.5, "{seeing:?} for {blind:?}");
}

#[test]
fn when_a_camera_looks_at_a_floor_expect_points_on_it_and_at_a_step_its_edge() {
    for (name, size) in [("flat", 0.0), ("steps", 0.05)] {
        let mount = Mount::Free(Isometry3::translation(0.4, 0.0, 0.12));
        let config = config("");
        let mut world = World::new(&robot(), &ground(name, size), &mount, config.engine).unwrap();
        world.step();
        let mut camera = PointSensor::new(config.camera.sensor(), config.camera_link, &world, 1);
        let mut points = Vec::new();
        camera.read(&world, &mut points);
        let pose = camera.pose(&world);
        let seen = points.iter().map(|point| pose * Point3::from(point.map(f64::from)));
        let ahead: Vec<Point3<f64>> = seen.filter(|point| point.x > 0.57 && point.y.abs() < 0.04).collect();
        assert!(ahead.len() > 50, "{} points", ahead.len());
        for point in ahead {
            // A step begins 0.6 m ahead, the next 0.25 m farther on.
            let edge = [0.6, 0.85].iter().any(|edge| size > 0.0 && (point.x - edge).abs() < 0.02);
            let height = if size > 0.0 { ((point.x - 0.35) / 0.25).floor().clamp(0.0, 5.0) * size } else { 0.0 };
            assert!(edge || (point.z - height).abs() < 0.012, "{name}: {point}");
        }
    }
}

/// Twelve falls of twelve while the map went along with the rings that a lidar sees.
#[test]
fn when_a_lidar_alone_sees_the_ground_drop_away_expect_the_edge_to_stay_where_it_is_and_the_robot_to_stop_before_it() {
    for (name, size) in drawn(&[("steps", -0.2), ("steps", -0.3), ("gaps", 10.0)], 1) {
        let walks = Walks::over(name, size, "tripod", Feels::Spins, 4);
        let stops = walks.fractions.iter().all(|fraction| (0.05..0.25).contains(fraction));
        assert!(stops && walks.worst_lean_deg() < 30.0, "{name} {size}: {walks}");
    }
}
