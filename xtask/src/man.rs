//! Man pages from what the executable says of itself with `--help`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::read;

/// Writes a page for `program`, and one for each of its commands, compressed, into `folder`.
pub fn write(program: &Path, folder: &Path) -> Result<()> {
    let help = read(Command::new(program).arg("--help"))?;
    let version = read(Command::new(program).arg("--version"))?;
    let commands: Vec<&str> = commands(&help).collect();
    ensure!(!commands.is_empty(), "{} names no commands", program.display());
    fs::write(folder.join("hexapod.1"), page("hexapod", &version, &help))?;
    for command in commands {
        let (name, help) = (format!("hexapod-{command}"), read(Command::new(program).args([command, "--help"]))?);
        fs::write(folder.join(format!("{name}.1")), page(&name, &version, &help))?;
    }
    let pages = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    read(Command::new("gzip").arg("-9n").args(pages)).map(drop)
}

/// The commands that a help text lists.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names = listed.take_while(|line| line.starts_with(' ')).filter_map(|line| line.strip_prefix("  "));
    names
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
}

/// A page in the macros of man(7): the first line is what it does, the rest stands as it is.
fn page(name: &str, version: &str, help: &str) -> String {
    let does = help.lines().next().unwrap_or_default();
    let title = name.to_uppercase();
    let body: String = help.lines().map(|line| escaped(line) + "\n").collect();
    let (does, name) = (escaped(does.trim_end_matches('.')), escaped(name));
    format!(".TH {title} 1 \"\" \"{version}\"\n.SH NAME\n{name} \\- {does}\n.SH DESCRIPTION\n.nf\n{body}.fi\n")
}

fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Walks.\n\nUsage: x <COMMAND>\n\nCommands:\n  run   Run\n        all of it\n  sit   Sit\n  help  Help\n\nOptions:\n  -h\n.dot\\";

    #[test]
    fn when_a_help_text_is_read_expect_its_commands_and_a_page_that_troff_leaves_as_it_is() {
        assert_eq!(commands(HELP).collect::<Vec<_>>(), ["run", "sit"]);
        let page = page("x-run", "x 1.0", HELP);
        assert!(page.starts_with(".TH X-RUN 1 \"\" \"x 1.0\"\n.SH NAME\nx\\-run \\- Walks\n"), "{page}");
        assert!(page.contains("\n  \\-h\n\\&.dot\\e\n.fi\n"), "{page}");
    }
}
