//! The right-hand column: twist, margin, footfalls, timing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::footfall_strip;
use super::theme::{self, titled};
use crate::format::{fixed, plain};
use crate::{Snapshot, Teleop};

/// Below this margin the robot is about to tip, metres.
const TIPPING_M: f64 = 0.010;
/// Below this margin it deserves a look, metres.
const NARROW_M: f64 = 0.025;
/// The margin that fills the gauge, metres.
const FULL_M: f64 = 0.080;

struct Section {
    title: String,
    lines: Vec<Line<'static>>,
}

pub(super) fn draw(frame: &mut Frame, snapshot: &Snapshot, teleop: &Teleop, area: Rect) {
    let width = area.width;
    let sections = [
        Section { title: format!("twist, keys at {} %", teleop.percent()), lines: twist_lines(snapshot, width) },
        Section { title: "stability margin".into(), lines: vec![margin_line(snapshot.margin_m, width)] },
        Section { title: footfall_title(snapshot, width), lines: footfall_strip::lines(snapshot, width) },
        Section { title: "control loop".into(), lines: loop_lines(snapshot) },
    ];
    let lines: usize = sections.iter().map(|section| section.lines.len()).sum();
    let room = usize::from(area.height);
    let titles = usize::from(lines + sections.len() <= room);
    let gaps = usize::from(lines + sections.len() * 2 <= room + 1);
    let mut top = area.y;
    for section in sections {
        top = draw_section(frame, section, Rect { y: top, width, ..area }, area.bottom(), titles) + gaps as u16;
    }
}

/// Draws what fits above `bottom`; returns the line after it.
fn draw_section(frame: &mut Frame, section: Section, area: Rect, bottom: u16, titles: usize) -> u16 {
    let wanted = u16::try_from(section.lines.len() + titles).unwrap_or(u16::MAX);
    let area = Rect { height: wanted.min(bottom.saturating_sub(area.y)), ..area };
    let paragraph = Paragraph::new(section.lines);
    let paragraph = if titles > 0 { paragraph.block(titled(section.title)) } else { paragraph };
    frame.render_widget(paragraph, area);
    area.bottom()
}

fn footfall_title(snapshot: &Snapshot, width: u16) -> String {
    let down = snapshot.legs.iter().filter(|leg| leg.down).count();
    let legs = snapshot.legs.len();
    // The word for the forces comes first: what does not fit is cut off at the end.
    let what = snapshot.load_source().map_or("feet".into(), |(source, mixed)| {
        format!("{}{} forces", if mixed { "partly " } else { "" }, source.as_str())
    });
    format!("{what}, {down} of {legs} down, last {:.0} s", footfall_strip::seconds(snapshot, width))
}

fn twist_lines(snapshot: &Snapshot, width: u16) -> Vec<Line<'static>> {
    let axes = [("fwd ", "m/s", 3), ("left", "m/s", 3), ("turn", "rad/s", 2)];
    let each = axes.into_iter().enumerate().map(|(axis, (name, unit, decimals))| {
        let wanted = snapshot.twist_commanded[axis];
        let walked = snapshot.twist_walked[axis];
        let figures = format!("{:>6} {unit:<5}", fixed(walked, decimals, ""));
        let room = usize::from(width).saturating_sub(name.chars().count() + figures.chars().count() + 2);
        let mut spans = vec![Span::styled(format!("{name} "), theme::quiet())];
        spans.extend(signed_bar(room, wanted, walked, snapshot.top_speed[axis]));
        spans.push(Span::raw(format!(" {figures}")));
        Line::from(spans)
    });
    let mut lines: Vec<_> = each.collect();
    lines.push(limit_line(snapshot));
    lines
}

fn limit_line(snapshot: &Snapshot) -> Line<'static> {
    if snapshot.limited_by.is_empty() {
        return Line::styled("◆ wanted  ━ walked", theme::quiet());
    }
    Line::styled(format!("▲ limited by {}", plain(&snapshot.limited_by)), Style::new().fg(theme::CARE))
}

/// A bar from its middle out to `walked`, with a mark at `wanted`; `full` fills a half.
fn signed_bar(width: usize, wanted: f64, walked: f64, full: f64) -> Vec<Span<'static>> {
    let middle = width / 2;
    let cell = |value: f64| {
        let share = if full > 0.0 && value.is_finite() { (value / full).clamp(-1.0, 1.0) } else { 0.0 };
        (middle as f64 + share * middle as f64).round() as usize
    };
    let (mark, end) = (cell(wanted).min(width.saturating_sub(1)), cell(walked));
    let (from, to) = (middle.min(end), middle.max(end));
    let mark_style = if wanted == 0.0 { theme::quiet() } else { Style::new().fg(theme::WAY) };
    (0..width)
        .map(|index| match index {
            _ if index == mark => Span::styled("◆", mark_style),
            _ if index == middle => Span::styled("┼", theme::quiet()),
            _ if (from..=to).contains(&index) => Span::styled("━", Style::new().fg(theme::GOOD)),
            _ => Span::styled("─", theme::faint()),
        })
        .collect()
}

fn margin_line(margin_m: Option<f64>, width: u16) -> Line<'static> {
    let Some(margin) = margin_m.filter(|margin| margin.is_finite()) else {
        return Line::styled("not known", theme::quiet());
    };
    let (color, word) = margin_color(margin);
    let figures = format!(" {:>6} {word}", fixed(margin * 1e3, 0, " mm"));
    let room = usize::from(width).saturating_sub(figures.chars().count());
    let filled = ((margin / FULL_M).clamp(0.0, 1.0) * room as f64).round() as usize;
    Line::from(vec![
        Span::styled("━".repeat(filled), Style::new().fg(color)),
        Span::styled("─".repeat(room - filled.min(room)), theme::faint()),
        Span::styled(figures, Style::new().fg(color)),
    ])
}

fn margin_color(margin_m: f64) -> (Color, &'static str) {
    match margin_m {
        margin if margin < TIPPING_M => (theme::BAD, "■ tipping"),
        margin if margin < NARROW_M => (theme::CARE, "▲ narrow"),
        _ => (theme::GOOD, "● stable"),
    }
}

fn loop_lines(snapshot: &Snapshot) -> Vec<Line<'static>> {
    let lateness = snapshot.lateness_p99_us.map_or("—".into(), |late| fixed(late, 0, " µs"));
    let overruns = if snapshot.overruns == 0 { Style::new() } else { Style::new().fg(theme::CARE) };
    vec![
        Line::from(vec![
            Span::raw(fixed(snapshot.loop_rate_hz, 1, " Hz")),
            Span::styled("   99 % within ", theme::quiet()),
            Span::raw(lateness),
        ]),
        Line::from(vec![
            Span::styled("overruns ", theme::quiet()),
            Span::styled(snapshot.overruns.to_string(), overruns),
        ]),
    ]
}
