#[path = "../tests/common/mod.rs"]
mod common;
use common::*;
use hexapod_gait::*;
fn main() {
    let mut e = engine(4);
    let g = gait(e.robot(), &specs(4)[1]);
    e.set_gait(g);
    let b = Balance::new(e.robot());
    let mut i = Input::default();
    let mut t = 0;
    let mut go = |e: &mut Engine, i: &Input, n: usize, p: usize| for _ in 0..n {
        e.step(i, 0.01); t += 1;
        if t % p == 0 { let k = e.last();
            let d: Vec<_> = (0..4).map(|i| format!("{}{:+.3},{:+.3}", if k.contacts[i] {"_"} else {"^"}, (k.feet[i].xy() - e.rest_feet()[i]).x, (k.feet[i].xy() - e.rest_feet()[i]).y)).collect();
            println!("{t} {:?} ph {:.3} v {:.3} {:.3} m {:.4} {} b {:.4?} by {:?}", k.state, k.phase, k.twist.vy, k.twist.wz, b.of(k).margin, d.join(" "), k.footprint_from_body.translation.vector.as_slice(), k.limited_by); }
    };
    go(&mut e, &i, 2, 1000);
    e.sit(); go(&mut e, &i, 2, 1000);
    i.body_offset = BodyOffset { translation: nalgebra::Vector3::new(0.0, -0.0317, 0.0), rotation: nalgebra::Vector3::new(11.3, 0.1098, -0.1903) };
    go(&mut e, &i, 1, 1000);
    e.stand(); go(&mut e, &i, 80, 1000);
    i.twist = Twist::new(0.0, 0.137, -0.266); go(&mut e, &i, 76, 10);
    i.twist = Twist::new(0.0, 0.1035, 0.0); go(&mut e, &i, 63, 10);
    i.twist = Twist::new(0.0, 6e8, 0.0); go(&mut e, &i, 91, 10);
    i.twist = Twist::ZERO; go(&mut e, &i, 22, 10);
    e.sit(); go(&mut e, &i, 1400, 50);
}
