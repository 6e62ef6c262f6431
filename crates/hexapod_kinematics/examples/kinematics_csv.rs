//! Kinematics of a URDF at given positions as CSV, to be compared with other libraries.
//!
//! `cargo run --example kinematics_csv -- robot.urdf < positions.csv`. Each line of the input holds the positions of
//! all moving joints, in the order of the first line of the output. Each line of the output after it is
//! `row,leg,foot_link,what,i,j,x,y,z`, with `what` one of `foot`, `linear` (column `i` of the Jacobian), `angular`,
//! `second` (second derivative by `i` and `j`), `linear_rate`, `angular_rate` (at speeds equal to the positions) and,
//! with an empty leg, `centre_of_mass`. Joints are named.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use hexapod_kinematics::{Leg, LegAngles, Robot};

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
    let path = std::env::args().nth(1).ok_or("usage: kinematics_csv ROBOT.urdf < POSITIONS.csv")?;
    let robot = Robot::from_urdf(&std::fs::read_to_string(&path)?).map_err(|error| format!("{path}: {error}"))?;
    let model = robot.model();
    let names = model.joints().iter().filter(|j| j.position_index().is_some()).map(|j| j.name());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    writeln!(out, "{}", names.collect::<Vec<_>>().join(","))?;
    for (row, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        let positions: Vec<f64> = line.split(',').map(|word| word.trim().parse()).collect::<Result<_, _>>()?;
        let mut write = |leg: &str, link: &str, what: &str, i: &str, j: &str, v: [f64; 3]| {
            writeln!(out, "{row},{leg},{link},{what},{i},{j},{:e},{:e},{:e}", v[0], v[1], v[2])
        };
        write("", model.base_link(), "centre_of_mass", "", "", model.centre_of_mass(&positions).into())?;
        for leg in robot.legs() {
            let link = model.links().get(leg.foot_link()).map_or("", |l| l.name());
            for (what, i, j, v) in figures(leg, &positions) {
                write(leg.name(), link, what, i, j, v)?;
            }
        }
    }
    Ok(())
}

type Figure<'a> = (&'static str, &'a str, &'a str, [f64; 3]);

fn figures<'a>(leg: &'a Leg, positions: &[f64]) -> Vec<Figure<'a>> {
    let angles = LegAngles::from_fn(leg.joint_count(), |i| {
        leg.joints().get(i).and_then(|j| positions.get(j.position_index())).copied().unwrap_or(0.0)
    });
    let (jacobian, rate) = (leg.geometric_jacobian(&angles), leg.geometric_jacobian_rate(&angles, &angles));
    let second = leg.foot_second_derivatives(&angles);
    let mut all: Vec<Figure<'a>> = vec![("foot", "", "", leg.foot_in_body(&angles).into())];
    for (i, joint) in leg.joints().iter().enumerate() {
        let part = |m: &hexapod_kinematics::Matrix6xN, row: usize| [m[(row, i)], m[(row + 1, i)], m[(row + 2, i)]];
        all.push(("linear", joint.name(), "", part(&jacobian, 0)));
        all.push(("angular", joint.name(), "", part(&jacobian, 3)));
        all.push(("linear_rate", joint.name(), "", part(&rate, 0)));
        all.push(("angular_rate", joint.name(), "", part(&rate, 3)));
        for (other, column) in leg.joints().iter().zip(second[i].column_iter()) {
            all.push(("second", joint.name(), other.name(), [column[0], column[1], column[2]]));
        }
    }
    all
}
