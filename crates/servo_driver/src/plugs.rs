//! The plugs of a bench: at most one of them has a pulse, which changes slowly.

use crate::bus::Servos;
use hexapod_servo::ServoConfig;
use hexapod_servo::backend::{ArmReport, Backend, Service, Tally};
use hexapod_servo::calibration::Servo;
use std::time::Duration;

/// The fastest a pulse changes; 27 degrees a second for most servos.
const SPEED_US_S: f64 = 300.0;
pub(crate) const PERIOD: Duration = Duration::from_millis(20);

/// What one plug is to put out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// Number of the board in the file.
    pub board: usize,
    /// Its channel.
    pub channel: u8,
    /// Pulse in microseconds.
    pub pulse_us: f64,
    /// The pulse to go back to when nothing more is heard.
    pub rest_us: f64,
}

/// Which plug is to have which pulse; none: everything off.
pub type PulseRequest = Option<Pulse>;

/// What is written to the boards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readout {
    /// Pulse in microseconds and in counts.
    pub commanded: Option<(f64, u16)>,
    /// What is wrong with the bus.
    pub trouble: Option<String>,
}

/// The servos of a bench, behind the seam that a driver has them behind. Their joints are those of the configuration, with
/// pulses for angles ([`ServoConfig::on_bench`]).
pub(crate) struct Serving {
    servos: ServoConfig,
    backend: Servos,
    /// The joint that has a pulse, and what was wanted of it.
    commanded: Option<(usize, Pulse)>,
    trouble: Option<String>,
}

impl Serving {
    /// `open` puts the servos behind a gate.
    pub fn new(servos: &ServoConfig, open: impl FnOnce(&ServoConfig) -> Servos) -> Self {
        let servos = servos.on_bench();
        let backend = open(&servos);
        Self { servos, backend, commanded: None, trouble: None }
    }

    pub fn readout(&self) -> Readout {
        let commanded = self.commanded.and_then(|(joint, _)| {
            let (servo, commanded_rad) = (&self.servos.servos()[joint], self.backend.commanded(joint)?);
            Some((servo.pulse_us(commanded_rad)?.value, servo.counts(commanded_rad)))
        });
        Readout { commanded, trouble: self.trouble.clone() }
    }

    pub fn tick(&mut self, wanted: PulseRequest, now: Duration) {
        let step_us = SPEED_US_S * PERIOD.as_secs_f64();
        self.commanded = wanted.and_then(|wanted| {
            let is_meant = |servo: &Servo| (servo.board(), servo.channel()) == (wanted.board, wanted.channel);
            let joint = self.servos.servos().iter().position(is_meant)?;
            let before = self.commanded.filter(|(before, _)| *before == joint);
            let before_us = before.map_or(wanted.pulse_us, |(_, before)| before.pulse_us);
            let pulse_us = before_us + (wanted.pulse_us - before_us).clamp(-step_us, step_us);
            Some((joint, Pulse { pulse_us, ..wanted }))
        });
        self.trouble = self.exchange(now).err();
        if self.trouble.is_some() {
            // Never back to the old pose by itself: it begins anew with what is wanted then.
            self.backend.let_go(None);
        }
    }

    /// Prepares what is not in service, and puts out what is wanted.
    fn exchange(&mut self, now: Duration) -> Result<(), String> {
        let mut tally = Tally::default();
        let joints = 0..self.servos.servos().len();
        let is = |backend: &Servos, joint: usize, service: Service| backend.service(joint) == service;
        let mut report = ArmReport::default();
        if joints.clone().any(|joint| is(&self.backend, joint, Service::Off)) {
            self.backend.prepare(now, &mut tally, &mut report);
            std::thread::sleep(self.backend.settle());
        }
        for joint in joints.clone() {
            let wanted = self.commanded.filter(|(commanded, _)| *commanded == joint);
            let target_rad = wanted.map(|(_, pulse)| self.servos.servos()[joint].angle_rad(pulse.pulse_us));
            self.backend.set(joint, target_rad);
        }
        self.backend.exchange(now, &mut tally);
        if let Some((_, trouble)) = self.backend.take_lost() {
            return Err(trouble.to_string());
        }
        if joints.clone().any(|joint| is(&self.backend, joint, Service::Failing)) {
            self.backend.prepare(now, &mut tally, &mut report);
        }
        // Joints of other parts can be worked on while one is not there.
        let works = match self.commanded {
            Some((joint, _)) => is(&self.backend, joint, Service::Holding),
            None => joints.clone().any(|joint| !is(&self.backend, joint, Service::Off)),
        };
        let failed = report.checks.iter().filter(|check| !check.passed).map(|check| check.detail.clone());
        if works { Ok(()) } else { Err(failed.collect::<Vec<_>>().join("; ")) }
    }

