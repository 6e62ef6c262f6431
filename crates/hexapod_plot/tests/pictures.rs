//! Pictures through the public API: valid XML, finite numbers, everything that was asked for is there.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use hexapod_plot::{
    Film, GaitChart, GaitRow, LineChart, PictureOptions, Placed, PlotError, Polyline, Rgb, Series, Shape, Theme,
    gait_diagram, line_plot, link_poses, place_visuals, robot_film, robot_picture, scene_picture,
};
use nalgebra::{Isometry3, Point3, Vector3};
use std::path::Path;

const LEGS: [&str; 6] = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];

fn urdf() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../urdf/hexapod.urdf");
    std::fs::read_to_string(path).unwrap()
}

/// Parses the picture and checks that no number in it is NaN or infinite.
fn check(svg: &str) -> roxmltree::Document<'_> {
    let document = roxmltree::Document::parse(svg).expect("valid XML");
    for node in document.descendants() {
        for attribute in node.attributes() {
            let value = attribute.value().to_lowercase();
            assert!(!value.contains("nan") && !value.contains("inf"), "{}={value}", attribute.name());
        }
    }
    assert_eq!(document.root_element().tag_name().name(), "svg");
    document
}

fn texts(document: &roxmltree::Document<'_>) -> Vec<String> {
    document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .map(String::from)
        .collect()
}

fn gait_chart() -> GaitChart {
    let rows = LEGS.iter().enumerate().map(|(index, leg)| GaitRow::new(*leg, (index % 2) as f64 * 0.5, 0.6)).collect();
    GaitChart { title: "tripod".into(), rows, cycle_s: Some(1.2), now: Some(0.3), ..GaitChart::default() }
}

#[test]
fn when_the_shipped_robot_is_drawn_expect_a_valid_picture_on_both_backgrounds() {
    for theme in [Theme::Light, Theme::Dark] {
        let options = PictureOptions { theme, ..PictureOptions::default() };
        let svg = robot_picture(&urdf(), &[("left_front_femur", 0.5), ("left_front_tibia", -1.9)], &options).unwrap();
        let document = check(&svg);
        let paths = document.descendants().filter(|node| node.has_tag_name("path")).count();
        assert!(paths > 200, "{paths}");
        assert!(svg.contains(&format!("fill=\"{}\"/>", theme.background())));
    }
}

#[test]
fn when_drawn_twice_expect_the_same_bytes() {
    let draw = || robot_picture(&urdf(), &[("right_rear_coxa", 0.3)], &PictureOptions::default()).unwrap();
    assert_eq!(draw(), draw());
}

#[test]
fn when_the_viewer_walks_around_expect_a_valid_picture_from_everywhere() {
    for step in 0..12 {
        let turn = f64::from(step) * 0.55;
        let options = PictureOptions {
            azimuth_rad: turn,
            elevation_rad: -1.5 + 0.25 * f64::from(step),
            width_px: 300.0,
            height_px: 200.0,
            ..PictureOptions::default()
        };
        check(&robot_picture(&urdf(), &[], &options).unwrap());
    }
}

#[test]
fn when_the_robot_is_placed_expect_its_feet_where_the_lengths_say() {
    let robot = urdf_rs::read_from_string(&urdf()).unwrap();
    let foot =
        |positions: &[(&str, f64)]| link_poses(&robot, positions).unwrap()["left_middle_foot"].translation.vector;
    assert!((foot(&[]) - Vector3::new(0.0, 0.100 + 0.251, 0.0)).norm() < 1e-9, "straight and level");
    let up = foot(&[("left_middle_femur", 0.2)]);
    assert!((up.z - 0.199 * 0.2_f64.sin()).abs() < 1e-9, "a positive femur lifts: {up}");
    let forward = foot(&[("left_middle_coxa", -0.2)]);
    assert!((forward.x - 0.251 * 0.2_f64.sin()).abs() < 1e-9, "anticlockwise is positive: {forward}");
    assert_eq!(
        place_visuals(&robot, &[]).unwrap().iter().filter(|p| matches!(p.shape, Shape::Sphere { .. })).count(),
        6
    );
}

#[test]
fn when_a_foot_path_is_given_expect_its_colour_in_the_picture() {
    let colour = Rgb::hex(0x12ab9f);
    let points = (0..10).map(|x| Point3::new(f64::from(x) * 0.02, 0.3, 0.05)).collect();
    let line = Polyline { points, colour, width_m: 0.003, dashed: true };
    let options = PictureOptions { polylines: vec![line], ..PictureOptions::default() };
    assert!(robot_picture(&urdf(), &[], &options).unwrap().contains(&format!("color=\"{colour}\"")));
}

#[test]
fn when_a_joint_is_unknown_or_not_finite_expect_it_named() {
    let unknown = robot_picture(&urdf(), &[("left_front_knee", 0.1)], &PictureOptions::default()).unwrap_err();
    assert!(
        matches!(&unknown, PlotError::UnknownJoint { joint, known } if joint == "left_front_knee" && known.contains("left_front_tibia"))
    );
    let nan = robot_picture(&urdf(), &[("left_front_coxa", f64::NAN)], &PictureOptions::default()).unwrap_err();
    assert!(nan.to_string().contains("left_front_coxa"));
    assert!(matches!(robot_picture("<robot", &[], &PictureOptions::default()), Err(PlotError::Urdf(_))));
}

