//! A Rust file as words and signs, without comments and without what only tests are built with.

use std::collections::VecDeque;

/// A word, `::`, `..`, or one sign.
pub type Token = String;

/// The tokens of a text. Strings are left out, but for those in attributes, which may hold paths.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = vec![];
    // How deep in the brackets of an attribute.
    let mut attribute = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = length_of(rest, first);
        let token = &rest[..length];
        rest = &rest[length..];
        match first {
            '[' if attribute > 0 || begins_attribute(&found) => attribute += 1,
            ']' if attribute > 0 => attribute -= 1,
            _ => {}
        }
        let is_comment = token.starts_with("//") || token.starts_with("/*");
        if token.contains('"') && !is_comment {
            if attribute > 0 {
                found.extend(tokens(token.trim_start_matches(['b', 'r', '#']).trim_matches(['"', '#'])));
            }
        } else if !first.is_whitespace() && !is_comment && first != '\'' {
            found.push(token.trim_start_matches("r#").to_owned());
        }
    }
    found
}

fn begins_attribute(before: &[Token]) -> bool {
    let before: Vec<&str> = before.iter().rev().take(2).map(String::as_str).collect();
    matches!(before[..], ["#", ..] | ["!", "#"])
}

/// How many bytes the token, comment, string or blank has with which a text begins.
fn length_of(rest: &str, first: char) -> usize {
    let to = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
    match first {
        '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        '/' if rest.starts_with("/*") => to("*/"),
        '"' => string(rest, 0),
        'b' if rest.starts_with("b\"") => string(rest, 1),
        'b' if rest.starts_with("b'") => 1 + quote(&rest[1..]),
        'r' | 'b' if raw_end(rest).is_some() => raw_end(rest).unwrap(),
        '\'' => quote(rest),
        _ if rest.starts_with("r#") => 2 + word(&rest[2..]),
        _ if is_word(first) => word(rest),
        _ if rest.starts_with("::") || rest.starts_with("..") => 2,
        _ => first.len_utf8(),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(rest: &str) -> usize {
    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

fn string(rest: &str, quote: usize) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(quote + 1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Where a raw string ends, if the text begins with one.
fn raw_end(rest: &str) -> Option<usize> {
    let after = rest.trim_start_matches('b').strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].strip_prefix('"')?;
    let start = rest.len() - after.len() + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len()))
}

/// A character, or only the quote with which a lifetime begins and its name.
fn quote(rest: &str) -> usize {
    let mut inside = rest.char_indices().skip(1);
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), _) => rest[3..].find('\'').map_or(rest.len(), |at| at + 4),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1 + word(&rest[1..]),
    }
}

/// The tokens without what stands behind `#[cfg(test)]`, and the names of modules in files that are left out with it.
pub fn without_tests(tokens: Vec<Token>) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut left_out) = (vec![], vec![]);
    let mut rest = VecDeque::from(tokens);
    while let Some(token) = rest.pop_front() {
        let attribute = ["[", "cfg", "(", "test", ")", "]"];
        if token != "#" || !attribute.iter().zip(&rest).all(|(a, b)| a == b) || rest.len() < attribute.len() {
            kept.push(token);
            continue;
        }
        rest.drain(..attribute.len());
        let item = item(&mut rest);
        if let [.., module, name, end] = &item[..]
            && module == "mod"
            && end == ";"
        {
            left_out.push(name.clone());
        }
    }
    (kept, left_out)
}

/// Takes an item, with attributes that stand before it.
fn item(rest: &mut VecDeque<Token>) -> Vec<Token> {
    let (mut taken, mut depth, mut is_use) = (vec![], 0, false);
    while let Some(token) = rest.pop_front() {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            // Braces of a `use` do not end it; those of a module with a `use` in it do.
            "use" if depth == 0 => is_use = true,
            _ => {}
        }
        let ends = depth == 0 && (token == ";" || token == "}" && !is_use);
        taken.push(token);
        if ends {
            break;
        }
    }
    taken
}

#[test]
fn when_a_text_holds_strings_comments_and_lifetimes_expect_only_code() {
    let text = "a::b(\"x::y \\\" }\", 'c', '\\'', br#\"z\"q\"#) // d::e\n/* f */ &'g r#type #[with = \"h::i\"] 0..J";
    let expected = "a :: b ( , , , ) & type # [ with = h :: i ] 0 .. J";
    assert_eq!(tokens(text).join(" "), expected);
}

#[test]
fn when_items_are_for_tests_expect_them_left_out_and_what_follows_kept() {
    let text = "#[cfg(test)] mod far; #[cfg(test)]\n#[allow(x)]\npub mod tests { use super::*; fn f() { g(); } }\n#[cfg(test)] \
                use a::{b, c}; fn kept() {}";
    let (kept, left_out) = without_tests(tokens(text));
    assert_eq!((kept.join(" ").as_str(), left_out), ("fn kept ( ) { }", vec!["far".to_owned()]));
}
