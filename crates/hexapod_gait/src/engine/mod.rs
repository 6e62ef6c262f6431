//! The engine: commands in, joint angles out, one call a tick.
//!
//! Decisions are taken on a grid of time that does not depend on the ticks (`plan`); from there to the next point of
//! the grid, or to the next moment at which a foot is lifted or put down, all goes on in closed form (`path`). A tick
//! reads that path at its own time, so the path is the same at any rate.

pub(crate) mod base;
pub(crate) mod handover;
mod next_steps;
pub(crate) mod report;
mod shown;
mod tuning;
pub(crate) mod unplanned;

use crate::engine::base::Base;
use crate::engine::report::report;
use crate::gait::Gait;
use crate::path::Path;
use crate::plan::Planner;
use crate::plan::control::{Control, Posture, Requests, Tuning};
use crate::plan::fitting::Fit;
use crate::plane::grid::{GRID_NS, tick_s};
use crate::plane::limits::LimitedBy;
use crate::plane::size::{Enlarged, own_robot, size_of};
use crate::plant::Plant;
use crate::plant::apart::Shortened;
use crate::plant::settings::Settings;
use crate::plant::stance::{Stance, StanceError};
use crate::state::State;
use crate::state::allowance::{Allowance, WITHIN, Work};
use crate::state::foot::Foot;
use crate::state::mode::Mode;
use crate::state::segment::{Route, Segment, Travel};
use crate::state::tick::{Input, Tick};
use hexapod_kinematics::{IterationBudget, Leg, LegAngles, Look, MAX_LEGS, Robot, SelfCollision};
use nalgebra::Vector2;
use std::sync::Arc;

/// All of an engine that changes: kept to go back to, or to go on from in another engine of the same robot.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    pub(crate) route: Route,
    pub(crate) control: Control,
    pub(crate) elapsed_ns: u64,
    pub(crate) allowance: Allowance,
    pub(crate) work: Work,
    pub(crate) tick: Tick,
}

/// A robot's walking engine. Pure: the same calls give the same bits.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(crate) plant: Arc<Plant>,
    pub(crate) tuning: Tuning,
    pub(crate) now: Snapshot,
    /// The robot as it is described, and its stance; the plant's is about the middle of its hips, and of one size.
    robot: Arc<Robot>,
    stance: Stance,
    /// Where its base link is, if elsewhere, and the last tick and the resting feet as they are there.
    base: Option<Base>,
    shown: Tick,
    rest_feet: [Vector2<f64>; MAX_LEGS],
    /// How near legs were to each other: it saves time and changes nothing.
    look: Look,
}

impl Engine {
    /// An engine whose robot sits.
    ///
    /// # Errors
    /// The robot cannot stand as the settings ask.
    pub fn new(robot: Arc<Robot>, gait: Gait, settings: Settings) -> Result<Self, StanceError> {
        let stance = Stance::new(&robot, settings.stance)?;
        Ok(Self::with_stance(robot, gait, settings, stance))
    }

    /// The same with a stance that has been worked out for this robot, whatever the settings say of it.
    #[must_use]
    pub fn with_stance(robot: Arc<Robot>, gait: Gait, settings: Settings, stance: Stance) -> Self {
        let size = size_of(&robot);
        let settings = settings.enlarged(1.0 / size);
        let plant = Plant::new(own_robot(&robot), &settings, stance.enlarged(1.0 / size));
        let plant = Arc::new(Plant { size, ..plant });
        let stance = plant.stance.enlarged(size);
        let base = Base::of(&robot);
        let tuning = Tuning { step_height: settings.step_height, limits: settings.limits };
        let now = Snapshot {
            route: Route::at(&State::sitting(&plant, gait.cycle_time())),
            control: Control::new(gait, &tuning),
            elapsed_ns: 0,
            allowance: Allowance::FULL,
            work: Work::default(),
            tick: Tick::blank(std::array::from_fn(|leg| {
                plant.legs().get(leg).map_or(LegAngles::zeros(0), Leg::posture)
            })),
        };
        let shown = now.tick;
        let in_base = |at: &Vector2<f64>| base.map_or(*at, |base| base.place(*at));
        let rest_feet = std::array::from_fn(|leg| plant.stance.rest().get(leg).map(in_base).unwrap_or_default());
        let mut engine = Self { plant, tuning, now, robot, stance, base, shown, rest_feet, look: Look::default() };
        // Whatever it may have been made ready for.
        engine.now.control.gaits.walked = engine.fit().timed(gait.with_needs(None));
        engine.report_rest();
        engine
    }

