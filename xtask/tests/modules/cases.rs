//! Circles of each kind, put in where there is none.

use super::faults;

fn named(files: &[(&str, &str)]) -> Vec<String> {
    let mut all = vec![("src/lib.rs", "mod a; mod b; mod c;"), ("src/a.rs", "pub struct A;"), ("src/c.rs", "")];
    all.extend(files);
    let files = all.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    faults(&files)
}

/// The file `a` names `b` as it says; `b` names `a`.
fn check_circle(a: &str) {
    let b = ("src/b.rs", "use crate::a::A; pub struct B; pub fn f() {}");
    assert_eq!(
        named(&[("src/a.rs", &format!("pub struct A; {a}")), b]),
        ["src/a.rs -> src/b.rs", "src/b.rs -> src/a.rs"]
    );
}

#[test]
fn when_two_files_import_each_other_expect_a_circle() {
    check_circle("use crate::b::B;");
    check_circle("use super::b::B;");
    check_circle("use crate::b::*;");
    check_circle("use crate::b;");
    check_circle("use crate::{c, b::{self, B as Other}};");
    check_circle("pub(crate) fn f() { use super::b::f; f() }");
}

#[test]
fn when_a_path_stands_in_the_code_expect_a_circle() {
    check_circle("fn f() { crate::b::f() }");
    check_circle("fn f() -> super::b::B { todo!() }");
    check_circle("const N: [u8; 2] = [0; { crate::b::f(); 2 }];");
    check_circle("#[serde(with = \"crate::b\")] struct S;");
    check_circle("impl From<crate::b::B> for A {}");
    check_circle("macro_rules! m { () => { $crate::b::f() } }");
}

#[test]
fn when_a_module_within_a_file_names_another_file_expect_a_circle() {
    check_circle("mod inner { use crate::b::B; }");
    check_circle("mod inner { mod inmost { use super::super::super::b::B; } }");
    check_circle("mod inner { pub use crate::b::B; } fn f(b: inner::B) {}");
}

#[test]
fn when_a_name_is_handed_on_expect_a_circle_with_where_it_is_from_and_not_with_the_file_between() {
    let a = ("src/a.rs", "use crate::Other; pub struct A;");
    let b = ("src/b.rs", "use crate::a::A; pub struct B;");
    for hop in ["pub use b::B as Other;", "pub(crate) use c::Other;", "pub use c::*;", "pub use deep::Other;"] {
        let root = format!("mod a; mod b; mod c; pub mod deep {{ pub use crate::c::Other; }} {hop}");
        let files = [("src/lib.rs", root.as_str()), ("src/c.rs", "pub use crate::b::B as Other;"), a, b];
        assert_eq!(named(&files), ["src/a.rs -> src/b.rs", "src/b.rs -> src/a.rs"], "{hop}");
    }
}

#[test]
fn when_a_file_only_hands_on_what_is_below_it_expect_no_circle_but_one_when_it_uses_it() {
    let below = ("src/b/inner.rs", "use super::B; pub struct Inner;");
    let check = |text: &str, expected: &[&str]| assert_eq!(named(&[("src/b/mod.rs", text), below]), expected, "{text}");
    check("mod inner; pub use inner::Inner; pub struct B;", &[]);
    let circle = ["src/b/inner.rs -> src/b/mod.rs", "src/b/mod.rs -> src/b/inner.rs"];
    check("mod inner; use inner::Inner; pub struct B;", &circle);
    check("mod inner; pub use inner::Inner; pub struct B(Inner);", &circle);
    check("mod inner; pub use inner::*; pub struct B(Inner);", &circle);
    check("mod inner; pub struct B(inner::Inner);", &circle);
}

#[test]
fn when_a_file_calls_what_another_adds_to_its_type_expect_a_circle() {
    check_circle_of_impl("impl A { fn f(&self) { self.g() } }");
    check_circle_of_impl("impl A { fn f(&self) { Self::g(self) } }");
    check_circle_of_impl("fn f(a: &A) { A::g(a) }");
    check_circle_of_impl("impl<T: Fn()> Drop for A where T: Copy { fn drop(&mut self) { self.g() } }");
}

