//! From parameters to a checked driver that has opened nothing yet.

use crate::bus::{ServoMap, is_real};
use crate::i2c_bus::BoardBus;
use crate::load::LoadFeedback;
use crate::params::{ON_CHANGE, ROS2_CONTROL};
use crate::pin_access;
use crate::pins::{Input, PinAccess, PinChoice, PinError};
use crate::schedule::Schedule;
use crate::servo_map::{servo_map, slow_bus, unmeasured};
use crate::statics::spare_parts;
use crate::supply::SupplyLimits;
use crate::wiring;
use hexapod_config::ros_params::{ParamValue, Params};
use hexapod_config::{ConfigError, Faults};
use hexapod_servo::simulated::ServoTime;
use hexapod_servo::{ServoConfig, SimulatedBus};
use hexapod_setup::params::{check_urdf, number, switch, text, wrong};
use hexapod_setup::{Description, Files, check_servos_alone};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// All the node needs to run, checked.
#[derive(Clone, Debug)]
pub struct Setup {
    pub(crate) map: ServoMap,
    /// The file that describes the robot.
    pub(crate) urdf: PathBuf,
    pub(crate) remark: Option<String>,
    /// What the user should know of pins and servos.
    pub(crate) notes: Vec<String>,
    /// Frame of the body, in which commands count.
    pub(crate) base_link: String,
    /// The boards of a simulator that moves with them.
    pub(crate) boards: Option<SimulatedBus>,
    /// Whether commands come in simulated time.
    pub(crate) in_simulated_time: bool,
    pub(crate) rate_hz: f64,
    pub(crate) state_rate_hz: f64,
    /// Longest silence on the topic `emergency_stop`; zero is any.
    pub(crate) stop_timeout: Duration,
    /// Set where ros2_control sends the joint commands.
    pub(crate) ros2_control: Option<Ros2Control>,
    pub(crate) pins: PinChoice,
    /// What servos measure beyond these is a battery alarm.
    pub(crate) supply_limits: SupplyLimits,
    /// Whether to start a guard, and the files it reads.
    pub(crate) guard: Option<Files>,
    /// One bit for each board that the robot stands without.
    pub(crate) spare_parts: u64,
    /// The robot on a floor whose servos tell their load, if the simulated ones are to.
    pub(crate) load: Option<LoadFeedback>,
    pub(crate) live: Live,
}

/// What there is to know of joint commands of ros2_control.
#[derive(Clone, Debug)]
pub(crate) struct Ros2Control {
    /// All joints of the robot, with a servo or without.
    pub joints: Vec<String>,
    /// Whether it is silent while no command changes.
    pub on_change: bool,
}

/// Whether the servos of a running driver have pulses. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Live(Arc<AtomicBool>);

impl Live {
    /// Whether they had a moment ago.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Says whether they have.
    pub fn set(&self, live: bool) {
        self.0.store(live, Ordering::SeqCst);
    }
}

impl Setup {
    /// The servos, and the bus that they are on.
    #[must_use]
    pub fn map(&self) -> &ServoMap {
        &self.map
    }

    /// The servos of boards, if they are on boards.
    #[must_use]
    pub fn servos(&self) -> Option<&ServoConfig> {
        self.map.boards()
    }

    /// What the servos may measure.
    #[must_use]
    pub fn supply_limits(&self) -> SupplyLimits {
        self.supply_limits
    }

    /// When a driver that starts at `now` ticks.
    #[must_use]
    pub fn schedule(&self, now: Duration) -> Schedule {
        Schedule::new(self.rate_hz, now)
    }

