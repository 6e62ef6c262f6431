//! `hexapod servo`: one joint at an angle, for looking at. The others get no pulse.

use crate::cli::ServoArgs;
use crate::exit::{Failure, say};
use crate::parameters::tell_files;
use crate::setups::parameters;
use hexapod_ros::{Shutdown, Stage, monotonic_now};
use hexapod_servo::{ServoDriver, State};
use servo_driver::bus::Bus;
use servo_driver::{Hardware, Setup, StopSwitch, Stoppable};
use std::sync::Arc;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(10);
/// Boards that do not acknowledge being off are told again for this long.
const OFF_PATIENCE: Duration = Duration::from_millis(300);
/// After a signal the servo is let go within this time, or the bus hangs.
const ENDING: Duration = Duration::from_millis(800);

/// Turns a joint to an angle, holds it for a while and lets it go.
///
/// # Errors
/// There is no such joint or angle, or the bus fails.
pub fn servo(arguments: &ServoArgs) -> Result<(), Failure> {
    let params = parameters(&arguments.bus)?.driver;
    tell_files([&params]);
    let setup = Setup::load(&params)?;
    let place = place(&setup, arguments)?;
    let shutdown = Shutdown::on_signals()?;
    // Dropped last: nobody else has the bus before the pins are given back, too.
    let Hardware { bus, pins, own_guard, lease: _lease, .. } =
        Hardware::open(&setup).map_err(|error| Failure::Running(error.to_string()))?;
    let stop = Arc::new(StopSwitch::new(&setup, pins, own_guard)?);
    let driver = ServoDriver::new(setup.servos().clone(), stop.before(bus));
    let (seconds, theirs, stops) = (arguments.seconds, shutdown.clone(), Arc::clone(&stop));
    // A thread of its own: a transfer that hangs must not keep the process. The guard then switches off.
    let thread = std::thread::Builder::new()
        .name("servo-io".into())
        .spawn(move || turn_and_let_go(driver, &stops, place, seconds, &theirs))?;
    let keep_guard = || {
        stop.keep_guard();
        false
    };
    if !shutdown.outwait(&thread, (Stage::Stopping, ENDING), keep_guard) {
        return Err(Failure::Running("the bus hangs; cut the servos' power".into()));
    }
    thread.join().map_err(|_| Failure::Running("the thread that serves the bus panicked".into()))?
}

fn turn_and_let_go(
    mut driver: ServoDriver<Stoppable<Bus>>,
    stop: &StopSwitch,
    place: (usize, f64),
    seconds: f64,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    let result = turn(&mut driver, stop, place, seconds, shutdown);
    stop.enable_outputs(false);
    let off = switch_off(&mut driver);
    stop.settle();
    result?;
    if !off {
        return Err(Failure::Running("not every board acknowledged being switched off; cut the servos' power".into()));
    }
    let _ = say("let go");
    Ok(())
}

/// True if every board acknowledged it.
fn switch_off(driver: &mut ServoDriver<Stoppable<Bus>>) -> bool {
    let deadline = monotonic_now() + OFF_PATIENCE;
    while !driver.shutdown() {
        if monotonic_now() > deadline {
            return false;
        }
        std::thread::sleep(PERIOD);
    }
    true
}

/// Index and angle, within the joint's limits.
fn place(setup: &Setup, arguments: &ServoArgs) -> Result<(usize, f64), Failure> {
    let servos = setup.servos();
    let joint = servos.joint_index(&arguments.joint).ok_or_else(|| {
        let names: Vec<_> = servos.servos().iter().map(|servo| servo.joint()).collect();
        Failure::Words(format!("there is no joint `{}`; there are {}", arguments.joint, names.join(", ")))
    })?;
    let angle_rad = arguments.degrees.to_radians();
    let (lower, upper) = servos.servos()[joint].angle_limits_rad();
    if !(lower..=upper).contains(&angle_rad) {
        let (lower, upper) = (lower.to_degrees(), upper.to_degrees());
        let words =
            format!("{} goes from {lower:.1} to {upper:.1} degrees, not to {}", arguments.joint, arguments.degrees);
        return Err(Failure::Words(words));
    }
    Ok((joint, angle_rad))
}

/// Arms with this joint alone and holds it.
fn turn(
    driver: &mut ServoDriver<Stoppable<Bus>>,
    stop: &StopSwitch,
    (joint, angle_rad): (usize, f64),
    seconds: f64,
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    let refused = |error: hexapod_servo::TargetError| Failure::Running(error.to_string());
    driver.tick(monotonic_now());
    driver.command(monotonic_now(), &[(joint, angle_rad)]).map_err(refused)?;
    let report = driver.enable(monotonic_now());
    if !report.passed() {
        return Err(Failure::Running(report.to_string()));
    }
    let mut armed_at = None;
    while !shutdown.wait(Stage::Stopping, PERIOD) {
        let now = monotonic_now();
        if let Some(reason) = stop.stopped() {
            return Err(Failure::Running(reason.into()));
        }
        stop.enable_outputs(true);
        driver.command(now, &[(joint, angle_rad)]).map_err(refused)?;
        match driver.tick(now) {
            State::Armed if armed_at.is_none() => {
                armed_at = Some(now);
                let _ = say(readout(driver, joint));
            }
            State::Fault => {
                let fault = driver.fault().map_or("fault".into(), |fault| fault.to_string());
                return Err(Failure::Running(fault));
            }
            _ => {}
        }
        let held = armed_at.map_or(0.0, |at| now.saturating_sub(at).as_secs_f64());
        if seconds > 0.0 && held >= seconds {
            break;
        }
    }
    Ok(())
}

/// What the joint is told, and through which plug.
fn readout(driver: &ServoDriver<Stoppable<Bus>>, joint: usize) -> String {
    let servo = &driver.servos()[joint];
    let Some(told_rad) = driver.told(joint) else { return format!("{} has no pulse", servo.joint()) };
    let address = driver.config().boards()[servo.board()].address();
    let pulse_us = servo.pulse_us(told_rad).map_or(f64::NAN, |pulse| pulse.value);
    let (channel, counts) = (servo.channel(), servo.counts(told_rad));
    let degrees = told_rad.to_degrees();
    format!(
        "{} {degrees:.1} deg = {pulse_us:.0} us = {counts} counts on board {address:#04x} channel {channel}",
        servo.joint()
    )
}
