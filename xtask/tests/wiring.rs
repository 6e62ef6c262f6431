//! The wiring that owners copy from the documentation.

use std::path::Path;

#[test]
fn when_a_board_is_wired_as_drawn_expect_its_logic_at_what_the_pins_of_a_pi_tolerate() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = std::fs::read_to_string(docs.join("servos.md")).unwrap();
    assert!(page.contains("](wiring.svg)"));
    let drawing = std::fs::read_to_string(docs.join("wiring.svg")).unwrap();
    let height = |words: &str| {
        let (before, _) = drawing.split_once(&format!(">{words}<")).unwrap_or_else(|| panic!("no {words}"));
        let (_, height) = before.rsplit_once("y=\"").unwrap();
        height.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    assert!((height("3.3 V (pin 1)") - height("VCC")).abs() < 10.0, "one wire joins them");
    assert!(!drawing.contains(">5 V"), "pull-ups go to VCC");
}
