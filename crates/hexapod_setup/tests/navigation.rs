//! The shipped examples for robot_localization and Nav2 are right about the shipped robot.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use hexapod_config::ros_params::Params;
use hexapod_config::{Document, Source};
use hexapod_setup::{Description, Files, Walker, planner};
use nalgebra::Vector2;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Node<T> {
    #[serde(rename = "ros__parameters")]
    parameters: T,
}

fn read<T: for<'de> Deserialize<'de>>(name: &'static str, text: &str) -> T {
    Document::parse(Source::new(name, text)).unwrap().deserialize().unwrap()
}

#[derive(Deserialize)]
struct Ekf {
    frequency: f64,
    two_d_mode: bool,
    publish_tf: bool,
    map_frame: String,
    odom_frame: String,
    base_link_frame: String,
    world_frame: String,
    odom0: String,
    odom0_config: [bool; 15],
    imu0: String,
    imu0_config: [bool; 15],
}

/// Numbers of vx, vy and the turn about z in robot_localization's state.
const PLANAR_TWIST: [usize; 3] = [6, 7, 11];

#[test]
fn when_robot_localization_reads_its_example_expect_the_twist_of_odom_in_the_frames_of_this_robot() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        ekf_filter_node: Node<Ekf>,
    }
    let ekf = read::<File>("ekf.yaml", include_str!("../../../config/ekf.yaml")).ekf_filter_node.parameters;
    let robot = Description::read(&Files::shipped_alone().unwrap()).unwrap().robot;
    assert_eq!(ekf.base_link_frame, robot.model().base_link());
    assert_eq!((&*ekf.odom_frame, &*ekf.world_frame, &*ekf.map_frame), ("odom", "odom", "map"));
    assert_eq!((&*ekf.odom0, &*ekf.imu0), ("odom", "imu/data"));
    let fused = |config: [bool; 15]| (0..15).filter(|&n| config[n]).collect::<Vec<_>>();
    assert_eq!(fused(ekf.odom0_config), PLANAR_TWIST);
    assert_eq!(fused(ekf.imu0_config), [11]);
    assert!(ekf.publish_tf && ekf.two_d_mode && ekf.frequency == 50.0);
}

#[derive(Deserialize)]
struct Follower {
    motion_model: String,
    model_dt: f64,
    vx_max: f64,
    vx_min: f64,
    vy_max: f64,
    wz_max: f64,
    ax_max: f64,
    ay_max: f64,
    az_max: f64,
}

#[derive(Deserialize)]
struct Controller {
    controller_frequency: f64,
    enable_stamped_cmd_vel: bool,
    #[serde(rename = "FollowPath")]
    follow: Follower,
}

#[derive(Deserialize)]
struct Smoother {
    max_velocity: [f64; 3],
    min_velocity: [f64; 3],
    max_accel: [f64; 3],
}

#[derive(Deserialize)]
struct Costmap {
    robot_base_frame: String,
    footprint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nav2 {
    controller_server: Node<Controller>,
    velocity_smoother: Node<Smoother>,
    local_costmap: BTreeMap<String, Node<Costmap>>,
    global_costmap: BTreeMap<String, Node<Costmap>>,
}

fn nav2() -> Nav2 {
    read("nav2.yaml", include_str!("../../../config/nav2.yaml"))
}

fn params() -> Params {
    planner::specs().iter().map(|spec| (spec.name, spec.default.clone())).collect()
}

#[test]
fn when_nav2_reads_its_example_expect_the_speeds_that_the_planner_walks() {
    let limits = planner::limits(&params());
    let Nav2 { controller_server, velocity_smoother, .. } = nav2();
    let (controller, smoother) = (controller_server.parameters, velocity_smoother.parameters);
    let follow = &controller.follow;
    assert_eq!([follow.vx_max, -follow.vx_min, follow.vy_max], [limits.linear_velocity; 3]);
    assert_eq!([follow.wz_max, follow.az_max], [limits.angular_velocity, limits.angular_acceleration]);
    assert_eq!([follow.ax_max, follow.ay_max], [limits.linear_acceleration; 2]);
    assert_eq!(smoother.max_velocity, [limits.linear_velocity, limits.linear_velocity, limits.angular_velocity]);
    assert_eq!(smoother.min_velocity, smoother.max_velocity.map(|speed| -speed));
    let accelerations = [limits.linear_acceleration, limits.linear_acceleration, limits.angular_acceleration];
    assert_eq!(smoother.max_accel, accelerations);
    assert!((follow.model_dt * controller.controller_frequency - 1.0).abs() < 1e-9, "a step for each command");
    assert!(follow.motion_model == "Omni" && !controller.enable_stamped_cmd_vel);
}

#[test]
fn when_nav2_reads_its_example_expect_a_footprint_about_all_feet_of_every_step() {
    let files = Files::shipped_alone().unwrap();
    let description = Description::read(&files).unwrap();
    let walker =
        Walker::read(&params(), &description, &files.in_config("gaits.yaml"), &files.in_config("motions.yaml"))
            .unwrap();
    let half_stroke = 0.5 * walker.engine.stance().stroke(Vector2::x());
    let Nav2 { local_costmap, global_costmap, .. } = nav2();
    for costmap in local_costmap.values().chain(global_costmap.values()) {
        let costmap = &costmap.parameters;
        assert_eq!(costmap.robot_base_frame, "base_link");
        let corners: BTreeMap<String, Vec<[f64; 2]>> = read("footprint", &format!("corners: {}", costmap.footprint));
        let corners = &corners["corners"];
        let within =
            |foot: &Vector2<f64>| corners.iter().all(|[x, y]| foot.x.abs() < x.abs() && foot.y.abs() < y.abs());
        for foot in walker.engine.rest_feet() {
            let farthest = Vector2::new(foot.x.abs() + half_stroke, foot.y.abs() + half_stroke);
            assert!(within(&farthest), "{farthest} m, {}", costmap.footprint);
            assert!(corners.iter().all(|[x, y]| x.abs() < farthest.x + 0.3 && y.abs() < farthest.y + 0.3));
        }
    }
}
