//! Forces and contact of a robot's feet from logged samples as raw numbers, to be compared with a simulator.
//!
//! `cargo run --example feet_raw -- robot.urdf 0.003 < samples > results`; the number is the inertia of the joints'
//! rotors, kg m². The results begin with a line of the joints' names,
//! legs parted by semicolons and joints by commas. Samples and results are little-endian f64. A sample is its time, s,
//! the angles and the torques of all these joints in that order, whether the gait plans each foot on the ground (0, 1
//! or NaN: not known), and the body's angular velocity and specific force. For each sample and each leg the results are
//! the estimated force (3, NaN where there is none), the probability of contact and the state (1 in support); then the
//! predicted force of each leg (3, NaN where there is none).

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use hexapod_dynamics::{
    BaseMotion, ContactDetector, ContactEvidence, ContactSettings, FootEstimator, ForceSettings, JointVector,
    LegDynamics, LegState, LoadPredictor, STANDARD_GRAVITY,
};
use hexapod_kinematics::{Leg, LegAngles, Robot};
use nalgebra::Vector3;

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
    let usage = "usage: feet_raw ROBOT.urdf ROTOR_INERTIA < SAMPLES > RESULTS";
    let path = std::env::args().nth(1).ok_or(usage)?;
    let rotor: f64 = std::env::args().nth(2).ok_or(usage)?.parse()?;
    let robot = Robot::from_urdf(&std::fs::read_to_string(&path)?).map_err(|error| format!("{path}: {error}"))?;
    let weight = robot.model().total_mass() * STANDARD_GRAVITY;
    let mut feet = Vec::new();
    for leg in robot.legs() {
        let dynamics = LegDynamics::new(robot.model(), leg);
        let rotor_inertias = JointVector::repeat(rotor);
        let settings = ForceSettings { rotor_inertias, ..ForceSettings::for_robot(&dynamics, weight, 0.01) };
        let detector = ContactDetector::new(ContactSettings::default(), LegState::Swing);
        feet.push((FootEstimator::try_new(dynamics, settings)?, detector, f64::NAN));
    }
    let mut predictor = LoadPredictor::new(&robot, 0.8);
    let names = |leg: &Leg| leg.joints().iter().map(|joint| joint.name()).collect::<Vec<_>>().join(",");
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", robot.legs().iter().map(names).collect::<Vec<_>>().join(";"))?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
    let (joints, legs) = (robot.joint_count(), robot.legs().len());
    for sample in numbers.chunks_exact(1 + 2 * joints + legs + 6) {
        let (time, rest) = (sample[0], &sample[1..]);
        let (planned, base) = rest[2 * joints..].split_at(legs);
        let base = base_motion(base);
        let mut first = 0;
        let mut angles = Vec::new();
        for (((foot, detector, before), leg), planned) in feet.iter_mut().zip(robot.legs()).zip(planned) {
            let part = |k: usize| LegAngles::from_fn(leg.joint_count(), |i| rest[k * joints + first + i]);
            angles.push(part(0));
            let torques = JointVector::from(*part(1).padded());
            foot.plan(flag(*planned));
            let forces = foot.take(Duration::from_secs_f64(time), &part(0), &torques, &base);
            let mut evidence = ContactEvidence { planned_support: flag(*planned), ..ContactEvidence::default() };
            let mut force = Vector3::repeat(f64::NAN);
            if let Some(forces) = forces {
                evidence = evidence.with_forces(&forces);
                force = forces.best().map_or(force, |best| best.force);
            }
            let contact = detector.update(&evidence, time - *before);
            *before = time;
            first += leg.joint_count();
            let state = f64::from(u8::from(contact.state == LegState::Support));
            write(&mut out, &[force.x, force.y, force.z, contact.probability, state])?;
        }
        let down: Vec<bool> = planned.iter().map(|planned| flag(*planned) != Some(false)).collect();
        let predicted = predictor.predict(&angles, &down, &base).ok();
        for leg in 0..legs {
            let force = predicted.and_then(|all| all.forces.get(leg).copied()).unwrap_or(Vector3::repeat(f64::NAN));
            write(&mut out, force.as_slice())?;
        }
    }
    Ok(())
}

fn flag(number: f64) -> Option<bool> {
    (!number.is_nan()).then_some(number != 0.0)
}

fn write(out: &mut impl Write, numbers: &[f64]) -> std::io::Result<()> {
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn base_motion(numbers: &[f64]) -> BaseMotion {
    let vector = |k: usize| Vector3::from_column_slice(&numbers[3 * k..3 * k + 3]);
    BaseMotion { angular_velocity: vector(0), ..BaseMotion::at_rest(-vector(1)) }
}
