//! Robot descriptions mangled at random: a robot that behaves, or an error that says where; never a panic.
//!
//! Runs for `FUZZ_SECONDS` of a processor's time (three; `cargo xtask test` gives it a minute) from `FUZZ_SEED`, so that the
//! same seed makes the same descriptions in the same order.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use crate::common::{Random, RandomLegs};
use hexapod_kinematics::{Batch, Lanes3, LegOptions, ModelError, Robot, Slice};
use nalgebra::Vector3;

const TRIPOD: &str = include_str!("data/tripod.urdf");
const SHIPPED: &str = include_str!("../../../urdf/hexapod.urdf");

/// What URDFs have a meaning for, plus some of what they have not.
const SPICE: [&str; 40] = [
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-308",
    "1e999",
    "0x10",
    "1,5",
    "3.14159",
    "1 0 0",
    "0 0 0",
    "<",
    ">",
    "/",
    "\"",
    "=",
    " ",
    "\n",
    "<!--",
    "-->",
    "&lt;",
    "&a;",
    "<![CDATA[",
    "\u{e4}",
    "\u{0}",
    "base_link",
    "left_foot",
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
    "mimic",
    "<limit/>",
    "<origin xyz=\"1 2 3\"/>",
    "<mesh filename=\"package://a/b.stl\"/>",
];

fn corpus(random: &mut Random) -> Vec<String> {
    let mut all = vec![
        TRIPOD.to_owned(),
        SHIPPED.to_owned(),
        crate::common::shipped(),
        crate::common::quadruped([[-9.4, 9.4]; 3]),
    ];
    all.push(TRIPOD.replace("<box size=\"0.2 0.1 0.04\"/>", "<mesh filename=\"package://a/b.stl\" scale=\"1 1 1\"/>"));
    all.extend((4..=6).map(crate::common::many_jointed));
    for kind in [RandomLegs::Parallel, RandomLegs::General, RandomLegs::InnerParallel, RandomLegs::Meeting] {
        all.push(crate::common::random_robot(kind, random));
    }
    all
}

fn pick<'a, T>(random: &mut Random, of: &'a [T]) -> &'a T {
    &of[(random.unit() * of.len() as f64) as usize % of.len()]
}

fn below(random: &mut Random, n: usize) -> usize {
    (random.unit() * n as f64) as usize
}

/// One change anywhere in the bytes.
fn mangle(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = below(random, bytes.len().max(1)).min(bytes.len());
    let word = pick(random, &SPICE).as_bytes();
    let end = |random: &mut Random, most: usize| (at + 1 + below(random, most)).min(bytes.len());
    match below(random, 5) {
        0 => drop(bytes.splice(at..at, word.iter().copied())),
        1 => {
            let to = end(random, 12);
            drop(bytes.splice(at..to, word.iter().copied()));
        }
        2 => {
            let to = end(random, 400);
            drop(bytes.drain(at..to));
        }
        3 => {
            let copy = bytes[at..end(random, 600)].to_vec();
            let to = below(random, bytes.len());
            drop(bytes.splice(to..to, copy));
        }
        _ => bytes.truncate(if random.unit() < 0.05 { at } else { bytes.len() }),
    }
}

/// One attribute given another value: a word of the spice, a number, or another attribute's value.
fn swap_value(text: &str, random: &mut Random) -> String {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let value = |k: usize| quotes.get(2 * k).zip(quotes.get(2 * k + 1)).and_then(|(a, b)| text.get(a + 1..*b));
    let values = quotes.len() / 2;
    if values == 0 {
        return text.to_owned();
    }
    let chosen = below(random, values);
    let new = match below(random, 3) {
        0 => (*pick(random, &SPICE)).to_owned(),
        1 => format!("{}", (random.unit() - 0.5) * 10f64.powi(below(random, 12) as i32 - 6)),
        _ => value(below(random, values)).unwrap_or_default().to_owned(),
    };
    match quotes.get(2 * chosen).zip(quotes.get(2 * chosen + 1)) {
        Some((a, b)) => format!("{}{new}{}", &text[..=*a], &text[*b..]),
        None => text.to_owned(),
    }
}

