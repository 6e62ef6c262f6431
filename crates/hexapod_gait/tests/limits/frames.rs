//! A robot walks the same wherever its description has the base link, which only says how commands count. Poses of the body are
//! left out: the search for the room that a pose has ends a little elsewhere by rounding, and then so does the walk.

use crate::common::{engine_of, mimicking, urdf};
use hexapod_gait::{Engine, Input, Tick, Twist};
use hexapod_kinematics::LegAngles;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use proptest::prelude::*;

/// Joint angles, rad, and places, m, that differ by less are the same.
const SAME: f64 = 1e-9;
const DT: f64 = 0.01;

/// The same robot on a base link that has its own at this place.
fn moved(urdf: &str, base_from_own: &Isometry3<f64>) -> String {
    let (at, (.., yaw)) = (base_from_own.translation.vector, base_from_own.rotation.euler_angles());
    let root = format!(
        "<link name=\"corner\"/><joint name=\"corner\" type=\"fixed\"><parent link=\"corner\"/><child link=\"base_link\"/>\
         <origin xyz=\"{:.17} {:.17} {:.17}\" rpy=\"0 0 {yaw:.17}\"/></joint></robot>",
        at.x, at.y, at.z
    );
    urdf.replace("</robot>", &root)
}

/// The same motion as a twist of the other base link.
fn twist_of(twist: Twist, base_from_own: &Isometry3<f64>) -> Twist {
    let at = base_from_own.inverse().translation.vector;
    let along = base_from_own.rotation * twist.velocity_at(at.xy()).push(0.0);
    Twist::new(along.x, along.y, twist.wz)
}

fn furthest(a: &[LegAngles], b: &[LegAngles]) -> f64 {
    let pairs = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b.iter()));
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Stands both up, drives them, and compares them at every tick.
fn same_walks(urdf: &str, base_from_own: &Isometry3<f64>, drives: &[(Twist, usize)]) -> Result<(), TestCaseError> {
    let (mut one, mut other) = (engine_of(urdf), engine_of(&moved(urdf, base_from_own)));
    let names = |engine: &Engine| engine.legs().iter().map(|leg| leg.name().to_owned()).collect::<Vec<_>>();
    prop_assert_eq!(names(&one), names(&other));
    one.stand();
    other.stand();
    let compared = |one: &Tick, other: &Tick| {
        let apart = furthest(&one.angles, &other.angles);
        prop_assert!(apart < SAME, "{} rad apart", apart);
        prop_assert_eq!((one.state, one.contacts), (other.state, other.contacts));
        let (own, theirs) = (twist_of(one.twist, base_from_own), other.twist);
        prop_assert!((own.vx - theirs.vx).abs() + (own.vy - theirs.vy).abs() + (own.wz - theirs.wz).abs() < SAME);
        for (foot, same) in one.feet.iter().zip(&other.feet).take(one.angles.len().min(4)) {
            let in_body = base_from_own * one.footprint_from_body.inverse_transform_point(&(*foot).into());
            let theirs = other.footprint_from_body.inverse_transform_point(&(*same).into());
            prop_assert!((in_body - theirs).norm() < SAME);
        }
        Ok(())
    };
    for _ in 0..300 {
        compared(&one.step(&Input::default(), DT).clone(), other.step(&Input::default(), DT))?;
    }
    for (twist, ticks) in drives {
        let input = Input { twist: *twist, ..Input::default() };
        let as_other = Input { twist: twist_of(*twist, base_from_own), ..Input::default() };
        for _ in 0..*ticks {
            compared(&one.step(&input, DT).clone(), other.step(&as_other, DT))?;
        }
    }
    Ok(())
}

fn base() -> impl Strategy<Value = Isometry3<f64>> {
    let far = 0.5;
    (-far..far, -far..far, -far..far, -3.1..3.1f64).prop_map(|(x, y, z, yaw)| {
        Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(0.0, 0.0, yaw))
    })
}

fn drives() -> impl Strategy<Value = Vec<(Twist, usize)>> {
    let drive = (-0.2..0.2f64, -0.2..0.2f64, -0.8..0.8f64, 50..200usize)
        .prop_map(|(vx, vy, wz, ticks)| (Twist::new(vx, vy, wz), ticks));
    prop::collection::vec(drive, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn when_the_base_link_is_elsewhere_or_turned_expect_the_same_walk(
        base in base(), drives in drives(), text in prop::sample::select(vec![urdf(4), urdf(6), mimicking(4), mimicking(6), urdf(8)]),
    ) {
        same_walks(&text, &base, &drives)?;
    }
}
