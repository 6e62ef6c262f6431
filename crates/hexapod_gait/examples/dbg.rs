#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
fn main() {
    let mut engine = engine(6);
    let gaits = specs(6).iter().map(|spec| gait(engine.robot(), spec)).collect::<Vec<_>>();
    let input = twist(0.0, 0.15, 0.0);
    let mut last = *engine.gait();
    for t in 0..2000 {
        if t == 350 { engine.set_gait(gaits[2]); }
        if t == 800 { engine.set_gait(gaits[1]); }
        let tick = *engine.step(&input, 0.01);
        let n = tick.twist;
        if *engine.gait() != last { println!("switched at {t}"); last = *engine.gait(); }
        if t > 340 && (t % 10 == 0) && t < 1200 {
            let d: Vec<_> = (0..6).map(|i| format!("{}{:+.3}", if tick.contacts[i] {"_"} else {"^"}, (tick.feet[i].xy() - engine.rest_feet()[i]).y)).collect();
            println!("{t} {:?} ph {:.3} v {:.4} {} by {:?} ", tick.state, tick.phase, n.vy, d.join(" "), tick.limited_by);
        }
    }
}
