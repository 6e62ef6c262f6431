//! What the Debian package is made of: every file that Cargo.toml names is there, and its scripts can be run.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

#[test]
fn when_the_package_is_described_expect_its_files_and_every_shipped_folder_whole() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let deb = &packages.iter().find(|package| package["name"] == "hexapod").unwrap()["metadata"]["deb"];
    let sources: Vec<&str> = deb["assets"].as_array().unwrap().iter().map(|asset| asset[0].as_str().unwrap()).collect();
    for source in sources.iter().filter(|source| !source.starts_with("target/")) {
        assert!(root().join(source.trim_end_matches("/*")).exists(), "{source}");
    }
    for folder in ["config", "foxglove", "launch", "rviz", "urdf"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        assert!(
            entries.flatten().all(|entry| entry.path().is_file() || entry.file_name() == "__pycache__"),
            "{folder}"
        );
        assert!(sources.contains(&format!("{folder}/*").as_str()), "{folder}");
    }
}

#[test]
fn when_scripts_of_the_package_are_read_expect_no_fault_and_no_service_started() {
    for name in ["postinst", "prerm", "postrm"] {
        let script = root().join("deploy/package").join(name);
        assert!(Command::new("sh").arg("-n").arg(&script).status().unwrap().success(), "{name}");
        let text = std::fs::read_to_string(script).unwrap();
        assert!(!text.contains("systemctl start") && !text.contains("systemctl enable"), "{name}");
    }
    let looked = Command::new("bash").arg(root().join("deploy/install.sh")).arg("--check-only").output().unwrap();
    assert!(String::from_utf8_lossy(&looked.stdout).lines().count() >= 3, "{looked:?}");
}

#[test]
fn when_the_installer_is_called_wrongly_or_beside_another_ros_expect_what_is_wrong() {
    let run = |arguments: &[&str], distribution: &str| {
        let mut command = Command::new("bash");
        command.arg(root().join("deploy/install.sh")).args(arguments).env("ROS_DISTRO", distribution);
        let ended = command.output().unwrap();
        let reported = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (ended.status.code(), reported)
    };
    for (argument, words) in [
        (&[][..], "no package given"),
        (&["--check"], "--check: there is no such option"),
        (&["none.deb"], "none.deb: there is no such file"),
        (&["/etc/os-release"], "is not a package"),
    ] {
        let (status, reported) = run(argument, "jazzy");
        assert!(status == Some(2) && reported.contains(words), "{argument:?}: {reported}");
    }
    let (status, reported) = run(&["--check-only"], "humble");
    assert!(status == Some(1) && reported.contains("problem  ROS 2 humble is sourced"), "{reported}");
}
