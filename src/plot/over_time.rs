//! A chart over time, as gaits and walks draw it.

use hexapod_plot::{LineChart, Series};

/// Curves over time, in a picture of this width and height.
pub fn time_chart(title: &str, y_label: &str, series: Vec<Series>, [width_px, height_px]: [f64; 2]) -> LineChart {
    LineChart {
        title: title.into(),
        x_label: "time (s)".into(),
        y_label: y_label.into(),
        series,
        width_px,
        height_px,
        ..LineChart::default()
    }
}
