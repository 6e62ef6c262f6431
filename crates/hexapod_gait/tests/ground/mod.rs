//! Ground that is not as planned: felt, seen, or sloping.

mod contacts;
mod footholds;
mod levelling;
mod rough;
