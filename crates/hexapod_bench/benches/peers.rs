//! Six legs with a body pose, batch and scalar, beside the crate `k`: one table.
//!
//! Targets are those of walking: each foot on a small circle below its hip, the body swaying. `k` solves from the
//! pose before with its default tolerance, which is a millimetre; ours ends at its error, which is shown.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "a bench has nothing to recover from")]

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use hexapod_kinematics::{Batch, Lanes3, LegAngles};
use k::{Constraints, InverseKinematicsSolver, JacobianIkSolver, SerialChain};
use nalgebra::{Point3, Vector3};

mod walk;

use walk::{LEGS, STEPS, Walk};

/// Timed rounds, each shorter than a scheduler's slice; the tenth percentile counts, so that what else the machine does
/// does not.
const ROUNDS: usize = 400;

impl Walk {
    fn target(&self, step: usize, leg: usize) -> Vector3<f64> {
        (self.body_from_world[step] * Point3::from(self.feet[step][leg])).coords
    }
}

struct Scalar<'a> {
    walk: &'a Walk,
    seeds: [LegAngles; LEGS],
}

impl Scalar<'_> {
    fn solve(&mut self, step: usize) {
        let (feet, pose) = (black_box(&self.walk.feet[step]), black_box(&self.walk.body_from_world[step]));
        let (turned, moved) = (pose.rotation.to_rotation_matrix(), pose.translation.vector);
        for ((leg, foot), seed) in self.walk.robot.legs().iter().zip(feet).zip(&mut self.seeds) {
            *seed = leg.inverse(&(turned * foot + moved), seed).unwrap_or(*seed);
        }
        black_box(&self.seeds);
    }
}

struct Batched<'a> {
    walk: &'a Walk,
    batch: Batch,
    angles: Lanes3,
}

impl Batched<'_> {
    fn solve(&mut self, step: usize) {
        let (feet, pose) = (black_box(&self.walk.lanes[step]), black_box(&self.walk.body_from_world[step]));
        black_box(self.batch.inverse_in_frame(pose, feet, &mut self.angles));
        black_box(&self.angles);
    }
}

/// The peer: six chains, each solved from the pose before.
struct Peer<'a> {
    walk: &'a Walk,
    chains: Vec<SerialChain<f64>>,
    solver: JacobianIkSolver<f64>,
    constraints: Constraints,
}

impl<'a> Peer<'a> {
    fn new(walk: &'a Walk) -> Self {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/hexapod.urdf");
        let chain = k::Chain::<f64>::from_urdf_file(file).unwrap();
        let chains = walk.robot.legs().iter().map(|leg| {
            let chain = SerialChain::from_end(chain.find_link(&format!("{}_foot", leg.name())).unwrap());
            chain.set_joint_positions(&[0.0, 0.6, -1.7]).unwrap();
            chain
        });
        let constraints =
            Constraints { rotation_x: false, rotation_y: false, rotation_z: false, ..Constraints::default() };
        Self { walk, chains: chains.collect(), solver: JacobianIkSolver::default(), constraints }
    }

    fn solve(&mut self, step: usize) {
        for (leg, chain) in self.chains.iter().enumerate() {
            let target = self.walk.target(step, leg);
            let target = k::Isometry3::translation(target.x, target.y, target.z);
            self.solver
                .solve_with_constraints(chain, black_box(&target), &self.constraints)
                .expect("k does not converge");
        }
    }
}

/// Seconds of one call.
fn time(mut call: impl FnMut(usize), calls: usize) -> f64 {
    (0..calls).for_each(|i| call(i % STEPS));
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|i| call(i % STEPS));
            start.elapsed().as_secs_f64() / calls as f64
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 10]
}

fn allocations(mut call: impl FnMut(usize)) -> u64 {
    allocation_counter::measure(|| (0..STEPS).for_each(&mut call)).count_total
}

/// Greatest distance of a foot from its target, m.
fn error(walk: &Walk, mut feet: impl FnMut(usize) -> Vec<Vector3<f64>>) -> f64 {
    let of = |step: usize, feet: Vec<Vector3<f64>>| {
        feet.iter().enumerate().map(|(leg, foot)| (foot - walk.target(step, leg)).norm()).fold(0.0, f64::max)
    };
    (0..STEPS).map(|step| of(step, feet(step))).fold(0.0, f64::max)
}

