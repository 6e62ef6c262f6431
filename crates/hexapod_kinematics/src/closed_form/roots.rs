//! Equations in the cosine and sine of one angle.

use std::f64::consts::TAU;

use crate::math;

/// `k + c cos + s sin`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trig {
    pub(super) k: f64,
    pub(super) c: f64,
    pub(super) s: f64,
}

/// `k + c cos + s sin + c2 cos(2 q) + s2 sin(2 q)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trig2 {
    k: f64,
    c: f64,
    s: f64,
    c2: f64,
    s2: f64,
}

impl Trig {
    pub(super) fn constant(k: f64) -> Self {
        Self { k, c: 0.0, s: 0.0 }
    }

    pub(super) fn plus(&self, other: &Self, factor: f64) -> Self {
        Self { k: self.k + factor * other.k, c: self.c + factor * other.c, s: self.s + factor * other.s }
    }

    pub(super) fn at(&self, cos: f64, sin: f64) -> f64 {
        self.k + self.c * cos + self.s * sin
    }

    pub(super) fn square(&self) -> Trig2 {
        let Self { k, c, s } = *self;
        Trig2 { k: k * k + 0.5 * (c * c + s * s), c: 2.0 * k * c, s: 2.0 * k * s, c2: 0.5 * (c * c - s * s), s2: c * s }
    }
}

impl Trig2 {
    pub(super) fn scaled(&self, f: f64) -> Self {
        Self { k: f * self.k, c: f * self.c, s: f * self.s, c2: f * self.c2, s2: f * self.s2 }
    }

    pub(super) fn plus(&self, other: &Self, factor: f64) -> Self {
        let o = other.scaled(factor);
        Self { k: self.k + o.k, c: self.c + o.c, s: self.s + o.s, c2: self.c2 + o.c2, s2: self.s2 + o.s2 }
    }

    fn at(&self, q: f64) -> f64 {
        let (s1, c1, s2, c2) = waves(q);
        self.k + self.c * c1 + self.s * s1 + self.c2 * c2 + self.s2 * s2
    }

    fn derivative(&self) -> Self {
        Self { k: 0.0, c: self.s, s: -self.c, c2: 2.0 * self.s2, s2: -2.0 * self.c2 }
    }

    fn size(&self) -> f64 {
        self.k.abs() + self.c.abs() + self.s.abs() + self.c2.abs() + self.s2.abs()
    }
}

/// Sine and cosine of an angle and of its double.
fn waves(q: f64) -> (f64, f64, f64, f64) {
    let (s, c) = math::sin_cos(q);
    (s, c, 2.0 * s * c, (c - s) * (c + s))
}

/// Angles, at most eight: a double root may be listed twice.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roots {
    list: [f64; 8],
    len: usize,
}

impl Roots {
    fn push(&mut self, root: f64) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = root;
            self.len += 1;
        }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, f64> {
        self.list.get(..self.len).unwrap_or(&[]).iter()
    }
}

/// Angles at which `k + c cos + s sin` vanishes; where it only comes close, the nearest one.
pub(super) fn solve_linear_trig(f: &Trig) -> Roots {
    let mut roots = Roots::default();
    let amplitude = math::hypot(f.c, f.s);
    if amplitude <= 1e-15 * f.k.abs() {
        return roots;
    }
    let middle = math::atan2(f.s, f.c);
    let away = math::acos((-f.k / amplitude).clamp(-1.0, 1.0));
    roots.push(middle + away);
    roots.push(middle - away);
    roots
}

/// Angles at which a second-order trigonometric polynomial (a quartic in the tangent of half the angle) vanishes.
///
/// Its roots lie between its turning points, and those between the turning points of its slope, which is of the same
/// form. Those are bracketed on a grid; from there each level parts the next, so that each root is bracketed
/// whatever the conditioning of the quartic's coefficients. Turning points that only touch zero are roots, too.
pub(super) fn solve_quadratic_trig(f: &Trig2) -> Roots {
    let mut roots = Roots::default();
    let size = f.size();
    if size == 0.0 {
        return roots;
    }
    let slope = f.derivative();
    let bend = slope.derivative();
    let turns_of_slope = crossings(&bend, &grid());
    let turns = crossings(&slope, turns_of_slope.as_slice());
    for turn in turns.as_slice() {
        if f.at(*turn).abs() < 1e-9 * size {
            roots.push(*turn);
        }
    }
    for root in crossings(f, turns.as_slice()).as_slice() {
        roots.push(*root);
    }
    roots
}

/// Evenly spaced angles of one turn, in order.
fn grid() -> [f64; 48] {
    // Not from a round number: turning points like to be at round ones, where a sign is a matter of rounding.
    std::array::from_fn(|i| 0.037_171_3 + TAU / 48.0 * i as f64)
}

/// Roots of `f` between neighbouring marks at which its sign differs, in order; the last mark's neighbour is the first.
fn crossings(f: &Trig2, marks: &[f64]) -> Marks {
    let mut found = Marks::default();
    let next = marks.iter().skip(1).copied().chain(marks.first().map(|first| first + TAU));
    let (Some(first), slope) = (marks.first(), f.derivative()) else { return found };
    let first_is_above = f.at(*first) > 0.0;
    let mut above = first_is_above;
    for (i, (from, to)) in marks.iter().zip(next).enumerate() {
        let next_above = if i + 1 == marks.len() { first_is_above } else { f.at(to) > 0.0 };
        if std::mem::replace(&mut above, next_above) != next_above {
            found.push(bisect(*from, to, |q| f.at(q), |q| slope.at(q)));
        }
    }
    found
}

/// Turning points in order.
#[derive(Default)]
struct Marks {
    list: [f64; 8],
    len: usize,
}

impl Marks {
    fn push(&mut self, mark: f64) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = mark;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[f64] {
        self.list.get(..self.len).unwrap_or(&[])
    }
}

/// The root of `f` between two angles at which its sign differs: Newton's steps where they stay inside, else halving.
fn bisect(from: f64, to: f64, f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> f64 {
    let (mut from, mut to) = (from, to);
    let rising = f(to) > 0.0;
    let mut at = 0.5 * (from + to);
    for _ in 0..64 {
        let value = f(at);
        if (value > 0.0) == rising {
            to = at;
        } else {
            from = at;
        }
        let newton = at - value / slope(at);
        let next = if newton > from && newton < to { newton } else { 0.5 * (from + to) };
        if (next - at).abs() < 1e-15 || to - from < 1e-15 {
            return next;
        }
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_polynomial_has_four_roots_expect_all_four() {
        // cos(2q) - 0.1 has the roots +-acos(0.1)/2 and those plus half a turn.
        let f = Trig2 { k: -0.1, c2: 1.0, ..Trig2::default() };
        let roots = solve_quadratic_trig(&f);
        assert_eq!(roots.iter().count(), 4);
        assert!(roots.iter().all(|q| f.at(*q).abs() < 1e-14));
    }

    #[test]
    fn when_it_touches_zero_expect_the_touching_point() {
        let f = Trig2 { k: -1.0, c: 1.0, ..Trig2::default() };
        let roots = solve_quadratic_trig(&f);
        assert!(roots.iter().any(|q| (q - TAU * (q / TAU).round()).abs() < 1e-7), "{roots:?}");
    }

    #[test]
    fn when_linear_and_out_of_range_expect_the_nearest_angle() {
        let f = Trig { k: 2.0, c: 1.0, s: 0.0 };
        assert!(solve_linear_trig(&f).iter().all(|q| (q.abs() - TAU / 2.0).abs() < 1e-12));
    }
}
