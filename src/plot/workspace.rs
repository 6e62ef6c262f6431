//! `hexapod plot workspace`: the reachable set of each foot, strides and margins.

use crate::cli::WorkspaceArgs;
use crate::exit::Failure;
use crate::setups::parameters_of;
use hexapod_gait::Engine;
use hexapod_kinematics::{Leg, LegAngles, PoseMargins, Slice, StrokeTable};
use hexapod_plot::{WorkspaceChart, WorkspaceLeg, workspace_map};
use nalgebra::{Vector2, Vector3};

/// Grid cells along a leg's length.
const CELLS: f64 = 120.0;
/// Directions of the strides: every three degrees.
const DIRECTIONS: usize = 120;

/// Draws the workspace.
///
/// # Errors
/// File, line and key of what does not hold; a leg the robot does not have.
pub(super) fn draw(arguments: &WorkspaceArgs) -> Result<String, Failure> {
    let all = parameters_of(&arguments.files)?;
    let engine = gait_planner::Setup::load(&all.planner)?.engine;
    let height = arguments.height.unwrap_or(engine.stance().spec().height);
    if !height.is_finite() {
        return Err(Failure::Words(format!("--height {height}: give a length in metres")));
    }
    if !arguments.leg.is_empty() && engine.robot().leg_index(&arguments.leg).is_none() {
        let names: Vec<&str> = engine.legs().iter().map(Leg::name).collect();
        return Err(Failure::Words(format!("--leg {}: the robot's legs are {}", arguments.leg, names.join(", "))));
    }
    Ok(workspace_map(&chart(&engine, height, &arguments.leg)))
}

/// The picture's data.
#[must_use]
pub fn chart(engine: &Engine, height: f64, only: &str) -> WorkspaceChart {
    let robot = engine.robot();
    let rest: Vec<Vector3<f64>> = engine.rest_feet().iter().map(|at| Vector3::new(at.x, at.y, -height)).collect();
    let strokes = StrokeTable::new(robot, &rest, DIRECTIONS);
    let wanted = |leg: &&(usize, &Leg)| only.is_empty() || leg.1.name() == only;
    let legs: Vec<(usize, &Leg)> = robot.legs().iter().enumerate().collect();
    let reach = engine.stance().reach().axes();
    let subtitle = format!(
        "body {:.0} mm above the feet · filled: within reach · dashed: farthest straight from rest · ellipse: the planner's, {:.0} and {:.0} mm",
        height * 1e3,
        reach.x * 1e3,
        reach.y * 1e3
    );
    WorkspaceChart {
        title: format!("{}: where the feet can go", robot.model().name()),
        subtitle,
        legs: legs.iter().filter(wanted).map(|(i, leg)| leg_chart(*i, leg, &rest, &strokes)).collect(),
        reach: reach.into(),
        columns: ["area", "stride along x", "along y", "least of all", "to a limit", "to singular"]
            .map(String::from)
            .into(),
        ..WorkspaceChart::default()
    }
}

fn leg_chart(index: usize, leg: &Leg, rest: &[Vector3<f64>], strokes: &StrokeTable) -> WorkspaceLeg {
    let at = rest.get(index).copied().unwrap_or_default();
    let slice = Slice::new(leg, at.z, leg.length() / CELLS);
    let pose = leg.inverse(&at, &leg.posture());
    let flat = |v: Vector2<f64>| [v.x, v.y];
    WorkspaceLeg {
        name: leg.name().to_owned(),
        border: slice.border(),
        hip: flat(leg.hip_in_body().xy()),
        rest: flat(at.xy()),
        travel: strokes.of_leg(index).to_vec(),
        cells: cells(&slice, strokes, index, pose.ok().map(|pose| (leg, pose))),
    }
}

fn cells(slice: &Slice, strokes: &StrokeTable, leg: usize, pose: Option<(&Leg, LegAngles)>) -> Vec<String> {
    let mm = |length: f64| format!("{:.0} mm", length * 1e3);
    let quarter = std::f64::consts::FRAC_PI_2;
    let half = DIRECTIONS / 2;
    let all = (0..half).map(|k| strokes.centred(leg, std::f64::consts::PI * k as f64 / half as f64));
    let least = all.fold(f64::INFINITY, f64::min);
    let mut cells = vec![
        format!("{:.0} cm²", slice.area() * 1e4),
        mm(strokes.centred(leg, 0.0)),
        mm(strokes.centred(leg, quarter)),
        mm(least),
    ];
    cells.extend(pose.map_or(["-", "-"].map(String::from), |(leg, pose)| margins(&leg.margins(&pose))));
    cells
}

fn margins(margins: &PoseMargins) -> [String; 2] {
    [format!("{:.0}°", margins.limit_rad.to_degrees()), format!("{:.0} mm/rad", margins.singularity_m * 1e3)]
}
