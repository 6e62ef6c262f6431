//! What it costs to look whether legs come too near to each other: `collision [CHECKS]`, for counting instructions.

use hexapod_kinematics::{LegAngles, Robot, SelfCollision};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let checks: u32 = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse())?;
    let robot = Robot::from_urdf(include_str!("../../../urdf/hexapod.urdf"))?;
    let standing = |turn: f64| -> Vec<LegAngles> {
        let of = |joints: usize| LegAngles::from_fn(joints, |i| [turn, 0.5, -1.5][i.min(2)]);
        robot.legs().iter().map(|leg| of(leg.joint_count())).collect()
    };
    let check = SelfCollision::new(&robot, &standing(0.0), 0.02);
    let poses: Vec<_> = (0..64).map(|i| standing(0.3 * f64::from(i) / 64.0)).collect();
    let clock = std::time::Instant::now();
    let near = (0..checks).filter(|i| check.check(&robot, &poses[*i as usize % 64]).is_some()).count();
    let ns = clock.elapsed().as_secs_f64() * 1e9 / f64::from(checks.max(1));
    println!("{} shapes, {ns:.0} ns a check, {near} of {checks} too near", check.shape_count());
    Ok(())
}
