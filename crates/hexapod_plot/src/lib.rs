#![doc = include_str!("../README.md")]

mod bsp;
mod chart;
mod error;
mod film;
mod gait;
mod hull;
mod legs;
mod mesh;
mod page;
mod picture;
mod scene;
mod svg;
mod theme;
mod visibility;
mod workspace;

pub use chart::{LineChart, Mark, Series, line_plot};
pub use error::PlotError;
pub use film::{Film, robot_film};
pub use gait::{GaitChart, GaitRow, gait_diagram};
pub use legs::{LegsChart, StandingLeg, legs_picture};
pub use page::{Panel, page};
pub use picture::{PictureOptions, Polyline, robot_picture, scene_picture};
pub use scene::{Placed, Shape, link_poses, place_visuals};
pub use svg::{Paint, Svg};
pub use theme::{Rgb, Theme};
pub use workspace::{WorkspaceChart, WorkspaceLeg, workspace_map};
