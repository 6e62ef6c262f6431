//! A small writer of SVG: shapes, text, groups. Coordinates are pixels, x right, y down.

use crate::theme::Rgb;
use std::fmt::Write;

/// How a shape is filled and stroked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// The fill, if any.
    pub fill: Option<Rgb>,
    /// The stroke's colour and width (px), if any.
    pub stroke: Option<(Rgb, f64)>,
    /// 0 (not seen) to 1.
    pub opacity: f64,
    /// Draw the stroke in dashes.
    pub dashed: bool,
}

impl Paint {
    /// A fill without a stroke.
    #[must_use]
    pub fn fill(colour: Rgb) -> Self {
        Self { fill: Some(colour), stroke: None, opacity: 1.0, dashed: false }
    }

    /// A stroke without a fill.
    #[must_use]
    pub fn stroke(colour: Rgb, width: f64) -> Self {
        Self { fill: None, stroke: Some((colour, width)), opacity: 1.0, dashed: false }
    }

    /// The same paint, let through.
    #[must_use]
    pub fn with_opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    fn attributes(&self) -> String {
        let mut text = match self.fill {
            Some(colour) => format!(" fill=\"{colour}\""),
            None => " fill=\"none\"".to_owned(),
        };
        if let Some((colour, width)) = self.stroke {
            text += &format!(" stroke=\"{colour}\" stroke-width=\"{}\"", number(width));
        }
        if self.dashed {
            text += " stroke-dasharray=\"4 4\"";
        }
        if self.opacity < 1.0 {
            text += &format!(" opacity=\"{}\"", number(self.opacity));
        }
        text
    }
}

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// Begins there.
    Start,
    /// Is centred there.
    Middle,
    /// Ends there.
    End,
}

/// An SVG document being written.
#[derive(Debug, Clone)]
pub struct Svg {
    text: String,
    open_groups: usize,
    /// Steps of a path's coordinates in a pixel.
    steps: f64,
}

