//! What the robot stands on, as parameters say it: terrain by name, or a picture of heights.

use crate::params::NAME;
use hexapod_config::ConfigError;
use hexapod_config::ros_params::{ParamValue, Params, hint_for};
use hexapod_setup::params::{number, text, wrong};
use hexapod_sim::{HeightMap, TERRAINS, Terrain};
use std::path::Path;

/// Height of a picture's white where nobody says, m.
const USUAL_WHITE_M: f64 = 0.05;
const GIVE_A_PATH: &str =
    "give the path of a PNG: from the folder of the file that names it, or on the command line from the present one";
/// Files up to this size are read, bytes: as many as the largest picture has that is read.
const MOST_BYTES: u64 = 32 << 20;

/// Whether terrain is a picture's file, and no name.
#[must_use]
pub fn is_picture(terrain: &str) -> bool {
    Path::new(terrain).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}

/// Why a parameter changes nothing of a terrain, and what to do about it; none where it counts, or there is no such terrain.
#[must_use]
pub fn idle_on(terrain: &str, parameter: &str) -> Option<(String, String)> {
    if is_picture(terrain) || !TERRAINS.contains(&terrain) {
        return None;
    }
    match parameter {
        "terrain_size" if terrain == "flat" => Some((
            "terrain flat has no size".into(),
            "leave it out, or give a terrain that has one, as in --terrain steps".into(),
        )),
        "terrain_cell" => Some((
            format!("terrain {terrain} is no picture of heights, and it is the distance of a picture's points"),
            "leave it out, or give a PNG of heights, as in --terrain hills.png".into(),
        )),
        _ => None,
    }
}

/// The seed of stones and noise.
pub(crate) fn seed(params: &Params) -> u64 {
    let seed = params.get("seed").and_then(ParamValue::as_i64);
    seed.and_then(|seed| u64::try_from(seed).ok()).unwrap_or_default()
}

/// The terrain that `terrain`, `terrain_size` and `terrain_cell` ask for.
pub(crate) fn terrain(params: &Params) -> Result<Terrain, ConfigError> {
    let (name, size) = (text(params, "terrain"), Some(number(params, "terrain_size")).filter(|&size| size != 0.0));
    let refused = |reason: String, help: &str| wrong(NAME, params, "terrain", reason, help);
    if !["ramp", "steps"].contains(&&*name) && size.is_some_and(|size| size < 0.0) {
        let reason = format!("{name} has no size below 0: only a ramp and steps lead down");
        return Err(wrong(NAME, params, "terrain_size", reason, "give a size above 0, or 0 for the usual one"));
    }
    if is_picture(&name) {
        let bytes = bytes(Path::new(&name)).map_err(|why| refused(format!("{name}: {why}"), GIVE_A_PATH))?;
        let map = HeightMap::from_png(&bytes, number(params, "terrain_cell"), size.unwrap_or(USUAL_WHITE_M));
        return map.map(Terrain::Heights).map_err(|error| refused(format!("{name}: {error}"), "give another PNG"));
    }
    Terrain::named(&name, size, seed(params))
        .ok_or_else(|| refused(format!("{name:?} is neither a terrain nor a .png"), &hint_for(&name, &TERRAINS)))
}

/// A file's bytes; of no pipe or device, which may never end.
fn bytes(file: &Path) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("is no file".into());
    }
    if about.len() > MOST_BYTES {
        return Err(format!("{} MB, of at most {}", about.len() >> 20, MOST_BYTES >> 20));
    }
    std::fs::read(file).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &str) -> Result<Terrain, ConfigError> {
        let mut params: Params = crate::specs().into_iter().map(|spec| (spec.name, spec.default)).collect();
        params.insert("terrain", name.into());
        terrain(&params)
    }

    /// A PNG of two by two points, black but for a white one at the lower left.
    const PICTURE: &[u8] =
        b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x02\x08\x00\x00\x00\x00W\xdd\
        R\xf8\x00\x00\x00\x0eIDATx\x9cc```\xf8\xcf\x00\x00\x02\x04\x01\x00\xf8\x95\x88\x1b\x00\x00\x00\x00IE\
        ND\xaeB`\x82";

    /// A file for `look`, with a name of this process and the test.
    fn with_file(name: &str, bytes: &[u8], look: impl FnOnce(&str)) {
        let file = std::env::temp_dir().join(format!("{}_{name}.png", std::process::id()));
        std::fs::write(&file, bytes).unwrap_or_else(|error| panic!("{error}"));
        look(&file.display().to_string());
        std::fs::remove_file(&file).unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn when_terrain_is_a_picture_expect_its_white_5_cm_high_and_its_points_2_cm_apart() {
        with_file("hills", PICTURE, |file| {
            let Ok(Terrain::Heights(map)) = asked(file) else { panic!() };
            assert_eq!((map.at(0, 0), map.at(1, 0), map.extent()), (0.05, 0.0, [0.02, 0.02]));
        });
    }

    #[test]
    fn when_a_terrain_is_the_same_whatever_a_parameter_is_expect_that_reported_and_else_nothing() {
        let with = |file: &str, name: &'static str, value: f64| {
            let mut params: Params = crate::specs().into_iter().map(|spec| (spec.name, spec.default)).collect();
            params.extend([("terrain", file.into()), (name, value.into())]);
            terrain(&params).ok()
        };
        with_file("named", PICTURE, |file| {
            for terrain in TERRAINS.into_iter().chain([file]) {
                for name in ["terrain_size", "terrain_cell"] {
                    let idle = with(terrain, name, 0.1) == with(terrain, name, 0.2);
                    assert_eq!(idle_on(terrain, name).is_some(), idle, "{name} on {terrain}");
                }
                assert_eq!(idle_on(terrain, "seed"), None, "when boards begin their frames is by chance on any ground");
            }
        });
        assert_eq!(idle_on("ruble", "terrain_cell"), None, "that is said of the terrain");
    }

    #[test]
    fn when_terrain_is_none_expect_what_is_wrong_and_what_would_be_right() {
        let reported =
            |name: &str| asked(name).err().map(|error| format!("{error}\n{}", error.drawn())).unwrap_or_default();
        assert!(reported("ruble").contains("did you mean `rubble`?"), "{}", reported("ruble"));
        assert!(reported("/nowhere/hills.png").contains("No such file"), "{}", reported("/nowhere/hills.png"));
        with_file("text", b"no picture", |file| assert!(reported(file).contains("not a PNG"), "{}", reported(file)));
        assert!(reported("/dev/null/x.png").contains("Not a directory"), "{}", reported("/dev/null/x.png"));
    }
}
