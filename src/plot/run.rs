//! `hexapod plot run`: a walk in physics, from its table.

use super::over_time::time_chart;
use crate::cli::RunTableArgs;
use crate::commands::BOM;
use crate::exit::Failure;
use hexapod_plot::{LineChart, Mark, Panel, Series, Theme, line_plot, page};
use std::path::Path;

const PANEL_PX: [f64; 2] = [720.0, 400.0];
/// A line has no more points than this: the picture is not finer.
const MOST_POINTS: usize = 700;
/// More marks than this hide the curves.
const MOST_MARKS: usize = 20;

/// Path, side view, lean, slip and power, of one walk or of two over each other.
pub(super) fn draw(arguments: &RunTableArgs) -> Result<String, Failure> {
    let walks = arguments.tables.iter().map(|table| read(table)).collect::<Result<Vec<_>, _>>()?;
    Ok(page_of(&walks))
}

fn read(path: &Path) -> Result<Walked, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Words(format!("{name}: {e}; hexapod sim --headless writes such a table")))?;
    Walked::parse(&name, &text).map_err(|reason| Failure::Words(format!("{name}:{reason}")))
}

/// The columns that are drawn.
const COLUMNS: [&str; 11] =
    ["seconds", "x_planned", "y_planned", "x", "y", "lean", "slip", "work", "energy", "z", "falls"];
/// The height of the ground, and what happened; empty at most lines, and missing in tables of earlier versions.
const LATER_COLUMNS: [&str; 2] = ["ground", "event"];

type Row = [f64; COLUMNS.len()];

/// The rows of the table.
struct Walked {
    name: String,
    /// By [`COLUMNS`].
    rows: Vec<Row>,
    /// How far the body has gone, over the ground, and how high that is, m; not a number where there is none.
    ground: Vec<[f64; 2]>,
    /// What happened, and at which row.
    events: Vec<(usize, String)>,
}

impl Walked {
    fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut lines = text.strip_prefix(BOM).unwrap_or(text).lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        let place = |column: &str| header.split(',').position(|name| name.trim() == column);
        let mut places = [0; COLUMNS.len()];
        for (slot, column) in places.iter_mut().zip(COLUMNS) {
            *slot =
                place(column).ok_or_else(|| format!("1: there is no column {column}; give a table of hexapod sim"))?;
        }
        let [ground_at, event_at] = LATER_COLUMNS.map(place);
        let mut walked = Self { name: name.into(), rows: vec![], ground: vec![], events: vec![] };
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let cells: Vec<&str> = line.split(',').collect();
            let mut row = [0.0; COLUMNS.len()];
            for ((value, place), column) in row.iter_mut().zip(places).zip(COLUMNS) {
                let number = cells.get(place).and_then(|cell| cell.trim().parse::<f64>().ok());
                let number = number.filter(|number| number.is_finite());
                *value = number.ok_or_else(|| format!("{}: {column} is no number", index + 1))?;
            }
            let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map_or("", |cell| cell.trim());
            let height = cell(ground_at).parse().unwrap_or(f64::NAN);
            walked.add(row, height, cell(event_at)).map_err(|why| format!("{}: {why}", index + 1))?;
        }
        if walked.rows.is_empty() { Err("2: there is no line after the header".into()) } else { Ok(walked) }
    }

    fn add(&mut self, row: Row, ground: f64, event: &str) -> Result<(), String> {
        let last = self.rows.last().copied().unwrap_or(row);
        if row[0] < last[0] {
            return Err(format!(
                "the time goes back, from {} to {} s; give the lines as hexapod sim writes them",
                last[0], row[0]
            ));
        }
        let way = self.ground.last().map_or(0.0, |[way, _]| *way) + (row[3] - last[3]).hypot(row[4] - last[4]);
        let fall = (row[10] > last[10]).then_some("fall");
        let happened = [Some(event).filter(|event| !event.is_empty()), fall].into_iter().flatten();
        self.events.extend(happened.map(|event| (self.rows.len(), event.to_owned())));
        self.ground.push([way, ground]);
        self.rows.push(row);
        Ok(())
    }

    fn series(&self, name: &str, point: impl Fn(usize, &Row) -> [f64; 2]) -> Series {
        let every = self.rows.len().div_ceil(MOST_POINTS);
        let last = self.rows.len() - 1;
        let rows = self.rows.iter().enumerate().filter(|(index, _)| index % every == 0 || *index == last);
        Series { name: name.into(), points: rows.map(|(index, row)| point(index, row)).collect(), dashed: false }
    }

    fn marks(&self, at: impl Fn(usize) -> f64) -> Vec<Mark> {
        self.events.iter().take(MOST_MARKS).map(|(row, name)| Mark { at: at(*row), name: name.clone() }).collect()
    }

    /// Mean power over each second.
    fn power(&self, name: &str, column: usize) -> Series {
        let mut points = Vec::new();
        let mut from = &self.rows[0];
        for row in &self.rows {
            let seconds = row[0] - from[0];
            if seconds >= 1.0 {
                points.push([row[0] - seconds / 2.0, (row[column] - from[column]) / seconds]);
                from = row;
            }
        }
        Series { name: name.into(), points, dashed: false }
    }
}

