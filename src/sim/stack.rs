//! Planner, driver and physics in one loop, on the time of the physics.

use crate::cli::Start;
use crate::exit::Failure;
use crate::given_up::GivenUp;
use crate::setups::Setups;
use crate::sim::moment::{Moment, Motors};
use crate::sim::senses::{Felt, Senses};
use hexapod_dynamics::Condition;
use hexapod_gait::motion::Player;
use hexapod_gait::{GaitState, Input, Tick};
use hexapod_odometry::Estimate;
use hexapod_servo::{Pca9685Boards, ServoDriver, SimulatedBus, State};
use servo_driver::Schedule;
use simulator::{Disturbances, FallWatch, Plant, why_it_gave_way};
use std::time::Duration;

/// The whole stack below commands. The driver ticks as its node does: with new commands and at its rate.
pub struct Stack {
    player: Player,
    rate_hz: f64,
    ticks: u64,
    driver: ServoDriver<Pca9685Boards<SimulatedBus>>,
    schedule: Schedule,
    /// When the command was given that no tick of the driver has seen.
    commanded_at: Option<Duration>,
    /// Of each joint of each leg, its place among the driver's.
    places: Vec<Vec<usize>>,
    enabled: bool,
    /// Why the servos were let go, and when, s.
    failed: Option<(f64, String)>,
    given_up: GivenUp,
    is_at_brink: bool,
    /// Why the supply gave way first, and when, s.
    gave_way: Option<(f64, String)>,
    plant: Plant,
    falls: FallWatch,
    step: Duration,
    time: Duration,
    senses: Senses,
    terrain: String,
    /// When time began to count, s: what came before was to have it stand.
    zero_s: f64,
    start: Start,
    /// As the planner tells them when it starts, and of the list of commands.
    notes: Vec<String>,
}

impl Stack {
    /// A robot that sits, or hangs, its servos still without pulses.
    pub fn new(setups: Setups, start: Start, sees: bool) -> Result<Self, Failure> {
        let Setups { planner, driver, simulator, .. } = setups;
        let Some(simulator) = simulator else {
            return Err(Failure::Words("hexapod sim is for bus physics; leave out -p bus".into()));
        };
        let simulator = if start == Start::Hanging { simulator.hung_up() } else { simulator };
        let engine = planner.engine;
        let none = || Failure::Words("hexapod sim is for bus physics; leave out -p bus".into());
        let (servos, schedule) = (driver.servos().ok_or_else(none)?.clone(), driver.schedule(Duration::ZERO));
        let boards = SimulatedBus::for_config(&servos);
        let plant = simulator.plant(servos.clone(), boards.clone()).map_err(|e| Failure::Words(e.to_string()))?;
        let driver = ServoDriver::on_boards(servos, boards);
        let place = |name: &str| driver.joint_index(name).ok_or_else(|| format!("joint {name} has no servo"));
        let of_leg = |leg: &hexapod_kinematics::Leg| leg.joints().iter().map(|joint| place(joint.name())).collect();
        let places: Result<Vec<Vec<usize>>, String> = engine.legs().iter().map(of_leg).collect();
        let switches = Felt::new(simulator.switches(), planner.contacts_delay_s, planner.rate_hz);
        let imu = (simulator.imu(plant.simulator().world()), simulator.imu_link());
        let mut senses = Senses::new(switches, imu, &engine).listening(planner.contacts.is_some(), planner.uses_imu);
        if sees || planner.uses_points {
            let sensors = simulator.point_sensors(plant.simulator().world());
            senses = senses.with_sight(sensors, engine.robot());
        }
        Ok(Self {
            player: Player::new(engine),
            rate_hz: planner.rate_hz,
            ticks: 0,
            places: places.map_err(Failure::Words)?,
            driver,
            schedule,
            commanded_at: None,
            enabled: false,
            failed: None,
            given_up: GivenUp::default(),
            is_at_brink: false,
            gave_way: None,
            falls: FallWatch::new(plant.simulator().world()),
            step: Duration::from_secs_f64(plant.simulator().world().settings().step_s),
            plant,
            time: Duration::ZERO,
            senses,
            terrain: simulator.terrain_name().to_owned(),
            zero_s: 0.0,
            start,
            notes: planner.notes.into_iter().chain(simulator.notes().to_vec()).collect(),
        })
    }

    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Simulated so far.
    pub fn seconds(&self) -> f64 {
        self.time.as_secs_f64() - self.zero_s
    }

