//! What rcl says of arguments that it does not understand, in plain words.

/// What is wrong with the argument, and what would be right; rcl's own words, without the places in its source, where they
/// are none of those known.
pub(crate) fn explained(words: &str) -> String {
    let reported = without_places(words);
    let parts = reported.strip_prefix("Couldn't parse ").and_then(|rest| {
        let (kind, rest) = rest.split_once(": '")?;
        let (argument, why) = rest.split_once('\'')?;
        Some((kind, argument, why.trim_start_matches(". Error: ")))
    });
    let Some((kind, argument, why)) = parts else { return reported };
    let right = match kind {
        "parameter override rule" => "write `-p name:=value`, as in `-p gait:=ripple`",
        "remap rule" => "write `-r from:=to`, as in `-r cmd_vel:=/joy/cmd_vel` or `-r __ns:=/left`",
        "log level" => {
            "write `--log-level debug`, or info, warn, error, fatal; for one node `--log-level servo_driver:=debug`"
        }
        _ => return format!("`{argument}`: {why}"),
    };
    format!("`{argument}` is not understood; {right}")
}

/// Without `, at /path/file.c:12`, which rcl adds for its authors.
fn without_places(words: &str) -> String {
    let is_place = |part: &&str| part.starts_with("at /") && part.contains(".c:");
    words.split(", ").filter(|part| !is_place(part)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_rcl_refuses_an_argument_expect_it_and_what_to_write_without_lines_of_its_source() {
        let cases = [
            (
                "Couldn't parse parameter override rule: '-p foo'. Error: Expected lexeme type (22) not found, search ended \
                 at index 3, at /project/src/rcl/lexer_lookahead.c:239, at /project/src/rcl/arguments.c:352",
                "`-p foo` is not understood; write `-p name:=value`, as in `-p gait:=ripple`",
            ),
            (
                "Couldn't parse params file: '--params-file /no.yaml'. Error: Error opening YAML file, at \
                 /project/src/parser.c:271, at /project/src/rcl/arguments.c:415",
                "`--params-file /no.yaml`: Error opening YAML file",
            ),
            ("context is zero-initialized, at /a/init.c:5", "context is zero-initialized"),
        ];
        for (words, plain) in cases {
            assert_eq!(explained(words), plain);
        }
        let level =
            explained("Couldn't parse log level: '--log-level silly'. Error: Argument does not use a valid level");
        assert!(level.starts_with("`--log-level silly` is not understood; write") && level.contains("warn"), "{level}");
    }
}