/// Instructions of one call for one leg, from two runs of this program under callgrind; why not, where there is none.
fn instructions(what: &str) -> Result<f64, &'static str> {
    let total = |calls: usize| {
        let program = std::env::current_exe().ok()?;
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args(["--probe", what, &calls.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains("Collected :"))?;
        line.rsplit(' ').next()?.parse::<f64>().ok()
    };
    let counted = total(2000).zip(total(4000));
    counted.map(|(few, many)| (many - few) / 2000.0 / LEGS as f64).ok_or("valgrind is not installed")
}

fn probe(walk: &Walk, what: &str, calls: usize) {
    let mut batched = Batched { walk, batch: Batch::new(&walk.robot).unwrap(), angles: Lanes3::default() };
    let mut scalar = Scalar { walk, seeds: [LegAngles::from([0.0, 0.6, -1.7]); LEGS] };
    match what {
        "batch" => (0..calls).for_each(|i| batched.solve(i % STEPS)),
        _ => (0..calls).for_each(|i| scalar.solve(i % STEPS)),
    }
}

struct Row {
    name: &'static str,
    seconds: f64,
    error: f64,
    allocations: u64,
    instructions: String,
}

fn rows(walk: &Walk) -> [Row; 3] {
    let mut batched = Batched { walk, batch: Batch::new(&walk.robot).unwrap(), angles: Lanes3::default() };
    let mut scalar = Scalar { walk, seeds: [LegAngles::from([0.0, 0.6, -1.7]); LEGS] };
    let mut peer = Peer::new(walk);
    let counted = |what: &str| instructions(what).map_or_else(str::to_owned, |count| format!("{count:.0}"));
    let foot = |leg: usize, angles: &LegAngles| walk.robot.legs()[leg].foot_in_body(angles);
    [
        Row {
            name: "hexapod_kinematics, batch",
            seconds: time(|step| batched.solve(step), 1024),
            allocations: allocations(|step| batched.solve(step)),
            error: error(walk, |step| {
                batched.solve(step);
                (0..LEGS).map(|leg| foot(leg, &LegAngles::from(batched.angles.get(leg)))).collect()
            }),
            instructions: counted("batch"),
        },
        Row {
            name: "hexapod_kinematics, scalar",
            seconds: time(|step| scalar.solve(step), 512),
            allocations: allocations(|step| scalar.solve(step)),
            error: error(walk, |step| {
                scalar.solve(step);
                (0..LEGS).map(|leg| foot(leg, &scalar.seeds[leg])).collect()
            }),
            instructions: counted("scalar"),
        },
        Row {
            name: "k 0.32, JacobianIkSolver",
            seconds: time(|step| peer.solve(step), 64),
            allocations: allocations(|step| peer.solve(step)),
            error: error(walk, |step| {
                peer.solve(step);
                let at = |chain: &SerialChain<f64>| chain.end_transform().translation.vector;
                peer.chains.iter().map(at).map(|v| Vector3::new(v.x, v.y, v.z)).collect()
            }),
            instructions: "-".to_owned(),
        },
    ]
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let walk = Walk::new();
    if let Some(at) = arguments.iter().position(|argument| argument == "--probe") {
        return probe(&walk, &arguments[at + 1], arguments[at + 2].parse().unwrap());
    }
    let rows = rows(&walk);
    let peer = rows[2].seconds;
    println!("inverse kinematics of six legs with a body pose, built for {}", features());
    println!("{:<28} {:>9} {:>8} {:>13} {:>12} {:>12}", "", "us", "x k", "instr. a leg", "allocations", "error (m)");
    for Row { name, seconds, error, allocations, instructions } in &rows {
        let (us, ratio) = (seconds * 1e6, peer / seconds);
        println!(
            "{name:<28} {us:>9.3} {ratio:>8.1} {instructions:>13} {:>12.1} {error:>12.1e}",
            *allocations as f64 / STEPS as f64
        );
    }
}

fn features() -> &'static str {
    if cfg!(all(target_feature = "avx2", target_feature = "fma")) { "AVX2 and FMA" } else { "any processor" }
}
