//! `hexapod new`: a configuration folder for a robot of one's own.

use crate::cli::{FileArgs, NewArgs, shell_word};
use crate::exit::Failure;
use crate::kits::{self, Kit};
use crate::parameters::files_of;
use crate::setups::parameters_of;
use gait_planner::walked::Walked;
use hexapod_gait::{Engine, Gait};
use hexapod_setup::params::number;
use hexapod_setup::servos_text;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Writes the folder's files that are not there yet.
///
/// # Errors
/// The robot cannot walk as it is described: file, line and key, and nothing is written; a file cannot be written.
pub fn new(arguments: &NewArgs) -> Result<(), Failure> {
    let kit = arguments.kit.as_deref().and_then(kits::named);
    let given = arguments.robot.clone().map(|robot| found(&robot)).transpose()?;
    let robot = given.or_else(|| kit.map(|kit| format!("{}.urdf", kit.name).into())).unwrap_or_default();
    let into = arguments.into.clone().unwrap_or_else(|| folder_of(&robot));
    if into.exists() && !into.is_dir() {
        return Err(Failure::Words(format!("{}: is a file; give a folder with --into", into.display())));
    }
    let made = !into.exists();
    fs::create_dir_all(&into).map_err(|error| Failure::Running(format!("{}: {error}", into.display())))?;
    let mut reported = String::new();
    let urdf = match kit {
        Some(kit) => found(&written(into.join(&robot), &kits::urdf(kit), &mut reported)?)?,
        None => robot,
    };
    let setup = load(&into, &urdf, arguments.gait.as_deref()).inspect_err(|_| {
        if made {
            // All of it is ours.
            let _ = kit.map(|_| fs::remove_file(&urdf));
            let _ = fs::remove_dir(&into);
        }
    })?;
    let gait = gait_to_start_with(&setup);
    if let Some(asked) = arguments.gait.as_ref().filter(|asked| **asked != gait) {
        let _ = writeln!(
            reported,
            "note    it does not walk on {asked:?} and starts with {gait:?}: hexapod check says why"
        );
    }
    let named = from_folder(&urdf, &into);
    let files = [
        ("hexapod.yaml", parameter_text(&setup, &named, &gait)),
        ("robot.yaml", robot_text(&setup.engine)),
        ("servos.yaml", servo_text(kit, &setup)),
    ];
    for (name, text) in files {
        written(into.join(name), &text, &mut reported)?;
    }
    let parameters = into.join("hexapod.yaml");
    let text = fs::read_to_string(&parameters).unwrap_or_default();
    if arguments.gait.is_some() && !text.contains(&format!("gait: {gait}\n")) {
        let _ = writeln!(
            reported,
            "note    {} was there, and its gait counts: write `gait: {gait}` there",
            parameters.display()
        );
    }
    if text.contains(&*named.to_string_lossy().replace('\'', "''")) {
        reported.push_str(&what_next(kit, &shell_word(&into.display().to_string())));
    } else {
        let _ = writeln!(
            reported,
            "note    {} was there and names another robot, which counts: give another folder with --into, or set its urdf",
            parameters.display()
        );
    }
    // Whoever reads it may have gone.
    let _ = std::io::stdout().write_all(reported.as_bytes());
    Ok(())
}

/// What to do with the folder.
fn what_next(kit: Option<&Kit>, folder: &str) -> String {
    let mut reported = String::new();
    let _ = writeln!(
        reported,
        "\nnow: hexapod check --config {folder} --picture legs.svg, then hexapod run --config {folder}"
    );
    let _ = match kit {
        Some(Kit { servo, .. }) => {
            let setting_up = servo.setting_up.replace("{here}", &format!("--config {folder}"));
            writeln!(reported, "its servos are {}: {setting_up}", servo.title)
        }
        None => writeln!(
            reported,
            "with real servos: name their kind in {folder}/servos.yaml, then hexapod servo centre --bus i2c --config {folder}, mount \
             the horns, and hexapod calibrate --bus i2c --config {folder}"
        ),
    };
    reported
}

/// Where a robot's description is.
fn found(robot: &Path) -> Result<PathBuf, Failure> {
    let kit = kits::named(&robot.to_string_lossy().to_lowercase());
    let hint = kit.map_or_else(String::new, |kit| format!("; did you mean --kit {}?", kit.name));
    robot.canonicalize().map_err(|error| Failure::Words(format!("{}: {error}{hint}", robot.display())))
}

/// The path of a robot's description as files in `folder` name it: from there if it lies there, so that the folder can be
/// moved.
fn from_folder(urdf: &Path, folder: &Path) -> PathBuf {
    let inside = folder.canonicalize().ok().and_then(|folder| urdf.strip_prefix(folder).map(Path::to_path_buf).ok());
    inside.unwrap_or_else(|| urdf.into())
}

/// Writes a file, unless it is there, and reports it; where it is.
fn written(path: PathBuf, text: &str, reported: &mut String) -> Result<PathBuf, Failure> {
    let is_new = write_new(&path, text).map_err(|error| Failure::Running(format!("{}: {error}", path.display())))?;
    let _ = writeln!(reported, "{} {}", if is_new { "written" } else { "kept   " }, path.display());
    Ok(path)
}

/// A folder here, called as the robot's file without its endings.
fn folder_of(urdf: &Path) -> PathBuf {
    let name = urdf.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("robot");
    PathBuf::from(format!("{stem}_config"))
}

