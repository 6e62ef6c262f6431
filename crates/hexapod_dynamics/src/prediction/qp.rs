//! The shortest vector under linear constraints, by the dual active set method (Goldfarb & Idnani 1983).
//!
//! With the identity for the quadratic form, the step towards a violated constraint is the part of its normal across
//! the normals of those already met, and the multipliers are its coefficients in those. No allocation.

/// Most unknowns: a force for each of eight feet.
pub(super) const MAX_UNKNOWNS: usize = 24;
/// A vector of unknowns.
pub(super) type Unknowns = [f64; MAX_UNKNOWNS];

/// Violation that counts as none, in the unit of a constraint's bound.
const TOLERANCE: f64 = 1e-10;
/// Fraction of a normal's length below which it lies among those already met.
const DEPENDENT: f64 = 1e-9;
/// Steps after which there is no solution to be had.
const MAX_STEPS: usize = 500;

/// `normal . x = bound`, or at least `bound`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint {
    pub(super) normal: Unknowns,
    pub(super) bound: f64,
    pub(super) equality: bool,
}

/// A constraint that is met exactly, with its multiplier.
#[derive(Clone, Copy)]
struct Active {
    /// Of unit length, across the ones before it.
    basis: Unknowns,
    normal: Unknowns,
    multiplier: f64,
    equality: bool,
}

/// The constraints that are met exactly.
struct ActiveSet {
    all: [Active; MAX_UNKNOWNS],
    len: usize,
}

/// The shortest vector that meets all constraints, or `None` when there is none. Equalities come first.
pub(super) fn shortest(constraints: &[Constraint], unknowns: usize) -> Option<Unknowns> {
    let mut x = [0.0; MAX_UNKNOWNS];
    let mut active = ActiveSet::new();
    let mut steps = 0;
    for constraint in constraints.iter().filter(|c| c.equality) {
        active.meet(constraint, &mut x, unknowns, &mut steps)?;
    }
    while let Some(constraint) = most_violated(constraints, &x, unknowns) {
        active.meet(constraint, &mut x, unknowns, &mut steps)?;
    }
    x.iter().all(|value| value.is_finite()).then_some(x)
}

fn most_violated<'a>(constraints: &'a [Constraint], x: &Unknowns, unknowns: usize) -> Option<&'a Constraint> {
    let slack = |c: &Constraint| dot(&c.normal, x, unknowns) - c.bound;
    let open = constraints.iter().filter(|c| !c.equality && slack(c) < -TOLERANCE);
    open.min_by(|a, b| slack(a).total_cmp(&slack(b)))
}

