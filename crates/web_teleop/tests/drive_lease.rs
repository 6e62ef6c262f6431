//! The lease with several clients that do anything in any order: at most one drives, nothing moves for longer than it
//! is asked to, and every stop acts.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use proptest::prelude::*;
use std::time::Duration;
use web_teleop::drive_lease::{DriveLease, STALE_AFTER};
use web_teleop::intents::{Hold, Intent, Motion, Order, Refusal, Seen, Stop, Want};
use web_teleop::protocol::{Ask, Service};

const DEAD_MAN: Duration = Duration::from_millis(300);

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn twist(vx: f64) -> Motion {
    Motion::Twist { vx, vy: 0.0, wz: 0.0 }
}

/// A lease with what has been published, by time.
struct Scene {
    drive_lease: DriveLease,
    now: Duration,
    /// Number of the newest state.
    shown: u64,
    published: Vec<(Duration, Order)>,
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self { drive_lease: DriveLease::new(DEAD_MAN), now: ms(1000), shown: 0, published: vec![] };
        scene.show();
        scene
    }

    fn show(&mut self) {
        self.shown = self.drive_lease.show(self.now);
    }

    fn publish(&mut self, orders: Vec<Order>) {
        self.published.extend(orders.into_iter().map(|order| (self.now, order)));
    }

    /// Lets time go by, as the bridge does: it sleeps until the lease has something to do.
    fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while let Some(next) = self.drive_lease.next().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            let mut orders = vec![];
            self.drive_lease.tick(self.now, &mut orders);
            self.publish(orders);
        }
        self.now = end;
    }

    fn lease(&mut self, client: u64, want: Want) -> Result<bool, Refusal> {
        let mut orders = vec![];
        let done = self.drive_lease.lease(client, want, self.now, &mut orders);
        self.publish(orders);
        self.show();
        done
    }

    fn drive(&mut self, client: u64, motion: Motion) -> Result<(), Refusal> {
        self.drive_seeing(client, motion, self.shown)
    }

    fn drive_seeing(&mut self, client: u64, motion: Motion, seen: u64) -> Result<(), Refusal> {
        let mut orders = vec![];
        let intent = Intent { motion, seen, received: self.now };
        let done = self.drive_lease.drive(client, intent, self.now, &mut orders);
        self.publish(orders);
        done
    }

    fn stop(&mut self, stop: Stop) {
        let mut orders = vec![];
        self.drive_lease.stop(stop, self.now, &mut orders);
        self.publish(orders);
        self.show();
    }

    /// A client that drives, its stick released once.
    fn driven_by(client: u64) -> Self {
        let mut scene = Self::new();
        scene.lease(client, Want::Take).unwrap();
        scene.drive(client, twist(0.0)).unwrap();
        scene.published.clear();
        scene
    }
}

#[test]
fn when_intents_cease_expect_zero_after_the_dead_man_time_and_twice_more() {
    let mut scene = Scene::driven_by(1);
    let start = scene.now;
    scene.wait(ms(100));
    scene.published.clear();
    scene.show();
    scene.drive(1, twist(0.1)).unwrap();
    scene.wait(ms(2000));
    let moves: Vec<_> = scene.published.iter().map(|(at, order)| ((*at - start).as_millis(), *order)).collect();
    let zero = Order::Move(twist(0.0));
    assert_eq!(moves, [(100, Order::Move(twist(0.1))), (400, zero), (440, zero), (480, zero)]);
}

#[test]
fn when_intents_pause_while_the_stick_is_held_expect_no_motion_before_it_has_been_let_go() {
    let mut scene = Scene::driven_by(1);
    scene.drive(1, twist(0.1)).unwrap();
    scene.wait(DEAD_MAN + ms(1));
    scene.show();
    assert_eq!(scene.drive(1, twist(0.1)), Err(Refusal::ReleaseFirst), "somebody may have stopped the robot meanwhile");
    scene.drive(1, twist(0.0)).unwrap();
    assert_eq!(scene.drive(1, twist(0.1)), Ok(()));
}

