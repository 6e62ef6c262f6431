//! The core in a browser walks as the robot's does, to the last bit.

use crate::random::Random;
use crate::robots::urdf;
use crate::script::{Call, calls, each_tick};
use hexapod_config::Source;
use hexapod_wasm::Description;
use serde_json::json;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const TICKS: usize = 100_000;
/// As many of a robot whose legs are solved by iteration, which takes longer.
const SLOW_TICKS: usize = 5_000;
/// How many times as long as the same step here a step in WebAssembly may take: 6.5, since it is built for size, as it comes over
/// a network, and the one here for speed; 8 were seen beside three other jobs. It is 17 us of the 10 ms between two ticks.
const MAX_RATIO: f64 = 12.0;
/// A core shared with another machine takes twice as long for seconds at a time: both are measured so often, in turn.
const ROUNDS: usize = 5;

/// Where `cargo xtask wasm` builds it.
fn wasm() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let path = target.join("wasm32-unknown-unknown/wasm/hexapod_wasm.wasm");
    assert!(path.is_file(), "no {}: build it with `cargo xtask wasm`", path.display());
    path
}

/// Node with a script for its robot.
fn node(urdf: Option<&str>, calls: &[Call], mode: &str) -> Child {
    let mut node = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run.mjs"))
        .arg(wasm())
        .arg(mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let description = urdf.map_or(json!({}), |urdf| json!({ "urdf": urdf }));
    let script = json!({ "description": description, "calls": calls.iter().map(Call::json).collect::<Vec<_>>() });
    node.stdin.take().unwrap().write_all(script.to_string().as_bytes()).unwrap();
    node
}

fn description(urdf: Option<&str>) -> Description {
    Description { urdf: urdf.map(|text| Source::new("robot.urdf", text)), ..Description::default() }
}

/// A quadruped whose legs have a fourth joint, which their inverse is free to choose.
fn redundant() -> String {
    ["left_0", "left_1", "right_0", "right_1"].iter().fold(urdf(4), |text, leg| {
        let tarsus = format!(
            r#"<link name="{leg}_tarsus_link"/><joint name="{leg}_tarsus" type="revolute">
            <parent link="{leg}_tibia_link"/><child link="{leg}_tarsus_link"/><origin xyz="0.09 0 0"/>
            <axis xyz="0 -1 0"/><limit lower="-1" upper="1" velocity="5.2" effort="1.8"/></joint>"#
        );
        let below = format!("<parent link=\"{leg}_tibia_link\"/>");
        let foot = format!("<link name=\"{leg}_foot\"/>");
        text.replace(&below, &format!("<parent link=\"{leg}_tarsus_link\"/>")).replace(&foot, &(tarsus + &foot))
    })
}

fn check(name: &str, urdf: Option<&str>, total: usize, seed: u64) {
    let mut hexapod = description(urdf).load().unwrap();
    let calls = calls(&hexapod, total, &mut Random(seed));
    let mut node = node(urdf, &calls, "bits");
    let mut theirs = BufReader::with_capacity(1 << 20, node.stdout.take().unwrap());
    let (mut ticks, mut walked, mut bytes) = (0, 0, vec![]);
    each_tick(&mut hexapod, &calls, |ours| {
        bytes.resize(8 * ours.len(), 0);
        theirs.read_exact(&mut bytes).unwrap();
        let numbers = bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()));
        for (index, (our, their)) in ours.iter().zip(numbers).enumerate() {
            let same = our.to_bits() == their;
            assert!(same, "{name}, tick {ticks}, number {index}: {our:e} and {:e}", f64::from_bits(their));
        }
        walked += usize::from(ours[1] == 2.0);
        ticks += 1;
    });
    assert!(node.wait().unwrap().success() && theirs.read(&mut [0]).unwrap() == 0);
    assert_eq!(ticks, total);
    assert!(walked > total / 10, "{name} walked in {walked} ticks only");
    println!("{name}: {ticks} ticks the same, {walked} of them walking");
}

#[test]
#[ignore = "needs node and hexapod.wasm: `cargo xtask test wasm` builds it first"]
fn when_the_shipped_robot_is_driven_at_random_expect_the_same_bits_in_wasm() {
    check("shipped", None, TICKS, 1);
}

#[test]
#[ignore = "needs node and hexapod.wasm: `cargo xtask test wasm` builds it first"]
fn when_a_quadruped_is_driven_at_random_expect_the_same_bits_in_wasm() {
    check("quadruped", Some(&urdf(4)), TICKS, 2);
}

#[test]
#[ignore = "needs node and hexapod.wasm: `cargo xtask test wasm` builds it first"]
fn when_an_octopod_is_driven_at_random_expect_the_same_bits_in_wasm() {
    check("octopod", Some(&urdf(8)), TICKS, 3);
}

#[test]
#[ignore = "needs node and hexapod.wasm: `cargo xtask test wasm` builds it first"]
fn when_legs_of_four_joints_are_driven_at_random_expect_the_same_bits_in_wasm() {
    check("four joints a leg", Some(&redundant()), SLOW_TICKS, 4);
}

/// How long a step takes after these calls, us: measured as `run.mjs` does.
fn native_us(calls: &[Call]) -> f64 {
    let mut hexapod = description(None).load().unwrap();
    each_tick(&mut hexapod, calls, |_| ());
    let mut batch = || {
        let started = Instant::now();
        (0..200).for_each(|_| hexapod.step(0.01));
        started.elapsed().as_secs_f64() * 5e3
    };
    (0..200).map(|_| batch()).fold(f64::INFINITY, f64::min)
}

/// The same in Node, us.
fn wasm_us(calls: &[Call]) -> f64 {
    let mut text = String::new();
    let mut node = node(None, calls, "time");
    node.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(node.wait().unwrap().success());
    text.parse().unwrap()
}

#[test]
#[ignore = "needs node and hexapod.wasm: `cargo xtask test wasm` builds it first"]
fn when_the_shipped_robot_walks_in_wasm_expect_steps_not_much_slower_than_here() {
    let calls = [Call::Twist([0.06, 0.0, 0.2]), Call::Step(0.01, 1)];
    let fastest = |measure: fn(&[Call]) -> f64, known: f64| measure(&calls).min(known);
    let (took, native) = (0..ROUNDS)
        .fold((f64::INFINITY, f64::INFINITY), |(took, native), _| (fastest(wasm_us, took), fastest(native_us, native)));
    println!("a step takes {took:.1} us, {native:.1} us outside WebAssembly");
    assert!(took < MAX_RATIO * native, "{took} us, {native} us outside WebAssembly");
}
