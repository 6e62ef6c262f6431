//! How long this robot, set as it is, has to sit once its process is asked to end; and why a setting is refused with which it
//! would take longer than anybody waits.

use crate::params;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::Params;
use hexapod_gait::{Ending, Engine};
use hexapod_kinematics::{JointLimits, Leg, LegJoint};
use hexapod_ros::ending::{LONGEST, allowance};
use hexapod_setup::Gaits;
use hexapod_setup::params::{number, wrong};
use std::time::Duration;

/// The gait on which it takes longest, and what that time is made of.
#[derive(Clone, Debug)]
pub struct Slowest {
    /// Name of the gait.
    pub gait: String,
    /// What the time is made of.
    pub ending: Ending,
}

impl Slowest {
    /// Of all gaits of a robot.
    #[must_use]
    pub fn of(engine: &Engine, gaits: &Gaits) -> Self {
        let all = gaits.iter().map(|(name, gait)| Self { gait: name.into(), ending: Ending::of_any(engine, gait) });
        let longer = |a: Self, b: Self| if b.ending.seconds() > a.ending.seconds() { b } else { a };
        let none = || Self { gait: String::new(), ending: Ending::default() };
        let slowest = all.reduce(longer).unwrap_or_else(none);
        // Feet on their way at the gait before take its time.
        let longest = gaits.iter().max_by(|(_, one), (_, other)| one.cycle_time().total_cmp(&other.cycle_time()));
        match longest.filter(|_| slowest.most() == "gait") {
            Some((name, _)) => Self { gait: name.into(), ..slowest },
            None => slowest,
        }
    }

    /// How long the process waits for it.
    #[must_use]
    pub fn allowance(&self) -> Duration {
        allowance(self.ending.seconds())
    }

    /// Whether that is too long, and the parameter to blame.
    fn blame(&self) -> Option<&'static str> {
        (self.allowance() > LONGEST).then(|| self.most())
    }

    /// The parameter that most of the time is for.
    fn most(&self) -> &'static str {
        let Ending { leaving_s, braking_s, stepping_s, lowering_s } = self.ending;
        let parts = [
            (braking_s, "max_linear_acceleration"),
            (stepping_s, "gait"),
            (lowering_s, "sit_time"),
            (leaving_s, "urdf"),
        ];
        parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or("urdf", |(_, name)| name)
    }

    /// What is wrong, and what would be right.
    fn words(&self, name: &str, engine: &Engine) -> (String, String) {
        let Ending { leaving_s, braking_s, stepping_s, lowering_s } = self.ending;
        let (allowed, longest, gait) = (self.allowance().as_secs_f64(), LONGEST.as_secs(), &self.gait);
        let message = format!(
            "the robot may take {allowed:.0} s to sit when its process ends, and is waited for {longest} s at most: on gait \
             {gait:?}, {braking_s:.1} s to slow down, {stepping_s:.1} s for its feet, {lowering_s:.1} s to come down, and \
             {leaving_s:.1} s to leave a motion before"
        );
        let help = match name {
            "max_linear_acceleration" => {
                "raise max_linear_acceleration and max_angular_acceleration, or lower max_linear_velocity and \
                 max_angular_velocity"
                    .into()
            }
            "gait" => format!("give gait {gait:?} a shorter cycle_time in gaits.yaml"),
            "sit_time" => "lower sit_time".into(),
            _ => slow_joint(engine),
        };
        (message, help)
    }
}

/// What to do about the joint that takes longest from one end of its range to the other.
fn slow_joint(engine: &Engine) -> String {
    let seconds = |joint: &LegJoint| (joint.limits().upper - joint.limits().lower) / joint.limits().velocity;
    let joints = engine.legs().iter().flat_map(Leg::joints);
    let slowest = joints.max_by(|one, other| seconds(one).total_cmp(&seconds(other)));
    slowest.map_or_else(String::new, |joint| {
        let JointLimits { lower, upper, velocity, .. } = joint.limits();
        format!(
            "{} turns from {lower:.2} to {upper:.2} rad at {velocity:.2} rad/s at most: under limits in robot.yaml, raise its \
             velocity if its servo is faster, or narrow its range to what the leg needs; so for all joints like it",
            joint.name()
        )
    })
}

/// Checks that the robot sits before anybody loses patience, on every gait.
///
/// # Errors
/// It may take longer: at the parameter that most of the time is for.
pub(crate) fn check(params: &Params, engine: &Engine, gaits: &Gaits) -> Result<(), ConfigError> {
    let slowest = Slowest::of(engine, gaits);
    let Some(name) = slowest.blame() else { return Ok(()) };
    let (message, help) = slowest.words(name, engine);
    Err(wrong(crate::NAME, params, name, message, &help))
}

