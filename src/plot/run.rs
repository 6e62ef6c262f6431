//! `hexapod plot run`: a walk in physics, from its table.

use super::over_time::time_chart;
use crate::cli::RunTableArgs;
use crate::commands::BOM;
use crate::exit::Failure;
use hexapod_plot::{LineChart, Panel, Series, Theme, line_plot, page};

const PANEL_PX: [f64; 2] = [720.0, 400.0];
/// A line has no more points than this: the picture is not finer.
const MOST_POINTS: usize = 700;

/// Path, lean, slip and power.
pub(super) fn draw(arguments: &RunTableArgs) -> Result<String, Failure> {
    let name = arguments.table.display().to_string();
    let text = std::fs::read_to_string(&arguments.table)
        .map_err(|e| Failure::Words(format!("{name}: {e}; hexapod sim --headless writes such a table")))?;
    let table = Walked::parse(&text).map_err(|reason| Failure::Words(format!("{name}:{reason}")))?;
    Ok(table.page(&name))
}

/// The columns that are drawn.
const COLUMNS: [&str; 9] = ["seconds", "x_planned", "y_planned", "x", "y", "lean", "slip", "work", "energy"];

type Row = [f64; COLUMNS.len()];

/// The rows of the table, by [`COLUMNS`].
struct Walked(Vec<Row>);

impl Walked {
    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.strip_prefix(BOM).unwrap_or(text).lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        let place = |column: &str| header.split(',').position(|name| name.trim() == column);
        let mut places = [0; COLUMNS.len()];
        for (slot, column) in places.iter_mut().zip(COLUMNS) {
            *slot =
                place(column).ok_or_else(|| format!("1: there is no column {column}; give a table of hexapod sim"))?;
        }
        let mut last = f64::NEG_INFINITY;
        let row = |(index, line): (usize, &str)| {
            let cells: Vec<&str> = line.split(',').collect();
            let mut row = [0.0; COLUMNS.len()];
            for ((value, place), column) in row.iter_mut().zip(places).zip(COLUMNS) {
                let number = cells.get(place).and_then(|cell| cell.trim().parse::<f64>().ok());
                let number = number.filter(|number| number.is_finite());
                *value = number.ok_or_else(|| format!("{}: {column} is no number", index + 1))?;
            }
            if row[0] < last {
                return Err(format!(
                    "{}: the time goes back, from {last} to {} s; give the lines as hexapod sim writes them",
                    index + 1,
                    row[0]
                ));
            }
            last = row[0];
            Ok(row)
        };
        let rows: Result<Vec<_>, String> = lines.filter(|(_, line)| !line.trim().is_empty()).map(row).collect();
        let rows = rows?;
        if rows.is_empty() { Err("2: there is no line after the header".into()) } else { Ok(Self(rows)) }
    }

    fn page(&self, name: &str) -> String {
        let [width, height] = PANEL_PX;
        let chart = |title: &str, y_label: &str, series| time_chart(title, y_label, series, PANEL_PX);
        let path = LineChart {
            x_label: "x (m)".into(),
            equal_axes: true,
            ..chart(
                "path of the body, from above",
                "y (m)",
                vec![
                    Series { dashed: true, ..self.series("planned", |[_, x, y, ..]| [*x, *y]) },
                    self.series("walked", |[_, _, _, x, y, ..]| [*x, *y]),
                ],
            )
        };
        let curve = |value: fn(&Row) -> f64| vec![self.series("", |row| [row[0], value(row)])];
        let lean = chart("lean of the body", "from the vertical (deg)", curve(|row| row[5].to_degrees()));
        let slip = chart("slip of a foot, on average over all", "slid so far (mm)", curve(|row| row[6] * 1e3));
        let power = chart("power, means over a second", "W", self.powers());
        let at = [[0.0, 0.0], [width, 0.0], [0.0, height], [width, height]];
        let charts = [path, lean, slip, power];
        let panels: Vec<Panel> = charts.iter().zip(at).map(|(chart, at)| Panel { svg: line_plot(chart), at }).collect();
        page(&format!("walk of {name}"), 2.0 * width, 2.0 * height, Theme::Light, &panels)
    }

    fn series(&self, name: &str, point: impl Fn(&Row) -> [f64; 2]) -> Series {
        let every = self.0.len().div_ceil(MOST_POINTS);
        let last = self.0.len() - 1;
        let rows = self.0.iter().enumerate().filter(|(index, _)| index % every == 0 || *index == last);
        Series { name: name.into(), points: rows.map(|(_, row)| point(row)).collect(), dashed: false }
    }

    /// At the joints, and from the supply where servos are known to take something of it.
    fn powers(&self) -> Vec<Series> {
        let both = [("at the joints", 7), ("from the supply", 8)].map(|(name, column)| self.power(name, column));
        both.into_iter().filter(|series| series.points.iter().any(|[_, watts]| *watts > 0.0)).collect()
    }

    /// Mean power over each second.
    fn power(&self, name: &str, column: usize) -> Series {
        let mut points = Vec::new();
        let mut from = &self.0[0];
        for row in &self.0 {
            let seconds = row[0] - from[0];
            if seconds >= 1.0 {
                points.push([row[0] - seconds / 2.0, (row[column] - from[column]) / seconds]);
                from = row;
            }
        }
        Series { name: name.into(), points, dashed: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = crate::sim::HEADER;

    #[test]
    fn when_a_table_is_drawn_expect_its_path_and_a_panel_for_each_figure() {
        let row = |i: usize| format!("{0}.0,walking,{0},0,0,{0},0,0.1,0,0,0,0.01,0.002,{0}0.0,{0}1.0,6.0,0\n", i + 1);
        let text = format!("{HEADER}\n{}", (0..5).map(row).collect::<String>());
        let walked = Walked::parse(&text).unwrap();
        assert_eq!(walked.power("", 7).points[1..3], [[2.5, 10.0], [3.5, 10.0]]);
        let svg = walked.page("run.csv");
        assert_eq!(svg.matches("<svg").count(), 5);
        for word in ["planned", "walked", "lean", "slip", "power"] {
            assert!(svg.contains(word), "{word}");
        }
    }

    #[test]
    fn when_a_table_begins_with_a_byte_order_mark_expect_it_drawn() {
        assert!(Walked::parse(&format!("\u{feff}{HEADER}\n1,walking{}\n", ",0".repeat(15))).is_ok());
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
            let reason = Walked::parse(text).err().unwrap();
            assert!(reason.contains(words), "{reason}");
        }
    }
}