    /// Whether real servos move.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.map.is_real()
    }

    /// Whether the servos are those of a simulator in this process.
    #[must_use]
    pub fn wants_physics(&self) -> bool {
        matches!(self.map, ServoMap::Boards { bus: BoardBus::Physics, .. })
    }

    /// The driver of these boards, which a simulator watches.
    #[must_use]
    pub fn on_boards(self, boards: SimulatedBus) -> Self {
        Self { boards: Some(boards), ..self }
    }

    pub(crate) fn goes_by_physics(&self) -> bool {
        self.in_simulated_time && self.wants_physics()
    }

    /// What the servos' time-outs go by: the physics of this process, where commands go by them, too; else the computer's
    /// time. No `/clock` holds them up, and nothing at all does on a real bus.
    pub(crate) fn servo_time(&self) -> ServoTime {
        let physics = self.boards.as_ref().filter(|_| self.goes_by_physics());
        physics.map(|boards| boards.servo_time().clone()).unwrap_or_default()
    }

    /// Whether there is a stop button.
    #[must_use]
    pub fn has_stop_button(&self) -> bool {
        self.pins.stop.is_some()
    }

    /// How its pins would be reached, if it has any; none is touched.
    ///
    /// # Errors
    /// One of them cannot be had, and why.
    #[must_use]
    pub fn pin_access(&self) -> Option<Result<String, PinError>> {
        pin_access::look(&self.pins)
    }

    /// What will tell whether the servos have pulses, once the driver runs.
    #[must_use]
    pub fn live(&self) -> Live {
        self.live.clone()
    }

    /// What the user should know of how the servos were set up.
    #[must_use]
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// What the user should know of pins and servos.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Reads the files the parameters name and checks them against each other.
    ///
    /// # Errors
    /// File, line and key of what does not hold.
    pub fn load(params: &Params) -> Result<Self, ConfigError> {
        let files = Files::find(&text(params, "config"), &text(params, "urdf"))?;
        check_urdf(crate::NAME, params)?;
        Self::read(params, &files).map_err(|error| files.explained(error))
    }

    fn read(params: &Params, files: &Files) -> Result<Self, ConfigError> {
        let file = files.in_config("servos.yaml");
        let mut faults = Faults::default();
        let is_real = is_real(&text(params, "bus"));
        if is_real && switch(params, "use_sim_time") {
            let (reason, help) =
                ("does not go with real servos, which move in real time", "set it to false, or bus to simulated");
            faults.add(wrong(crate::NAME, params, "use_sim_time", reason, help));
        }
        faults.note(wiring::check(params));
        let timeout_s = number(params, "emergency_stop_timeout");
        if timeout_s > 0.0 && timeout_s < LEAST_TIMEOUT_S {
            let reason = format!("{timeout_s} s are less than a message needs on its way");
            let help = format!("give 0.0 for no heartbeat, or at least {LEAST_TIMEOUT_S}");
            faults.add(wrong(crate::NAME, params, "emergency_stop_timeout", reason, &help));
        }
        let description = faults.note(Description::read(files));
        let servos = match &description {
            Some(description) => faults.note(servo_map(&file, params, description)),
            None => {
                faults.note(check_servos_alone(&file));
                None
            }
        };
        let (description, (map, remark)) = faults.or(description.zip(servos))?;
        let guard = (switch(params, "guard") && is_real).then(|| files.clone());
        let (rate_hz, state_rate_hz) = (number(params, "rate"), number(params, "state_rate"));
        let stop_timeout = Duration::from_secs_f64(number(params, "emergency_stop_timeout"));
        let pins = if is_real { pins(params) } else { PinChoice::default() };
        let notes = wiring::notes(params).into_iter().chain(unmeasured(&map, files)).chain(slow_bus(&map)).collect();
        let spare_parts = spare_parts(&map, &description.robot);
        let limit = |name: &str| Some(number(params, name)).filter(|limit| map.measures_supply() && *limit > 0.0);
        let supply_limits = SupplyLimits { least_v: limit("low_voltage"), most_c: limit("high_temperature") };
        Ok(Self {
            map,
            urdf: files.urdf.clone(),
            remark,
            notes,
            base_link: description.robot.model().base_link().to_owned(),
            boards: None,
            in_simulated_time: switch(params, "use_sim_time"),
            rate_hz,
            state_rate_hz,
            stop_timeout,
            ros2_control: ros2_control(params, &description),
            pins,
            supply_limits,
            guard,
            spare_parts,
            load: (!is_real && switch(params, "load_feedback")).then(|| LoadFeedback::new(&description.robot)),
            live: Live::default(),
        })
    }
}

fn ros2_control(params: &Params, description: &Description) -> Option<Ros2Control> {
    let source = text(params, ROS2_CONTROL);
    let joints = || description.robot.model().joints().iter().map(|joint| joint.name().to_owned()).collect();
    (source != "none").then(|| Ros2Control { joints: joints(), on_change: source == ON_CHANGE })
}

/// The shortest silence that can tell a lost heartbeat from a late one, s.
const LEAST_TIMEOUT_S: f64 = 0.02;

fn pins(params: &Params) -> PinChoice {
    let pin = |name: &str| match params.get(name) {
        Some(ParamValue::Integer(pin)) => u8::try_from(*pin).ok(),
        _ => None,
    };
    let input =
        |name: &str| pin(name).map(|pin| Input { pin, active_high: text(params, &format!("{name}_active")) == "high" });
    let bus = pin("sda_pin").zip(pin("scl_pin"));
    let access = PinAccess::of(&text(params, "gpio"));
    PinChoice { output_enable: pin("oe_pin"), stop: input("stop_pin"), battery: input("battery_pin"), bus, access }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_boards_of_a_simulation_stand_still_expect_only_a_driver_in_physics_and_simulated_time_to_wait() {
        let root = env!("CARGO_MANIFEST_DIR");
        let waits = |bus: &str, simulated_time: bool| {
            let mut params: Params = crate::specs().into_iter().map(|spec| (spec.name, spec.default)).collect();
            params.insert("config", format!("{root}/../../config").as_str().into());
            params.insert("urdf", format!("{root}/../../urdf/hexapod.urdf").as_str().into());
            params.insert("bus", bus.into());
            params.insert("use_sim_time", simulated_time.into());
            let setup = Setup::load(&params).ok()?;
            let boards = SimulatedBus::for_config(setup.servos()?);
            Some(setup.on_boards(boards).servo_time().at(Duration::from_secs(1)).is_zero())
        };
        assert_eq!([waits("physics", true), waits("physics", false)], [Some(true), Some(false)]);
        assert_eq!([waits("simulated", true), waits("i2c", false)], [Some(false), Some(false)]);
        assert_eq!(waits("i2c", true), None, "refused");
    }
}
