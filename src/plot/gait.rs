//! One cycle of a gait, as the engine walks it.

use super::over_time::time_chart;
use crate::cli::GaitArgs;
use crate::exit::Failure;
use crate::parameters::AllParams;
use crate::setups::parameters_of;
use hexapod_gait::{Balance, Engine, GaitState, Input, Tick, Twist, leg_places};
use hexapod_plot::{GaitChart, GaitRow, LineChart, Panel, Series, Theme, gait_diagram, line_plot, page};
use nalgebra::Vector2;

/// Ticks per second of the recording.
const RATE_HZ: f64 = 400.0;
/// Fraction of the fastest walk this gait's stroke allows that is drawn.
const SPEED_FRACTION: f64 = 0.4;
/// Fractions of that which are tried in turn.
const SLOWER: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.05];
/// Longest a robot may take to stand up and walk steadily.
const SETTLE_S: f64 = 60.0;
const PANEL_PX: [f64; 2] = [560.0, 380.0];

/// Reads the robot's files and draws one of its gaits.
///
/// # Errors
/// The files do not hold, there is no such gait, or the robot does not walk with it.
pub fn draw(arguments: &GaitArgs) -> Result<String, Failure> {
    let (engine, name) = prepared(arguments, &parameters_of(&arguments.files)?.with_gait(arguments.gait.as_deref()))?;
    gait_svg(engine, &name).map_err(Failure::Words)
}

/// An engine, its robot sitting, with the gait that is to be drawn, and the gait's name.
pub(super) fn prepared(arguments: &GaitArgs, all: &AllParams) -> Result<(Engine, String), Failure> {
    let setup = gait_planner::Setup::load(&all.planner)?;
    let name = arguments.gait.as_deref().unwrap_or(&setup.gait_name).to_owned();
    let gait = setup.gaits.get(&name).map_err(Failure::Words)?;
    let mut engine = setup.engine;
    engine.set_gait(gait);
    Ok((engine, name))
}

/// The gait that `engine`, whose robot sits, is set to, walked straight ahead.
///
/// # Errors
/// The robot does not come to walk steadily.
pub fn gait_svg(mut engine: Engine, name: &str) -> Result<String, String> {
    let cycle = record(&mut engine, SPEED_FRACTION)?;
    let [width, height] = PANEL_PX;
    let seconds = cycle.len() as f64 / RATE_HZ;
    let speed = cycle.first().map_or(0.0, |tick| tick.twist.vx);
    let title = format!("{name} at {speed:.3} m/s");
    let footfalls = footfalls(&engine, &cycle, format!("{title}: feet on the ground"), seconds);
    let chart = |title: &str, y_label: &str, series| line_plot(&time_chart(title, y_label, series, PANEL_PX));
    let paths = line_plot(&LineChart {
        title: "paths of the left feet, seen from the left".into(),
        x_label: "ahead of the body's centre (mm)".into(),
        y_label: "above the ground (mm)".into(),
        series: paths(&engine, &cycle),
        width_px: width,
        height_px: height,
        ..LineChart::default()
    });
    let joints = chart(&format!("joints of {}", engine.legs()[0].name()), "angle (deg)", joints(&engine, &cycle));
    let margin = chart("centre of mass inside the feet on the ground", "margin (mm)", margin(&engine, &cycle));
    let panels = [
        Panel { svg: footfalls, at: [0.0, 0.0] },
        Panel { svg: paths, at: [width, 0.0] },
        Panel { svg: joints, at: [0.0, height] },
        Panel { svg: margin, at: [width, height] },
    ];
    Ok(page(&title, 2.0 * width, 2.0 * height, Theme::Light, &panels))
}

/// One steady cycle, tick by tick, at a part of the fastest walk the gait's stroke allows; slower where the robot waits for its
/// balance at that speed.
pub(super) fn record(engine: &mut Engine, speed_fraction: f64) -> Result<Vec<Tick>, String> {
    let most = (SETTLE_S * RATE_HZ) as usize;
    engine.stand();
    stand(engine, most)?;
    // A gait that was set is taken up with the next tick.
    engine.step(&Input::default(), 1.0 / RATE_HZ);
    let fastest = engine.stance().stroke(Vector2::x()) / engine.gait().stance_time();
    for slower in SLOWER {
        let mut walking = engine.clone();
        if let Some(cycle) = steady_cycle(&mut walking, slower * speed_fraction * fastest, most) {
            *engine = walking;
            return Ok(cycle);
        }
    }
    Err("the robot does not come to walk steadily ahead with this gait; `hexapod check` shows how fast it walks".into())
}

/// A cycle of a robot that stands, once it walks ahead evenly at this speed, m/s.
fn steady_cycle(engine: &mut Engine, speed: f64, most: usize) -> Option<Vec<Tick>> {
    let dt = 1.0 / RATE_HZ;
    let input = Input { twist: Twist::new(speed, 0.0, 0.0), ..Input::default() };
    let mut wraps = 0;
    let mut cycle = vec![];
    let mut before = *engine.last();
    for _ in 0..most {
        let tick = *engine.step(&input, dt);
        let steady = tick.state == GaitState::Walking && tick.twist == before.twist;
        wraps = if steady { wraps + usize::from(tick.phase < before.phase) } else { 0 };
        before = tick;
        match wraps {
            // The first cycles still carry the start.
            0..=3 => cycle.clear(),
            4 => cycle.push(tick),
            _ => return Some(cycle),
        }
    }
    None
}

