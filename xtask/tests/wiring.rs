//! The wiring that owners copy from the documentation.

use std::path::Path;

#[test]
fn when_a_board_is_wired_as_drawn_expect_its_logic_at_what_the_pins_of_a_pi_tolerate() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/servos.md");
    let page = std::fs::read_to_string(page).unwrap();
    let drawing = page.split("```").nth(1).unwrap();
    let (above, _) = drawing.split_once("VCC").unwrap();
    assert!(above.contains("3.3 V of the Pi") && !above.contains("5 V of"), "pull-ups go to VCC:{drawing}");
}
