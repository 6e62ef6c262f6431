//! Of all that is written, what counts for one servo.

use super::block::Block;
use super::curve::PulseCurve;
use super::error::ServoConfigError as E;
use super::origins::Origins;
use super::raw::{RawPoint, RawServo};
use super::travel::Travel;

/// What a servo may take its keys from.
pub(super) struct Sources<'a> {
    /// Defaults and the servo's own keys, with their paths, the least specific first.
    pub blocks: Vec<(String, &'a Block)>,
    /// The kind that counts: the layer and the block that name it, its path, and what it says.
    pub kind: Option<(usize, usize, String, &'a Block)>,
    /// The layer from which on the servo's own keys are complete.
    pub complete_from: Option<usize>,
}

/// How much a key counts: its layer, the block it stands in, and whether it stands there itself or in the kind named.
pub(super) type Rank = (usize, usize, bool);

/// A key's value, how much it counts, and where it stands.
pub(super) struct Pick<T> {
    pub value: T,
    pub rank: Rank,
    pub path: String,
}

/// Chooses one servo's keys.
pub(super) struct Chosen<'a> {
    pub joint: &'a str,
    pub sources: Sources<'a>,
    pub origins: &'a mut Origins,
    pub layer: &'a dyn Fn(&str) -> usize,
}

impl Chosen<'_> {
    pub(super) fn servo(mut self) -> Result<RawServo, E> {
        let travel = self.best("travel", |block| block.travel);
        let direction = self.take("direction", |block| block.direction).unwrap_or(1);
        let mounted_at_rad = self.best("mounted_at_rad", |block| block.mounted_at_rad).map_or(0.0, |pick| pick.value);
        let [shortest, longest] = self.limits(travel.as_ref(), direction as f64 * mounted_at_rad);
        let limits_us = (self.keep("min_pulse_us", shortest)?, self.keep("max_pulse_us", longest)?);
        Ok(RawServo {
            board: self.needed("board", |block| block.board)?,
            channel: self.needed("channel", |block| block.channel)?,
            points: self.points(travel, direction, limits_us)?,
            direction,
            trim_rad: self.take("trim_rad", |block| block.trim_rad).unwrap_or_default(),
            min_pulse_us: limits_us.0,
            max_pulse_us: limits_us.1,
            neutral_us: self.take("neutral_us", |block| block.neutral_us),
            speed_limit_rad_s: self.needed("speed_limit_rad_s", |block| block.speed_limit_rad_s)?,
            group: self.take("group", |block| block.group.clone()),
        })
    }

    /// The pulse limits that are given, or those of the travel, whichever counts more; none beyond the travel, unless points
    /// were measured. A travel of another scale that counts over points turns the servo no farther than these did with the limits
    /// beside them.
    fn limits(&self, travel: Option<&Pick<Travel>>, middle_rad: f64) -> [Option<(f64, String)>; 2] {
        let own = [self.best("min_pulse_us", |b| b.min_pulse_us), self.best("max_pulse_us", |b| b.max_pulse_us)];
        let Some(travel) = travel else { return own.map(|own| own.map(|own| (own.value, own.path))) };
        let points = self.best("points", |block| block.points.clone());
        let points = points.and_then(|points| Some((points.rank, PulseCurve::try_new(&points.value)?)));
        let rescaled = |own: &Pick<f64>| {
            let (_, curve) = points.as_ref().filter(|(rank, _)| *rank == own.rank)?;
            Some((travel.value.pulse_us(curve.angle_rad(own.value), middle_rad)?, own.path.clone()))
        };
        let is_outranked =
            |own: &Option<Pick<f64>>| own.as_ref().filter(|own| own.rank < travel.rank).and_then(rescaled);
        let mut rescaled = [is_outranked(&own[0]), is_outranked(&own[1])];
        if points.as_ref().is_some_and(|(_, curve)| curve.falls()) {
            rescaled.reverse();
        }
        let Travel { from_us, to_us, .. } = travel.value;
        let is_measured = points.as_ref().is_some_and(|(rank, _)| *rank >= travel.rank);
        let is_beyond = |own: &Pick<f64>| !is_measured && !(from_us..=to_us).contains(&own.value);
        let mut all = own.into_iter().zip(rescaled).zip([from_us, to_us]).map(|((own, rescaled), end)| {
            let own = own.filter(|own| own.rank >= travel.rank && !is_beyond(own)).map(|own| (own.value, own.path));
            own.or(rescaled).or_else(|| Some((end, travel.path.clone())))
        });
        [all.next().flatten(), all.next().flatten()]
    }

    /// The points that are given, or those of the travel, whichever counts more.
    fn points(
        &mut self,
        travel: Option<Pick<Travel>>,
        direction: i64,
        limits_us: (f64, f64),
    ) -> Result<Vec<RawPoint>, E> {
        let points = self.best("points", |block| block.points.clone());
        let found = match (points, travel) {
            (Some(points), Some(travel)) if points.rank == travel.rank => {
                return Err(E::TwoCurves { path: travel.path });
            }
            (Some(points), Some(travel)) if points.rank < travel.rank => Err(travel),
            (Some(points), _) => Ok(points),
            (None, Some(travel)) => Err(travel),
            (None, None) => return self.keep("points", None),
        };
        match found {
            Ok(points) => self.keep("points", Some((points.value, points.path))),
            Err(Pick { value, path, .. }) => {
                let mounted_at_rad = self.take("mounted_at_rad", |block| block.mounted_at_rad).unwrap_or_default();
                let points = value.points(direction as f64 * mounted_at_rad, limits_us);
                let points = points.ok_or_else(|| E::BadTravel { path: path.clone() })?;
                self.keep("points", Some((points, path)))
            }
        }
    }

    fn take<T>(&mut self, key: &str, get: impl Fn(&Block) -> Option<T>) -> Option<T> {
        let pick = self.best(key, get)?;
        self.keep(key, Some((pick.value, pick.path))).ok()
    }

    fn needed<T>(&mut self, key: &str, get: impl Fn(&Block) -> Option<T>) -> Result<T, E> {
        let pick = self.best(key, get);
        self.keep(key, pick.map(|pick| (pick.value, pick.path)))
    }

    /// Notes where a value stands.
    fn keep<T>(&mut self, key: &str, found: Option<(T, String)>) -> Result<T, E> {
        let path = format!("servos.{}.{key}", self.joint);
        let (value, origin) = found.ok_or_else(|| E::MissingKey { path: path.clone() })?;
        self.origins.0.insert(path, origin);
        Ok(value)
    }

    /// The value that counts most.
    pub(super) fn best<T>(&self, key: &str, get: impl Fn(&Block) -> Option<T>) -> Option<Pick<T>> {
        let Sources { blocks, kind, complete_from } = &self.sources;
        let own = blocks.len() - 1;
        let pick = |rank: Rank, path: String, block: &Block| Some(Pick { value: get(block)?, rank, path });
        let blocks = blocks.iter().enumerate().filter_map(|(at, (path, block))| {
            let path = format!("{path}.{key}");
            pick(((self.layer)(&path), at, true), path, block)
        });
        let kind = kind.as_ref().and_then(|(layer, at, path, block)| {
            let path = format!("{path}.{key}");
            pick(((*layer).max((self.layer)(&path)), *at, false), path, block)
        });
        let counts = |pick: &Pick<T>| match (complete_from, pick.rank) {
            (Some(complete), (layer, at, true)) if at == own => layer >= *complete,
            (Some(complete), (layer, ..)) => layer > *complete,
            (None, _) => true,
        };
        blocks.chain(kind).filter(counts).max_by_key(|pick| pick.rank)
    }
}
