use super::*;
use crate::solid::capsule::Capsule;
use crate::solid::distance;
use nalgebra::Vector3;
use proptest::prelude::*;

fn point() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0f64).prop_map(Vector3::from)
}

fn segment() -> impl Strategy<Value = [Vector3<f64>; 2]> {
    // Points and parallel lines among them.
    (point(), point(), 0..4u8).prop_map(|(a, b, kind)| match kind {
        0 => [a, a],
        1 => [a, a + Vector3::new(b.x, 0.0, 0.0)],
        _ => [a, b],
    })
}

/// The least distance from points of a segment, found by looking at many.
fn sampled([a, b]: [Vector3<f64>; 2], of: impl Fn(Vector3<f64>) -> f64) -> f64 {
    (0..=400).map(|i| of(a + (b - a) * (f64::from(i) / 400.0))).fold(f64::INFINITY, f64::min)
}

fn shipped() -> Robot {
    Robot::from_urdf(include_str!("../../../../urdf/hexapod.urdf")).unwrap()
}

fn standing(robot: &Robot) -> Vec<LegAngles> {
    robot.legs().iter().map(|leg| LegAngles::from_fn(leg.joint_count(), |i| [0.0, 0.5, -1.5][i.min(2)])).collect()
}

proptest! {
    #[test]
    fn when_segments_are_sampled_expect_no_pair_of_points_nearer_and_one_about_as_near(
        one in segment(), other in segment(),
    ) {
        let distance = distance::of_segments(&one, &other);
        let nearest = sampled(one, |p| distance::of_segments(&[p, p], &other));
        prop_assert!(distance <= nearest + 1e-9 && distance >= nearest - 0.005, "{distance} {nearest}");
        prop_assert!((distance - distance::of_segments(&other, &one)).abs() < 1e-9);
    }

    #[test]
    fn when_a_point_is_compared_with_a_segment_expect_its_nearest_point(p in point(), other in segment()) {
        let nearest = sampled(other, |q| (q - p).norm());
        let distance = distance::of_segments(&[p, p], &other);
        prop_assert!(distance <= nearest + 1e-12 && distance >= nearest - 0.005);
    }

    #[test]
    fn when_a_segment_is_sampled_expect_no_point_nearer_to_the_box_and_one_about_as_near(
        line in segment(), half in prop::array::uniform3(0.01..0.5f64).prop_map(Vector3::from),
    ) {
        let outside = |p: Vector3<f64>| (p - p.zip_map(&half, |x, h| x.clamp(-h, h))).norm();
        let (distance, nearest) = (distance::from_box(&line, &half), sampled(line, outside));
        prop_assert!(distance <= nearest + 1e-9 && distance >= nearest - 0.005, "{distance} {nearest}");
    }

    #[test]
    fn when_capsules_have_boxes_apart_expect_them_no_nearer(one in segment(), other in segment(), apart in 0.0..3.0f64) {
        let one = Capsule { ends: one, radius: 0.1 };
        let other = Capsule { ends: other.map(|end| end + Vector3::repeat(apart)), radius: 0.2 };
        prop_assert!(one.bounds().gap(&other.bounds()) <= one.distance(&other) + 1e-12);
    }

    #[test]
    fn when_legs_are_anywhere_expect_the_verdict_of_comparing_all_with_all(
        angles in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 6), clearance in 0.0..0.05f64,
    ) {
        let robot = shipped();
        let home = standing(&robot);
        let check = SelfCollision::new(&robot, &home, clearance);
        let angles: Vec<LegAngles> = angles.iter().zip(robot.legs()).map(|(at, leg)| {
            leg.clamp(&LegAngles::from_fn(3, |i| [0.7, 1.5, 1.5][i] * at[i] - [0.0, 0.0, 1.0][i]))
        }).collect();
        let mut placed = [Placed::NONE; MAX_LEGS];
        place_all(&check.legs, &robot, &angles, &mut placed);
        let near = pairs(6).any(|(one, other)| {
            let all = placed[one].iter().flat_map(|(a, _)| placed[other].iter().map(move |(b, _)| a.distance(b, f64::INFINITY)));
            all.fold(f64::INFINITY, f64::min) < check.apart[one][other]
        });
        let found = check.check(&robot, &angles);
        let legs = matches!(found, Some(TooNear { to: Neighbour::Leg(_), .. }));
        prop_assert_eq!(near, legs, "{:?}", found);
        if let Some(found) = found {
            prop_assert!(found.distance < found.least);
        }
    }
}

