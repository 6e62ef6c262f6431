//! `hexapod servo`: one joint at an angle, or servos at their neutral, for looking at. The others get no pulse.

use crate::cli::{ServoArgs, ServoCommand};
use crate::exit::{Failure, say};
use crate::parameters::tell_files;
use crate::servo_scan::{servo_id, servo_scan};
use crate::setups::parameters;
use hexapod_ros::{Shutdown, Stage, monotonic_now};
use hexapod_servo::backend::{Backend, Tally};
use hexapod_servo::{JointConfig, ServoDriver, State};
use servo_driver::bus::Servos;
use servo_driver::{Hardware, ServoMap, Setup, StopSwitch, SupplyLimits};
use std::sync::Arc;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(10);
/// Boards that do not acknowledge being off get the command again for this long.
const OFF_PATIENCE: Duration = Duration::from_millis(300);
/// After a signal the servo is let go within this time, or the bus hangs.
const ENDING: Duration = Duration::from_millis(800);

/// From one servo that is centred to the next.
const NEXT: Duration = Duration::from_millis(300);

/// A joint that is commanded this near to its target, rad, has arrived.
const THERE_RAD: f64 = 0.01;

/// Said where no real servo moves.
pub(crate) const SIMULATED: &str = "the bus is simulated: boards in memory, and no real servo moves. For real ones give --bus i2c or that of your servos, or set \
                                    `bus` of servo_driver in hexapod.yaml";

/// Turns a joint to an angle, or all servos to their neutral, holds them for a while and lets them go.
///
/// # Errors
/// There is no such joint, leg or angle, or the bus fails.
pub fn servo(arguments: &ServoArgs) -> Result<(), Failure> {
    let bus = match &arguments.what {
        Some(ServoCommand::Scan(bus)) => return servo_scan(bus),
        Some(ServoCommand::Id(id)) => return servo_id(id),
        Some(ServoCommand::Centre(centre)) => &centre.bus,
        None => &arguments.bus,
    };
    let params = parameters(bus)?.driver;
    tell_files([&params]);
    let setup = Setup::load(&params)?;
    let (places, seconds) = match &arguments.what {
        Some(ServoCommand::Centre(centre)) => (neutral(setup.map(), centre.leg.as_deref())?, centre.seconds),
        _ => (vec![place(&setup.map().joints(), arguments)?], arguments.seconds),
    };
    if !setup.is_real() {
        say(SIMULATED)?;
    }
    let shutdown = Shutdown::on_signals()?;
    // Dropped last: nobody else has the bus before the pins are given back, too.
    let Hardware { bus, pins, own_guard, lease: _lease, .. } =
        Hardware::open(&setup).map_err(|error| Failure::Running(error.to_string()))?;
    let is_of_legs = matches!(&arguments.what, Some(ServoCommand::Centre(centre)) if centre.leg.is_none());
    let (joints, angles): (Vec<usize>, Vec<f64>) = places.into_iter().unzip();
    let stop = Arc::new(StopSwitch::new(&setup, pins, own_guard)?);
    let config = setup.map().joints().only(&joints);
    let mut backend = bus.only(&joints).backend(stop.gate());
    // Servos of other joints need not be there. Where they are, they are off.
    let _ = backend.cut(&mut Tally::default());
    let driver = ServoDriver::new(config, backend);
    let (theirs, stops, limits) = (shutdown.clone(), Arc::clone(&stop), setup.supply_limits());
    // A thread of its own: a transfer that hangs must not keep the process. The guard then switches off.
    let thread = std::thread::Builder::new()
        .name("servo-io".into())
        .spawn(move || turn_and_let_go(driver, &stops, limits, (&angles, seconds), &theirs))?;
    let keep_guard = || {
        stop.keep_guard();
        false
    };
    if !shutdown.outwait(&thread, (Stage::Stopping, ENDING), keep_guard) {
        return Err(Failure::Running("the bus hangs; cut the servos' power".into()));
    }
    let result = thread.join().map_err(|_| Failure::Running("the thread that serves the bus panicked".into()))?;
    match result {
        Err(Failure::Running(why)) if is_of_legs => {
            Err(Failure::Running(format!("{why}\n`hexapod servo centre LEG` needs the servos of that leg alone")))
        }
        result => result,
    }
}

