//! Several pictures on one page.

use crate::svg::Svg;
use crate::theme::Theme;

/// A finished picture and where on the page its upper left corner is (px).
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The picture.
    pub svg: String,
    /// Its corner.
    pub at: [f64; 2],
}

/// One picture that holds others.
#[must_use]
pub fn page(title: &str, width_px: f64, height_px: f64, theme: Theme, panels: &[Panel]) -> String {
    let mut page = Svg::new(width_px, height_px, title, theme.background());
    panels.iter().for_each(|panel| page.nested(panel.at, &panel.svg));
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_pictures_are_put_on_a_page_expect_each_at_its_place() {
        let panel = Panel { svg: Svg::new(10.0, 10.0, "inner", Theme::Light.panel()).finish(), at: [5.0, 7.5] };
        let page = page("outer", 100.0, 50.0, Theme::Light, &[panel.clone(), panel]);
        assert_eq!(page.matches("<svg x=\"5\" y=\"7.5\" ").count(), 2);
        assert_eq!((page.matches("<svg").count(), page.matches("</svg>").count()), (3, 3));
    }
}
