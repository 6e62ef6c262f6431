//! A family of servos: what the bus of a robot can be set to.

use super::block::Block;
use super::frame::Protocol;
use super::series::Series;

/// Servos of one maker on a serial bus.
#[derive(Debug, PartialEq)]
pub struct Family {
    /// What the parameter `bus` and the section of `servos.yaml` call it.
    pub name: &'static str,
    /// What it is, after "on the serial port `port`: ".
    pub about: &'static str,
    /// Its series. `servos.yaml` means the first where it names none.
    pub series: &'static [&'static Series],
    /// Rates that a servo can be set to, for people.
    pub rates: &'static str,
    /// The rate where none is given.
    pub usual_rate: u32,
    /// The rate that servos come with.
    pub factory_rate: u32,
}

impl Family {
    /// The series of this name.
    pub fn named(&self, name: &str) -> Option<&'static Series> {
        self.series.iter().copied().find(|series| series.name == name)
    }

    /// The series whose servos speak one protocol and report this model, else the first of that protocol.
    pub fn of_model(&self, protocol: Protocol, model: u16) -> Option<&'static Series> {
        let mut spoken = self.series.iter().copied().filter(|series| series.protocol == protocol);
        spoken.clone().find(|series| series.model(model).is_some()).or_else(|| spoken.next())
    }

    /// The series and model by the registers of the model, which each series reads in its own order of bytes; one that is not
    /// known counts for the first of those that speak the protocol.
    pub(super) fn named_by(&self, protocol: Protocol, block: Block, values: &[u8]) -> Option<(&'static Series, u16)> {
        let spoken = self.series.iter().copied().filter(|series| series.protocol == protocol);
        let number = |series: &Series| u16::try_from(series.number(series.model, block, values)?).ok();
        let mut read = spoken.filter_map(|series| Some((series, number(series)?)));
        let first = read.clone().next();
        read.find(|(series, model)| series.model(*model).is_some()).or(first)
    }

    /// The protocols that its series speak, each once.
    pub fn protocols(&self) -> impl Iterator<Item = Protocol> {
        [Protocol::Two, Protocol::One, Protocol::Lx]
            .into_iter()
            .filter(|protocol| self.of_model(*protocol, 0).is_some())
    }
}
