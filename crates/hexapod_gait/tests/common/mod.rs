//! Robots of any number of legs, and an observer that judges an engine from outside.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses a part; a test says why it fails by failing")]

use hexapod_gait::{
    Balance, Engine, Gait, GaitSpec, GaitState, Input, Motion, Pattern, Settings, StanceSpec, Tick, Twist, TwistLimits,
    leg_places,
};
use hexapod_kinematics::{MAX_LEGS, Robot};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

pub const LIMITS: TwistLimits = TwistLimits {
    linear_velocity: 0.15,
    angular_velocity: 0.8,
    linear_acceleration: 0.3,
    angular_acceleration: 1.5,
    linear_jerk: 7.5,
    angular_jerk: 37.5,
};

/// A robot of `legs` legs (an even number) in two rows, with masses.
pub fn robot(legs: usize) -> Arc<Robot> {
    Arc::new(Robot::from_urdf(&urdf(legs)).unwrap())
}

/// Its description.
pub fn urdf(legs: usize) -> String {
    if legs == 6 {
        return include_str!("../../../../urdf/hexapod.urdf").into();
    }
    let inertial = |mass: f64, x: f64| {
        format!(
            r#"<inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/>
            <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>"#
        )
    };
    let mut text = format!("<robot name=\"test\"><link name=\"base_link\">{}</link>", inertial(1.0, 0.004));
    let rows = legs / 2;
    for side in [1.0, -1.0] {
        for row in 0..rows {
            let along = 1.0 - 2.0 * row as f64 / (rows - 1) as f64;
            let (x, y) = (0.07 * (rows - 1) as f64 * along, 0.07 * side);
            let yaw = side * (std::f64::consts::FRAC_PI_2 - 0.6 * along);
            let name = format!("{}_{row}", if side > 0.0 { "left" } else { "right" });
            let parts = [
                ("coxa", 0.052, 0.07, (-0.8, 0.8)),
                ("femur", 0.066, 0.03, (-1.5, 1.5)),
                ("tibia", 0.133, 0.08, (-2.6, 0.5)),
            ];
            let mut parent = "base_link".to_owned();
            let mut origin = format!("xyz=\"{x} {y} 0\" rpy=\"0 0 {yaw}\"");
            for (part, length, mass, (lower, upper)) in parts {
                let axis = if part == "coxa" { "0 0 1" } else { "0 -1 0" };
                write!(
                    text,
                    r#"<link name="{name}_{part}_link">{}</link><joint name="{name}_{part}" type="revolute">
                    <parent link="{parent}"/><child link="{name}_{part}_link"/><origin {origin}/><axis xyz="{axis}"/>
                    <limit lower="{lower}" upper="{upper}" velocity="5.2" effort="1.8"/></joint>"#,
                    inertial(mass, length / 2.0)
                )
                .unwrap();
                parent = format!("{name}_{part}_link");
                origin = format!("xyz=\"{length} 0 0\"");
            }
            write!(
                text,
                r#"<link name="{name}_foot"/><joint name="{name}_foot_fixed" type="fixed"><parent link="{parent}"/>
                <child link="{name}_foot"/><origin {origin}/></joint>"#
            )
            .unwrap();
        }
    }
    text + "</robot>"
}

pub fn gait(robot: &Robot, spec: &GaitSpec) -> Gait {
    Gait::try_new(spec, &leg_places(robot)).unwrap()
}

/// The shipped gaits that keep a robot of so many legs on its feet.
pub fn specs(legs: usize) -> Vec<GaitSpec> {
    let spec = |duty_factor, cycle_time, lag, side_lag| GaitSpec {
        duty_factor,
        cycle_time,
        lag,
        side_lag,
        ..GaitSpec::default()
    };
    let wave = |duty_factor, cycle_time, sway| GaitSpec {
        pattern: Some(Pattern::Wave),
        sway,
        ..spec(duty_factor, cycle_time, 0.0, 0.5)
    };
    match legs {
        4 => vec![wave(0.85, 3.0, 1.0), wave(0.8, 2.0, 1.0)],
        6 => vec![
            spec(0.5, 0.8, 0.5, 0.5),
            spec(2.0 / 3.0, 1.4, 1.0 / 3.0, 0.5),
            wave(5.0 / 6.0, 2.4, 0.0),
            spec(2.0 / 3.0, 1.2, 1.0 / 3.0, 1.0 / 3.0),
        ],
        _ => vec![spec(0.5, 0.8, 0.5, 0.5), spec(0.75, 1.6, 0.25, 0.5), wave(0.875, 2.4, 0.0)],
    }
}