#[test]
fn when_an_intent_comes_late_expect_it_refused_and_when_it_is_zero_obeyed() {
    let mut scene = Scene::driven_by(1);
    let old = scene.shown;
    scene.wait(STALE_AFTER);
    assert_eq!(scene.drive_seeing(1, twist(0.1), old), Ok(()), "just in time");
    scene.wait(ms(1));
    assert_eq!(scene.drive_seeing(1, twist(0.1), old), Err(Refusal::Stale));
    assert_eq!(scene.drive_seeing(1, twist(0.1), old + 9), Err(Refusal::Stale), "a state that was never shown");
    scene.published.clear();
    assert_eq!(scene.drive_seeing(1, twist(0.0), old), Ok(()));
    assert_eq!(scene.published.len(), 1);
    // It has waited here.
    scene.show();
    let intent = Intent { motion: twist(0.1), seen: scene.shown, received: scene.now - DEAD_MAN };
    assert_eq!(scene.drive_lease.drive(1, intent, scene.now, &mut vec![]), Err(Refusal::Stale));
}

#[test]
fn when_somebody_takes_over_expect_zero_at_once_and_the_new_drivers_stick_released_first() {
    let mut scene = Scene::driven_by(1);
    scene.drive(1, twist(0.1)).unwrap();
    assert_eq!(scene.lease(2, Want::Take), Err(Refusal::HasDriver(1)));
    assert_eq!(scene.lease(2, Want::TakeOver), Ok(true));
    assert_eq!(scene.published.last().unwrap().1, Order::Move(twist(0.0)));
    assert_eq!(scene.drive(1, twist(0.1)), Err(Refusal::NoLease));
    assert_eq!(scene.drive(1, twist(0.0)), Err(Refusal::NoLease));
    assert_eq!(scene.drive(2, twist(0.1)), Err(Refusal::ReleaseFirst));
    assert_eq!(scene.drive_lease.may_pose(2), Err(Refusal::ReleaseFirst));
    scene.drive(2, twist(0.0)).unwrap();
    assert_eq!(scene.drive(2, twist(0.1)), Ok(()));
    assert_eq!((scene.drive_lease.may_pose(2), scene.drive_lease.may_pose(1)), (Ok(()), Err(Refusal::NoLease)));
}

#[test]
fn when_the_robot_was_halted_expect_the_drivers_zero_to_count_only_if_it_knew() {
    let mut scene = Scene::driven_by(1);
    scene.drive(1, twist(0.1)).unwrap();
    let before = scene.shown;
    scene.wait(ms(50));
    scene.stop(Stop::Halt);
    assert_eq!(scene.drive(1, twist(0.1)), Err(Refusal::ReleaseFirst));
    // It was on its way when the stop came.
    scene.drive_seeing(1, twist(0.0), before).unwrap();
    assert_eq!((scene.drive(1, twist(0.1)), scene.drive_lease.hold()), (Err(Refusal::ReleaseFirst), Hold::Zero));
    scene.drive(1, twist(0.0)).unwrap();
    assert_eq!((scene.drive(1, twist(0.1)), scene.drive_lease.hold()), (Ok(()), Hold::Nothing));
}

#[test]
fn when_the_robot_was_stopped_at_once_expect_enable_and_then_zero_to_release_it() {
    let mut scene = Scene::driven_by(1);
    scene.stop(Stop::Emergency);
    scene.stop(Stop::Halt);
    scene.drive(1, twist(0.0)).unwrap();
    assert_eq!((scene.drive(1, twist(0.1)), scene.drive_lease.hold()), (Err(Refusal::Stopped), Hold::Enable));
    assert!(scene.drive_lease.enabled(scene.now) && !scene.drive_lease.enabled(scene.now));
    assert_eq!(scene.drive(1, twist(0.1)), Err(Refusal::ReleaseFirst));
    scene.wait(ms(30));
    scene.show();
    scene.drive(1, twist(0.0)).unwrap();
    assert_eq!(scene.drive(1, twist(0.1)), Ok(()));
}