impl Svg {
    /// An empty picture of the given size (px) on a rounded background. The title is what a screen reader says.
    #[must_use]
    pub fn new(width: f64, height: f64, title: &str, background: Rgb) -> Self {
        let (width, height) = (number(width), number(height));
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n\
             <title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" rx=\"12\" fill=\"{background}\"/>\n",
            escape(title)
        );
        Self { text, open_groups: 0, steps: 100.0 }
    }

    /// Paths with coordinates to a tenth of a pixel, not a hundredth: a third of the file.
    #[must_use]
    pub(crate) fn coarse(self) -> Self {
        Self { steps: 10.0, ..self }
    }

    /// Rules for what follows, in CSS.
    pub(crate) fn style(&mut self, css: &str) {
        let _ = writeln!(self.text, "<style>{}</style>", escape(css));
    }

    /// Opens a group whose attributes apply to what follows until [`Svg::close_group`].
    pub fn open_group(&mut self, attributes: &[(&str, &str)]) {
        self.text.push_str("<g");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escape(value));
        }
        self.text.push_str(">\n");
        self.open_groups += 1;
    }

    /// Closes the group opened last; does nothing when none is open.
    pub fn close_group(&mut self) {
        if self.open_groups > 0 {
            self.text.push_str("</g>\n");
            self.open_groups -= 1;
        }
    }

    /// A rectangle with rounded corners.
    pub fn rect(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], radius: f64, paint: &Paint) {
        if [x, y, width, height, radius].iter().all(|value| value.is_finite()) {
            let _ = writeln!(
                self.text,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}/>",
                number(x),
                number(y),
                number(width.max(0.0)),
                number(height.max(0.0)),
                number(radius),
                paint.attributes()
            );
        }
    }

    /// Straight pieces, each from the first of its points to the last, closed to areas if asked. Pieces with a point
    /// that is not finite are left out.
    pub fn path(&mut self, pieces: &[Vec<[f64; 2]>], closed: bool, paint: &Paint) {
        self.write_path(pieces, closed, &paint.attributes());
    }

    /// Areas in the colour that the group around them fills and strokes with as `currentColor`.
    pub(crate) fn areas(&mut self, pieces: &[Vec<[f64; 2]>], colour: Rgb) {
        self.write_path(pieces, true, &format!(" color=\"{colour}\""));
    }

    fn write_path(&mut self, pieces: &[Vec<[f64; 2]>], closed: bool, attributes: &str) {
        let mut data = String::new();
        for piece in pieces {
            push_piece(&mut data, piece, closed, self.steps);
        }
        if !data.is_empty() {
            let _ = writeln!(self.text, "<path d=\"{data}\"{attributes}/>");
        }
    }

    /// One line.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], paint: &Paint) {
        self.path(&[vec![from, to]], false, paint);
    }

    /// A circle.
    pub fn circle(&mut self, [x, y]: [f64; 2], radius: f64, paint: &Paint) {
        if [x, y, radius].iter().all(|value| value.is_finite()) {
            let _ = writeln!(
                self.text,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>",
                number(x),
                number(y),
                number(radius),
                paint.attributes()
            );
        }
    }

    /// Text that begins at the point (its baseline).
    pub fn text(&mut self, at: [f64; 2], size: f64, colour: Rgb, content: &str) {
        self.anchored(at, size, colour, Anchor::Start, content);
    }

    pub(crate) fn anchored(&mut self, [x, y]: [f64; 2], size: f64, colour: Rgb, anchor: Anchor, content: &str) {
        let _ = writeln!(
            self.text,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{colour}\" text-anchor=\"{}\">{}</text>",
            number(x),
            number(y),
            number(size),
            match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            },
            escape(content)
        );
    }

    /// Text read upwards, centred on the point.
    pub(crate) fn upward(&mut self, [x, y]: [f64; 2], size: f64, colour: Rgb, content: &str) {
        let _ = writeln!(
            self.text,
            "<text transform=\"translate({} {}) rotate(-90)\" font-size=\"{}\" fill=\"{colour}\" \
             text-anchor=\"middle\">{}</text>",
            number(x),
            number(y),
            number(size),
            escape(content)
        );
    }

    /// A finished document within this one, its corner at the point; what is no document is left out.
    pub(crate) fn nested(&mut self, [x, y]: [f64; 2], document: &str) {
        if let Some(rest) = document.strip_prefix("<svg ") {
            let _ = write!(self.text, "<svg x=\"{}\" y=\"{}\" {rest}", number(x), number(y));
        }
    }

    /// The finished document.
    #[must_use]
    pub fn finish(mut self) -> String {
        while self.open_groups > 0 {
            self.close_group();
        }
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// One piece: its first point, and from each point the way to the next, which is shorter to write. Points are rounded
/// before that, so nothing adds up.
fn push_piece(data: &mut String, piece: &[[f64; 2]], closed: bool, steps: f64) {
    if piece.len() < 2 || !piece.iter().flatten().all(|value| value.is_finite()) {
        return;
    }
    let mut before = [0.0; 2];
    for (index, point) in piece.iter().enumerate() {
        let at = point.map(|value| (value * steps).round() / steps);
        match index {
            0 => data.push('M'),
            1 => data.push('l'),
            _ => {}
        }
        for axis in 0..2 {
            let text = number(at[axis] - before[axis]);
            // A minus sign parts numbers as well as a space does.
            if (index > 1 || axis > 0) && !text.starts_with('-') {
                data.push(' ');
            }
            data.push_str(&text);
        }
        before = at;
    }
    if closed {
        data.push('Z');
    }
}

/// A number with at most two decimals and no needless zeros; not finite becomes 0.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text made safe for an element or an attribute; characters XML does not allow are dropped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(character),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_numbers_are_written_expect_the_shortest_text() {
        for (value, text) in [(1.0, "1"), (0.125, "0.12"), (-0.001, "0"), (10.0, "10"), (2.50, "2.5"), (f64::NAN, "0")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn when_text_holds_markup_expect_it_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot;");
    }

    #[test]
    fn when_groups_stay_open_expect_them_closed_at_the_end() {
        let mut svg = Svg::new(10.0, 10.0, "t", Rgb::hex(0));
        svg.open_group(&[("opacity", "0.5")]);
        assert!(svg.finish().ends_with("</g>\n</svg>\n"));
    }
}
