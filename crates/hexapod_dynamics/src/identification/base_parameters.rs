//! Base parameters: the least set of combinations of inertial parameters that joint torques depend on (Gautier 1991).
//!
//! The regressor at many random states has columns that are sums of others. A QR factorisation with column pivoting
//! finds a set of independent columns and, for every other, its coefficients in them. Each base parameter is then the
//! parameter of an independent column plus those coefficients times the parameters that cannot be distinguished from
//! it.

use hexapod_kinematics::LegAngles;
use nalgebra::{DMatrix, DVector, Vector3};

use crate::base::BaseMotion;
use crate::inertia::{LINK_PARAMETERS, PARAMETER_NAMES};
use crate::leg::LegDynamics;

/// A pivot smaller than this, in norms of a column, is none.
const RANK_TOLERANCE: f64 = 1e-8;
/// A column shorter than this part of the longest is rounding.
const SILENT: f64 = 1e-10;
/// Random states per parameter.
const STATES_PER_PARAMETER: usize = 4;
/// A coefficient below this is rounding.
const SMALLEST_COEFFICIENT: f64 = 1e-9;
/// Greatest angle, speed and acceleration of the random states.
const SIZES: [f64; 3] = [std::f64::consts::PI, 5.0, 30.0];

/// How the base moves in the motion that parameters are to explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Excitation {
    /// It stands still, with this gravity in the body frame, m/s².
    StillBase(Vector3<f64>),
    /// It moves and turns in any way, so that more parameters show.
    MovingBase,
}

/// The base parameters of a leg and how they are grouped.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseParameters {
    independent: Vec<usize>,
    /// Base parameters from all parameters; 1 in each independent column.
    groups: DMatrix<f64>,
}

impl BaseParameters {
    /// The base parameters of a leg, numerically. The inertias that the leg has now do not matter.
    pub fn of(leg: &LegDynamics, excitation: &Excitation) -> Self {
        let mut scaled = stacked_regressor(leg, excitation);
        let norms: Vec<f64> = scaled.column_iter().map(|column| column.norm()).collect();
        let longest = norms.iter().copied().fold(0.0, f64::max);
        let heard = |norm: f64| norm > SILENT * longest;
        let scale = DVector::from_iterator(norms.len(), norms.iter().map(|n| if heard(*n) { *n } else { 1.0 }));
        for ((mut column, norm), scale) in scaled.column_iter_mut().zip(&norms).zip(scale.iter()) {
            column.apply(|x| *x = if heard(*norm) { *x / scale } else { 0.0 });
        }
        let columns = scaled.ncols();
        let qr = scaled.col_piv_qr();
        let mut order = DMatrix::from_fn(1, columns, |_, k| k);
        qr.p().permute_columns(&mut order);
        let upper = qr.r();
        let first = upper[(0, 0)].abs();
        let rank = (0..columns.min(upper.nrows()))
            .take_while(|&k| upper[(k, k)].abs() > RANK_TOLERANCE * first.max(1e-300))
            .count();
        let independent: Vec<usize> = order.iter().take(rank).copied().collect();
        let square = upper.view((0, 0), (rank, rank)).into_owned();
        let rest = upper.view((0, rank), (rank, columns - rank)).into_owned();
        let coefficients = square.solve_upper_triangular(&rest).unwrap_or_else(|| DMatrix::zeros(rank, columns - rank));
        let mut groups = DMatrix::zeros(rank, columns);
        for (row, &own) in independent.iter().enumerate() {
            groups[(row, own)] = 1.0;
            for (k, &other) in order.iter().skip(rank).enumerate() {
                groups[(row, other)] = coefficients[(row, k)] * scale[other] / scale[own];
            }
        }
        groups.iter_mut().filter(|g| g.abs() < SMALLEST_COEFFICIENT).for_each(|g| *g = 0.0);
        Self { independent, groups }.sorted()
    }