#[test]
fn when_a_stop_comes_between_a_press_and_its_arrival_expect_nothing_that_moves_the_robot() {
    let mut scene = Scene::driven_by(1);
    let pressed = Seen::State(scene.shown);
    let unsaid = Seen::Until(scene.now);
    let all = |seen: Seen| {
        let call = move |service| Ask::Call(service, seen);
        let services = [Service::Enable, Service::Stand, Service::Pack, Service::Sit].map(call);
        services.into_iter().chain([Ask::Motion("wave".into(), seen)])
    };
    let may = |scene: &Scene, what: Ask| scene.drive_lease.may(1, &what, scene.now);
    assert!(all(pressed).chain(all(unsaid)).all(|what| may(&scene, what) == Ok(())));
    scene.wait(ms(1));
    scene.stop(Stop::Halt);
    scene.drive(1, twist(0.0)).unwrap();
    for late in [0, 24_000] {
        scene.wait(ms(late));
        scene.show();
        let refused = |what| may(&scene, what) == Err(Refusal::Unseen);
        assert!(all(pressed).chain(all(unsaid)).all(refused), "{late} ms after the stop");
    }
    let anew = [Seen::State(scene.shown), Seen::Until(scene.now)];
    assert!(anew.into_iter().flat_map(all).all(|what| may(&scene, what) == Ok(())));
    for (what, allowed) in [
        (Ask::Call(Service::Disable, pressed), Ok(())),
        (Ask::Motion(String::new(), pressed), Ok(())),
        (Ask::Call(Service::Stand, Seen::State(scene.shown + 1)), Err(Refusal::Stale)),
    ] {
        assert_eq!(may(&scene, what.clone()), allowed, "{what:?}");
    }
    scene.wait(ms(800));
    for seen in anew {
        assert_eq!(may(&scene, Ask::Call(Service::Enable, seen)), Err(Refusal::Stale), "a stop may be unheard here");
        assert_eq!(may(&scene, Ask::Call(Service::Sit, seen)), Ok(()));
    }
}

#[test]
fn when_others_enable_the_servos_expect_words_from_before_the_stop_not_believed() {
    let mut scene = Scene::driven_by(1);
    scene.stop(Stop::Emergency);
    let stopped = scene.now;
    assert!(!scene.drive_lease.reported_live(stopped + ms(1000), stopped + ms(2000)));
    assert!(scene.drive_lease.reported_live(stopped + ms(1600), stopped + ms(2000)));
    assert_eq!(scene.drive_lease.hold(), Hold::Zero);
}

#[test]
fn when_a_driver_changes_topics_expect_those_it_leaves_at_rest() {
    let mut scene = Scene::driven_by(1);
    scene.drive(1, twist(0.1)).unwrap();
    scene.published.clear();
    let arc = Motion::Arc { velocity: 0.1, curvature: 0.5 };
    scene.drive(1, arc).unwrap();
    scene.drive(1, twist(0.0)).unwrap();
    let orders: Vec<_> = scene.published.iter().map(|(_, order)| *order).collect();
    let rest = [Order::Move(twist(0.0)), Order::Move(arc), Order::Move(arc.at_rest()), Order::Move(twist(0.0))];
    assert_eq!(orders, rest);
}

#[derive(Clone, Debug)]
enum Deed {
    Wait(u64),
    Show,
    Lease(u64, u8),
    Leave(u64),
    Drive { client: u64, motion: u8, back: u64 },
    Stop(bool),
    Enable,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let client = || 1..5_u64;
    let deed = prop_oneof![
        4 => (0..200_u64).prop_map(Deed::Wait),
        1 => (200..2000_u64).prop_map(Deed::Wait),
        4 => Just(Deed::Show),
        2 => (client(), 0..3_u8).prop_map(|(client, want)| Deed::Lease(client, want)),
        1 => client().prop_map(Deed::Leave),
        8 => (client(), 0..4_u8, 0..20_u64).prop_map(|(client, motion, back)| Deed::Drive { client, motion, back }),
        1 => any::<bool>().prop_map(Deed::Stop),
        1 => Just(Deed::Enable),
    ];
    prop::collection::vec(deed, 1..200)
}

