//! Players, motions for them to play, and how they are followed.

use super::{Observer, engine, engine_with};
use hexapod_gait::motion::{Blend, Home, Motion, Player, Pose, Steps, check};
use hexapod_gait::{BodyOffset, Engine, GaitSpec, GaitState, Input, SwingProfile, leg_places};
use hexapod_kinematics::{LegAngles, MAX_LEGS};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

/// The engine of the shipped robot, made once.
pub fn shipped() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| engine(6)).clone()
}

/// An engine of four legs that leaves its feet where motions find it hardest: a crawl that does not sway.
pub fn crawling() -> Engine {
    let crawl =
        GaitSpec { duty_factor: 0.75, cycle_time: 2.0, lag: 0.25, side_lag: 0.5, stable: false, ..GaitSpec::default() };
    engine_with(4, &crawl)
}

pub fn lifted(home: &Home, leg: usize, by: Vector3<f64>, lean: Vector3<f64>) -> Pose {
    let mut pose = home.pose;
    pose.offset.translation = lean;
    pose.feet[leg] += by;
    pose.planted[leg] = false;
    pose
}

pub fn leaning(home: &Home, z: f64, pitch: f64, yaw: f64) -> Pose {
    let offset = BodyOffset { translation: Vector3::new(0.0, 0.0, z), rotation: Vector3::new(0.0, pitch, yaw) };
    Pose { offset, ..home.pose }
}

pub fn moved(home: &Home, by: impl Fn(usize, usize) -> f64) -> [LegAngles; MAX_LEGS] {
    let mut angles = home.angles;
    for (leg, angles) in angles.iter_mut().enumerate() {
        angles.iter_mut().enumerate().for_each(|(joint, angle)| *angle += by(leg, joint));
    }
    angles
}

/// One of every kind, some of them faster than the joints can be.
pub fn motions() -> &'static [Arc<Motion>] {
    static MOTIONS: OnceLock<Vec<Arc<Motion>>> = OnceLock::new();
    MOTIONS.get_or_init(|| {
        let engine = shipped();
        let (home, places) = (engine.home(), leg_places(engine.robot()));
        let steps = Steps { height: 0.03, cycle_time: 0.8, swing: SwingProfile::Smooth };
        let sine = Steps { swing: SwingProfile::Sine, ..steps };
        let low = lifted(&home, 3, Vector3::new(0.0, -0.04, 0.10), Vector3::new(-0.02, 0.01, 0.0));
        let high = lifted(&home, 3, Vector3::new(0.04, 0.01, 0.12), Vector3::new(-0.02, 0.01, 0.0));
        let (up, down) = (leaning(&home, 0.01, 0.1, 0.2), leaning(&home, -0.04, -0.1, -0.2));
        // A step to another place and no step back: the player has to put that foot right.
        let mut aside = home.pose;
        aside.feet[1] += Vector3::new(0.01, 0.02, 0.0);
        let over = lifted(&home, 1, Vector3::new(0.0, 0.01, 0.04), Vector3::zeros());
        let sway = moved(&home, |_, joint| if joint == 0 { 0.15 } else { 0.0 });
        let rise = moved(&home, |leg, joint| if joint == 1 && leg == 0 { 0.5 } else { 0.0 });
        let all = [
            Motion::feet(6, &[(0.4, low), (0.4, high)], Blend::Smooth, Some(2.0)),
            Motion::feet(6, &[(0.05, low), (0.05, high)], Blend::Linear, Some(-1.0)),
            Motion::feet(6, &[(0.3, up), (0.5, down)], Blend::Smooth, Some(-1.0)),
            Motion::feet(6, &[(0.0, home.pose), (0.4, over), (0.8, aside)], Blend::Smooth, None),
            Motion::pose_transition(6, &up, &down, 0.1),
            Motion::angle_transition(&home.angles, &rise, 0.6),
            Motion::joints(&[(0.3, sway), (0.2, home.angles), (0.5, rise)], Blend::Smooth, Some(3.0)),
            Motion::linear_walk(&home, &places, Vector2::new(0.05, -0.02), steps, 3.0),
            Motion::linear_walk(&home, &places, Vector2::new(-0.09, 0.0), sine, -1.0),
            Motion::rotary_walk(&home, &places, 0.4, steps, 2.0),
        ];
        let motions: Vec<Arc<Motion>> = all.into_iter().map(|motion| Arc::new(motion.unwrap())).collect();
        for (index, motion) in motions.iter().enumerate() {
            assert_eq!(check(engine.robot(), &home, motion, engine.self_collision()), Ok(()), "motion {index}");
        }
        motions
    })
}

/// What any robot that stands can do, with one leg lifted after the body has moved away from it.
pub fn simple_motions(engine: &Engine) -> Vec<Arc<Motion>> {
    let home = engine.home();
    let legs = engine.legs().len();
    let sway = moved(&home, |_, joint| if joint == 0 { 0.1 } else { 0.0 });
    let away = -0.1 * home.pose.feet[0];
    let lean = if legs == 4 { away } else { Vector3::zeros() };
    let up = lifted(&home, 0, Vector3::new(0.0, 0.0, 0.04), lean);
    let aside = lifted(&home, 0, Vector3::new(-0.02, 0.0, 0.05), lean);
    let all = [
        Motion::feet(
            legs,
            &[(0.4, leaning(&home, 0.01, 0.05, 0.1)), (0.5, leaning(&home, -0.03, -0.05, -0.1))],
            Blend::Smooth,
            Some(-1.0),
        ),
        Motion::feet(legs, &[(0.4, up), (0.4, aside)], Blend::Linear, Some(1.5)),
        Motion::joints(&[(0.3, sway), (0.3, home.angles)], Blend::Smooth, Some(1.0)),
    ];
    let motions: Vec<Arc<Motion>> = all.into_iter().map(|motion| Arc::new(motion.unwrap())).collect();
    for (index, motion) in motions.iter().enumerate() {
        assert_eq!(
            check(engine.robot(), &home, motion, engine.self_collision()),
            Ok(()),
            "motion {index} on {legs} legs"
        );
    }
    motions
}

/// An observer of a player.
pub fn observer(player: &Player, dt: f64) -> Observer {
    let engine = player.engine();
    if engine.gait().is_stable() { Observer::new(engine, dt) } else { Observer::of_rough_gait(engine, dt) }
}

pub fn run(player: &mut Player, observer: &mut Observer, input: &Input, ticks: usize) -> Result<(), TestCaseError> {
    for _ in 0..ticks {
        let tick = *player.step(input, observer.dt());
        observer.check_player(player, &tick)?;
    }
    Ok(())
}

/// Ticks until the state is reached, at most `most`.
pub fn until(player: &mut Player, observer: &mut Observer, input: &Input, state: GaitState, most: usize) -> usize {
    for ticks in 0..most {
        run(player, observer, input, 1).unwrap();
        if player.last().state == state {
            return ticks + 1;
        }
    }
    panic!("{state:?} not within {most} ticks");
}

pub fn standing() -> (Player, Observer) {
    let mut player = Player::new(shipped());
    let mut observer = observer(&player, 0.01);
    player.stand();
    until(&mut player, &mut observer, &Input::default(), GaitState::Standing, 400);
    (player, observer)
}
