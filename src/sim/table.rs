//! The table: a line of CSV for each tick.

use super::tally::Line;
use std::io::{Result, Write};

/// The names of the columns.
pub const HEADER: &str =
    "seconds,state,x_planned,y_planned,yaw_planned,x,y,z,roll,pitch,yaw,lean,slip,work,energy,volts,falls,ground,event";

/// A table that grows.
pub struct Table<W: Write> {
    out: W,
}

impl<W: Write> Table<W> {
    /// With its header.
    pub fn new(mut out: W, more: &[String]) -> Result<Self> {
        let more = more.iter().map(|name| format!(",{name}")).collect::<String>();
        writeln!(out, "{HEADER}{more}")?;
        Ok(Self { out })
    }

    /// A line, what happened as its tick began, and the values of the columns after the usual ones.
    pub fn write(&mut self, line: &Line, event: &str, more: &[f64]) -> Result<()> {
        let Line { time, planned: [x, y, yaw], place, turn, lean, slip, work, energy, volts, falls, .. } = line;
        let state = line.state.as_str();
        write!(self.out, "{time:.4},{state},{x:.5},{y:.5},{yaw:.5}")?;
        write!(self.out, ",{:.5},{:.5},{:.5}", place.x, place.y, place.z)?;
        turn.iter().try_for_each(|angle| write!(self.out, ",{angle:.5}"))?;
        write!(self.out, ",{lean:.5},{slip:.6},{work:.4},{energy:.4},{volts:.3},{falls}")?;
        let ground = line.ground.map_or_else(String::new, |height| format!("{height:.5}"));
        write!(self.out, ",{ground},{}", event.replace([',', '"'], " "))?;
        more.iter().try_for_each(|value| write!(self.out, ",{value:.5}"))?;
        writeln!(self.out)
    }

    pub fn finish(mut self) -> Result<()> {
        self.out.flush()
    }
}
