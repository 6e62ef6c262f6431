//! The table: a line of CSV for each tick.

use super::tally::Line;
use std::io::{Result, Write};

/// The names of the columns.
pub const HEADER: &str =
    "seconds,state,x_planned,y_planned,yaw_planned,x,y,z,roll,pitch,yaw,lean,slip,work,energy,volts,falls";

/// A table that grows.
pub struct Table<W: Write> {
    out: W,
}

impl<W: Write> Table<W> {
    /// With its header.
    pub fn new(mut out: W) -> Result<Self> {
        writeln!(out, "{HEADER}")?;
        Ok(Self { out })
    }

    pub fn write(&mut self, line: &Line) -> Result<()> {
        let Line { time, planned: [x, y, yaw], place, turn, lean, slip, work, energy, volts, falls, .. } = line;
        let state = line.state.as_str();
        write!(self.out, "{time:.4},{state},{x:.5},{y:.5},{yaw:.5}")?;
        write!(self.out, ",{:.5},{:.5},{:.5}", place.x, place.y, place.z)?;
        turn.iter().try_for_each(|angle| write!(self.out, ",{angle:.5}"))?;
        writeln!(self.out, ",{lean:.5},{slip:.6},{work:.4},{energy:.4},{volts:.3},{falls}")
    }

    pub fn finish(mut self) -> Result<()> {
        self.out.flush()
    }
}
