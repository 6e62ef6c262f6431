//! The thread that steps the robot in real time, and what may be asked of it.

use crate::plant::Plant;
use crate::publish::Teller;
use crate::setup::Setup;
use hexapod_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use hexapod_ros::{Diagnostics, Level, RosError, RosNode, Shutdown, Stage, Status, monotonic_now};
use hexapod_servo::{ServoConfig, SimulatedBus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Why the node could not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The robot cannot be simulated.
    #[error(transparent)]
    Robot(#[from] hexapod_sim::BuildError),
    /// A topic or service could not be opened.
    #[error(transparent)]
    Ros(#[from] RosError),
    /// A thread could not be started.
    #[error("no thread for simulator: {0}")]
    Thread(#[from] std::io::Error),
}

/// What may be asked of a running simulation. Cheap to clone.
#[derive(Clone, Debug, Default)]
struct Wishes {
    paused: Arc<AtomicBool>,
    reset: Arc<AtomicBool>,
}

/// Steps the robot that is wired to `boards`, which are those of `servos`, until `shutdown`.
///
/// # Errors
/// The robot cannot be simulated; a topic, service or thread cannot be had.
pub fn run(
    setup: Setup,
    (servos, boards): (ServoConfig, SimulatedBus),
    mut node: RosNode,
    shutdown: &Shutdown,
) -> Result<(), RunError> {
    let plant = setup.plant(servos, boards)?;
    for note in &plant.simulator().world().assembly().notes {
        tracing::warn!("{note}");
    }
    let wishes = Wishes::default();
    serve(&mut node, &wishes)?;
    let mut teller = Teller::new(&mut node, &setup, &plant)?;
    let stamps = node.stamps();
    let diagnostics = Diagnostics::new(&mut node, "physics", stamps)?;
    tracing::info!(
        "{} of {:.2} kg in physics on terrain {}, steps of {} ms",
        setup.description.robot.model().name(),
        plant.simulator().world().assembly().mass(),
        setup.terrain_name,
        1000.0 * setup.config.engine.step_s
    );
    let (stop, rate_hz) = (shutdown.clone(), setup.rate_hz);
    let thread = std::thread::Builder::new().name("physics".into());
    let stepping = thread.spawn(move || {
        let _ends_the_node = stop.drop_guard();
        Run::new(plant, rate_hz).go(&mut teller, &diagnostics, &wishes, &stop);
    })?;
    node.spin(shutdown, Stage::Stopping);
    if stepping.join().is_err() {
        tracing::error!("the thread of the physics has panicked");
    }
    Ok(())
}

fn serve(node: &mut RosNode, wishes: &Wishes) -> Result<(), RosError> {
    let paused = wishes.paused.clone();
    node.serve::<SetBool::Service>("simulator/pause", move |request| {
        paused.store(request.data, Ordering::SeqCst);
        let message = if request.data { "paused; the servos' pulses go on" } else { "goes on" };
        SetBool::Response { success: true, message: message.into() }
    })?;
    let reset = wishes.reset.clone();
    node.serve::<Trigger::Service>("simulator/reset", move |_| {
        reset.store(true, Ordering::SeqCst);
        Trigger::Response { success: true, message: "the robot is put back to where it started".into() }
    })
}

/// A second is told of in diagnostics.
const DIAGNOSTICS_PERIOD: Duration = Duration::from_secs(1);
/// Physics that is later than this gives up what it lags behind.
const MOST_LAG: Duration = Duration::from_millis(100);

/// The robot and its time.
struct Run {
    plant: Plant,
    step: Duration,
    /// Time between messages.
    period: Duration,
    /// Simulated time since the start.
    time: Duration,
    /// When the simulated time was zero, had it never lagged.
    since: Duration,
    told: Duration,
    /// Over the present second.
    watch: Watch,
}

/// What is told of a second.
#[derive(Default)]
struct Watch {
    since: Duration,
    simulated: Duration,
    working: Duration,
}

impl Run {
    fn new(plant: Plant, rate_hz: f64) -> Self {
        let step = Duration::from_secs_f64(plant.simulator().world().settings().step_s);
        let period = Duration::from_secs_f64(1.0 / rate_hz);
        let now = monotonic_now();
        let watch = Watch { since: now, ..Watch::default() };
        Self { plant, step, period, time: Duration::ZERO, since: now, told: Duration::ZERO, watch }
    }

    fn go(&mut self, teller: &mut Teller, diagnostics: &Diagnostics, wishes: &Wishes, shutdown: &Shutdown) {
        while shutdown.is_running() {
            let now = monotonic_now();
            if wishes.reset.swap(false, Ordering::SeqCst) {
                self.plant.put();
            }
            if wishes.paused.load(Ordering::SeqCst) {
                self.since = now.saturating_sub(self.time);
            }
            self.catch_up(now, teller);
            self.watch.working += monotonic_now().saturating_sub(now);
            if now.saturating_sub(self.watch.since) >= DIAGNOSTICS_PERIOD {
                diagnostics.publish(self.status(now));
                self.watch = Watch { since: now, ..Watch::default() };
            }
            let next = self.since + self.time + self.step;
            let _ = shutdown.wait(Stage::Stopping, next.saturating_sub(monotonic_now()).min(self.step));
        }
    }

    /// Steps until the simulated time is that of the clock.
    fn catch_up(&mut self, now: Duration, teller: &mut Teller) {
        let behind = now.saturating_sub(self.since + self.time);
        if behind > MOST_LAG {
            self.since += behind - MOST_LAG;
        }
        while self.since + self.time + self.step <= now {
            self.plant.step();
            self.time += self.step;
            self.watch.simulated += self.step;
            teller.tell_time(self.time);
            if self.time.saturating_sub(self.told) >= self.period {
                self.told = self.time;
                teller.tell(&self.plant);
            }
        }
    }

    fn status(&self, now: Duration) -> Status {
        let mut status = Status::default();
        let passed = now.saturating_sub(self.watch.since).as_secs_f64();
        let factor = self.watch.simulated.as_secs_f64() / passed;
        let (simulator, base) = (self.plant.simulator(), self.plant.simulator().world().base());
        status.value("real-time factor", format!("{factor:.2}"));
        status.value("processor (% of a core)", format!("{:.1}", 100.0 * self.watch.working.as_secs_f64() / passed));
        status.value("supply (V)", format!("{:.2}", simulator.supply().volts()));
        status.value("supply (A)", format!("{:.2}", simulator.supply().current()));
        status.value("resets of the boards", simulator.supply().resets());
        status.value("lean (degrees)", format!("{:.1}", lean(&base).to_degrees()));
        if factor < 0.95 {
            status.report(Level::Warn, format!("the physics keep up with {:.0} % of real time", 100.0 * factor));
        }
        status
    }
}

/// Angle between the body's and the world's z axis, rad.
fn lean(base: &nalgebra::Isometry3<f64>) -> f64 {
    let up = base.rotation * nalgebra::Vector3::z();
    hexapod_kinematics::math::atan2(up.xy().norm(), up.z)
}
