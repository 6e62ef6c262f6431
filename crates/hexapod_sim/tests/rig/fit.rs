//! Variances that grow, fitted to errors.

use nalgebra::{DMatrix, DVector};

/// Rounds of reweighting.
const ROUNDS: usize = 15;
/// No variance is smaller than this.
const LEAST: f64 = 1e-8;

/// Squares of errors, and what they may grow with.
pub struct Errors<const N: usize> {
    rows: Vec<([f64; N], f64)>,
}

impl<const N: usize> Errors<N> {
    /// Of samples: what each grows with, and the error.
    pub fn new(samples: impl Iterator<Item = ([f64; N], f64)>) -> Self {
        Self { rows: samples.map(|(with, error)| (with, error * error)).collect() }
    }

    /// Coefficients, none below zero, of the variance that makes these errors the likeliest (as of a normal distribution),
    /// all scaled so that 95 % of the errors are within twice the standard deviation.
    pub fn fit(&self) -> [f64; N] {
        let mean = self.rows.iter().map(|(_, square)| square).sum::<f64>() / self.rows.len() as f64;
        let mut coefficients = [mean / N as f64; N];
        for _ in 0..ROUNDS {
            coefficients = self.weighted(&coefficients);
        }
        let mut parts: Vec<f64> =
            self.rows.iter().map(|(with, square)| square / dot(with, &coefficients).max(LEAST)).collect();
        parts.sort_by(f64::total_cmp);
        let scale = parts[(0.95 * parts.len() as f64) as usize] / 4.0;
        coefficients.map(|coefficient| coefficient * scale)
    }

    /// Least squares, each error weighted by the variance that it has by `before`: of all choices of coefficients that
    /// are not zero, the best without negative ones.
    fn weighted(&self, before: &[f64; N]) -> [f64; N] {
        let choices = (1..1_usize << N).map(|choice| (0..N).filter(|n| choice >> n & 1 == 1).collect::<Vec<_>>());
        let fitted = choices.filter_map(|chosen| self.solve(&chosen, before));
        fitted.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(*before, |best| best.0)
    }

    fn solve(&self, chosen: &[usize], before: &[f64; N]) -> Option<([f64; N], f64)> {
        let (mut normal, mut right) = (DMatrix::zeros(chosen.len(), chosen.len()), DVector::zeros(chosen.len()));
        let weight = |with: &[f64; N]| dot(with, before).max(LEAST).powi(-2);
        for (with, square) in &self.rows {
            let row = DVector::from_iterator(chosen.len(), chosen.iter().map(|&n| with[n]));
            normal += weight(with) * &row * row.transpose();
            right += weight(with) * *square * row;
        }
        let solved = normal.cholesky()?.solve(&right);
        let mut coefficients = [0.0; N];
        chosen.iter().zip(solved.iter()).for_each(|(&n, &coefficient)| coefficients[n] = coefficient);
        let miss = |(with, square): &([f64; N], f64)| weight(with) * (dot(with, &coefficients) - square).powi(2);
        let missed = self.rows.iter().map(miss).sum();
        solved.iter().all(|&coefficient| coefficient >= 0.0).then_some((coefficients, missed))
    }
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
