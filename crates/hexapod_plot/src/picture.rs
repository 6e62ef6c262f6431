//! The robot drawn from a distance: flat shading, exact hiding, its shadow, a ground grid.

use crate::bsp::back_to_front;
use crate::error::PlotError;
use crate::hull::convex_hull;
use crate::mesh::{Face, faces};
use crate::scene::{Placed, place_visuals};
use crate::svg::{Anchor, Paint, Svg};
use crate::theme::{Rgb, Theme};
use crate::visibility::seen;
use nalgebra::{Point2, Point3, Vector3};
use std::f64::consts::TAU;

/// Pieces a polyline is cut into (m); every other one is drawn when it is dashed.
const DASH_M: f64 = 0.006;

/// A line through space, such as a foot's path, that the robot can hide.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyline {
    /// Its corners in the root link's frame (m).
    pub points: Vec<Point3<f64>>,
    /// Its colour.
    pub colour: Rgb,
    /// Its width (m).
    pub width_m: f64,
    /// Leave gaps.
    pub dashed: bool,
}

/// How the robot is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureOptions {
    /// What a screen reader says, and the tooltip.
    pub title: String,
    /// Size of the picture (px).
    pub width_px: f64,
    /// Size of the picture (px).
    pub height_px: f64,
    /// Where the viewer stands, anticlockwise from straight ahead of the robot (rad).
    pub azimuth_rad: f64,
    /// How far the viewer looks down (rad).
    pub elevation_rad: f64,
    /// Height of the ground in the root link's frame (m); the lowest point of the robot when absent.
    pub ground_z_m: Option<f64>,
    /// Distance between the lines on the ground (m).
    pub grid_m: f64,
    /// Flats that stand for roundness are about this long (m).
    pub flat_m: f64,
    /// Lines drawn into the scene.
    pub polylines: Vec<Polyline>,
    /// The background.
    pub theme: Theme,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            title: "A hexapod robot".to_owned(),
            width_px: 1000.0,
            height_px: 640.0,
            azimuth_rad: -0.40,
            elevation_rad: 0.52,
            ground_z_m: None,
            grid_m: 0.05,
            flat_m: 0.005,
            polylines: Vec::new(),
            theme: Theme::Light,
        }
    }
}

/// The robot of a URDF with its joints at the given positions (rad or m; zero where not named).
///
/// # Errors
/// A text that is not a URDF, and what [`crate::link_poses`] refuses.
pub fn robot_picture(urdf: &str, positions: &[(&str, f64)], options: &PictureOptions) -> Result<String, PlotError> {
    let robot = urdf_rs::read_from_string(urdf)?;
    Ok(scene_picture(&place_visuals(&robot, positions)?, options))
}

/// Solids already placed.
#[must_use]
pub fn scene_picture(solids: &[Placed], options: &PictureOptions) -> String {
    let bodies = bodies(solids, options);
    let stage = Stage::around(&[&bodies], options);
    let mut svg = Svg::new(options.width_px, options.height_px, &options.title, options.theme.background());
    stage.draw_floor(&mut svg);
    stage.draw_grid(&mut svg, 0.0);
    stage.draw_bodies(&mut svg, bodies);
    stage.draw_axes(&mut svg);
    svg.finish()
}

/// The faces of each solid that is drawn.
pub(crate) fn bodies(solids: &[Placed], options: &PictureOptions) -> Vec<Vec<Face>> {
    let drawn = solids.iter().filter(|solid| solid.rgba[3] > 0.0);
    drawn.map(|solid| faces(solid, options.flat_m)).collect()
}

/// Where bodies are shown: the ground under them and the viewer before them.
pub(crate) struct Stage<'o> {
    camera: Camera,
    ground: GroundDisc,
    options: &'o PictureOptions,
}

