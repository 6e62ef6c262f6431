//! Prints what is found in a URDF: `cargo run --example legs -- robot.urdf [folder of its package://]`.

use std::process::ExitCode;

use hexapod_kinematics::{LegOptions, Robot};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: legs ROBOT.urdf");
        return ExitCode::from(2);
    };
    let packages = std::env::args().nth(2).unwrap_or_else(|| ".".to_owned());
    let mut read = |address: &str| std::fs::read(address.replace("package://", &format!("{packages}/"))).ok();
    let robot = match std::fs::read_to_string(&path).map_err(|e| e.to_string()).and_then(|text| {
        Robot::from_urdf_and_meshes(&text, &LegOptions::default(), &mut read).map_err(|e| e.to_string())
    }) {
        Ok(robot) => robot,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let model = robot.model();
    println!("{}: base {}, {:.3} kg, {} legs", model.name(), model.base_link(), model.total_mass(), robot.legs().len());
    for leg in robot.legs() {
        let (hip, foot) = (leg.hip_in_body(), leg.foot_in_body(&leg.home()));
        let joints: Vec<&str> = leg.joints().iter().map(|j| j.name()).collect();
        println!(
            "{:<14} hip {:+.4} {:+.4} {:+.4}  foot at home {:+.4} {:+.4} {:+.4}  {}  {}",
            leg.name(),
            hip.x,
            hip.y,
            hip.z,
            foot.x,
            foot.y,
            foot.z,
            leg.inverse_method(),
            joints.join(" ")
        );
        println!("{:<14} posture {:+.2?}  length {:.3}", "", &*leg.posture(), leg.length());
    }
    model.notes().iter().for_each(|note| println!("note: {note}"));
    ExitCode::SUCCESS
}