fn stand(engine: &mut Engine, most: usize) -> Result<(), String> {
    for _ in 0..most {
        if engine.step(&Input::default(), 1.0 / RATE_HZ).state == GaitState::Standing {
            return Ok(());
        }
    }
    Err("the robot does not come to stand".into())
}

fn footfalls(engine: &Engine, cycle: &[Tick], title: String, seconds: f64) -> String {
    let row = |leg: usize| {
        let mut row = GaitRow { leg: engine.legs()[leg].name().to_owned(), stances: vec![] };
        let fraction = 1.0 / cycle.len().max(1) as f64;
        for index in (0..cycle.len()).filter(|&index| cycle[index].contacts[leg]) {
            let at = index as f64 * fraction;
            match row.stances.last_mut() {
                Some((begin, length)) if (*begin + *length - at).abs() < fraction / 2.0 => *length += fraction,
                _ => row.stances.push((at, fraction)),
            }
        }
        row
    };
    gait_diagram(&GaitChart {
        title,
        rows: (0..engine.legs().len()).map(row).collect(),
        cycle_s: Some(seconds),
        width_px: PANEL_PX[0],
        ..GaitChart::default()
    })
}

/// Feet of the left side over the ground, in the frame below the body.
fn paths(engine: &Engine, cycle: &[Tick]) -> Vec<Series> {
    let legs = engine.legs().iter().zip(leg_places(engine.robot())).enumerate().filter(|(_, (_, place))| place.left);
    legs.map(|(index, (leg, _))| {
        let mut points: Vec<[f64; 2]> =
            cycle.iter().map(|tick| [tick.feet[index].x * 1e3, tick.feet[index].z * 1e3]).collect();
        points.extend(points.first().copied());
        Series { name: leg.name().into(), points, dashed: false }
    })
    .collect()
}

fn joints(engine: &Engine, cycle: &[Tick]) -> Vec<Series> {
    let joints = engine.legs()[0].joints().iter().enumerate();
    joints
        .map(|(joint, each)| Series {
            name: each.name().into(),
            points: over_time(cycle, |tick| tick.angles[0][joint].to_degrees()),
            dashed: false,
        })
        .collect()
}

fn margin(engine: &Engine, cycle: &[Tick]) -> Vec<Series> {
    let balance = Balance::new(engine.robot());
    let points = over_time(cycle, |tick| balance.of(tick).margin * 1e3);
    vec![Series { name: "margin".into(), points, dashed: false }]
}

fn over_time(cycle: &[Tick], value: impl Fn(&Tick) -> f64) -> Vec<[f64; 2]> {
    cycle.iter().enumerate().map(|(index, tick)| [index as f64 / RATE_HZ, value(tick)]).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn shipped(gait: Option<&str>) -> GaitArgs {
        let root = env!("CARGO_MANIFEST_DIR");
        let files =
            crate::cli::FileArgs { config: format!("{root}/config"), urdf: format!("{root}/urdf/hexapod.urdf") };
        GaitArgs { files, gait: gait.map(str::to_owned), out: String::new() }
    }

    #[test]
    fn when_the_shipped_gait_is_drawn_expect_the_picture_of_the_readme() {
        let drawn = draw(&shipped(None)).unwrap();
        let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/gait.svg")).unwrap();
        assert!(drawn == kept, "draw it anew: hexapod plot gait --out docs/gait.svg");
    }

    #[test]
    fn when_any_gait_is_drawn_expect_a_bar_for_every_stance_and_all_four_panels() {
        for (gait, feet_down) in [("tripod", 3.0), ("ripple", 4.0), ("wave", 5.0)] {
            let all = parameters_of(&shipped(None).files).unwrap();
            let setup = gait_planner::Setup::load(&all.planner).unwrap();
            let mut engine = setup.engine;
            engine.set_gait(setup.gaits.get(gait).unwrap());
            let cycle = record(&mut engine.clone(), SPEED_FRACTION).unwrap();
            assert!((cycle.len() as f64 / RATE_HZ - setup.gaits.get(gait).unwrap().cycle_time()).abs() < 0.01);
            let down = cycle.iter().map(|tick| tick.contacts.iter().filter(|&&down| down).count()).sum::<usize>();
            assert!((down as f64 / cycle.len() as f64 - feet_down).abs() < 0.05, "{gait}");
            let svg = gait_svg(engine, gait).unwrap();
            assert_eq!(svg.matches("<svg").count(), 5);
        }
    }

    #[test]
    fn when_a_gait_is_unknown_expect_the_known_ones() {
        let Err(Failure::Input(error)) = draw(&shipped(Some("gallop"))) else { panic!("it is unknown") };
        assert!(error.message().contains("tripod"), "{error}");
    }
}
