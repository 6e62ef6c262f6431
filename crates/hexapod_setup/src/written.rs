//! The file of a robot's description, however it is written: URDF, xacro, or a table of Denavit-Hartenberg parameters.

use crate::kind;
use crate::origin::{Origin, Table};
use hexapod_config::{ConfigError, Document, Source};
use hexapod_kinematics::{DhRobot, LegSpec};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Most of what `xacro` says that is reported, in characters.
const MOST_REPORTED: usize = 400;

/// A description as URDF text.
pub(crate) struct Written {
    /// The URDF.
    pub(crate) urdf: String,
    /// The file it came from.
    pub(crate) origin: Origin,
    /// The legs, where the file says which they are.
    pub(crate) legs: Vec<LegSpec>,
}

impl Written {
    /// Reads a file: `.yaml` is a table of Denavit-Hartenberg parameters, and what is `.xacro` or holds its elements is
    /// expanded by the `xacro` of the ROS 2 in use.
    ///
    /// # Errors
    /// The file cannot be read, is no such table, or is not expanded.
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        let is = |kinds: &[&str]| {
            path.extension().is_some_and(|end| kinds.iter().any(|kind| end.eq_ignore_ascii_case(kind)))
        };
        kind::check_file(path)?;
        if is(&["yaml", "yml"]) {
            return from_table(Source::read(path)?);
        }
        let source = Source::read(path)?;
        let source = if is(&["xacro"]) || holds_xacro(&source.text) { expanded("xacro", path)? } else { source };
        Ok(Self::of_urdf(source))
    }

    /// The same of a text, by its name; xacro is not expanded.
    ///
    /// # Errors
    /// It is xacro, or no such table.
    pub(crate) fn of_text(source: Source) -> Result<Self, ConfigError> {
        kind::check_start(&source.name, source.text.as_bytes())?;
        if source.name.ends_with(".yaml") || source.name.ends_with(".yml") {
            return from_table(source);
        }
        if holds_xacro(&source.text) {
            let help = "write a plain URDF with `xacro robot.urdf.xacro > robot.urdf`, and give that";
            return Err(ConfigError::whole_file(&source.name, "this is xacro, which is not expanded here", help));
        }
        Ok(Self::of_urdf(source))
    }

    fn of_urdf(source: Source) -> Self {
        Self { urdf: source.text.clone(), origin: Origin::Urdf(source), legs: vec![] }
    }
}

/// Whether a text has elements of xacro: those in comments, which `xacro` itself leaves in what it writes, are none.
fn holds_xacro(text: &str) -> bool {
    let mut rest = text;
    loop {
        let (elements, comment) = rest.split_once("<!--").unwrap_or((rest, ""));
        if elements.contains("<xacro:") {
            return true;
        }
        let Some((_, after)) = comment.split_once("-->") else { return false };
        rest = after;
    }
}

fn from_table(source: Source) -> Result<Written, ConfigError> {
    let name = source.name.clone();
    let document = Document::parse(source)?;
    kind::check_table(&name, &document)?;
    let robot: DhRobot = document.deserialize()?;
    let table = Table::try_new(document, robot)?;
    let model = table.robot.model().map_err(|error| table.fault(&error))?;
    let legs = table.robot.leg_specs();
    Ok(Written { urdf: model.to_urdf(), origin: Origin::Table(Arc::new(table)), legs })
}

/// What `program` makes of a xacro file.
fn expanded(program: &str, path: &Path) -> Result<Source, ConfigError> {
    let name = path.display().to_string();
    let output = match Command::new(program).arg(path).output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let help = "install it with `sudo apt install ros-$ROS_DISTRO-xacro` and source ROS 2, or give a plain URDF, \
                        written where xacro is installed with `xacro robot.urdf.xacro > robot.urdf`";
            return Err(ConfigError::whole_file(&name, "needs the command `xacro`, which is not found", help));
        }
        Err(error) => {
            return Err(ConfigError::whole_file(
                &name,
                format!("xacro does not start: {error}"),
                "check its installation",
            ));
        }
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said: String = said.trim().chars().take(MOST_REPORTED).collect();
        let help = "correct the file, or source the workspace that has the packages it names";
        return Err(ConfigError::whole_file(&name, format!("xacro does not expand it: {said}"), help));
    }
    Source::from_bytes(format!("{name} (expanded)"), output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    fn file(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("hexapod_written_{}_{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn when_xacro_stands_in_a_comment_expect_a_plain_urdf() {
        let is_plain = |text: &str| Written::of_text(Source::new("a.urdf", text)).is_ok();
        for text in [
            "<robot><!-- <xacro:include filename='legs.xacro'/> --></robot>",
            "<!-- from <xacro:macro> --><robot><!--\n<xacro:leg/>\n--><link name='a'/></robot>",
            "<robot/><!-- <xacro:leg/>",
        ] {
            assert!(is_plain(text), "{text}");
        }
        for text in ["<robot><xacro:leg/></robot>", "<robot><!-- a --><xacro:leg/><!-- <xacro:leg/> --></robot>"] {
            assert!(!is_plain(text), "{text}");
        }
    }

    const TABLE: &str = "name: t\nconvention: standard\nlegs:\n";

    fn leg(name: &str, upper: &str) -> String {
        let joint = |part: &str, upper: &str| {
            format!(
                "      - {{name: {name}_{part}, a: 0.1, alpha: 1.0, lower: -1.0, upper: {upper}, velocity: 5.0, effort: 1.0}}\n"
            )
        };
        format!(
            "  - name: {name}\n    joints:\n{}{}{}",
            joint("coxa", "1.0"),
            joint("femur", upper),
            joint("tibia", "1.0")
        )
    }

    #[test]
    fn when_a_table_of_parameters_is_read_expect_a_urdf_with_its_legs() {
        let legs: String = ["a", "b", "c"].iter().map(|name| leg(name, "1.0")).collect();
        let path = file("table.yaml", &format!("{TABLE}{legs}"));
        let written = Written::read(&path).unwrap();
        assert_eq!(written.legs.iter().map(|leg| leg.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(hexapod_kinematics::Robot::from_urdf(&written.urdf).unwrap().joint_count(), 9);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn when_a_table_does_not_hold_expect_its_line_and_key() {
        let legs: String =
            ["a", "b", "c"].iter().map(|name| leg(name, if *name == "b" { "-2.0" } else { "1.0" })).collect();
        let path = file("bad.yaml", &format!("{TABLE}{legs}"));
        let error = Written::read(&path).err().unwrap();
        assert_eq!((error.line(), error.key()), (Some(12), Some("legs[1].joints[1].lower")), "{error}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn when_xacro_is_missing_or_fails_expect_what_to_do_and_else_what_it_writes() {
        let path = file("r.xacro", "<robot/>");
        let missing = expanded("no-such-xacro", &path).unwrap_err();
        assert!(missing.remedy().contains("apt install") && missing.message().contains("not found"), "{missing}");
        let tool = |name: &str, script: &str| {
            let tool = file(name, script);
            std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
            let result = expanded(tool.to_str().unwrap(), &path);
            std::fs::remove_file(tool).unwrap();
            result
        };
        let failing = tool("fail", "#!/bin/sh\necho no package leg_description >&2; exit 2\n").unwrap_err();
        assert!(failing.message().contains("leg_description"), "{failing}");
        assert_eq!(tool("good", "#!/bin/sh\nexec cat \"$1\"\n").unwrap().text, "<robot/>");
        std::fs::remove_file(path).unwrap();
    }
}