impl<'o> Stage<'o> {
    /// The stage on which all of these show as large as the picture allows.
    pub(crate) fn around(scenes: &[&Vec<Vec<Face>>], options: &'o PictureOptions) -> Self {
        let faces = scenes.iter().flat_map(|bodies| bodies.iter().flatten());
        let corners: Vec<Point3<f64>> = faces.flat_map(|face| face.corners.iter().copied()).collect();
        let lowest = corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
        let z = options.ground_z_m.unwrap_or(if lowest.is_finite() { lowest } else { 0.0 });
        let ground = GroundDisc::around(&corners, z);
        Self { camera: Camera::fitting(&corners, &ground, options), ground, options }
    }

    /// A pale disc that fades out towards its rim.
    pub(crate) fn draw_floor(&self, svg: &mut Svg) {
        for (step, part) in [(1, 1.0), (2, 0.8), (3, 0.6)] {
            let opacity = 0.16 * f64::from(step);
            let disc = self.camera.pixels(&self.ground.rim(part));
            svg.path(&[disc], true, &Paint::fill(self.options.theme.panel()).with_opacity(opacity));
        }
    }

    /// The lines on the ground when it has gone back by `walked_m`.
    pub(crate) fn draw_grid(&self, svg: &mut Svg, walked_m: f64) {
        // A grid too fine to see, zero or NaN is not drawn.
        if self.options.grid_m.partial_cmp(&(self.ground.radius * 0.01)) == Some(std::cmp::Ordering::Greater) {
            draw_grid(svg, &self.camera, &self.ground, self.options, walked_m);
        }
    }

    /// Bodies with their shadow, and the options' lines.
    pub(crate) fn draw_bodies(&self, svg: &mut Svg, bodies: Vec<Vec<Face>>) {
        draw_shadow(svg, &self.camera, &self.ground, &bodies, self.options.theme);
        let mut visible: Vec<Face> = bodies.into_iter().flatten().filter(|face| self.camera.sees(face)).collect();
        visible.extend(self.options.polylines.iter().flat_map(|line| ribbon(line, &self.camera.towards_viewer)));
        draw_faces(svg, &self.camera, back_to_front(visible), self.options);
    }

    /// The root link's axes in the lower left corner.
    pub(crate) fn draw_axes(&self, svg: &mut Svg) {
        draw_axes(svg, &self.camera, self.options);
    }
}

/// A viewer infinitely far away.
struct Camera {
    right: Vector3<f64>,
    up: Vector3<f64>,
    towards_viewer: Vector3<f64>,
    towards_light: Vector3<f64>,
    scale: f64,
    shift: [f64; 2],
}

impl Camera {
    /// The camera that shows these corners and the middle of the ground as large as the picture allows.
    fn fitting(corners: &[Point3<f64>], ground: &GroundDisc, options: &PictureOptions) -> Self {
        let (azimuth, elevation) = (options.azimuth_rad, options.elevation_rad);
        let ahead = Vector3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let right = Vector3::new(-azimuth.sin(), azimuth.cos(), 0.0);
        let towards_viewer = ahead * elevation.cos() + Vector3::z() * elevation.sin();
        let up = towards_viewer.cross(&right);
        let towards_light = (Vector3::z() - right * 0.42 + ahead * 0.12).normalize();
        let mut camera = Self { right, up, towards_viewer, towards_light, scale: 1.0, shift: [0.0, 0.0] };
        let rim = ground.rim(0.82);
        let points = || corners.iter().chain(&rim).map(|corner| camera.project(corner));
        let low = points().fold([f64::INFINITY; 2], |low, p| [low[0].min(p.x), low[1].min(p.y)]);
        let high = points().fold([f64::NEG_INFINITY; 2], |high, p| [high[0].max(p.x), high[1].max(p.y)]);
        let size = [options.width_px, options.height_px];
        let scale =
            (0..2).map(|axis| 0.94 * size[axis] / (high[axis] - low[axis]).max(1e-6)).fold(f64::INFINITY, f64::min);
        let middle = [0, 1].map(|axis| size[axis] / 2.0 - scale * (low[axis] + high[axis]) / 2.0);
        (camera.scale, camera.shift) = (scale, middle);
        camera
    }