fn check_error(error: &ModelError, text: &str) {
    let lines = text.lines().count().max(1) as u32;
    assert!(error.line().is_none_or(|line| (1..=lines + 1).contains(&line)), "{error}\n{text}");
    assert!(!error.what().is_empty() && !error.expected().is_empty(), "{error}");
    assert!(error.to_string().len() < 4000 + text.len(), "{error}");
}

fn check_robot(robot: &Robot, random: &mut Random) {
    for leg in robot.legs() {
        let posture = leg.posture();
        assert!(leg.within_limits(&posture) && leg.within_limits(&leg.home()), "{posture:?}");
        // Lengths near the largest numbers have squares that are not numbers.
        if leg.length() > 1e100 {
            continue;
        }
        let foot = leg.foot_in_body(&posture);
        assert!(foot.iter().all(|x| x.is_finite()), "{foot:?}");
        let target = foot + Vector3::from_fn(|_, _| random.range(-0.1, 0.1));
        if let Ok(angles) = leg.inverse(&target, &posture) {
            assert!(leg.within_limits(&angles), "{angles:?}");
        }
        let pose = leg.closest_reachable(&target, &posture);
        assert!(leg.within_limits(&pose.angles), "{pose:?}");
        assert!(leg.solutions_near(&target, &posture).iter().all(|s| s.angles.is_finite()));
        let margins = leg.margins(&posture);
        assert!(!margins.singularity_m.is_nan() && !margins.limit_rad.is_nan(), "{margins:?}");
        assert!(leg.below_hip().iter().all(|x| x.is_finite()) && leg.straight_hip().is_finite());
    }
    if let Some(batch) = Batch::new(robot) {
        let (mut lanes, mut out) = (Lanes3::default(), Lanes3::default());
        for (i, leg) in robot.legs().iter().enumerate().filter(|(_, leg)| leg.length() < 1e100) {
            lanes.set(i, leg.foot_in_body(&leg.posture()).into());
        }
        batch.inverse(&lanes, &mut out);
    }
    let positions = vec![0.1; robot.model().position_count()];
    robot.model().link_poses(&positions, &mut Vec::new());
    robot.model().centre_of_mass(&positions);
    if let Some(leg) = robot.legs().first().filter(|leg| random.unit() < 0.02 && leg.joint_count() == 3) {
        Slice::new(leg, -0.1, leg.length() / 20.0).border();
    }
}

/// How long this thread has had a processor, so that a busy machine tries no fewer descriptions; where the system does not
/// tell, how long ago it began.
fn worked(began: Instant) -> Duration {
    let reported = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = reported.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| began.elapsed(), Duration::from_nanos)
}

#[test]
fn when_descriptions_are_mangled_expect_a_robot_or_an_error_with_its_line() {
    let given = |name: &str, usual: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    let mut random = Random(given("FUZZ_SEED", 20));
    let corpus = corpus(&mut random);
    let (began, limit) = (Instant::now(), Duration::from_secs(given("FUZZ_SECONDS", 3)));
    let (mut tried, mut accepted) = (0u64, 0u64);
    while worked(began) < limit {
        let mut text = pick(&mut random, &corpus).clone();
        for _ in 0..1 + below(&mut random, 3) {
            if random.unit() < 0.6 {
                text = swap_value(&text, &mut random);
            } else {
                let mut bytes = text.into_bytes();
                mangle(&mut bytes, &mut random);
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        let stl: Vec<u8> = (0..below(&mut random, 300)).map(|_| (random.unit() * 256.0) as u8).collect();
        tried += 1;
        match Robot::from_urdf_and_meshes(&text, &LegOptions::default(), &mut |_| Some(stl.clone())) {
            Ok(robot) => {
                accepted += 1;
                check_robot(&robot, &mut random);
            }
            Err(error) => check_error(&error, &text),
        }
    }
    eprintln!("{tried} descriptions, {accepted} accepted, seed after them {}", random.0);
    assert!(accepted > 0 && accepted < tried);
}