impl ActiveSet {
    fn new() -> Self {
        let zero = [0.0; MAX_UNKNOWNS];
        let none = Active { basis: zero, normal: zero, multiplier: 0.0, equality: false };
        Self { all: [none; MAX_UNKNOWNS], len: 0 }
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &Active> + ExactSizeIterator {
        self.all.iter().take(self.len)
    }

    /// Moves `x` until the constraint is met, leaving those that get in its way; `None` when that cannot be.
    fn meet(&mut self, constraint: &Constraint, x: &mut Unknowns, n: usize, steps: &mut usize) -> Option<()> {
        let gap = constraint.bound - dot(&constraint.normal, x, n);
        // An equality is approached from the side on which `x` is.
        let sign = if constraint.equality && gap < 0.0 { -1.0 } else { 1.0 };
        let (normal, bound) = (constraint.normal.map(|v| sign * v), sign * constraint.bound);
        let mut multiplier = 0.0;
        loop {
            *steps += 1;
            let gap = bound - dot(&normal, x, n);
            if *steps > MAX_STEPS || !gap.is_finite() {
                return None;
            }
            let across = self.across(&normal, n);
            let rates = self.coefficients(&normal, n);
            let square = dot(&across, &across, n);
            let independent = self.len < n && square > DEPENDENT * DEPENDENT * dot(&normal, &normal, n);
            if !independent && gap <= TOLERANCE.max(DEPENDENT * bound.abs()) {
                return Some(());
            }
            let whole = if independent { gap / square } else { f64::INFINITY };
            let blocking = self.blocking(&rates);
            let step = blocking.map_or(whole, |(_, part)| part.min(whole));
            if step.is_infinite() {
                return None;
            }
            self.all.iter_mut().zip(&rates).take(self.len).for_each(|(a, rate)| a.multiplier -= step * rate);
            multiplier += step;
            if independent {
                x.iter_mut().zip(&across).for_each(|(x, across)| *x += step * across);
            }
            match blocking {
                Some((leaves, part)) if part < whole => self.leave(leaves, n),
                _ => {
                    let equality = constraint.equality;
                    self.enter(Active { basis: across, normal, multiplier, equality }, square.sqrt());
                    return Some(());
                }
            }
        }
    }

    /// The inequality whose multiplier reaches zero first, and after which step.
    fn blocking(&self, rates: &Unknowns) -> Option<(usize, f64)> {
        let falling = self.iter().zip(rates).enumerate().filter(|(_, (a, rate))| !a.equality && **rate > 1e-12);
        let steps = falling.map(|(k, (a, rate))| (k, (a.multiplier / rate).max(0.0)));
        steps.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn enter(&mut self, mut active: Active, length: f64) {
        active.basis.iter_mut().for_each(|v| *v /= length);
        if let Some(place) = self.all.get_mut(self.len) {
            *place = active;
            self.len += 1;
        }
    }

    /// Takes one out and makes the basis of the rest anew.
    fn leave(&mut self, index: usize, n: usize) {
        let (old, len) = (self.all, self.len);
        self.len = 0;
        for (_, active) in old.iter().take(len).enumerate().filter(|(k, _)| *k != index) {
            let basis = self.across(&active.normal, n);
            self.enter(Active { basis, ..*active }, dot(&basis, &basis, n).sqrt());
        }
    }

    /// The part of a vector across all that are met; taken twice, for rounding.
    fn across(&self, v: &Unknowns, n: usize) -> Unknowns {
        let mut rest = *v;
        for active in self.iter().chain(self.iter()) {
            let along = dot(&active.basis, &rest, n);
            rest.iter_mut().zip(&active.basis).for_each(|(r, b)| *r -= along * b);
        }
        rest
    }

    /// Coefficients of the rest of a vector in the normals that are met.
    fn coefficients(&self, v: &Unknowns, n: usize) -> Unknowns {
        let (mut found, mut rest) = ([0.0; MAX_UNKNOWNS], *v);
        // Normal `k` lies in the first `k` of the basis, so the last basis vector sees the last normal alone.
        for (k, active) in self.iter().enumerate().rev() {
            let coefficient = dot(&active.basis, &rest, n) / dot(&active.basis, &active.normal, n);
            rest.iter_mut().zip(&active.normal).for_each(|(r, v)| *r -= coefficient * v);
            found[k] = coefficient;
        }
        found
    }
}

fn dot(a: &Unknowns, b: &Unknowns, n: usize) -> f64 {
    a.iter().zip(b).take(n).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(normal: &[f64], bound: f64, equality: bool) -> Constraint {
        let mut whole = [0.0; MAX_UNKNOWNS];
        whole[..normal.len()].copy_from_slice(normal);
        Constraint { normal: whole, bound, equality }
    }

    #[test]
    fn when_constraints_are_given_expect_the_shortest_vector() {
        let sum = constraint(&[1.0, 1.0, 1.0], 3.0, true);
        let found = |more: &[Constraint]| shortest(&[&[sum], more].concat(), 3).map(|x| [x[0], x[1], x[2]]);
        let near = |a: Option<[f64; 3]>, b: [f64; 3]| a.unwrap().iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(found(&[]), [1.0; 3]));
        assert!(near(found(&[constraint(&[1.0], 2.0, false)]), [2.0, 0.5, 0.5]));
        // Met on the way and left again.
        let more = [constraint(&[1.0], 2.0, false), constraint(&[0.0, -1.0, -1.0], 0.5, false)];
        assert!(near(found(&more), [3.5, -0.25, -0.25]));
        assert!(found(&[constraint(&[1.0], 2.0, false), constraint(&[-1.0], -1.0, false)]).is_none());
        assert!(near(found(&[constraint(&[2.0, 2.0, 2.0], 6.0, true)]), [1.0; 3]), "said twice");
        assert!(found(&[constraint(&[2.0, 2.0, 2.0], 5.0, true)]).is_none(), "contradicts");
        assert!(found(&[constraint(&[f64::NAN, 1.0], 5.0, false)]).is_some_and(|x| x.iter().all(|v| v.is_finite())));
    }

    /// Zero projected onto all constraints in turn, with Dykstra's corrections: slow, and another way altogether.
    fn projected(all: &[Constraint]) -> Unknowns {
        let mut x = [0.0; MAX_UNKNOWNS];
        let mut corrections = vec![0.0; all.len()];
        for _ in 0..20_000 {
            for (c, correction) in all.iter().zip(&mut corrections) {
                let gap = (c.bound - dot(&c.normal, &x, 6)) / dot(&c.normal, &c.normal, 6);
                let next = if c.equality { *correction + gap } else { (*correction + gap).max(0.0) };
                x.iter_mut().zip(&c.normal).for_each(|(x, n)| *x += (next - *correction) * n);
                *correction = next;
            }
        }
        x
    }

    #[test]
    fn when_constraints_are_random_expect_the_vector_that_repeated_projection_finds() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for _ in 0..200 {
            let inside: Vec<f64> = (0..6).map(|_| 4.0 * random()).collect();
            let all: Vec<Constraint> = (0..12)
                .map(|k| {
                    let normal: Vec<f64> = (0..6).map(|_| random()).collect();
                    let at: f64 = normal.iter().zip(&inside).map(|(a, b)| a * b).sum();
                    constraint(&normal, if k < 2 { at } else { at - 0.3 * (random() + 0.5) }, k < 2)
                })
                .collect();
            let x = shortest(&all, 6).unwrap();
            let slack = |c: &Constraint| dot(&c.normal, &x, 6) - c.bound;
            assert!(all.iter().all(|c| if c.equality { slack(c).abs() < 1e-8 } else { slack(c) > -1e-8 }));
            let (other, near) = (projected(&all), 1e-6);
            assert!(other.iter().zip(&x).all(|(a, b)| (a - b).abs() < near), "{other:?} {x:?}");
        }
    }
}
