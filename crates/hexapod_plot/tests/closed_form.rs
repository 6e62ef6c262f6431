//! The figure of the closed form is what its example draws.

#[path = "../examples/closed_form.rs"]
#[allow(dead_code)]
mod example;

#[test]
fn when_the_closed_form_is_drawn_expect_the_committed_figure() {
    let committed = include_str!("../../../docs/closed_form.svg");
    assert_eq!(example::picture(), committed, "cargo run -p hexapod_plot --example closed_form > docs/closed_form.svg");
}