/// The same for parameters that are changed while the robot runs.
///
/// # Errors
/// In words, for who set them.
pub(crate) fn check_live(engine: &Engine, gaits: &Gaits, params: &Params) -> Result<(), String> {
    let mut changed = engine.clone();
    changed.set_limits(params::limits(params));
    changed.set_step_height(number(params, "step_height"));
    let slowest = Slowest::of(&changed, gaits);
    let refused = slowest.blame().map(|name| slowest.words(name, &changed));
    refused.map_or(Ok(()), |(message, help)| Err(format!("{message}; {help}")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::command::{Command, Received, queues};
    use crate::control::Goodbye;
    use crate::core::Core;
    use crate::life::Moment;
    use crate::params::shipped;
    use crate::setup::Setup;
    use hexapod_config::ros_params::ParamValue;
    use hexapod_gait::{GaitState, Twist};
    use hexapod_ros::Shutdown;
    use rtrb::Producer;

    const DT: f64 = 0.02;

    /// Numbers in [0, 1), the same each time.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }

        fn even(&mut self, least: f64, greatest: f64) -> f64 {
            least * (greatest / least).powf(self.roll())
        }
    }

    fn with(changes: &[(&'static str, f64)]) -> Params {
        let mut params = shipped();
        params.extend(changes.iter().map(|&(name, value)| (name, ParamValue::Double(value))));
        params
    }

    /// Anything that the parameters may be.
    fn any(dice: &mut Dice) -> Params {
        let mut params = with(&[
            ("sit_time", dice.even(0.3, 20.0)),
            ("stand_time", dice.even(0.3, 3.0)),
            ("max_linear_velocity", dice.even(0.05, 2.0)),
            ("max_angular_velocity", dice.even(0.2, 6.0)),
            ("max_linear_acceleration", dice.even(0.01, 10.0)),
            ("max_angular_acceleration", dice.even(0.05, 50.0)),
            ("max_linear_jerk", dice.even(0.1, 1000.0)),
            ("max_angular_jerk", dice.even(0.5, 5000.0)),
        ]);
        let gait = ["tripod", "ripple", "amble", "wave"][(4.0 * dice.roll()) as usize];
        params.insert("gait", gait.into());
        params
    }

    struct Robot {
        core: Core,
        commands: Producer<Received>,
        now: Moment,
    }

    impl Robot {
        fn send(&mut self, command: Command) {
            self.commands
                .push(Received { command, sender: Some(hexapod_ros::Sender::Local(1)), at: self.now })
                .unwrap();
        }

        /// One tick on a computer that loses every tenth.
        fn tick(&mut self) -> GaitState {
            self.now = Moment::real(self.now.real + Duration::from_secs_f64(1.1 * DT));
            self.core.tick(self.now, DT).state
        }
    }

    /// What a robot does at the moment at which its process ends, and once its loop is over.
    fn ended(setup: Setup, dice: &mut Dice) -> (GaitState, GaitState) {
        let (commands, _, incoming) = queues();
        let mut robot =
            Robot { core: setup.into_core(incoming, None), commands, now: Moment::real(Duration::from_secs(9)) };
        (0..40).for_each(|_| _ = robot.tick());
        robot.send(Command::Stand);
        (0..250).for_each(|_| _ = robot.tick());
        let twist = Twist::new(0.4 * dice.roll() - 0.2, 0.2 * dice.roll() - 0.1, 2.0 * dice.roll() - 1.0);
        for _ in 0..20 + (100.0 * dice.roll()) as usize {
            robot.send(Command::Twist(twist));
            (0..5).for_each(|_| _ = robot.tick());
        }
        let (before, asked, mut goodbye) = (robot.core.last().state, Shutdown::default(), Goodbye::default());
        asked.ask();
        loop {
            assert!(goodbye.goes_on(&mut robot.core, robot.now.real, &asked));
            let state = robot.tick();
            if goodbye.is_over(state, (robot.now.real, DT)) {
                return (before, state);
            }
        }
    }

    #[test]
    fn when_a_process_with_any_settings_ends_expect_its_robot_seated_or_the_settings_refused_at_the_start() {
        let mut dice = Dice(1);
        let (mut walked, mut refused) = (0, 0);
        for case in 0..40 {
            let params = any(&mut dice);
            match Setup::load(&params) {
                Ok(setup) => {
                    let (before, after) = ended(setup, &mut dice);
                    walked += usize::from(before == GaitState::Walking);
                    assert_eq!(after, GaitState::Sitting, "case {case}: {params:?}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("waited for 80 s at most"), "case {case}: {error}");
                }
            }
        }
        assert!(walked >= 20 && refused < 20, "{walked} walked, {refused} were refused");
    }

    #[test]
    fn when_it_takes_too_long_expect_what_is_to_blame_and_what_to_do() {
        for (changes, name, help) in [
            (&[("max_angular_acceleration", 0.01)][..], "max_linear_acceleration", "raise max_linear_acceleration"),
            (&[("sit_time", 20.0), ("max_angular_acceleration", 0.02)], "max_linear_acceleration", "lower max_linear"),
        ] {
            let error = Setup::load(&with(changes)).unwrap_err();
            let reported = format!("{} {}", error.message(), error.remedy());
            assert!(
                reported.contains(name) && reported.contains(help) && reported.contains("80 s at most"),
                "{reported}"
            );
        }
        assert!(Setup::load(&with(&[("sit_time", 20.0)])).is_ok() && Setup::load(&shipped()).is_ok());
    }

    #[test]
    fn when_bounds_change_while_the_robot_runs_expect_those_refused_with_which_it_would_take_too_long() {
        let setup = Setup::load(&shipped()).unwrap();
        let check = |changes: &[(&'static str, f64)]| check_live(&setup.engine, &setup.gaits, &with(changes));
        assert_eq!(check(&[("max_linear_acceleration", 0.01), ("step_height", 0.05)]), Ok(()));
        let refused = check(&[("max_angular_acceleration", 0.01)]).unwrap_err();
        assert!(refused.contains("80 s at most") && refused.contains("raise"), "{refused}");
    }
}
