//! Dynamics of a URDF's legs at given states as raw numbers, to be compared with other libraries.
//!
//! `cargo run --example dynamics_raw -- robot.urdf < states > results`. The results begin with a line of the joints'
//! names, legs parted by semicolons and joints by commas. States and results are little-endian f64. A state is the
//! positions, the speeds and the accelerations of all these joints in that order, then the body's angular velocity,
//! angular acceleration, acceleration and gravity. For each state and each leg of n joints the results are: inverse
//! dynamics (n), mass matrix (n x n, row by row), Coriolis matrix (n x n), gravity torques (n), accelerations under
//! torques equal to the speeds (n, zero where there is no mass), generalised momentum (n) on the moving body, and the
//! regressor (n x 10 n).

use std::io::{Read, Write};
use std::process::ExitCode;

use hexapod_dynamics::{BaseMotion, JointVector, LINK_PARAMETERS, LegDynamics};
use hexapod_kinematics::{Leg, LegAngles, Robot};
use nalgebra::{SVector, Vector3};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: dynamics_raw ROBOT.urdf < STATES > RESULTS")?;
    let robot = Robot::from_urdf(&std::fs::read_to_string(&path)?).map_err(|error| format!("{path}: {error}"))?;
    let legs: Vec<LegDynamics> = robot.legs().iter().map(|leg| LegDynamics::new(robot.model(), leg)).collect();
    let names = |leg: &Leg| leg.joints().iter().map(|joint| joint.name()).collect::<Vec<_>>().join(",");
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", robot.legs().iter().map(names).collect::<Vec<_>>().join(";"))?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
    let joints = robot.joint_count();
    for state in numbers.chunks_exact(3 * joints + 12) {
        let (rates, base) = state.split_at(3 * joints);
        let base = base_motion(base);
        let mut first = 0;
        for leg in &legs {
            let part = |k: usize| LegAngles::from_fn(leg.joint_count(), |i| rates[k * joints + first + i]);
            for number in results(leg, &part(0), &part(1), &part(2), &base) {
                out.write_all(&number.to_le_bytes())?;
            }
            first += leg.joint_count();
        }
    }
    Ok(())
}

fn base_motion(numbers: &[f64]) -> BaseMotion {
    let vector = |k: usize| Vector3::from_column_slice(&numbers[3 * k..3 * k + 3]);
    BaseMotion {
        angular_velocity: vector(0),
        angular_acceleration: vector(1),
        acceleration: vector(2),
        gravity: vector(3),
    }
}

fn results(leg: &LegDynamics, q: &LegAngles, v: &LegAngles, a: &LegAngles, base: &BaseMotion) -> Vec<f64> {
    let (n, placed) = (leg.joint_count(), leg.at(q));
    let mut all = Vec::new();
    let vector = |v: JointVector| v.iter().take(n).copied().collect::<Vec<_>>();
    all.extend(vector(placed.inverse_dynamics(v, a, base)));
    for matrix in [placed.mass_matrix(), placed.coriolis_matrix(v)] {
        all.extend((0..n).flat_map(|i| (0..n).map(move |j| matrix[(i, j)])));
    }
    all.extend(vector(leg.gravity_torques(q, base)));
    let still = BaseMotion::at_rest(base.gravity);
    let drive = SVector::from(*v.padded());
    all.extend(vector(placed.forward_dynamics(v, &drive, &Vector3::zeros(), &still).unwrap_or_default()));
    all.extend(vector(placed.momentum(v, base).momentum));
    let regressor = leg.regressor(q, v, a, base);
    all.extend((0..n).flat_map(|i| (0..LINK_PARAMETERS * n).map(move |k| regressor[(i, k)])));
    all
}
