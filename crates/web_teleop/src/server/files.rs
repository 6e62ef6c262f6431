//! Files that are fetched: meshes that the robot's description names, and the recording.

use axum::body::Body;
use axum::body::Bytes;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

/// Read and sent at once, bytes.
const PIECE: u64 = 64 * 1024;
/// Largest mesh, bytes.
const MOST_MESH: u64 = 64 << 20;
/// What meshes are called.
const MESHES: [&str; 6] = ["stl", "dae", "obj", "ply", "glb", "gltf"];

/// Where packages are installed.
pub(super) fn prefixes() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("AMENT_PREFIX_PATH").unwrap_or_default()).collect()
}

/// The file of a mesh that the description names: of a package, or below the folder of the description. The description
/// comes over the network, so nothing else is opened, whatever it names.
pub(super) fn mesh(uri: &str, folder: &Path, prefixes: &[PathBuf]) -> Option<PathBuf> {
    let is_mesh = MESHES.contains(&uri.rsplit('.').next()?.to_ascii_lowercase().as_str());
    if !is_mesh {
        return None;
    }
    if let Some(rest) = uri.strip_prefix("package://") {
        let inside = inside(Path::new(rest))?;
        return prefixes.iter().map(|prefix| prefix.join("share").join(inside)).find(|path| path.is_file());
    }
    let path = Path::new(uri.strip_prefix("file://").unwrap_or(uri));
    let inside = inside(path.strip_prefix(folder).unwrap_or(path))?;
    Some(folder.join(inside)).filter(|path| !folder.as_os_str().is_empty() && path.is_file())
}

/// A relative path that stays below where it begins.
fn inside(path: &Path) -> Option<&Path> {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)).then_some(path)
}

/// Opens a mesh, unless it is too large.
pub(super) async fn open(path: PathBuf) -> Option<(Arc<File>, u64)> {
    let open = move || -> io::Result<(File, u64)> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok((file, size))
    };
    let (file, size) = spawn_blocking(open).await.ok()?.ok()?;
    (size <= MOST_MESH).then(|| (Arc::new(file), size))
}

/// Sends a file piece by piece: of each only as much is in memory as the client takes. Its place among those that download
/// it keeps until all is sent.
pub(super) fn send(file: Arc<File>, size: u64, kind: &'static str, place: OwnedSemaphorePermit) -> Response {
    let pieces = unfold((0, place), move |(at, place)| {
        let file = Arc::clone(&file);
        async move {
            if at >= size {
                return None;
            }
            let read = spawn_blocking(move || piece(&file, at, size)).await;
            let read = read.unwrap_or_else(|error| Err(io::Error::other(error)));
            let next = read.as_ref().map_or(size, |piece| at + piece.len() as u64);
            Some((read, (next, place)))
        }
    });
    let headers = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_LENGTH, size.to_string())];
    (headers, Body::from_stream(pieces)).into_response()
}

fn piece(file: &File, at: u64, size: u64) -> io::Result<Bytes> {
    let length = usize::try_from(PIECE.min(size - at)).unwrap_or_default();
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_description_names_files_expect_meshes_of_packages_and_beside_it_alone() {
        let root = std::env::temp_dir().join(format!("web_meshes_{}", std::process::id()));
        let (prefix, folder) = (root.join("prefix"), root.join("robot"));
        for place in [prefix.join("share/arm/meshes"), folder.join("meshes")] {
            std::fs::create_dir_all(&place).unwrap();
            for file in ["a.stl", "b.DAE", "secret.txt"] {
                std::fs::write(place.join(file), file).unwrap();
            }
        }
        std::fs::write(root.join("above.stl"), "above").unwrap();
        let find = |uri: &str| mesh(uri, &folder, std::slice::from_ref(&prefix));
        let beside = format!("file://{}", folder.join("meshes/a.stl").display());
        for uri in
            ["package://arm/meshes/a.stl", "package://arm/meshes/b.DAE", "meshes/a.stl", "./meshes/a.stl", &beside]
        {
            assert!(find(uri).is_some_and(|path| path.is_file()), "{uri}");
        }
        let above = format!("file://{}", root.join("above.stl").display());
        for uri in [
            "package://arm/meshes/secret.txt",
            "package://arm/../../robot/meshes/a.stl",
            "package:///etc/a.stl",
            "../above.stl",
            "meshes/../../above.stl",
            "/etc/passwd",
            "file:///etc/passwd",
            "file:///etc/a.stl",
            "http://evil.example/a.stl",
            "meshes/none.stl",
            &above,
            "",
        ] {
            assert_eq!(find(uri), None, "{uri}");
        }
        assert_eq!(mesh("meshes/a.stl", Path::new(""), &[]), None);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