    pub fn all_off(&mut self) {
        self.backend.all_off(&mut Tally::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::on_boards;
    use crate::stop::StopLine;
    use crate::stoppable::Gate;
    use hexapod_ros::monotonic_now;
    use hexapod_servo::simulated::BusFault;
    use hexapod_servo::{RawServoConfig, SimulatedBus};

    /// A bench, and the time of its ticks.
    struct Bench(Serving, Duration);

    impl Bench {
        fn new(config: &ServoConfig, bus: &SimulatedBus) -> Self {
            let line = StopLine::default();
            let gate = Gate::new(line.clone());
            gate.permit(line.ticket(monotonic_now()));
            Self(Serving::new(config, |servos| on_boards(servos, bus.clone())(&gate)), Duration::from_secs(100))
        }

        fn tick(&mut self, wanted: PulseRequest) {
            self.1 += PERIOD;
            self.0.tick(wanted, self.1);
        }

        fn trouble(&self) -> Option<String> {
            self.0.readout().trouble
        }
    }

    fn serving() -> (Bench, SimulatedBus) {
        let yaml = "boards: [{ address: 0x40 }]\nservos:\n  a: { board: 0, channel: 2, min_pulse_us: 900, \
            max_pulse_us: 2100, speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, { angle_rad: 1, \
            pulse_us: 2000 }] }\n  b: { board: 0, channel: 3, min_pulse_us: 900, max_pulse_us: 2100, \
            speed_limit_rad_s: 6, points: [{ angle_rad: -1, pulse_us: 1000 }, { angle_rad: 1, pulse_us: 2000 }] }\n";
        let raw: RawServoConfig = serde_yaml::from_str(yaml).unwrap();
        let config = ServoConfig::try_from(raw).unwrap();
        let bus = SimulatedBus::for_config(&config);
        (Bench::new(&config, &bus), bus)
    }

    fn pulse(channel: u8, pulse_us: f64) -> PulseRequest {
        Some(Pulse { board: 0, channel, pulse_us, rest_us: 1500.0 })
    }

    #[test]
    fn when_a_pulse_is_wanted_expect_it_slowly_beyond_the_limits_and_one_joint_at_a_time() {
        let (mut serving, bus) = serving();
        serving.tick(None);
        assert_eq!(bus.pulse_us(0x40, 2), None);
        serving.tick(pulse(2, 1500.0));
        assert!((bus.pulse_us(0x40, 2).unwrap() - 1500.0).abs() < 3.0);
        for _ in 0..50 {
            serving.tick(pulse(2, 2400.0));
        }
        assert!((bus.pulse_us(0x40, 2).unwrap() - 1800.0).abs() < 3.0, "300 us a second");
        for _ in 0..150 {
            serving.tick(pulse(2, 2400.0));
        }
        assert!((bus.pulse_us(0x40, 2).unwrap() - 2400.0).abs() < 3.0);
        serving.tick(pulse(3, 1200.0));
        assert_eq!(bus.pulse_us(0x40, 2), None);
        assert!((bus.pulse_us(0x40, 3).unwrap() - 1200.0).abs() < 3.0);
        serving.0.all_off();
        assert_eq!(bus.pulse_us(0x40, 3), None);
    }

    #[test]
    fn when_one_board_is_not_there_expect_joints_of_the_other_to_work_and_its_own_to_say_so() {
        let servo = |board: usize| {
            format!(
                "{{ board: {board}, channel: 2, min_pulse_us: 900, max_pulse_us: 2100, speed_limit_rad_s: 6, \
                 points: [{{ angle_rad: -1, pulse_us: 1000 }}, {{ angle_rad: 1, pulse_us: 2000 }}] }}"
            )
        };
        let yaml = format!(
            "boards: [{{ address: 0x40 }}, {{ address: 0x41 }}]\nservos:\n  a: {}\n  b: {}\n",
            servo(0),
            servo(1)
        );
        let config = ServoConfig::try_from(serde_yaml::from_str::<RawServoConfig>(&yaml).unwrap()).unwrap();
        let bus = SimulatedBus::for_config(&config);
        bus.inject(BusFault::Dead { address: 0x40 });
        let mut serving = Bench::new(&config, &bus);
        let on = |board: usize| Some(Pulse { board, channel: 2, pulse_us: 1500.0, rest_us: 1500.0 });
        serving.tick(on(1));
        assert_eq!(serving.trouble(), None);
        assert!(bus.pulse_us(0x41, 2).is_some());
        serving.tick(on(0));
        assert!(serving.trouble().unwrap().contains("0x40: no acknowledge"));
        assert_eq!(bus.pulse_us(0x41, 2), None, "one joint at a time");
        bus.inject(BusFault::Alive { address: 0x40 });
        serving.tick(on(0));
        assert!(bus.pulse_us(0x40, 2).is_some(), "{:?}", serving.trouble());
    }

    #[test]
    fn when_the_board_is_reset_or_silent_expect_it_said_and_a_new_start() {
        let (mut serving, bus) = serving();
        serving.tick(pulse(2, 1500.0));
        bus.inject(BusFault::Dead { address: 0x40 });
        serving.tick(pulse(2, 1600.0));
        assert!(serving.trouble().unwrap().contains("no acknowledge"));
        bus.inject(BusFault::BrownOut { address: 0x40 });
        bus.inject(BusFault::Alive { address: 0x40 });
        serving.tick(pulse(2, 1600.0));
        assert_eq!(serving.trouble(), None);
        assert!(bus.pulse_us(0x40, 2).is_some());
        bus.inject(BusFault::BrownOut { address: 0x40 });
        let said = (0..50).find_map(|_| {
            serving.tick(pulse(2, 1600.0));
            serving.trouble()
        });
        assert!(said.is_some_and(|said| said.contains("was reset")));
    }
}
