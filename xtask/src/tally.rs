//! Counts of tests, read from what cargo test, pytest and Node's test runner print.

/// How much of a failure's line is kept, characters.
const LONGEST_FAILURE: usize = 300;

/// Sum of the results of one section.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
    seen: bool,
    failures: Vec<String>,
}

impl Tally {
    /// Takes in one line of output.
    pub fn read(&mut self, line: &str) {
        let line = without_colours(line);
        if let Some((kind, count)) = node_count(&line) {
            return self.count(kind, count);
        }
        self.failures.extend(failure(&line).map(shortened));
        self.reason_of_node(&line);
        let counts = line.strip_prefix("test result:").or_else(|| pytest_summary(&line));
        let Some(counts) = counts else { return };
        self.seen = true;
        for part in counts.split([',', ';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(count), Some(kind)) = (words.next().and_then(|word| word.parse::<u64>().ok()), words.next())
            else {
                continue;
            };
            self.count(kind, count);
        }
    }

    /// Node says why a test failed some lines below its name.
    fn reason_of_node(&mut self, line: &str) {
        let Some(reason) = line.trim_start().strip_prefix("error: ") else { return };
        if let Some(last) = self.failures.last_mut().filter(|failure| !failure.contains(' ')) {
            *last = shortened(&format!("{last} - {reason}"));
        }
    }

    fn count(&mut self, kind: &str, count: u64) {
        self.seen = true;
        match kind {
            "passed" | "xfailed" | "pass" => self.passed += count,
            "failed" | "error" | "errors" | "xpassed" | "fail" | "cancelled" => self.failed += count,
            "ignored" | "skipped" => self.ignored += count,
            _ => {}
        }
    }

    /// Adds another section's counts.
    pub fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.seen |= other.seen;
        self.failures.extend_from_slice(&other.failures);
    }

    /// The tests that failed, a line each.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.seen {
            return Ok(());
        }
        write!(f, "{} passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

/// `pass` and 3 of `# pass 3`, as Node's test runner ends.
fn node_count(line: &str) -> Option<(&str, u64)> {
    let (kind, count) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?.split_once(' ')?;
    let is_kind = ["pass", "fail", "cancelled", "skipped"].contains(&kind);
    count.trim().parse().ok().filter(|_| is_kind).map(|count| (kind, count))
}

/// `3 passed, 1 skipped` of `=== 3 passed, 1 skipped in 0.12s ===`.
fn pytest_summary(line: &str) -> Option<&str> {
    let inner = line.strip_prefix("==")?.trim_matches(|c: char| c == '=' || c.is_whitespace());
    let (counts, seconds) = inner.rsplit_once(" in ")?;
    seconds.starts_with(|c: char| c.is_ascii_digit()).then_some(counts)
}

/// The test that `line` says has failed, with the reason where it gives one.
fn failure(line: &str) -> Option<&str> {
    let by_cargo = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
    // Suites and files fail with their tests.
    let by_node =
        line.trim_start().strip_prefix("not ok ").and_then(|rest| rest.split_once(" - ")).map(|(_, name)| name);
    let by_node = by_node.filter(|name| name.starts_with("when_"));
    by_cargo.or(by_node).or_else(|| line.strip_prefix("FAILED tests/")).or_else(|| line.strip_prefix("ERROR tests/"))
}

/// Enough of `failure` to see what is wrong; pytest may put a whole comparison on the line.
fn shortened(failure: &str) -> String {
    failure.trim().chars().take(LONGEST_FAILURE).collect()
}

/// `line` without terminal control sequences that set colours.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or(piece, |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: &str) {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.read(line));
        assert_eq!(tally.to_string(), expected, "{lines:?}");
    }

    #[test]
    fn when_node_ends_with_counts_expect_them_and_nothing_from_its_other_lines() {
        check(
            &["# tests 9", "# pass 5", "# fail 1", "# cancelled 1", "# skipped 2", "# todo 0"],
            "5 passed, 2 failed, 2 ignored",
        );
        check(
            &["ℹ pass 3", "ℹ duration_ms 12.5", "# Subtest: pass 7", "ok 1 - pass 2"],
            "3 passed, 0 failed, 0 ignored",
        );
    }

    #[test]
    fn when_cargo_test_prints_results_expect_their_sum() {
        let result = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.00s";
        let failed = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.2s";
        check(&[result, "test a ... ok", failed], "13 passed, 2 failed, 1 ignored");
    }

    #[test]
    fn when_pytest_prints_its_summary_expect_the_counts() {
        check(&["===== 3 passed, 1 skipped, 2 warnings in 0.12s ====="], "3 passed, 0 failed, 1 ignored");
        check(
            &["\u{1b}[31m== \u{1b}[1m1 failed\u{1b}[0m, 2 errors in 61.02s (0:01:01) =="],
            "0 passed, 3 failed, 0 ignored",
        );
    }

    #[test]
    fn when_tests_fail_expect_them_named() {
        let mut tally = Tally::default();
        let cargo = "test engine::tests::when_stopped_expect_rest ... FAILED";
        let pytest = format!("FAILED tests/ros/test_tf.py::test_age - AssertionError: {}", "x".repeat(1000));
        ["test a ... ok", cargo, &pytest].iter().for_each(|line| tally.read(line));
        let [first, second] = tally.failures() else { panic!("{:?}", tally.failures()) };
        assert_eq!(first, "engine::tests::when_stopped_expect_rest");
        assert!(second.starts_with("ros/test_tf.py::test_age - AssertionError: xxx"), "{second}");
        assert_eq!(second.chars().count(), LONGEST_FAILURE);
    }

    #[test]
    fn when_tests_fail_in_node_expect_them_named_with_their_reasons_and_no_suite() {
        let mut tally = Tally::default();
        let lines = [
            "    # Subtest: when_pushed_expect_a_word",
            "    not ok 28 - when_pushed_expect_a_word",
            "      ---",
            "      failureType: 'testCodeFailure'",
            "      error: 'page.waitForSelector: Timeout 30000ms exceeded.'",
            "    ok 29 - when_b",
            "not ok 2 - the page in a browser stops",
            "  error: '1 subtest failed'",
        ];
        lines.iter().for_each(|line| tally.read(line));
        let expected = "when_pushed_expect_a_word - 'page.waitForSelector: Timeout 30000ms exceeded.'";
        assert_eq!(tally.failures(), [expected]);
    }

    #[test]
    fn when_nothing_is_counted_expect_silence() {
        check(&["==== test session starts ====", "finished in 3 s"], "");
    }
}
