//! Draws the figure of the closed form in the README of `hexapod_kinematics`: `closed_form > docs/closed_form.svg`.

use hexapod_plot::{Paint, Rgb, Svg, Theme};

/// Leg of the figure, m: lateral offset, from joint 1 to joint 2, upper and lower link; and the target in joint 1's frame.
const OFFSET: f64 = 0.03;
const COXA: f64 = 0.052;
const UPPER: f64 = 0.066;
const LOWER: f64 = 0.133;
const TARGET: [f64; 3] = [0.12, 0.09, -0.08];

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 400.0;
const THEME: Theme = Theme::Light;

fn main() {
    print!("{}", picture());
}

/// The figure.
pub fn picture() -> String {
    let mut svg = Svg::new(WIDTH, HEIGHT, "The closed form of a leg whose outer axes are parallel", THEME.background());
    for x in [20.0, 440.0] {
        svg.rect([x, 46.0], [400.0, 334.0], 8.0, &Paint::fill(THEME.panel()));
    }
    svg.text([24.0, 32.0], 14.0, THEME.ink(), "seen along joint 1");
    svg.text([444.0, 32.0], 14.0, THEME.ink(), "the plane of the arm, seen along joints 2 and 3");
    from_above(&mut svg);
    in_the_plane(&mut svg);
    svg.finish()
}

/// A panel: where its origin is and how many pixels a metre has.
struct Panel {
    origin: [f64; 2],
    scale: f64,
}

impl Panel {
    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.origin[0] + x * self.scale, self.origin[1] - y * self.scale]
    }

    fn line(&self, svg: &mut Svg, from: [f64; 2], to: [f64; 2], paint: &Paint) {
        svg.line(self.at(from), self.at(to), paint);
    }

    fn arc(&self, svg: &mut Svg, centre: [f64; 2], radius: f64, [from, to]: [f64; 2], paint: &Paint) {
        let point = |k: i32| {
            let angle = from + (to - from) * f64::from(k) / 48.0;
            self.at([centre[0] + radius * angle.cos(), centre[1] + radius * angle.sin()])
        };
        svg.path(&[(0..=48).map(point).collect()], false, paint);
    }

    fn dot(&self, svg: &mut Svg, at: [f64; 2], colour: Rgb) {
        svg.circle(self.at(at), 4.5, &Paint::fill(colour));
    }

    fn label(&self, svg: &mut Svg, at: [f64; 2], [dx, dy]: [f64; 2], text: &str) {
        let [x, y] = self.at(at);
        svg.text([x + dx, y + dy], 13.0, THEME.ink(), text);
    }
}

fn thin() -> Paint {
    Paint { dashed: true, ..Paint::stroke(THEME.muted(), 1.0) }
}

fn angle_mark() -> Paint {
    Paint::stroke(THEME.series(2), 1.6)
}

/// Both turns of joint 1: the leg's plane passes joint 1 at the distance D and holds the target.
fn from_above(svg: &mut Svg) {
    let panel = Panel { origin: [180.0, 290.0], scale: 1100.0 };
    let [tx, ty, _] = TARGET;
    let ahead = (tx * tx + ty * ty - OFFSET * OFFSET).sqrt();
    panel.line(svg, [-0.12, 0.0], [0.19, 0.0], &thin());
    panel.line(svg, [0.0, -0.06], [0.0, 0.2], &thin());
    panel.label(svg, [0.19, 0.0], [-4.0, 16.0], "x");
    panel.label(svg, [0.0, 0.2], [6.0, 6.0], "y");
    let paints = [Paint::stroke(THEME.series(0), 2.4), Paint { dashed: true, ..Paint::stroke(THEME.series(1), 1.8) }];
    for (sign, paint) in [1.0, -1.0].into_iter().zip(paints) {
        let ahead = sign * ahead;
        let q1 = (ty * ahead - tx * OFFSET).atan2(tx * ahead + ty * OFFSET);
        let near = [-OFFSET * q1.sin(), OFFSET * q1.cos()];
        panel.line(svg, [0.0, 0.0], near, &paint);
        panel.line(svg, near, [tx, ty], &paint);
        if sign > 0.0 {
            panel.line(svg, [0.0, 0.0], [0.1 * q1.cos(), 0.1 * q1.sin()], &thin());
            panel.arc(svg, [0.0, 0.0], 0.05, [0.0, q1], &angle_mark());
            panel.label(svg, [0.05 * (q1 / 2.0).cos(), 0.05 * (q1 / 2.0).sin()], [6.0, 6.0], "q1");
            panel.label(svg, [near[0] / 2.0, near[1] / 2.0], [-16.0, 0.0], "D");
            panel.label(svg, [(near[0] + tx) / 2.0, (near[1] + ty) / 2.0], [-30.0, -10.0], "x'");
        } else {
            panel.label(svg, near, [6.0, 16.0], "the other root, -x'");
        }
    }
    panel.dot(svg, [0.0, 0.0], THEME.ink());
    panel.dot(svg, [tx, ty], THEME.series(1));
    panel.label(svg, [0.0, 0.0], [-62.0, 18.0], "joint 1");
    panel.label(svg, [tx, ty], [8.0, -6.0], "target (x, y)");
}

