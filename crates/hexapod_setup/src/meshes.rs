//! Where the meshes are that a URDF names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Largest mesh that is read, bytes.
const MAX_BYTES: u64 = 64 << 20;

/// How many folders above the URDF are looked into for packages that are called otherwise than their folders.
const FOLDERS_ABOVE: usize = 4;
/// Largest `package.xml` that is read, bytes.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The bytes of a mesh by its address in the URDF: `file://`, a path beside the URDF, or `package://` in a folder of
/// that name, or with a `package.xml` of that name, above the URDF, in `AMENT_PREFIX_PATH` or in `ROS_PACKAGE_PATH`. `None`
/// where it is not to be found.
pub(crate) fn read(address: &str, urdf: &Path) -> Option<Vec<u8>> {
    let plain = candidates(address, urdf).into_iter().find(|file| file.is_file());
    let file = plain.or_else(|| in_package_called_so(address, urdf)).or_else(|| without_package(address, urdf))?;
    let small = std::fs::metadata(&file).is_ok_and(|data| data.len() <= MAX_BYTES);
    if small { std::fs::read(file).ok() } else { None }
}

/// What follows `package:` in an address, however many slashes, and `file://` before it, there are.
fn in_package(address: &str) -> Option<&str> {
    let address = address.strip_prefix("file://").unwrap_or(address);
    address.strip_prefix("package:").map(|rest| rest.trim_start_matches('/'))
}

fn absolute(urdf: &Path) -> PathBuf {
    urdf.canonicalize().unwrap_or_else(|_| urdf.to_path_buf())
}

fn candidates(address: &str, urdf: &Path) -> Vec<PathBuf> {
    let folder = urdf.parent().unwrap_or(Path::new("."));
    let Some((package, rest)) = in_package(address).and_then(|path| path.split_once('/')) else {
        let path = in_package(address).or_else(|| address.strip_prefix("file://")).unwrap_or(address);
        return vec![folder.join(path)];
    };
    let absolute = absolute(urdf);
    let above = absolute.ancestors().skip(1).flat_map(|folder| {
        let own = (folder.file_name() == Some(OsStr::new(package))).then(|| folder.join(rest));
        own.into_iter().chain([folder.join(package).join(rest)])
    });
    let listed = |variable: &str, below: &str| -> Vec<PathBuf> {
        let paths = std::env::var_os(variable).unwrap_or_default();
        std::env::split_paths(&paths).map(|path| path.join(below).join(package).join(rest)).collect()
    };
    above.chain(listed("AMENT_PREFIX_PATH", "share")).chain(listed("ROS_PACKAGE_PATH", "")).collect()
}

/// The file in a folder above the URDF, or beside one, whose `package.xml` has the package's name.
fn in_package_called_so(address: &str, urdf: &Path) -> Option<PathBuf> {
    let (package, rest) = in_package(address)?.split_once('/')?;
    let absolute = absolute(urdf);
    absolute.ancestors().skip(1).take(FOLDERS_ABOVE).find_map(|folder| {
        let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let packages = std::iter::once(folder.to_path_buf()).chain(beside);
        packages.filter(|folder| is_called(folder, package)).map(|folder| folder.join(rest)).find(|file| file.is_file())
    })
}

/// Whether the `package.xml` of a folder has this name.
fn is_called(folder: &Path, package: &str) -> bool {
    let file = folder.join("package.xml");
    let small = std::fs::metadata(&file).is_ok_and(|data| data.is_file() && data.len() <= MAX_MANIFEST_BYTES);
    let text = if small { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    let name = text.split_once("<name>").and_then(|(_, rest)| rest.split_once("</name>")).map(|(name, _)| name.trim());
    name == Some(package)
}

/// The file of a package that is nowhere, or of none, in the folders above the URDF: a description is often copied without
/// its package.
fn without_package(address: &str, urdf: &Path) -> Option<PathBuf> {
    let path = in_package(address)?;
    let rest = path.split_once('/').map_or(path, |(_, rest)| rest);
    let absolute = absolute(urdf);
    let folders = absolute.ancestors().skip(1).take(FOLDERS_ABOVE);
    folders.flat_map(|folder| [folder.join(rest), folder.join("meshes").join(rest)]).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_an_address_names_a_package_expect_it_looked_for_above_the_urdf() {
        let found =
            candidates("package://bot_description/meshes/a.stl", Path::new("/ws/bot_description/urdf/bot.urdf"));
        assert!(found.contains(&PathBuf::from("/ws/bot_description/meshes/a.stl")), "{found:?}");
    }

    #[test]
    fn when_an_address_is_a_path_expect_it_beside_the_urdf() {
        let urdf = Path::new("/ws/bot.urdf");
        assert_eq!(candidates("meshes/a.stl", urdf), [PathBuf::from("/ws/meshes/a.stl")]);
        assert_eq!(candidates("file:///m/a.stl", urdf), [PathBuf::from("/m/a.stl")]);
        assert_eq!(read("meshes/a.stl", urdf), None);
    }

    #[test]
    fn when_a_package_is_called_otherwise_than_its_folder_or_there_is_none_expect_its_file() {
        let root = std::env::temp_dir().join(format!("hexapod_setup_meshes_{}", std::process::id()));
        let package = root.join("src").join("downloaded-main");
        for folder in ["urdf", "meshes"] {
            std::fs::create_dir_all(package.join(folder)).unwrap();
        }
        std::fs::write(package.join("package.xml"), "<package><name> bot_description </name></package>").unwrap();
        std::fs::write(package.join("meshes/a.stl"), "solid").unwrap();
        let urdf = package.join("urdf/bot.urdf");
        let found = |address: &str| read(address, &urdf).is_some();
        for address in [
            "package://bot_description/meshes/a.stl",
            "file://package:bot_description/meshes/a.stl",
            "file://package://bot_description/meshes/a.stl",
            "package://a.stl",
            "package://elsewhere/meshes/a.stl",
        ] {
            assert!(found(address), "{address}");
        }
        assert!(!found("package://b.stl") && !found("a.stl"));
        std::fs::remove_dir_all(root).unwrap();
    }
}
