#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use hexapod_gait::Input;
fn main() {
    for (vx, vy, wz) in [(0.15, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.8)] {
    let mut engine = engine(6);
    println!("reach {} stride {}", engine.stance().reach(), engine.stance().stride());
    let input = twist(vx, vy, wz);
    let mut before = engine.last().twist;
    for t in 0..450 {
        let none = Input::default(); let tick = *engine.step(if t < 370 { &input } else { &none }, 0.01);
        let n = tick.twist;
        let dv = (n.vx - before.vx).hypot(n.vy - before.vy) / 0.01;
        let vel = (0..6).flat_map(|i| tick.velocities[i].iter().map(|v| v.abs()).collect::<Vec<_>>()).fold(0.0, f64::max);
        if t > 250 && (t % 25 == 0 || dv > 0.3001 || (n.wz - before.wz).abs() > 0.01501) {
            println!("{t} {:?} {:?} v {:.4} {:.4} {:.4} dv {:.3} qd {:.2} by {:?}", tick.state, tick.contacts[0], n.vx, n.vy, n.wz, dv, vel, tick.limited_by);
        }
        before = n;
    }
    }
}