/// The walks in one picture; what happened to the first is marked.
fn page_of(walks: &[Walked]) -> String {
    let [width, height] = PANEL_PX;
    let by_time = walks.first().map_or(vec![], |walked| walked.marks(|row| walked.rows[row][0]));
    let chart = |title: &str, y_label: &str, series| time_chart(title, y_label, series, PANEL_PX);
    let over_time = |title: &str, y_label: &str, value: fn(&Row) -> f64| {
        let of = |walked: &Walked| vec![walked.series(&name(walks, walked, ""), |_, row| [row[0], value(row)])];
        chart(title, y_label, walks.iter().flat_map(of).collect())
    };
    let lean = over_time("lean of the body", "from the vertical (deg)", |row| row[5].to_degrees());
    let slip = over_time("slip of a foot, on average over all", "slid so far (mm)", |row| row[6] * 1e3);
    let powers = |walked: &Walked| {
        // From the supply where servos are known to take something of it.
        let both = [("at the joints", 7), ("from the supply", 8)];
        let both = both.map(|(what, column)| walked.power(&name(walks, walked, what), column));
        both.into_iter().filter(|series| series.points.iter().any(|[_, watts]| *watts > 0.0)).collect::<Vec<_>>()
    };
    let power = chart("power, means over a second", "W", walks.iter().flat_map(powers).collect());
    let marked = |chart: LineChart| LineChart { marks: by_time.clone(), ..chart };
    let charts = [from_above(walks), from_the_side(walks), marked(lean), marked(slip), marked(power)];
    let at = |index: usize| [(index % 2) as f64 * width, (index / 2) as f64 * height];
    let panels: Vec<Panel> =
        charts.iter().enumerate().map(|(index, chart)| Panel { svg: line_plot(chart), at: at(index) }).collect();
    let names: Vec<&str> = walks.iter().map(|walked| walked.name.as_str()).collect();
    page(&format!("walk of {}", names.join(" and ")), 2.0 * width, 3.0 * height, Theme::Light, &panels)
}

fn from_above(walks: &[Walked]) -> LineChart {
    let of = |walked: &Walked| {
        let planned = walked.series(&name(walks, walked, "planned"), |_, [_, x, y, ..]| [*x, *y]);
        let path = walked.series(&name(walks, walked, "walked"), |_, [_, _, _, x, y, ..]| [*x, *y]);
        [Series { dashed: true, ..planned }, path]
    };
    let series = walks.iter().flat_map(of).collect();
    let chart = time_chart("path of the body, from above", "y (m)", series, PANEL_PX);
    LineChart { x_label: "x (m)".into(), equal_axes: true, ..chart }
}

fn from_the_side(walks: &[Walked]) -> LineChart {
    let of = |walked: &Walked| {
        let body = walked.series(&name(walks, walked, "body"), |index, row| [walked.ground[index][0], 1e3 * row[9]]);
        let ground = walked.series(&name(walks, walked, "ground"), |index, _| {
            let [way, height] = walked.ground[index];
            [way, 1e3 * height]
        });
        [body, Series { dashed: true, ..ground }]
    };
    let chart = time_chart("from the side", "height (mm)", walks.iter().flat_map(of).collect(), PANEL_PX);
    let marks = walks.first().map_or(vec![], |walked| walked.marks(|row| walked.ground[row][0]));
    LineChart { x_label: "way of the body over the ground (m)".into(), marks, ..chart }
}

/// What a curve of one of several walks is called.
fn name(walks: &[Walked], walked: &Walked, what: &str) -> String {
    match (walks.len() > 1, what) {
        (false, what) => what.into(),
        (true, "") => walked.name.clone(),
        (true, what) => format!("{what}, {}", walked.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = crate::sim::HEADER;

    #[test]
    fn when_a_table_is_drawn_expect_its_path_and_a_panel_for_each_figure() {
        let row = |i: usize| {
            let (falls, event) = (usize::from(i > 2), if i == 1 { "limp:=left_front" } else { "" });
            format!("{0}.0,walking,{0},0,0,{0},0,0.1,0,0,0,0.01,0.002,{0}0.0,{0}1.0,6.0,{falls},0.02,{event}\n", i + 1)
        };
        let text = format!("{HEADER}\n{}", (0..5).map(row).collect::<String>());
        let walked = Walked::parse("run.csv", &text).unwrap();
        assert_eq!(walked.power("", 7).points[1..3], [[2.5, 10.0], [3.5, 10.0]]);
        assert_eq!(walked.ground[4], [4.0, 0.02]);
        let svg = page_of(&[walked]);
        assert_eq!(svg.matches("<svg").count(), 6);
        for word in ["planned", "walked", "from the side", "ground", "lean", "slip", "power"] {
            assert!(svg.contains(word), "{word}");
        }
        // From the side and over time.
        assert_eq!(["limp:=left_front", "fall"].map(|mark| svg.matches(&format!(">{mark}<")).count()), [4, 4]);
        let both = page_of(&["a.csv", "b.csv"].map(|name| Walked::parse(name, &text).unwrap()));
        assert!(both.contains("body, a.csv") && both.contains(">b.csv<"), "{both}");
    }

    #[test]
    fn when_a_table_begins_with_a_byte_order_mark_expect_it_drawn() {
        assert!(Walked::parse("", &format!("\u{feff}{HEADER}\n1,walking{}\n", ",0".repeat(15))).is_ok());
    }

    #[test]
    fn when_a_table_is_none_of_ours_expect_the_line() {
        let no_number = format!("{HEADER}\n1,walking,a,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
        let at = |seconds: &str| format!("{seconds},walking{}\n", ",0".repeat(15));
        let back = format!("{HEADER}\n{}{}{}", at("1"), at("2"), at("1.5"));
        let cases = [
            ("", "1: "),
            ("a,b\n1,2\n", "seconds"),
            (HEADER, "2: "),
            (&no_number, "2: x_planned"),
            (&back, "4: the time goes back, from 2 to 1.5 s"),
        ];
        for (text, words) in cases {
            let reason = Walked::parse("", text).err().unwrap();
            assert!(reason.contains(words), "{reason}");
        }
    }
}