    /// How it is to begin.
    pub fn start(&self) -> Start {
        self.start
    }

    /// What is simulated.
    pub fn plant(&self) -> &Plant {
        &self.plant
    }

    /// The planner.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// From here on time counts.
    pub fn begin(&mut self) {
        self.zero_s = self.time.as_secs_f64();
    }

    /// Has the planner stand at once, by itself, so that its legs are where they stand; false where it does not.
    pub fn stand_at_once(&mut self, within_s: f64) -> bool {
        self.player.stand();
        let ticks = (within_s * self.rate_hz) as usize;
        (0..ticks).any(|_| self.player.step(&Input::default(), 1.0 / self.rate_hz).state == GaitState::Standing)
    }

    /// Puts the robot where the planner has it, at rest.
    pub fn put(&mut self) {
        self.plant.put_at(&self.player.last().angles);
    }

    /// Where it is by odometry.
    pub fn odometry(&self) -> Option<&Estimate> {
        self.senses.odometry()
    }

    pub fn state(&self) -> GaitState {
        self.player.last().state
    }

    /// Whether all servos follow their commands.
    pub fn is_armed(&self) -> bool {
        self.driver.state() == State::Armed
    }

    /// Whether it leans, or lies on its belly, without being commanded to.
    pub fn has_fallen(&self) -> bool {
        self.falls.fall(self.plant.simulator().world(), &self.player.last().footprint_from_body).is_some()
    }

    /// Why the servos have been let go, and when, s.
    pub fn failed(&self) -> Option<&(f64, String)> {
        self.failed.as_ref()
    }

    /// Adds to what is to be known.
    pub fn note(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    /// What is to be known of the robot, and what of its description is not simulated.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(&self.plant.simulator().world().assembly().notes)
    }

    /// How many joints have servos whose current is known, and how many there are.
    pub fn motors(&self) -> Motors {
        let simulator = self.plant.simulator();
        let known = |hinge: &usize| simulator.servo(*hinge).is_some_and(|servo| servo.kind().stall_current > 0.0);
        let joints = simulator.joints().len();
        Motors { known: (0..joints).filter(known).count(), joints }
    }

    pub fn terrain(&self) -> &str {
        &self.terrain
    }

    /// Weight of the robot and its payload, N.
    fn weight(&self) -> f64 {
        let world = self.plant.simulator().world();
        world.assembly().mass() * world.settings().gravity
    }

    /// How often a supply that sank has reset the boards.
    pub fn resets(&self) -> u32 {
        self.plant.simulator().supply().resets()
    }

    /// Why the supply gave way first, and when, s.
    pub fn gave_way(&self) -> Option<&(f64, String)> {
        self.gave_way.as_ref()
    }

    pub fn stand(&mut self) {
        self.player.stand();
    }

    /// Does to the robot what is to be done from now on, and pushes it if it is to be pushed.
    pub fn befall(&mut self, disturbances: &Disturbances, push: bool) {
        self.plant.disturb(disturbances.clone());
        if push {
            self.plant.push();
        }
    }

