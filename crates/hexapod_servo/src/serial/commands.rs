//! The commands of LX servos as registers: those of what a command reads begin at four times its number, as none reads more
//! than four bytes. What writes them is the command below it.

/// Commands that read, and how many bytes a servo answers: where it goes to, where next, ID, offset, limits of angle, voltage
/// and temperature, temperature, voltage, position, mode, torque, LED, alarms of the LED.
const READS: [(u8, u16); 14] = [
    (2, 4),
    (8, 4),
    (14, 1),
    (19, 1),
    (21, 4),
    (23, 4),
    (25, 1),
    (26, 1),
    (27, 2),
    (28, 2),
    (30, 4),
    (32, 1),
    (34, 1),
    (36, 1),
];

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// It reads the registers from here on.
    Read(u16),
    /// It writes them.
    Write(u16),
    /// Anything else.
    Other,
}

/// The command that reads registers.
pub(super) fn reading(first: u16) -> u8 {
    (first / 4) as u8
}

/// The command that writes them.
pub(super) fn writing(first: u16) -> u8 {
    reading(first).wrapping_sub(1)
}

/// How many bytes a servo answers when registers are read.
pub(super) fn count(first: u16) -> u16 {
    READS.iter().find(|(command, _)| *command == reading(first)).map_or(0, |(_, count)| *count)
}

/// What a command does.
pub(super) fn meaning(command: u8) -> Command {
    let address = |reading: u8| u16::from(reading) * 4;
    let is_read = |command: u8| READS.iter().any(|(reading, _)| *reading == command);
    match command {
        command if is_read(command) => Command::Read(address(command)),
        command if is_read(command.wrapping_add(1)) => Command::Write(address(command + 1)),
        _ => Command::Other,
    }
}

/// The registers that a command reads.
pub(crate) const fn register(reading: u8) -> u16 {
    reading as u16 * 4
}
