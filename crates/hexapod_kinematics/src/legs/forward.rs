//! Whether the names of the legs agree with where they are: x is forward and y left (REP-103), whatever they are called.

use nalgebra::Vector2;

use crate::leg::Leg;

/// A direction farther than this from the axis it should have is another one, as the cosine: 60 degrees.
const AGREES: f64 = 0.5;
/// Legs whose middles are nearer to each other than this part of a leg's length say nothing.
const APART: f64 = 0.1;

/// What to tell where legs called front are not in front, or legs called left not on the left.
pub(super) fn contradiction(legs: &[Leg]) -> Option<String> {
    let Named { forward, left } = Named::of(legs);
    let by_side = left.map(turned_right);
    if forward.or(by_side)?.x < AGREES {
        let axis = nearest_axis(forward.or(by_side)?);
        let called = if forward.is_some() {
            "called front are not ahead of those called rear"
        } else {
            "called left are not on the left"
        };
        return Some(format!(
            "the legs {called}: the robot walks towards x of its base link, as REP-103 has it; write `forward: {axis}` \
             in robot.yaml if its front is there"
        ));
    }
    let mirrored = left.is_some_and(|left| left.y < -AGREES);
    mirrored.then(|| {
        "the legs called left are on the right, where y of the base link is below zero: sides are recognised by where the legs \
         are, not by their names"
            .to_owned()
    })
}

/// Where the names of the legs have the front, as a direction in the base link's frame.
pub(super) fn named(legs: &[Leg]) -> Option<Vector2<f64>> {
    let Named { forward, left } = Named::of(legs);
    forward.or(left.map(turned_right))
}

/// The directions that the names of the legs have.
struct Named {
    forward: Option<Vector2<f64>>,
    left: Option<Vector2<f64>>,
}

impl Named {
    fn of(legs: &[Leg]) -> Self {
        let words: Vec<Words> = legs.iter().map(Words::of).collect();
        let least = APART * legs.iter().map(Leg::length).fold(f64::INFINITY, f64::min);
        let direction = |to: fn(&Words) -> bool, from: fn(&Words) -> bool| {
            let away = middle(legs, &words, to)? - middle(legs, &words, from)?;
            away.try_normalize(least)
        };
        let forward = direction(|words| words.front, |words| words.rear);
        Self { forward, left: direction(|words| words.left, |words| words.right) }
    }
}

fn turned_right(way: Vector2<f64>) -> Vector2<f64> {
    Vector2::new(way.y, -way.x)
}

fn nearest_axis(direction: Vector2<f64>) -> &'static str {
    match (direction.x.abs() > direction.y.abs(), direction.x > 0.0, direction.y > 0.0) {
        (true, true, _) => "x",
        (true, false, _) => "-x",
        (false, _, true) => "y",
        (false, _, false) => "-y",
    }
}

/// The middle of the hips of the legs so called.
fn middle(legs: &[Leg], words: &[Words], called: fn(&Words) -> bool) -> Option<Vector2<f64>> {
    let hips = legs.iter().zip(words).filter(|(_, words)| called(words)).map(|(leg, _)| leg.hip_in_body().xy());
    let (count, sum) = hips.fold((0.0, Vector2::zeros()), |(count, sum), hip| (count + 1.0, sum + hip));
    (count > 0.0).then(|| sum / count)
}

/// What the name of a leg says of its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Words {
    front: bool,
    rear: bool,
    left: bool,
    right: bool,
}

impl Words {
    fn of(leg: &Leg) -> Self {
        let words = Self::in_name(leg.name());
        if words == Self::default() {
            Self::in_name(leg.joints().first().map_or("", |joint| joint.name()))
        } else {
            words
        }
    }

    fn in_name(name: &str) -> Self {
        let name = name.to_lowercase();
        let any = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let mut words = Self {
            front: any(&["front", "fore"]),
            rear: any(&["rear", "hind", "back"]),
            left: any(&["left"]),
            right: any(&["right"]),
        };
        if words == Self::default() {
            name.split(|c: char| !c.is_ascii_alphabetic()).for_each(|word| words.add_letters(word));
        }
        words
    }

    /// Pairs such as `lf`, `fr`, `rh` and `bl`.
    fn add_letters(&mut self, word: &str) {
        match word {
            "lf" | "fl" => (self.front, self.left) = (true, true),
            "rf" | "fr" => (self.front, self.right) = (true, true),
            "lr" | "rl" | "lh" | "hl" | "lb" | "bl" => (self.rear, self.left) = (true, true),
            "rr" | "rh" | "hr" | "rb" | "br" => (self.rear, self.right) = (true, true),
            "lm" | "ml" => self.left = true,
            "rm" | "mr" => self.right = true,
            _ => {}
        }
    }
}