/// What an intent that was followed looked like.
#[derive(Clone, Copy)]
struct Followed {
    client: u64,
    at: Duration,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn when_clients_do_anything_in_any_order_expect_one_driver_no_late_motion_and_every_stop_at_once(deeds in deeds()) {
        let mut scene = Scene::new();
        let mut followed: Vec<Followed> = vec![];
        // The last stop, with whether enable and zero have come since.
        let mut held: Option<(Stop, bool, Duration)> = None;
        for deed in deeds {
            let before = scene.published.len();
            match deed {
                Deed::Wait(time) => scene.wait(ms(time)),
                Deed::Show => scene.show(),
                Deed::Lease(client, want) => {
                    let had = scene.drive_lease.driver();
                    let want = [Want::Take, Want::TakeOver, Want::Release][usize::from(want)];
                    let done = scene.lease(client, want);
                    let expect = match (want, had) {
                        (Want::Take, Some(driver)) if driver != client => Some(driver),
                        (Want::Take | Want::TakeOver, _) => Some(client),
                        (Want::Release, Some(driver)) if driver == client => None,
                        (Want::Release, driver) => driver,
                    };
                    prop_assert_eq!(scene.drive_lease.driver(), expect);
                    prop_assert_eq!(done.is_err(), want == Want::Take && had.is_some_and(|driver| driver != client));
                }
                Deed::Leave(client) => {
                    let mut orders = vec![];
                    scene.drive_lease.leave(client, scene.now, &mut orders);
                    scene.publish(orders);
                    prop_assert_ne!(scene.drive_lease.driver(), Some(client));
                }
                Deed::Drive { client, motion, back } => {
                    let motion = match motion {
                        0 => twist(0.0),
                        1 => Motion::Arc { velocity: 0.1, curvature: 0.3 },
                        2 => Motion::Arc { velocity: 0.0, curvature: 0.3 },
                        _ => twist(0.1),
                    };
                    let done = scene.drive_seeing(client, motion, scene.shown.saturating_sub(back));
                    prop_assert!(done.is_err() || scene.drive_lease.driver() == Some(client), "nobody else drives");
                    if done.is_ok() && !motion.is_zero() {
                        prop_assert!(held.is_none_or(|(stop, enabled, _)| stop == Stop::Halt || enabled), "a stop holds");
                        followed.push(Followed { client, at: scene.now });
                        held = None;
                    }
                }
                Deed::Stop(emergency) => {
                    let stop = if emergency { Stop::Emergency } else { Stop::Halt };
                    scene.stop(stop);
                    prop_assert_eq!(scene.published[before].1, Order::Stop(stop), "at once, and before anything else");
                    held = match held {
                        Some((Stop::Emergency, false, at)) => Some((Stop::Emergency, false, at)),
                        _ => Some((stop, false, scene.now)),
                    };
                }
                Deed::Enable => {
                    scene.drive_lease.enabled(scene.now);
                    held = held.map(|(stop, _, at)| (stop, true, at));
                }
            }
            // Every motion that was published now is one that a driver has just asked for.
            for (at, order) in &scene.published[before..] {
                if let Order::Move(motion) = order && !motion.is_zero() {
                    let newest = followed.last().unwrap();
                    prop_assert!(newest.at == *at && scene.drive_lease.driver() == Some(newest.client));
                }
            }
        }
        scene.wait(ms(5000));
        // Whatever moves is at rest again within the dead-man time, or asked for once more.
        let moves: Vec<_> = scene.published.iter().filter_map(|(at, order)| match order {
            Order::Move(motion) => Some((*at, *motion)),
            Order::Stop(_) => None,
        }).collect();
        for pair in moves.windows(2) {
            let ((at, motion), (next, _)) = (pair[0], pair[1]);
            prop_assert!(motion.is_zero() || next <= at + DEAD_MAN, "{:?} at {:?}, then nothing until {:?}", motion, at, next);
        }
        prop_assert!(moves.last().is_none_or(|(_, motion)| motion.is_zero()));
        prop_assert_eq!(scene.drive_lease.next(), None, "nothing is left to be done");
    }
}
