//! Which registers are read or written.

/// Registers that lie one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Address of the first.
    pub first: u16,
    /// How many bytes.
    pub count: u8,
}

impl Block {
    /// So many registers from an address on.
    pub const fn new(first: u16, count: u8) -> Self {
        Self { first, count }
    }
}
