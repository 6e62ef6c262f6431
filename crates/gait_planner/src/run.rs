//! The node's threads: one takes messages in, one ticks, one publishes.

use crate::command;
use crate::control::run_in_real_time;
use crate::control_watchdog::{ControlWatchdog, spawn};
use crate::core::Core;
use crate::follow_joint_trajectory;
use crate::inbox::{Inbox, Now};
use crate::joint_views;
use crate::life::Moment;
use crate::motion_intake::Ends;
use crate::outbox::{Done, Outbox, outbox};
use crate::paused::ClockWatch;
use crate::publish::Outlet;
use crate::reach;
use crate::requests::MotionStatus;
use crate::setup::Setup;
use crate::sight;
use crate::simulated::{Closing, SimulatedLoop};
use crate::status::SharedState;
use crate::subscriptions;
use hexapod_ros::ending::UNSEATED;
use hexapod_ros::r2r::QosProfile;
use hexapod_ros::r2r::rosgraph_msgs::msg::Clock;
use hexapod_ros::realtime::priority;
use hexapod_ros::{Diagnostics, Headers, RosClock, RosError, RosNode, Shutdown, Stage, clock, monotonic_now, realtime};
use rtrb::Consumer;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long the thread that takes messages in is waited for at the end: one that does not come back from the middleware
/// must not keep the servos on.
const PARTING: Duration = Duration::from_secs(1);
/// How often the publishing thread looks, if nothing wakes it.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Runs the node until a shutdown has been asked for and the robot sits.
///
/// # Errors
/// A topic or service cannot be opened, or a thread not be started.
pub fn run(setup: Setup, mut node: RosNode, shutdown: &Shutdown) -> Result<(), RosError> {
    setup.notes.iter().for_each(|note| tracing::warn!("{note}"));
    setup.motions.refused().for_each(|refused| tracing::warn!("{refused}"));
    let clock = node.stamps();
    let simulated = matches!(clock, RosClock::Simulated(_));
    let now: Now = match &clock {
        RosClock::System => Arc::new(monotonic_now),
        simulated => {
            let clock = simulated.clone();
            Arc::new(move || clock.now())
        }
    };
    let (commands, poses, incoming) = command::queues();
    let watch = if simulated { ClockWatch::simulated(monotonic_now()) } else { ClockWatch::default() };
    let inbox = Inbox::new(commands, now, shutdown.clone()).with_clock(watch.clone());
    let shared = Arc::new(SharedState::default());
    let headers = Headers::new(node.name(), clock.clone(), setup.engine.robot().model().base_link());
    let (views, (desired, measured)) = joint_views::views(setup.engine.last());
    subscriptions::hear_servos(&mut node, &setup, &inbox, (poses, measured))?;
    let status = MotionStatus::new(&mut node, setup.engine.robot().model().name(), Some(desired))?;
    let ends = Ends { inbox: &inbox, shared: &shared, headers: &headers, requests: status.requests() };
    subscriptions::open(&mut node, &setup, &ends)?;
    let goals = follow_joint_trajectory::open(&mut node, &setup, &ends, (views, &clock))?;
    let (footing, mapping) = sight::open(&mut node, &setup.engine, &setup.frames, (&inbox, &clock), setup.uses_points)?;
    let diagnostics = Diagnostics::new(&mut node, setup.engine.robot().model().name(), clock.clone())?;
    let mut outlet = Outlet::new(&mut node, &setup, (diagnostics, status), inbox, Arc::clone(&shared), headers)?;
    tracing::info!("{}", start_line(&setup));
    let (mut outbox, mut done) = outbox();
    let ended = Arc::new(AtomicBool::new(false));
    let (stop, end) = (Arc::clone(&ended), shutdown.clone());
    let ticking = Ticking { watch, ticks: Arc::default(), closing: Closing { asked: end, over: Shutdown::default() } };
    let standing = ticking.clone();
    let publisher = spawn("planner-publish", move || publish(&mut outlet, &mut done, &standing, &stop))?;
    outbox.wakes(publisher.thread().clone());
    reach::look(&setup, shutdown)?;
    let sitting_down = node.exit_guard();
    let (rate_hz, core) = (setup.rate_hz, setup.into_core(incoming, footing));
    let spinning = Shutdown::default();
    let (ran, spinner) = if simulated {
        let ticks = SimulatedLoop::new(core, outbox, rate_hz, Arc::clone(&shared), ticking.closing.clone());
        let _ = ticking.ticks.set(Mutex::new(ticks));
        (run_simulated(node, ticking, clock, &shared, shutdown), None)
    } else {
        let until = spinning.clone();
        let spinner = spawn("planner-spin", move || node.spin(&until, Stage::Stopping))?;
        (control(core, outbox, &clock, rate_hz, &shared, shutdown), Some(spinner))
    };
    ended.store(true, Ordering::SeqCst);
    publisher.thread().unpark();
    let _ = publisher.join();
    drop((goals, mapping, sitting_down));
    // Publishers end with their node: it goes when the last tick has been published.
    spinning.ask();
    if let Some(spinner) = spinner
        && spinning.outwait(&spinner, (Stage::Stopping, PARTING), || false)
    {
        let _ = spinner.join();
    }
    ran.and_then(|()| if shared.is_unseated() { Err(RosError::Thread(UNSEATED.into())) } else { Ok(()) })
}

