//! OE between threads: loom runs every order in which a stop, a release and a tick can meet (src/outputs.rs).

mod sync {
    pub(crate) use loom::sync::Mutex;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(crate) use std::sync::TryLockError;
}
#[path = "../src/outputs.rs"]
#[allow(dead_code, reason = "what one test does not use")]
mod outputs;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;
use outputs::{OutputEnable, Outputs};

/// A pin that a test can look at.
struct Pin(Arc<AtomicBool>);

impl OutputEnable for Pin {
    fn let_through(&mut self, on: bool) {
        self.0.store(on, Ordering::SeqCst);
    }
}

/// OE and the count of stops, as `StopLine` has them.
#[derive(Clone)]
struct Line {
    outputs: Arc<Outputs<Pin>>,
    stops: Arc<AtomicU64>,
    level: Arc<AtomicBool>,
}

impl Line {
    fn new() -> Self {
        let (outputs, level) = (Outputs::default(), Arc::new(AtomicBool::new(false)));
        outputs.connect(Pin(Arc::clone(&level)));
        Self { outputs: Arc::new(outputs), stops: Arc::new(AtomicU64::new(0)), level }
    }

    fn stop(&self) {
        self.stops.fetch_add(1, Ordering::SeqCst);
        self.outputs.cut();
    }

    /// As an `enable` does with the ticket that it has.
    fn release(&self, ticket: u64) -> bool {
        self.outputs.release_if(|| if self.stops.load(Ordering::SeqCst) == ticket { Ok(()) } else { Err(()) }).is_ok()
    }

    fn is_on(&self) -> bool {
        self.level.load(Ordering::SeqCst)
    }
}

fn every_order(test: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    // More preemptions find nothing that three do not, and take minutes.
    model.preemption_bound = Some(3);
    model.check(test);
}

#[test]
fn when_a_stop_meets_a_release_and_a_tick_in_any_order_expect_the_outputs_cut_in_the_end() {
    every_order(|| {
        let line = Line::new();
        let stops = line.clone();
        let stopper = thread::spawn(move || stops.stop());
        // The thread of the bus: an enable whose ticket is older than the stop, and the ticks after it.
        line.release(0);
        line.outputs.enable(true);
        line.outputs.enable(true);
        stopper.join().unwrap();
        assert!(!line.is_on());
    });
}

#[test]
fn when_two_stops_meet_a_tick_in_any_order_expect_the_outputs_cut_in_the_end() {
    every_order(|| {
        let line = Line::new();
        let stoppers = [line.clone(), line.clone()].map(|line| thread::spawn(move || line.stop()));
        line.outputs.enable(true);
        stoppers.into_iter().for_each(|stopper| stopper.join().unwrap());
        assert!(!line.is_on());
    });
}

#[test]
fn when_an_enable_comes_after_a_stop_expect_the_outputs_on_whatever_looks_on_meanwhile() {
    every_order(|| {
        let line = Line::new();
        line.stop();
        let looks = line.clone();
        // A second cut of the same stop: the thread of the bus cuts again what it hears of.
        let looker = thread::spawn(move || looks.outputs.is_cut());
        assert!(line.release(1));
        line.outputs.enable(true);
        looker.join().unwrap();
        assert!(line.is_on());
    });
}

#[test]
fn when_the_pin_is_given_back_while_a_tick_runs_expect_it_cut_before() {
    every_order(|| {
        let line = Line::new();
        let ticks = line.clone();
        let ticker = thread::spawn(move || ticks.outputs.enable(true));
        line.outputs.disconnect();
        ticker.join().unwrap();
        assert!(!line.is_on());
    });
}