/// The servos of a leg, or all, and the angles at which they are neutral, within their limits.
fn neutral(map: &ServoMap, leg: Option<&str>) -> Result<Vec<(usize, f64)>, Failure> {
    let config = map.joints();
    let group = leg.map(|leg| {
        let group = config.groups.iter().position(|group| group == leg);
        group.ok_or_else(|| Failure::Words(format!("there is no leg `{leg}`; there are {}", config.groups.join(", "))))
    });
    let group = group.transpose()?;
    let meant = config.joints.iter().enumerate().filter(|(_, joint)| group.is_none_or(|of| joint.group == of));
    Ok(meant.filter_map(|(index, joint)| Some((index, joint.limit(map.neutral_rad(index)?)?.value))).collect())
}

fn turn_and_let_go(
    mut driver: ServoDriver<Servos>,
    stop: &StopSwitch,
    limits: SupplyLimits,
    turned: (&[f64], f64),
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    let result = turn(&mut driver, stop, limits, turned, shutdown);
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
fn switch_off(driver: &mut ServoDriver<Servos>) -> bool {
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
fn place(config: &JointConfig, arguments: &ServoArgs) -> Result<(usize, f64), Failure> {
    let (name, degrees) = (arguments.joint.as_deref().unwrap_or_default(), arguments.degrees.unwrap_or_default());
    let joint = config.index(name).ok_or_else(|| {
        let names: Vec<_> = config.joints.iter().map(|joint| joint.name.as_str()).collect();
        Failure::Words(format!("there is no joint `{name}`; there are {}", names.join(", ")))
    })?;
    let angle_rad = degrees.to_radians();
    let (lower, upper) = config.joints[joint].limits_rad;
    if !(lower..=upper).contains(&angle_rad) {
        let (lower, upper) = (lower.to_degrees(), upper.to_degrees());
        return Err(Failure::Words(format!("{name} goes from {lower:.1} to {upper:.1} degrees, not to {degrees}")));
    }
    Ok((joint, angle_rad))
}

/// Arms with the first joint alone, then each next one, says what each is told, and holds them.
fn turn(
    driver: &mut ServoDriver<Servos>,
    stop: &StopSwitch,
    limits: SupplyLimits,
    (angles, seconds): (&[f64], f64),
    shutdown: &Shutdown,
) -> Result<(), Failure> {
    let refused = |error: hexapod_servo::TargetError| Failure::Running(error.to_string());
    let targets: Vec<(usize, f64)> = angles.iter().copied().enumerate().collect();
    driver.tick(monotonic_now());
    driver.command(monotonic_now(), targets.get(..1).unwrap_or_default()).map_err(refused)?;
    let report = driver.enable(monotonic_now());
    if !report.passed() {
        return Err(Failure::Running(report.to_string()));
    }
    // How many have been told of, and when the last was.
    let (mut commanded, mut reported_at) = (0, Duration::ZERO);
    while !shutdown.wait(Stage::Stopping, PERIOD) {
        let now = monotonic_now();
        if let Some(reason) = stop.stopped() {
            return Err(Failure::Running(reason.into()));
        }
        if let Some(hot) = limits.too_hot(driver, now) {
            return Err(Failure::Running(hot));
        }
        stop.enable_outputs(true);
        let is_next = commanded > 0 && now.saturating_sub(reported_at) >= NEXT;
        let on = (commanded + usize::from(commanded == 0 || is_next)).min(targets.len());
        driver.command(now, &targets[..on]).map_err(refused)?;
        match driver.tick(now) {
            State::Armed if commanded < on => {
                let _ = say(readout(driver, commanded, angles[commanded]));
                (commanded, reported_at) = (commanded + 1, now);
            }
            State::Fault => {
                let fault = driver.fault().map_or("fault".into(), |fault| fault.to_string());
                return Err(Failure::Running(fault));
            }
            _ => {}
        }
        let held = now.saturating_sub(reported_at).as_secs_f64();
        if commanded == targets.len() && seconds > 0.0 && held >= seconds {
            break;
        }
    }
    Ok(())
}

/// What the joint is commanded, and in the units of its wire. One that is known to stand elsewhere is led there from its place.
fn readout(driver: &ServoDriver<Servos>, joint: usize, target_rad: f64) -> String {
    let (name, target_deg) = (&driver.joints()[joint].name, target_rad.to_degrees() + 0.0);
    match (driver.commanded(joint), driver.backend().describe(joint)) {
        (Some(commanded_rad), Some(words)) if (commanded_rad - target_rad).abs() < THERE_RAD => {
            format!("{name} {target_deg:.1} deg = {words}")
        }
        (Some(_), Some(words)) => format!("{name} to {target_deg:.1} deg, from {words}"),
        _ => format!("{name} has no pulse"),
    }
}
