//! Where robots begin: put onto the ground, and lying on it once their servos have given way.

use crate::common::{battery, free, servos, settings, shipped};
use crate::rig::other::{Body, LIGHT, QUAD};
use hexapod_kinematics::{LegAngles, Robot, Shape};
use hexapod_sim::{Assembly, Ground, HeightMap, Simulator, Terrain, World};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use std::sync::Arc;

const SHIPPED: &str = include_str!("../../../urdf/hexapod.urdf");
const FIVE_JOINTS: &str = include_str!("../../hexapod_dynamics/tests/golden/five_joints.urdf");
const SEVEN_LEGS: &str = include_str!("../../hexapod_gait/tests/data/seven_legs.urdf");
/// A robot's servos give way for so long before it is switched on, s.
const LIMP_S: f64 = 1.0;
/// How deep a robot that lies still is in the ground at most, m.
const DEEP_M: f64 = 2e-4;

/// A description without the collision shapes of some links.
fn without_shapes(urdf: &str, of: impl Fn(&str) -> bool) -> Arc<Robot> {
    let mut bare = String::new();
    for (index, link) in urdf.split("<link ").enumerate() {
        let name = link.split('"').nth(1).unwrap_or_default();
        bare.push_str(if index > 0 { "<link " } else { "" });
        let mut rest = link;
        while let Some((before, after)) = rest.split_once("<collision").filter(|_| index > 0 && of(name)) {
            bare.push_str(before);
            rest = after.split_once("</collision>").unwrap().1;
        }
        bare.push_str(rest);
    }
    Arc::new(Robot::from_urdf(&bare).unwrap())
}

fn robots() -> Vec<(&'static str, Arc<Robot>)> {
    vec![
        ("shipped", shipped()),
        ("shipped, no shapes", without_shapes(SHIPPED, |_| true)),
        ("shipped, bare body", without_shapes(SHIPPED, |link| link.starts_with("base"))),
        ("shipped, bare legs", without_shapes(SHIPPED, |link| !link.starts_with("base"))),
        ("five joints", Arc::new(Robot::from_urdf(FIVE_JOINTS).unwrap())),
        ("seven legs", Arc::new(Robot::from_urdf(SEVEN_LEGS).unwrap())),
        ("six legs, bare feet", Body { ball: 0.0, ..LIGHT }.robot()),
        ("four legs", QUAD.robot()),
        ("four legs, three times as large", Body { size: 3.0, ..QUAD }.robot()),
    ]
}

/// Of the kinds of ground.
const HILLS: usize = 4;

fn hills(ahead: f64, left: f64) -> Terrain {
    let (count, cell) = (81, 0.05);
    let at = |index: usize| (index as f64 - 40.0) * cell;
    let heights = (0..count * count).map(|i| ahead * at(i % count) + left * at(i / count)).collect();
    Terrain::Heights(HeightMap::try_new(count, count, cell, heights).unwrap())
}

/// Ground, also such that begins below the robot, and its height at a place.
fn ground(kind: usize, seed: u64) -> (Ground, Box<dyn Fn(f64, f64) -> f64>) {
    let terrain = match kind {
        0 => Terrain::Flat,
        1 => Terrain::Rubble { height: 0.03, stone: 0.05, reach: 1.5, seed },
        2 => Terrain::Steps { start: 0.05, rise: 0.02, tread: 0.07, count: 5 },
        3 => Terrain::Ramp { start: 0.1, slope: 0.15, length: 0.5 },
        _ => return (Ground::of(hills(0.1, -0.05)), Box::new(|x, y| 0.1 * x - 0.05 * y)),
    };
    let ground = Ground::of(terrain);
    let boxes = ground.boxes();
    let top = move |x: f64, y: f64| {
        let tops = boxes.iter().filter_map(|of| {
            // Where the line that leads straight up comes out of the box's upper face.
            let up = of.pose.rotation * Vector3::z();
            let at = of.pose * Point3::new(0.0, 0.0, 0.5 * of.size.z);
            let z = at.z - (up.x * (x - at.x) + up.y * (y - at.y)) / up.z;
            let inside = of.pose.inverse_transform_point(&Point3::new(x, y, z));
            (inside.x.abs() <= 0.5 * of.size.x && inside.y.abs() <= 0.5 * of.size.y).then_some(z)
        });
        tops.fold(0.0, f64::max)
    };
    (ground, Box::new(top))
}

