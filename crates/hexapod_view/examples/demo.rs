//! The view with a robot that is only made up: a tripod gait that follows the keys.

use std::cell::RefCell;
use std::f64::consts::TAU;
use std::io;
use std::time::Instant;

use hexapod_view::{Action, LegView, Level, Snapshot, is_terminal, run_loop, status_line};

const NAMES: [&str; 6] = ["left_front", "left_middle", "left_rear", "right_front", "right_middle", "right_rear"];
const HIPS: [[f64; 2]; 6] = [[0.09, 0.05], [0.0, 0.065], [-0.09, 0.05], [0.09, -0.05], [0.0, -0.065], [-0.09, -0.05]];
const FEET: [[f64; 2]; 6] = [[0.19, 0.15], [0.0, 0.2], [-0.19, 0.15], [0.19, -0.15], [0.0, -0.2], [-0.19, -0.15]];
const CYCLE_S: f64 = 0.8;

struct Robot {
    last: Instant,
    last_command: Instant,
    state: &'static str,
    servos: &'static str,
    gait: String,
    wanted: [f64; 3],
    walked: [f64; 3],
    odom: [f64; 3],
    height: f64,
    phase: f64,
    path: Vec<[f64; 2]>,
    messages: Vec<(Level, String)>,
}

impl Robot {
    fn new() -> Self {
        Self {
            last: Instant::now(),
            last_command: Instant::now(),
            state: "standing",
            servos: "enabled",
            gait: "tripod".into(),
            wanted: [0.0; 3],
            walked: [0.0; 3],
            odom: [0.0; 3],
            height: 0.095,
            phase: 0.0,
            path: Vec::new(),
            messages: vec![(Level::Ok, "made-up robot ready".into())],
        }
    }

    fn obey(&mut self, action: Action) {
        match action {
            Action::Drive { linear_x, linear_y, angular_z } => {
                self.wanted = [linear_x, linear_y, angular_z];
                self.last_command = Instant::now();
            }
            Action::EmergencyStop => {
                (self.servos, self.wanted) = ("emergency stop", [0.0; 3]);
                self.messages.push((Level::Error, "emergency stop: all channels off".into()));
            }
            Action::Enable(on) => self.servos = if on { "enabled" } else { "disabled" },
            Action::Stand => self.state = "standing",
            Action::Sit => (self.state, self.wanted) = ("sitting", [0.0; 3]),
            Action::Stop => self.wanted = [0.0; 3],
            Action::Gait(name) => self.gait = name,
            Action::BodyHeight(step) => self.height = (self.height + step).clamp(0.05, 0.14),
            Action::Motion(name) => self.messages.push((Level::Ok, format!("motion {name:?}: this robot is made up"))),
            Action::Quit => {}
        }
    }

    fn step(&mut self) {
        let dt = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let is_able = self.servos == "enabled" && self.state != "sitting";
        let is_heard = self.last_command.elapsed().as_secs_f64() < 0.5;
        let goal = if is_able && is_heard { self.wanted } else { [0.0; 3] };
        let share = 1.0 - (-dt / 0.25).exp();
        self.walked = [0, 1, 2].map(|axis| self.walked[axis] + (goal[axis] - self.walked[axis]) * share);
        let [vx, vy, wz] = self.walked;
        let (sin, cos) = self.odom[2].sin_cos();
        self.odom = [
            self.odom[0] + (cos * vx - sin * vy) * dt,
            self.odom[1] + (sin * vx + cos * vy) * dt,
            self.odom[2] + wz * dt,
        ];
        self.path.push([self.odom[0], self.odom[1]]);
        let surplus = self.path.len().saturating_sub(600);
        self.path.drain(..surplus);
        let is_walking = vx.hypot(vy) > 0.004 || wz.abs() > 0.03;
        if is_walking {
            self.phase = (self.phase + dt / CYCLE_S).fract();
        }
        self.state = match (self.state, is_walking) {
            ("sitting", _) => "sitting",
            (_, true) => "walking",
            _ => "standing",
        };
    }

    fn leg(&self, index: usize) -> LegView {
        let is_walking = self.state == "walking";
        let half = if matches!(index, 0 | 2 | 4) { 0.0 } else { 0.5 };
        let phase = (self.phase + half).fract();
        let down = !is_walking || phase < 0.5;
        // Forward of its home by half a stride at touch-down, behind it at lift-off.
        let along = if !is_walking { 0.0 } else { (phase * TAU / 2.0 * 2.0).cos() * CYCLE_S / 4.0 };
        let [x, y] = FEET[index];
        let [vx, vy, wz] = self.walked;
        let foot = [x + (vx - wz * y) * along, y + (vy + wz * x) * along];
        let hip = HIPS[index];
        let knee = [0, 1].map(|axis| hip[axis] + (foot[axis] - hip[axis]) * 0.55);
        LegView { name: NAMES[index].into(), down, foot_xy: foot, hip_xy: hip, knee_xy: knee, load: None }
    }

    fn snapshot(&mut self) -> Snapshot {
        self.step();
        let legs: Vec<_> = (0..6).map(|index| self.leg(index)).collect();
        let around = [0, 1, 2, 5, 4, 3].into_iter().filter(|index| legs[*index].down);
        let support: Vec<_> = around.map(|index| legs[index].foot_xy).collect();
        Snapshot {
            gait_state: self.state.into(),
            servo_state: self.servos.into(),
            gait: self.gait.clone(),
            gaits: ["tripod", "ripple", "wave"].map(String::from).into(),
            motions: ["bow", "wave"].map(String::from).into(),
            twist_commanded: self.wanted,
            twist_walked: self.walked,
            margin_m: margin(&support),
            centre_of_mass_xy: Some([0.0; 2]),
            support,
            legs,
            body_outline: vec![[0.11, 0.04], [0.0, 0.06], [-0.11, 0.04], [-0.11, -0.04], [0.0, -0.06], [0.11, -0.04]],
            odom: self.odom,
            path: self.path.clone(),
            height_m: self.height,
            loop_rate_hz: 100.0,
            lateness_p99_us: Some(84.0),
            limited_by: if self.wanted[0] > 0.09 { "stride of right_front".into() } else { String::new() },
            messages: self.messages.clone(),
            hints: vec![
                "ros2 topic pub -r 10 /cmd_vel geometry_msgs/msg/Twist '{linear: {x: 0.05}}'".into(),
                "ros2 topic hz /joint_commands".into(),
            ],
            ..Snapshot::default()
        }
    }
}

/// Distance of the middle of the body from the nearest edge.
fn margin(support: &[[f64; 2]]) -> Option<f64> {
    let next = support.iter().cycle().skip(1);
    let edges = support.iter().zip(next).map(|(a, b)| (a[0] * b[1] - a[1] * b[0]) / (a[0] - b[0]).hypot(a[1] - b[1]));
    edges.reduce(f64::min)
}

fn main() -> io::Result<()> {
    let robot = RefCell::new(Robot::new());
    if !is_terminal() {
        println!("{}", status_line(&robot.borrow_mut().snapshot()));
        return Ok(());
    }
    run_loop(|| robot.borrow_mut().snapshot(), |action| robot.borrow_mut().obey(action), || false)
}
