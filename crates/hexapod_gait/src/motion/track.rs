//! Numbers that run through keys over time.

use serde::{Deserialize, Serialize};

/// How the way from key to key is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blend {
    /// Cubic, through inner keys without a halt where they lie on the way, never beyond a key (Fritsch and Carlson
    /// 1980): what holds for all keys, as a joint's limits, holds in between.
    #[default]
    Smooth,
    /// Straight, at constant speed.
    Linear,
}

/// Rows of numbers at rising times, and what lies between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    times: Vec<f64>,
    width: usize,
    values: Vec<f64>,
    slopes: Vec<f64>,
    blend: Blend,
}

impl Track {
    /// A track through `rows` at `times`, which rise. A closed one runs on from its last row, which is its first again,
    /// as it leaves the first; an open one starts and ends at rest.
    pub(crate) fn new(times: Vec<f64>, rows: &[Vec<f64>], blend: Blend, closed: bool) -> Self {
        let width = rows.first().map_or(0, Vec::len);
        let values: Vec<f64> = rows.iter().flatten().copied().collect();
        let mut track = Self { slopes: vec![0.0; values.len()], times, width, values, blend };
        if blend == Blend::Smooth {
            for column in 0..width {
                track.lay_slopes(column, closed);
            }
        }
        track
    }

    fn lay_slopes(&mut self, column: usize, closed: bool) {
        let last = self.times.len().saturating_sub(1);
        for key in 1..last {
            self.slopes[key * self.width + column] = monotone_slope(&self.run(key - 1, column), &self.run(key, column));
        }
        if closed && last > 1 {
            let slope = monotone_slope(&self.run(last - 1, column), &self.run(0, column));
            self.slopes[column] = slope;
            self.slopes[last * self.width + column] = slope;
        }
    }

    /// From a key to the next.
    fn run(&self, key: usize, column: usize) -> Run {
        let at = |key: usize| self.values[key * self.width + column];
        Run { time: self.times[key + 1] - self.times[key], rise: at(key + 1) - at(key) }
    }

    /// When the last row is reached.
    pub(crate) fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or_default()
    }

    /// The times of the keys after `from` and before `to`.
    pub(crate) fn keys_between(&self, from: f64, to: f64) -> &[f64] {
        let first = self.times.partition_point(|&key| key <= from);
        let last = self.times.partition_point(|&key| key < to);
        self.times.get(first..last).unwrap_or_default()
    }

    /// How many ways from key to key there are.
    pub(crate) fn segments(&self) -> usize {
        self.times.len().saturating_sub(1)
    }

    /// The way that `time` falls on.
    pub(crate) fn segment(&self, time: f64) -> usize {
        let after = self.times.partition_point(|&key| key <= time);
        after.clamp(1, self.segments().max(1)) - 1
    }

    /// A row as it was given.
    pub(crate) fn row(&self, key: usize) -> &[f64] {
        self.of_key(&self.values, key)
    }

    /// What of some numbers belongs to a key.
    fn of_key<'a>(&self, numbers: &'a [f64], key: usize) -> &'a [f64] {
        numbers.get(key * self.width..(key + 1) * self.width).unwrap_or_default()
    }

    /// The numbers at `time`, which is brought within the track.
    pub(crate) fn at(&self, time: f64, out: &mut [f64]) {
        let key = self.segment(time);
        let (Some(&begins), Some(&ends)) = (self.times.get(key), self.times.get(key + 1)) else {
            out.iter_mut().zip(self.row(0)).for_each(|(out, &value)| *out = value);
            return;
        };
        let length = ends - begins;
        let s = ((time - begins) / length).clamp(0.0, 1.0);
        let slopes = |key: usize| self.of_key(&self.slopes, key);
        let ends = self.row(key).iter().zip(self.row(key + 1));
        for ((out, (&from, &to)), (&m0, &m1)) in out.iter_mut().zip(ends).zip(slopes(key).iter().zip(slopes(key + 1))) {
            *out = match self.blend {
                _ if s >= 1.0 => to,
                Blend::Linear => from + (to - from) * s,
                // Hermite, written so that equal ends at rest give exactly that value.
                Blend::Smooth => {
                    let rise = s * s * (3.0 - 2.0 * s);
                    let (leave, arrive) = (s * (1.0 - s) * (1.0 - s), s * s * (s - 1.0));
                    from + (to - from) * rise + (m0 * leave + m1 * arrive) * length
                }
            };
        }
    }
}

/// A number's way from one key to the next.
struct Run {
    time: f64,
    rise: f64,
}

/// The slope at a key between two runs: their weighted harmonic mean, or none at a turn.
fn monotone_slope(before: &Run, after: &Run) -> f64 {
    let (d0, d1) = (before.rise / before.time, after.rise / after.time);
    if d0 * d1 <= 0.0 {
        return 0.0;
    }
    let (w0, w1) = (2.0 * after.time + before.time, after.time + 2.0 * before.time);
    (w0 + w1) / (w0 / d0 + w1 / d1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(track: &Track, time: f64) -> f64 {
        let mut out = [f64::NAN];
        track.at(time, &mut out);
        out[0]
    }

    proptest! {
        #[test]
        fn when_any_keys_are_joined_expect_them_met_and_nothing_beyond_them(
            keys in prop::collection::vec((0.05..2.0f64, -3.0..3.0f64), 2..8), closed: bool, s in 0.0..1.0f64,
        ) {
            let mut time = 0.0;
            let times: Vec<f64> = keys.iter().map(|key| { let now = time; time += key.0; now }).collect();
            let mut rows: Vec<Vec<f64>> = keys.iter().map(|key| vec![key.1]).collect();
            if closed {
                let last = rows.len() - 1;
                rows[last] = rows[0].clone();
            }
            for blend in [Blend::Smooth, Blend::Linear] {
                let track = Track::new(times.clone(), &rows, blend, closed);
                for (pair, row) in times.windows(2).zip(rows.windows(2)) {
                    prop_assert!((at(&track, pair[0]) - row[0][0]).abs() < 1e-12);
                    let value = at(&track, pair[0] + (pair[1] - pair[0]) * s);
                    let (low, high) = (row[0][0].min(row[1][0]), row[0][0].max(row[1][0]));
                    prop_assert!(value >= low - 1e-9 && value <= high + 1e-9, "{low} {value} {high}");
                }
                let beyond = (at(&track, 1e9), at(&track, -1e9));
                prop_assert_eq!(beyond, (rows[rows.len() - 1][0], rows[0][0]));
            }
        }
    }

    #[test]
    fn when_keys_lie_on_the_way_expect_no_halt_at_them() {
        let track =
            Track::new(vec![0.0, 1.0, 2.0, 3.0], &[[0.0], [1.0], [2.0], [0.0]].map(Vec::from), Blend::Smooth, true);
        let speed = |time: f64| (at(&track, time + 1e-6) - at(&track, time - 1e-6)) / 2e-6;
        assert!((speed(1.0) - 1.0).abs() < 1e-3, "{}", speed(1.0));
        assert!(speed(2.0).abs() < 1e-3, "a turn");
    }

    #[test]
    fn when_a_value_is_kept_from_key_to_key_expect_it_to_the_bit() {
        let track =
            Track::new(vec![0.0, 0.3, 1.0, 1.7], &[[0.1], [0.7], [0.7], [0.2]].map(Vec::from), Blend::Smooth, false);
        assert!((0..100).all(|i| at(&track, 0.3 + 0.007 * f64::from(i)) == 0.7));
    }
}