/// Feet, as the kinematic model has them, hips, and middles of shapes, in the world.
fn points(robot: &Robot, world: &World) -> Vec<(String, Point3<f64>)> {
    let assembly = world.assembly();
    let of_leg = robot.legs().iter().zip(&assembly.legs).flat_map(|(leg, hinges)| {
        let angles = LegAngles::from_fn(hinges.len(), |joint| world.position(hinges[joint]));
        let hip = assembly.hinges[hinges[0]].parent_from_joint.translation.vector;
        let points = [("foot", leg.foot_in_body(&angles)), ("hip", hip)];
        points.map(|(what, point)| (format!("{what} of {}", leg.name()), world.base() * Point3::from(point)))
    });
    let shapes = assembly.parts.iter().enumerate().flat_map(|(index, part)| {
        let at = move |shape: &Shape| world.part(index) * shape.link_from_shape * Point3::origin();
        part.shapes.iter().map(move |shape| (format!("shape of part {index}"), at(shape)))
    });
    of_leg.chain(shapes).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_robot_begins_on_any_ground_expect_it_on_it_and_nothing_below_before_and_after_its_servos_give_way(
        which in 0..9_usize, kind in 0..5_usize, seed in any::<u64>(), at in prop::collection::vec(0.0..1.0, 35),
    ) {
        let (name, robot) = robots().swap_remove(which);
        let (ground, height) = ground(kind, seed);
        let world = World::new(&robot, &ground, &free(), settings(0.005)).unwrap();
        let mut simulator = Simulator::new(world, &robot, &servos("perfect"), battery());
        let stops = simulator.world().assembly().hinges.iter().map(|hinge| hinge.stops.unwrap_or_default());
        let start: Vec<f64> = stops.zip(at).map(|([lower, upper], at)| lower + at * (upper - lower)).collect();
        simulator.put_back(&start);

        let gap = |world: &World| {
            let gaps = points(&robot, world).into_iter().map(|(what, at)| (at.z - height(at.x, at.y), what));
            gaps.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
        };
        let begins = gap(simulator.world());
        prop_assert!(begins.0 > 0.0, "{name}: {begins:?} m");
        if kind == 0 {
            let lowest = simulator.world().lowest();
            prop_assert!((0.0..0.002).contains(&lowest), "{name}: {lowest} m");
        }
        // Hills are a skin without an inside: a thin leg that is let go of may fall through it.
        if kind == HILLS {
            return Ok(());
        }
        let steps = (LIMP_S / 0.005) as usize;
        (0..steps).for_each(|_| simulator.step());
        let lies = gap(simulator.world());
        prop_assert!(lies.0 > -DEEP_M, "{name} on {kind}: {lies:?} m");
        prop_assert!(kind != 0 || simulator.world().lowest() > -DEEP_M, "{name}: {} m", simulator.world().lowest());
    }
}

#[test]
fn when_a_body_is_too_heavy_for_its_legs_expect_it_refused_with_both_weights() {
    let first = SHIPPED.split_once("<mass value=\"").unwrap().1.split_once('"').unwrap().0;
    let weighing = |kg: &str| {
        let urdf = SHIPPED.replacen(&format!("<mass value=\"{first}\""), &format!("<mass value=\"{kg}\""), 1);
        Assembly::new(&Robot::from_urdf(&urdf).unwrap())
    };
    assert!(weighing("60").is_ok());
    let refused = weighing("500").unwrap_err().to_string();
    assert!(refused.contains("weighs 500 kg") && refused.contains("0.184 kg"), "{refused}");
}
