//! The page of the web teleop: installs what it is built with, builds it when its sources changed, and tests it.
//!
//! A robot also works without: where Node is missing, the server says how to build the page.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::process::{find_program, read, run_logged};
use crate::stamp::{self, Key};
use crate::wasm;

/// The oldest major version of Node that builds the page.
const LEAST_NODE: u32 = 18;
const GET_NODE: &str =
    "install Node 18 or newer with npm (sudo apt-get install -y nodejs npm), then `cargo xtask page`";

/// Where the tests look for a browser (`test/harness.ts`).
const BROWSERS: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/// What the page is made of, besides its packages.
const SOURCES: [&str; 6] = ["src", "static", "public", "build.mjs", "package-lock.json", "../../hexapod_wasm/binding"];

/// How much is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packages {
    /// What the page is built with.
    Build,
    /// And what it is tested with.
    Test,
}

/// `cargo xtask page`: builds the page if it is not built from the sources as they are.
pub fn page(layout: &Layout) -> Result<()> {
    let page = Page::find(layout)?;
    let built = page.build(layout, Packages::Build)?;
    println!("{} {}", page.folder.join("dist").display(), if built { "is built" } else { "is up to date" });
    Ok(())
}

/// The same on the way to something else, which goes on without a page.
pub fn try_build(layout: &Layout) {
    if let Err(error) = Page::find(layout).and_then(|page| page.build(layout, Packages::Build)) {
        eprintln!("the page is not built, the rest goes on: {error:#}");
    }
}

/// The commands that check the page, each with its title. Tests in a browser skip themselves where there is none.
pub fn tests(layout: &Layout) -> Result<Vec<(&'static str, Command)>> {
    let page = Page::find(layout)?;
    page.build(layout, Packages::Test)?;
    if std::env::var_os("CI").is_some() && !BROWSERS.iter().any(|browser| Path::new(browser).exists()) {
        install_browser();
    }
    let parts = [("page, types", "check"), ("page, tests", "test"), ("page, in a browser", "test:browser")];
    Ok(parts.into_iter().map(|(title, script)| (title, page.npm(&["run", "--silent", script]))).collect())
}

/// Installs a browser on a machine of continuous integration, which is Debian's and whose user is root, or does nothing.
/// On a person's machine the tests say what to install.
fn install_browser() {
    let is_root = read(Command::new("id").arg("-u")).is_ok_and(|user| user == "0");
    if !is_root {
        return;
    }
    for args in [&["update"][..], &["install", "-y", "--no-install-recommends", "chromium"]] {
        let _ = read(Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"));
    }
}

struct Page {
    folder: PathBuf,
    npm: PathBuf,
}

impl Page {
    /// The page's folder and the npm to use, or what is missing.
    fn find(layout: &Layout) -> Result<Self> {
        let path = std::env::var("PATH").unwrap_or_default();
        let (Some(node), Some(npm)) = (find(&path, layout, "node"), find(&path, layout, "npm")) else {
            bail!("Node is not installed: {GET_NODE}");
        };
        let version = read(Command::new(node).arg("--version"))?;
        if major(&version).is_none_or(|major| major < LEAST_NODE) {
            bail!("Node {version} is too old: {GET_NODE}");
        }
        Ok(Self { folder: layout.root().join("crates/web_teleop/page"), npm })
    }

    /// Builds the page unless it is; whether there was something to do.
    fn build(&self, layout: &Layout, packages: Packages) -> Result<bool> {
        if let Err(error) = wasm::build(layout) {
            eprintln!("the page is built without its playground: {error:#}");
        }
        self.install(packages)?;
        let key = SOURCES.iter().try_fold(Key::new(), |key, source| with_tree(key, &self.folder.join(source)))?;
        let stamp = self.stamp("built");
        if stamp::matches(&stamp, &key) && self.folder.join("dist/index.html").is_file() {
            return Ok(false);
        }
        self.run(&["run", "--silent", "build"])?;
        stamp::write(&stamp, &key)?;
        Ok(true)
    }

    /// Installs exactly what the lock file names. No package runs a script of its own.
    fn install(&self, packages: Packages) -> Result<()> {
        let key = Key::new().with_file(&self.folder.join("package-lock.json"))?;
        let with_tests = self.stamp("tests");
        let wanted = if packages == Packages::Test { with_tests.clone() } else { self.stamp("packages") };
        if stamp::matches(&wanted, &key) || stamp::matches(&with_tests, &key) {
            return Ok(());
        }
        eprintln!("installing the packages of the page ...");
        let omit: &[_] = if packages == Packages::Test { &[] } else { &["--omit=dev"] };
        let quiet = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        self.run(&[&quiet[..], omit].concat())?;
        stamp::write(&wanted, &key)
    }

    fn run(&self, args: &[&str]) -> Result<()> {
        let nothing = File::open("/dev/null").context("cannot open /dev/null")?;
        run_logged(self.npm(args), &nothing, |_| ())
    }

    fn npm(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.npm);
        command.current_dir(&self.folder).args(args);
        command
    }

    /// Stamps lie with the packages: what is in `dist` is served.
    fn stamp(&self, name: &str) -> PathBuf {
        self.folder.join("node_modules").join(format!(".{name}.stamp"))
    }
}

fn find(path: &str, layout: &Layout, program: &str) -> Option<PathBuf> {
    find_program(program, path, &layout.ros())
}

/// 20 of `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// Adds the names and contents of all files at `path`, which may be absent.
fn with_tree(key: Key, path: &Path) -> Result<Key> {
    if path.is_file() {
        return key.with(path.as_os_str().as_encoded_bytes()).with_file(path);
    }
    let Ok(entries) = fs::read_dir(path) else { return Ok(key) };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    paths.iter().try_fold(key, |key, path| with_tree(key, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_node_tells_its_version_expect_the_major_one() {
        assert_eq!(major("v20.11.1\n"), Some(20));
        assert_eq!(major("nonsense"), None);
    }

    #[test]
    fn when_a_file_is_changed_added_or_renamed_expect_another_key() {
        let folder = std::env::temp_dir().join(format!("xtask_page_{}", std::process::id()));
        fs::create_dir_all(folder.join("deep")).unwrap();
        let key = || with_tree(Key::new(), &folder).unwrap().text();
        let mut keys = vec![key()];
        fs::write(folder.join("deep/a"), "1").unwrap();
        keys.push(key());
        fs::write(folder.join("deep/a"), "2").unwrap();
        keys.push(key());
        fs::rename(folder.join("deep/a"), folder.join("deep/b")).unwrap();
        keys.push(key());
        assert_eq!(keys.last(), Some(&key()));
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 4);
        stamp::remove(&folder).unwrap();
    }
}
