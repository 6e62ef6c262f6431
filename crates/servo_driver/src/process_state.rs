//! What a process does, by what the kernel says of it (`/proc`, proc_pid_stat(5)).

use std::fmt::Display;
use std::fs;
use std::io;

/// The letter of its state: `T` or `t` halted, `Z` or `X` dead.
pub(crate) fn process_state(process: impl Display) -> io::Result<Option<char>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The second field is the name, in parentheses, and may hold any character.
    Ok(stat.rsplit(')').next().and_then(|rest| rest.trim_start().chars().next()))
}