    /// Link by link.
    fn sorted(self) -> Self {
        let mut rows: Vec<usize> = (0..self.independent.len()).collect();
        rows.sort_by_key(|&row| self.independent[row]);
        let independent = rows.iter().map(|&row| self.independent[row]).collect();
        Self { independent, groups: self.groups.select_rows(&rows) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.independent.len()
    }

    /// Their values for these inertial parameters, as [`LegDynamics::parameters`] gives them; missing ones count as
    /// zero.
    pub fn values(&self, parameters: &[f64]) -> Vec<f64> {
        let all = DVector::from_fn(self.groups.ncols(), |k, _| parameters.get(k).copied().unwrap_or(0.0));
        (&self.groups * all).iter().copied().collect()
    }

    /// Inertial parameters that make the same torques as these base parameters: those of the independent columns, all
    /// others zero. They are no possible bodies, but right in every equation of motion.
    pub fn parameters(&self, values: &[f64]) -> Vec<f64> {
        let mut parameters = vec![0.0; self.groups.ncols()];
        self.independent.iter().zip(values).for_each(|(&k, value)| parameters[k] = *value);
        parameters
    }

    /// Each base parameter as a sum, such as `Izz1 + 0.0027 m2`, numbered by joint from the hip.
    pub fn grouping(&self) -> Vec<String> {
        (0..self.count()).map(|row| self.sum(row)).collect()
    }

    fn sum(&self, row: usize) -> String {
        let name = |k: usize| format!("{}{}", PARAMETER_NAMES[k % LINK_PARAMETERS], k / LINK_PARAMETERS + 1);
        let own = self.independent[row];
        let mut text = name(own);
        for (k, coefficient) in self.groups.row(row).iter().enumerate().filter(|(k, c)| *k != own && **c != 0.0) {
            let sign = if *coefficient < 0.0 { '-' } else { '+' };
            let size = coefficient.abs();
            let factor = if (size - 1.0).abs() < SMALLEST_COEFFICIENT { String::new() } else { format!("{size:.4e} ") };
            text.push_str(&format!(" {sign} {factor}{}", name(k)));
        }
        text
    }

    /// The regressor of the base parameters: a row per joint, a column per base parameter.
    pub fn regressor(
        &self,
        leg: &LegDynamics,
        angles: &LegAngles,
        speeds: &LegAngles,
        accelerations: &LegAngles,
        base: &BaseMotion,
    ) -> DMatrix<f64> {
        let all = leg.regressor(angles, speeds, accelerations, base);
        DMatrix::from_fn(leg.joint_count(), self.count(), |joint, k| all[(joint, self.independent[k])])
    }
}

/// The regressor at random states, one below the other.
fn stacked_regressor(leg: &LegDynamics, excitation: &Excitation) -> DMatrix<f64> {
    let (n, columns) = (leg.joint_count(), leg.body_count() * LINK_PARAMETERS);
    let states = STATES_PER_PARAMETER * columns;
    let mut stacked = DMatrix::zeros(states * n, columns);
    let mut random = Random(1);
    for state in 0..states {
        let [q, v, a] = SIZES.map(|size| LegAngles::from_fn(n, |_| size * random.next()));
        let mut vector = |size: f64| Vector3::from_fn(|_, _| size * random.next());
        let base = match excitation {
            Excitation::StillBase(gravity) => BaseMotion::at_rest(*gravity),
            Excitation::MovingBase => BaseMotion {
                angular_velocity: vector(5.0),
                angular_acceleration: vector(30.0),
                acceleration: vector(10.0),
                gravity: vector(10.0),
            },
        };
        let regressor = leg.regressor(&q, &v, &a, &base);
        stacked.view_mut((state * n, 0), (n, columns)).copy_from(&regressor.view((0, 0), (n, columns)));
    }
    stacked
}

/// Numbers in -1 to 1, the same each time: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
        2.0 * unit - 1.0
    }
}
