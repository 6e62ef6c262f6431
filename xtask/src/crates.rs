//! The crates that are checked and built together.

use std::process::Command;

use crate::layout::Layout;
use crate::pytest::isolate;
use crate::ros::{Ros, cargo_in, profile};
use crate::workspace::{Member, selection};

/// What cargo checks and builds together, and with what. One selection and one profile for all of it: with others, cargo
/// would compile most of it once more.
#[derive(Clone, Copy)]
pub struct Crates<'a> {
    /// Without, only the crates that need none.
    pub ros: Option<&'a Ros>,
    pub members: &'a [Member],
}

impl Crates<'_> {
    /// A cargo command about all of them, `before` its packages.
    pub fn cargo(self, layout: &Layout, before: &[&str]) -> Command {
        let mut command = cargo_in(layout, self.ros);
        command.args(before).args(profile(self.ros)).args(selection(self.members));
        if self.ros.is_some() {
            isolate(&mut command);
        }
        command
    }
}
