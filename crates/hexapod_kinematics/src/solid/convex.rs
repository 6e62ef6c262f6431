//! What links are compared as: capsules and boxes.

use super::capsule::{Bounds, Capsule};
use super::cuboid::Cuboid;
use nalgebra::{Matrix3, Vector3};

/// A capsule or a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Convex {
    Capsule(Capsule),
    Cuboid(Cuboid),
}

impl Convex {
    /// The same, in a frame from which its own has this pose.
    #[inline]
    pub fn placed(&self, turn: &Matrix3<f64>, at: &Vector3<f64>) -> Self {
        match self {
            Self::Capsule(capsule) => {
                Self::Capsule(Capsule { ends: capsule.ends.map(|end| turn * end + at), ..*capsule })
            }
            Self::Cuboid(cuboid) => Self::Cuboid(cuboid.placed(turn, at)),
        }
    }

    /// The same, `times` as large.
    pub fn enlarged(&self, times: f64) -> Self {
        match self {
            Self::Capsule(Capsule { ends, radius }) => {
                Self::Capsule(Capsule { ends: ends.map(|end| end * times), radius: radius * times })
            }
            Self::Cuboid(cuboid) => Self::Cuboid(cuboid.enlarged(times)),
        }
    }

    /// m³.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Capsule(capsule) => capsule.volume(),
            Self::Cuboid(cuboid) => cuboid.volume(),
        }
    }

    /// Whether it is a ball.
    pub fn is_ball(&self) -> bool {
        matches!(self, Self::Capsule(Capsule { ends: [a, b], .. }) if a == b)
    }

    /// This and a ball in one, where it need not be thicker for that.
    pub fn with_ball(&self, ball: &Capsule) -> Option<Self> {
        match self {
            Self::Capsule(capsule) => capsule.with_ball(&ball.ends[0], ball.radius).map(Self::Capsule),
            Self::Cuboid(cuboid) => cuboid.holds(ball).then_some(*self),
        }
    }

    /// How far what its surface is laid about is from the origin at most, m: no point of the surface comes nearer to anything
    /// than that does.
    pub fn farthest(&self) -> f64 {
        match self {
            Self::Capsule(capsule) => capsule.ends.map(|end| end.norm()).into_iter().fold(0.0, f64::max),
            Self::Cuboid(cuboid) => cuboid.farthest(),
        }
    }

    /// The capsule about it.
    pub fn capsule(&self) -> Capsule {
        match self {
            Self::Capsule(capsule) => *capsule,
            Self::Cuboid(cuboid) => cuboid.capsule(),
        }
    }

    /// The box along the axes that holds it.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        match self {
            Self::Capsule(capsule) => capsule.bounds(),
            Self::Cuboid(cuboid) => cuboid.bounds(),
        }
    }

    /// How far it extends along a direction, m.
    pub fn extent(&self, ahead: &Vector3<f64>) -> f64 {
        match self {
            Self::Capsule(Capsule { ends: [a, b], radius }) => ahead.dot(a).max(ahead.dot(b)) + radius,
            Self::Cuboid(cuboid) => cuboid.extent(ahead),
        }
    }

    /// Distance from another, m; below zero where they overlap. What is at least `enough` apart may be reported as anything
    /// from there up to the distance.
    #[inline]
    pub fn distance(&self, other: &Self, enough: f64) -> f64 {
        match (self, other) {
            (Self::Capsule(one), Self::Capsule(other)) => one.distance(other),
            (Self::Capsule(capsule), Self::Cuboid(cuboid)) | (Self::Cuboid(cuboid), Self::Capsule(capsule)) => {
                cuboid.distance_to(capsule)
            }
            (Self::Cuboid(one), Self::Cuboid(other)) => one.distance(other, enough),
        }
    }
}
