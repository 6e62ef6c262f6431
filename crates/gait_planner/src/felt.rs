//! What feet feel, as far as it is to be believed, and which way is up.

use crate::life::Moment;
use hexapod_kinematics::MAX_LEGS;
use hexapod_ros::{SwitchFault, SwitchWatch};
use nalgebra::Vector3;

/// What is wrong with the switch of each leg.
pub type SwitchFaults = [Option<SwitchFault>; MAX_LEGS];

/// What the feet reported last, and what becomes of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Felt {
    reported: [Option<bool>; MAX_LEGS],
    at: Option<Moment>,
    watches: [SwitchWatch; MAX_LEGS],
    /// Those that have closed since they speak. One that never has may be dead, and its foot would look for ground in
    /// every step.
    closed: [bool; MAX_LEGS],
    /// The direction up in the body, and when an IMU reported it.
    up: Option<(Vector3<f64>, Moment)>,
}

impl Felt {
    /// Takes what feet have reported.
    pub fn take(&mut self, reported: [Option<bool>; MAX_LEGS], at: Moment) {
        (self.reported, self.at) = (reported, Some(at));
    }

    /// Takes which way is up in the body.
    pub fn take_up(&mut self, up: Vector3<f64>, at: Moment) {
        self.up = Some((up, at));
    }

    /// Which way is up in the body, if that was reported when `is_fresh` says.
    pub fn up(&self, is_fresh: impl Fn(&Moment) -> bool) -> Option<Vector3<f64>> {
        self.up.filter(|(_, at)| is_fresh(at)).map(|(up, _)| up)
    }

    /// When they reported it.
    pub fn at(&self) -> Option<Moment> {
        self.at
    }

    /// Forgets it: they have fallen silent.
    pub fn forget(&mut self) {
        (self.reported, self.at, self.closed) = ([None; MAX_LEGS], None, [false; MAX_LEGS]);
    }

    /// None of them is believed before it has closed.
    pub fn doubt(&mut self) {
        self.closed = [false; MAX_LEGS];
    }

    /// What is believed of it, with the feet that the gait has on the ground.
    pub fn believed(&mut self, planted: &[bool; MAX_LEGS]) -> [Option<bool>; MAX_LEGS] {
        let mut believed = self.reported;
        let switches = self.watches.iter_mut().zip(&mut self.closed);
        for ((believed, (watch, closed)), planted) in believed.iter_mut().zip(switches).zip(planted) {
            *closed |= *believed == Some(true);
            *believed = watch.take(*planted, *believed).filter(|_| *closed);
        }
        believed
    }

    /// Switches that are not believed.
    pub fn faults(&self) -> SwitchFaults {
        self.watches.map(|watch| watch.fault())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_switch_has_never_closed_expect_it_not_believed_before_it_does() {
        let (mut felt, planted) = (Felt::default(), [true; MAX_LEGS]);
        let mut reported = [None; MAX_LEGS];
        for (tells, believed) in [(false, None), (true, Some(true)), (false, Some(false))] {
            reported[1] = Some(tells);
            felt.reported = reported;
            assert_eq!(felt.believed(&planted)[1], believed);
        }
        felt.forget();
        felt.reported = reported;
        assert_eq!(felt.believed(&planted), [None; MAX_LEGS], "it has fallen silent, and is followed anew");
    }
}
