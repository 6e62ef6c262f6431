//! Where the meshes are that a URDF names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Largest mesh that is read, bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The bytes of a mesh by its address in the URDF: `file://`, a path beside the URDF, or `package://` in a folder of
/// that name above the URDF, in `AMENT_PREFIX_PATH` or in `ROS_PACKAGE_PATH`. `None` where it is not to be found.
pub(crate) fn read(address: &str, urdf: &Path) -> Option<Vec<u8>> {
    let file = candidates(address, urdf).into_iter().find(|file| file.is_file())?;
    let small = std::fs::metadata(&file).is_ok_and(|data| data.len() <= MAX_BYTES);
    if small { std::fs::read(file).ok() } else { None }
}

fn candidates(address: &str, urdf: &Path) -> Vec<PathBuf> {
    let folder = urdf.parent().unwrap_or(Path::new("."));
    if let Some(path) = address.strip_prefix("file://") {
        return vec![PathBuf::from(path)];
    }
    let Some((package, rest)) = address.strip_prefix("package://").and_then(|path| path.split_once('/')) else {
        return vec![folder.join(address)];
    };
    let absolute = urdf.canonicalize().unwrap_or_else(|_| urdf.to_path_buf());
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
}