pub fn settings() -> Settings {
    let stance = StanceSpec { height: 0.09, sit_height: 0.03, step_height: 0.05, max_stride: 0.11 };
    Settings { stance, step_height: 0.03, limits: LIMITS, stand_time: 1.5, sit_time: 0.8 }
}

pub fn engine(legs: usize) -> Engine {
    let robot = robot(legs);
    let first = gait(&robot, &specs(legs)[0]);
    Engine::new(robot, first, settings()).unwrap()
}

/// Follows the engine from outside: where the body goes by the twist it says it walks, what its joints and feet do.
pub struct Observer {
    pub odom_from_body: Motion,
    before: Tick,
    planted_at: [Option<Vector2<f64>>; MAX_LEGS],
    balance: Balance,
    dt: f64,
    /// Feet that must be down, and whether the centre of mass must be over them.
    least_feet: usize,
    is_static: bool,
    /// Least margin seen while walking, m.
    pub least_margin: f64,
    /// The farthest a foot on the ground has moved over it, m.
    pub worst_slip: f64,
}

impl Observer {
    pub fn new(engine: &Engine, dt: f64) -> Self {
        Self {
            odom_from_body: Motion::identity(),
            before: *engine.last(),
            planted_at: [None; MAX_LEGS],
            balance: Balance::new(engine.robot()),
            dt,
            least_feet: 3,
            is_static: true,
            least_margin: f64::INFINITY,
            worst_slip: 0.0,
        }
    }

    /// Of a gait that does not keep the centre of mass over its feet.
    pub fn of_dynamic_gait(engine: &Engine, dt: f64) -> Self {
        Self { least_feet: 2, is_static: false, ..Self::new(engine, dt) }
    }

    pub fn check(&mut self, engine: &Engine, tick: &Tick) -> Result<(), TestCaseError> {
        self.odom_from_body = self.odom_from_body.then(&tick.twist.motion(self.dt));
        let down = tick.contacts.iter().filter(|&&down| down).count();
        prop_assert!(down >= self.least_feet, "{down} feet down");
        for (i, leg) in engine.legs().iter().enumerate() {
            let foot = tick.footprint_from_body.transform_point(&leg.foot_in_body(&tick.angles[i]).into()).coords;
            prop_assert!(foot.iter().all(|x| x.is_finite()));
            for ((joint, &now), &then) in leg.joints().iter().zip(&*tick.angles[i]).zip(&*self.before.angles[i]) {
                let limits = joint.limits();
                prop_assert!((limits.lower..=limits.upper).contains(&now), "{} at {now}", joint.name());
                let step = (now - then).abs();
                prop_assert!(step <= limits.velocity * self.dt + 1e-9, "{} jumps {step}", joint.name());
            }
            if matches!(tick.state, GaitState::Walking | GaitState::Stopping | GaitState::Standing) {
                prop_assert!((foot - tick.feet[i]).norm() < 1e-8, "joints reach the feet");
                self.follow_foot(i, tick.contacts[i], foot)?;
            } else {
                self.planted_at[i] = None;
            }
        }
        if matches!(tick.state, GaitState::Walking | GaitState::Stopping) {
            let margin = self.balance.of(tick).margin;
            self.least_margin = self.least_margin.min(margin);
            let least = if tick.state == GaitState::Walking { f64::MIN_POSITIVE } else { 0.0 };
            prop_assert!(
                margin >= least || !self.is_static,
                "margin {margin} in {:?} with {:?}",
                tick.state,
                tick.contacts
            );
        }
        prop_assert!(tick.twist.is_finite() && tick.twist.speed() <= LIMITS.linear_velocity * 1.0001);
        self.before = *tick;
        Ok(())
    }

    fn follow_foot(&mut self, i: usize, down: bool, foot: Vector3<f64>) -> Result<(), TestCaseError> {
        let in_odom = self.odom_from_body.apply(foot.xy());
        match (down, self.planted_at[i]) {
            (true, Some(planted)) => {
                let slip = (in_odom - planted).norm();
                self.worst_slip = self.worst_slip.max(slip);
                prop_assert!(slip < 1e-6, "leg {i} slips {slip} m");
                prop_assert!(foot.z.abs() < 1e-8);
            }
            (true, None) => self.planted_at[i] = Some(in_odom),
            (false, _) => self.planted_at[i] = None,
        }
        Ok(())
    }
}

pub fn drive(engine: &mut Engine, observer: &mut Observer, input: &Input, ticks: usize) -> Result<(), TestCaseError> {
    for _ in 0..ticks {
        let tick = *engine.step(input, observer.dt);
        observer.check(engine, &tick)?;
    }
    Ok(())
}

pub fn twist(vx: f64, vy: f64, wz: f64) -> Input {
    Input { twist: Twist::new(vx, vy, wz), ..Input::default() }
}