    fn project(&self, point: &Point3<f64>) -> Point2<f64> {
        let (x, y) = (self.right.dot(&point.coords), -self.up.dot(&point.coords));
        Point2::new(x * self.scale + self.shift[0], y * self.scale + self.shift[1])
    }

    fn pixels(&self, points: &[Point3<f64>]) -> Vec<[f64; 2]> {
        points.iter().map(|point| self.project(point).into()).collect()
    }

    fn sees(&self, face: &Face) -> bool {
        face.normal.dot(&self.towards_viewer) > 1e-6
    }

    /// One key light, a weak light from the viewer and light from the sky.
    fn shade(&self, face: &Face) -> Rgb {
        if !face.lit {
            return face.colour;
        }
        let key = face.normal.dot(&self.towards_light).max(0.0);
        let fill = face.normal.dot(&self.towards_viewer).max(0.0);
        let sky = 0.5 + 0.5 * face.normal.z;
        let lit = face.colour.lit(0.40 + 0.42 * key + 0.14 * fill + 0.10 * sky);
        lit.towards(Rgb::hex(0xffffff), 0.14 * key.powi(3))
    }
}

/// A disc of the ground under the robot.
struct GroundDisc {
    centre: Point3<f64>,
    radius: f64,
}

impl GroundDisc {
    fn around(corners: &[Point3<f64>], z: f64) -> Self {
        let low = corners.iter().fold([f64::INFINITY; 2], |low, p| [low[0].min(p.x), low[1].min(p.y)]);
        let high = corners.iter().fold([f64::NEG_INFINITY; 2], |high, p| [high[0].max(p.x), high[1].max(p.y)]);
        let centre = if corners.is_empty() {
            Point3::new(0.0, 0.0, z)
        } else {
            Point3::new((low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0, z)
        };
        let reach = corners.iter().map(|p| (p - centre).xy().norm()).fold(0.1, f64::max);
        Self { centre, radius: reach * 1.3 }
    }

    fn at(&self, x: f64, y: f64) -> Point3<f64> {
        Point3::new(x, y, self.centre.z)
    }

    fn rim(&self, part: f64) -> Vec<Point3<f64>> {
        let angles = (0..72).map(|step| TAU * f64::from(step) / 72.0);
        let radius = self.radius * part;
        angles.map(|a| self.at(self.centre.x + radius * a.cos(), self.centre.y + radius * a.sin())).collect()
    }
}

/// Grid lines that fade out towards the rim.
fn draw_grid(svg: &mut Svg, camera: &Camera, ground: &GroundDisc, options: &PictureOptions, walked_m: f64) {
    const FADES: usize = 6;
    let grid = options.grid_m;
    let count = (ground.radius / grid).ceil() as i32 + 1;
    let [middle_x, middle_y] = [ground.centre.x + walked_m, ground.centre.y].map(|value| (value / grid).round());
    let mut fades: [Vec<Vec<[f64; 2]>>; FADES] = std::array::from_fn(|_| Vec::new());
    for line in -count..=count {
        for cell in -count..count {
            for along_x in [true, false] {
                let ends = [cell, cell + 1].map(|end| {
                    let (x, y) = if along_x { (end, line) } else { (line, end) };
                    ground.at((middle_x + f64::from(x)) * grid - walked_m, (middle_y + f64::from(y)) * grid)
                });
                let middle = nalgebra::center(&ends[0], &ends[1]);
                let fade = 1.0 - (middle - ground.centre).norm() / ground.radius;
                if fade > 0.0 {
                    fades[((fade * 2.0 * FADES as f64) as usize).min(FADES - 1)].push(camera.pixels(&ends));
                }
            }
        }
    }
    for (index, pieces) in fades.iter().enumerate() {
        let opacity = (index + 1) as f64 / FADES as f64;
        svg.path(pieces, false, &Paint::stroke(options.theme.grid(), 1.2).with_opacity(opacity));
    }
}

fn draw_shadow(svg: &mut Svg, camera: &Camera, ground: &GroundDisc, groups: &[Vec<Face>], theme: Theme) {
    let light = camera.towards_light;
    let fallen = |corner: &Point3<f64>| corner - light * ((corner.z - ground.centre.z).max(0.0) / light.z);
    let outline = |faces: &Vec<Face>| {
        let corners = faces.iter().flat_map(|face| &face.corners);
        convex_hull(corners.map(|corner| camera.project(&fallen(corner))).collect())
    };
    let outlines: Vec<Vec<[f64; 2]>> = groups.iter().map(outline).filter(|hull| hull.len() >= 3).collect();
    svg.open_group(&[("opacity", "0.2")]);
    svg.path(&outlines, true, &Paint { stroke: Some((theme.shadow(), 2.0)), ..Paint::fill(theme.shadow()) });
    svg.close_group();
}

/// A polyline as narrow faces turned to the viewer.
fn ribbon(line: &Polyline, towards_viewer: &Vector3<f64>) -> Vec<Face> {
    let mut faces = Vec::new();
    let mut walked = 0.0;
    for (from, to) in line.points.iter().zip(line.points.iter().skip(1)) {
        let along = to - from;
        let Some(across) = towards_viewer.cross(&along).try_normalize(1e-12) else { continue };
        let half = across * (line.width_m / 2.0);
        let gap = line.dashed && (walked / DASH_M) as i64 % 2 == 1;
        walked += along.norm();
        let corners = vec![from - half, to - half, to + half, from + half];
        if let (false, Some(face)) = (gap, Face::new(corners, line.colour)) {
            faces.push(Face { lit: false, ..face });
        }
    }
    faces.retain(|face| face.normal.dot(towards_viewer).abs() > 1e-6);
    faces
}

/// Faces in order, hidden ones left out, neighbours in the order that share a colour in one path. The thin stroke closes
/// the hairlines that smoothing leaves between adjoining faces.
fn draw_faces(svg: &mut Svg, camera: &Camera, ordered: Vec<Face>, options: &PictureOptions) {
    let flat: Vec<Vec<Point2<f64>>> =
        ordered.iter().map(|face| face.corners.iter().map(|corner| camera.project(corner)).collect()).collect();
    let shown = seen(&flat, options.width_px, options.height_px);
    let current = "currentColor";
    svg.open_group(&[("fill", current), ("stroke", current), ("stroke-width", "0.7"), ("stroke-linejoin", "round")]);
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut last: Option<Rgb> = None;
    for ((face, polygon), _) in ordered.iter().zip(flat).zip(shown).filter(|(_, shown)| *shown) {
        let shade = camera.shade(face);
        if let Some(colour) = last.filter(|colour| colour.to_string() != shade.to_string()) {
            svg.areas(&pieces, colour);
            pieces.clear();
        }
        last = Some(shade);
        pieces.push(polygon.into_iter().map(Into::into).collect());
    }
    if let Some(colour) = last {
        svg.areas(&pieces, colour);
    }
    svg.close_group();
}

fn draw_axes(svg: &mut Svg, camera: &Camera, options: &PictureOptions) {
    const LENGTH_PX: f64 = 34.0;
    let origin = [56.0, options.height_px - 44.0];
    for (name, axis, colour) in
        [("x", Vector3::x(), 0xd64545), ("y", Vector3::y(), 0x2f9e5b), ("z", Vector3::z(), 0x3b74d9)]
    {
        let [dx, dy] = [camera.right.dot(&axis), -camera.up.dot(&axis)];
        let at = |length: f64| [origin[0] + dx * length, origin[1] + dy * length];
        svg.line(origin, at(LENGTH_PX), &Paint::stroke(Rgb::hex(colour), 2.5));
        let [x, y] = at(LENGTH_PX + 11.0);
        svg.anchored([x, y + 4.0], 13.0, options.theme.muted(), Anchor::Middle, name);
    }
}