/// Both bends of the arm.
fn in_the_plane(svg: &mut Svg) {
    let panel = Panel { origin: [590.0, 190.0], scale: 1250.0 };
    let [tx, ty, h] = TARGET;
    let w = [(tx * tx + ty * ty - OFFSET * OFFSET).sqrt() - COXA, h];
    let cos = (w[0] * w[0] + w[1] * w[1] - UPPER * UPPER - LOWER * LOWER) / (2.0 * UPPER * LOWER);
    panel.line(svg, [-COXA, 0.0], [0.19, 0.0], &thin());
    panel.line(svg, [0.0, 0.0], w, &thin());
    panel.line(svg, [-COXA, 0.0], [0.0, 0.0], &Paint::stroke(THEME.muted(), 2.4));
    let paints = [Paint::stroke(THEME.series(0), 2.6), Paint { dashed: true, ..Paint::stroke(THEME.series(1), 1.8) }];
    for (sign, paint) in [-1.0, 1.0].into_iter().zip(paints) {
        let bend = sign * cos.acos();
        let (along, aside) = (UPPER + LOWER * cos, LOWER * bend.sin());
        let q2 = (w[1] * along - w[0] * aside).atan2(w[0] * along + w[1] * aside);
        let knee = [UPPER * q2.cos(), UPPER * q2.sin()];
        panel.line(svg, [0.0, 0.0], knee, &paint);
        panel.line(svg, knee, w, &paint);
        panel.dot(svg, knee, THEME.ink());
        if sign < 0.0 {
            let on = |fraction: f64| [knee[0] + fraction * knee[0], knee[1] + fraction * knee[1]];
            panel.line(svg, knee, on(0.6), &thin());
            panel.arc(svg, [0.0, 0.0], 0.032, [0.0, q2], &angle_mark());
            panel.arc(svg, knee, 0.028, [q2, q2 + bend], &angle_mark());
            panel.label(svg, [0.032, 0.0], [3.0, -10.0], "q2+u");
            panel.label(svg, [knee[0] + 0.028, knee[1]], [6.0, 8.0], "b");
            panel.label(svg, [knee[0] / 2.0, knee[1] / 2.0], [-20.0, -2.0], "l2");
            panel.label(svg, [(knee[0] + w[0]) / 2.0, (knee[1] + w[1]) / 2.0], [8.0, 0.0], "l3");
        } else {
            panel.label(svg, knee, [-70.0, 22.0], "the other bend, -b");
        }
    }
    panel.dot(svg, [0.0, 0.0], THEME.ink());
    panel.dot(svg, [-COXA, 0.0], THEME.ink());
    panel.dot(svg, w, THEME.series(1));
    panel.label(svg, [-COXA, 0.0], [-30.0, 20.0], "joint 1");
    panel.label(svg, [0.0, 0.0], [-34.0, -12.0], "joint 2");
    panel.label(svg, w, [8.0, 14.0], "foot w");
}
