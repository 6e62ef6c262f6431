//! The equations of motion: against a table of Pinocchio's results, and by what must hold for any leg.

use crate::common::{FIVE_JOINTS, Random, SHIPPED, leg};
use hexapod_dynamics::{BaseMotion, JointVector, LegDynamics};
use hexapod_kinematics::{LegAngles, MAX_LEG_JOINTS};
use nalgebra::{SVector, Vector3};

/// All results of one leg, in the order of `examples/dynamics_raw.rs`.
fn results(leg: &LegDynamics, q: &LegAngles, v: &LegAngles, a: &LegAngles, base: &BaseMotion) -> Vec<f64> {
    let (n, placed) = (leg.joint_count(), leg.at(q));
    let regressor = leg.regressor(q, v, a, base);
    let still = BaseMotion::at_rest(base.gravity);
    let forward = placed.forward_dynamics(v, &SVector::from(*v.padded()), &Vector3::zeros(), &still).unwrap();
    let mut all: Vec<f64> = placed.inverse_dynamics(v, a, base).iter().take(n).copied().collect();
    for matrix in [placed.mass_matrix(), placed.coriolis_matrix(v)] {
        all.extend((0..n).flat_map(|i| (0..n).map(move |j| matrix[(i, j)])));
    }
    all.extend(leg.gravity_torques(q, base).iter().take(n));
    all.extend(forward.iter().take(n));
    all.extend(placed.momentum(v, base).momentum.iter().take(n));
    all.extend((0..n).flat_map(|i| (0..10 * n).map(move |k| regressor[(i, k)])));
    all
}

#[test]
fn when_compared_with_the_table_of_pinocchio_expect_the_same_to_1e_9() {
    for (text, table, joints) in
        [(SHIPPED, include_str!("golden/shipped.csv"), 18), (FIVE_JOINTS, include_str!("golden/five_joints.csv"), 30)]
    {
        let leg = leg(text);
        for line in table.lines() {
            let row: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            let (state, expect) = row.split_at(3 * joints + 12);
            let part = |k: usize| LegAngles::from_fn(leg.joint_count(), |i| state[k * joints + i]);
            let vector = |k: usize| Vector3::from_column_slice(&state[3 * joints + 3 * k..][..3]);
            let base = BaseMotion {
                angular_velocity: vector(0),
                angular_acceleration: vector(1),
                acceleration: vector(2),
                gravity: vector(3),
            };
            let ours = results(&leg, &part(0), &part(1), &part(2), &base);
            assert_eq!(ours.len(), expect.len());
            for (mine, theirs) in ours.iter().zip(expect) {
                assert!((mine - theirs).abs() < 1e-9 * theirs.abs().max(1.0), "{mine} {theirs}");
            }
        }
        assert_eq!(table.lines().count(), 3);
    }
}

fn random_base(random: &mut Random) -> BaseMotion {
    BaseMotion {
        angular_velocity: random.vector(2.0),
        angular_acceleration: random.vector(10.0),
        acceleration: random.vector(5.0),
        gravity: random.vector(9.8),
    }
}

#[test]
fn when_moved_by_the_torques_of_inverse_dynamics_expect_forward_dynamics_to_give_the_accelerations_back() {
    let mut random = Random(3);
    for text in [SHIPPED, FIVE_JOINTS] {
        let leg = leg(text);
        let n = leg.joint_count();
        for _ in 0..500 {
            let (q, v, a) = (random.angles(n, 3.0), random.angles(n, 5.0), random.angles(n, 40.0));
            let (base, force) = (random_base(&mut random), random.vector(20.0));
            let placed = leg.at(&q);
            let torques = placed.inverse_dynamics(&v, &a, &base) - placed.jacobian().transpose() * force;
            let back = placed.forward_dynamics(&v, &torques, &force, &base).unwrap();
            assert!((back - SVector::from(*a.padded())).norm() < 1e-7, "{back} {a:?}");
        }
    }
}

#[test]
fn when_the_jacobian_is_taken_from_the_dynamics_expect_that_of_the_kinematics() {
    let mut random = Random(4);
    for text in [SHIPPED, FIVE_JOINTS] {
        let robot = crate::common::robot(text);
        for leg in robot.legs() {
            let angles = random.angles(leg.joint_count(), 3.0);
            let placed = LegDynamics::new(robot.model(), leg).at(&angles);
            assert!((placed.jacobian() - leg.jacobian(&angles)).norm() < 1e-12);
            assert!((placed.foot_in_body() - leg.foot_in_body(&angles)).norm() < 1e-12);
        }
    }
}

