//! A robot whose left is its right walks as its mirror image does. Poses of the body are left out, as for other base links.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{engine_of, mimicking, urdf};
use hexapod_gait::{Engine, Gait, GaitSpec, Input, Tick, Twist, leg_places};
use nalgebra::Vector3;
use proptest::prelude::*;

/// Joint angles, rad, and places, m, that differ by less are the same.
const SAME: f64 = 1e-9;
const DT: f64 = 0.01;

/// The description of the mirror image: places and turns of frames as in a mirror, axes so that angles stay what they are.
fn mirrored(urdf: &str) -> String {
    let with = |text: &str, attribute: &str, signs: [f64; 3]| {
        let opening = format!("{attribute}=\"");
        let mut parts = text.split(&opening);
        let mut all = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (numbers, rest) = part.split_once('"').unwrap();
            let numbers = numbers.split_whitespace().zip(signs).map(|(n, sign)| sign * n.parse::<f64>().unwrap());
            let numbers: Vec<String> = numbers.map(|n| n.to_string()).collect();
            all += &format!("{opening}{}\"{rest}", numbers.join(" "));
        }
        all
    };
    // An axis is a turn, and goes the other way from what a place does.
    let axes = with(&urdf.replace("<axis xyz", "<axis turn"), "turn", [-1.0, 1.0, -1.0]);
    with(&with(&axes, "xyz", [1.0, -1.0, 1.0]), "rpy", [-1.0, 1.0, -1.0]).replace("<axis turn", "<axis xyz")
}

/// A robot, its mirror image, and of each leg of the one the place among those of the other.
struct Twins {
    one: Engine,
    other: Engine,
    places: Vec<usize>,
}

impl Twins {
    fn of(urdf: &str) -> Self {
        let (one, other) = (engine_of(urdf), engine_of(&mirrored(urdf)));
        let place = |name: &str| other.legs().iter().position(|leg| leg.name() == name).unwrap();
        let places = one.legs().iter().map(|leg| place(leg.name())).collect();
        Self { one, other, places }
    }

    /// Both walk by a gait; in the mirror each leg keeps its moment.
    fn set_gait(&mut self, spec: &GaitSpec) {
        let legs = self.one.legs().iter().map(|leg| leg.name().to_owned());
        let at_once = legs.clone().map(|name| (name, 0.0)).collect();
        let places = leg_places(self.one.robot());
        let (gait, zero) = (
            Gait::try_new(spec, &places).unwrap(),
            Gait::try_new(&GaitSpec { phase_offsets: at_once, stable: false, ..spec.clone() }, &places).unwrap(),
        );
        let offset = |leg: usize| (zero.lift_off_phase(leg) - gait.lift_off_phase(leg)).rem_euclid(1.0);
        let phase_offsets = legs.enumerate().map(|(leg, name)| (name, offset(leg))).collect();
        let spec = GaitSpec { phase_offsets, pattern: None, ..spec.clone() };
        self.one.set_gait(Gait::try_new(&spec, &places).unwrap());
        self.other.set_gait(Gait::try_new(&spec, &leg_places(self.other.robot())).unwrap());
    }

    fn stand(&mut self) {
        self.one.stand();
        self.other.stand();
    }

    fn step(&mut self, twist: Twist, felt: Option<f64>) -> Result<(), TestCaseError> {
        let mut own = Input { twist, ..Input::default() };
        own.contacts = self.one.last().feet.map(|foot| felt.map(|height| foot.z <= height));
        let Twist { vx, vy, wz } = twist;
        let mut image = Input { twist: Twist::new(vx, -vy, -wz), ..own };
        for (leg, &place) in self.places.iter().enumerate() {
            image.contacts[place] = own.contacts[leg];
        }
        let (one, other) = (*self.one.step(&own, DT), *self.other.step(&image, DT));
        self.compare(&one, &other)
    }

    fn compare(&self, one: &Tick, other: &Tick) -> Result<(), TestCaseError> {
        prop_assert_eq!(one.state, other.state);
        let (a, b) = (one.twist, other.twist);
        prop_assert!((a.vx - b.vx).abs() + (a.vy + b.vy).abs() + (a.wz + b.wz).abs() < SAME, "{:?} {:?}", a, b);
        for (leg, &place) in self.places.iter().enumerate() {
            prop_assert_eq!(one.contacts[leg], other.contacts[place]);
            let (foot, image) = (one.feet[leg], other.feet[place]);
            prop_assert!((Vector3::new(foot.x, -foot.y, foot.z) - image).norm() < SAME, "{} {}", foot, image);
            for (a, b) in one.angles[leg].iter().zip(other.angles[place].iter()) {
                prop_assert!((a - b).abs() < SAME, "{} and {} rad of leg {}", a, b, leg);
            }
        }
        Ok(())
    }
}

/// What is asked of both for some hundredths of a second.
#[derive(Clone, Debug)]
struct Act {
    twist: Twist,
    /// Height up to which feet feel the ground, if they do.
    felt: Option<f64>,
    /// Which gait to go on with, maybe.
    gait: Option<usize>,
    ticks: usize,
}

fn act() -> impl Strategy<Value = Act> {
    let twist = (-0.2..0.2f64, -0.2..0.2f64, -0.8..0.8f64).prop_map(|(vx, vy, wz)| Twist::new(vx, vy, wz));
    let felt = prop::option::of(-0.008..0.012f64);
    (twist, felt, prop::option::of(0usize..8), 20usize..150).prop_map(|(twist, felt, gait, ticks)| Act {
        twist,
        felt,
        gait,
        ticks,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn when_a_robot_is_seen_in_a_mirror_expect_its_mirror_image_to_walk_so(
        legs in prop::sample::select(vec![4, 6, 6, 8]), mimics in any::<bool>(), acts in prop::collection::vec(act(), 1..8),
    ) {
        let mut twins = Twins::of(&if mimics { mimicking(legs) } else { urdf(legs) });
        let specs = crate::common::specs(legs);
        twins.set_gait(&specs[0]);
        twins.stand();
        for _ in 0..300 {
            twins.step(Twist::ZERO, None)?;
        }
        for Act { twist, felt, gait, ticks } in &acts {
            if let Some(gait) = gait {
                twins.set_gait(&specs[gait % specs.len()]);
            }
            for _ in 0..*ticks {
                twins.step(*twist, *felt)?;
            }
        }
    }
}