    /// A tick of the planner, its angles to the servos, and the physics until the next.
    pub fn tick(&mut self, input: &Input) -> Result<Moment, Failure> {
        let dt = 1.0 / self.rate_hz;
        let listed = input.twist;
        let input = self.senses.tell(&self.plant, self.player.engine(), (self.time, dt), input);
        let tick = *self.player.step(&input, dt);
        self.command(&tick)?;
        self.notes.extend(self.given_up.note(self.player.engine().gave_up(), self.seconds()));
        let was_at_brink = std::mem::replace(&mut self.is_at_brink, self.senses.is_at_brink());
        if self.is_at_brink && !was_at_brink {
            self.notes.push(format!("at {:.2} s it stops where it sees the ground drop away", self.seconds()));
        }
        self.ticks += 1;
        let until = Duration::from_secs_f64(self.ticks as f64 * dt);
        let (mut slip, mut work, mut energy) = (0.0, 0.0, 0.0);
        while self.time < until {
            self.drive();
            self.plant.step();
            self.time += self.step;
            if self.gave_way.is_none() && self.resets() > 0 {
                self.gave_way = Some((self.seconds(), why_it_gave_way(self.plant.simulator().supply())));
            }
            let step_s = self.step.as_secs_f64();
            slip += self.slide() * step_s;
            work += self.plant.simulator().work_j();
            energy += self.electrical_watts() * step_s;
        }
        let change = self.senses.follow(&self.plant, self.player.engine(), (self.time, dt));
        self.answer(change);
        let simulator = self.plant.simulator();
        Ok(Moment {
            time: self.ticks as f64 * dt - self.zero_s,
            dt,
            state: tick.state,
            twist: tick.twist,
            commanded: listed,
            base: simulator.world().base(),
            slip,
            work,
            energy,
            volts: simulator.supply().volts(),
            weight: self.weight(),
            fallen: self.has_fallen(),
            ground: simulator.world().ground_below_base(),
        })
    }

    /// Does what the planner's node does with a robot that is not where its plan has it.
    fn answer(&mut self, change: Option<Condition>) {
        match change {
            Some(Condition::Fallen) if self.failed.is_none() => {
                self.driver.disable();
                self.let_go("the robot has fallen".into());
            }
            Some(Condition::Lifted) => self.player.freeze(),
            _ => {}
        }
        self.notes.extend(self.senses.note(change, self.seconds()));
    }

    /// Tells the driver the angles; the first ones switch it on.
    fn command(&mut self, tick: &Tick) -> Result<(), Failure> {
        for (places, angles) in self.places.iter().zip(&tick.angles) {
            for (&place, &angle) in places.iter().zip(angles.iter()) {
                let set = self.driver.set_target(self.time, place, angle);
                set.map_err(|e| Failure::Running(e.to_string()))?;
            }
        }
        if !self.enabled {
            self.enabled = true;
            let report = self.driver.enable(self.time);
            if !report.passed() {
                return Err(Failure::Running(report.to_string()));
            }
        }
        self.commanded_at = Some(self.time);
        Ok(())
    }

    /// A tick of the driver, if it is due.
    fn drive(&mut self) {
        let due = self.schedule.due(self.commanded_at);
        if self.time < due {
            return;
        }
        self.commanded_at = None;
        self.driver.tick(self.time);
        self.schedule.ticked(self.time, due);
        if self.failed.is_none() && !self.driver.state().is_live() {
            let why = self.driver.fault().map_or_else(|| self.driver.state().to_string(), |fault| fault.to_string());
            self.let_go(why);
        }
    }

    /// As between the nodes: the planner ends a walk whose servos have been let go.
    fn let_go(&mut self, why: String) {
        self.failed = Some((self.seconds(), why));
        self.player.freeze();
    }

    /// Mean speed at which feet slide, m/s.
    fn slide(&self) -> f64 {
        let (world, legs) = (self.plant.simulator().world(), self.places.len());
        (0..legs).map(|leg| world.foot_slide(leg)).sum::<f64>() / legs.max(1) as f64
    }

    fn electrical_watts(&self) -> f64 {
        let supply = self.plant.simulator().supply();
        supply.volts() * supply.current()
    }
}
