//! The variables of the ROS 2 environment that `.ros` holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::layout::{Layout, target_dir};
use crate::process::read;
use crate::python;

/// Variables to set, in order. Always the same text for the same `.ros`, because r2r is rebuilt when they change.
#[derive(Debug, Default)]
pub struct Variables(Vec<(&'static str, String)>);

impl Variables {
    /// The variables for the environment in `layout`, on top of those of this process.
    pub fn of(layout: &Layout) -> Result<Self> {
        let (venv, overlay) = (text(&layout.venv())?, text(&layout.overlay())?);
        let packages = format!("lib/python{}/site-packages", python::version(&layout.python())?);
        let site = layout.venv().join(&packages);
        let prefixes = format!("{overlay}:{venv}");

        let mut libraries = vec![format!("{overlay}/lib"), format!("{venv}/lib")];
        libraries.extend(bundled_libraries(&site)?);
        let gcc_include = read(Command::new("gcc").arg("-print-file-name=include"))?;
        let ours = layout.ros();
        let rest = |name: &str| kept(&std::env::var(name).unwrap_or_default(), &ours);

        Ok(Self(vec![
            ("ROS_DISTRO", "jazzy".to_owned()),
            ("ROS_VERSION", "2".to_owned()),
            ("ROS_PYTHON_VERSION", "3".to_owned()),
            ("AMENT_PREFIX_PATH", prefixes.clone()),
            ("CMAKE_PREFIX_PATH", prefixes),
            ("LD_LIBRARY_PATH", join(libraries, rest("LD_LIBRARY_PATH"))),
            ("LIBCLANG_PATH", text(&site.join("clang/native"))?),
            ("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{gcc_include}")),
            ("PATH", join(vec![format!("{venv}/bin")], rest("PATH"))),
            ("PYTHONPATH", join(vec![format!("{overlay}/{packages}")], rest("PYTHONPATH"))),
            // Stops a .pth file of the wheels that restarts python to set LD_LIBRARY_PATH, which is set here.
            ("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1".to_owned()),
        ]))
    }

    /// Sets them for `command`.
    pub fn apply(&self, command: &mut Command) {
        command.envs(self.0.iter().map(|(name, value)| (name, value)));
    }

    /// The lines that set them in a POSIX shell.
    pub fn exports(&self) -> String {
        self.0.iter().map(|(name, value)| format!("export {name}={}\n", quoted(value))).collect()
    }
}

/// What a shell evaluates to find the executables of this checkout, however often it does.
pub fn executables_on_path() -> Result<String> {
    let folder = quoted(&text(&target_dir()?.join("release"))?);
    Ok(format!("case \":$PATH:\" in *:{folder}:*) ;; *) export PATH={folder}:\"$PATH\" ;; esac\n"))
}

/// Folders in which the wheels bring third-party libraries, sorted so that the text is always the same.
fn bundled_libraries(site: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(site).with_context(|| format!("cannot list {}", site.display()))?;
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("ros_") && name.ends_with(".libs") {
            folders.push(text(&path)?);
        }
    }
    folders.sort();
    Ok(folders)
}

/// Entries of a PATH-like value that are the user's own: not ours from an earlier `eval`, not those that cargo and
/// rustup add for the programs they run.
fn kept(value: &str, ours: &Path) -> Vec<String> {
    let target = target_dir().unwrap_or_else(|_| PathBuf::from("/nonexistent"));
    let is_kept = |entry: &str| {
        let path = Path::new(entry);
        !entry.is_empty() && !path.starts_with(ours) && !path.starts_with(&target) && !is_rust_library(entry)
    };
    let mut kept: Vec<String> = Vec::new();
    for entry in value.split(':').filter(|entry| is_kept(entry)) {
        if !kept.iter().any(|known| known == entry) {
            kept.push(entry.to_owned());
        }
    }
    kept
}

fn is_rust_library(entry: &str) -> bool {
    (entry.contains("/toolchains/") || entry.contains("/rustlib/")) && entry.trim_end_matches('/').ends_with("/lib")
}

fn join(mut first: Vec<String>, rest: Vec<String>) -> String {
    first.extend(rest);
    first.join(":")
}

fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).with_context(|| format!("{} is not valid UTF-8", path.display()))
}

/// `value` as one word for a POSIX shell.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_value_holds_quotes_expect_one_shell_word() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        let variables = Variables(vec![("A", "x'y".into()), ("B", String::new())]);
        assert_eq!(variables.exports(), "export A='x'\\''y'\nexport B=''\n");
    }

    #[test]
    fn when_the_environment_was_evaluated_before_expect_no_entry_twice() {
        let value = "/w/.ros/venv/bin:/usr/bin:/w/.ros/overlay/bin:/bin:/usr/bin::/w/.rosy/bin";
        assert_eq!(kept(value, Path::new("/w/.ros")), ["/usr/bin", "/bin", "/w/.rosy/bin"]);
    }

    #[test]
    fn when_cargo_added_its_library_folders_expect_them_left_out() {
        let value = "/h/.rustup/toolchains/stable/lib:/h/.rustup/toolchains/s/lib/rustlib/x86_64/lib:/opt/user/lib";
        assert_eq!(kept(value, Path::new("/w/.ros")), ["/opt/user/lib"]);
    }
}