    /// Switches legs off by name, before anything has moved: they are held up where they are out of the way and the
    /// robot walks on the others, one leg at a time.
    ///
    /// # Errors
    /// No leg has this name, or fewer than four are left.
    pub fn without_legs<'a>(mut self, names: impl Iterator<Item = &'a str>) -> Result<Self, StanceError> {
        let plant = Arc::make_mut(&mut self.plant);
        for name in names {
            let index = plant.switch_off(name)?;
            self.now.route.start_mut().angles[index] = plant.held_up(index);
            self.now.route.start_mut().walk.feet[index] = Foot::Missing;
        }
        let left = self.legs().len() - self.plant.missing.count_ones() as usize;
        if self.plant.missing != 0 {
            if left < 4 {
                return Err(StanceError::LegsLeft(left));
            }
            self.now.control.gaits.walked = self.fit().suited(self.now.control.gaits.walked.with_needs(None));
        }
        self.now.route.start_mut().walk.cycle = self.now.control.gaits.walked.cycle_time();
        self.report_rest();
        Ok(self)
    }

    /// Gives the robot a packed pose: these angles of each leg's joints, or, without, the angles that bring each foot
    /// nearest to its hip with the foot off the ground. A leg of more than three joints stays as it is unless
    /// commanded; a robot none of whose legs folds by itself has no packed pose.
    ///
    /// # Errors
    /// Angles for other legs or joints than the robot has, or beyond their limits.
    pub fn with_packed_pose(mut self, angles: Option<&[LegAngles]>) -> Result<Self, StanceError> {
        let packed = self.plant.packed_pose(angles)?;
        Arc::make_mut(&mut self.plant).packed = packed;
        Ok(self)
    }

    /// The robot's legs, in the order of every array here.
    #[must_use]
    pub fn legs(&self) -> &[Leg] {
        self.robot.legs()
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// Where the feet rest and how far they reach, in the frame of the hips.
    #[must_use]
    pub fn stance(&self) -> &Stance {
        &self.stance
    }

    /// Why steps are shorter than the legs reach, where they are so that legs keep apart.
    #[must_use]
    pub fn shortened(&self) -> Option<Shortened> {
        self.plant.apart.shortened()
    }

    /// How near legs may come to each other and to the body: half a millimetre more than the leg clearance, for what they do
    /// between two looks, and less where the stance brings them nearer.
    #[must_use]
    pub fn self_collision(&self) -> &Arc<SelfCollision> {
        self.plant.apart.collision()
    }

    /// Whether links of a leg, by its index, count as lines where legs are kept apart, their thickness being unknown.
    #[must_use]
    pub fn is_of_lines(&self, leg: usize) -> bool {
        self.plant.apart.is_of_lines(leg)
    }

    /// The gait that is walked.
    #[must_use]
    pub fn gait(&self) -> &Gait {
        &self.now.control.gaits.walked
    }

    /// The last tick.
    #[must_use]
    pub fn last(&self) -> &Tick {
        if self.base.is_some() { &self.shown } else { &self.now.tick }
    }

    /// Takes down the last tick as it is outside.
    fn show(&mut self) {
        if let Some(base) = &self.base {
            self.shown = base.tick(&self.now.tick);
        }
    }

    /// What the last tick has taken.
    #[must_use]
    pub fn work(&self) -> Work {
        self.now.work
    }

    /// All that changes, to be given to [`Self::restore`].
    #[must_use]
    pub fn save(&self) -> Snapshot {
        self.now
    }

    /// Goes on from where an engine of the same robot and settings was when it was saved.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.now = *snapshot;
        self.show();
    }

    /// Asks the robot to stand up, or to stop walking and stand.
    pub fn stand(&mut self) {
        self.now.control.requests = Requests::stop_for(Posture::Stand);
    }

    /// Asks the robot to stop if it walks, and to sit down.
    pub fn sit(&mut self) {
        self.now.control.requests = Requests::stop_for(Posture::Sit);
    }

    /// Asks the robot to sit down and to fold its legs; false if it has no packed pose.
    pub fn pack(&mut self) -> bool {
        if self.plant.packed.is_some() {
            self.now.control.requests = Requests::stop_for(Posture::Pack);
        }
        self.plant.packed.is_some()
    }

    /// Whether the robot has a pose to be carried in.
    #[must_use]
    pub fn can_pack(&self) -> bool {
        self.plant.packed.is_some()
    }

    /// Whether all legs are folded.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        let all = (1_u32 << self.legs().len()) - 1;
        let start = self.now.route.start();
        start.mode == Mode::Sitting && (start.packed | self.plant.missing) == all
    }

    /// What barred a walk that did not get on and was given up: the robot stands, and commands count again once the driver
    /// has let go of the stick.
    #[must_use]
    pub fn gave_up(&self) -> Option<LimitedBy> {
        self.now.control.gave_up()
    }

    /// Stops the robot with all feet planted. Commands count again once the driver has let go of the stick.
    pub fn stop(&mut self) {
        self.now.control.requests.stop = true;
        self.now.control.requests.released = false;
    }

    /// What fits gaits to this robot.
    pub(super) fn fit(&self) -> Fit<'_> {
        Fit::on(&self.plant, &self.tuning, self.now.control.roughness.level)
    }

    /// Moves on by `dt` seconds, or by a tenth of a second where that is less, as [`Tick::taken_s`] says. The path never depends on what the joints can do: where one would exceed its
    /// greatest velocity, the whole robot takes the path more slowly.
    pub fn step(&mut self, input: &Input, dt: f64) -> &Tick {
        match self.base {
            Some(base) => {
                self.advance(&base.input(input), dt);
                self.show();
            }
            None => self.advance(input, dt),
        }
        self.last()
    }

    fn advance(&mut self, input: &Input, dt: f64) {
        let dt = tick_s(dt);
        let mut left = (dt * 1e9).round() as u64;
        let mut travel = Travel::none();
        self.now.work = Work::default();
        while left > 0 {
            if self.now.route.segment().is_none() {
                self.plan(input);
            }
            left -= self.follow(&mut travel, left);
        }
        travel.by = travel.by.max(self.now.control.pose_held_by(&self.now.route.start().mode));
        match self.now.route.segment() {
            None => report(&self.plant, &mut self.now.tick, self.now.route.start(), &travel, dt),
            Some(segment) => {
                let mut budget = IterationBudget::new(WITHIN);
                let within = self.present(segment, &mut budget);
                self.now.work.steps += WITHIN - budget.left();
                report(&self.plant, &mut self.now.tick, &within, &travel, dt);
            }
        }
    }

    /// Goes on in the present segment, for `left` ns or to its end; how far. A state is large: it is read where it lies.
    fn follow(&mut self, travel: &mut Travel, left: u64) -> u64 {
        let Some(segment) = self.now.route.segment() else { return 0 };
        let from = self.now.elapsed_ns;
        let to = (from + left).min(segment.ns);
        travel.add(self.now.route.start(), segment, from, to);
        if to == segment.ns {
            self.now.route.arrive();
            self.now.elapsed_ns = 0;
        } else {
            self.now.elapsed_ns = to;
        }
        to - from
    }

    /// Plans the next segment.
    fn plan(&mut self, input: &Input) {
        let Snapshot { route, control, allowance, .. } = &mut self.now;
        let (start, next) = route.set_out();
        if start.ns.is_multiple_of(GRID_NS) {
            *allowance = Allowance::FULL;
        }
        let before = *allowance;
        let (plant, tuning, look) = (&self.plant, &self.tuning, &mut self.look);
        Planner { plant, tuning, control, allowance, look }.next_segment(start, input, next);
        self.now.work += self.now.allowance.since(&before);
    }

    /// The robot at the present moment.
    pub(crate) fn present(&self, segment: &Segment, budget: &mut IterationBudget) -> State {
        let path = Path { plant: &self.plant, gait: &self.now.control.gaits.walked };
        path.within(self.now.route.start(), segment, self.now.elapsed_ns, budget)
    }

    /// Takes down the pose of a robot that has just been put there.
    pub(crate) fn report_rest(&mut self) {
        report(&self.plant, &mut self.now.tick, self.now.route.start(), &Travel::none(), 0.0);
        self.show();
    }
}
