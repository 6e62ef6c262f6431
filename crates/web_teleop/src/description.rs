//! What clients fetch: the robot's description, its meshes' names, the newest picture.

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hexapod_config::fnv1a;
use hexapod_ros::bounds::excerpt;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Largest description that is served, bytes.
const MOST_DESCRIPTION: usize = 4 << 20;
/// Largest picture that is served, bytes.
const MOST_PICTURE: usize = 4 << 20;
/// A picture that is older is none.
const PICTURE_AGE: Duration = Duration::from_secs(2);

/// The robot's description.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The URDF.
    pub text: Bytes,
    /// The same, compressed with gzip.
    pub packed: Bytes,
    /// Differs between descriptions.
    pub tag: String,
    /// The robot's name.
    pub robot: String,
    /// Texts of the `filename` attributes of its meshes.
    pub meshes: Arc<BTreeSet<String>>,
}

/// A picture of the camera.
#[derive(Clone, Debug)]
pub struct Picture {
    /// As the camera's node packed it.
    pub data: Bytes,
    /// Its media type.
    pub kind: &'static str,
    /// When it came, on the monotonic clock.
    pub at: Duration,
}

/// What clients fetch. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct SharedDescription(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    description: Option<Description>,
    picture: Option<Picture>,
}

impl SharedDescription {
    /// Takes the robot's description; the one that is there already is not looked at again.
    pub fn take_description(&self, text: &str) {
        let is_known = self.lock().description.as_ref().is_some_and(|known| known.text == text.as_bytes());
        if is_known || text.len() > MOST_DESCRIPTION {
            return;
        }
        let tag = format!("\"{:016x}\"", fnv1a(text.as_bytes()));
        let (robot, meshes) = look_into(text);
        let (packed, text, meshes) = (packed(text), Bytes::copy_from_slice(text.as_bytes()), Arc::new(meshes));
        self.lock().description = Some(Description { text, packed, tag, robot, meshes });
    }

    /// Takes a picture, if a browser can show it.
    pub fn take_picture(&self, data: &[u8], at: Duration) {
        let kind = match data {
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            _ => return,
        };
        if data.len() <= MOST_PICTURE {
            self.lock().picture = Some(Picture { data: Bytes::copy_from_slice(data), kind, at });
        }
    }

    /// The description, if one was heard.
    #[must_use]
    pub fn description(&self) -> Option<Description> {
        self.lock().description.clone()
    }

    /// The tag of the description.
    #[must_use]
    pub fn tag(&self) -> Option<String> {
        self.lock().description.as_ref().map(|description| description.tag.clone())
    }

    /// The newest picture, unless it is old at `now`.
    #[must_use]
    pub fn picture(&self, now: Duration) -> Option<Picture> {
        let mut kept = self.lock();
        if kept.picture.as_ref().is_some_and(|picture| now.saturating_sub(picture.at) > PICTURE_AGE) {
            kept.picture = None;
        }
        kept.picture.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compressed once, for all who fetch it.
fn packed(text: &str) -> Bytes {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default().into()
}

/// The robot's name and the meshes that a description names; nothing where it is not XML.
fn look_into(text: &str) -> (String, BTreeSet<String>) {
    let Ok(document) = roxmltree::Document::parse(text) else { return Default::default() };
    let robot = document.root_element().attribute("name").map(|name| excerpt(name).into_owned());
    let meshes = document.descendants().filter(|node| node.has_tag_name("mesh"));
    (robot.unwrap_or_default(), meshes.filter_map(|mesh| mesh.attribute("filename").map(String::from)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    #[test]
    fn when_a_description_is_heard_expect_its_meshes_by_name_and_another_tag_for_another_one() {
        let shared_description = SharedDescription::default();
        assert!(shared_description.description().is_none() && shared_description.tag().is_none());
        shared_description.take_description(
            r#"<robot><link><visual><geometry><mesh filename="package://a/b.stl"/></geometry></visual></link></robot>"#,
        );
        let first = shared_description.description().unwrap();
        assert_eq!(first.meshes.iter().collect::<Vec<_>>(), ["package://a/b.stl"]);
        shared_description.take_description("not XML");
        assert!(shared_description.description().unwrap().meshes.is_empty());
        assert_ne!(shared_description.tag(), Some(first.tag));
        shared_description.take_description(&" ".repeat(MOST_DESCRIPTION + 1));
        assert_eq!(shared_description.description().unwrap().text, "not XML");
    }

    #[test]
    fn when_a_picture_is_old_or_none_expect_none() {
        let (shared_description, s) = (SharedDescription::default(), Duration::from_secs);
        shared_description.take_picture(b"<svg onload='alert(1)'>", s(1));
        assert!(shared_description.picture(s(1)).is_none());
        shared_description.take_picture(&[0xff, 0xd8, 0xff, 0xe0], s(10));
        assert_eq!(shared_description.picture(s(12)).unwrap().kind, "image/jpeg");
        assert!(shared_description.picture(s(13)).is_none() && shared_description.picture(s(12)).is_none());
    }
}
