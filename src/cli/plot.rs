//! What can be drawn.

use super::files::FileArgs;
use clap::{Args, Subcommand};

/// What to draw.
#[derive(Debug, Subcommand)]
pub enum Plot {
    /// One cycle of a gait: footfalls, paths of the feet, joint angles, stability margin.
    Gait(GaitArgs),
    /// Where each foot can go with the body at a height, and how far it can stride in each direction.
    Workspace(WorkspaceArgs),
    /// The robot as it walks, as a picture that moves.
    Walk(GaitArgs),
    /// A walk in physics, from the table of `hexapod sim`: its path, lean, slip and power.
    Run(RunTableArgs),
}

/// Which gait to draw, and where to.
#[derive(Clone, Debug, Default, Args)]
pub struct GaitArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// A gait of gaits.yaml [default: the one of hexapod.yaml]
    #[arg(long, value_name = "NAME")]
    pub gait: Option<String>,
    /// The picture's file [default: standard output]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    pub out: String,
}

/// Which walk to draw, and where to.
#[derive(Clone, Debug, Default, Args)]
pub struct RunTableArgs {
    /// A table that hexapod sim has written; two are drawn over each other
    #[arg(value_name = "TABLE", default_value = "run.csv", num_args = 1..=2)]
    pub tables: Vec<std::path::PathBuf>,
    /// The picture's file [default: standard output]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    pub out: String,
}

/// What to draw of the workspace.
#[derive(Clone, Debug, Default, Args)]
pub struct WorkspaceArgs {
    /// Which files to read.
    #[command(flatten)]
    pub files: FileArgs,
    /// Only this leg [default: all]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub leg: String,
    /// Height of the body above the feet, m [default: that of standing]
    #[arg(long, value_name = "M")]
    pub height: Option<f64>,
    /// The picture's file [default: standard output]
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    pub out: String,
}