/// The loop that ticks by `/clock`, where there is one, and whether that stands. Clones are handles to the same one.
#[derive(Clone)]
struct Ticking {
    watch: ClockWatch,
    ticks: Arc<OnceLock<Mutex<SimulatedLoop>>>,
    closing: Closing,
}

impl Ticking {
    /// Ticks up to what `/clock` says.
    fn clock(&self, now: Moment) {
        self.watch.take(now.at, now.real);
        if let Some(ticks) = self.ticks.get() {
            ticks.lock().unwrap_or_else(PoisonError::into_inner).clock(now);
        }
    }

    /// Has the loop hear stops while the clock stands, take in a flood before that is sure, and end when it has to. One that
    /// ticks again meanwhile does so by itself.
    fn tick_paused(&self, now: Duration) {
        let (silent, ends) = (self.watch.silent(now) >= LOOK_EVERY, !self.closing.asked.is_running());
        if (silent || ends)
            && let Some(mut ticks) = self.ticks.get().and_then(|ticks| ticks.try_lock().ok())
        {
            let is_paused = self.watch.paused(now).is_some();
            if is_paused || (silent && ticks.is_crowded()) {
                ticks.tick_paused(now);
            }
            if ends {
                ticks.see_off(now, is_paused);
            }
        }
    }
}

/// Publishes what has been done until `stop`, then what is left.
fn publish(outlet: &mut Outlet, done: &mut Consumer<Done>, ticking: &Ticking, stop: &AtomicBool) {
    // Whether it is granted, the control loop reports for both.
    let _ = realtime::join_loops(priority::PUBLISHING);
    loop {
        let last = stop.load(Ordering::SeqCst);
        ticking.tick_paused(monotonic_now());
        outlet.publish_all(done);
        outlet.watch(monotonic_now());
        outlet.watch_end(&ticking.closing.asked, ticking.watch.paused(monotonic_now()).is_some());
        if last {
            return;
        }
        std::thread::park_timeout(LOOK_EVERY);
    }
}

/// What the planner has, in one line.
fn start_line(setup: &Setup) -> String {
    let robot = setup.engine.robot();
    let joints: usize = robot.legs().iter().map(|leg| leg.joint_count()).sum();
    let (legs, gait, rate_hz) = (robot.legs().len(), &setup.gait_name, setup.rate_hz);
    format!("{legs} legs, {joints} joints, gait {gait}, {rate_hz} Hz")
}

/// Ticks on a thread of its own until the robot sits.
fn control(
    mut core: Core,
    mut outbox: Outbox,
    clock: &RosClock,
    rate_hz: f64,
    shared: &Arc<SharedState>,
    shutdown: &Shutdown,
) -> Result<(), RosError> {
    let (clock, state, end) = (clock.clone(), Arc::clone(shared), shutdown.clone());
    ControlWatchdog::over("planner-control", shutdown, move || {
        state.set_real_time(realtime::join_loops(priority::CONTROL));
        run_in_real_time(&mut core, &mut outbox, (&clock, &state), rate_hz, &end);
        state.pulse.rest();
    })?
    .wait(shutdown, &shared.pulse)
}

/// Ticks on a spinning thread, as `/clock` comes in, until the robot sits: commands that were received before it are in the
/// queue by then.
fn run_simulated(
    mut node: RosNode,
    ticking: Ticking,
    clock: RosClock,
    shared: &Arc<SharedState>,
    shutdown: &Shutdown,
) -> Result<(), RosError> {
    let qos = QosProfile::default().keep_last(100).best_effort();
    let over = ticking.closing.over.clone();
    node.subscribe_from("/clock", qos, move |message: Clock, from| {
        let now = clock::from_stamp(&message.clock);
        clock.set(now);
        ticking.clock(Moment { at: now, real: from.at });
    })?;
    let spin = move || node.spin(&over, Stage::Stopping);
    ControlWatchdog::over("planner-spin", shutdown, spin)?.wait(shutdown, &shared.pulse)
}
