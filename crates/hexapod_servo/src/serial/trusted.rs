//! Samples of which single ones may be wrong.

/// Wild samples are believed when so many in a row agree.
const WILD: u8 = 3;
/// They agree if they differ by no more than this part of what makes one wild.
const ALIKE: f64 = 0.125;

/// A quantity of which single samples may be wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trusted {
    pub value: Option<f64>,
    /// The last wild sample, and how many in a row have agreed.
    wild: f64,
    alike: u8,
}

impl Trusted {
    /// The sample, unless it is wild.
    pub fn take(&mut self, value: f64, tolerance: f64) -> Option<f64> {
        if self.value.is_some_and(|before| (value - before).abs() > tolerance) {
            let agrees = self.alike > 0 && (value - self.wild).abs() <= tolerance * ALIKE;
            (self.wild, self.alike) = (value, if agrees { self.alike + 1 } else { 1 });
            if self.alike < WILD {
                return None;
            }
        }
        (self.value, self.alike) = (Some(value), 0);
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_wild_samples_do_not_agree_expect_none_believed_and_three_that_do_believed() {
        let mut trusted = Trusted::default();
        assert_eq!(trusted.take(100.0, 50.0), Some(100.0));
        for value in [900.0, 300.0, 650.0, 20.0, 400.0, 900.0, 905.0, 300.0] {
            assert_eq!(trusted.take(value, 50.0), None, "{value}");
        }
        assert_eq!(trusted.take(110.0, 50.0), Some(110.0));
        assert_eq!([500.0, 503.0, 506.0].map(|value| trusted.take(value, 50.0)), [None, None, Some(506.0)]);
    }
}