#[test]
fn when_the_mass_matrix_changes_expect_its_rate_less_two_coriolis_matrices_to_be_skew() {
    let (leg, mut random) = (leg(FIVE_JOINTS), Random(5));
    for _ in 0..100 {
        let (q, v) = (random.angles(5, 3.0), random.angles(5, 5.0));
        let moved = |t: f64| leg.at(&LegAngles::from_fn(5, |i| q[i] + t * v[i])).mass_matrix();
        let rate = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        let rest = rate - 2.0 * leg.at(&q).coriolis_matrix(&v);
        assert!((rest + rest.transpose()).norm() < 1e-7, "{rest}");
    }
}

#[test]
fn when_the_base_turns_and_speeds_up_expect_the_momentum_to_change_as_its_free_rate_and_torques_say() {
    let (leg, mut random) = (leg(FIVE_JOINTS), Random(6));
    for _ in 0..100 {
        let (q, v, a) = (random.angles(5, 3.0), random.angles(5, 5.0), random.angles(5, 40.0));
        let base = random_base(&mut random);
        let at = |t: f64| {
            let angles = LegAngles::from_fn(5, |i| q[i] + t * v[i] + 0.5 * t * t * a[i]);
            let speeds = LegAngles::from_fn(5, |i| v[i] + t * a[i]);
            let spin = base.angular_velocity + t * base.angular_acceleration;
            leg.at(&angles).momentum(&speeds, &BaseMotion { angular_velocity: spin, ..base })
        };
        let torques = leg.inverse_dynamics(&q, &v, &a, &base);
        let rate = (at(1e-5).momentum - at(-1e-5).momentum) / 2e-5;
        assert!((rate - torques - at(0.0).free_rate).norm() < 1e-6 * rate.norm().max(1.0));
    }
}

/// One step of Runge and Kutta's method of a leg that nothing drives.
fn swing(leg: &LegDynamics, q: &LegAngles, v: &LegAngles, h: f64) -> (LegAngles, LegAngles) {
    let (n, base) = (leg.joint_count(), BaseMotion::level());
    let sum = |a: &LegAngles, b: &LegAngles, t: f64| LegAngles::from_fn(n, |i| a[i] + t * b[i]);
    let rate = |q: &LegAngles, v: &LegAngles| {
        let a = leg.at(q).forward_dynamics(v, &JointVector::zeros(), &Vector3::zeros(), &base).unwrap();
        LegAngles::from_fn(n, |i| a[i])
    };
    let (v1, a1) = (*v, rate(q, v));
    let (v2, a2) = (sum(v, &a1, 0.5 * h), rate(&sum(q, &v1, 0.5 * h), &sum(v, &a1, 0.5 * h)));
    let (v3, a3) = (sum(v, &a2, 0.5 * h), rate(&sum(q, &v2, 0.5 * h), &sum(v, &a2, 0.5 * h)));
    let (v4, a4) = (sum(v, &a3, h), rate(&sum(q, &v3, h), &sum(v, &a3, h)));
    let step = |x: &LegAngles, k: [&LegAngles; 4]| {
        LegAngles::from_fn(n, |i| x[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]))
    };
    (step(q, [&v1, &v2, &v3, &v4]), step(v, [&a1, &a2, &a3, &a4]))
}