fn check_circle_of_impl(a: &str) {
    let b = ("src/b.rs", "use crate::a::A; impl A { pub fn g(&self) {} }");
    assert_eq!(
        named(&[("src/a.rs", &format!("pub struct A; {a}")), b]),
        ["src/a.rs -> src/b.rs", "src/b.rs -> src/a.rs"]
    );
}

#[test]
fn when_files_of_an_executable_or_an_example_name_each_other_expect_a_circle() {
    for (root, folder) in
        [("src/bin/tool.rs", "src/bin"), ("src/bin/tool/main.rs", "src/bin/tool"), ("tests/t.rs", "tests")]
    {
        let [x, y] = ["x", "y"].map(|name| format!("{folder}/{name}/mod.rs"));
        let found =
            named(&[(root, "mod x; mod y;"), (&x, "use crate::y::Y; pub struct X;"), (&y, "use super::x; struct Y;")]);
        assert!(found.contains(&format!("{x} -> {y}")) && found.contains(&format!("{y} -> {x}")), "{found:?}");
    }
}

#[test]
fn when_names_are_alike_or_stand_in_tests_comments_and_strings_expect_no_circle() {
    for a in [
        "// crate::b::f()\n/* crate::b */ const S: &str = \"crate::b::f\"; #[doc = \"b\"] fn g<'b>(b: &'b u8) {}",
        "#[cfg(test)] mod tests { use crate::b; } #[cfg(test)] use crate::b::B;",
        "#[cfg(test)] mod tests;",
        "use other::b::B; fn f(b: u8) { b.f(); let c = S { b }; }",
    ] {
        let tests = ("src/a/tests.rs", "use crate::b::B;");
        let files = [("src/a.rs", &*format!("pub struct A; {a}")), ("src/b.rs", "use crate::a::A;"), tests];
        let found = named(&files[..if a.contains("tests;") { 3 } else { 2 }]);
        assert!(found.is_empty(), "{a}: {found:?}");
    }
}

#[test]
fn when_a_file_is_in_no_module_expect_it_reported() {
    assert_eq!(named(&[("src/b.rs", ""), ("src/lost.rs", "")]), ["src/lost.rs is in no module"]);
    let given = [
        ("src/lib.rs", "mod a; mod b; mod c; #[path = \"far/lost.rs\"] mod d;"),
        ("src/b.rs", ""),
        ("src/far/lost.rs", ""),
    ];
    assert!(named(&given).is_empty());
}

#[test]
fn when_three_files_go_round_expect_all_three() {
    let files = [("src/a.rs", "use crate::b;"), ("src/b.rs", "use crate::c;"), ("src/c.rs", "use crate::a;")];
    assert_eq!(named(&files), ["src/a.rs -> src/b.rs", "src/b.rs -> src/c.rs", "src/c.rs -> src/a.rs"]);
}

#[test]
fn when_the_crate_gets_another_name_expect_the_file_that_gives_it() {
    let b = ("src/b.rs", "use crate::a::A; // extern crate\n pub fn f() {}");
    let a = ("src/a.rs", "extern crate self as other; pub struct A; fn g() { other::b::f() }");
    assert_eq!(named(&[a, b]), ["src/a.rs says `extern crate`: write `use`"]);
}

#[test]
fn when_a_file_stands_in_another_by_its_text_expect_it_reported_but_not_what_a_build_script_wrote() {
    for given in ["include!(\"above.rs\");", "fn f() { std::include! { \"above.rs\" } }"] {
        assert_eq!(named(&[("src/b.rs", given)]), ["src/b.rs says `include!`: write `mod`"], "{given}");
    }
    let written = "include!(concat!(env!(\"OUT_DIR\"), \"/tables.rs\")); const S: &str = include_str!(\"s.txt\");";
    assert!(named(&[("src/b.rs", written)]).is_empty());
}