fn load(config: &Path, urdf: &Path, gait: Option<&str>) -> Result<gait_planner::Setup, Failure> {
    let files = FileArgs { config: config.display().to_string(), urdf: urdf.display().to_string() };
    let all = parameters_of(&files)?.with_gait(gait);
    let files = files_of(&all.planner)?;
    Ok(gait_planner::Setup::read(&all.planner, &files).map_err(|error| files.explained_in_new(error))?)
}

/// Writes a file that is not there yet; false where it is.
fn write_new(path: &Path, text: &str) -> std::io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn servo_text(kit: Option<&Kit>, setup: &gait_planner::Setup) -> String {
    let robot = setup.engine.robot();
    let bus = kit.map(|kit| kits::bus_text(kit, robot)).unwrap_or_default();
    format!("{SERVOS}{}{bus}", servos_text(robot, Some(&setup.demand())))
}

const SERVOS: &str = "\
# Which plug drives which joint, and which pulse is which angle. Servos of kind `simulated` walk on `bus: simulated` at once; a
# real bus refuses them, as it is not known how far yours turn. For real servos name their kind in `defaults`, as in
# `all: {kind: mg996r}`, plug them in as board and channel say, and let `hexapod calibrate --bus i2c` find direction, points
# and pulses. What each key means: docs/servos.md.
";

/// The gait that would be taken; or, where the robot hardly moves on that, the first on which it walks and is on its feet at
/// every moment.
fn gait_to_start_with(setup: &gait_planner::Setup) -> String {
    let walks = |gait: &Gait| Walked::measure(&setup.engine, *gait).stuck().next().is_none();
    if walks(setup.engine.gait()) {
        return setup.gait_name.clone();
    }
    let walked = setup.gaits.stable().find(|(_, gait)| walks(gait));
    walked.map_or(setup.gait_name.clone(), |(name, _)| name.to_owned())
}

/// `hexapod.yaml`: where the robot is, its gait, and the sizes that were chosen for it.
fn parameter_text(setup: &gait_planner::Setup, urdf: &Path, gait: &str) -> String {
    let spec = setup.engine.stance().spec();
    let urdf = urdf.display().to_string().replace('\'', "''");
    let gaits: Vec<&str> = setup.gaits.names().collect();
    format!(
        "# Parameters of all nodes for this robot. A parameter that is left out keeps its default; the shipped hexapod.yaml shows all.\n\
         /**:\n  ros__parameters:\n    # The robot's description.\n    urdf: '{urdf}'\n\n\
         gait_planner:\n  ros__parameters:\n    # The gait to start with; this robot has {}.\n    gait: {}\n    \
         # Sizes are chosen from the lengths of the legs, 0.0 here; written out, yours count (m).\n    \
         body_height: 0.0       # {:.3} is chosen\n    sit_height: 0.0        # {:.3} is chosen\n    \
         max_stride: 0.0        # {:.3} is chosen\n    max_step_height: 0.0   # {:.3} is chosen\n    \
         # A faster command is scaled down as a whole: m/s and rad/s; of its size, too, unless you write them out.\n    \
         # max_linear_velocity: {:.3}\n    # max_angular_velocity: {:.3}\n\n\
         servo_driver:\n  ros__parameters:\n    # simulated: nothing moves. i2c: the boards on /dev/i2c-1, with your servos.yaml.\n    \
         bus: simulated\n",
        gaits.join(", "),
        gait,
        spec.height,
        spec.sit_height,
        spec.max_stride,
        spec.step_height,
        number(&setup.params, "max_linear_velocity"),
        number(&setup.params, "max_angular_velocity")
    )
}

/// `robot.yaml`: what was found, as comments to go on from.
fn robot_text(engine: &Engine) -> String {
    let mut out = String::from(
        "# What the description leaves open about the robot, or what is to be otherwise. All of it is optional.\n#\n\
         # The legs that were found; written out like this, their names and order are yours.\n#   legs:\n",
    );
    let robot = engine.robot();
    let link = |index: usize| robot.model().links().get(index).map_or("", |link| link.name());
    for leg in robot.legs() {
        let _ = writeln!(
            out,
            "#     - {{name: {}, foot_link: {}}}   # {}",
            leg.name(),
            link(leg.foot_link()),
            leg.foot_reason()
        );
    }
    let first = robot.legs().first();
    let (leg, foot) = first.map_or(("leg", "foot"), |leg| (leg.name(), link(leg.foot_link())));
    let joint = first.and_then(|leg| leg.joints().first()).map_or("joint", |joint| joint.name());
    let _ = write!(
        out,
        "#\n# Another foot: a link at the end of the leg, or a point in the frame of the link above, m.\n\
         #   feet: {{{leg}: {foot}}}\n#   feet: {{{leg}: [0.1, 0.0, 0.0]}}\n#\n\
         # The axis of the base link that points ahead, where that is not x: -x, y or -y.\n#   forward: -x\n#\n\
         # Limits in place of the description's, rad, rad/s, N m, rad/s^2; all stands for every joint of every leg.\n\
         #   limits:\n#     all: {{acceleration: 60.0}}\n#     {joint}: {{lower: -0.6, upper: 0.6, velocity: 4.0, effort: 1.5}}\n\
         limits: {{}}\n"
    );
    out
}