/// A robot of two legs ahead, 5 cm apart, and two behind, whose hips are balls this thick.
fn thick(radius: f64) -> Robot {
    Robot::from_urdf(&with_shanks(radius, "")).unwrap()
}

/// The description of that robot, with a shape for each shank.
fn with_shanks(radius: f64, shank: &str) -> String {
    let leg = |name: &str, x: f64, y: f64, yaw: f64| {
        let shape = format!(r#"<collision><geometry><sphere radius="{radius}"/></geometry></collision>"#);
        format!(
            r#"<link name="{name}_a">{shape}</link><joint name="{name}_1" type="revolute"><parent link="base"/>
            <child link="{name}_a"/><origin xyz="{x} {y} 0" rpy="0 0 {yaw}"/><axis xyz="0 0 1"/>
            <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
            <link name="{name}_b"/><joint name="{name}_2" type="revolute"><parent link="{name}_a"/>
            <child link="{name}_b"/><origin xyz="0.05 0 0"/><axis xyz="0 -1 0"/>
            <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
            <link name="{name}_c">{shank}</link><joint name="{name}_3" type="revolute"><parent link="{name}_b"/>
            <child link="{name}_c"/><origin xyz="0.05 0 0"/><axis xyz="0 -1 0"/>
            <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
            <link name="{name}_d"/><joint name="{name}_4" type="fixed"><parent link="{name}_c"/>
            <child link="{name}_d"/><origin xyz="0.08 0 0"/></joint>"#
        )
    };
    let back = std::f64::consts::PI;
    let legs = [leg("lf", 0.1, 0.025, 0.0), leg("rf", 0.1, -0.025, 0.0)];
    let legs = [legs.concat(), leg("lb", -0.1, 0.025, back), leg("rb", -0.1, -0.025, back)].concat();
    format!(r#"<robot name="r"><link name="base"/>{legs}</robot>"#)
}

#[test]
fn when_a_link_is_a_mesh_that_can_be_read_expect_it_as_thick_as_that_and_else_a_line() {
    // Six of the eight corners of a bar of 8 cm by 2 cm by 2 cm along x.
    let bar = "solid bar\nvertex 0 -0.01 -0.01\nvertex 0.08 -0.01 -0.01\nvertex 0.08 0.01 0.01\n\
               vertex 0 0.01 0.01\nvertex 0 -0.01 0.01\nvertex 0.08 0.01 -0.01\nendsolid";
    let mesh = r#"<collision><geometry><mesh filename="bar.stl"/></geometry></collision>"#;
    let text = with_shanks(0.01, mesh);
    let read = |file: Option<&str>| {
        let mut read = |_: &str| file.map(|text| text.as_bytes().to_vec());
        let robot = Robot::from_urdf_and_meshes(&text, &crate::LegOptions::default(), &mut read).unwrap();
        let check = SelfCollision::new(&robot, &turned(0.0), 0.005);
        check.check(&robot, &turned(0.12)).is_some()
    };
    assert_eq!([read(None), read(Some(bar))], [false, true]);
}

/// Its front legs turned towards each other.
fn turned(by: f64) -> [LegAngles; 4] {
    [-by, 0.0, by, 0.0].map(|yaw| LegAngles::from([yaw, 0.0, 0.0]))
}

#[test]
fn when_legs_overlap_at_home_expect_them_taken_as_lines_that_keep_apart() {
    for (radius, capsule_distance) in [(0.015, 0.02), (0.03, 0.05)] {
        let robot = thick(radius);
        let check = SelfCollision::new(&robot, &turned(0.0), 0.02);
        assert_eq!(check.check(&robot, &turned(0.0)), None);
        // The feet come together, from 5 cm between them.
        let found = check.check(&robot, &turned(0.25)).unwrap();
        let least = (HOME_FRACTION * capsule_distance).min(0.02);
        assert!((found.least - least).abs() < 1e-9 && found.distance < least, "{found:?}");
    }
}

#[test]
fn when_legs_are_too_near_expect_them_to_go_apart_and_no_nearer() {
    let robot = thick(0.01);
    let check = SelfCollision::new(&robot, &turned(0.0), 0.02);
    assert!(check.check_way(&robot, &turned(0.05), &turned(0.12)).is_some());
    assert!(check.check_way(&robot, &turned(0.11), &turned(0.12)).is_some());
    assert_eq!(check.check_way(&robot, &turned(0.12), &turned(0.11)), None);
    assert_eq!(check.check_way(&robot, &turned(0.12), &turned(0.12)), None);
}

proptest! {
    #[test]
    fn when_legs_move_a_little_at_a_time_expect_the_verdict_of_a_look_at_all_of_them(
        goals in prop::collection::vec(prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 6), 4),
        steps in 1..60usize,
    ) {
        let robot = shipped();
        let home = standing(&robot);
        let (check, mut look) = (SelfCollision::new(&robot, &home, 0.02), Look::default());
        let mut from = [LegAngles::zeros(3); MAX_LEGS];
        from[..6].copy_from_slice(&home);
        for goal in goals {
            let mut to = from;
            for (to, (leg, at)) in to.iter_mut().zip(robot.legs().iter().zip(goal)) {
                *to = leg.clamp(&LegAngles::from_fn(3, |i| [0.7, 1.5, 1.5][i] * at[i] - [0.0, 0.0, 1.0][i]));
            }
            for step in 1..=steps {
                let fraction = step as f64 / steps as f64;
                let now: [LegAngles; MAX_LEGS] =
                    std::array::from_fn(|leg| LegAngles::from_fn(3, |i| from[leg][i] + fraction * (to[leg][i] - from[leg][i])));
                prop_assert_eq!(check.is_clear(&robot, &now, &mut look), check.check(&robot, &now[..6]).is_none());
            }
            from = to;
        }
    }
}

#[test]
fn when_the_robot_stands_expect_nothing_too_near_and_five_shapes_a_leg() {
    let robot = shipped();
    let home = standing(&robot);
    let check = SelfCollision::new(&robot, &home, 0.02);
    assert_eq!(check.shape_count(), 30);
    assert_eq!(check.check(&robot, &home), None);
}

#[test]
fn when_two_legs_of_a_side_turn_towards_each_other_expect_both_named() {
    let robot = shipped();
    let mut angles = standing(&robot);
    let check = SelfCollision::new(&robot, &angles, 0.02);
    angles[0][0] = 0.7;
    angles[1][0] = -0.7;
    let found = check.check(&robot, &angles).unwrap();
    assert_eq!((found.leg, found.to), (0, Neighbour::Leg(1)), "{found:?}");
}

#[test]
fn when_a_shank_folds_under_the_body_expect_the_body_named() {
    let robot = shipped();
    let mut angles = standing(&robot);
    let check = SelfCollision::new(&robot, &angles, 0.02);
    // Straight down and inwards.
    angles[1] = LegAngles::from_fn(3, |i| [0.0, -0.6, -2.6][i]);
    let found = check.check(&robot, &angles).unwrap();
    assert_eq!((found.leg, found.to), (1, Neighbour::Body), "{found:?}");
    assert_eq!(found.least, OFF_BODY_M);
}

proptest! {
    #[test]
    fn when_legs_are_anywhere_in_their_clear_ranges_expect_none_too_near(
        turns in prop::array::uniform6(-0.3..0.3f64), bent in (0.0..1.2f64, -2.6..-1.0f64), clearance in 0.0..0.05f64,
        places in prop::collection::vec(prop::collection::vec(anywhere(), 6), 40),
    ) {
        let robot = shipped();
        let home: Vec<LegAngles> = turns.iter().map(|turn| LegAngles::from([*turn, bent.0, bent.1])).collect();
        let check = SelfCollision::new(&robot, &home, clearance);
        let Some(ranges) = check.clear_ranges(&robot, &home) else { return Ok(()) };
        for at in places {
            let angles: Vec<LegAngles> = at.iter().zip(&ranges).map(|(at, [low, high])| {
                LegAngles::from_fn(3, |i| low[i] + (high[i] - low[i]) * at[i])
            }).collect();
            prop_assert_eq!(check.check(&robot, &angles), None);
        }
    }
}

/// A place in a range for each joint, at an end of it as often as between.
fn anywhere() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64])
}

#[test]
fn when_the_robot_stands_expect_its_legs_clear_as_far_as_they_walk() {
    let robot = shipped();
    let home = standing(&robot);
    let ranges = SelfCollision::new(&robot, &home, 0.02).clear_ranges(&robot, &home).unwrap();
    for (leg, ([low, high], home)) in ranges.iter().zip(&home).enumerate() {
        for (joint, aside) in [0.35, 0.45, 0.45].into_iter().enumerate() {
            assert!(low[joint] <= home[joint] - aside && high[joint] >= home[joint] + aside, "{leg}: {low:?} {high:?}");
        }
    }
}