#[test]
fn when_a_leg_swings_freely_expect_its_energy_kept_to_the_error_of_integration() {
    for (text, start) in [(SHIPPED, [0.3, 0.2, -0.5, 0.0, 0.0, 0.0]), (FIVE_JOINTS, [0.2, 0.1, 0.3, -0.4, 0.2, 0.0])] {
        let leg = leg(text);
        let n = leg.joint_count();
        let error = |h: f64| {
            let (mut q, mut v) = (LegAngles::from_slice(&start[..n]).unwrap(), LegAngles::zeros(n));
            let energy = |q: &LegAngles, v: &LegAngles| leg.at(q).energy(v, &BaseMotion::level().gravity);
            let (before, mut worst, mut kinetic) = (energy(&q, &v), 0.0f64, 0.0f64);
            for _ in 0..(0.25 / h).round() as usize {
                (q, v) = swing(&leg, &q, &v, h);
                worst = worst.max((energy(&q, &v) - before).abs());
                kinetic = kinetic.max(leg.at(&q).energy(&v, &Vector3::zeros()));
            }
            worst / kinetic
        };
        let (coarse, fine) = (error(2e-4), error(1e-4));
        println!(
            "free swing: energy error {fine:.1e} of the kinetic energy, {:.1} times less than at twice the step",
            coarse / fine
        );
        assert!(fine < 1e-9, "{fine}");
        assert!(coarse / fine > 8.0 || coarse < 1e-12, "fourth order or better: {coarse} {fine}");
    }
}

#[test]
fn when_links_are_fixed_to_a_leg_one_after_the_other_expect_their_inertia_in_it() {
    let more = r#"
      <joint name="a" type="fixed"><parent link="left_front_tibia_link"/><child link="a"/>
        <origin xyz="0.1 0.02 -0.03" rpy="0.5 -0.3 1.1"/></joint>
      <link name="a"/>
      <joint name="b" type="fixed"><parent link="a"/><child link="b"/>
        <origin xyz="-0.04 0.05 0.06" rpy="-0.7 0.2 0.4"/></joint>
      <link name="b"><inertial><origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="0.05"/>
        <inertia ixx="2e-5" iyy="3e-5" izz="4e-5" ixy="1e-6" ixz="2e-6" iyz="3e-6"/></inertial></link>
    </robot>"#;
    let robot = crate::common::robot(&SHIPPED.replace("</robot>", more));
    let loaded = robot.legs().iter().find(|leg| leg.name() == "left_front").unwrap();
    let bare = crate::common::robot(SHIPPED);
    let bare = bare.legs().iter().find(|leg| leg.name() == "left_front").map(|leg| LegDynamics::new(bare.model(), leg));
    let model = robot.model();
    let pose = |name: &str| *model.joints()[model.joint_index(name).unwrap()].parent_from_joint();
    let link = &model.links()[model.link_index("b").unwrap()];
    let added = hexapod_dynamics::Inertia::of_link(link.inertial().unwrap(), &(pose("a") * pose("b")));
    let expect = *bare.unwrap().inertias().last().unwrap() + added;
    let found = *LegDynamics::new(model, loaded).inertias().last().unwrap();
    let off = found.parameters().iter().zip(expect.parameters()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-15 && (found.mass - expect.mass).abs() < 1e-15, "{found:?} {expect:?}");
}

#[test]
fn when_a_leg_weighs_nothing_expect_no_accelerations_and_nothing_else_to_fail() {
    let weightless = leg(SHIPPED).with_parameters(&[0.0; 30]);
    let placed = weightless.at(&LegAngles::from([0.1, 0.2, 0.3]));
    let still = LegAngles::zeros(3);
    assert!(placed.forward_dynamics(&still, &JointVector::zeros(), &Vector3::zeros(), &BaseMotion::level()).is_err());
    assert_eq!(placed.inverse_dynamics(&still, &still, &BaseMotion::level()), JointVector::zeros());
}

#[test]
fn when_numbers_are_any_expect_no_panic_and_no_acceleration_that_is_not_finite() {
    let mut random = Random(8);
    for text in [SHIPPED, FIVE_JOINTS] {
        let leg = leg(text);
        for _ in 0..5000 {
            let mut any = || {
                let length = (random.unit() * 7.0) as usize;
                LegAngles::from_fn(length, |_| random.any())
            };
            let (q, v, a) = (any(), any(), any());
            let base =
                BaseMotion { angular_velocity: Vector3::from_fn(|_, _| random.any()), ..random_base(&mut Random(1)) };
            let torques = SVector::<f64, MAX_LEG_JOINTS>::from_fn(|_, _| random.any());
            let placed = leg.at(&q);
            let forward = placed.forward_dynamics(&v, &torques, &Vector3::zeros(), &base);
            assert!(forward.is_err() || forward.is_ok_and(|a| a.iter().all(|x| x.is_finite())));
            let (_, _) = (leg.regressor(&q, &v, &a, &base), placed.coriolis_matrix(&v));
        }
    }
}