#[test]
fn when_links_hang_on_no_root_expect_the_first_named() {
    let text = r#"<robot name="r"><link name="a"/><link name="b"/></robot>"#;
    let error = robot_picture(text, &[], &PictureOptions::default()).unwrap_err();
    assert!(matches!(error, PlotError::Unconnected { link } if link == "b"));
}

#[test]
fn when_a_scene_is_empty_or_senseless_expect_a_valid_picture_all_the_same() {
    check(&scene_picture(&[], &PictureOptions::default()));
    let mut solids = Vec::new();
    for size in [0.0, f64::NAN, f64::INFINITY, 1e9, 1e-9] {
        for shape in [
            Shape::Box { size: Vector3::repeat(size) },
            Shape::Cylinder { radius: size, length: size },
            Shape::Sphere { radius: size },
        ] {
            solids.push(Placed { shape, pose: Isometry3::translation(size, 0.0, 0.0), rgba: [0.5; 4] });
        }
    }
    check(&scene_picture(&solids, &PictureOptions::default()));
}

#[test]
fn when_series_are_plotted_expect_every_name_and_label() {
    let wave = |shift: f64| (0..100).map(|i| [f64::from(i) * 0.01, (f64::from(i) * 0.1 + shift).sin()]).collect();
    let mut series: Vec<Series> = LEGS
        .iter()
        .enumerate()
        .map(|(i, leg)| Series { name: (*leg).into(), points: wave(i as f64), dashed: i == 0 })
        .collect();
    series[2].points[50] = [0.5, f64::NAN];
    for equal_axes in [false, true] {
        let chart = LineChart {
            title: "Femur <angles> & more".into(),
            x_label: "time (s)".into(),
            y_label: "angle (rad)".into(),
            series: series.clone(),
            equal_axes,
            ..LineChart::default()
        };
        let svg = line_plot(&chart);
        let texts = texts(&check(&svg));
        for expected in LEGS.iter().chain(&["Femur <angles> & more", "time (s)", "angle (rad)"]) {
            assert!(texts.iter().any(|text| text == expected), "{expected}");
        }
    }
}

#[test]
fn when_values_are_senseless_expect_a_valid_chart_all_the_same() {
    let points =
        |values: &[f64]| Series { name: "s".into(), points: values.iter().map(|v| [*v, *v]).collect(), dashed: false };
    for values in [&[][..], &[1.0], &[f64::NAN; 3], &[f64::MAX, -f64::MAX], &[1e-300, 2e-300], &[f64::INFINITY, 0.0]] {
        check(&line_plot(&LineChart { series: vec![points(values)], ..LineChart::default() }));
        check(&line_plot(&LineChart {
            series: vec![points(values)],
            width_px: 1.0,
            height_px: 1.0,
            ..LineChart::default()
        }));
    }
}

#[test]
fn when_a_gait_is_drawn_expect_all_legs_named_with_their_duty() {
    let svg = gait_diagram(&gait_chart());
    let texts = texts(&check(&svg));
    for leg in LEGS {
        assert!(texts.iter().any(|text| text == leg), "{leg}");
    }
    assert_eq!(texts.iter().filter(|text| *text == "0.60").count(), 6);
}

#[test]
fn when_a_stance_is_longer_than_a_cycle_expect_a_full_bar() {
    let chart = GaitChart {
        rows: vec![GaitRow::new("leg", 0.25, 7.0), GaitRow::new("", f64::NAN, 0.5)],
        ..GaitChart::default()
    };
    let svg = gait_diagram(&chart);
    assert!(texts(&check(&svg)).iter().any(|text| text == "1.00"));
}

#[test]
fn when_a_robot_moves_expect_one_frame_at_a_time_each_for_its_part_of_the_cycle() {
    let frames = [0.0, 0.3, 0.6, 0.3].map(|angle| vec![("left_front_coxa", angle)]).to_vec();
    let film = Film { frames, cycle_s: 2.0, walked_m: 0.15 };
    let svg = robot_film(&urdf(), &film, &PictureOptions::default()).unwrap();
    let document = check(&svg);
    let frames: Vec<_> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("frame"))
        .map(|frame| frame.range())
        .collect();
    let delays: Vec<_> = document.descendants().filter_map(|node| node.attribute("style")).collect();
    assert_eq!(delays, ["-2s", "-1.5s", "-1s", "-0.5s"].map(|delay| format!("animation-delay:{delay}")));
    assert!(svg.contains("25.0000%{visibility:hidden}"));
    let drawn = |index: usize| svg[frames[index].clone()].split_once('>').unwrap().1;
    assert!(drawn(0) != drawn(1), "the leg has moved");
    assert!(drawn(1) != drawn(3), "the ground has gone on");
}

#[test]
fn when_a_film_is_of_unknown_joints_or_empty_expect_that_said_or_an_empty_stage() {
    let film = Film { frames: vec![vec![("knee", 0.1)]], cycle_s: 1.0, walked_m: 0.1 };
    assert!(matches!(robot_film(&urdf(), &film, &PictureOptions::default()), Err(PlotError::UnknownJoint { .. })));
    check(&robot_film(&urdf(), &Film { frames: vec![], ..film }, &PictureOptions::default()).unwrap());
}
